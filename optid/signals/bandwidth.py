"""A default cut-off, read off the motion itself."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.errors import DataError, sentence

from .filters import minimum_length, require_finite

Array = NDArray[np.float64]
ENERGY = 0.99  # share of the velocity's energy that lies below the motion's bandwidth
FACTOR = 5.0  # cut-off over bandwidth
CEILING = 0.2  # largest default cut-off over the sampling rate
LONGEST = 2**18  # samples looked at; a longer record is looked at in its middle


def motion_bandwidth(q: ArrayLike, rate: float) -> float:
    """Frequency [Hz] below which 99 % of the energy of the fastest joint's velocity lies (largest over the joints that move).

    Parameters
    ----------
    q : (N, n)
    rate : float [Hz]
    """
    from scipy.signal import periodogram

    position = require_finite(q, "positions")
    if len(position) < minimum_length():
        raise DataError(sentence("positions to read a bandwidth from", f"{len(position)} samples", f"at least {minimum_length()}"))
    if len(position) > LONGEST:
        middle = (len(position) - LONGEST) // 2
        position = position[middle : middle + LONGEST]
    velocity = np.diff(position, axis=0) * rate
    frequency, power = periodogram(velocity, rate, window="hann", detrend="constant", axis=0)
    total = power.sum(axis=0)
    if not (total > 0).any():
        return float(frequency[1])
    share = np.cumsum(power, axis=0) / np.where(total > 0, total, 1.0)
    return float(max(frequency[np.searchsorted(share[:, j], ENERGY)] for j in np.flatnonzero(total > 0)))


def default_cutoff(q: ArrayLike, rate: float) -> float:
    """Cut-off [Hz] of position and torque when none is asked for: five times the motion's bandwidth, at most a fifth of the sampling rate."""
    return min(FACTOR * motion_bandwidth(q, rate), CEILING * rate)
