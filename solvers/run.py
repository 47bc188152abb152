"""One run of a solver: counts evaluations, remembers the best feasible point, and stops when asked."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

import numpy as np

from optid.problems.forms import BlackBox, Form, Residuals

from .measure import Workers, measure, residual
from .solution import Iterate, better

logger = logging.getLogger(__name__)

Callback = Callable[[Iterate], Any]

FROZEN = 200
"""Known points in a row after which a search on a grid is ended: it has nothing new to ask."""


class StopSearch(Exception):
    """Raised out of an objective to end a backend; never leaves optid."""


@dataclass(eq=False)
class Run:
    """What a solver gets besides the form.

    Attributes
    ----------
    form : Form
    x0 : (n,) array
        Start, inside the bounds.
    rng : numpy Generator
        The only source of randomness.
    budget : int or None
        Largest number of evaluations (iterations for solvers with derivatives).
    callback : callable or None
        Gets every :class:`Iterate`; returning True stops the run.
    workers : Workers or None
        For solvers that evaluate batches.
    index : int
        Number of the multistart run.
    memory : bool
        Points that were evaluated before are not evaluated again (set for integer forms; the budget counts evaluations only).

    Examples
    --------
    >>> import numpy as np
    >>> from optid.problems import BlackBox
    >>> from optid.solvers import Run
    >>> form = BlackBox(lambda x: float(x @ x), lower=[-1, -1], upper=[1, 1])
    >>> run = Run(form, np.zeros(2), np.random.default_rng(0), budget=5)
    >>> run.evaluate(np.array([0.6, 0.8])), run.left
    ((1.0, 0.0), 4)
    """

    form: Form
    x0: np.ndarray
    rng: np.random.Generator
    budget: int | None = None
    callback: Callback | None = None
    workers: Workers | None = None
    index: int = 0
    memory: bool = False
    history: list[Iterate] = field(default_factory=list)
    known: dict[tuple[float, ...], tuple[float, float]] = field(default_factory=dict)
    n_evaluations: int = 0
    n_failed: int = 0
    n_repeats: int = 0
    best: Iterate | None = None
    stop: str = ""
    error: BaseException | None = None
    last_failure: str = ""
    length: int = 0
    started: float = field(default_factory=perf_counter)

    def seed(self) -> int:
        """A seed below 2³² for backends with their own generator."""
        return int(self.rng.integers(2**32 - 1))

    def limit(self, evaluations: int | None) -> None:
        """Use the solver's own limit where the caller gave no budget."""
        if self.budget is None and evaluations is not None:
            self.budget = int(evaluations)

    @property
    def left(self) -> float:
        """Evaluations left."""
        return math.inf if self.budget is None else self.budget - self.n_evaluations

    def note(self, x: np.ndarray, fun: float, violation: float) -> bool:
        """Remember one point; return True when the run has to end."""
        point = Iterate(len(self.history) + 1, tuple(map(float, x)), float(fun), float(violation), self.index)
        self.history.append(point)
        if self.best is None or better(point.fun, point.violation, self.best.fun, self.best.violation):
            self.best = point
        if self.callback is not None:
            try:
                if self.callback(point):
                    self.stop = self.stop or "stopped"
            except BaseException as error:  # it must not cross the frames of a backend; solve() raises it again
                self.stop, self.error = "stopped", error
        return bool(self.stop)

    def ready(self) -> None:
        """Raise :class:`StopSearch` when no further evaluation is allowed."""
        if not self.stop and self.left <= 0:
            self.stop = "budget"
        if self.stop:
            raise StopSearch

    def record(self, x: np.ndarray, value: float, violation: float, failure: str = "") -> None:
        """Count and remember one evaluation; NaN and infinite values of feasible points count as failed."""
        self.n_evaluations += 1
        if not math.isfinite(value):
            value = math.nan
            self.n_failed += not violation > 0
            self.last_failure = failure or self.last_failure
            logger.info("evaluation %d failed at %s: %s", self.n_evaluations, x, failure or "no number")
        if self.memory:
            self.known[tuple(map(float, x))] = (value, violation)
            self.n_repeats = 0
        if self.note(x, value, violation):
            raise StopSearch

    def evaluate(self, x: np.ndarray) -> tuple[float, float]:
        """Value and violation at the point nearest to ``x`` (n,) that may be evaluated.

        A failed evaluation is infinite, and so is a point that violates an implicit constraint: it is not evaluated.

        Raises
        ------
        StopSearch
            Before an evaluation beyond the budget, and when the callback asked to stop.
        """
        x = self.form.snap(x)
        value, violation = self._remembered(x)
        if math.isnan(violation):
            self.ready()
            value, violation, failure = measure(self._black_box, x)
            self.record(x, value, violation, failure)
        return (value if math.isfinite(value) else math.inf), violation

    def evaluate_many(self, points: Sequence[np.ndarray]) -> list[tuple[float, float]]:
        """:meth:`evaluate` for a batch, in the workers when there are any; recorded in the order of ``points``."""
        if self.workers is None or self.memory:
            return [self.evaluate(x) for x in points]
        self.ready()
        allowed = [self.form.snap(x) for x in points[: int(min(self.left, len(points)))]]
        results = []
        for x, (value, violation, failure) in zip(allowed, self.workers.measure(self._black_box, allowed), strict=True):
            self.record(x, value, violation, failure)
            results.append((value if math.isfinite(value) else math.inf, violation))
        if len(allowed) < len(points):
            self.ready()
        return results

    def residual(self, x: np.ndarray) -> np.ndarray | None:
        """Residual vector of a ``Residuals`` form at ``x``; ``None`` when the evaluation failed."""
        x = self.form.snap(x)
        self.ready()
        assert isinstance(self.form, Residuals)
        vector, failure = residual(self.form, x)
        if vector is not None:
            self.length = self.length or vector.size
            if (size := vector.size) != self.length:
                vector, failure = None, f"ShapeError: a vector of {size} numbers after one of {self.length}"
        self.record(x, math.nan if vector is None else float(0.5 * vector @ vector), 0.0, failure)
        return vector

    def penalised(self, x: np.ndarray) -> float:
        """:meth:`evaluate` as one finite number for backends that compare values only."""
        return penalty(*self.evaluate(x))

    @property
    def _black_box(self) -> BlackBox:
        assert isinstance(self.form, BlackBox)
        return self.form

    def _remembered(self, x: np.ndarray) -> tuple[float, float]:
        """A known value and violation, NaN for a new point; ends a search that only asks for known points."""
        found = self.known.get(tuple(map(float, x))) if self.memory else None
        if found is None:
            return math.nan, math.nan
        self.n_repeats += 1
        if self.n_repeats >= FROZEN:
            self.stop = self.stop or "known"
            raise StopSearch
        return found


def penalty(value: float, violation: float) -> float:
    """Feasible points by their value; points that violate a constraint, by their violation, and failed ones above all of them."""
    if violation > 0:
        return 1e10 * (1.0 + min(violation, 1e3))
    return min(value, 1e15)
