"""Dynamics in CasADi: Newton-Euler, Lagrange, friction, drives."""

from .dynamic_model import DynamicModel, TorqueBasis

__all__ = ["DynamicModel", "TorqueBasis"]
