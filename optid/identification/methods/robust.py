"""Least squares that outliers cannot pull."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from optid.errors import DataError, sentence
from optid.kernels import JointFactors
from optid.model.arguments import positive, real, whole
from optid.problems.fit_details import Dropped, FitDetails
from optid.problems.identification import Identification
from optid.problems.identification_result import IdentificationResult
from optid.signals import Samples

from .job import Job

Array = NDArray[np.float64]

MAD = 1.4826
"""Standard deviation of a normal variable over the median of its size."""

SETTLED = 1e-3
"""Estimates that move by less than this part of their sigma have converged."""

SHOWN = 5


@dataclass(frozen=True)
class Huber:
    """Huber's M-estimate by iterated weighting, then without the samples that lie hopelessly far out.

    A torque residual counts by its square up to ``threshold`` standard deviations of its joint (by the median of sizes, which outliers do not move) and
    linearly beyond. Once that has settled, samples beyond ``reject`` standard deviations are left out and listed in ``details.dropped``.

    Source: P. J. Huber, *Robust Statistics*, 1981; covariance: its (6.5) with the correction of one scale per joint.

    Parameters
    ----------
    threshold : float
        1.345 keeps 95 % of the efficiency of least squares where noise is normal.
    reject : float
        Infinite: nothing is left out.
    iterations : int
        Most passes over the data.
    """

    threshold: float = 1.345
    reject: float = 6.0
    iterations: int = 50

    name: ClassVar[str] = "huber"

    def __post_init__(self) -> None:
        positive(self.threshold, "threshold of the robust fit", "a positive number of standard deviations, such as 1.345")
        whole(self.iterations, "iterations of the robust fit", 1, "a whole number of passes, 1 or more")
        if not real(self.reject, "reject of the robust fit") > self.threshold:
            raise DataError(sentence("reject of the robust fit", self.reject, f"more standard deviations than the threshold, {self.threshold:g}"))

    def fit(self, job: Job) -> IdentificationResult:
        """Estimate."""
        result = job.weighted(method=self.name)
        deviation = _deviation(job, result.minimum_norm)
        limit, passes = np.inf, 0
        while passes < self.iterations:
            before = result
            result, deviation = self._pass(job, result, deviation, limit)
            passes += 1
            moved = np.abs(result.minimum_norm - before.minimum_norm)
            if (moved <= SETTLED * np.where(np.isfinite(result.sigma), result.sigma, np.inf)).all():
                if np.isinf(self.reject) or limit == self.reject:
                    break
                limit = self.reject
        return self._finished(job, result, deviation)

    def _pass(self, job: Job, result: IdentificationResult, deviation: Array, limit: float) -> tuple[IdentificationResult, Array]:
        """One reweighting: the next estimate, and the deviations (n,) of the residuals that it was weighted with."""
        equations = JointFactors.empty(job.base.model.n, job.base.rank, n_targets=2)
        sizes: list[list[Array]] = [[] for _ in range(job.base.model.n)]
        moments = np.zeros(4)
        for _, _, Y, targets, use in job.blocks():
            residual = targets[:, :, 0] - Y @ result.minimum_norm
            size = np.abs(residual) / deviation
            good = use & (size <= limit)
            weight = np.minimum(1.0, self.threshold / np.maximum(size, self.threshold))
            equations = equations.update(Y, targets, good, np.sqrt(weight))
            for j, column in enumerate(sizes):
                column.append(np.abs(residual[use[:, j], j]))
            moments += _moments(size[good], weight[good], self.threshold)
        n, clipped, inside, total = moments
        freedom = max(n - job.base.rank, 1.0)
        variance = n / freedom * (clipped / n) / (inside / n) ** 2 * (total / n)
        details = FitDetails(equations=equations, variance=float(variance))
        problem = Identification(job.base, job.factors, 1.0 / deviation**2, job.known, self.name, job.context, details)
        found: IdentificationResult = job.solve(problem)
        return found, _floored(job, np.array([MAD * np.median(np.concatenate(column)) for column in sizes]))

    def _finished(self, job: Job, result: IdentificationResult, deviation: Array) -> IdentificationResult:
        joints = job.base.model.robot.joint_names
        dropped: list[Dropped] = []
        for samples, at, Y, targets, use in job.blocks():
            size = (targets[:, :, 0] - Y @ result.minimum_norm) / deviation
            times = instants(samples)[at : at + len(Y)]
            for k, j in np.argwhere(use & (np.abs(size) > self.reject)).tolist():
                dropped.append(Dropped(samples.name, float(times[k]), joints[j], float(size[k, j])))
        worst = sorted(dropped, key=lambda d: -abs(d.residual))[:SHOWN]
        note = f"{len(dropped)} of {int(job.factors.counts.sum())} torque samples lie beyond {self.reject:g} standard deviations and were left out"
        told = ", ".join(f"{d.joint} of {d.trial} at {d.time:.6g} s ({d.residual:+.3g})" for d in worst)
        notes = (f"{note}; the farthest: {told}.",) if dropped else ()
        details = replace(result.details, dropped=tuple(dropped))
        return replace(result, details=details, notes=(*result.notes, *notes))


def _moments(size: Array, weight: Array, threshold: float) -> Array:
    """Count, Σψ², Σψ', Σw of standardised residuals."""
    return np.array([len(size), np.sum(np.minimum(size, threshold) ** 2), np.count_nonzero(size < threshold), np.sum(weight)])


def _deviation(job: Job, beta: Array) -> Array:
    """Standard deviation (n,) of each joint's residuals by the median of their sizes."""
    sizes: list[list[Array]] = [[np.zeros(0)] for _ in range(job.base.model.n)]
    for _, _, Y, targets, use in job.blocks():
        residual = np.abs(targets[:, :, 0] - Y @ beta)
        for j, column in enumerate(sizes):
            column.append(residual[use[:, j], j])
    return _floored(job, np.array([MAD * np.median(x) if len(x := np.concatenate(column)) else 0.0 for column in sizes]))


def _floored(job: Job, deviation: Array) -> Array:
    """At least 1e-6 of the joint's torque; noise-free data are not divided by rounding."""
    torque = np.sqrt(job.factors.squares[:, 0] / np.maximum(job.factors.counts, 1))
    floored = np.maximum(deviation, 1e-6 * torque)
    return np.where(floored > 0, floored, 1.0)


def instants(samples: Samples) -> Array:
    """Times [s] of the rows that :meth:`Job.blocks` gives for these samples."""
    if samples.decimation > 1:
        return np.concatenate([samples.time[part][:: samples.decimation] for part in samples.parts()])
    if samples.band_limited:
        count = min(2 * (samples.harmonics or 0) + 1, samples.n_samples)
        return samples.time[0] + np.arange(count) * samples.n_samples / samples.rate / count
    return samples.time
