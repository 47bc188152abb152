"""What every trajectory can do."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from optid.errors import DataError, sentence
from optid.robot import Limits

from .arrays import Array, positive, times
from .check import CheckReport, check
from .extremes import Extremes


class Samples(NamedTuple):
    """Equally spaced samples: time (N,) [s] and q, dq, ddq (N, n).

    Examples
    --------
    >>> from optid.trajectory import Fourier
    >>> samples = Fourier([0.0], [[1.0]], [[0.0]], period=1.0).sample(4.0)
    >>> samples.time.tolist(), samples.q.round(12).ravel().tolist()
    ([0.0, 0.25, 0.5, 0.75], [0.0, 1.0, 0.0, -1.0])
    """

    time: Array
    q: Array
    dq: Array
    ddq: Array


class Trajectory(ABC):
    """A motion of n joints over ``0 <= t <= duration``, with exact derivatives and proven extremes.

    Examples
    --------
    >>> from optid.trajectory import PointToPoint, Trajectory
    >>> move = PointToPoint([0.0, 0.0], [1.0, 2.0], 1.0)
    >>> isinstance(move, Trajectory), move.n, move.duration
    (True, 2, 1.0)
    """

    kind: ClassVar[str]
    """Name of the family in a stored file."""

    __hash__ = None  # type: ignore[assignment]

    @property
    @abstractmethod
    def n(self) -> int:
        """Number of joints."""

    @property
    @abstractmethod
    def duration(self) -> float:
        """Length [s]."""

    @property
    def joint_names(self) -> tuple[str, ...]:
        """n joint names; empty when the joints are not named."""
        return ()

    @property
    def periodic(self) -> bool:
        """True when the motion goes on smoothly from its end to its start."""
        return False

    @abstractmethod
    def derivative(self, t: ArrayLike, order: int = 0) -> Array:
        """Position (order 0) or its derivative of that order at the times t (N,), as (N, n)."""

    @abstractmethod
    def extremes(self, order: int = 0, start: float = 0.0, stop: float | None = None) -> Extremes:
        """Smallest and largest values of the position (order 0) or a derivative at every instant of ``start <= t <= stop`` (the whole motion)."""

    def evaluate(self, t: ArrayLike) -> tuple[Array, Array, Array]:
        """Position, velocity, acceleration at the times t (N,) [s], each (N, n)."""
        return self.derivative(t, 0), self.derivative(t, 1), self.derivative(t, 2)

    def jerk(self, t: ArrayLike) -> Array:
        """Third derivative (N, n) at the times t (N,) [s]."""
        return self.derivative(t, 3)

    def sample(self, rate: float) -> Samples:
        """Samples at ``k / rate``, k = 0, 1, ..., up to the duration; the end of a periodic motion, which is its start, is left out."""
        count = self.duration * positive(rate, "rate")
        last = int(np.floor(count + 1e-9 * max(1.0, count)))
        stamps = times(np.arange(last if self.periodic and last >= count - 1e-9 * count else last + 1) / rate)
        return Samples(stamps, *self.evaluate(stamps))

    def check(self, limits: Limits, *, jerk: ArrayLike | None = None, rest: bool = False, tolerance: float = 1e-9) -> CheckReport:
        """Prove that the motion stays inside limits at every instant, or name joint, quantity, time and amount of every excess.

        Parameters
        ----------
        limits : Limits
            Position, velocity and acceleration limits of the n joints (torque is not looked at here).
        jerk : float or (n,), optional [rad/s³ or m/s³]
            Largest magnitudes of the third derivative.
        rest : bool
            Also ask for zero velocity and acceleration at both ends.
        tolerance : float
            Excesses below this fraction (of the largest of the joint's two limits and the motion's magnitude) are not counted.
        """
        return check(self, limits, jerk, rest, tolerance)

    def check_or_raise(self, limits: Limits, *, jerk: ArrayLike | None = None, rest: bool = False, tolerance: float = 1e-9) -> CheckReport:
        """As :meth:`check`, but a broken limit raises :class:`LimitsError <optid.errors.LimitsError>`."""
        report = self.check(limits, jerk=jerk, rest=rest, tolerance=tolerance)
        report.raise_if_broken()
        return report

    def to_mapping(self) -> dict[str, Any]:
        """Plain arrays, numbers, strings and nested mappings from which :func:`from_mapping` makes the trajectory again."""
        from .mapping import to_mapping

        return to_mapping(self)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.n} joints, {self.duration:g} s)"

    def _repr_html_(self) -> str:
        from optid.notebook import trajectory_html

        return trajectory_html(self)

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        from .mapping import same

        return same(self.to_mapping(), other.to_mapping())

    def interval(self, start: float, stop: float | None) -> tuple[float, float]:
        """The time interval meant by ``start`` and ``stop`` of :meth:`extremes`; raises DataError when it is empty or leaves the motion."""
        end = self.duration if stop is None else float(stop)
        slack = 1e-9 * self.duration
        if not -slack <= start <= end <= self.duration + slack:
            raise DataError(sentence("time interval of a trajectory", f"{start:g} ... {end:g} s", f"inside 0 ... {self.duration:g} s"))
        return max(0.0, float(start)), min(self.duration, end)


class FiniteTrajectory(Trajectory):
    """A motion that begins and ends; where it ends at rest, it stands there afterwards (and before, where it begins at rest).

    Examples
    --------
    >>> from optid.trajectory import FiniteTrajectory, PointToPoint
    >>> move = PointToPoint([0.0], [1.0], 1.0)
    >>> isinstance(move, FiniteTrajectory), move.derivative([5.0]).ravel().tolist()  # it stands where it has come to rest
    (True, [1.0])
    """

    @abstractmethod
    def _derivative(self, t: Array, order: int) -> Array:
        """Derivative (N, n) at times inside the duration."""

    def derivative(self, t: ArrayLike, order: int = 0) -> Array:
        """Position (order 0) or its derivative (N, n) at the times t (N,).

        Raises
        ------
        DataError
            For times outside the duration when the motion is not at rest at that end.
        """
        stamps = times(t)
        inside = np.clip(stamps, 0.0, self.duration)
        outside = np.abs(stamps - inside) > 1e-9 * self.duration
        if outside.any():
            speed = np.abs(self._derivative(np.linspace(0.0, self.duration, 65), 1))
            ends = np.where(stamps[outside] < 0.0, speed[0].max(), speed[-1].max())
            if (ends > 1e-8 * speed.max()).any():
                worst = stamps[outside][int(np.argmax(ends))]
                raise DataError(sentence("time of a trajectory", f"{worst:g} s", f"0 ... {self.duration:g} s, because the motion is not at rest there"))
        result = self._derivative(inside, order)
        if order > 0:
            result[outside] = 0.0
        return result


def instant(trajectory: Trajectory, order: int, t: float) -> Extremes:
    """Extremes over the single instant ``t``."""
    value, at = trajectory.derivative(t, order)[0], np.full(trajectory.n, t)
    return Extremes(value, value, at, at, value, value)
