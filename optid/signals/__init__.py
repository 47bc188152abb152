"""Signals: time stamps, zero-phase filters, derivatives, sample selection, and the pipeline that runs them."""

from .derivatives import central, fft_derivatives, fourier_fit, savgol
from .filters import Nyquist, decimate, lowpass, minimum_length, settling_samples
from .preprocessing import Preprocessing
from .samples import Samples
from .selection import default_min_speed, moving
from .timing import TimingReport, interpolate, segments

__all__ = [
    "Nyquist",
    "Preprocessing",
    "Samples",
    "TimingReport",
    "central",
    "decimate",
    "default_min_speed",
    "fft_derivatives",
    "fourier_fit",
    "interpolate",
    "lowpass",
    "minimum_length",
    "moving",
    "savgol",
    "segments",
    "settling_samples",
]
