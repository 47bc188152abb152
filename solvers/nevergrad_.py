"""nevergrad's population searches, with its known traps guarded."""

from __future__ import annotations

import math
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from optid.errors import OptidError, unknown_name
from optid.problems.forms import BlackBox

from .base import Outcome
from .box import Box
from .options import check_options
from .run import Run, StopSearch, penalty


@dataclass(frozen=True)
class Nevergrad:
    """Any optimizer of nevergrad's registry on the unit box; CMA-ES by default.

    Parameters
    ----------
    optimizer : str
        Name in ``nevergrad.optimizers.registry``. nevergrad's own default, ``NGOpt``, fails with recent NumPy above a budget that grows with the number of
        variables; a failing optimizer ends the solve with status ``failed`` and the best point found until then.
    batch : int or None
        Points asked together and told in order; ``None`` for 4 + 3 ln n, and always 1 for optimizers that work in sequence. The answer does not depend on
        the executor that evaluates them.
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

    def __post_init__(self) -> None:
        check_options(self, "batch", "spread", "max_evaluations")

    def run(self, form: BlackBox, run: Run) -> Outcome:
        """Solve ``form``."""
        run.limit(self.max_evaluations)
        box = Box(form, run.x0)
        run.evaluate(run.x0)
        if box.size == 0:
            return Outcome(None, "optimal", "all variables are fixed")
        optimizer = None
        try:
            with _quiet():
                kind = self._kind()
                batch = 1 if kind.no_parallelization else self.batch or 4 + int(3 * math.log(box.size))
                optimizer = self._optimizer(kind, box, run, batch)
            while True:
                with _quiet():
                    asked = [optimizer.ask() for _ in range(int(max(1, min(batch, run.left))))]
                results = run.evaluate_many([box.to_x(candidate.value) for candidate in asked])
                with _quiet():
                    for candidate, result in zip(asked, results, strict=True):
                        optimizer.tell(candidate, penalty(*result))
                run.ready()
        except (StopSearch, OptidError):
            raise
        except Exception as error:
            return Outcome(None, "failed", f"{self.optimizer}: {type(error).__name__}: {str(error).strip().partition(chr(10))[0]}")
        finally:
            del optimizer  # some optimizers hold a thread that would keep the interpreter from ending
            _join_threads()

    def _kind(self) -> Any:
        import nevergrad as ng

        if self.optimizer not in ng.optimizers.registry:
            raise unknown_name("nevergrad optimizer", self.optimizer, sorted(ng.optimizers.registry))
        return ng.optimizers.registry[self.optimizer]

    def _optimizer(self, kind: Any, box: Box, run: Run, batch: int) -> Any:
        import nevergrad as ng

        low, high = box.limits
        inner = np.clip(box.to_unit(run.x0), low, high)
        bounds = {"lower": low, "upper": high} if box.finite else {}
        parameter = ng.p.Array(init=inner, **bounds)
        parameter.set_mutation(sigma=self.spread)
        parameter.random_state = np.random.RandomState(run.seed())
        budget = None if run.budget is None else max(run.budget, 2)
        return kind(parametrization=parameter, budget=budget, num_workers=batch)


@contextmanager
def _quiet() -> Iterator[None]:
    """Silence the backend's own warnings (not those of the user's functions), and give it a global random state of its own."""
    state = np.random.get_state()  # noqa: NPY002
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        np.random.set_state(state)  # noqa: NPY002


def _join_threads() -> None:
    """Wait for the backend's threads, which end once their optimizer is gone."""
    for thread in threading.enumerate():
        if type(thread).__module__.startswith("nevergrad"):
            thread.join(5.0)
