"""Tune one axis after the other, three runs each, where the moves decouple them.

With the two-axis robot: at the zero posture a "+-" move shows the first Υ alone (J23 = J33 there, whatever the parameters), and a "++" move then shows the
second.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.arrays import numbers
from optid.errors import DataError, UnsuitableSolverError, sentence, unknown_name
from optid.model.arguments import positive, real
from optid.problems.flexibility import FlexibilityTuning, Rule, TuningRun
from optid.problems.forms import BlackBox
from optid.solvers import solve
from optid.solvers.base import Outcome

if TYPE_CHECKING:
    from optid.experiment import Trial
    from optid.solvers.run import Run

Array = NDArray[np.float64]


POWERS = {"frequency": -2.0, "stiffness": -1.0}
"""The power of Υ that a spring's compliance goes with, for each law of :class:`~optid.flexibility.feedforward.Feedforward`."""


@dataclass(frozen=True)
class Parabola:
    """Solver object for one variable: three points, and the vertex of the parabola through the **squares** of their values.

    What a feedforward with a wrong stiffness leaves is proportional to the error of the compliance, so that the size of a vibration is about c |Υ⁻² − Υ*⁻²|
    and its square a parabola in Υ⁻². (In Υ itself the parabola leans: a stiffness that is too low hurts more than one too high.) The vertex is not evaluated;
    it is ``solution.info["vertex"]``.

    Parameters
    ----------
    width : float
        Distance of the outer points from the start.
    origin, power : float
        The parabola is one in (origin + x) to this power; in x itself by default.

    Examples
    --------
    >>> import optid
    >>> from optid.flexibility.protocol import Parabola
    >>> from optid.problems import BlackBox
    >>> problem = BlackBox(lambda x: abs(1e4 / (100 + x[0]) ** 2 - 1e4 / 94**2), lower=[-20], upper=[20], x0=[0])
    >>> round(optid.solve(problem, solver=Parabola(10.0, origin=100.0, power=-2.0)).info["vertex"], 6)
    -6.0
    """

    width: float = 10.0
    origin: float = 0.0
    power: float = 1.0

    name: ClassVar[str] = "parabola"
    accepts: ClassVar[tuple[type, ...]] = (BlackBox,)
    features: ClassVar[frozenset[str]] = frozenset({"bounds", "integer", "noise"})
    search: ClassVar[bool] = True

    def __post_init__(self) -> None:
        positive(self.width, "width of a parabola", "a positive number")
        for what in ("origin", "power"):
            if not np.isfinite(real(getattr(self, what), f"{what} of a parabola")) or (what == "power" and self.power == 0):
                raise DataError(sentence(f"{what} of a parabola", getattr(self, what), "a finite number" + ", not 0" * (what == "power")))

    def run(self, form: BlackBox, run: Run) -> Outcome:
        """Solve ``form``."""
        if form.size != 1:
            raise UnsuitableSolverError(sentence("solver 'parabola'", f"{form.size} variables", "one"))
        points = [form.snap(run.x0 + side * self.width) for side in (0.0, -1.0, 1.0)]
        x = np.array([float(point[0]) for point in points])
        if np.any(self.origin + x <= 0) and self.power != 1:
            raise UnsuitableSolverError(sentence("solver 'parabola'", f"points {x} from an origin of {self.origin:g}", "points above 0 from there"))
        values = np.array([run.evaluate(point)[0] for point in points])
        if not np.all(np.isfinite(values)) or len(set(x)) < 3:
            return Outcome(None, "failed", "three runs that succeed, at three different points, are needed")
        bent = (self.origin + x) ** self.power
        size = float(np.ptp(bent))
        top = float(np.max(np.abs(values))) or 1.0
        bend, slope, _ = np.polyfit((bent - bent[0]) / size, (values / top) ** 2, 2)
        if bend <= 1e-12:
            return Outcome(None, "failed", "the squares of the three values have no minimum: this move does not show this variable")
        vertex = bent[0] - size * slope / (2 * bend)
        if self.power != 1:
            vertex = max(vertex, 1e-12 * size)
        vertex = vertex ** (1 / self.power) - self.origin
        return Outcome(None, "optimal", "vertex of a parabola", info={"vertex": float(np.clip(vertex, form.lower[0], form.upper[0]))})


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


def axis_by_axis(
    stages: Sequence[Stage],
    start: ArrayLike = (100.0, 100.0),
    width: float = 10.0,
    step: int = 1,
    lower: ArrayLike = 80.0,
    upper: ArrayLike = 120.0,
    law: str = "frequency",
) -> ProtocolResult:
    """Three runs an axis; every stage keeps what the stages before it found.

    Parameters
    ----------
    width : float [%]
        Distance of the outer runs; a wider one is told better from noise.
    step : int [%]
        Grid on which the vertices are put.
    lower, upper : floats or (n,) [%]
    law : "frequency" or "stiffness"
        What Υ scales in the controller, see :class:`~optid.flexibility.feedforward.Feedforward`.

    Raises
    ------
    SolveError
        A move does not show its axis.

    Examples
    --------
    >>> import numpy as np
    >>> from optid.flexibility import axis_by_axis
    >>> from optid.flexibility.protocol import Stage
    >>> class Compliance:
    ...     def of_trial(self, upsilon):
    ...         wrong = upsilon**-2.0 - np.array([94.0, 107.0]) ** -2.0
    ...         return float(np.linalg.norm(wrong)), wrong
    >>> axis_by_axis([Stage(0, lambda u: u, Compliance()), Stage(1, lambda u: u, Compliance())]).upsilon.tolist()
    [94.0, 107.0]
    """
    if law not in list(POWERS):
        raise unknown_name("law of stiffness tuning", law, POWERS)
    if not isinstance(stages, Sequence) or not stages or not all(isinstance(stage, Stage) for stage in stages):
        raise DataError(sentence("stages of a protocol", repr(stages)[:60], "a sequence of Stage, one at least"))
    positive(width, "width of a protocol", "percent, above 0")
    upsilon = np.atleast_1d(numbers(start, "start of a protocol"))
    runs: list[TuningRun] = []
    for stage in stages:
        problem = FlexibilityTuning(stage.run, stage.rule, (stage.axis,), upsilon, step, lower, upper, signal=False)
        found = solve(problem, solver=Parabola(width / step, float(upsilon[stage.axis]) / step, POWERS[law]))
        runs += [TuningRun(len(runs) + k + 1, run.upsilon, run.value) for k, run in enumerate(found.runs)]
        upsilon = problem.upsilon([np.rint(found.solution.info["vertex"])])
    return ProtocolResult(upsilon, tuple(runs))
