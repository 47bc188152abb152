"""Instrumental variables: least squares whose normal equations do not see the noise of the measured regressor."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.brief import brief
from optid.errors import RankError, ShapeError, sentence
from optid.kernels import JointFactors
from optid.regressor import BaseParameters
from optid.statistics import Determinacy, truncated_solution

from .fit_details import FitDetails
from .forms import LeastSquares
from .identification_result import IdentificationResult

if TYPE_CHECKING:
    from optid.solvers import Solution

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class InstrumentalVariables:
    """``Zᵀ w (τ − W β) = 0`` for instruments Z that go along with the motion but not with its noise.

    Noise in a measured regressor W pulls least squares towards zero, and in a closed loop it reaches the torque too, so that more data do not help.
    Instruments from a simulated or a commanded motion carry none of it. With the QR factors ``√w Z = Q R`` the equations are ``QᵀW β = Qᵀτ``, posed as least
    squares: squaring the condition number is avoided.

    Parameters
    ----------
    base : BaseParameters
    factors : JointFactors
        Of [Z_j, W_j, τ_j, τ_j raw]: 2r columns, then the targets.
    weights : (n,), optional
        1/variance of each joint's torque noise.
    known, method, context
        As for :class:`optid.problems.Identification`.

    Notes
    -----
    A. Janot, P.-O. Vandanjon, M. Gautier, "A generic instrumental variable approach for industrial robot identification", IEEE Transactions on Control
    Systems Technology 22 (2014).

    Examples
    --------
    >>> import numpy as np
    >>> import optid
    >>> from optid.kernels import JointFactors
    >>> from optid.problems import InstrumentalVariables
    >>> from optid.testing import example_fit, example_model, example_samples
    >>> fit, samples, model = example_fit(), example_samples(), example_model()
    >>> W = model.regressor(samples.q, samples.dq, samples.ddq)[:, list(fit.base.independent)]
    >>> rows = [np.column_stack([W[j::2], W[j::2], samples.tau[:, j], samples.tau[:, j]]) for j in range(2)]  # the regressor as its own instrument
    >>> factors = JointFactors(np.stack([np.linalg.qr(row, mode="r") for row in rows]), np.array([60, 60]), np.zeros((2, 14)), 12)
    >>> bool(np.allclose(optid.solve(InstrumentalVariables(fit.base, factors)).beta, fit.beta))
    True
    """

    base: BaseParameters
    factors: JointFactors
    weights: ArrayLike | None = None
    known: Mapping[str, float] = field(default_factory=dict)
    method: str = "iv"
    context: Mapping[str, Any] = field(default_factory=dict)

    __repr__ = brief

    def __post_init__(self) -> None:
        r, n = self.base.rank, self.base.model.n
        if self.factors.n_columns != 2 * r or self.factors.n_joints != n:
            found = f"{self.factors.n_joints} joints, {self.factors.n_columns} columns"
            raise ShapeError(sentence("factors of instruments and regressor", found, f"{n} joints, {2 * r} columns"))
        object.__setattr__(self, "weights", np.ones(n) if self.weights is None else np.asarray(self.weights, dtype=float))
        if self.factors.counts.sum() < r:
            raise RankError(sentence("instrumental variables", f"{int(self.factors.counts.sum())} rows", f"at least {r}", "Record more samples."))

    @cached_property
    def triangle(self) -> Array:
        """Triangle (2r + k, 2r + k) of the weighted [Z, W, targets] of all joints."""
        size = 2 * self.base.rank + self.factors.n_targets
        stacked = (np.sqrt(np.asarray(self.weights))[:, None, None] * self.factors.triangles).reshape(-1, size)
        return np.asarray(np.linalg.qr(stacked, mode="r"))

    @property
    def A(self) -> Array:
        """QᵀW (r, r)."""
        r = self.base.rank
        return self.triangle[:r, r : 2 * r]

    @property
    def projection(self) -> Array:
        """(r, r) matrix P for which Z P is the part of W that the instruments explain, ``Z (ZᵀwZ)⁻¹ ZᵀwW``."""
        r = self.base.rank
        R = self.triangle[:r, :r]
        norms = np.linalg.norm(R, axis=0)
        norms = np.where(norms > 0, norms, 1.0)
        return np.asarray(np.linalg.lstsq(R / norms, self.A, rcond=1e-12)[0] / norms[:, None])

    def form(self) -> LeastSquares:
        """The r equations ``QᵀW β = Qᵀτ``."""
        r = self.base.rank
        return LeastSquares(self.A, self.triangle[:r, 2 * r], names=self.base.names)

    def interpret(self, solution: Solution) -> IdentificationResult:
        """Estimates with their uncertainty, errors against the data as for least squares."""
        r, weights = self.base.rank, np.asarray(self.weights)
        data = self.factors.split(np.arange(r), np.zeros(r))
        determinacy = Determinacy.of(self.A, self.base.names)
        x = solution.x if determinacy.rank == r else truncated_solution(self.A, self.triangle[:r, 2 * r], determinacy)
        freedom = int(data.counts.sum()) - determinacy.rank
        power = float(weights @ data.residual_sum_of_squares(x))
        details = FitDetails(equations=self._equations(data), variance=power / freedom if freedom > 0 else float("nan"))
        beta = np.where(determinacy.determined, solution.x, np.nan)
        return IdentificationResult(self.base, beta, weights, data, determinacy, dict(self.known), self.method, solution, x, details=details, **self.context)

    def _equations(self, data: JointFactors) -> JointFactors:
        """The r equations as factors that :meth:`JointFactors.stacked` turns back into them; all of them in the first joint's place."""
        r, (n, k) = self.base.rank, (data.n_joints, data.n_targets)
        triangles = np.zeros((n, r + k, r + k))
        weights = np.asarray(self.weights)
        j = int(np.argmax(weights))
        small = np.linalg.qr(self.triangle[:r, r:], mode="r")
        triangles[j, : len(small)] = small / np.sqrt(weights[j])
        return JointFactors(triangles, data.counts, np.zeros((n, r + k)), r)
