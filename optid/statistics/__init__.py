"""Statistics of estimates: what is determined, how well, with which interval."""

from .determinacy import Determinacy
from .intervals import t_interval, variance_interval
from .white import truncated_solution, white_covariance

__all__ = ["Determinacy", "t_interval", "truncated_solution", "variance_interval", "white_covariance"]
