"""Numeric kinematics: poses, Jacobians, velocities and accelerations of a frame for one state or many.

Every function takes arrays, lists or DM, one state (n,) or N of them (N, n), and gives one result or N; CasADi expressions give an expression. NaN in a state
gives NaN in its own result only. ``frame`` is the index or name of a link whose frame is meant; None is the tool.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import casadi as ca

from optid.kernels import Kernel
from optid.model.arrays import is_symbolic, state_arrays
from optid.robot import Robot

from .chain import frame_acceleration, frame_index, frame_transform, frame_velocity, geometric_jacobian


@lru_cache(maxsize=64)
def _kernel(robot: Robot, what: str, frame: int | None) -> Kernel:
    q, dq, ddq = (ca.SX.sym(name, robot.n) for name in ("q", "dq", "ddq"))
    if what == "pose":
        R, p = frame_transform(robot, q, frame)
        return Kernel(ca.Function("pose", [q], [ca.vertcat(ca.horzcat(R, p), ca.SX([[0, 0, 0, 1]]))], ["q"], ["T"]))
    if what == "jacobian":
        return Kernel(ca.Function("jacobian", [q], [geometric_jacobian(robot, q, frame)], ["q"], ["J"]))
    if what == "velocity":
        return Kernel(ca.Function("velocity", [q, dq], [frame_velocity(robot, q, dq, frame)], ["q", "dq"], ["v"]))
    return Kernel(ca.Function("acceleration", [q, dq, ddq], [frame_acceleration(robot, q, dq, ddq, frame)], ["q", "dq", "ddq"], ["a"]))


def _evaluate(robot: Robot, what: str, frame: int | str | None, *states: Any) -> Any:
    kernel = _kernel(robot, what, frame_index(robot, frame))
    if is_symbolic(*states):
        return kernel.function(*states)
    arrays, single = state_arrays(states, robot.n, ("q", "dq", "ddq")[: len(states)])
    result = kernel(*arrays)
    result = result[:, :, 0] if what in ("velocity", "acceleration") else result
    return result[0] if single else result


def forward_kinematics(robot: Robot, q: Any, frame: int | str | None = None) -> Any:
    """Pose of a frame in the base frame: homogeneous matrix (4, 4), or (N, 4, 4).

    Parameters
    ----------
    q : (n,) or (N, n) [rad, m]
    frame : link index, link name or None
        None: the tool.

    Raises
    ------
    ShapeError
        For another number of coordinates.
    RobotError, UnknownNameError
        For a frame the robot does not have.

    Examples
    --------
    >>> from optid import library
    >>> from optid.kinematics import forward_kinematics
    >>> forward_kinematics(library.planar_2r(), [0.0, 1.0], 1)[:3, 3]  # the elbow, at the end of 0.5 m
    array([0.5, 0. , 0. ])
    """
    return _evaluate(robot, "pose", frame, q)


def jacobian(robot: Robot, q: Any, frame: int | str | None = None) -> Any:
    """Geometric Jacobian of a frame, (6, n) or (N, 6, n): rows are linear then angular velocity of the frame in base axes, see :func:`forward_kinematics`.

    Examples
    --------
    >>> from optid import library
    >>> from optid.kinematics import jacobian
    >>> jacobian(library.planar_2r(), [0.0, 0.0], 1)[[1, 5], 0]
    array([0.5, 1. ])
    """
    return _evaluate(robot, "jacobian", frame, q)


def velocity(robot: Robot, q: Any, dq: Any, frame: int | str | None = None) -> Any:
    """Linear [m/s] then angular [rad/s] velocity of a frame in base axes, (6,) or (N, 6).

    Examples
    --------
    >>> from optid import library
    >>> from optid.kinematics import velocity
    >>> velocity(library.planar_2r(), [0.0, 0.0], [2.0, 0.0], 1)[[1, 5]].tolist()  # ω · 0.5 m
    [1.0, 2.0]
    """
    return _evaluate(robot, "velocity", frame, q, dq)


def acceleration(robot: Robot, q: Any, dq: Any, ddq: Any, frame: int | str | None = None) -> Any:
    """Linear [m/s²] then angular [rad/s²] acceleration of a frame in base axes, gravity not included, (6,) or (N, 6).

    Examples
    --------
    >>> from optid import library
    >>> from optid.kinematics import acceleration
    >>> float(acceleration(library.planar_2r(), [0.0, 0.0], [2.0, 0.0], [0.0, 0.0], 1)[0].round(12))  # −ω² · 0.5 m
    -2.0
    """
    return _evaluate(robot, "acceleration", frame, q, dq, ddq)
