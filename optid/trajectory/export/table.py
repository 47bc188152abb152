"""CSV: time, positions, velocities and accelerations at a rate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from optid.robot import Limits
from optid.trajectory.arrays import positive
from optid.trajectory.base import Trajectory

from .convention import Convention, Units
from .interpolation import QUINTIC
from .names import identifiers
from .plan import Export, Guard, Proof, planned, stamps


def to_csv(
    trajectory: Trajectory,
    *,
    limits: Limits | None,
    rate: float = 250.0,
    digits: int = 12,
    degrees: bool = False,
    convention: Convention | None = None,
    override: bool = False,
    tolerance: float = 1e-6,
    jerk: ArrayLike | None = None,
    also: Sequence[Proof] = (),
) -> Export:
    """A table with the columns ``time_s``, then ``q_``, ``dq_``, ``ddq_`` of every joint with their units (``q_elbow_rad``, ``dq_slide_m_s``, ...).

    Quintic polynomials between the printed rows are checked against the limits again.

    Parameters
    ----------
    limits : Limits or None
        What the design, and again the motion through the printed rows, must keep; None needs ``override``.
    rate : float [Hz]
        The last row is not before the end of the motion.
    digits : int
        Digits after the point.
    degrees : bool
        Degrees and millimetres instead of radians and metres.
    convention, override, tolerance, jerk, also
        As in :func:`to_rapid`.
    """
    units = Units.of(convention, trajectory.n, degrees=degrees, millimetres=degrees)
    time = np.round(stamps(trajectory, 1.0 / positive(rate, "rate")), 9)
    inside = time if trajectory.periodic else np.minimum(time, trajectory.duration)
    export, printed = planned(trajectory, Guard(limits, override, False, tolerance, jerk, also), inside, time, digits, units, QUINTIC)

    labels = identifiers(trajectory.joint_names) or tuple(str(j + 1) for j in range(trajectory.n))
    unit = [("mm" if degrees else "m") if prismatic else ("deg" if degrees else "rad") for prismatic in units.prismatic]
    columns = [f"{what}_{x}_{u}{per}" for what, per in (("q", ""), ("dq", "_s"), ("ddq", "_s2")) for x, u in zip(labels, unit, strict=True)]
    row = "%.9f" + f",%.{digits}f" * (3 * trajectory.n)
    rows = (row % tuple(values) for values in np.column_stack([time, *printed]).tolist())
    return replace(export, text="\n".join([",".join(["time_s", *columns]), *rows, ""]))
