"""Ramps between standing still and a motion, and the Fourier trajectory that starts and ends at rest by them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from optid.errors import DataError, sentence

from .arrays import Array, positive, vector
from .base import FiniteTrajectory, Trajectory
from .extremes import Extremes
from .fourier import Fourier
from .piecewise import Piecewise, two_point
from .sequence import Sequence, Window

# Share of the displacement that velocity, acceleration and jerk at the moving end add, times T, T², T³, when the velocity is the polynomial of least degree.
_NATURAL = {2: (1 / 2, -1 / 12), 3: (1 / 2, -1 / 10, 1 / 120)}


def ramp_in(trajectory: Trajectory, duration: float, start: ArrayLike | None = None, continuity: int = 2, at: float = 0.0) -> Piecewise:
    """The polynomial from rest into a motion.

    Parameters
    ----------
    trajectory : Trajectory
    duration : float [s]
        Length of the ramp.
    start : (n,), optional [rad or m]
        Posture at rest. By default the one that lets the velocity grow without a detour.
    continuity : 2 or 3
        Highest derivative that is continuous, and zero at rest.
    at : float [s]
        Time of the motion at which the ramp joins it.

    Examples
    --------
    >>> from optid.trajectory import Fourier, ramp_in
    >>> ramp = ramp_in(Fourier([0.0], [[1.0]], [[0.0]], period=4.0), 1.0)
    >>> ramp.derivative([0.0, 1.0], 1).round(6).ravel().tolist()  # from rest to π / 2
    [0.0, 1.570796]
    """
    T = positive(duration, "duration of a ramp")
    moving = _state(trajectory, at, continuity)
    rest = np.zeros_like(moving)
    rest[:, 0] = moving[:, 0] - _displacement(moving, T, continuity) if start is None else vector(start, "start of a ramp", trajectory.n)
    return Piecewise(np.array([0.0, T]), two_point(rest[None], moving[None], np.array([T])), trajectory.joint_names)


def ramp_out(trajectory: Trajectory, duration: float, end: ArrayLike | None = None, continuity: int = 2, at: float | None = None) -> Piecewise:
    """The polynomial from a motion (at its end, or at the time ``at``) to rest; parameters as in :func:`ramp_in`.

    Examples
    --------
    >>> from optid.trajectory import Fourier, ramp_out
    >>> ramp_out(Fourier([0.0], [[1.0]], [[0.0]], period=4.0), 1.0).derivative([0.0, 1.0], 1).round(6).ravel().tolist()
    [1.570796, 0.0]
    """
    T = positive(duration, "duration of a ramp")
    moving = _state(trajectory, trajectory.duration if at is None else at, continuity)
    rest = np.zeros_like(moving)
    mirror = moving * (-1.0) ** np.arange(continuity + 1)
    rest[:, 0] = moving[:, 0] - _displacement(mirror, T, continuity) if end is None else vector(end, "end of a ramp", trajectory.n)
    return Piecewise(np.array([0.0, T]), two_point(moving[None], rest[None], np.array([T])), trajectory.joint_names)


def stopped(trajectory: Trajectory, at: float, ramp: float, continuity: int = 2) -> Sequence:
    """The trajectory up to the time ``at`` [s], then a ramp to rest of ``ramp`` seconds. Check it again: a stop may leave the limits.

    Examples
    --------
    >>> from optid.trajectory import Fourier, stopped
    >>> stop = stopped(Fourier([0.0], [[1.0]], [[0.0]], period=4.0), at=3.0, ramp=0.5)
    >>> stop.duration, bool(abs(stop.derivative([3.5], 1)).max() < 1e-12)
    (3.5, True)
    """
    return Sequence((Window(trajectory, 0.0, at), ramp_out(trajectory, ramp, continuity=continuity, at=at)))


def _state(trajectory: Trajectory, t: float, continuity: int) -> Array:
    """Position and the derivatives up to ``continuity`` (n, continuity + 1)."""
    if continuity not in _NATURAL:
        raise DataError(sentence("continuity of a ramp", continuity, "2 (acceleration) or 3 (jerk)"))
    return np.stack([trajectory.derivative(t, order)[0] for order in range(continuity + 1)], axis=1)


def _displacement(moving: Array, T: float, continuity: int) -> Array:
    factors = np.array([f * T**k for k, f in enumerate(_NATURAL[continuity], start=1)])
    return moving[:, 1:] @ factors


@dataclass(frozen=True, eq=False, repr=False)
class RampedFourier(FiniteTrajectory):
    """A Fourier trajectory (all its cycles) between a ramp from rest and a ramp to rest.

    Parameters
    ----------
    fourier : Fourier
    ramp : float [s]
        Length of each ramp.
    start, end : (n,), optional [rad or m]
        Postures at rest; by default those that let the velocity grow and vanish without a detour.
    continuity : 2 or 3
        Highest derivative that is continuous: acceleration, or jerk too.

    Examples
    --------
    >>> from optid.trajectory import Fourier, RampedFourier
    >>> motion = RampedFourier(Fourier([0.0], [[0.5]], [[0.0]], period=4.0), ramp=1.0)
    >>> motion.duration, motion.derivative([0.0, motion.duration], 1).round(12).ravel().tolist()
    (6.0, [0.0, 0.0])
    """

    kind: ClassVar[str] = "ramped_fourier"

    fourier: Fourier
    ramp: float
    start: Array | None = None
    end: Array | None = None
    continuity: int = 2

    def __post_init__(self) -> None:
        for what in ("start", "end"):
            if getattr(self, what) is not None:
                object.__setattr__(self, what, vector(getattr(self, what), f"{what} of a ramp", self.fourier.n))
        object.__setattr__(self, "ramp", positive(self.ramp, "duration of a ramp"))
        _state(self.fourier, 0.0, self.continuity)

    @cached_property
    def sequence(self) -> Sequence:
        """Ramp, Fourier trajectory, ramp."""
        motion = self.fourier
        return Sequence((ramp_in(motion, self.ramp, self.start, self.continuity), motion, ramp_out(motion, self.ramp, self.end, self.continuity)))

    @property
    def n(self) -> int:
        """Number of joints."""
        return self.fourier.n

    @property
    def joint_names(self) -> tuple[str, ...]:
        """n joint names; empty when the joints are not named."""
        return self.fourier.joint_names

    @property
    def duration(self) -> float:
        """Length [s], ramps included."""
        return self.sequence.duration

    @property
    def steady(self) -> tuple[float, float]:
        """Start and end [s] of the periodic part."""
        return self.ramp, self.ramp + self.fourier.duration

    def _derivative(self, t: Array, order: int) -> Array:
        return self.sequence.derivative(t, order)

    def extremes(self, order: int = 0, start: float = 0.0, stop: float | None = None) -> Extremes:
        """Exact extremes of the ramps and of the Fourier part; see :meth:`Trajectory.extremes`."""
        return self.sequence.extremes(order, start, stop)
