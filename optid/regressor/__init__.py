"""Regressor analysis: base parameters, groupings, conditioning."""

from .accumulate import accumulate
from .base import BaseParameters
from .selection import eliminate

__all__ = ["BaseParameters", "accumulate", "eliminate"]
