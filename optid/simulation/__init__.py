"""Simulated robots and their recordings."""

from .clock import Clock
from .recording import simulate_recording
from .sensors import Sensors

__all__ = ["Clock", "Sensors", "simulate_recording"]
