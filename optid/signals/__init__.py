"""Signals: time stamps, zero-phase filters, derivatives, sample selection, and the pipeline that runs them."""

from .bandwidth import default_cutoff
from .clock import roughness, stamps_over_clock
from .derivatives import central, fft_derivatives, fft_lowpass, fourier_fit, savgol
from .filters import Nyquist, decimate, lowpass, minimum_length, noise_share, settling_samples, shortest_to_decimate
from .period import find_period
from .periodic import PeriodicAverage, PeriodicOptions, average_cycles, pooled_variance
from .preprocessing import Preprocessing
from .samples import Samples
from .selection import default_min_speed, moving
from .timing import TimingReport, interpolate, segments

__all__ = [
    "Nyquist",
    "PeriodicAverage",
    "PeriodicOptions",
    "Preprocessing",
    "Samples",
    "TimingReport",
    "average_cycles",
    "central",
    "decimate",
    "default_cutoff",
    "default_min_speed",
    "fft_derivatives",
    "fft_lowpass",
    "find_period",
    "fourier_fit",
    "interpolate",
    "lowpass",
    "minimum_length",
    "moving",
    "noise_share",
    "pooled_variance",
    "roughness",
    "savgol",
    "segments",
    "settling_samples",
    "shortest_to_decimate",
    "stamps_over_clock",
]
