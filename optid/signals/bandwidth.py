"""A default cut-off, read off the recording itself.

Differentiating twice multiplies a spectrum by ω⁴: the acceleration's spectrum falls where the motion ends and rises again where noise takes over. The rule
keeps as much of the motion as noise allows: the cut-off is the highest frequency up to which noise adds at most 1 % of its rms to the acceleration.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.errors import DataError, sentence

from .filters import minimum_length, require_finite

Array = NDArray[np.float64]
NOISE = 0.01  # rms of the noise that may pass, over the rms of the acceleration
CEILING = 0.2  # highest default cut-off, over the sampling rate
LONGEST = 2**18  # samples looked at: the middle of a longer record
ENERGY = 0.99  # of the position, found below the frequency above which noise may take over
OCTAVE = 2**0.5  # half width of the bands over which spectra are averaged


def default_cutoff(q: ArrayLike, rate: float, measured_rate: float | None = None) -> float:
    """Cut-off [Hz] of position and torque when none is asked for.

    For every joint, motion and noise are divided at the lowest point of the acceleration's power spectrum (averaged over an octave) above the frequencies that
    hold 99 % of the position's power. Noise is summed upwards from there until it holds 1e-4 of the motion's power. The median over the joints that move is
    returned, at most a fifth of the measured rate. A joint whose positions are spread over the whole spectrum only trembles and has no say.

    Parameters
    ----------
    q : (N, n) positions on a uniform grid
    rate : float [Hz]
    measured_rate : float [Hz] or None
        Rate of the measurements, where the grid is finer than they are: interpolation knows nothing above half of it.

    Examples
    --------
    >>> import numpy as np
    >>> from optid.signals import default_cutoff
    >>> t = np.arange(0, 20, 0.002)
    >>> noise = 1e-4 * np.random.default_rng(0).standard_normal((len(t), 1))
    >>> 1.0 < default_cutoff(np.sin(2 * np.pi * 0.5 * t)[:, None] + noise, 500.0) < 50.0
    True
    """
    position = require_finite(q, "positions")
    if len(position) < minimum_length():
        raise DataError(sentence("positions to read a bandwidth from", f"{len(position)} samples", f"at least {minimum_length()}"))
    if len(position) > LONGEST:
        middle = (len(position) - LONGEST) // 2
        position = position[middle : middle + LONGEST]
    known = rate if measured_rate is None else min(rate, measured_rate)
    ceiling = CEILING * known
    frequency = np.fft.rfftfreq(len(position), 1 / rate)[1:].astype(float)
    below = frequency <= known / 2
    line = np.stack([np.ones(len(position)), np.linspace(-1, 1, len(position))], axis=1)
    line_inverse = np.linalg.pinv(line)
    found = []
    for column in position.T:
        power = np.abs(np.fft.rfft(np.hanning(len(column)) * (column - line @ (line_inverse @ column)))) ** 2
        limit = _noise_limit(frequency[below], power[1:][below])
        if limit is not None:
            found.append(min(limit, ceiling))
    return float(np.median(found)) if found else ceiling


def _noise_limit(frequency: Array, power: Array) -> float | None:
    """Frequency up to which the noise in a position spectrum stays allowed; None when nothing stands out of the noise."""
    acceleration = power * frequency**4
    motion = int(np.searchsorted(np.cumsum(power), ENERGY * power.sum()))
    total = np.concatenate([[0.0], np.cumsum(acceleration)])
    low, high = np.searchsorted(frequency, frequency / OCTAVE), np.searchsorted(frequency, frequency * OCTAVE, side="right")
    smooth = (total[high] - total[low]) / (high - low)
    if power.sum() <= 0 or frequency[motion] > CEILING * 2 * frequency[-1]:
        return None
    valley = motion + int(np.argmin(smooth[motion:]))
    allowed = NOISE**2 * total[valley]
    last = int(np.searchsorted(total, total[valley] + allowed, side="right"))
    return float(frequency[min(last, len(frequency)) - 1])
