"""Identification of base parameters posed as (weighted) linear least squares."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.brief import brief
from optid.errors import RankError, ShapeError, sentence
from optid.kernels import JointFactors
from optid.regressor import BaseParameters
from optid.statistics import Determinacy

from .constraints import Constraints
from .equations import Equations
from .fit_details import FitDetails
from .forms import LeastSquares
from .identification_result import IdentificationResult

if TYPE_CHECKING:
    from optid.solvers import Solution

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Identification:
    """min over beta of Σ_j w_j ‖W_j β − τ_j‖² + ‖rows β − target‖².

    Parameters
    ----------
    base : BaseParameters
    factors : JointFactors
        Of the data (:func:`optid.regressor.accumulate`), the torque of known parameters already subtracted.
    weights : (n,), optional
        1/variance of each joint's torque noise; ones give ordinary least squares.
    known : mapping name → value
        The known parameters behind ``factors``; kept for prediction.
    details : FitDetails
        Transformed equations and the prior's rows, where there are any.
    constraints : Constraints, optional

    Raises
    ------
    RankError
        When there are fewer equations than parameters.

    Examples
    --------
    >>> import numpy as np
    >>> import optid
    >>> from optid.problems import Identification
    >>> from optid.testing import example_fit, example_model
    >>> fit, model = example_fit(), example_model()
    >>> problem = Identification(fit.base, fit.factors)
    >>> bool(np.allclose(optid.solve(problem, solver="lstsq").beta, fit.base.beta(model.nominal_parameters())))
    True
    """

    base: BaseParameters
    factors: JointFactors
    weights: ArrayLike | None = None
    known: Mapping[str, float] = field(default_factory=dict)
    method: str = "ols"
    context: Mapping[str, Any] = field(default_factory=dict)
    details: FitDetails = field(default_factory=FitDetails)
    constraints: Constraints | None = None

    __repr__ = brief

    def __post_init__(self) -> None:
        r, n = self.base.rank, self.base.model.n
        if self.factors.n_columns != r or self.factors.n_joints != n:
            raise ShapeError(sentence("factors", f"{self.factors.n_joints} joints, {self.factors.n_columns} columns", f"{n} joints, {r} columns"))
        rows = int(self.factors.counts.sum())
        weights = np.ones(n) if self.weights is None else np.asarray(self.weights, dtype=float)
        object.__setattr__(self, "weights", weights)
        if rows == 0 or rows + (0 if self.details.rows is None else len(self.details.rows)) < r:
            rank = Determinacy.of(self.factors.stacked(weights)[0], self.base.formulas).rank
            raise RankError(
                sentence("identification", f"{rows} rows of rank {rank}", f"at least as many as the {r} columns (parameters)", "Record more samples.")
            )

    @cached_property
    def equations(self) -> Equations:
        """The small triangular equations with the same solutions, and the prior's."""
        return Equations.of(self.base.names, self.factors, np.asarray(self.weights), self.details)

    @property
    def determinacy(self) -> Determinacy:
        """Rank, condition and open directions of the weighted equations."""
        return self.equations.determinacy

    def form(self) -> LeastSquares:
        """The small triangular problem with the same solutions."""
        e = self.equations
        target = e.b if e.target is None else np.concatenate([e.b, e.target])
        if e.free is not None:
            return LeastSquares(e.stacked @ e.free, target, names=[f"free{k + 1}" for k in range(e.free.shape[1])])
        limits = {} if self.constraints is None else self.constraints.fields()
        return LeastSquares(e.stacked, target, names=self.base.names, **limits)

    def interpret(self, solution: Solution) -> IdentificationResult:
        """Estimates with their uncertainty; undetermined parameters become NaN."""
        equations, details = self.equations, self.details
        x = solution.x if equations.free is None else equations.free @ solution.x
        if self.constraints is not None:
            verdict = self.constraints.judge(x, equations)
            details = replace(details, free=verdict.free, at_bound=verdict.at_bound, unbounded=verdict.unbounded, residual_increase=verdict.residual_increase)
            equations = Equations.of(self.base.names, self.factors, np.asarray(self.weights), details)
        determinacy = equations.determinacy
        solved = determinacy.determined.all() or self.constraints is not None
        return IdentificationResult(
            self.base,
            np.where(determinacy.determined, x, np.nan),
            np.asarray(self.weights),
            self.factors,
            determinacy,
            dict(self.known),
            self.method,
            solution,
            x if solved else equations.minimum_norm,
            details=details,
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
