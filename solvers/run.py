"""One run of a solver: counts evaluations, remembers the best feasible point, and stops when asked."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

import numpy as np

from optid.errors import OptidError
from optid.problems.forms import BlackBox, Form

from .solution import Iterate, better

Callback = Callable[[Iterate], Any]


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
    executor : concurrent.futures.Executor or None
        For solvers that evaluate batches.
    index : int
        Number of the multistart run.
    """

    form: Form
    x0: np.ndarray
    rng: np.random.Generator
    budget: int | None = None
    callback: Callback | None = None
    executor: Any = None
    index: int = 0
    history: list[Iterate] = field(default_factory=list)
    n_evaluations: int = 0
    n_failed: int = 0
    best: Iterate | None = None
    stop: str = ""
    interrupted: bool = False
    started: float = field(default_factory=perf_counter)

    def seed(self) -> int:
        """A seed below 2³² for backends with their own generator."""
        return int(self.rng.integers(2**32 - 1))

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
            except KeyboardInterrupt:
                self.stop, self.interrupted = "stopped", True
        return bool(self.stop)

    def evaluate(self, x: np.ndarray) -> float:
        """Evaluate the black box at ``x`` (n,) and remember it; a failed evaluation is infinite.

        A point that violates an implicit constraint is not evaluated; it is infinite too, and :meth:`penalised` tells how far away it is.

        Raises
        ------
        StopSearch
            Before an evaluation beyond the budget, and after the callback asked to stop.
        """
        return self.measure(x)[0]

    def measure(self, x: np.ndarray) -> tuple[float, float]:
        """Evaluate as :meth:`evaluate` does; return value and violation."""
        if self.stop:
            raise StopSearch
        if self.left <= 0:
            self.stop = "budget"
            raise StopSearch
        value, violation = measure(self.form, x)
        self.record(x, value, violation)
        return (value if math.isfinite(value) else math.inf), violation

    def record(self, x: np.ndarray, value: float, violation: float) -> None:
        """Count and remember an evaluation made elsewhere (in a worker)."""
        self.n_evaluations += 1
        value = value if math.isfinite(value) else math.nan
        if math.isnan(value) and not violation > 0:
            self.n_failed += 1
        if self.note(x, value, violation):
            raise StopSearch

    def penalised(self, x: np.ndarray) -> float:
        """One finite number for backends without implicit constraints: feasible points by their value, all others worse, by their violation."""
        value, violation = self.measure(x)
        if math.isfinite(value) and not violation > 0:
            return value
        return 1e10 * (1.0 + min(violation, 1e10)) if violation > 0 else 1e25


def measure(form: Form, x: np.ndarray) -> tuple[float, float]:
    """Violation and value of a black box at ``x``; never raises for what the user's functions do, except optid's own errors."""
    if not isinstance(form, BlackBox):
        return form.evaluate(x)
    try:
        violation = form.implicit(x)
        if not violation <= 0:
            return math.nan, violation if math.isfinite(violation) else math.inf
        return form.value(x), 0.0
    except OptidError:
        raise
    except Exception:  # a failed experiment or simulation is a failed evaluation, whatever it raised
        return math.nan, 0.0
