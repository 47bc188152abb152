"""The amplitude spectrum of a residual: at which frequencies a model is wrong."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.errors import DataError, sentence

Array = NDArray[np.float64]
GAP = 1.5
"""Steps longer than this many sampling times end a piece."""
FEWEST = 8
"""Samples a spectrum needs."""


def residual_spectrum(time: ArrayLike, residual: ArrayLike, rate: float) -> tuple[Array, Array]:
    """Amplitude spectrum of every column, of the longest uninterrupted piece.

    Parameters
    ----------
    time : (N,) [s]
    residual : (N, n) [N m]
    rate : float [Hz]

    Returns
    -------
    frequency : (F,) [Hz], without 0
    amplitude : (F, n) [N m]
        Of a sine at that frequency (Hann window, its gain divided out); the mean is removed.

    Raises
    ------
    DataError
        When the longest piece has fewer than eight samples.

    Examples
    --------
    >>> import numpy as np
    >>> from optid.report import residual_spectrum
    >>> t = np.arange(0, 10, 0.01)
    >>> frequency, amplitude = residual_spectrum(t, np.sin(2 * np.pi * 5 * t)[:, None], 100.0)
    >>> float(frequency[amplitude[:, 0].argmax()].round(2))
    5.0
    """
    stamps, values = np.asarray(time, dtype=float), np.asarray(residual, dtype=float)
    edges = np.flatnonzero(np.diff(stamps) > GAP / rate) + 1
    start, stop = max(zip(np.r_[0, edges], np.r_[edges, len(stamps)], strict=True), key=lambda ends: ends[1] - ends[0])
    piece = values[start:stop]
    if len(piece) < FEWEST:
        raise DataError(sentence("residual to transform", f"{len(piece)} samples in its longest piece", f"at least {FEWEST}"))
    window = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(len(piece)) / len(piece))
    spectrum = np.fft.rfft((piece - piece.mean(axis=0)) * window[:, None], axis=0)
    frequency: Array = np.asarray(np.fft.rfftfreq(len(piece), 1 / rate)[1:], dtype=float)
    return frequency, np.asarray(2 / window.sum() * np.abs(spectrum[1:]))
