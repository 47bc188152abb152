"""Random search: the baseline every other search has to beat."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from optid.problems.forms import BlackBox

from .base import Outcome
from .box import Box
from .options import check_options
from .run import Run


@dataclass(frozen=True)
class RandomSearch:
    """Points drawn uniformly from the box, after ``x0``.

    Parameters
    ----------
    batch : int
        Points evaluated together when there is an executor; the answer does not depend on the executor.
    max_evaluations : int
        Used without a ``budget``.
    """

    batch: int = 16
    max_evaluations: int = 500

    name: ClassVar[str] = "random"
    accepts: ClassVar[tuple[type, ...]] = (BlackBox,)
    features: ClassVar[frozenset[str]] = frozenset({"bounds", "linear", "nonlinear", "integer", "noise"})
    search: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_options(self, "batch", "max_evaluations")

    def run(self, form: BlackBox, run: Run) -> Outcome:
        """Solve ``form``; ends through the budget."""
        run.limit(self.max_evaluations)
        box = Box(form, run.x0)
        run.evaluate(run.x0)
        while True:
            run.evaluate_many([box.to_x(u) for u in run.rng.random((self.batch, box.size))])
            run.ready()
