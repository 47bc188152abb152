"""URScript: a function that streams joint positions with ``servoj``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from optid.errors import DataError, sentence
from optid.robot import Limits
from optid.trajectory.arrays import positive
from optid.trajectory.base import Trajectory

from .convention import Convention, Units
from .interpolation import LINEAR
from .names import identifiers, program_name
from .plan import Export, Guard, Proof, planned, remarks, stamps
from .rapid import held_axes

AXES = 6


def to_urscript(
    trajectory: Trajectory,
    *,
    limits: Limits | None,
    rate: float = 500.0,
    digits: int = 9,
    name: str = "motion",
    hold: ArrayLike = (),
    convention: Convention | None = None,
    lookahead: float = 0.1,
    gain: int = 300,
    rest: bool = True,
    override: bool = False,
    tolerance: float = 1e-6,
    jerk: ArrayLike | None = None,
    also: Sequence[Proof] = (),
) -> Export:
    """A URScript function that goes to the start posture, then streams the trajectory by ``servoj`` (radians), then stops.

    Between the streamed positions straight lines in joint space are assumed. What ``servoj`` smooths (``lookahead_time``, ``gain``) comes on top of that and is
    not modelled, so acceleration is checked of the design only.

    Parameters
    ----------
    limits : Limits or None
        What the design, and again the motion through the printed positions, must keep; None needs ``override``.
    rate : float [Hz]
        500 for e-Series, 125 for CB3.
    digits : int
        Digits after the point.
    name : str
        Of the function; turned into an identifier that starts with ``optid_``.
    hold : (6 - n,) [rad]
        Posture of the axes after the n joints.
    convention : Convention, optional
        Signs and offsets of the controller's axes.
    lookahead : float [s]
        0.03 to 0.2.
    gain : int
        100 to 2000.
    rest : bool
        Ask that the trajectory starts and ends at rest; otherwise the stream jerks the arm.
    override, tolerance, jerk, also
        As in :func:`to_rapid`.
    """
    if not 0.03 <= lookahead <= 0.2 or not 100 <= gain <= 2000:
        raise DataError(sentence("servoj settings", f"lookahead_time {lookahead:g}, gain {gain:g}", "0.03 ... 0.2 s and 100 ... 2000"))
    n = trajectory.n
    units = Units.of(convention, n, degrees=False, millimetres=False)
    if n > AXES or any(units.prismatic):
        raise DataError(sentence("a URScript export", f"{n} joints, {sum(units.prismatic)} of them prismatic", f"{AXES} revolute joints at most"))
    held = held_axes(hold, AXES, n, "a URScript export")
    step = round(1.0 / positive(rate, "rate"), 6)
    if step == 0.0:
        raise DataError(sentence("rate of a URScript export", f"{rate:g} Hz", "1e6 Hz at most"))
    run_time = stamps(trajectory, step)
    guard = Guard(limits, override, rest, tolerance, jerk, also)
    time = run_time if trajectory.periodic else np.minimum(run_time, trajectory.duration)
    export, _ = planned(trajectory, guard, time, run_time, digits, units, LINEAR)

    function = program_name(name)
    tail = "".join(f", {x + 0.0:.{digits}f}" for x in np.round(held, digits))
    postures = ["[" + ", ".join(f"{x:.{digits}f}" for x in row) + tail + "]" for row in export.values]
    joints = ", ".join(identifiers(trajectory.joint_names)) or f"{n} joints"
    head = [f"Joint positions in radians, {step:g} s apart: {joints}", *remarks(export, units, digits)]
    lines = [
        f"def {function}():",
        *(f"  # {line}" for line in head),
        f"  movej({postures[0]}, a=0.5, v=0.25)",
        *(f"  servoj({posture}, t={step:.6f}, lookahead_time={lookahead:.3f}, gain={int(gain)})" for posture in postures[1:]),
        "  stopj(2.0)",
        "end",
        "",
    ]
    return replace(export, text="\n".join(lines))
