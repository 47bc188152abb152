"""Tune the stiffnesses in a controller's model by moving the robot: every evaluation is a motion of a real machine."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.arrays import finite, is_real, numbers
from optid.brief import brief
from optid.errors import DataError, LimitsError, ShapeError, sentence

from .forms import BlackBox, Residuals

if TYPE_CHECKING:
    from optid.experiment import Trial
    from optid.solvers.solution import Solution

Array = NDArray[np.float64]

_log = logging.getLogger(__name__)

FIRST_STEP = 5.0
"""First steps of the recommended search [%]: the response to them stands clear of the noise, and is still nearly straight."""

SHORTER = 0.05
"""Part of the first run's signal by which that of another may end earlier; the last sample stands for what is missing."""


class Rule(Protocol):
    """How a recording becomes an objective: :class:`~optid.flexibility.TailRule` or :class:`~optid.flexibility.PathRule`."""

    def of_trial(self, trial: Trial) -> tuple[float, Array]:
        """The value, and the signal (K, k) whose size it is."""


class SameClock:
    """A rule whose signals lie on the clock of the first run: no two recordings of a real robot have the same number of samples.

    Parameters
    ----------
    rule : Rule

    Examples
    --------
    >>> import numpy as np
    >>> from optid import Trial
    >>> from optid.flexibility import TailRule
    >>> from optid.problems.flexibility import SameClock
    >>> rule = SameClock(TailRule(0.1, cutoff=20.0))
    >>> runs = [Trial(np.arange(count) / 500, np.zeros((count, 2)), tau=np.ones((count, 2))) for count in (500, 497, 502)]
    >>> [rule.of_trial(run)[1].shape for run in runs]
    [(450, 2), (450, 2), (450, 2)]
    """

    def __init__(self, rule: Rule) -> None:
        self.rule = rule
        self.clock: Array | None = None

    def of_trial(self, trial: Trial) -> tuple[float, Array]:
        """The rule's value, and its signal where the first run was sampled.

        Raises
        ------
        DataError
            The signal ends by more than :data:`SHORTER` of the first one's length too early.
        """
        value, signal = self.rule.of_trial(trial)
        if not hasattr(trial, "time"):
            return value, signal
        time = (trial.time - trial.time[0])[-len(signal) :]
        if self.clock is None:
            self.clock = time
        wanted, length = self.clock, float(np.ptp(self.clock))
        if wanted.shape == time.shape and np.allclose(wanted, time, rtol=0, atol=1e-3 * length / len(wanted)):
            return value, signal
        if time[-1] < wanted[-1] - SHORTER * length:
            found, expected = f"a signal up to {time[-1]:.4g} s", f"{wanted[-1]:.4g} s, as in the first run"
            raise DataError(sentence(f"trial {trial.name!r}", found, expected, "Record every run equally long."))
        return value, np.column_stack([np.interp(wanted, time, column) for column in signal.T])


