"""Total least squares: torque and regressor both noisy, with noise that is known."""

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
from optid.statistics import Determinacy

from .fit_details import FitDetails
from .forms import LeastSquares, Nlp
from .identification_result import IdentificationResult

if TYPE_CHECKING:
    from optid.solvers import Solution

Array = NDArray[np.float64]

EXACT = 1e-10
"""A residual below this part of the torque is rounding."""


@dataclass(frozen=True, eq=False)
class TotalLeastSquares:
    """min over β of ``Σ_j w_j ‖W_j β − τ_j‖² / Σ_j w_j (N_j σ_j² + vᵀ C_j v)``, v = (β, −1).

    The denominator is what noise alone adds to the numerator, so that at the truth the quotient is 1 for any amount of noise; least squares, which ignores that
    noisy columns add residual in proportion to β², is pulled towards zero. Consistent when the noise of the regressor is independent of that of the torque:
    not in a tight closed loop, whose controller feeds one into the other (use :class:`optid.problems.InstrumentalVariables` there).

    Parameters
    ----------
    base : BaseParameters
    factors : JointFactors
        Of [W_j, τ_j, τ_j raw].
    noise : (n, r + 1, r + 1)
        C_j, the summed covariance of what noise of the motion does to a row of [W_j, τ_j]: to the regressor, and to the torque of known parameters that was
        subtracted from τ_j (zeros in the last row and column without known parameters).
    variances : (n,)
        σ_j² of each joint's torque noise [(N m)²].
    known, method, context
        As for :class:`optid.problems.Identification`.

    Notes
    -----
    S. Van Huffel, J. Vandewalle, *The Total Least Squares Problem*, 1991 (generalised: noise of known, unequal covariance). In closed form the smallest
    generalised eigenvalue of the two quadratic forms in (β, −1); posed as a smooth problem it also takes the solvers' bounds.

    Examples
    --------
    >>> import numpy as np
    >>> import optid
    >>> from optid.problems import TotalLeastSquares
    >>> from optid.testing import example_fit
    >>> fit = example_fit(0.01, 200, method="ols")
    >>> exact = TotalLeastSquares(fit.base, fit.factors, noise=np.zeros((2, 7, 7)), variances=[1e-4, 1e-4])  # a motion without noise
    >>> bool(np.allclose(optid.solve(exact).beta, fit.beta, atol=1e-3))
    True
    """

    base: BaseParameters
    factors: JointFactors
    noise: ArrayLike
    variances: ArrayLike
    known: Mapping[str, float] = field(default_factory=dict)
    method: str = "tls"
    context: Mapping[str, Any] = field(default_factory=dict)

    __repr__ = brief

    def __post_init__(self) -> None:
        r, n = self.base.rank, self.base.model.n
        noise, variances = np.asarray(self.noise, dtype=float), np.asarray(self.variances, dtype=float)
        if noise.shape != (n, r + 1, r + 1) or variances.shape != (n,):
            raise ShapeError(sentence("noise of total least squares", f"shapes {noise.shape}, {variances.shape}", f"({n}, {r + 1}, {r + 1}) and ({n},)"))
        if not (np.isfinite(noise).all() and np.isfinite(variances).all() and (variances > 0).all()):
            raise ShapeError(
                sentence("noise of total least squares", "zero, negative or infinite variances", "finite covariances and positive torque variances")
            )
        object.__setattr__(self, "noise", noise)
        object.__setattr__(self, "variances", variances)
        rank = self.determinacy.rank
        if rank < r:
            raise RankError(
                sentence("total least squares", f"rank {rank}", f"the {r} parameters to be determined", "Leave parameters out with known=, or move more.")
            )

    @property
    def weights(self) -> Array:
        """1/σ_j² (n,)."""
        return 1.0 / np.asarray(self.variances)

    @cached_property
    def determinacy(self) -> Determinacy:
        """Rank, condition and open directions of the weighted equations."""
        return Determinacy.of(self.factors.stacked(self.weights)[0], self.base.names)

    @cached_property
    def _forms(self) -> tuple[Array, Array, Array]:
        """Triangle of the weighted [W, τ] with columns scaled to unit norm, covariance of their noise in that scale, and the scales."""
        A, b = self.factors.stacked(self.weights)
        triangle = np.asarray(np.linalg.qr(np.column_stack([A, b]), mode="r"))
        scales = np.linalg.norm(triangle, axis=0)
        noise = np.tensordot(self.weights, np.asarray(self.noise), 1)
        noise[-1, -1] += float(self.factors.counts.sum())
        return triangle / scales, noise / np.outer(scales, scales), scales

    @cached_property
    def _start(self) -> Array:
        R, _, scales = self._forms
        return np.asarray(np.linalg.lstsq(R[:, :-1], R[:, -1], rcond=None)[0] * scales[-1] / scales[:-1])

    def form(self) -> Nlp | LeastSquares:
        """The quotient, from the least-squares estimate; where that leaves nothing, the quotient is zero there, and least squares is the answer."""
        import casadi as ca

        R, noise, scales = self._forms
        unit = scales[-1] / scales[:-1]
        if np.linalg.norm(R @ np.append(self._start / unit, -1.0)) <= EXACT:
            return LeastSquares(R[:, :-1] / unit, R[:, -1], names=self.base.names)
        x = ca.SX.sym("beta", self.base.rank)
        v = ca.vertcat(x / unit, -1)
        quotient = ca.sumsqr(ca.mtimes(ca.DM(R), v)) / ca.mtimes([v.T, ca.DM(noise), v])
        return Nlp(x, ca.log(quotient), x0=self._start, names=self.base.names, scales=unit * np.maximum(np.abs(self._start / unit), 1e-3))

    def interpret(self, solution: Solution) -> IdentificationResult:
        """Estimates; their equations are the noise-free normal matrix and the variance of torque and regressor noise together."""
        R, noise, scales = self._forms
        beta = np.asarray(solution.x)
        v = np.append(beta / scales[-1] * scales[:-1], -1.0)
        quotient = float(np.sum((R @ v) ** 2) / (v @ noise @ v))
        normal = R[:, :-1].T @ R[:, :-1] - quotient * noise[:-1, :-1]
        A = np.linalg.cholesky(normal).T * scales[:-1]
        n, r, k = self.base.model.n, self.base.rank, self.factors.n_targets
        j = int(np.argmax(self.weights))
        triangles = np.zeros((n, r + k, r + k))
        triangles[j, :r, :r] = A / np.sqrt(self.weights[j])
        triangles[j, :r, r] = triangles[j, :r, :r] @ beta
        power = float(self.weights @ self.factors.residual_sum_of_squares(beta))
        details = FitDetails(
            equations=JointFactors(triangles, self.factors.counts, np.zeros((n, r + k)), r), variance=power / max(int(self.factors.counts.sum()) - r, 1)
        )
        return IdentificationResult(
            self.base,
            beta,
            self.weights,
            self.factors,
            self.determinacy,
            dict(self.known),
            self.method,
            solution,
            beta,
            details=details,
            **self.context,
        )
