"""How residuals hang together in time: autocorrelation, autoregressive models, a test of whiteness."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.errors import DataError, sentence

Array = NDArray[np.float64]


def autocovariance(x: ArrayLike, lags: int, segments: Sequence[slice] | None = None) -> Array:
    """Sums of products ``Σ_k x_k x_{k+l}`` (lags + 1,) of a series (N,), never across the ends of its segments.

    Divided by one number for all lags (the used samples) this is the biased estimate, which is positive semidefinite: its autoregressive models are stable.

    Examples
    --------
    >>> from optid.statistics import autocovariance
    >>> autocovariance([1.0, -1.0, 1.0, -1.0], 1)
    array([ 4., -3.])
    """
    series = np.ascontiguousarray(x, dtype=float)
    found = np.zeros(lags + 1)
    for part in segments if segments is not None else [slice(0, len(series))]:
        piece = series[part]
        for lag in range(min(lags + 1, len(piece))):
            # not a BLAS product: its threads cost more than they give, and change the last bit
            found[lag] += np.einsum("k,k->", piece[: len(piece) - lag], piece[lag:])
    return found


@dataclass(frozen=True, eq=False)
class AutoregressiveModel:
    """``e_k = Σ_i a_i e_{k−i} + ε_k`` with white innovations ε.

    Attributes
    ----------
    coefficients : (p,)
    variance : float
        Of the innovations.

    Examples
    --------
    >>> import numpy as np
    >>> from optid.statistics import AutoregressiveModel
    >>> AutoregressiveModel(np.array([0.5]), 0.75)
    AutoregressiveModel(coefficients=array([0.5]), variance=0.75)
    """

    coefficients: Array
    variance: float

    @property
    def order(self) -> int:
        """Number of coefficients p."""
        return len(self.coefficients)

    @property
    def polynomial(self) -> Array:
        """(1, −a_1, …, −a_p): the filter that turns e into ε."""
        return np.concatenate([[1.0], -self.coefficients])

    @classmethod
    def fit(cls, covariances: ArrayLike, count: float, max_order: int | None = None) -> AutoregressiveModel:
        """Levinson's recursion, the order chosen by the Bayesian information criterion ``count·log(variance) + p·log(count)``.

        Parameters
        ----------
        covariances : (L + 1,)
            Biased autocovariances (or sums of products) of lags 0 … L.
        count : float
            Samples behind them.
        max_order : int, optional
            Default L.
        """
        c = np.asarray(covariances, dtype=float)
        if not c[0] > 0:
            return cls(np.zeros(0), 0.0)
        a, variance = np.zeros(0), float(c[0])
        best, score = (a, variance), count * np.log(variance)
        for p in range(1, min(len(c) - 1, len(c) if max_order is None else max_order) + 1):
            reflection = (c[p] - a @ c[p - 1 : 0 : -1]) / variance if p > 1 else c[1] / variance
            variance *= 1 - reflection**2
            if variance <= 1e-14 * c[0]:  # a sum of sines: further orders are rounding
                break
            a = np.concatenate([a - reflection * a[::-1], [reflection]])
            value = count * np.log(variance) + p * np.log(count)
            if value < score:
                best, score = (a, variance), value
        return cls(best[0], best[1] / max(count, 1.0))


def default_lags(count: float) -> int:
    """Largest lag worth a look for so many samples: 10 log10(count), at most a tenth of them."""
    return int(min(count // 10, round(10 * np.log10(max(count, 1.0)))))


def ljung_box(autocorrelation: ArrayLike, count: float, lags: int | None = None) -> tuple[float, float]:
    """Portmanteau test of whiteness (Ljung & Box 1978): the statistic and its p-value.

    ``Q = N (N + 2) Σ_l ρ_l² / (N − l)`` is χ² with ``lags`` degrees of freedom when a series of N samples is white.

    Parameters
    ----------
    autocorrelation : (L + 1,)
        Lags 0 … L; lag 0 is 1.
    count : float
        N.
    lags : int, optional
        Default: min(20, L).

    Examples
    --------
    >>> import numpy as np
    >>> from optid.statistics import ljung_box
    >>> ljung_box([1.0, 0.5, 0.25], 100)[1] < 0.001
    True
    """
    from scipy.special import chdtrc

    rho = np.asarray(autocorrelation, dtype=float)
    m = min(20, len(rho) - 1) if lags is None else lags
    if not 1 <= m < min(len(rho), count):
        raise DataError(sentence("test of whiteness", f"{m} lags of {count:g} samples", "at least one lag, fewer than samples and than lags known"))
    statistic = count * (count + 2) * float(np.sum(rho[1 : m + 1] ** 2 / (count - np.arange(1, m + 1))))
    return statistic, float(chdtrc(m, statistic))
