"""What every trajectory can do."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .arrays import Array, positive, times


class Samples(NamedTuple):
    """Equally spaced samples: time (N,) [s] and q, dq, ddq (N, n)."""

    time: Array
    q: Array
    dq: Array
    ddq: Array


class Trajectory(ABC):
    """A motion of n joints over ``0 <= t <= duration``, with exact derivatives.

    Attributes
    ----------
    joint_names : n-tuple of str, empty when not named
    """

    joint_names: tuple[str, ...]

    @property
    @abstractmethod
    def n(self) -> int:
        """Number of joints."""

    @property
    @abstractmethod
    def duration(self) -> float:
        """Length [s]."""

    @property
    def periodic(self) -> bool:
        """True when the motion goes on smoothly from its end to its start."""
        return False

    @abstractmethod
    def derivative(self, t: ArrayLike, order: int = 0) -> Array:
        """Position (order 0) or its derivative of that order at the times t (N,), as (N, n)."""

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
