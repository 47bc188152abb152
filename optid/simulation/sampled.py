"""What a sampled controller measures: positions in counts, noise, and speeds made of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from optid.errors import DataError, ShapeError, sentence, unknown_name
from optid.model.arrays import numbers

Array = NDArray[np.float64]

SPEEDS = ("exact", "difference")


@dataclass(frozen=True)
class Measurement:
    """How the controller sees the arm.

    Attributes
    ----------
    resolution : float or n floats [rad or m]
        Position of one encoder count, joint side; 0 is exact.
    noise : float or n floats [rad or m]
        Standard deviation of white noise on every position sample, before it is counted.
    speed : "exact" or "difference"
        A tachometer, or backward differences of the measured positions (0 at the first sample).
    speed_noise : float or n floats [rad/s or m/s]
        Standard deviation of white noise on the tachometer.

    Examples
    --------
    >>> from optid.simulation import Measurement
    >>> Measurement(resolution=1e-4).resolution
    0.0001
    """

    resolution: float | tuple[float, ...] = 0.0
    noise: float | tuple[float, ...] = 0.0
    speed: str = "exact"
    speed_noise: float | tuple[float, ...] = 0.0

    def __post_init__(self) -> None:
        if self.speed not in SPEEDS:
            raise unknown_name("speed of a measurement", self.speed, SPEEDS)
        for what in ("resolution", "noise", "speed_noise"):
            value = numbers(getattr(self, what), f"{what} of a measurement")
            if value.ndim > 1:
                raise ShapeError(sentence(f"{what} of a measurement", f"shape {value.shape}", "a number, or one an axis"))
            if not (np.isfinite(value).all() and (value >= 0).all()):
                raise DataError(sentence(f"{what} of a measurement", value.tolist(), "finite numbers that are not negative"))
            if value.ndim:
                object.__setattr__(self, what, tuple(float(x) for x in value))

    def start(self, period: float, seed: int, n: int) -> Sensing:
        """The sensors of one run on n axes, sampled every ``period`` [s]."""
        for what in ("resolution", "noise", "speed_noise"):
            if np.shape(getattr(self, what)) not in ((), (n,)):
                raise ShapeError(sentence(f"{what} of a measurement", f"{np.size(getattr(self, what))} values", f"one, or {n}, one an axis"))
        return Sensing(self, period, np.random.default_rng(seed))


class Sensing:
    """The sensors of one run."""

    def __init__(self, measurement: Measurement, period: float, rng: np.random.Generator) -> None:
        self.measurement, self.period, self.rng = measurement, period, rng
        self._last: Array | None = None

    def __call__(self, q: Array, dq: Array) -> tuple[Array, Array]:
        """Measured position and speed (n,) of the true ones."""
        m = self.measurement
        seen = q + np.asarray(m.noise) * self.rng.standard_normal(q.shape) if np.any(m.noise) else q
        count = np.broadcast_to(np.asarray(m.resolution, dtype=float), q.shape)
        if count.any():
            seen = np.where(count > 0, np.round(seen / np.where(count > 0, count, 1.0)) * count, seen)
        if m.speed == "difference":
            speed = np.zeros_like(seen) if self._last is None else (seen - self._last) / self.period
            self._last = seen
            return seen, speed
        return seen, dq + np.asarray(m.speed_noise) * self.rng.standard_normal(q.shape) if np.any(m.speed_noise) else dq
