"""Inverse kinematics of any arm, with joint limits, posed as a nonlinear program."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.brief import brief
from optid.errors import DataError, ShapeError, UnreachableError, sentence
from optid.kinematics import forward_kinematics, frame_transform, jacobian
from optid.kinematics.chain import frame_index
from optid.robot import Robot

from .forms import Nlp

if TYPE_CHECKING:
    from optid.solvers import Solution

Array = NDArray[np.float64]

AXES = ("x", "y", "z", "rx", "ry", "rz")

POLISH = 200
"""Most Newton steps after the solver, from its accuracy to rounding."""

SINGULAR = 1e-6
"""Smallest singular value of the Jacobian of the asked directions, as a part of the largest, below which a posture is named singular."""


@dataclass(frozen=True, eq=False)
class InverseKinematicsResult:
    """A posture and what it reaches.

    Attributes
    ----------
    q : (n,) [rad, m]
    position_error : float [m]
        Distance from the asked coordinates of the target.
    angle_error : float [rad]
        Rotation left about the asked axes; 0 when no orientation was asked for.
    reached : bool
    at_limits : tuple of str
        Joints that stand at a limit.
    manipulability : float
        Smallest over largest singular value of the Jacobian of the asked directions (lengths in units of the arm's reach); 0 in a singular posture.
    solution : Solution

    Examples
    --------
    >>> import optid
    >>> from optid.kinematics import forward_kinematics
    >>> from optid.library import ur5
    >>> T = forward_kinematics(ur5(), [0.3, -1.2, 1.5, -0.7, 0.9, 0.4])
    >>> optid.solve(optid.problems.InverseKinematics(ur5(), T, near=[0, -1, 1, -1, 1, 0])).at_limits
    ()
    """

    q: Array
    position_error: float
    angle_error: float
    reached: bool
    at_limits: tuple[str, ...]
    manipulability: float
    solution: Solution

    __repr__ = brief

    @property
    def singular(self) -> bool:
        """Whether some asked direction cannot be moved in from here."""
        return self.manipulability < SINGULAR


@dataclass(frozen=True, eq=False)
class InverseKinematics:
    """Find a posture inside the joint limits whose frame meets a target.

    Minimises half the squared distance (in units of the arm's length) plus ``1 − cos`` of the rotation left: smooth everywhere, zero exactly where the target
    is met. Several starts (``optid.solve(problem, starts=8)``) find other branches; the first start is ``near``.

    Parameters
    ----------
    robot : Robot
    target : (4, 4) pose, or (3,) position [m]
        Of the frame, in the base frame. With a position alone the orientation is free.
    frame : link index, link name or None
        None: the tool.
    axes : sequence out of "x", "y", "z", "rx", "ry", "rz", optional
        What is asked of the target, along and about the axes of the **base**; all of a pose, "x", "y", "z" of a position. Orientation is asked for as a whole
        or not at all, except about one axis alone: "rz" with neither "rx" nor "ry" asks for the heading of the frame's x axis in the base's xy plane.
    near : (n,), optional
        Where the search starts; the middle of the limits by default.
    nearest : bool
        Whether an unreachable target is answered by the posture that comes nearest, rather than by an error.
    tolerance : float
        Error up to which a target counts as reached: of the position in units of the arm's length, of the angle in rad.

    Examples
    --------
    >>> import optid
    >>> from optid.library import ur5
    >>> from optid.kinematics import forward_kinematics
    >>> T = forward_kinematics(ur5(), [0.3, -1.2, 1.5, -0.7, 0.9, 0.4])
    >>> found = optid.solve(optid.problems.InverseKinematics(ur5(), T, near=[0, -1, 1, -1, 1, 0]))
    >>> found.reached, bool(found.position_error < 1e-12)
    (True, True)
    """

    robot: Robot
    target: ArrayLike
    frame: int | str | None = None
    axes: Sequence[str] = ()
    near: ArrayLike | None = None
    nearest: bool = False
    tolerance: float = 1e-9

    __repr__ = brief

    def __post_init__(self) -> None:
        target = np.array(self.target, dtype=float)
        if target.shape not in ((3,), (4, 4)) or not np.isfinite(target).all():
            raise ShapeError(sentence("target of inverse kinematics", f"shape {target.shape}", "a finite pose (4, 4) or position (3,)"))
        pose = np.eye(4)
        if target.shape == (3,):
            pose[:3, 3] = target
        else:
            pose = target
            if np.abs(pose[:3, :3].T @ pose[:3, :3] - np.eye(3)).max() > 1e-6 or np.linalg.det(pose[:3, :3]) < 0:
                raise DataError(sentence("rotation of a target", "a matrix that is not one", "an orthonormal right-handed one"))
        axes = tuple(self.axes) or (AXES[:3] if target.shape == (3,) else AXES)
        turned = {a for a in axes if a in AXES[3:]}
        if not set(axes) <= set(AXES) or turned not in (set(), {"rz"}, set(AXES[3:])) or (turned and target.shape == (3,)):
            raise DataError(sentence("axes of inverse kinematics", ", ".join(axes), "some of x, y, z, with none of rx, ry, rz, all of them, or rz alone"))
        n = self.robot.n
        low, high = self.robot.limits.lower, self.robot.limits.upper
        middle = np.array([(a + b) / 2 if np.isfinite([a, b]).all() else min(max(0.0, a), b) for a, b in zip(low, high, strict=True)])
        near = middle if self.near is None else np.array(self.near, dtype=float)
        if near.shape != (n,) or not np.isfinite(near).all():
            raise ShapeError(sentence("near of inverse kinematics", f"shape {near.shape}", f"({n},) finite joint positions"))
        settled = {"target": pose, "axes": tuple(a for a in AXES if a in axes), "near": near, "frame": frame_index(self.robot, self.frame)}
        for key, value in settled.items():
            object.__setattr__(self, key, value)

    @property
    def length(self) -> float:
        """Length of the arm [m]: the unit of the position error."""
        joints = self.robot.joints
        total = sum(float(np.linalg.norm(t.p)) for joint in joints for t in (joint.before, joint.after)) + float(np.linalg.norm(self.robot.tool.p))
        return total or 1.0

    def form(self) -> Nlp:
        """The nonlinear program in the joint positions."""
        function = _objective(self.robot, self.frame, self.axes)
        q = ca.SX.sym("q", self.robot.n)
        limits = self.robot.limits
        value = function(q, ca.DM(np.asarray(self.target)), self.length)

        def start(rng: np.random.Generator) -> Array:
            bounded = [np.where(np.isfinite(x), x, default) for x, default in ((limits.lower, -np.pi), (limits.upper, np.pi))]
            return np.asarray(rng.uniform(*bounded))

        near = np.clip(np.asarray(self.near), limits.lower, limits.upper)
        return Nlp(q, value, lbx=limits.lower, ubx=limits.upper, x0=near, names=self.robot.joint_names, start=start)

    def interpret(self, solution: Solution) -> InverseKinematicsResult:
        """The posture, brought from the solver's accuracy to rounding by Newton steps inside the limits.

        Raises
        ------
        UnreachableError
            When the target is not met, unless ``nearest``; the message says by how much.
        """
        limits = self.robot.limits
        low, high = np.array(limits.lower), np.array(limits.upper)
        q = np.clip(np.array(solution.x, dtype=float), low, high)
        q = self._polished(q, low, high)
        position, angle = self._errors(q)
        reached = position <= self.tolerance * self.length and angle <= self.tolerance
        span = np.maximum(1e-6, 1e-6 * np.where(np.isfinite(high - low), high - low, 1.0))
        stopped = tuple(name for j, name in enumerate(self.robot.joint_names) if q[j] <= low[j] + span[j] or q[j] >= high[j] - span[j])
        s = np.linalg.svd(self._jacobian(q), compute_uv=False)
        full = min(len(self.axes), self.robot.n)
        result = InverseKinematicsResult(q, position, angle, reached, stopped, float(s[full - 1] / s[0]) if s[0] > 0 else 0.0, solution)
        if not reached and not self.nearest:
            where = f" (at the limit of {', '.join(stopped)})" if stopped else ""
            raise UnreachableError(
                sentence(
                    f"target of robot {self.robot.name!r}",
                    f"missed by {position:.3g} m and {angle:.3g} rad at best{where}",
                    "a target in reach",
                    "More starts= search other branches; nearest=True gives this posture.",
                )
            )
        return result

    # -- numbers ------------------------------------------------------------------------------------------------------------------------------------

    def _left(self, q: Array) -> Array:
        """What is left of the asked coordinates: positions in units of the arm's length, then a rotation vector or the heading."""
        T = forward_kinematics(self.robot, q, self.frame)
        goal = np.asarray(self.target)
        step = (goal[:3, 3] - T[:3, 3]) / self.length
        parts = [step[[i for i, a in enumerate(AXES[:3]) if a in self.axes]]]
        if "rx" in self.axes:
            from scipy.spatial.transform import Rotation

            parts.append(Rotation.from_matrix(goal[:3, :3] @ T[:3, :3].T).as_rotvec())
        elif "rz" in self.axes:
            angle = np.arctan2(goal[1, 0], goal[0, 0]) - np.arctan2(T[1, 0], T[0, 0])
            parts.append(np.array([np.angle(np.exp(1j * angle))]))
        return np.concatenate(parts)

    def _jacobian(self, q: Array) -> Array:
        """Of the asked coordinates (m, n), positions in units of the arm's length."""
        J = np.array(jacobian(self.robot, q, self.frame))
        J[:3] /= self.length
        rows = J[[i for i, a in enumerate(AXES) if a in self.axes]]
        if self.axes[-1:] == ("rz",) and "rx" not in self.axes:
            T = forward_kinematics(self.robot, q, self.frame)
            x = T[:3, 0]
            flat = float(x[:2] @ x[:2])
            # d/dt atan2(x_y, x_x) of a vector that turns with ω
            turn = np.cross(np.moveaxis(J[3:], 0, -1), x)
            rows[-1] = (x[0] * turn[:, 1] - x[1] * turn[:, 0]) / flat if flat > 0 else 0.0
        return np.asarray(rows)

    def _errors(self, q: Array) -> tuple[float, float]:
        left = self._left(q)
        count = len([a for a in self.axes if a in AXES[:3]])
        return float(np.linalg.norm(left[:count])) * self.length, float(np.linalg.norm(left[count:]))

    def _polished(self, q: Array, low: Array, high: Array) -> Array:
        """Newton's method from the solver's posture; where that is a saddle (next to a singular posture), from beside it."""
        found = self._newton(q, low, high)
        if np.linalg.norm(self._left(found)) <= self.tolerance:
            return found
        soft = np.linalg.svd(self._jacobian(found))[2][-1]
        beside = [self._newton(np.clip(found + kick * soft, low, high), low, high) for kick in (0.01, -0.01)]
        return min([found, *beside], key=lambda x: float(np.linalg.norm(self._left(x))))

    def _newton(self, q: Array, low: Array, high: Array) -> Array:
        """Damped Gauss-Newton steps; the damping grows where a step does not help, and vanishes where it does."""
        best, damping = float(np.linalg.norm(self._left(q))), 0.0
        for _ in range(POLISH):
            if best < 1e-15 or damping > 1.0:
                break
            free = (q > low) & (q < high)
            U, s, Vt = np.linalg.svd(self._jacobian(q)[:, free], full_matrices=False)
            if not len(s) or s[0] == 0:
                break
            inverse = np.where(s > 1e-12 * s[0], s / (s**2 + damping * s[0] ** 2 + 1e-300), 0.0)
            trial = q.copy()
            trial[free] += Vt.T @ (inverse * (U.T @ self._left(q)))
            trial = np.clip(trial, low, high)
            error = float(np.linalg.norm(self._left(trial)))
            if error < best:
                q, best, damping = trial, error, damping / 9 if damping > 1e-14 else 0.0
            else:
                damping = max(1e-12, 4 * damping)
        return q


@lru_cache(maxsize=32)
def _objective(robot: Robot, frame: int | None, axes: tuple[str, ...]) -> ca.Function:
    """Objective (q, target, length) → number, as a CasADi function."""
    q, T, length = ca.SX.sym("q", robot.n), ca.SX.sym("T", 4, 4), ca.SX.sym("length")
    R, p = frame_transform(robot, q, frame)
    asked = [i for i, a in enumerate(AXES[:3]) if a in axes]
    value = ca.sumsqr((T[asked, 3] - p[asked]) / length) / 2 if asked else ca.SX(0)
    if "rx" in axes:
        value += (3 - ca.trace(ca.mtimes(T[:3, :3].T, R))) / 2
    elif "rz" in axes:
        goal, now = ca.atan2(T[1, 0], T[0, 0]), ca.densify(R)
        value += 1 - (ca.cos(goal) * now[0, 0] + ca.sin(goal) * now[1, 0]) / ca.sqrt(now[0, 0] ** 2 + now[1, 0] ** 2)
    return ca.Function("inverse_kinematics", [q, T, length], [value])
