"""Reference motions: straight lines of the tool and straight lines of joint space, smooth to the fourth derivative, as fast as given limits allow."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.arrays import numbers
from optid.errors import DataError, LimitsError, RobotError, ShapeError, SingularError, UnreachableError, sentence
from optid.kernels import Kernel
from optid.kinematics import frame_transform
from optid.model.arguments import found, instance, per_axis, positive, real, whole
from optid.robot import Robot
from optid.robot.transform import finite_number
from optid.trajectory import PointToPoint
from optid.trajectory.piecewise import Piecewise

from .feedforward import checked
from .loop import FlexibleLoop

Array = NDArray[np.float64]

LAW = "ninth"
PIECES = 48
"""Polynomials of degree 9 in a line of the tool; between their ends, where they meet it to the fourth derivative, they leave it by less than 1e-12 m."""


def _law(span: float) -> PointToPoint:
    return PointToPoint(np.zeros(1), np.ones(1), span, LAW)


def span_for(distance: float, acceleration: float) -> float:
    """Time [s] in which a move of the ninth-degree law covers a distance with this peak acceleration, ``√(9.372 |δ| / a)``."""
    finite_number(distance, "distance of a move")
    positive(acceleration, "acceleration of a move", "a finite number above 0")
    peak = float(_law(1.0).extremes(2).magnitude[0])
    return float(np.sqrt(peak * abs(distance) / acceleration))


def tcp_line(robot: Robot, start: ArrayLike, end: ArrayLike, span: float, pieces: int = PIECES) -> Piecewise:
    """A straight line of the tool from where ``start`` puts it to where ``end`` puts it, by the ninth-degree law.

    Parameters
    ----------
    robot : Robot
        Two axes that move the tool in a plane, three that move it in space, the four of a SCARA, or six: these two also keep the tool's orientation at the
        start.
    start, end : (n,) [rad]
    span : float [s]

    Returns
    -------
    Piecewise
        The joint trajectory, C⁴.

    Raises
    ------
    SingularError, UnreachableError
        The line passes a singular posture, or leaves the workspace.

    Examples
    --------
    >>> import numpy as np
    >>> from optid.flexibility import set_a, tcp_line
    >>> from optid.kinematics import forward_kinematics
    >>> robot = set_a().arm.robot
    >>> line = tcp_line(robot, (0.0, 0.0), (0.1, 0.1), 1.0)
    >>> points = forward_kinematics(robot, line.derivative(np.linspace(0, 1, 5)))[:, [0, 2], 3]
    >>> way = points - points[0]
    >>> bool(abs(way[:, 0] * way[-1, 1] - way[:, 1] * way[-1, 0]).max() < 1e-6)  # all on one line
    True
    """
    instance(robot, Robot, "robot of a line")
    positive(span, "span of a line")
    whole(pieces, "pieces of a line", 1, "a whole number, 1 or more")
    q0, q1 = (numbers(q, f"{what} of a line") for what, q in (("start", start), ("end", end)))
    for what, q in (("start", q0), ("end", q1)):
        if q.shape != (robot.n,) or not np.all(np.isfinite(q)):
            raise ShapeError(sentence(f"{what} of a line", f"shape {q.shape}, {q}", f"{robot.n} finite angles"))
    frame = frame_transform(robot, ca.SX(q0))[0]
    task = _Task.of(robot, tuple(map(tuple, ca.DM(frame).full())))
    time = np.linspace(0.0, span, pieces + 1)
    law = _law(span)
    x0, x1 = task.value(q0[None]), task.value(q1[None])
    x1[:, task.positions :] = x0[:, task.positions :]
    wanted = [x0 * (k == 0) + (x1 - x0) * law.derivative(time, k) for k in range(5)]
    states = [task.solve(wanted[0], q0 + (q1 - q0) * law.derivative(time, 0))]
    J = task.jacobian(states[0])
    size = np.linalg.svd(J, compute_uv=False)
    if np.any(size[:, -1] < 1e-6 * size[:, 0]):
        at = float(time[np.argmin(size[:, -1] / size[:, 0])])
        raise SingularError(
            sentence("line of the tool", f"a singular posture at {at:.4g} s", "regular ones", "Move the line, or join the postures by PointToPoint.")
        )
    for k in range(1, 5):
        states.append(np.asarray(np.linalg.solve(J, (wanted[k] - task.bent(k, states))[:, :, None])[:, :, 0]))
    return Piecewise.hermite(time, tuple(states), robot.joint_names)


@dataclass(frozen=True, eq=False)
class _Task:
    """Coordinates of the tool that n axes can follow, and their derivatives along a motion."""

    n: int
    positions: int
    value_and_slope: Kernel
    bends: tuple[Kernel, ...]

    @staticmethod
    @lru_cache(maxsize=16)
    def of(robot: Robot, frame: tuple[tuple[float, ...], ...]) -> _Task:
        n = robot.n

        def coordinates(q: ca.SX) -> ca.SX:
            R, p = frame_transform(robot, q)
            E = ca.mtimes(ca.DM(np.array(frame).T), R)
            return ca.vertcat(p, E[2, 1] - E[1, 2], E[0, 2] - E[2, 0], E[1, 0] - E[0, 1])

        q = ca.SX.sym("q", n)
        moved = sorted(set(ca.jacobian(coordinates(q), q).sparsity().get_triplet()[0]))
        place = [row for row in moved if row < 3]
        rows = place if len(place) == n else moved
        if len(rows) != n:
            raise RobotError(sentence("line of the tool", f"{n} axes that move {len(rows)} coordinates", "as many axes as coordinates: 2, 3, 4 or 6"))
        x = ca.densify(coordinates(q)[rows])
        both = Kernel(ca.Function("task", [q], [ca.horzcat(x, ca.densify(ca.jacobian(x, q)))], ["q"], ["x"]))
        s = ca.SX.sym("s")
        known: list[Any] = [q]
        bends = []
        for k in range(1, 5):
            # the k-th derivative of the path whose k-th and higher joint derivatives vanish
            path = sum((known[i] * s**i / float(np.prod(range(1, i + 1))) for i in range(1, k)), known[0])
            y = coordinates(path)[rows]
            for _ in range(k):
                y = ca.jacobian(y, s)
            bends.append(Kernel(ca.Function(f"bend{k}", list(known), [ca.densify(ca.substitute(y, s, 0))], [f"q{i}" for i in range(k)], ["x"])))
            known.append(ca.SX.sym(f"q{k}", n))
        return _Task(n, len(place), both, tuple(bends))

    def value(self, q: Array) -> Array:
        return self.value_and_slope(q)[:, :, 0]

    def jacobian(self, q: Array) -> Array:
        return self.value_and_slope(q)[:, :, 1:]

    def bent(self, order: int, states: list[Array]) -> Array:
        return self.bends[order - 1](*states[:order])[:, :, 0]

    def solve(self, wanted: Array, q: Array) -> Array:
        """Postures (N, n) with these coordinates, next to ``q``, by Newton's method."""
        for _ in range(50):
            both = self.value_and_slope(q)
            try:
                move = np.linalg.solve(both[:, :, 1:], (wanted - both[:, :, 0])[:, :, None])[:, :, 0]
            except np.linalg.LinAlgError as error:
                raise SingularError(sentence("line of the tool", "a singular posture", "regular ones")) from error
            q = q + np.clip(move, -0.3, 0.3)
            if np.max(np.abs(move)) < 1e-12:
                return q
        raise UnreachableError(sentence("line of the tool", "no posture found for a point of it", "a line inside the workspace"))


