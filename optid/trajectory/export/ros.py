"""ROS 2: a ``trajectory_msgs/JointTrajectory`` message as JSON or YAML."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from optid.errors import DataError, sentence
from optid.robot import Limits
from optid.trajectory.arrays import Array, names, positive
from optid.trajectory.base import Trajectory

from .convention import Convention, Units
from .interpolation import QUINTIC
from .plan import Export, Guard, Proof, planned, stamps


def to_ros(
    trajectory: Trajectory,
    *,
    limits: Limits | None,
    rate: float = 100.0,
    digits: int = 12,
    form: str = "yaml",
    joint_names: Sequence[str] = (),
    convention: Convention | None = None,
    rest: bool = True,
    override: bool = False,
    tolerance: float = 1e-6,
    jerk: ArrayLike | None = None,
    also: Sequence[Proof] = (),
) -> Export:
    """A ``JointTrajectory`` with positions, velocities and accelerations, in SI units.

    ``joint_trajectory_controller`` joins such points by quintic polynomials; that motion is checked again. YAML serves ``ros2 topic pub``.

    Parameters
    ----------
    limits : Limits or None
        What the design, and again the motion through the printed points, must keep; None needs ``override``.
    rate : float [Hz]
    digits : int
        Digits after the point.
    form : "yaml" or "json"
    joint_names : n names, optional
        By default the trajectory's. They must be the controller's, so they are kept as they are, as quoted and escaped text.
    convention, rest, override, tolerance, jerk, also
        As in :func:`to_urscript` and :func:`to_rapid`.
    """
    if form not in ("yaml", "json"):
        raise DataError(sentence("form of a ROS export", repr(form), '"yaml" or "json"'))
    labels = names(tuple(joint_names) or trajectory.joint_names, trajectory.n)
    if not labels:
        raise DataError(sentence("a ROS export", "no joint names", "joint_names=, the names of the controller's joints"))
    units = Units.of(convention, trajectory.n, degrees=False, millimetres=False)
    nanoseconds = np.round(stamps(trajectory, 1.0 / positive(rate, "rate")) * 1e9).astype(np.int64)
    time = nanoseconds.astype(float) * 1e-9
    inside: Array = time if trajectory.periodic else np.minimum(time, trajectory.duration)
    guard = Guard(limits, override, rest, tolerance, jerk, also)
    export, printed = planned(trajectory, guard, inside, time, digits, units, QUINTIC)

    joints = ", ".join(map(_quoted, labels))
    points = []
    for k, ns in enumerate(nanoseconds):
        q, dq, ddq = (", ".join(f"{x:.{digits}f}" for x in values[k]) for values in printed)
        stamp = f'{{"sec": {ns // 10**9}, "nanosec": {ns % 10**9}}}'
        points.append(f'{{"positions": [{q}], "velocities": [{dq}], "accelerations": [{ddq}], "effort": [], "time_from_start": {stamp}}}')
    header = '{"stamp": {"sec": 0, "nanosec": 0}, "frame_id": ""}'
    if form == "json":
        text = f'{{"header": {header},\n "joint_names": [{joints}],\n "points": [\n  ' + ",\n  ".join(points) + "\n]}\n"
    else:
        text = f"header: {header}\njoint_names: [{joints}]\npoints:\n" + "".join(f"- {point}\n" for point in points)
    return replace(export, text=text)


def _quoted(text: str) -> str:
    """A double-quoted string that JSON and YAML read alike: all but printable ASCII escaped, except beyond the basic plane (YAML has no surrogate pairs)."""
    parts = [c if (" " <= c <= "~" and c not in '"\\') or ord(c) > 0xFFFF else f"\\u{ord(c):04x}" for c in text]
    return '"' + "".join(parts) + '"'