@dataclass(frozen=True, eq=False)
class FlexibilityTuning:
    """Find the Υ that leave the least vibration.

    Parameters
    ----------
    run : callable
        Υ (n,) [%] of all axes → the :class:`~optid.Trial` recorded. A run that raises, or that the rule cannot judge, counts as failed.
        The motion is the caller's: a point-to-point move in the general tuning, the user's own path in the process tuning.
    rule : Rule
        The objective.
    axes : indices
        Axes whose Υ are searched.
    start : (n,) [%]
        Υ of all axes at the first run; the axes that are not searched keep theirs.
    step : int [%]
        Distance of the grid, counted from ``start``.
    lower, upper : float or (n,) [%]
    signal : bool
        True: give the solver the vibration itself (``Residuals``), which keeps the sign that its size loses; the objective is then its mean square.
        False: give it the rule's number (``BlackBox``).
    names : sequence of str, optional
        Of the n axes.

    Examples
    --------
    ``problem = FlexibilityTuning(robot, rule)``, ``result = optid.solve(problem, budget=15, **problem.recommended)``: see
    ``examples/flexibility_tuning.py``.

    Examples
    --------
    >>> import numpy as np
    >>> import optid
    >>> from optid.problems import FlexibilityTuning
    >>> class Bowl:
    ...     def of_trial(self, upsilon):
    ...         return float(np.sum((upsilon - np.array([94.0, 107.0])) ** 2)), upsilon - np.array([94.0, 107.0])
    >>> optid.solve(FlexibilityTuning(lambda upsilon: upsilon, Bowl()), solver="secant").value
    0.0
    """

    run: Callable[[Array], Trial]
    rule: Rule
    axes: Any = None
    start: Any = (100.0, 100.0)
    step: int = 1
    lower: Any = 80.0
    upper: Any = 120.0
    signal: bool = True
    names: Any = None

    __repr__ = brief

    def __post_init__(self) -> None:
        put = object.__setattr__
        if not callable(self.run) or not callable(getattr(self.rule, "of_trial", None)):
            wrong, wanted = ("run", "a function of Υ") if not callable(self.run) else ("rule", "a TailRule, a PathRule, or one like them")
            raise DataError(sentence(f"{wrong} of a tuning", type(getattr(self, wrong)).__name__, wanted))
        start = np.array(np.atleast_1d(numbers(self.start, "start of a tuning")))
        n = len(start)
        if start.ndim != 1 or not n:
            raise ShapeError(sentence("start of a tuning", f"shape {start.shape}", "(n,), one an axis"))
        axes = _axes(self.axes, n)
        if not is_real(self.step) or not 1 <= self.step < np.inf or int(self.step) != self.step:
            raise LimitsError(sentence("step of a tuning", self.step, "a whole number of percent, 1 or more"))
        low, high = (numbers(getattr(self, what), f"{what} bound of a tuning") for what in ("lower", "upper"))
        if {low.shape, high.shape} - {(), (n,)}:
            raise ShapeError(sentence("bounds of a tuning", f"shapes {low.shape} and {high.shape}", f"numbers, or {n} of them"))
        low, high = np.broadcast_to(low, (n,)), np.broadcast_to(high, (n,))
        bad = [a for a in axes if not 0 < low[a] <= start[a] <= high[a] < np.inf]
        names = _names(self.names, n)
        if bad:
            a = bad[0]
            raise LimitsError(sentence(f"Υ of {names[a]}", f"start {start[a]:g}, bounds {low[a]:g} … {high[a]:g}", "a start between positive bounds"))
        for what, value in {"axes": axes, "start": start, "lower": low, "upper": high, "names": names}.items():
            put(self, what, value)

    @property
    def recommended(self) -> dict[str, Any]:
        """Arguments of ``optid.solve`` for the search to prefer: secant Gauss–Newton on the vibration, with first steps of 5 %."""
        width = float(np.min((self.upper - self.lower)[list(self.axes)]))
        return {"solver": "secant", "step": min(0.5, FIRST_STEP / max(width, 1e-9)), "max_step": 0.5} if self.signal else {"solver": "bayesian"}

    def upsilon(self, x: ArrayLike) -> Array:
        """Υ (n,) [%] of all axes at the grid point x (len(axes),)."""
        percent = np.array(self.start)
        percent[list(self.axes)] += self.step * finite(x, (len(self.axes),), "grid point of a tuning")
        return percent

    def grid_point(self, upsilon: ArrayLike) -> Array:
        """The grid point of Υ (n,)."""
        chosen = list(self.axes)
        return np.asarray((finite(upsilon, (len(self.start),), "Υ of a tuning") - self.start)[chosen] / self.step)

    def form(self) -> BlackBox | Residuals:
        """Pose the problem on whole numbers: steps from ``start``."""
        chosen = list(self.axes)
        rule = self.rule if isinstance(self.rule, SameClock) else SameClock(self.rule)
        common: dict[str, Any] = {
            "lower": np.ceil((self.lower - self.start)[chosen] / self.step - 1e-9),
            "upper": np.floor((self.upper - self.start)[chosen] / self.step + 1e-9),
            "integer": True,
            "noisy": True,
            "x0": np.zeros(len(chosen)),
            "names": [f"upsilon_{self.names[a]}" for a in chosen],
        }

        def measured(x: Array, what: int) -> Any:
            trial = self.run(self.upsilon(x))
            try:
                value, signal = rule.of_trial(trial)
                return signal.ravel() / np.sqrt(signal.size) if what else value
            except DataError as error:
                _log.warning("run with Υ = %s %% counts as failed: %s", self.upsilon(x), error)
                raise

        return Residuals(fun=lambda x: measured(x, 1), **common) if self.signal else BlackBox(fun=lambda x: measured(x, 0), **common)

    def interpret(self, solution: Solution) -> FlexibilityResult:
        """Read the best Υ and the way there."""

        def value(fun: float) -> float:
            return float(np.sqrt(2 * fun)) if self.signal else float(fun)

        runs = tuple(TuningRun(k + 1, tuple(self.upsilon(point.x)), value(point.fun)) for k, point in enumerate(solution.history))
        first = next((run.value for run in runs if np.array_equal(run.upsilon, self.start)), np.nan)
        return FlexibilityResult(self.upsilon(solution.x), value(solution.fun), first, runs, self.names, tuple(self.names[a] for a in self.axes), solution)


