"""Statistics of estimates: what is determined, how well, with which interval."""

from .autocorrelation import AutoregressiveModel, autocovariance, ljung_box
from .determinacy import Determinacy
from .intervals import t_interval, variance_interval
from .long_run import block_sums, long_run_covariance
from .residuals import ResidualStatistics, TrialResiduals
from .white import truncated_solution, white_covariance

__all__ = [
    "AutoregressiveModel",
    "Determinacy",
    "ResidualStatistics",
    "TrialResiduals",
    "autocovariance",
    "block_sums",
    "ljung_box",
    "long_run_covariance",
    "t_interval",
    "truncated_solution",
    "variance_interval",
    "white_covariance",
]
