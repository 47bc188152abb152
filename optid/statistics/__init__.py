"""Statistics of estimates: what is determined, how well, with which interval."""

from .determinacy import Determinacy
from .intervals import t_interval, variance_interval

__all__ = ["Determinacy", "t_interval", "variance_interval"]