def _axes(axes: Any, n: int) -> tuple[int, ...]:
    """Different indices of n axes; all of them by default."""
    chosen = np.arange(n) if axes is None else np.atleast_1d(numbers(axes, "axes of a tuning"))
    if chosen.ndim != 1 or not chosen.size or len(set(chosen)) < chosen.size or not np.all(np.isin(chosen, np.arange(n))):
        raise ShapeError(sentence("axes of a tuning", tuple(chosen.tolist()), f"different numbers from 0 to {n - 1}"))
    return tuple(int(a) for a in chosen)


def _names(names: Any, n: int) -> tuple[str, ...]:
    """Different names of n axes."""
    given = [f"axis{a + 1}" for a in range(n)] if names is None else [names] if isinstance(names, str) else names
    if not isinstance(given, Iterable):
        raise ShapeError(sentence("names of the axes", type(given).__name__, f"{n} names"))
    found = tuple(map(str, given))
    if len(found) != n:
        raise ShapeError(sentence("names of the axes", f"{len(found)} names", f"{n}"))
    if len(set(found)) < n:
        raise ShapeError(sentence("names of the axes", found, "all different"))
    return found


@dataclass(frozen=True)
class TuningRun:
    """One run of the robot: its number, Υ [%], and the value, NaN when it failed."""

    number: int
    upsilon: tuple[float, ...]
    value: float


@dataclass(frozen=True, eq=False)
class FlexibilityResult:
    """What a tuning found.

    Attributes
    ----------
    upsilon : (n,) [%]
        At the best run.
    value : float
        Measured there: the rule's number, or, when the solver saw the vibration itself, its root mean square over time and axes.
    start_value : float
        The same at the start.
    runs : tuple of TuningRun
    names, tuned : tuples of str
        All axes, and those searched.
    solution : Solution

    Examples
    --------
    >>> import numpy as np
    >>> import optid
    >>> from optid.problems import FlexibilityTuning
    >>> class Bowl:
    ...     def of_trial(self, upsilon):
    ...         return float(np.sum((upsilon - np.array([94.0, 107.0])) ** 2)), upsilon - np.array([94.0, 107.0])
    >>> result = optid.solve(FlexibilityTuning(lambda upsilon: upsilon, Bowl()), solver="secant")
    >>> result.upsilon.tolist()
    [94.0, 107.0]
    """

    upsilon: Array
    value: float
    start_value: float
    runs: tuple[TuningRun, ...]
    names: tuple[str, ...]
    tuned: tuple[str, ...]
    solution: Solution

    @property
    def ratio(self) -> float:
        """Vibration that is left, as a part of that at the start."""
        return self.value / self.start_value if self.start_value > 0 else np.nan

    @property
    def n_failed(self) -> int:
        """Runs that gave no number."""
        return sum(not np.isfinite(run.value) for run in self.runs)

    def __repr__(self) -> str:
        return f"FlexibilityResult({self})"

    def _repr_html_(self) -> str:
        from optid.notebook import tuning_html

        return tuning_html(self)

    @property
    def reached(self) -> str:
        """Value, runs, and what is left of the start's, in words."""
        runs = f"{len(self.runs)} run{'s' * (len(self.runs) != 1)}"
        if not np.isfinite(self.value):
            return f"no run gave a number, of {runs}"
        return f"{self.value:.3g} after {runs}" + ("" if np.isnan(self.ratio) else f", {self.ratio:.0%} of the start's {self.start_value:.3g}")

    def __str__(self) -> str:
        best = ", ".join(f"{name} {percent:g} %" for name, percent in zip(self.names, self.upsilon, strict=True) if name in self.tuned)
        return f"{best}: {self.reached}" if np.isfinite(self.value) else self.reached
