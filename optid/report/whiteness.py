"""Whether a residual is white: what is left unexplained has no pattern in time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from optid.errors import DataError, sentence
from optid.statistics import autocovariance, ljung_box

from .spectrum import GAP

if TYPE_CHECKING:
    from optid.validation import ValidationResult

Array = NDArray[np.float64]

LAGS = 50
"""Lags that are looked at, at most a fifth of the samples."""
FEWEST = 20
"""Samples that a look at whiteness needs."""
SUSPICIOUS = 0.01
"""A residual is called not white when a white one would look like it with less than this probability."""


@dataclass(frozen=True, eq=False)
class Whiteness:
    """Of the residual of every joint.

    Attributes
    ----------
    autocorrelation : (n, L + 1)
        At lags 0 … L samples; NaN for a residual that is zero.
    p_values : (n,)
        Of the Ljung–Box test.
    bound : float
        95 % of the lags of white noise lie within ±bound, 1.96 / √N.
    """

    autocorrelation: Array
    p_values: Array
    bound: float

    @property
    def white(self) -> NDArray[np.bool_]:
        """(n,) whether nothing speaks against a white residual."""
        return ~(self.p_values < SUSPICIOUS)


def residual_whiteness(v: ValidationResult) -> Whiteness:
    """Autocorrelation of the residual of a validation, never across a gap.

    Raises
    ------
    DataError
        Fewer than twenty samples, or some that are not finite.

    Examples
    --------
    >>> from optid import validate
    >>> from optid.report import residual_whiteness
    >>> from optid.testing import example_fit, example_samples
    >>> type(residual_whiteness(validate(example_fit(), example_samples()))).__name__
    'Whiteness'
    """
    count = len(v.time)
    if not np.isfinite(v.residual).all():
        raise DataError(sentence("residual to test for whiteness", "values that are not finite", "finite ones"))
    if count < FEWEST:
        raise DataError(sentence("residual to test for whiteness", f"{count} samples", f"at least {FEWEST}"))
    lags = min(LAGS, count // 5)
    edges = np.flatnonzero(np.diff(v.time) > GAP / v.rate) + 1
    pieces = [slice(int(a), int(b)) for a, b in zip(np.r_[0, edges], np.r_[edges, count], strict=True)]
    residual = v.residual - v.residual.mean(axis=0)
    sums = np.array([autocovariance(column, lags, pieces) for column in residual.T])
    rho = np.divide(sums, sums[:, :1], out=np.full_like(sums, np.nan), where=sums[:, :1] > 0)
    p = np.array([ljung_box(row, float(count), min(20, lags))[1] if np.isfinite(row[0]) else np.nan for row in rho])
    return Whiteness(rho, p, float(1.959964 / np.sqrt(count)))
