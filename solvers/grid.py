"""Exhaustive search on a grid."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, product
from typing import ClassVar

import numpy as np

from optid.errors import UnsuitableSolverError, sentence
from optid.problems.forms import BlackBox

from .base import Outcome
from .box import Box
from .options import check_options
from .run import Run


@dataclass(frozen=True)
class Grid:
    """Every point of a grid, bounds included, the last variable fastest.

    Parameters
    ----------
    points : int
        Points a variable, for continuous problems.
    step : int
        Distance of the points, for integer problems, counted from the lower bound.
    batch : int
        Points evaluated together when there is an executor.
    max_points : int
        A larger grid is refused.
    """

    points: int = 9
    step: int = 1
    batch: int = 64
    max_points: int = 1_000_000

    name: ClassVar[str] = "grid"
    accepts: ClassVar[tuple[type, ...]] = (BlackBox,)
    features: ClassVar[frozenset[str]] = frozenset({"bounds", "linear", "nonlinear", "integer", "noise"})
    search: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_options(self, "points", "step", "batch", "max_points")

    def run(self, form: BlackBox, run: Run) -> Outcome:
        """Solve ``form``."""
        box = Box(form, run.x0)
        axes = self._axes(form, box)
        count = int(np.prod([float(len(axis)) for axis in axes]))
        if count > self.max_points:
            raise UnsuitableSolverError(sentence("grid", f"{count} points", f"at most max_points = {self.max_points}", "Lower points, or raise step."))
        points = self._points(axes, box)
        while batch := list(islice(points, self.batch)):
            run.evaluate_many(batch)
        return Outcome(None, "optimal", f"all {count} points evaluated", info={"axes": axes})

    def _axes(self, form: BlackBox, box: Box) -> list[np.ndarray]:
        """Coordinates of the grid, one array a variable."""
        low, high = box.bounds
        if form.integer:
            return [np.arange(a, b + 0.5, self.step) for a, b in zip(low, high, strict=True)]
        units = np.linspace(0.0, 1.0, max(self.points, 1))
        columns = np.array([box.to_x(np.full(box.size, u)) for u in units])
        return [columns[:, i] if low[i] < high[i] else low[i : i + 1] for i in range(form.size)]

    @staticmethod
    def _points(axes: list[np.ndarray], box: Box) -> Iterator[np.ndarray]:
        for values in product(*axes):
            yield np.array(values)
