"""The true period of a motion that was commanded with a nominal one."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.errors import DataError, sentence

from .filters import require_finite

Array = NDArray[np.float64]
WEAKEST = 0.5  # an autocorrelation below this at its maximum is no period


def autocorrelation(x: ArrayLike) -> Array:
    """(N,) autocorrelation of the columns of ``x`` (N, n) at lags 0 … N−1, each column less its mean and over its variance.

    At lag L the products of the N−L overlapping pairs are divided by the mean energy of the two overlapping pieces: the value is 1 exactly where the record
    repeats itself, and its maximum is not drawn to one side by pieces of unequal energy. Columns that do not vary are left out.
    """
    signal = require_finite(x, "signal to correlate")
    signal = signal.reshape(len(signal), -1)
    spread = signal.std(axis=0)
    varies = spread > 1e-12 * (np.abs(signal).max(axis=0, initial=0.0) + np.finfo(float).tiny)
    if not varies.any():
        raise DataError(sentence("signal to correlate", "constant", "a motion"))
    signal = (signal[:, varies] - signal[:, varies].mean(axis=0)) / spread[varies]
    count = len(signal)
    size = 1 << (2 * count - 1).bit_length()
    products = np.zeros(count)
    for column in signal.T:
        products += np.fft.irfft(np.abs(np.fft.rfft(column, size)) ** 2, size)[:count]
    power = (signal**2).sum(axis=1)
    until, since = np.cumsum(power)[::-1], np.cumsum(power[::-1])[::-1]
    energy = 0.5 * (until + since)
    return products / np.where(energy > 0, energy, 1.0)


def find_period(q: ArrayLike, rate: float, nominal: float, search: float = 0.1) -> float:
    """True period [s] of a periodic motion, from the maxima of the autocorrelation near the nominal period and its multiples (G21).

    The maximum near the nominal period is refined by the parabola through it and its neighbours; then every multiple m·T that leaves at least one period of
    overlap is looked up the same way, and T is the least-squares slope of the maxima's lags over m. For a record of several cycles sampled at 40 or more points
    per period of its highest harmonic, the result is good to about a hundredth of a sample.

    Parameters
    ----------
    q : (N, n), at least two periods
    rate : float [Hz]
    nominal : float [s]
    search : float
        Relative half width of the search around the nominal period.

    Raises
    ------
    DataError
        When the record is shorter than two periods, or has no maximum there.

    Examples
    --------
    >>> import numpy as np
    >>> from optid.signals import find_period
    >>> t = np.arange(0, 60, 0.01)
    >>> round(find_period(np.sin(2 * np.pi * t / 5.02)[:, None], 100.0, nominal=5.0), 3)
    5.02
    """
    count, lag = len(np.asarray(q)), nominal * rate
    if not (0 < search < 0.5 and np.isfinite(lag) and lag >= 4):
        raise DataError(
            sentence("period to look for", f"{nominal} s at {rate:g} Hz, searched within {search:g}", "four samples or more, searched within less than 0.5")
        )
    low, high = int(np.floor(lag * (1 - search))), int(np.ceil(lag * (1 + search)))
    if count < 2 * lag or high + 1 >= count:
        raise DataError(sentence("record to find a period in", f"{count / lag:.3g} nominal periods of {nominal:g} s", "two or more"))
    correlation = autocorrelation(q)
    best = low + int(np.argmax(correlation[low : high + 1]))
    if best in (low, high) or correlation[best] < WEAKEST:
        raise DataError(
            sentence(
                f"period of the motion within {search:.0%} of {nominal:g} s",
                f"no maximum of the autocorrelation above {WEAKEST}",
                "one",
                "Check the nominal period, or widen the search.",
            )
        )
    period = _peak(correlation, best)
    lags, multiples = [period], [1]
    for m in range(2, int((count - period) // period) + 1):
        near = round(m * period)
        best = near - 2 + int(np.argmax(correlation[near - 2 : near + 3]))
        if not near - 2 < best < near + 2 or best + 1 >= count or correlation[best] < WEAKEST:
            break
        lags.append(_peak(correlation, best))
        multiples.append(m)
        period = float(np.dot(multiples, lags) / np.dot(multiples, multiples))
    return period / rate


def _peak(values: Array, at: int) -> float:
    """Abscissa of the top of the parabola through three neighbouring values."""
    left, middle, right = values[at - 1 : at + 2]
    bend = left - 2 * middle + right
    return at + (0.5 * (left - right) / bend if bend < 0 else 0.0)
