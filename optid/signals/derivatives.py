"""Velocities and accelerations from sampled positions."""

from __future__ import annotations

from math import pi

import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.errors import DataError, sentence

from .filters import require_finite

Array = NDArray[np.float64]


def central(x: ArrayLike, rate: float | None = None, *, time: ArrayLike | None = None) -> Array:
    """First derivative of every column by central differences of second order, one-sided (second order too) at the ends.

    Parameters
    ----------
    x : (N,) or (N, n), N >= 3
    rate : float [Hz], for uniform samples
    time : (N,) [s], for samples that are not; one of the two

    Returns
    -------
    (N,) or (N, n) [units of x per second]

    Examples
    --------
    >>> import numpy as np
    >>> from optid.signals import central
    >>> central(np.arange(5.0) ** 2, rate=1.0)  # exact for a parabola
    array([0., 2., 4., 6., 8.])
    """
    signal = require_finite(x, "signal to differentiate")
    if len(signal) < 3:
        raise DataError(sentence("signal to differentiate", f"{len(signal)} samples", "at least 3"))
    if (rate is None) == (time is None):
        raise DataError(sentence("time base of a derivative", "rate and time both given or both missing", "one of them"))
    spacing: float | Array = 1.0 / rate if rate is not None else np.asarray(time, dtype=float)
    if not (np.diff(spacing) > 0).all() if isinstance(spacing, np.ndarray) else not 0 < spacing < np.inf:
        raise DataError(sentence("time base of a derivative", "equal or backward stamps, or no positive rate", "increasing times"))
    return np.asarray(np.gradient(signal, spacing, axis=0, edge_order=2))


def savgol(x: ArrayLike, rate: float, window: float, polyorder: int = 3, derivative: int = 1) -> Array:
    """Savitzky–Golay derivative: that of the polynomial fitted to the samples around each instant.

    Parameters
    ----------
    x : (N,) or (N, n)
    rate : float [Hz]
    window : float [s]
        Length of the fitted piece; an odd number of samples closest to it is used.
    polyorder : int
        Degree of the polynomial.
    derivative : int
        0 smooths, 1 and 2 give velocity and acceleration, **per second**, not per sample.

    Examples
    --------
    >>> import numpy as np
    >>> from optid.signals import savgol
    >>> t = np.arange(100) * 0.01
    >>> bool(np.allclose(savgol(t**2, 100.0, window=0.09), 2 * t))
    True
    """
    from scipy.signal import savgol_filter

    signal = require_finite(x, "signal to differentiate")
    length = 2 * round((window * rate - 1) / 2) + 1
    if not polyorder < length <= len(signal):
        raise DataError(
            sentence(
                f"Savitzky-Golay window of {window:g} s at {rate:g} Hz",
                f"{length} samples",
                f"more than polyorder {polyorder} and at most {len(signal)} samples",
            )
        )
    if not 0 <= derivative <= polyorder:
        raise DataError(sentence("order of a Savitzky-Golay derivative", derivative, f"from 0 to polyorder {polyorder}"))
    return np.asarray(savgol_filter(signal, length, polyorder, deriv=derivative, delta=1 / rate, axis=0))


def fourier_fit(time: ArrayLike, x: ArrayLike, period: float, harmonics: int, *, trend: bool = False) -> tuple[Array, Array, Array]:
    """Least-squares Fourier series through every column, and its first two derivatives.

    Parameters
    ----------
    time : (N,) [s]
        Any increasing stamps.
    x : (N,) or (N, n)
    period : float [s]
    harmonics : int
        Number of harmonics; the mean is always fitted.
    trend : bool
        Fit a straight line as well. Without it the record must cover **whole periods** (to half a mean step): over a broken period a drift or the cut itself
        leaks into the harmonics, and the second derivative multiplies the leak by the square of their number.

    Returns
    -------
    fitted, first derivative, second derivative : each shaped as x

    Raises
    ------
    DataError
        When the record does not cover whole periods, or has too few samples for the unknowns.

    Examples
    --------
    >>> import numpy as np
    >>> from optid.signals import fourier_fit
    >>> t = np.arange(300) / 100
    >>> q, dq, ddq = fourier_fit(t, np.sin(2 * np.pi * t)[:, None], period=1.0, harmonics=2)
    >>> bool(np.allclose(dq[:, 0], 2 * np.pi * np.cos(2 * np.pi * t)))
    True
    """
    stamps = np.asarray(time, dtype=float)
    signal = require_finite(x, "signal of a Fourier fit")
    unknowns = 2 * harmonics + 1 + trend
    if harmonics < 1 or period <= 0 or len(signal) != len(stamps) or len(stamps) <= unknowns:
        raise DataError(
            sentence(
                "Fourier fit", f"{len(stamps)} stamps, {len(signal)} samples, {harmonics} harmonics of {period:g} s", f"more than {unknowns} samples of each"
            )
        )
    step = (stamps[-1] - stamps[0]) / (len(stamps) - 1)
    cycles = (stamps[-1] - stamps[0] + step) / period
    if not trend and (round(cycles) < 1 or abs(cycles - round(cycles)) * period > step / 2):
        raise DataError(
            sentence("record of a Fourier fit", f"{cycles:.4g} periods of {period:g} s", "a whole number of periods", "Cut the record, or fit with trend=True.")
        )
    middle = stamps.mean()
    angle = np.outer(stamps - middle, 2 * pi / period * np.arange(1, harmonics + 1))
    omega = 2 * pi / period * np.arange(1, harmonics + 1)
    cos, sin = np.cos(angle), np.sin(angle)
    line = [(stamps - middle)[:, None]] if trend else []
    basis = np.hstack([np.ones((len(stamps), 1)), cos, sin, *line])
    columns = signal.reshape(len(signal), -1)
    coefficients = np.linalg.lstsq(basis, columns, rcond=None)[0]
    a, b = coefficients[1 : 1 + harmonics], coefficients[1 + harmonics : 1 + 2 * harmonics]
    slope = coefficients[-1] if trend else 0.0
    first = cos @ (omega[:, None] * b) - sin @ (omega[:, None] * a) + slope
    second = -(cos @ (omega[:, None] ** 2 * a) + sin @ (omega[:, None] ** 2 * b))
    return (basis @ coefficients).reshape(signal.shape), first.reshape(signal.shape), second.reshape(signal.shape)


