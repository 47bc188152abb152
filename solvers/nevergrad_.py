"""nevergrad's population searches, with its known traps guarded."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from optid.errors import unknown_name
from optid.problems.forms import BlackBox

from .base import Outcome
from .box import Box
from .run import Run, penalty


@dataclass(frozen=True)
class Nevergrad:
    """Any optimizer of nevergrad's registry on the unit box; CMA-ES by default.

    Parameters
    ----------
    optimizer : str
        Name in ``nevergrad.optimizers.registry``. nevergrad's own default, ``NGOpt``, fails with recent NumPy above a budget that grows with the number of
        variables; a failing optimizer ends the solve with status ``failed`` and the best point found until then.
    batch : int or None
        Points asked together and told in order; ``None`` for 4 + 3 ln n. The answer does not depend on the executor that evaluates them.
    spread : float
        Standard deviation of the first points, in parts of the box.
    max_evaluations : int
        Used without a ``budget``.

    Notes
    -----
    Bounded variables are searched in [0, 1] and mapped back inside their bounds to the last bit. Points that violate an implicit constraint rank below
    all others, by their violation. nevergrad is imported when this solver is first used (about 2 s).
    """

    optimizer: str = "CMA"
    batch: int | None = None
    spread: float = 0.25
    max_evaluations: int = 500

    name: ClassVar[str] = "nevergrad"
    accepts: ClassVar[tuple[type, ...]] = (BlackBox,)
    features: ClassVar[frozenset[str]] = frozenset({"bounds", "linear", "nonlinear", "integer", "noise", "unbounded"})
    search: ClassVar[bool] = True

    def run(self, form: BlackBox, run: Run) -> Outcome:
        """Solve ``form``."""
        run.limit(self.max_evaluations)
        box = Box(form, run.x0)
        run.evaluate(run.x0)
        if box.size == 0:
            return Outcome(None, "optimal", "all variables are fixed")
        batch = self.batch or 4 + int(3 * math.log(box.size))
        optimizer = None
        try:
            with _quiet():
                optimizer = self._optimizer(box, run, batch)
            while True:
                with _quiet():
                    asked = [optimizer.ask() for _ in range(int(max(1, min(batch, run.left))))]
                results = run.evaluate_many([box.to_x(candidate.value) for candidate in asked])
                with _quiet():
                    for candidate, result in zip(asked, results, strict=True):
                        optimizer.tell(candidate, penalty(*result))
                run.ready()
        finally:
            del optimizer

    def _optimizer(self, box: Box, run: Run, batch: int) -> Any:
        import nevergrad as ng

        if self.optimizer not in ng.optimizers.registry:
            raise unknown_name("nevergrad optimizer", self.optimizer, sorted(ng.optimizers.registry))
        low, high = box.limits
        inner = np.clip(box.to_unit(run.x0), low, high)
        bounds = {"lower": low, "upper": high} if box.finite else {}
        parameter = ng.p.Array(init=inner, **bounds)
        parameter.set_mutation(sigma=self.spread)
        parameter.random_state = np.random.RandomState(run.seed())
        budget = None if run.budget is None else max(run.budget, 2)
        return ng.optimizers.registry[self.optimizer](parametrization=parameter, budget=budget, num_workers=batch)


@contextmanager
def _quiet() -> Iterator[None]:
    """Silence the backend's own warnings (not those of the user's functions)."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
