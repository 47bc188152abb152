"""Any linear model ``W x = y`` with named parameters: friction lines, DC motors, one-axis fits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.errors import RankError, ShapeError, sentence
from optid.statistics import Determinacy, t_interval, white_covariance

from .forms import LeastSquares

if TYPE_CHECKING:
    from optid.solvers import Solution

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class RegressionResult:
    """Estimates of named parameters.

    Attributes
    ----------
    names : p-tuple of str
    values, sigma : (p,)
        NaN and infinite for parameters that the data do not determine. sigma² = ‖e‖²/(rows − rank) · (WᵀW)⁻¹.
    covariance : (p, p)
    determinacy : Determinacy
    residual : (m,)
    solution : Solution
    """

    names: tuple[str, ...]
    values: Array
    sigma: Array
    covariance: Array
    determinacy: Determinacy
    residual: Array
    solution: Solution

    @property
    def degrees_of_freedom(self) -> int:
        """Rows minus determined directions."""
        return len(self.residual) - self.determinacy.rank

    @property
    def relative_sigma(self) -> Array:
        """sigma / |value| (p,)."""
        return self.sigma / np.abs(self.values)

    @property
    def undetermined(self) -> tuple[str, ...]:
        """Directions that the data leave open."""
        return self.determinacy.directions

    def interval(self, level: float = 0.95) -> Array:
        """Confidence intervals (p, 2), Student's t."""
        return t_interval(self.values, self.sigma, self.degrees_of_freedom, level)

    def __getitem__(self, name: str) -> float:
        return float(self.values[self.names.index(name)])


@dataclass(frozen=True, eq=False)
class Regression:
    """min ‖W x − y‖².

    Parameters
    ----------
    W : (m, p)
    y : (m,)
    names : p names, optional

    Raises
    ------
    RankError
        When there are fewer rows than columns, naming rows, columns and rank.
    """

    W: ArrayLike
    y: ArrayLike
    names: Sequence[str] = ()

    def __post_init__(self) -> None:
        W, y = np.asarray(self.W, dtype=float), np.asarray(self.y, dtype=float)
        if W.ndim != 2 or y.shape != (len(W),):
            raise ShapeError(sentence("regression", f"W {W.shape}, y {y.shape}", "(m, p) and (m,)"))
        names = tuple(self.names) or tuple(f"x{k + 1}" for k in range(W.shape[1]))
        if len(names) != W.shape[1]:
            raise ShapeError(sentence("names of a regression", f"{len(names)}", f"{W.shape[1]}, one a column"))
        for key, value in {"W": W, "y": y, "names": names}.items():
            object.__setattr__(self, key, value)
        if len(W) < W.shape[1]:
            rank = int(np.linalg.matrix_rank(W)) if len(W) else 0
            raise RankError(
                sentence("regression", f"{len(W)} rows of rank {rank}", f"at least {W.shape[1]} rows for {W.shape[1]} columns", "Record more samples.")
            )

    def form(self) -> LeastSquares:
        """The least squares form."""
        return LeastSquares(self.W, self.y, names=self.names)

    def interpret(self, solution: Solution) -> RegressionResult:
        """Estimates with sigmas; undetermined ones become NaN."""
        W, y = np.asarray(self.W), np.asarray(self.y)
        determinacy = Determinacy.of(W, self.names)
        residual = y - W @ solution.x
        freedom = len(y) - determinacy.rank
        variance = float(residual @ residual) / freedom if freedom > 0 else float("nan")
        covariance = white_covariance(W, determinacy, variance)
        values = np.where(determinacy.determined, solution.x, np.nan)
        return RegressionResult(tuple(self.names), values, np.sqrt(np.diag(covariance)), covariance, determinacy, residual, solution)