def fft_derivatives(x: ArrayLike, rate: float, cutoff: float | None = None) -> tuple[Array, Array, Array]:
    """Band-limited copy, first and second derivative of a record that covers **exactly whole periods**: the spectrum times 1, jω, −ω² up to the cut-off (G21).

    Parameters
    ----------
    x : (N,) or (N, n)
        One or more whole periods; the sample after the last one would repeat the first.
    rate : float [Hz]
    cutoff : float [Hz] or None
        Components above it are removed; None keeps all (the Nyquist component has no derivative and is left out of the first).

    Raises
    ------
    DataError
        When the record does not close (the step from its last sample to its first is over three times the largest step inside).

    Examples
    --------
    >>> import numpy as np
    >>> from optid.signals import fft_derivatives
    >>> t = np.arange(100) / 100
    >>> q, dq, ddq = fft_derivatives(np.sin(2 * np.pi * t), 100.0)
    >>> bool(np.allclose(dq, 2 * np.pi * np.cos(2 * np.pi * t)))
    True
    """
    signal = require_finite(x, "periodic signal")
    n_samples = len(signal)
    if n_samples < 3:
        raise DataError(sentence("periodic signal", f"{n_samples} samples", "at least 3"))
    inside, across = np.abs(np.diff(signal, axis=0)).max(axis=0), np.abs(signal[0] - signal[-1])
    if np.any(across > 3 * inside):
        raise DataError(
            sentence(
                "record to differentiate by its spectrum",
                f"a jump of {float(np.max(across)):.3g} from its end to its start",
                "whole periods",
                "Cut it to whole periods, or use central().",
            )
        )
    frequency = np.fft.rfftfreq(n_samples, 1 / rate)
    shape = (-1, *[1] * (signal.ndim - 1))
    spectrum = np.fft.rfft(signal, axis=0) * _passes(frequency, cutoff).reshape(shape)
    omega = (2 * pi * frequency).reshape(shape)
    turned = 1j * omega * spectrum
    if n_samples % 2 == 0:
        turned[-1] = 0.0
    first = np.fft.irfft(turned, n_samples, axis=0)
    return np.fft.irfft(spectrum, n_samples, axis=0), first, np.fft.irfft(-(omega**2) * spectrum, n_samples, axis=0)


def fft_lowpass(x: ArrayLike, rate: float, cutoff: float | None) -> Array:
    """The components up to ``cutoff`` [Hz] of a record (N,) or (N, n) of whole periods (a jump at its end is taken as part of the signal).

    Examples
    --------
    >>> import numpy as np
    >>> from optid.signals import fft_lowpass
    >>> t = np.arange(100) / 100
    >>> x = np.sin(2 * np.pi * t) + np.sin(2 * np.pi * 20 * t)
    >>> bool(np.allclose(fft_lowpass(x, 100.0, 5.0), np.sin(2 * np.pi * t)))
    True
    """
    signal = require_finite(x, "periodic signal")
    keep = _passes(np.fft.rfftfreq(len(signal), 1 / rate), cutoff).reshape(-1, *[1] * (signal.ndim - 1))
    return np.fft.irfft(np.fft.rfft(signal, axis=0) * keep, len(signal), axis=0)


def _passes(frequency: NDArray[np.floating], cutoff: float | None) -> NDArray[np.bool_]:
    return np.ones(len(frequency), dtype=bool) if cutoff is None else frequency <= cutoff * (1 + 1e-9)
