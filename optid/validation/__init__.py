"""Validation: torque predicted on data that were not used for the fit."""

from .torque import JointScore, ValidationResult, score, validate

__all__ = ["JointScore", "ValidationResult", "score", "validate"]
