"""How far the estimates of a fit may be off when its residuals are not white.

An estimate from equations is off by ``B s``, with ``s = Σ_k Y_kᵀ w e_k`` the sum of the residuals' scores and B the inverse of the normal matrix (of data and
prior together). White residuals give s the covariance ``σ² YᵀwY`` and the estimate ``σ² B``; real ones hang together in time, differ in size, and go along
between joints, so the covariance of s is taken from the residuals themselves (:mod:`optid.statistics.residuals`) and ``B cov(s) B`` holds in any case.

Residuals are smaller than the noise, because the fit follows a part of it: that part has weighted power ``a = tr(N B cov(s) B)``, N the data's normal matrix.
With P the weighted power of the residuals the covariance is therefore scaled by (P + a) / P, and Student's t has ``ν = r P / a`` degrees of freedom. For white
residuals a = r σ² and P = (rows − r) σ²: the classical numbers rows / (rows − r) and rows − r.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from optid.errors import DataError, sentence
from optid.kernels.blas import one_thread
from optid.statistics import block_sums, long_run_covariance
from optid.statistics.residuals import ResidualStatistics

from .equations import Equations

if TYPE_CHECKING:
    from .identification_result import IdentificationResult

Array = NDArray[np.float64]

KINDS = ("white", "hac", "bootstrap")
REPLICATES = 2000
SUSPICIOUS = 0.01
"""Residuals are called correlated when the chance that white ones look like them is below this (divided by the number of joints)."""
ROUNDING = 1e-9
"""Residuals below this part of a joint's torque are the rounding of an exact fit: there is no noise whose correlation could matter."""


def require_residuals(fit: IdentificationResult, kind: str) -> ResidualStatistics:
    """The residual statistics of a fit, or an error that says how to get them."""
    if fit.details.residuals is None:
        raise DataError(
            sentence(
                f"covariance of kind {kind!r}",
                f"no residuals kept with this fit ({fit.method})",
                "a fit that went through the samples again",
                "Call optid.identify(..., residuals=True) with a method that keeps them.",
            )
        )
    return fit.details.residuals


def correlated_joints(fit: IdentificationResult) -> tuple[int, ...]:
    """Joints (from 0) whose residuals are correlated in time; none where it is not known, or where the fit is exact."""
    if fit.details.residuals is None:
        return ()
    p = fit.details.residuals.whiteness
    suspicious = np.where(np.isnan(p), 1.0, p) < SUSPICIOUS / max(len(p), 1)
    return tuple(int(j) for j in np.flatnonzero(suspicious & ~(fit.errors().per_joint < ROUNDING)))


@dataclass(frozen=True, eq=False)
class LongRun:
    """Covariance from the residuals' scores.

    Attributes
    ----------
    covariance : (r, r)
        Zero rows for undetermined parameters.
    degrees_of_freedom : float
    scale : float
        (P + a) / P, see the module.
    """

    covariance: Array
    degrees_of_freedom: float
    scale: float

    @classmethod
    def of(cls, fit: IdentificationResult) -> LongRun:
        """From the scores that the fit keeps."""
        kept = require_residuals(fit, "hac")
        return cls.from_scores(kept, fit.equations, residual_power(fit), fit.degrees_of_freedom, prior_share(fit))

    @classmethod
    @one_thread()
    def from_scores(cls, kept: ResidualStatistics, equations: Equations, power: float, freedom: float, extra: Array | float = 0.0) -> LongRun:
        """From scores, the equations behind them and the weighted power of their residuals; ``freedom`` where the fit absorbs none of it."""
        inverse = equations.covariance(1.0)
        data = long_run_covariance(kept.scores @ np.where(np.isfinite(inverse), inverse, 0.0), kept.trial)
        absorbed = float(np.sum((equations.A @ data) * equations.A))
        scale = 1.0 + absorbed / power if power > 0 else 1.0
        found = equations.n_effective * power / absorbed if absorbed > 0 else float(freedom)
        return cls(scale * data + extra, max(found, 1.0), scale)


def bread(fit: IdentificationResult) -> Array:
    """B (r, r): deviation of the estimate per unit of score, zero for undetermined parameters."""
    inverse = fit.equations.covariance(1.0)
    return np.where(np.isfinite(inverse), inverse, 0.0)


def residual_power(fit: IdentificationResult) -> float:
    """Weighted sum of squared residuals of the fit's equations."""
    if fit.details.variance is not None:
        return fit.details.variance * fit.degrees_of_freedom
    residual = fit.equations.A @ fit.minimum_norm - fit.equations.b
    return float(residual @ residual)


def prior_share(fit: IdentificationResult) -> Array:
    """Covariance (r, r) that the uncertainty of the prior itself adds; zero without one."""
    rows = fit.equations.rows
    if rows is None:
        return np.zeros((fit.base.rank, fit.base.rank))
    through = rows @ bread(fit)
    return np.asarray(fit.noise_variance * (through.T @ through))


@one_thread()
def bootstrap(fit: IdentificationResult, replicates: int, block: float | None, seed: int) -> Array:
    """Deviations (replicates, r) of the estimate when blocks of the residuals' scores are drawn anew; zero for undetermined parameters."""
    kept = require_residuals(fit, "bootstrap")
    terms = kept.scores @ bread(fit)
    length = int(np.ceil(len(terms) ** (1 / 3))) if block is None else max(1, round(block / float(np.median(kept.cell_time))))
    found = block_sums(terms, kept.trial, length, replicates, seed) * np.sqrt(LongRun.of(fit).scale)
    extra = prior_share(fit)
    if extra.any():
        found = found + np.random.default_rng([seed, 1]).multivariate_normal(np.zeros(len(extra)), extra, size=replicates, method="eigh")
    return found


@one_thread()
def prediction_band(fit: IdentificationResult, states: Sequence[Array], level: float, kind: str, noise: bool) -> Array:
    """Half width (N, n) of the band about the predicted torque; directions that the data left open are not in it."""
    from optid.statistics.intervals import quantile

    covariance = fit.covariance(kind)
    covariance = np.where(np.isfinite(covariance), covariance, 0.0)
    freedom = LongRun.of(fit).degrees_of_freedom if kind == "hac" else float(fit.degrees_of_freedom)
    variances = fit.residual_std**2 if noise else np.zeros(fit.base.model.n)
    bands = []
    for start in range(0, len(states[0]), 4096):
        Y = fit.base.kernel(*(x[start : start + 4096] for x in states))
        bands.append(np.sqrt(np.einsum("kjr,rs,kjs->kj", Y, covariance, Y, optimize=True).clip(0.0) + variances))
    return np.asarray(quantile(freedom, level) * np.concatenate(bands)) if bands else np.zeros((0, fit.base.model.n))


def opened(covariance: Array, fit: IdentificationResult) -> Array:
    """The covariance with infinite variance for undetermined parameters."""
    found = covariance.copy()
    open_ = ~fit.determinacy.determined
    found[open_, :] = found[:, open_] = 0.0
    found[open_, open_] = np.inf
    return found
