"""Motions of the joints with exact derivatives, proofs that they stay inside limits, and their export to controllers."""

from .base import FiniteTrajectory, Samples, Trajectory
from .basis import fourier_basis
from .bspline import BSpline, bspline_basis
from .check import CheckReport, Violation
from .extremes import Extremes
from .fourier import Fourier
from .mapping import from_mapping
from .piecewise import Piecewise
from .point_to_point import PointToPoint
from .published import irb140_g21, irb140_g21_targets
from .ramped import RampedFourier, ramp_in, ramp_out, stopped
from .sampled import Sampled
from .sequence import Sequence, Window

__all__ = [
    "BSpline",
    "CheckReport",
    "Extremes",
    "FiniteTrajectory",
    "Fourier",
    "Piecewise",
    "PointToPoint",
    "RampedFourier",
    "Sampled",
    "Samples",
    "Sequence",
    "Trajectory",
    "Violation",
    "Window",
    "bspline_basis",
    "fourier_basis",
    "from_mapping",
    "irb140_g21",
    "irb140_g21_targets",
    "ramp_in",
    "ramp_out",
    "stopped",
]
