"""Control laws, simulated closed loops, and how well they follow."""

from .indices import Indices, TrackingIndices, cartesian_error, tracking_indices
from .laws import ComputedTorque, Feedforward, GravityPD, Law, VoltageLaw
from .motion import ExpressionMotion, Motion
from .outer_loop import OuterLoop, critical_gain
from .predictive import Predictive
from .reference import Reference, Target
from .simulate import Simulation, simulate

__all__ = [
    "ComputedTorque",
    "ExpressionMotion",
    "Feedforward",
    "GravityPD",
    "Indices",
    "Law",
    "Motion",
    "OuterLoop",
    "Predictive",
    "Reference",
    "Simulation",
    "Target",
    "TrackingIndices",
    "VoltageLaw",
    "cartesian_error",
    "critical_gain",
    "simulate",
    "tracking_indices",
]
