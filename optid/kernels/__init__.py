"""Batch evaluation of CasADi functions and streaming least squares."""

from .factors import JointFactors
from .kernel import Kernel

__all__ = ["JointFactors", "Kernel"]