@dataclass(frozen=True)
class MoveLimits:
    """What a move may ask for; scalars or (n,) tuples, infinite when left out.

    Attributes
    ----------
    speed, acceleration : [rad/s, rad/s²]
    motor_torque : [N m]
        Of the motors, friction and rotors included.
    gear_torque : [N m]
        Through the gears of the motors, arm side.

    Examples
    --------
    >>> from optid.flexibility import MoveLimits
    >>> MoveLimits(speed=2.0).speed
    2.0
    """

    speed: Any = np.inf
    acceleration: Any = np.inf
    motor_torque: Any = np.inf
    gear_torque: Any = np.inf

    def __post_init__(self) -> None:
        for item in fields(self):
            limit = numbers(getattr(self, item.name), f"{item.name} of a move")
            if limit.ndim > 1 or not np.all(limit > 0):
                raise LimitsError(sentence(f"{item.name} of a move", limit.tolist(), "a limit above 0, or one for each axis"))
            object.__setattr__(self, item.name, float(limit) if limit.ndim == 0 else tuple(limit.tolist()))


def within(loop: FlexibleLoop, make: Callable[[float], Any], limits: MoveLimits, longest: float = 10.0, accuracy: float = 1e-3) -> tuple[Any, float]:
    """The fastest of the motions ``make(span)`` inside the limits, and its span [s], to a relative ``accuracy``.

    Raises
    ------
    LimitsError
        Not even the ``longest`` span is inside: the limits do not hold the arm's weight.

    Examples
    --------
    >>> from optid.flexibility import FlexibleLoop, MoveLimits, set_a, within
    >>> from optid.trajectory import PointToPoint
    >>> loop = FlexibleLoop(set_a(), backend="interpreter")
    >>> motion, span = within(loop, lambda span: PointToPoint([0.0, 0.0], [0.1, 0.1], span, law="ninth"), MoveLimits(speed=0.5))
    >>> bool(abs(motion.extremes(1).magnitude.max() / 0.5 - 1) < 0.01)
    True
    """

    instance(loop, FlexibleLoop, "loop of a move")
    instance(limits, MoveLimits, "limits of a move")
    positive(longest, "longest span of a move")
    if not 0 < real(accuracy, "accuracy of a span") < 1:
        raise DataError(sentence("accuracy of a span", accuracy, "a number between 0 and 1"))
    if not callable(make):
        raise DataError(sentence("make of a move", found(make), "a function that gives the motion of a span"))
    if not any(np.any(np.isfinite(getattr(limits, item.name))) for item in fields(limits)):
        raise LimitsError(sentence("limits of a move", "none", "a finite one at least"))
    for item in fields(limits):
        per_axis(getattr(limits, item.name), loop.n, f"{item.name} of a move")

    coupling = loop.nominal.coupling

    def excess(span: float) -> tuple[float, str]:
        motion = make(span)
        checked(motion, loop.n)
        if not hasattr(motion, "extremes"):
            raise DataError(sentence("motion of a move", found(motion), "a trajectory that knows its extremes", "Shape it afterwards."))
        loads = {
            "speed": motion.extremes(1).magnitude,
            "acceleration": motion.extremes(2).magnitude,
            "gear_torque": np.abs(loop.feedforward.reference(motion, np.linspace(0, span, 400))[:, 3 * loop.n : 4 * loop.n] @ coupling).max(axis=0),
        }
        worst = max((float(np.max(load / getattr(limits, what))), what) for what, load in loads.items())
        if worst[0] <= 1 and np.any(np.isfinite(limits.motor_torque)):
            ahead = loop.simulate(motion, tail=0.0, reference_tool=False).feedforward
            worst = max(worst, (float(np.max(np.abs(ahead[0]).max(axis=0) / limits.motor_torque)), "motor_torque"))
        return worst

    worst, what = excess(longest)
    if worst > 1:
        raise LimitsError(sentence(f"{what} of a move", f"{worst:.3g} times its limit, even within {longest:g} s", "a limit that the move can keep"))
    low, high = 0.0, longest
    while high - low > accuracy * high:
        middle = 0.5 * (low + high) if low > 0 else high / 2
        if middle < 10 * loop.step:
            break
        if excess(middle)[0] <= 1:
            high = middle
        else:
            low = middle
    return make(high), high
