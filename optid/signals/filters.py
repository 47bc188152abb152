"""Zero-phase low-pass filters in second-order sections, and decimation.

The *order* of a filter is its design order; forward and backward passes square its gain and cancel its phase. Second-order sections keep high orders at
low relative cut-offs from exploding, which the polynomial form does not.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, log, pi, sin

import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.errors import DataError, ShapeError, sentence

Array = NDArray[np.float64]
SETTLED = 1e-3  # what is left of an end transient after the samples counted by settling_samples


@dataclass(frozen=True)
class Nyquist:
    """A cut-off as a fraction of half the sampling rate, ``0 < fraction < 1``, for protocols stated that way."""

    fraction: float

    def __post_init__(self) -> None:
        if not 0 < self.fraction < 1:
            raise DataError(sentence("cut-off as a fraction of Nyquist", self.fraction, "more than 0 and less than 1"))


Cutoff = float | Nyquist


def cutoff_hz(cutoff: Cutoff, rate: float) -> float:
    """The cut-off in Hz.

    Raises
    ------
    DataError
        When it is not between 0 and half the rate.
    """
    value = cutoff.fraction * rate / 2 if isinstance(cutoff, Nyquist) else float(cutoff)
    if not (rate > 0 and np.isfinite(rate)):
        raise DataError(sentence("sampling rate", f"{rate} Hz", "a positive number"))
    if not 0 < value < rate / 2:
        raise DataError(
            sentence("cut-off of a low-pass filter", f"{value:g} Hz", f"between 0 and half the sampling rate, {rate / 2:g} Hz", "Lower it, or pass None.")
        )
    return value


def minimum_length(order: int = 4) -> int:
    """Fewest samples that a zero-phase filter of this order takes: one more than the samples reflected at each end (Gustafsson 1996 discusses the ends)."""
    if not 1 <= order <= 20 or int(order) != order:
        raise DataError(sentence("order of a Butterworth filter", order, "a whole number from 1 to 20"))
    sections = (order + 1) // 2
    return 3 * (2 * sections + 1 - order % 2) + 1


def settling_samples(cutoff: Cutoff, rate: float, order: int = 4) -> int:
    """Samples at each end that the filter's own transient reaches (until 1e-3 of it is left).

    The slowest pole of a Butterworth filter of order m lies at ``2π·cutoff·sin(π/(2m))`` to the left of the imaginary axis, and its transient decays with it.
    """
    minimum_length(order)
    return ceil(log(1 / SETTLED) / (2 * pi * cutoff_hz(cutoff, rate) * sin(pi / (2 * order))) * rate)


def lowpass(x: ArrayLike, cutoff: Cutoff, rate: float = 1.0, order: int = 4) -> Array:
    """Zero-phase Butterworth low-pass of every column.

    Parameters
    ----------
    x : (N,) or (N, n)
    cutoff : float [Hz] or Nyquist
    rate : float [Hz]
        Not needed when the cut-off is a :class:`Nyquist` fraction.
    order : int
        Design order; the effective one is twice that.

    Returns
    -------
    (N,) or (N, n), a new array

    Raises
    ------
    DataError
        For NaN or infinite samples (named by row and column), a cut-off outside (0, rate/2), or fewer samples than :func:`minimum_length`.
    """
    from scipy.signal import butter, sosfiltfilt

    signal = require_finite(x, "signal to filter")
    frequency = cutoff_hz(cutoff, rate)
    shortest = minimum_length(order)
    if len(signal) < shortest:
        raise DataError(sentence(f"signal to filter with order {order}", f"{len(signal)} samples", f"at least {shortest}", "Record longer or lower the order."))
    sections = butter(order, frequency / (rate / 2), output="sos")
    pad = min(len(signal) - 1, max(shortest - 1, settling_samples(frequency, rate, order)))
    out = np.empty_like(signal)
    for column in np.ndindex(signal.shape[1:]):  # column by column: a long recording is never copied whole
        index = (slice(None), *column)
        out[index] = sosfiltfilt(sections, signal[index], padlen=pad)
    return out


def decimate(x: ArrayLike, factor: int) -> Array:
    """Every ``factor``-th sample after a zero-phase anti-alias filter (Chebyshev of order 8 at 0.8 of the new Nyquist frequency: scipy's defaults).

    The same call on the torque and on every column of the regressor filters both sides of the equation alike.

    Parameters
    ----------
    x : (N,) or (N, p)
    factor : int
        At most 12 in one step, as for any such filter; 1 returns a copy.

    Returns
    -------
    (ceil(N / factor),) or (ceil(N / factor), p)
    """
    from scipy.signal import decimate as reduce

    signal = require_finite(x, "signal to decimate")
    if int(factor) != factor or not 1 <= factor <= 12:
        raise DataError(sentence("decimation factor", factor, "a whole number from 1 to 12", "Decimate in several steps."))
    if factor == 1:
        return signal.copy()
    if len(signal) <= 27:
        raise DataError(sentence("signal to decimate", f"{len(signal)} samples", "at least 28"))
    out = np.empty((-(-len(signal) // int(factor)), *signal.shape[1:]))
    for column in np.ndindex(signal.shape[1:]):
        index = (slice(None), *column)
        out[index] = reduce(signal[index], int(factor))
    return out


def require_finite(x: ArrayLike, what: str) -> Array:
    """``x`` as a float array of one or two axes, or an error that names the first bad sample."""
    signal = np.asarray(x, dtype=float)
    if signal.ndim not in (1, 2):
        raise ShapeError(sentence(what, f"shape {signal.shape}", "(N,) or (N, n)"))
    finite = np.isfinite(signal)
    if not finite.all():
        place = np.argwhere(~finite)[0]
        where = f"row {place[0]}" + (f", column {place[1]}" if signal.ndim == 2 else "")
        raise DataError(sentence(what, f"{signal[tuple(place)]} at {where}", "finite numbers", "Drop or repair such samples first."))
    return signal
