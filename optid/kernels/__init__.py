"""Batch evaluation of CasADi functions and streaming least squares."""

from .factors import JointFactors

__all__ = ["JointFactors"]
