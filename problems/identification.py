"""Identification of base parameters posed as (weighted) linear least squares."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.errors import RankError, ShapeError, sentence
from optid.kernels import JointFactors
from optid.regressor import BaseParameters
from optid.statistics import Determinacy, truncated_solution

from .forms import LeastSquares
from .identification_result import IdentificationResult

if TYPE_CHECKING:
    from optid.solvers import Solution

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Identification:
    """min over beta of Σ_j w_j ‖W_j β − τ_j‖².

    Parameters
    ----------
    base : BaseParameters
    factors : JointFactors
        Of the data (:func:`optid.regressor.accumulate`), the torque of known parameters already subtracted.
    weights : (n,), optional
        1/variance of each joint's torque noise; ones give ordinary least squares.
    known : mapping name → value
        The known parameters behind ``factors``; kept for prediction.

    Raises
    ------
    RankError
        When there are fewer equations than parameters.
    """

    base: BaseParameters
    factors: JointFactors
    weights: ArrayLike | None = None
    known: Mapping[str, float] = field(default_factory=dict)
    method: str = "ols"
    context: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        r, n = self.base.rank, self.base.model.n
        if self.factors.n_columns != r or self.factors.n_joints != n:
            raise ShapeError(sentence("factors", f"{self.factors.n_joints} joints, {self.factors.n_columns} columns", f"{n} joints, {r} columns"))
        rows = int(self.factors.counts.sum())
        weights = np.ones(n) if self.weights is None else np.asarray(self.weights, dtype=float)
        object.__setattr__(self, "weights", weights)
        if rows < r:
            rank = Determinacy.of(self.factors.stacked(weights)[0], self.base.formulas).rank
            raise RankError(
                sentence("identification", f"{rows} rows of rank {rank}", f"at least as many as the {r} columns (parameters)", "Record more samples.")
            )

    @property
    def determinacy(self) -> Determinacy:
        """Rank, condition and open directions of the weighted equations."""
        return Determinacy.of(self.factors.stacked(self.weights)[0], self.base.names)

    def form(self) -> LeastSquares:
        """The small triangular problem with the same solutions."""
        A, b = self.factors.stacked(self.weights)
        return LeastSquares(A, b, names=self.base.names)

    def interpret(self, solution: Solution) -> IdentificationResult:
        """Estimates with their uncertainty; undetermined parameters become NaN."""
        determinacy = self.determinacy
        beta = np.where(determinacy.determined, solution.x, np.nan)
        return IdentificationResult(
            self.base,
            beta,
            np.asarray(self.weights),
            self.factors,
            determinacy,
            dict(self.known),
            self.method,
            solution,
            solution.x if determinacy.rank == self.base.rank else truncated_solution(*self.factors.stacked(self.weights), determinacy),
            **self.context,
        )


def residual_weights(result: IdentificationResult) -> Array:
    """1/variance (n,) of each joint's residual.

    A residual below 1e-6 of the joint's torque counts as that much, so that noise-free data are weighted by torque and not by rounding; a joint that never has
    torque takes the median weight of the others.
    """
    torque = result.factors.squares[:, 0] / np.maximum(result.factors.counts, 1)
    variance = np.maximum(result.residual_std**2, 1e-12 * torque)
    positive = variance > 0
    typical = float(np.median(variance[positive])) if positive.any() else 1.0
    return np.asarray(1.0 / np.where(positive, variance, typical))
