"""Units, percents and lists as text."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from optid.robot import Robot


def percent(value: float | None) -> str:
    """``1.23%``, or a dash for what is not finite."""
    return f"{value:.2%}" if value is not None and isfinite(value) else "–"


def torque_unit(robot: Robot | None, j: int) -> str:
    """``N m`` or, for a prismatic joint, ``N``; N m when the robot is not known."""
    return "N m" if robot is None or robot.joints[robot.independent[j]].revolute else "N"


def listed(names: Sequence[str], most: int = 8) -> str:
    """``a, b and c``; of many the first."""
    if len(names) > most:
        return f"{', '.join(names[:most])} and {len(names) - most} more"
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names)
