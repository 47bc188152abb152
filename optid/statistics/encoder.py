"""What the counts of an encoder do to positions, velocities and accelerations.

A position rounded to whole counts Δq is off by an error that is uniform over ±Δq/2, of standard deviation σ_p = Δq / (2√3), and nearly white while the motor
turns by more than a count a sample. A difference formula is a weighted sum of samples, so its standard deviation is σ_p times the root of the
sum of squared weights:

- ``(q_k − q_{k−1}) / T``: weights (1, −1)/T, hence √2 σ_p / T;
- ``(q_{k+1} − q_{k−1}) / 2T``: (1, 0, −1)/2T, hence σ_p / (√2 T);
- ``(q_{k+1} − 2 q_k + q_{k−1}) / T²``: (1, −2, 1)/T², hence **√6 σ_p / T²**, since 1 + 4 + 1 = 6;
- the central formula applied twice, ``(q_{k+2} − 2 q_k + q_{k−2}) / 4T²``: √6 σ_p / (4 T²).

G21 writes 2 σ_p / T² for the acceleration, as if two independent velocities of √2 σ_p / T were subtracted. They share q_k, whose error counts twice in one
direction: the source's value is low by 18 %.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.errors import DataError, sentence, unknown_name

Array = NDArray[np.float64]

VELOCITY = {"backward": np.array([1.0, -1.0]), "central": np.array([0.5, 0.0, -0.5])}
ACCELERATION = {"second": np.array([1.0, -2.0, 1.0]), "central": np.array([0.25, 0.0, -0.5, 0.0, 0.25])}


@dataclass(frozen=True)
class EncoderNoise:
    """Rounding noise of an encoder.

    Parameters
    ----------
    resolution : float [rad or m]
        Position of one count, on the side where positions are used.

    Examples
    --------
    >>> from optid.statistics import EncoderNoise
    >>> EncoderNoise(1e-3)
    EncoderNoise(resolution=0.001)
    """

    resolution: float

    def __post_init__(self) -> None:
        if not 0 < self.resolution < np.inf:
            raise DataError(sentence("resolution of an encoder", self.resolution, "a positive number"))

    @classmethod
    def of(cls, counts: float, gear: float = 1.0) -> EncoderNoise:
        """From counts per turn of the motor (four per pulse with quadrature) and the gear ratio to the joint: 2π / (counts · gear)."""
        if not (counts > 0 and abs(gear) > 0):
            raise DataError(sentence("encoder", f"{counts} counts per turn, gear {gear}", "positive counts and a gear ratio"))
        return cls(2 * np.pi / (counts * abs(gear)))

    @property
    def position(self) -> float:
        """σ_p = Δq / (2√3)."""
        return self.resolution / (2 * np.sqrt(3))

    def velocity(self, rate: float, formula: str = "central") -> float:
        """σ_v of a "backward" or "central" difference at ``rate`` [Hz]."""
        return self.position * rate * _size(VELOCITY, formula, "velocity")

    def acceleration(self, rate: float, formula: str = "second") -> float:
        """σ_a of the "second" difference, or of the "central" one applied twice."""
        return self.position * rate**2 * _size(ACCELERATION, formula, "acceleration")


def _size(formulas: dict[str, Array], formula: str, what: str) -> float:
    if formula not in formulas:
        raise unknown_name(f"difference formula of {what}", formula, formulas)
    return float(np.linalg.norm(formulas[formula]))


def motion_noise(sigma: ArrayLike, rate: float, cutoff: float | None = None, order: int = 4) -> Array:
    """Covariance (n, 3, 3) of the noise in (q, dq, ddq) of one instant, for white position noise of standard deviation ``sigma`` (n,).

    Exact for what :class:`optid.signals.Preprocessing` does: zero-phase low-pass (None: no filter), then the central difference once and twice. Each is a
    weighted sum of the same samples, so that q and ddq go along (negatively); dq is independent of both. The weights are the impulse responses.

    Examples
    --------
    >>> from optid.statistics import motion_noise
    >>> motion_noise([1e-4], rate=100.0).shape
    (1, 3, 3)
    """
    from optid.signals import central, lowpass
    from optid.signals.filters import settling_samples

    reach = 4 if cutoff is None else 4 + 10 * settling_samples(cutoff, rate, order)
    impulse = np.zeros(2 * reach + 1)
    impulse[reach] = 1.0
    q = impulse if cutoff is None else lowpass(impulse, cutoff, rate, order)
    dq = central(q, rate)
    weights = np.stack([q, dq, central(dq, rate)])
    deviation = np.atleast_1d(np.asarray(sigma, dtype=float))
    if not (np.isfinite(deviation).all() and (deviation >= 0).all()):
        raise DataError(sentence("standard deviation of position noise", deviation.tolist(), "finite numbers >= 0"))
    return np.asarray(deviation[:, None, None] ** 2 * (weights @ weights.T))
