"""What a set of equations can tell: condition, rank, and the directions it leaves open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from optid.brief import brief
from optid.regressor.formula import formula
from optid.regressor.selection import independent_columns

Array = NDArray[np.float64]

TOLERANCE = 1e-5
"""Columns of unit norm whose singular values lie below this part of the largest are near-collinear: their split is not a number worth giving."""


@dataclass(frozen=True)
class Determinacy:
    """Of a matrix A (M, r): condition and rank with columns scaled to unit norm.

    Attributes
    ----------
    condition_number : float
        2-norm condition of A as it is (infinite when a column is zero).
    scaled_condition_number : float
        The same after scaling every column to unit norm.
    singular_values : (r,)
        Of the scaled matrix.
    rank : int
    determined : (r,) bool
        Parameters without a share in any open direction.
    directions : tuple of str
        Combinations of parameters that can change without changing the torque, or hardly.

    Examples
    --------
    >>> from optid.testing import example_fit
    >>> fit = example_fit()
    >>> fit.determinacy.rank, fit.determinacy.directions
    (6, ())
    """

    condition_number: float
    scaled_condition_number: float
    singular_values: Array
    rank: int
    determined: NDArray[np.bool_]
    directions: tuple[str, ...]

    __repr__ = brief

    @classmethod
    def of(cls, A: Array, names: Sequence[str], tolerance: float = TOLERANCE) -> Determinacy:
        """Analyse A, whose columns belong to ``names``."""
        r = A.shape[1]
        norms = np.linalg.norm(A, axis=0)
        scaled = np.divide(A, norms, out=np.zeros_like(A), where=norms > 0)
        s = np.zeros(r)
        _, values, Vt = np.linalg.svd(scaled, full_matrices=True) if len(A) else (None, np.zeros(0), np.eye(r))
        s[: len(values)] = values
        largest = float(s[0]) if r else 0.0
        rank = int((s > tolerance * largest).sum()) if largest > 0 else 0
        null = Vt[rank:]
        determined = np.sqrt((null**2).sum(axis=0)) < 1e-6
        plain = np.linalg.svd(A, compute_uv=False) if len(A) >= r else np.zeros(r)
        return cls(
            float(plain[0] / plain[-1]) if r and plain[-1] > 0 else np.inf,
            float(s[0] / s[-1]) if r and s[-1] > 0 else np.inf,
            s,
            rank,
            determined,
            _directions(scaled, norms, names, tolerance, r - rank) if rank < r else (),
        )


def _directions(scaled: Array, norms: Array, names: Sequence[str], tolerance: float, count: int) -> tuple[str, ...]:
    """Readable null directions: one dependent column each, in terms of the columns it cannot be told from."""
    zero = [k for k in range(len(names)) if norms[k] == 0]
    order = [k for k in range(len(names)) if norms[k] > 0]
    accepted, K = independent_columns(scaled, order, tolerance)
    texts = [f"{names[k]} (does not act)" for k in zero]
    for k in [k for k in order if k not in accepted]:
        coefficients = np.zeros(len(names))
        coefficients[k] = 1.0
        coefficients[accepted] = -K[:, k] * norms[k] / norms[accepted]
        weight = np.abs(K[:, k]).max(initial=0.0)
        coefficients[[a for a, value in zip(accepted, K[:, k], strict=True) if abs(value) < 1e-4 * weight]] = 0.0
        texts.append(formula(coefficients, names, k))
    return tuple(texts) if texts else (f"{count} near-collinear directions",)
