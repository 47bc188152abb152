"""Experiment files and the trials in them."""

from .trial import Trial

__all__ = ["Trial"]
