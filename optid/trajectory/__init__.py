"""Motions of the joints with exact derivatives, proofs that they stay inside limits, and their export to controllers."""

from .base import Samples, Trajectory
from .basis import fourier_basis
from .fourier import Fourier
from .published import irb140_g21, irb140_g21_targets

__all__ = ["Fourier", "Samples", "Trajectory", "fourier_basis", "irb140_g21", "irb140_g21_targets"]
