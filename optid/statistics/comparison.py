"""Which of several models of one signal to believe: information criteria and an F-test."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from optid.errors import DataError, sentence


@dataclass(frozen=True)
class Criteria:
    """Information criteria of a least-squares fit with Gaussian residuals; smaller is better, differences below 2 say little.

    Attributes
    ----------
    aic : float
        Akaike: ``N log(rss/N) + 2 p``.
    aicc : float
        The same, corrected for few samples: ``+ 2 p (p + 1) / (N − p − 1)``.
    bic : float
        Schwarz: ``N log(rss/N) + p log N``; chooses the true model when it is among them and N is large.

    Examples
    --------
    >>> import numpy as np
    >>> from optid.problems import FrictionCurve
    >>> import optid
    >>> v = np.linspace(-1, 1, 200)
    >>> fit = optid.solve(FrictionCurve(v, 2 * v + np.sign(v) + 0.01 * np.sin(99 * v)))
    >>> fit.criteria.aic < fit.criteria.bic
    True
    """

    aic: float
    aicc: float
    bic: float

    @classmethod
    def of(cls, rss: float, count: float, parameters: int) -> Criteria:
        """From a residual sum of squares.

        Parameters
        ----------
        count : float
            Independent residuals N: correlated ones count for fewer (N times the independent share).
        parameters : int
            Fitted numbers, the variance among them.
        """
        if not (rss >= 0 and count > parameters + 1 and parameters >= 0):
            raise DataError(sentence("information criteria", f"rss {rss:g}, {count:g} samples, {parameters} parameters", "more samples than parameters + 1"))
        fit = count * np.log(max(rss / count, np.finfo(float).tiny))
        aic = float(fit + 2 * parameters)
        return cls(aic, aic + 2 * parameters * (parameters + 1) / (count - parameters - 1), float(fit + parameters * np.log(count)))


def f_test(rss_small: float, rss_large: float, extra: int, freedom: float) -> float:
    """p-value of the smaller of two nested models: the chance of so large an improvement by ``extra`` parameters that mean nothing.

    Parameters
    ----------
    rss_small, rss_large : float
        Residual sums of squares of the model with fewer and with more parameters.
    freedom : float
        Degrees of freedom of the larger model's residual.

    Examples
    --------
    >>> from optid.statistics import f_test
    >>> f_test(100.0, 99.9, 1, 50.0) > 0.5, f_test(100.0, 50.0, 1, 50.0) < 1e-6
    (True, True)
    """
    from scipy.special import fdtrc

    if extra < 1 or not freedom > 0:
        raise DataError(sentence("F-test", f"{extra} further parameters, {freedom:g} degrees of freedom", "at least one of each"))
    if rss_large <= 0:
        return 1.0 if rss_small <= 0 else 0.0
    return float(fdtrc(extra, freedom, max(rss_small - rss_large, 0.0) / extra / (rss_large / freedom)))
