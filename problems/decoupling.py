"""Postures in which some axes of an arm do not feel the others, and a plan that tunes many axes a few at a time.

Axis i is decoupled from j when its linearised equation of motion does not contain j. At rest the equation holds j through the mass matrix and through the
change of gravity; gravity counts here as at the frequency of the vibration that is tuned away.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.arrays import finite, numbers
from optid.brief import brief
from optid.errors import LimitsError, RobotError, ShapeError, sentence, unknown_name
from optid.model.arguments import instance, not_negative, positive, real, whole
from optid.solvers.solve import solve

from .checks import vector
from .nlp import Nlp

if TYPE_CHECKING:
    import casadi as ca

    from optid.kernels import Kernel
    from optid.model import DynamicModel
    from optid.solvers.solution import Solution

Array = NDArray[np.float64]

SAMPLES = 2048
"""Postures drawn before the best of them are improved."""
QUARTERS = np.arange(-4, 5) * np.pi / 4
"""Angles that are tried besides: arms decouple where their axes are parallel or perpendicular."""


PLAN_OPTIONS = ("pi", "lower", "upper", "fixed", "move", "frequency")
"""Fields of a :class:`Decoupling` that a plan passes on."""


def coupling_expression(arm: DynamicModel, pi: ArrayLike, frequency: float, q: ca.SX) -> ca.SX:
    """Squares (n, n) of the coupling of axes i and j: ``(M_ij² + (∂G_i/∂q_j / ω²)²) / (M_ii M_jj)``."""
    import casadi as ca

    values = ca.DM(np.asarray(pi, dtype=float))
    M = ca.densify(arm.functions["mass_matrix"](values, q))
    K = ca.densify(ca.jacobian(arm.functions["gravity"](values, q), q)) / (2 * np.pi * frequency) ** 2
    size = ca.diag(M)
    return (M**2 + K**2) / ca.mtimes(size, size.T)


@dataclass(frozen=True, eq=False)
class Decoupling:
    """Find the posture that decouples some axes from all others.

    Parameters
    ----------
    arm : DynamicModel
        The links; friction and rotors do not matter (a rotor sits behind its spring), nor does it whether motors are coupled: Υ_j acts through the torque of
        joint j, which decoupling keeps at rest, whatever the motors do for it.
    axes : indices
        The axes that will move, at most n − 1.
    pi : (p,), optional
        Standard parameters; the robot's own by default.
    lower, upper : (n,) or float, optional [rad]
        Range of the postures; the robot's limits, or ±π where it has none.
    fixed : mapping index → angle, optional [rad]
        Axes that stand where they are.
    move : float [rad]
        Length of the move on each of the axes; the coupling is looked at where it starts and where it ends.
    frequency : float [Hz]
        Of the vibration.
    x0 : (n,), optional [rad]

    Examples
    --------
    >>> import optid
    >>> from optid import DynamicModel, library
    >>> from optid.problems import Decoupling
    >>> result = optid.solve(Decoupling(DynamicModel(library.irb140_lower_arm(), friction="none"), axes=[0]))
    >>> result.axes, result.coupling.shape
    ((0,), (3, 3))
    """

    arm: DynamicModel
    axes: Any
    pi: Any = None
    lower: Any = None
    upper: Any = None
    fixed: Any = None
    move: float = 0.1
    frequency: float = 10.0
    x0: Any = None

    __repr__ = brief

    def __post_init__(self) -> None:
        from optid.model import DynamicModel

        instance(self.arm, DynamicModel, "arm to decouple", "Make one: DynamicModel(robot).")
        put, n = object.__setattr__, self.arm.n
        chosen = finite(np.atleast_1d(numbers(self.axes, "axes to decouple")), (None,), "axes to decouple")
        axes = tuple(sorted({whole(a, "axes to decouple", -n, f"numbers from 0 to {n - 1}") for a in chosen}))
        if not axes or axes[0] < 0 or axes[-1] >= n or len(axes) >= n:
            raise ShapeError(sentence("axes to decouple", axes, f"1 to {n - 1} different numbers from 0 to {n - 1}"))
        put(self, "axes", axes)
        # a rotor sits behind its spring: what couples are the links alone
        links = DynamicModel(self.arm.robot, ())
        given = self.arm.nominal_parameters() if self.pi is None else finite(self.pi, (self.arm.p,), "pi of a decoupling")
        put(self, "arm", links)
        put(self, "pi", given[: links.p])
        not_negative(self.move, "move of a decoupling", "a length, 0 or more [rad]")
        positive(self.frequency, "frequency of a decoupling", "a frequency above 0 [Hz]")
        M = self.arm.mass_matrix(self.pi, np.full(n, 0.3))
        if not np.all(np.diag(M) > 0):
            axis = self.arm.robot.joint_names[int(np.argmin(np.diag(M)))]
            raise RobotError(sentence(f"axis {axis!r} of robot {self.arm.robot.name!r}", "it moves no inertia", "links with mass"))
        limits = self.arm.robot.limits
        low = np.where(np.isfinite(limits.lower), limits.lower, -np.pi) if self.lower is None else self.lower
        high = np.where(np.isfinite(limits.upper), limits.upper, np.pi) if self.upper is None else self.upper
        low, high = (np.array(vector(bound, n, what)) for bound, what in ((low, "lower"), (high, "upper")))
        instance({} if self.fixed is None else self.fixed, Mapping, "fixed axes of a decoupling", "Such as {5: 0.0}.")
        for axis, angle in (self.fixed or {}).items():
            if isinstance(axis, bool) or axis not in range(n):
                raise ShapeError(sentence("fixed axes of a decoupling", axis, f"numbers from 0 to {n - 1}"))
            low[int(axis)] = high[int(axis)] = real(angle, f"angle of axis {axis}")
        high = high - self.shift
        if not np.all((low <= high) & np.isfinite(low) & np.isfinite(high)):
            raise LimitsError(sentence("range of the postures", f"{low} … {high + self.shift}", "finite bounds with room for the move"))
        put(self, "lower", low)
        put(self, "upper", high)
        put(self, "x0", None if self.x0 is None else finite(self.x0, (n,), "x0 of a decoupling"))

    @property
    def shift(self) -> Array:
        """The move (n,) [rad]."""
        return np.where(np.isin(np.arange(self.arm.n), self.axes), self.move, 0.0)

    def coupling(self, postures: ArrayLike) -> Array:
        """Coupling (N, n, n), 0 … 1, of moves that start at the postures (N, n): the larger one of both ends."""
        q = finite(np.atleast_2d(numbers(postures, "postures of a decoupling")), (None, self.arm.n), "postures of a decoupling")
        return np.sqrt(np.maximum(self._squares(q), self._squares(q + self.shift)))

    @cached_property
    def _squares(self) -> Kernel:
        import casadi as ca

        from optid.kernels import Kernel

        q = ca.SX.sym("q", self.arm.n)
        return Kernel(ca.Function("coupling", [q], [coupling_expression(self.arm, self.pi, self.frequency, q)], ["q"], ["c"]))

    def form(self) -> Nlp:
        """Least sum of the squared couplings between the axes and the others."""
        import casadi as ca

        q = ca.SX.sym("q", self.arm.n)
        squares = self._squares.function
        c = squares(q) + squares(q + ca.DM(self.shift))
        others = [j for j in range(self.arm.n) if j not in self.axes]
        total = sum((c[i, j] for i in self.axes for j in others), ca.SX(0))
        return Nlp(q, total, lbx=self.lower, ubx=self.upper, x0=self.x0, names=self.arm.robot.joint_names)

    def interpret(self, solution: Solution) -> DecouplingResult:
        """Posture and what coupling is left."""
        posture = np.array(solution.x)
        return DecouplingResult(self.axes, posture, self.coupling(posture)[0], self.arm.robot.joint_names, solution)


@dataclass(frozen=True, eq=False)
class DecouplingResult:
    """A posture.

    Attributes
    ----------
    axes : indices of the axes that move
    posture : (n,) [rad]
    coupling : (n, n)
        0 … 1, the larger one of both ends of the move.
    names : n-tuple of str
    solution : Solution

    Examples
    --------
    >>> import optid
    >>> from optid import DynamicModel, library
    >>> from optid.problems import Decoupling
    >>> result = optid.solve(Decoupling(DynamicModel(library.irb140_lower_arm(), friction="none"), axes=[0]))
    >>> result.posture.shape
    (3,)
    """

    axes: tuple[int, ...]
    posture: Array
    coupling: Array
    names: tuple[str, ...]
    solution: Solution

    __repr__ = brief

    @property
    def left(self) -> float:
        """Largest coupling between an axis that moves and one that stands."""
        return residual_coupling(self.coupling, self.axes)


def residual_coupling(coupling: Array, axes: Sequence[int]) -> Any:
    """Largest coupling (...) between ``axes`` and the others, of matrices (..., n, n)."""
    others = [j for j in range(coupling.shape[-1]) if j not in axes]
    return coupling[..., list(axes), :][..., others].max(axis=(-2, -1))


@dataclass(frozen=True, eq=False)
class Stage:
    """One subproblem of a plan.

    Attributes
    ----------
    moving : tuple of int
        Axes that move.
    new : tuple of int
        Those of them that are tuned here; the others were tuned before.
    posture : (n,) [rad]
        Where the others stand, and the move starts.
    left : float
        Coupling that is left between moving and standing axes.
    """

    moving: tuple[int, ...]
    new: tuple[int, ...]
    posture: Array
    left: float


@dataclass(frozen=True, eq=False)
class DecouplingPlan:
    """Subproblems in their order, after which every axis is tuned.

    Attributes
    ----------
    stages : tuple of Stage
    names : n-tuple of str
    tolerance : float
        Coupling that was to be reached.
    revolute : n-tuple of bool
        Whether an axis turns, by radians, or slides, by metres.

    Examples
    --------
    >>> from optid import DynamicModel, library
    >>> from optid.problems import decoupling_plan
    >>> plan = decoupling_plan(DynamicModel(library.irb140_lower_arm(), friction="none"))
    >>> [stage.new for stage in plan.stages], plan.stages[2].moving
    ([(0,), (1,), (2,)], (1, 2))
    """

    stages: tuple[Stage, ...]
    names: tuple[str, ...]
    tolerance: float
    revolute: tuple[bool, ...]

    @property
    def decoupled(self) -> bool:
        """Whether every subproblem is decoupled to the tolerance."""
        return all(stage.left <= self.tolerance for stage in self.stages)

    def __str__(self) -> str:
        lines = []
        for k, stage in enumerate(self.stages):
            places = zip(self.names, stage.posture, self.revolute, strict=True)
            stand = ", ".join(f"{name} {np.degrees(q):.0f}°" if turns else f"{name} {q:.3f} m" for name, q, turns in places)
            tuned = ", ".join(self.names[a] for a in stage.new)
            move = ", ".join(self.names[a] for a in stage.moving)
            mark = "" if stage.left <= self.tolerance else "  (coupled)"
            lines.append(f"{k + 1}. tune {tuned}: move {move} at {stand}; coupling left {stage.left:.3f}{mark}")
        return "\n".join(lines)


def decoupling_plan(arm: DynamicModel, largest: int = 3, tolerance: float = 0.05, seed: int = 0, **options: Any) -> DecouplingPlan:
    """Split the tuning of all axes of an arm into subproblems of at most ``largest`` axes.

    Every stage tunes as few new axes as possible, with as few axes moving as possible: an axis moves with axes tuned before only where it cannot be decoupled
    from them. Postures come from a scan of the range, and the chosen ones are improved as :class:`Decoupling` problems.

    Parameters
    ----------
    tolerance : float
        Coupling that counts as none.
    **options
        ``pi``, ``lower``, ``upper``, ``fixed``, ``move``, ``frequency`` of :class:`Decoupling`.

    Examples
    --------
    >>> from optid import DynamicModel, library
    >>> from optid.problems import decoupling_plan
    >>> decoupling_plan(DynamicModel(library.irb140_lower_arm(), friction="none")).decoupled
    True
    """
    from optid.model import DynamicModel

    instance(arm, DynamicModel, "arm of a plan", "Make one: DynamicModel(robot).")
    whole(largest, "largest subproblem of a plan", 1, "a whole number of axes, 1 or more")
    positive(tolerance, "tolerance of a plan", "a coupling above 0")
    seed = whole(seed, "seed of a plan")
    for name in options.keys() - set(PLAN_OPTIONS):
        raise unknown_name("option of a plan", name, PLAN_OPTIONS)
    n, robot = arm.n, arm.robot
    revolute = tuple(robot.joints[i].revolute for i in robot.independent)
    if n == 1:
        return DecouplingPlan((Stage((0,), (0,), np.zeros(1), 0.0),), robot.joint_names, tolerance, revolute)
    found: dict[tuple[int, ...], tuple[float, Array]] = {}
    for size in range(1, min(largest, n) + 1):
        for axes in combinations(range(n), size):
            if size == n:
                found[axes] = (0.0, np.zeros(n))
                continue
            problem = Decoupling(arm, axes, **options)
            postures = _postures(problem, seed)
            left = residual_coupling(problem.coupling(postures), axes)
            best = int(np.argmin(left))
            found[axes] = (float(left[best]), postures[best])
            if tolerance < found[axes][0] < 4 * tolerance:
                found[axes] = _improved(arm, axes, found[axes], options, seed)
    tuned: set[int] = set()
    stages = []
    while len(tuned) < n:
        open_ = [axes for axes in found if set(axes) - tuned]
        good = [axes for axes in open_ if found[axes][0] <= tolerance] or [min(open_, key=lambda axes: found[axes][0])]
        axes = min(good, key=lambda axes: (len(set(axes) - tuned), len(axes), found[axes][0]))
        left, posture = _improved(arm, axes, found[axes], options, seed) if len(axes) < n else found[axes]
        stages.append(Stage(axes, tuple(sorted(set(axes) - tuned)), posture, left))
        tuned |= set(axes)
    return DecouplingPlan(tuple(stages), robot.joint_names, tolerance, revolute)


def _improved(arm: DynamicModel, axes: tuple[int, ...], known: tuple[float, Array], options: dict[str, Any], seed: int) -> tuple[float, Array]:
    """The better of a known posture and the one that the problem's solver reaches from it."""
    found = solve(Decoupling(arm, axes, x0=known[1], **options), solver="ipopt", seed=seed, on_failure="return")
    return (found.left, found.posture) if found.left < known[0] else known


def _postures(problem: Decoupling, seed: int) -> Array:
    """Candidates (N, n) in the range: drawn uniformly, and from eighths of a turn."""
    rng = np.random.default_rng(seed)
    low, high, n = problem.lower, problem.upper, problem.arm.n
    drawn = low + rng.random((SAMPLES, n)) * (high - low)
    turns = rng.choice(QUARTERS, (SAMPLES, n))
    inside = np.all((turns >= low - 1e-9) & (turns <= high + 1e-9), axis=1)
    return np.vstack([drawn, turns[inside], np.clip(turns[~inside], low, high)])
