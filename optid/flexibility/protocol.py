"""Tune one axis after the other, three runs each, where the moves decouple them.

With the two-axis robot: at the zero posture a "+-" move shows the first Υ alone (J23 = J33 there, whatever the parameters), and a "++" move then shows the
second.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.errors import UnsuitableSolverError, sentence
from optid.problems.flexibility import FlexibilityTuning, Rule, TuningRun
from optid.problems.forms import BlackBox
from optid.solvers import solve
from optid.solvers.base import Outcome

if TYPE_CHECKING:
    from optid.experiment import Trial
    from optid.solvers.run import Run

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Parabola:
    """Solver object for one variable: three points, and the vertex of the parabola through the **squares** of their values.

    The size of a vibration is about c |Υ − Υ*|, so its square is a parabola. The vertex is not evaluated; it is ``solution.info["vertex"]``.

    Parameters
    ----------
    width : float
        Distance of the outer points from the start.
    """

    width: float = 10.0

    name: ClassVar[str] = "parabola"
    accepts: ClassVar[tuple[type, ...]] = (BlackBox,)
    features: ClassVar[frozenset[str]] = frozenset({"bounds", "integer", "noise"})
    search: ClassVar[bool] = True

    def run(self, form: BlackBox, run: Run) -> Outcome:
        """Solve ``form``."""
        if form.size != 1:
            raise UnsuitableSolverError(sentence("solver 'parabola'", f"{form.size} variables", "one"))
        points = [form.snap(run.x0 + side * self.width) for side in (0.0, -1.0, 1.0)]
        x = np.array([float(point[0]) for point in points])
        values = np.array([run.evaluate(point)[0] for point in points])
        if not np.all(np.isfinite(values)) or len(set(x)) < 3:
            return Outcome(None, "failed", "three runs that succeed, at three different points, are needed")
        bend, slope, _ = np.polyfit(x - x[0], values**2, 2)
        if bend <= 0:
            return Outcome(None, "failed", "the squares of the three values have no minimum: this move does not show this variable")
        vertex = float(np.clip(x[0] - slope / (2 * bend), form.lower[0], form.upper[0]))
        return Outcome(None, "optimal", "vertex of a parabola", info={"vertex": vertex})


@dataclass(frozen=True, eq=False)
class Stage:
    """One axis and a motion that shows its Υ alone, or together with axes tuned before.

    Attributes
    ----------
    axis : int
    run : callable
        Υ (n,) [%] → Trial.
    rule : Rule
    """

    axis: int
    run: Callable[[Array], Trial]
    rule: Rule


@dataclass(frozen=True, eq=False)
class ProtocolResult:
    """Υ (n,) [%] found, on the grid, and all runs in their order."""

    upsilon: Array
    runs: tuple[TuningRun, ...]


def axis_by_axis(stages: Sequence[Stage], start: ArrayLike = (100.0, 100.0), width: float = 10.0, step: int = 1, **limits: Any) -> ProtocolResult:
    """Three runs an axis; every stage keeps what the stages before it found.

    Parameters
    ----------
    width : float [%]
        Distance of the outer runs.
    step : int [%]
        Grid on which the vertices are put.
    **limits
        ``lower`` and ``upper`` of :class:`~optid.problems.FlexibilityTuning`.

    Raises
    ------
    SolveError
        A move does not show its axis.

    Examples
    --------
    >>> import numpy as np
    >>> from optid.flexibility import axis_by_axis
    >>> from optid.flexibility.protocol import Stage
    >>> class Bowl:
    ...     def of_trial(self, upsilon):
    ...         return float(np.hypot(*(upsilon - np.array([94.0, 107.0])))), upsilon
    >>> axis_by_axis([Stage(0, lambda u: u, Bowl()), Stage(1, lambda u: u, Bowl())]).upsilon.tolist()
    [94.0, 107.0]
    """
    upsilon = np.array(start, dtype=float)
    runs: list[TuningRun] = []
    for stage in stages:
        problem = FlexibilityTuning(stage.run, stage.rule, (stage.axis,), upsilon, step, signal=False, **limits)
        found = solve(problem, solver=Parabola(width / step))
        runs += [TuningRun(len(runs) + k + 1, run.upsilon, run.value) for k, run in enumerate(found.runs)]
        upsilon = problem.upsilon([np.rint(found.solution.info["vertex"])])
    return ProtocolResult(upsilon, tuple(runs))
