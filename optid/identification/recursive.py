"""Recursive least squares: one triangle, updated row by row, that forgets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.errors import DataError, ShapeError, sentence
from optid.kernels.lapack import add_rows
from optid.statistics import Determinacy, truncated_solution, white_covariance

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class RecursiveEstimate:
    """What is known after so many rows.

    Attributes
    ----------
    names : r names
    values : (r,)
        NaN for parameters that neither data nor prior determine.
    sigma : (r,)
        Standard deviations for white residuals; infinite for undetermined parameters.
    covariance : (r, r)
    determinacy : Determinacy
    count : int
        Rows seen.
    remembered : float
        Rows that still count: Σ λ^age.
    """

    names: tuple[str, ...]
    values: Array
    sigma: Array
    covariance: Array
    determinacy: Determinacy
    count: int
    remembered: float

    def __getitem__(self, name: str) -> float:
        return float(self.values[self.names.index(name)])


class RecursiveLeastSquares:
    """min over x of ``Σ_k λ^age_k ‖w_k x − t_k‖² / σ_k² + Σ_i ((x_i − prior_i) / sigma_i)²``, kept up to date.

    The triangle of the QR factorisation is updated, not a covariance: nothing can lose its positive definiteness. The prior is not forgotten: when data stop
    telling anything (a robot that stands), the estimate falls back on it, and its variance does not wind up.

    Parameters
    ----------
    names : sequence of r str, or int
    forgetting : float
        λ, how much the rows of one step count after the next; 1 forgets nothing. 1 / (1 − λ) steps are remembered.
    prior, sigmas : (r,), optional
        Both or neither; an infinite sigma is no prior.
    """

    def __init__(self, names: Sequence[str] | int, forgetting: float = 1.0, prior: ArrayLike | None = None, sigmas: ArrayLike | None = None) -> None:
        if not 0 < forgetting <= 1:
            raise DataError(sentence("forgetting factor", forgetting, "more than 0, at most 1"))
        self.names = tuple(f"x{k + 1}" for k in range(names)) if isinstance(names, int) else tuple(names)
        self.forgetting = float(forgetting)
        r = len(self.names)
        self._triangle = np.zeros((r + 1, r + 1), order="F")
        self._prior = np.zeros((0, r + 1))
        self.count, self.remembered = 0, 0.0
        if (prior is None) != (sigmas is None):
            raise DataError(sentence("prior of recursive least squares", "values or sigmas alone", "both"))
        if prior is not None and sigmas is not None:
            centre, width = np.asarray(prior, dtype=float), np.broadcast_to(np.asarray(sigmas, dtype=float), (r,))
            if centre.shape != (r,) or not np.isfinite(centre).all() or not (width > 0).all():
                raise ShapeError(sentence("prior of recursive least squares", f"shape {centre.shape}, sigmas {width}", f"{r} finite values, sigmas above 0"))
            rows = np.column_stack([np.diag(1 / width), centre / width])
            self._prior = rows[np.isfinite(width)]

    @property
    def r(self) -> int:
        """Number of parameters."""
        return len(self.names)

    def update(self, W: ArrayLike, t: ArrayLike, sigma: ArrayLike = 1.0) -> RecursiveLeastSquares:
        """Take in the rows of one step, or of several.

        Parameters
        ----------
        W : (m, r) or (B, m, r)
            Rows of one step, or of B steps in turn.
        t : (m,) or (B, m)
            Right-hand sides. Rows that are not finite are left out.
        sigma : float or (m,)
            Standard deviation of each row's noise.
        """
        rows, target = np.asarray(W, dtype=float), np.asarray(t, dtype=float)
        if rows.ndim == 2:
            rows, target = rows[None], target[None]
        steps, m = rows.shape[:2]
        if rows.ndim != 3 or rows.shape[2] != self.r or target.shape != (steps, m):
            raise ShapeError(
                sentence("rows of recursive least squares", f"W {np.shape(W)}, t {np.shape(t)}", f"(m, {self.r}) and (m,), or (B, m, {self.r}) and (B, m)")
            )
        deviation = np.broadcast_to(np.asarray(sigma, dtype=float), (m,))
        if not (np.isfinite(deviation) & (deviation > 0)).all():
            raise DataError(sentence("standard deviation of rows", deviation.tolist(), "finite numbers above 0"))
        age = np.arange(steps - 1, -1, -1.0)
        factor = self.forgetting ** (age / 2)
        stacked = np.concatenate([rows, target[:, :, None]], axis=2) / deviation[None, :, None] * factor[:, None, None]
        good = np.isfinite(stacked).all(axis=2)
        self._triangle *= self.forgetting ** (steps / 2)
        self.remembered = self.remembered * self.forgetting**steps + float(np.sum(good * (factor**2)[:, None]))
        self.count += int(good.sum())
        add_rows(self._triangle, np.asfortranarray(stacked[good]))
        return self

    @property
    def estimate(self) -> RecursiveEstimate:
        """The estimate now.

        ``sigma`` in :meth:`update` states the noise; where it was left at 1, the covariance is in those units: scale it with :attr:`residual_variance`.
        """
        stacked = np.vstack([self._triangle, self._prior])
        A, b = stacked[:, :-1], stacked[:, -1]
        determinacy = Determinacy.of(A, self.names)
        x = truncated_solution(A, b, determinacy)
        covariance = white_covariance(A, determinacy, 1.0)
        values = np.where(determinacy.determined, x, np.nan)
        return RecursiveEstimate(self.names, values, np.sqrt(np.diag(covariance)), covariance, determinacy, self.count, self.remembered)

    @property
    def residual_variance(self) -> float:
        """Weighted variance of the remembered rows about the estimate: about 1 where the stated noise is right; NaN until rows outnumber parameters."""
        estimate = self.estimate
        stacked = np.vstack([self._triangle, self._prior])
        x = truncated_solution(stacked[:, :-1], stacked[:, -1], estimate.determinacy)
        freedom = self.remembered - self.r
        return float(np.sum((self._triangle[:, :-1] @ x - self._triangle[:, -1]) ** 2)) / freedom if freedom > 0 else float("nan")
