"""Trajectories one after another, and windows of one."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from optid.errors import DataError, ShapeError, sentence

from .arrays import Array
from .base import FiniteTrajectory, Trajectory
from .extremes import Extremes, combined, with_jumps

JUMP = 1e-9


@dataclass(frozen=True, eq=False, repr=False)
class Window(FiniteTrajectory):
    """The part of a trajectory between two times, with its clock set to zero at ``start``.

    Parameters
    ----------
    trajectory : Trajectory
    start, stop : float [s]

    Examples
    --------
    >>> from optid.trajectory import Fourier, Window
    >>> part = Window(Fourier([0.0], [[1.0]], [[0.0]], period=4.0), 1.0, 2.0)
    >>> part.duration, part.derivative([0.0]).round(12).ravel().tolist()
    (1.0, [1.0])
    """

    kind: ClassVar[str] = "window"

    trajectory: Trajectory
    start: float
    stop: float

    def __post_init__(self) -> None:
        start, stop = self.trajectory.interval(self.start, self.stop)
        if not stop > start:
            raise DataError(sentence("window of a trajectory", f"{start:g} ... {stop:g} s", "a length above zero"))
        object.__setattr__(self, "start", start)
        object.__setattr__(self, "stop", stop)

    @property
    def n(self) -> int:
        """Number of joints."""
        return self.trajectory.n

    @property
    def joint_names(self) -> tuple[str, ...]:
        """n joint names; empty when the joints are not named."""
        return self.trajectory.joint_names

    @property
    def duration(self) -> float:
        """Length [s]."""
        return self.stop - self.start

    def _derivative(self, t: Array, order: int) -> Array:
        return self.trajectory.derivative(np.minimum(self.start + t, self.stop), order)

    def extremes(self, order: int = 0, start: float = 0.0, stop: float | None = None) -> Extremes:
        """Exact extremes; see :meth:`Trajectory.extremes`."""
        start, stop = self.interval(start, stop)
        return combined([self.trajectory.extremes(order, self.start + start, min(self.start + stop, self.stop))], [-self.start])


@dataclass(frozen=True, eq=False, repr=False)
class Sequence(FiniteTrajectory):
    """Trajectories one after another, without a jump of position or velocity.

    Parameters
    ----------
    parts : tuple of Trajectory
        Of the same joints; each begins where, and as fast as, the one before ends.

    Raises
    ------
    ShapeError, DataError
        When the parts do not fit together; the message names junction, joint and jump.

    Examples
    --------
    >>> from optid.trajectory import PointToPoint, Sequence
    >>> motion = Sequence((PointToPoint([0.0], [1.0], 1.0), PointToPoint([1.0], [0.0], 2.0)))
    >>> motion.duration, motion.derivative([1.0]).round(12).ravel().tolist()
    (3.0, [1.0])
    """

    kind: ClassVar[str] = "sequence"

    parts: tuple[Trajectory, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "parts", tuple(self.parts))
        if not self.parts:
            raise ShapeError(sentence("a sequence of trajectories", "no part", "one at least"))
        for part in self.parts[1:]:
            if part.n != self.n or part.joint_names not in ((), self.joint_names):
                raise ShapeError(
                    sentence("a sequence of trajectories", f"joints {part.joint_names or part.n}", f"{self.joint_names or self.n}, those of the first part")
                )
        for order, quantity in enumerate(("position", "velocity")):
            for (k, j), jump in np.ndenumerate(self._jumps(order)):
                if jump != 0.0:
                    at = self.starts[k + 1]
                    raise DataError(
                        sentence(f"a sequence of trajectories, joint {j + 1} at {at:g} s", f"a {quantity} jump of {jump:.3g}", f"a continuous {quantity}")
                    )

    @property
    def n(self) -> int:
        """Number of joints."""
        return self.parts[0].n

    @property
    def joint_names(self) -> tuple[str, ...]:
        """n joint names; empty when the joints are not named."""
        return self.parts[0].joint_names

    @cached_property
    def starts(self) -> Array:
        """Times (K+1,) [s] at which the parts begin, and the end."""
        return np.concatenate([[0.0], np.cumsum([part.duration for part in self.parts])])

    @property
    def duration(self) -> float:
        """Length [s]."""
        return float(self.starts[-1])

    def _derivative(self, t: Array, order: int) -> Array:
        index = np.clip(np.searchsorted(self.starts, t, side="right") - 1, 0, len(self.parts) - 1)
        result = np.empty((len(t), self.n))
        for k, part in enumerate(self.parts):
            used = index == k
            result[used] = part.derivative(np.clip(t[used] - self.starts[k], 0.0, part.duration), order)
        return result

    def _jumps(self, order: int) -> Array:
        """Jumps (K-1, n) of a derivative where parts meet, zero where they are rounding errors."""
        before = np.array([part.derivative(part.duration, order)[0] for part in self.parts[:-1]]).reshape(-1, self.n)
        after = np.array([part.derivative(0.0, order)[0] for part in self.parts[1:]]).reshape(-1, self.n)
        scale = max(np.abs(part.derivative(np.linspace(0.0, part.duration, 33), order)).max() for part in self.parts)
        return np.where(np.abs(after - before) > JUMP * scale, after - before, 0.0)

    def extremes(self, order: int = 0, start: float = 0.0, stop: float | None = None) -> Extremes:
        """Exact extremes of all parts; infinite where the derivative below jumps between two of them."""
        start, stop = self.interval(start, stop)
        found, offsets = [], []
        for part, first, last in zip(self.parts, self.starts[:-1], self.starts[1:], strict=True):
            low, high = max(start, first), min(stop, last)
            if low < high or start == stop == low == high:
                found.append(part.extremes(order, low - first, min(high - first, part.duration)))
                offsets.append(float(first))
        inner = self.starts[1:-1]
        used = (inner > start) & (inner < stop)
        return with_jumps(combined(found, offsets), [self._jumps(k)[used] for k in range(order)], inner[used])
