"""Dynamics in CasADi: Newton-Euler, Lagrange, friction, drives."""

from .dc_motor import DCMotor, motor_regressor
from .dynamic_model import DynamicModel, TorqueBasis

__all__ = ["DCMotor", "DynamicModel", "TorqueBasis", "motor_regressor"]
