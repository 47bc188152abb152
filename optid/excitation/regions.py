"""Where named points of the arm must stay, and what they must stay away from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from optid.errors import LimitsError, sentence
from optid.kinematics.chain import frame_transform
from optid.robot import Robot

from .paths import Path, of_position


class Region(Protocol):
    """Anything that limits where the arm may be."""

    def path(self, robot: Robot) -> Path:
        """The constraint for a robot with limits."""
        ...


@dataclass(frozen=True, eq=False)
class KeepIn:
    """A point of the arm stays inside a box of the base frame.

    Parameters
    ----------
    lower, upper : (3,) [m]
        Infinite where there is no wall.
    frame : link index, link name, or None for the tool
    point : (3,) [m]
        In that frame.

    Examples
    --------
    >>> from optid.excitation import KeepIn
    >>> KeepIn((-1, -1, 0), (1, 1, 2)).frame is None  # the tool
    True
    """

    lower: ArrayLike
    upper: ArrayLike
    frame: int | str | None = None
    point: ArrayLike = (0.0, 0.0, 0.0)

    def path(self, robot: Robot) -> Path:
        """The constraint for a robot.

        Raises
        ------
        LimitsError
            The box is empty or has no wall.
        """
        low, high = (np.array(x, dtype=float) for x in (self.lower, self.upper))
        walls = np.isfinite(low) | np.isfinite(high) if low.shape == high.shape == (3,) else np.zeros(3, dtype=bool)
        if not walls.any() or not np.all(low < high):
            raise LimitsError(sentence("box to stay in", f"{low.tolist()} ... {high.tolist()}", "lower < upper in x, y, z, with a finite wall"))
        both = np.isfinite(low) & np.isfinite(high)
        half = np.where(both, (np.where(both, high, 1.0) - np.where(both, low, 0.0)) / 2, 1.0)[walls]
        place = _place(robot, self.frame, self.point)
        chosen = [int(i) for i in np.flatnonzero(walls)]
        labels = tuple(f"{'xyz'[i]} of {_called(robot, self.frame)}" for i in chosen)
        return of_position(robot, "position", place[1][chosen] / ca.DM(half), place[0], labels, low[walls] / half, high[walls] / half, half)


@dataclass(frozen=True, eq=False)
class KeepOut:
    """A point of the arm stays outside a ball of the base frame.

    Parameters
    ----------
    centre : (3,) [m]
    radius : float [m]
    frame : link index, link name, or None for the tool
    point : (3,) [m]
        In that frame.

    Examples
    --------
    >>> from optid.excitation import KeepOut
    >>> KeepOut((0.5, 0, 0.2), 0.1).radius
    0.1
    """

    centre: ArrayLike
    radius: float
    frame: int | str | None = None
    point: ArrayLike = (0.0, 0.0, 0.0)

    def path(self, robot: Robot) -> Path:
        """The constraint for a robot.

        Raises
        ------
        LimitsError
            The radius is not above zero.
        """
        if not self.radius > 0:
            raise LimitsError(sentence("radius of a ball to stay out of", self.radius, "a number above 0"))
        q, position = _place(robot, self.frame, self.point)
        share = ca.sumsqr(position - ca.DM(np.array(self.centre, dtype=float))) / self.radius**2
        label = (f"{_called(robot, self.frame)} outside a ball",)
        return of_position(robot, "distance", share, q, label, np.ones(1), np.full(1, np.inf), np.full(1, self.radius / 2))


def _place(robot: Robot, frame: int | str | None, point: ArrayLike) -> tuple[ca.SX, ca.SX]:
    q = ca.SX.sym("q", robot.n)
    R, p = frame_transform(robot, q, frame)
    return q, p + ca.mtimes(R, ca.DM(np.array(point, dtype=float)))


def _called(robot: Robot, frame: int | str | None) -> str:
    if frame is None:
        return "the tool"
    return frame if isinstance(frame, str) else robot.links[frame].name or f"link {frame + 1}"
