"""Statistics of estimates: what is determined, how well, with which interval."""

from .autocorrelation import AutoregressiveModel, autocovariance, ljung_box
from .bounds import ErrorBounds, error_bounds
from .comparison import Criteria, f_test
from .determinacy import Determinacy
from .encoder import EncoderNoise, motion_noise
from .intervals import quantile, t_interval, variance_interval
from .long_run import block_sums, long_run_covariance
from .residuals import ResidualStatistics, TrialResiduals
from .standstill import position_noise, sign_width, speed_noise
from .white import truncated_solution, white_covariance

__all__ = [
    "AutoregressiveModel",
    "Criteria",
    "Determinacy",
    "EncoderNoise",
    "ErrorBounds",
    "ResidualStatistics",
    "TrialResiduals",
    "autocovariance",
    "block_sums",
    "error_bounds",
    "f_test",
    "ljung_box",
    "long_run_covariance",
    "motion_noise",
    "position_noise",
    "quantile",
    "sign_width",
    "speed_noise",
    "t_interval",
    "truncated_solution",
    "variance_interval",
    "white_covariance",
]
