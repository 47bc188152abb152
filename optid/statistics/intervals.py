"""Confidence intervals of estimates and of a noise variance."""

from __future__ import annotations

from numbers import Real

import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.errors import DataError, sentence

Array = NDArray[np.float64]


def tail(level: float) -> float:
    """Where the upper end of the middle part ``level`` lies: (1 + level) / 2."""
    if not isinstance(level, Real) or not 0 < level < 1:
        raise DataError(sentence("confidence level", level, "a number between 0 and 1, such as 0.95"))
    return (1 + level) / 2


def quantile(degrees_of_freedom: float, level: float = 0.95) -> float:
    """Student's t that the middle part ``level`` of the distribution stays within; NaN without a degree of freedom.

    Examples
    --------
    >>> from optid.statistics import quantile
    >>> round(quantile(10), 4), round(quantile(1e6), 4)
    (2.2281, 1.96)
    """
    from scipy.special import stdtrit

    return float(stdtrit(degrees_of_freedom, tail(level))) if degrees_of_freedom > 0 else float("nan")


def t_interval(estimate: ArrayLike, sigma: ArrayLike, degrees_of_freedom: float, level: float = 0.95) -> Array:
    """Lower and upper ends (r, 2): estimate ± t·sigma with Student's t (NaN where there is no degree of freedom).

    Examples
    --------
    >>> from optid.statistics import t_interval
    >>> t_interval([1.0], [0.1], 10).round(4)
    array([[0.7772, 1.2228]])
    """
    half = quantile(degrees_of_freedom, level) * np.asarray(sigma, dtype=float)
    middle = np.asarray(estimate, dtype=float)
    return np.stack([middle - half, middle + half], axis=-1)


def variance_interval(variance: float, degrees_of_freedom: int, level: float = 0.95) -> tuple[float, float]:
    """Ends of the χ² interval of a noise variance, with ν = rows − parameters degrees of freedom (G21 prints rows − 1 beside it; ν is right).

    Examples
    --------
    >>> from optid.statistics import variance_interval
    >>> low, high = variance_interval(1.0, 100)
    >>> round(low, 3), round(high, 3)
    (0.772, 1.347)
    """
    from scipy.stats import chi2

    upper = tail(level)
    nu = degrees_of_freedom
    return nu * variance / float(chi2.ppf(upper, nu)), nu * variance / float(chi2.ppf(1 - upper, nu))
