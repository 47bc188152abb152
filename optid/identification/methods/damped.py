"""Least squares pulled towards a prior."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from optid.errors import DataError, ShapeError, sentence, unknown_name
from optid.kernels import JointFactors
from optid.model.arguments import real
from optid.model.arrays import numbers
from optid.problems.fit_details import FitDetails
from optid.problems.identification_result import IdentificationResult
from optid.problems.prior import Prior
from optid.statistics.damping import DampingPath, by_allowance, by_gcv, by_held_out, by_l_curve

from .job import Job

Array = NDArray[np.float64]

CHOICES = ("allowance", "gcv", "l-curve", "trials")
SCALES = ("size", "sigma", "unit")
MOSTLY_PRIOR = 0.5
"""A parameter of which the data give less than this share is named in the notes."""


@dataclass(frozen=True)
class Damped:
    """min Σ_j w_j ‖τ_j − W_j β‖² + λ² Σ_k ((β_k − β₀_k) / s_k)².

    Parameters
    ----------
    damping : float, "allowance", "gcv", "l-curve", "trials" or None
        λ itself, or how to choose it: the largest whose weighted residual stays within the allowance; generalised cross-validation; the corner of the
        L-curve; the least error on trials left out in turn. None: 1 where the prior has sigmas, else "allowance". Holding out a trial cannot show over-fit
        when it repeats the motion of another.
    allowance : float or None
        Residual norm that the prior may cost, relative to that of least squares. None: as much squared residual as least squares takes from the noise, found
        from how the residuals hang together in time: then the data cannot tell the estimate from least squares.
    scale : "size", "sigma", "unit", (r,) array or None
        s: |β₀| + 1 % of the largest, parameters of which the prior says nothing being left alone; the prior's sigmas, so that λ = 1 is Bayes' rule for white
        residuals; 1, in the parameters' own units (with ``weighting="none"`` this is the textbook's ‖T − Φp‖² + λ²‖p − p₀‖²); given sizes. None: "sigma"
        where the prior has sigmas, else "size".
    weighting : "joint" or "none"
        w_j: 1/variance of the joint's residual as in "wls", or 1.
    """

    damping: float | str | None = None
    allowance: float | None = None
    scale: Any = None
    weighting: str = "joint"

    name: ClassVar[str] = "damped"

    def __post_init__(self) -> None:
        if isinstance(self.damping, str) and self.damping not in CHOICES:
            raise unknown_name("way to choose the damping", self.damping, CHOICES)
        wanted = "a finite number >= 0, or a way to choose it"
        if not (self.damping is None or isinstance(self.damping, str) or 0 <= real(self.damping, "damping", wanted) < np.inf):
            raise DataError(sentence("damping", self.damping, wanted))
        if self.weighting not in ("joint", "none"):
            raise unknown_name("weighting", self.weighting, ("joint", "none"))
        if isinstance(self.scale, str) and self.scale not in SCALES:
            raise unknown_name("scale of the prior", self.scale, SCALES)
        wanted = "a number >= 1, such as 1.1, or None"
        if self.allowance is not None and not real(self.allowance, "allowance", wanted) >= 1:
            raise DataError(sentence("allowance", self.allowance, wanted))

    def fit(self, job: Job) -> IdentificationResult:
        """Estimate."""
        prior = Prior.of(job.base.model, job.prior)
        rows, target, sure = self._rows(job, prior)
        weights = job.weighted().weights if self.weighting == "joint" else np.ones(job.base.model.n)
        path = self._path(job.factors, weights, rows, target, job.independent_share)
        choice = self.damping if self.damping is not None else (1.0 if sure else "allowance")
        damping = float(choice) if not isinstance(choice, str) else self._chosen(job, choice, path, weights)
        details = FitDetails(rows=damping * rows, target=damping * target, damping=damping, residual_increase=_increase(path, damping))
        result = job.least_squares(weights, self.name, details)
        return replace(result, notes=(*result.notes, *_notes(result, choice, damping)))

    def _rows(self, job: Job, prior: Prior) -> tuple[Array, Array, bool]:
        """Equations of the prior, and whether their sizes are sigmas."""
        sure = bool(np.isfinite(prior.sigmas).any())
        scale = self.scale if self.scale is not None else ("sigma" if sure else "size")
        if isinstance(scale, str) and scale == "sigma":
            rows, target = (prior.with_relative_sigmas(1.0) if np.isnan(prior.sigmas).all() else prior).base_rows(job.base)
            return rows, target, True
        beta, size, said = prior.base_scales(job.base)
        if not isinstance(scale, str):
            size, said = numbers(scale, "scale of the prior"), np.ones(job.base.rank, dtype=bool)
            if size.shape != (job.base.rank,) or not (np.isfinite(size) & (size > 0)).all():
                raise ShapeError(sentence("scale of the prior", f"shape {size.shape}", f"{job.base.rank} positive sizes, one per base parameter"))
        elif scale == "unit":
            size, said = np.ones(job.base.rank), np.ones(job.base.rank, dtype=bool)
        elif not said.any():
            raise DataError(
                sentence(
                    f"prior of robot {job.base.model.robot.name!r}",
                    "no body, friction or rotor",
                    "something to pull towards",
                    "Give prior=..., or scale='unit'.",
                )
            )
        rows = np.diag(1.0 / size)[said]
        return rows, rows @ beta, False

    def _path(self, factors: JointFactors, weights: Array, rows: Array, target: Array, share: float) -> DampingPath:
        A, b = factors.stacked(weights)
        return DampingPath(A, b, rows, target, share * float(factors.counts.sum()))

    def _chosen(self, job: Job, choice: str, path: DampingPath, weights: Array) -> float:
        if choice == "allowance":
            return by_allowance(path, self.allowance if self.allowance is not None else np.sqrt(1 + job.absorbed(job.least_squares(weights))))
        if choice == "gcv":
            return by_gcv(path)
        if choice == "l-curve":
            return by_l_curve(path)
        if len(job.parts) < 2:
            raise DataError(sentence("damping 'trials'", f"{len(job.parts)} trial", "at least two, each left out in turn"))
        rest = [JointFactors.merge([p for i, p in enumerate(job.parts) if i != k]) for k in range(len(job.parts))]
        train = [self._path(f, weights, path.D, path.d, job.independent_share) for f in rest]
        return by_held_out(train, [part.stacked(weights) for part in job.parts])


def _increase(path: DampingPath, damping: float) -> float | None:
    alone = path.at(float(path.grid(2)[0])).residual
    return path.at(damping).residual / alone - 1 if alone > 0 else None


def _notes(result: IdentificationResult, choice: float | str, damping: float) -> list[str]:
    how = "as given" if not isinstance(choice, str) else f"chosen by {choice}"
    more = result.details.residual_increase
    cost = "" if more is None else f"; the residual is {100 * more:.2g} % above that of the data alone"
    notes = [f"prior: λ = {damping:.4g}, {how}{cost}."]
    held = [name for name, share in zip(result.base.names, result.equations.data_share, strict=True) if share < MOSTLY_PRIOR]
    if held:
        notes.append(f"prior: {len(held)} of {result.base.rank} parameters come mostly from it: {', '.join(held)}.")
    return notes
