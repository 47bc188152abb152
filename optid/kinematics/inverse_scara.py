"""Closed-form inverse kinematics of SCARA arms: three parallel revolute axes and a slide along them, in any order, either way up."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.brief import brief
from optid.errors import DataError, LimitsError, RobotError, ShapeError, sentence
from optid.model.arguments import instance
from optid.model.arrays import numbers
from optid.robot import Robot, Transform

from .inverse import two_link, wrapped

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ScaraInverse:
    """Inverse kinematics of one SCARA arm.

    Attributes
    ----------
    robot : Robot
    revolute : 3-tuple of int
        Indices of the revolute joints, from the base.
    slide : int
        Index of the prismatic joint.
    axis : (3,)
        Common direction of the axes in the base frame; the base's z where that is parallel to it.
    plane : (2, 3)
        Two directions across, in the base frame: x and y of the base where the axes are along its z.
    signs : (3,)
        ±1, whether a revolute joint turns about ``axis`` or against it.
    lengths : three (2,) vectors
        From the first to the second, from the second to the third axis, and from there to the tool, at q = 0.

    Notes
    -----
    The roll is the angle of the tool's x axis about ``axis``; it is the sum of the three revolute joints, with their signs, plus a constant (V08, Ec. 6). The
    printed inverse of V08 does not hold (its first angle is 0/0, its roll inverted); this one is derived from the geometry.

    Examples
    --------
    >>> import numpy as np
    >>> from optid.library import scara_er14
    >>> solver = ScaraInverse.of(scara_er14())
    >>> q = solver.solve([0.3, 0.2, 0.15], roll=0.5, elbow=-1)
    >>> bool(abs(solver.position(q) - [0.3, 0.2, 0.15]).max() < 1e-15)
    True
    """

    robot: Robot
    revolute: tuple[int, int, int]
    slide: int
    axis: Array
    plane: Array
    signs: Array
    lengths: tuple[Array, Array, Array]
    origin: Array
    height: float
    slide_sign: float
    roll_offset: float

    __repr__ = brief

    @classmethod
    def of(cls, robot: Robot) -> ScaraInverse:
        """The geometry of a robot.

        Raises
        ------
        RobotError
            When it is not a SCARA arm.
        """
        instance(robot, Robot, "SCARA arm", "Take one of optid.library, or read it with Robot.load.")
        kinds = [joint.kind for joint in robot.joints]
        if sorted(kinds) != ["P", "R", "R", "R"] or robot.mimic:
            raise RobotError(sentence(f"SCARA {robot.name!r}", f"joints {'-'.join(kinds)}", "three revolute joints and one slide"))
        directions, points, pose = [], [], robot.base
        for joint in robot.joints:
            pose = pose @ joint.before
            directions.append(pose.R @ joint.axis)
            points.append(pose.p)
            pose = pose @ joint.after
        tool = pose @ robot.tool
        axis = np.array([0.0, 0.0, 1.0]) if abs(directions[0][2]) > 1 - 1e-9 else directions[0]
        signs = np.array([float(d @ axis) for d in directions])
        if np.abs(np.abs(signs) - 1).max() > 1e-9:
            raise RobotError(sentence(f"SCARA {robot.name!r}", f"axes at {np.degrees(np.arccos(np.abs(signs).clip(0, 1)))} degrees", "parallel axes"))
        signs = np.sign(signs)
        first = np.eye(3)[int(np.argmin(np.abs(axis)))] if axis[2] < 1 else np.array([1.0, 0.0, 0.0])
        first = first - (first @ axis) * axis
        first /= np.linalg.norm(first)
        plane = np.stack([first, np.cross(axis, first)])
        i, j, k = (m for m, kind in enumerate(kinds) if kind == "R")
        places = [plane @ points[m] for m in (i, j, k)] + [plane @ tool.p]
        a, b, c = (places[m + 1] - places[m] for m in range(3))
        if min(np.linalg.norm(a), np.linalg.norm(b)) < 1e-12:
            raise RobotError(sentence(f"SCARA {robot.name!r}", "two axes on one line", "three axes apart"))
        return cls(
            robot,
            (i, j, k),
            kinds.index("P"),
            axis,
            plane,
            signs[[i, j, k]],
            (a, b, c),
            places[0],
            float(axis @ tool.p),
            float(signs[kinds.index("P")]),
            _roll(tool, plane),
        )

    # -- forward ------------------------------------------------------------------------------------------------------------------------------------

    def position(self, q: ArrayLike) -> Array:
        """Position (3,) or (N, 3) of the tool [m] at joint positions (4,) or (N, 4)."""
        angles = _postures(q)
        turn = np.cumsum(angles[..., list(self.revolute)] * self.signs, axis=-1)
        flat = self.origin + sum(_turned(v, turn[..., m]) for m, v in enumerate(self.lengths))
        height = self.height + self.slide_sign * angles[..., self.slide]
        return np.asarray(flat @ self.plane + height[..., None] * self.axis)

    def roll(self, q: ArrayLike) -> Array:
        """Roll (…,) of the tool [rad] at joint positions (..., 4)."""
        return np.asarray(_postures(q)[..., list(self.revolute)] @ self.signs + self.roll_offset)

    def elbow(self, q: ArrayLike) -> NDArray[np.int64]:
        """+1 or −1, the side (…,) of the elbow at joint positions (..., 4); 0 in a singular posture."""
        sine = self.sine(q)
        if np.isnan(sine).any():
            raise DataError(sentence("posture of a SCARA", "NaN or infinite values", "finite numbers"))
        return np.sign(np.round(sine, 12)).astype(int)

    def sine(self, q: ArrayLike) -> Array:
        """Sine (…,) of the angle between the two links: the distance of a posture from the singular ones, stretched and folded."""
        between = _postures(q)[..., self.revolute[1]] * self.signs[1] + self._bend
        return np.asarray(np.sin(between))

    @property
    def _bend(self) -> float:
        a, b, _ = self.lengths
        return float(np.arctan2(b[1], b[0]) - np.arctan2(a[1], a[0]))

    @property
    def reach(self) -> tuple[float, float]:
        """Smallest and largest distance of the third axis from the first [m]."""
        la, lb = (float(np.linalg.norm(v)) for v in self.lengths[:2])
        return abs(la - lb), la + lb

    # -- inverse ------------------------------------------------------------------------------------------------------------------------------------

    def solve(self, position: ArrayLike, roll: ArrayLike = 0.0, elbow: int = 1, near: ArrayLike | None = None, limits: bool = True) -> Array:
        """Joint positions that bring the tool to a position and a roll.

        Parameters
        ----------
        position : (3,) or (N, 3) [m]
            In the base frame.
        roll : scalar or (N,) [rad]
        elbow : +1 or −1
            Side of the elbow: the sign of the angle from the first link to the second about ``axis`` (of q2, where the links are in line at q2 = 0 and the
            second joint turns about ``axis``). In the singular postures both are the same.
        near : (4,) or (N, 4), optional
            Of the angles that differ by full turns, the one nearest to this is taken (to the middle of the joint's range without it); it also gives the first
            angle of a target on the first axis.
        limits : bool
            Whether the answer has to lie inside the robot's position limits.

        Returns
        -------
        (4,) or (N, 4) [rad, m]

        Raises
        ------
        UnreachableError
            Naming the first target outside the ring that the third axis reaches.
        SingularError
            For a target on the first axis without ``near``.
        LimitsError
            Naming joint, value and range.
        """
        if elbow not in (1, -1):
            raise DataError(sentence("elbow of a SCARA", elbow, "+1 or -1"))
        point = numbers(position, "position of a SCARA's tool")
        if point.shape[-1:] != (3,) or point.ndim > 2:
            raise ShapeError(sentence("position of a SCARA's tool", f"shape {point.shape}", "(3,) or (N, 3)"))
        targets = np.atleast_2d(point)
        bad = np.flatnonzero(~np.isfinite(targets).all(axis=1))
        if len(bad):
            raise DataError(sentence(f"target {int(bad[0])} of SCARA {self.robot.name!r}", "NaN or infinite", "finite coordinates"))
        angle = _each("roll of a SCARA's tool", roll, (len(targets),)) - self.roll_offset
        a, b, c = self.lengths
        wrist = targets @ self.plane.T - self.origin - _turned(c, angle)
        guess = None if near is None else _each("near of a SCARA", near, (len(targets), 4))
        toward = np.arctan2(a[1], a[0])
        fallback = None if guess is None else guess[:, self.revolute[0]] * self.signs[0] + toward
        la, lb = float(np.linalg.norm(a)), float(np.linalg.norm(b))
        solved = two_link(la, lb, wrist[:, 0], wrist[:, 1], elbow, f"SCARA {self.robot.name!r}", fallback)
        first, second = solved.first - toward, solved.between - self._bend
        q = np.zeros((len(targets), 4))
        for joint, sign, value in zip(self.revolute, self.signs, (first, second, angle - first - second), strict=True):
            q[:, joint] = self._within(joint, wrapped(sign * value), None if guess is None else guess[:, joint])
        q[:, self.slide] = self.slide_sign * (targets @ self.axis - self.height)
        if limits:
            self._check(q)
        return q[0] if point.ndim == 1 else q

    def _within(self, joint: int, angle: Array, near: Array | None) -> Array:
        """The turns of an angle (N,) that lie inside the joint's range where one does, nearest to ``near``."""
        low, high = self.robot.limits.lower[joint], self.robot.limits.upper[joint]
        middle = (low + high) / 2 if np.isfinite([low, high]).all() else 0.0
        wish = np.full(len(angle), middle) if near is None else near
        best = angle + 2 * np.pi * np.round((wish - angle) / (2 * np.pi))
        slack = 1e-12 * max(1.0, abs(low), abs(high)) if np.isfinite([low, high]).all() else 1e-12
        turns = np.where(
            best < low - slack, np.ceil((low - slack - best) / (2 * np.pi)), np.where(best > high + slack, -np.ceil((best - high - slack) / (2 * np.pi)), 0)
        )
        moved = best + 2 * np.pi * turns
        return np.where((moved < low - slack) | (moved > high + slack), best, moved)

    def _check(self, q: Array) -> None:
        limits = self.robot.limits
        for j, name in enumerate(self.robot.joint_names):
            low, high = limits.lower[j], limits.upper[j]
            slack = 1e-9 * max(1.0, *(abs(x) for x in (low, high) if np.isfinite(x)), 1.0)
            bad = np.flatnonzero((q[:, j] < low - slack) | (q[:, j] > high + slack))
            if len(bad):
                k = int(bad[0])
                raise LimitsError(sentence(f"{name} at target {k}", f"{q[k, j]:.6g}", f"{low:.6g} … {high:.6g}", "Try the other elbow."))


def _postures(q: ArrayLike) -> Array:
    array = numbers(q, "posture of a SCARA")
    if array.shape[-1:] != (4,):
        raise ShapeError(sentence("posture of a SCARA", f"shape {array.shape}", "(..., 4)"))
    return array


def _each(what: str, value: ArrayLike, shape: tuple[int, ...]) -> Array:
    """Finite numbers for every target, given once or for each of them."""
    array = numbers(value, what)
    if array.shape not in (shape[1:], shape):
        once = "a number" if len(shape) == 1 else f"({shape[1]},)"
        raise ShapeError(sentence(what, f"shape {array.shape}", f"{once}, or {shape}, one a target"))
    if not np.isfinite(array).all():
        raise DataError(sentence(what, "NaN or infinite values", "finite numbers"))
    return np.broadcast_to(array, shape)


def _turned(v: Array, angle: Array) -> Array:
    """A vector (2,) turned by angles (…,), as (..., 2)."""
    c, s = np.cos(angle), np.sin(angle)
    return np.stack([c * v[0] - s * v[1], s * v[0] + c * v[1]], axis=-1)


def _roll(tool: Transform, plane: Array) -> float:
    """Angle of the tool's x axis in the plane, of its y axis less a quarter turn where x stands across."""
    x = plane @ tool.R[:, 0]
    if np.linalg.norm(x) > 0.5:
        return float(np.arctan2(x[1], x[0]))
    y = plane @ tool.R[:, 1]
    return float(np.arctan2(y[1], y[0]) - np.pi / 2)
