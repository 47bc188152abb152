"""Simulated robots: their motion under torques or voltages, and their recordings."""

from .batch import BatchPlant
from .clock import Clock
from .energy import mechanical_energy
from .forward import forward_dynamics
from .integrate import integrate
from .plant import Plant, State
from .recording import simulate_recording
from .sampled import Measurement
from .sensors import Sensors

__all__ = [
    "BatchPlant",
    "Clock",
    "Measurement",
    "Plant",
    "Sensors",
    "State",
    "forward_dynamics",
    "integrate",
    "mechanical_energy",
    "simulate_recording",
]
