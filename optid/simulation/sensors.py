"""What sensors make of positions and torques."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.errors import DataError, ShapeError, sentence

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Sensors:
    """Encoders that count and torques that are noisy.

    Attributes
    ----------
    resolution : float or n floats [rad or m]
        Position of one encoder count, joint side; 0 is exact. A count is 2π / (counts per motor turn · gear).
    torque_noise : float or n floats [N m or N]
        Standard deviation of the white noise on every torque sample.

    Examples
    --------
    >>> from optid.simulation import Sensors
    >>> Sensors(torque_noise=0.5).torque_noise
    0.5
    """

    resolution: float | tuple[float, ...] = 0.0
    torque_noise: float | tuple[float, ...] = 0.0

    def __post_init__(self) -> None:
        for what in ("resolution", "torque_noise"):
            value = getattr(self, what)
            if np.ndim(value):
                object.__setattr__(self, what, tuple(float(x) for x in np.asarray(value)))
            if not (np.isfinite(value).all() and (np.asarray(value) >= 0).all()):
                raise DataError(sentence(f"{what} of sensors", value, "finite numbers that are not negative"))

    def position(self, q: ArrayLike) -> Array:
        """Positions (N, n) rounded to whole counts. The error is uniform: its standard deviation is the resolution over √12."""
        exact = np.asarray(q, dtype=float)
        count = _per_joint(self.resolution, exact, "resolution")
        return np.where(count > 0, np.round(exact / np.where(count > 0, count, 1.0)) * count, exact)

    def torque(self, tau: ArrayLike, rng: np.random.Generator) -> Array:
        """Torques (N, n) with noise."""
        exact = np.asarray(tau, dtype=float)
        return exact + _per_joint(self.torque_noise, exact, "torque noise") * rng.standard_normal(exact.shape)


def _per_joint(value: float | tuple[float, ...], signal: Array, what: str) -> Array:
    if np.shape(value) not in ((), signal.shape[1:]):
        raise ShapeError(sentence(f"{what} of sensors", f"{np.size(value)} values", f"one, or one for each of {signal.shape[1]} joints"))
    return np.broadcast_to(np.asarray(value, dtype=float), signal.shape[1:])
