"""Symbolic kinematics of a whole chain: link poses, geometric Jacobian, velocity and acceleration of a frame. Constant zeros stay structural."""

from __future__ import annotations

import casadi as ca

from optid.errors import RobotError, sentence, unknown_name
from optid.robot import Robot

from .joint_transform import constant, joint_transform

Pose = tuple[ca.SX, ca.SX]


def compose(first: Pose, second: Pose) -> Pose:
    """Pose of the second frame, given in the first, in the parent of the first."""
    return ca.mtimes(first[0], second[0]), first[1] + ca.mtimes(first[0], second[1])


def frame_index(robot: Robot, frame: int | str | None) -> int | None:
    """Index of a link frame from its index or the link's name; None is the tool frame."""
    names = [link.name for link in robot.links]
    if isinstance(frame, str):
        if frame not in names:
            raise unknown_name("frame", frame, names)
        return names.index(frame)
    if frame is not None and not 0 <= frame < robot.n_links:
        raise RobotError(sentence("frame", frame, f"a link index 0 ... {robot.n_links - 1}, a link name, or None for the tool"))
    return frame


def chain_coordinates(robot: Robot, q: ca.SX) -> ca.SX:
    """Coordinates (n_links,) of all joints of the chain from the independent ones (n,), mimic joints expanded."""
    if not robot.mimic:
        return q
    G, b = robot.expansion
    return ca.mtimes(constant(G), q) + constant(b)


def link_transforms(robot: Robot, q: ca.SX) -> list[Pose]:
    """Poses of all link frames in the base frame.

    Parameters
    ----------
    q : casadi.SX (n,) [rad, m]

    Returns
    -------
    list of (R, p)
        Rotation (3, 3), axes of the link frame in the base frame (columns), and origin (3, 1) [m].

    Examples
    --------
    >>> import casadi as ca
    >>> from optid import library
    >>> from optid.kinematics import link_transforms
    >>> len(link_transforms(library.ur5(), ca.SX.sym("q", 6)))
    6
    """
    chain = chain_coordinates(robot, q)
    pose: Pose = (ca.SX(constant(robot.base.R)), ca.SX(constant(robot.base.p)))
    poses = []
    for i, joint in enumerate(robot.joints):
        pose = compose(pose, joint_transform(joint, chain[i]))
        poses.append(pose)
    return poses


def frame_transform(robot: Robot, q: ca.SX, frame: int | str | None = None) -> Pose:
    """Pose (R, p) in the base frame of the tool, or of the link frame with this index or name.

    Examples
    --------
    >>> import casadi as ca
    >>> from optid import library
    >>> from optid.kinematics import frame_transform
    >>> q = ca.SX.sym("q", 2)
    >>> R, p = frame_transform(library.planar_2r(), q, 1)
    >>> ca.Function("elbow", [q], [p])([0.0, 0.3]).full().ravel()
    array([0.5, 0. , 0. ])
    """
    index = frame_index(robot, frame)
    poses = link_transforms(robot, q)
    if index is not None:
        return poses[index]
    return compose(poses[-1], (ca.SX(constant(robot.tool.R)), ca.SX(constant(robot.tool.p))))


def geometric_jacobian(robot: Robot, q: ca.SX, frame: int | str | None = None) -> ca.SX:
    """Jacobian (6, n) of a frame: linear [m/s] then angular [rad/s] velocity of the frame, in base axes, per coordinate speed.

    Column of a revolute joint with axis z through a point at distance ρ from the frame's origin: (z × ρ, z); of a prismatic one: (z, 0).

    Examples
    --------
    >>> import casadi as ca
    >>> from optid import library
    >>> from optid.kinematics import geometric_jacobian
    >>> q = ca.SX.sym("q", 2)
    >>> ca.Function("J", [q], [geometric_jacobian(library.planar_2r(), q, 1)])([0, 0]).full()[5]
    array([1., 1.])
    """
    index = frame_index(robot, frame)
    last = robot.n_links - 1 if index is None else index
    chain = chain_coordinates(robot, q)
    steps = [joint_transform(joint, chain[i]) for i, joint in enumerate(robot.joints[: last + 1])]
    turns = [ca.SX(constant(robot.base.R))]
    for R, _ in steps:
        turns.append(ca.mtimes(turns[-1], R))
    columns = [ca.SX(6, 1)] * robot.n_links
    # levers are summed from the frame backwards: differences of positions would leave rounding where the lever is zero
    lever = ca.mtimes(turns[-1], constant(robot.tool.p)) if index is None else ca.SX(3, 1)
    for i in range(last, -1, -1):
        joint = robot.joints[i]
        axis = ca.mtimes(turns[i], constant(joint.before.R @ joint.axis))
        if joint.revolute:
            arm = lever + ca.mtimes(turns[i + 1], constant(joint.after.R.T @ joint.after.p))
            columns[i] = ca.vertcat(_cross(axis, arm), axis)
        else:
            columns[i] = ca.vertcat(axis, ca.SX(3, 1))
        lever = lever + ca.mtimes(turns[i], steps[i][1])
    J = ca.horzcat(*columns)
    return ca.mtimes(J, constant(robot.expansion[0])) if robot.mimic else J


def _cross(a: ca.SX, b: ca.SX) -> ca.SX:
    return ca.sparsify(ca.cross(ca.densify(a), ca.densify(b)))


def frame_velocity(robot: Robot, q: ca.SX, dq: ca.SX, frame: int | str | None = None) -> ca.SX:
    """Velocity (6,) of a frame, linear then angular, in base axes.

    Examples
    --------
    >>> import casadi as ca
    >>> from optid import library
    >>> from optid.kinematics import frame_velocity
    >>> q, dq = ca.SX.sym("q", 2), ca.SX.sym("dq", 2)
    >>> ca.Function("v", [q, dq], [frame_velocity(library.planar_2r(), q, dq, 1)])([0, 0], [2, 0])[1]
    DM(1)
    """
    return ca.mtimes(geometric_jacobian(robot, q, frame), dq)


def frame_acceleration(robot: Robot, q: ca.SX, dq: ca.SX, ddq: ca.SX, frame: int | str | None = None) -> ca.SX:
    """Acceleration (6,) of a frame, the time derivative of :func:`frame_velocity`.

    Examples
    --------
    >>> import casadi as ca
    >>> from optid import library
    >>> from optid.kinematics import frame_acceleration
    >>> q, dq, ddq = (ca.SX.sym(name, 2) for name in ("q", "dq", "ddq"))
    >>> f = ca.Function("a", [q, dq, ddq], [frame_acceleration(library.planar_2r(), q, dq, ddq, 1)])
    >>> float(f([0, 0], [2, 0], [0, 0])[0])
    -2.0
    """
    J = geometric_jacobian(robot, q, frame)
    return ca.mtimes(J, ddq) + ca.jtimes(ca.mtimes(J, dq), q, dq)
