"""Postures in which some axes of an arm do not feel the others.

Axis i is decoupled from j when its linearised equation of motion does not contain j. At rest the equation holds j through the mass matrix and through the
change of gravity; gravity counts here as at the frequency of the vibration that is tuned away.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.arrays import finite, numbers
from optid.brief import brief
from optid.errors import LimitsError, RobotError, ShapeError, sentence
from optid.model.arguments import instance, not_negative, positive, real, whole

from .checks import vector
from .nlp import Nlp

if TYPE_CHECKING:
    import casadi as ca

    from optid.kernels import Kernel
    from optid.model import DynamicModel
    from optid.robot import Robot
    from optid.solvers.solution import Solution

Array = NDArray[np.float64]

MOVE = 0.1
"""Usual length of a move [rad]."""


def coupling_expression(arm: DynamicModel, pi: ArrayLike, frequency: float, q: ca.SX) -> ca.SX:
    """Squares (n, n) of the coupling of axes i and j: ``(M_ij² + (∂G_i/∂q_j / ω²)²) / (M_ii M_jj)``."""
    import casadi as ca

    values = ca.DM(np.asarray(pi, dtype=float))
    M = ca.densify(arm.functions["mass_matrix"](values, q))
    K = ca.densify(ca.jacobian(arm.functions["gravity"](values, q), q)) / (2 * np.pi * frequency) ** 2
    size = ca.diag(M)
    return (M**2 + K**2) / ca.mtimes(size, size.T)


def links_of(arm: DynamicModel, pi: Any) -> tuple[DynamicModel, Array]:
    """The arm without friction and rotors, and its parameters: a rotor sits behind its spring, what couples are the links alone."""
    given = arm.nominal_parameters() if pi is None else finite(pi, (arm.p,), "pi of a decoupling")
    links = arm if not (arm.friction or arm.rotor_inertia or arm.basis) else replace(arm, friction=(), rotor_inertia=False, basis=())
    return links, given[: links.p]


def posture_range(robot: Robot, lower: Any, upper: Any, fixed: Any, shift: Array) -> tuple[Array, Array]:
    """Lowest and highest postures (n,) from which a move by ``shift`` (n,) stays in the range; see :class:`Decoupling`."""
    n, limits = robot.n, robot.limits
    low = np.where(np.isfinite(limits.lower), limits.lower, -np.pi) if lower is None else lower
    high = np.where(np.isfinite(limits.upper), limits.upper, np.pi) if upper is None else upper
    low, high = (np.array(vector(bound, n, what)) for bound, what in ((low, "lower"), (high, "upper")))
    for axis, angle in fixed_axes(fixed, n).items():
        if angle < low[axis] or angle > high[axis]:
            raise LimitsError(sentence(f"fixed place of {robot.joint_names[axis]}", f"{angle:.4g}", f"{low[axis]:.4g} to {high[axis]:.4g}, its range"))
        low[axis] = high[axis] = angle
    if not np.all((low + shift <= high) & np.isfinite(low) & np.isfinite(high)):
        raise LimitsError(sentence("range of the postures", f"{low} … {high}", "finite bounds with room for the move"))
    return low, high - shift


def fixed_axes(fixed: Any, n: int) -> dict[int, float]:
    """Angles of the axes that stand where they are."""
    instance({} if fixed is None else fixed, Mapping, "fixed axes of a decoupling", "Such as {5: 0.0}.")
    found = {}
    for axis, angle in (fixed or {}).items():
        if isinstance(axis, bool) or axis not in range(n):
            raise ShapeError(sentence("fixed axes of a decoupling", axis, f"numbers from 0 to {n - 1}"))
        found[int(axis)] = real(angle, f"angle of axis {axis}")
    return found


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
    move: float = MOVE
    frequency: float = 10.0
    x0: Any = None

    __repr__ = brief

    def __post_init__(self) -> None:
        from optid.model import DynamicModel

        instance(self.arm, DynamicModel, "arm to decouple", "Make one: DynamicModel(robot).")
        put, n = object.__setattr__, self.arm.n
        if n == 1:
            raise RobotError(sentence(f"robot {self.arm.robot.name!r}", "one axis", "two at least to decouple"))
        chosen = finite(np.atleast_1d(numbers(self.axes, "axes to decouple")), (None,), "axes to decouple")
        axes = tuple(sorted({whole(a, "axes to decouple", -n, f"numbers from 0 to {n - 1}") for a in chosen}))
        if not axes or axes[0] < 0 or axes[-1] >= n or len(axes) >= n:
            raise ShapeError(sentence("axes to decouple", axes, f"1 to {n - 1} different numbers from 0 to {n - 1}"))
        put(self, "axes", axes)
        arm, pi = links_of(self.arm, self.pi)
        put(self, "arm", arm)
        put(self, "pi", pi)
        not_negative(self.move, "move of a decoupling", "a length, 0 or more [rad]")
        positive(self.frequency, "frequency of a decoupling", "a frequency above 0 [Hz]")
        M = self.arm.mass_matrix(self.pi, np.full(n, 0.3))
        if not np.all(np.diag(M) > 0):
            axis = self.arm.robot.joint_names[int(np.argmin(np.diag(M)))]
            raise RobotError(sentence(f"axis {axis!r} of robot {self.arm.robot.name!r}", "it moves no inertia", "links with mass"))
        low, high = posture_range(self.arm.robot, self.lower, self.upper, self.fixed, self.shift)
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
