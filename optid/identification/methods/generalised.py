"""Least squares with the covariance of the torque noise between joints."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from optid.errors import DataError, sentence
from optid.kernels import JointFactors
from optid.problems.fit_details import FitDetails
from optid.problems.identification import Identification
from optid.problems.identification_result import IdentificationResult

from .job import SETTLED, Job

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Gls:
    """Generalised least squares: torque residuals of one instant weighted by the inverse of their full covariance (n, n), repeated until it settles.

    Noise that joints share (a common supply, a base that gives way, a wrong coupling) is then seen through. Equations of samples of which some joints are
    left out are weighted by the covariance of the others. Two passes over the data each time.

    Parameters
    ----------
    reweightings : int
    """

    reweightings: int = 10

    name: ClassVar[str] = "gls"

    def fit(self, job: Job) -> IdentificationResult:
        """Estimate."""
        result = job.weighted()
        before = np.diag(1.0 / result.weights)
        for _ in range(self.reweightings):
            covariance = residual_covariance(job, result.minimum_norm)
            change = float(np.abs(np.linalg.eigvalsh(_relative(covariance, before)) - 1).max())
            details = FitDetails(equations=whitened(job, covariance))
            problem = Identification(job.base, job.factors, np.ones(job.base.model.n), job.known, self.name, job.context, details)
            result, before = job.solve(problem), covariance
            if change < SETTLED:
                break
        return replace(result, notes=(*result.notes, _note(job, before)))


def residual_covariance(job: Job, beta: Array) -> Array:
    """Covariance (n, n) of the residuals [(N m)²], from the samples that all joints use.

    Raises
    ------
    DataError
        When there are too few of these to tell the joints apart.
    """
    n = job.base.model.n
    total, count = np.zeros((n, n)), 0
    for _, _, Y, targets, use in job.blocks():
        complete = use.all(axis=1)
        residual = (targets[:, :, 0] - Y @ beta)[complete]
        total += residual.T @ residual
        count += int(complete.sum())
    share = job.base.rank / n
    if count < 2 * n + share:
        raise DataError(
            sentence(
                "torque covariance", f"{count} samples that all joints use", f"at least {int(2 * n + share) + 1}", "Use method='wls', or a lower min_speed."
            )
        )
    torque = job.factors.squares[:, 0] / np.maximum(job.factors.counts, 1)
    floor = np.where(torque > 0, 1e-12 * torque, 1.0)
    return total / (count - share) + np.diag(floor)


def whitened(job: Job, covariance: Array) -> JointFactors:
    """Factors of the equations multiplied by the inverse root of their covariance, instant by instant."""
    n = job.base.model.n
    factors = JointFactors.empty(n, job.base.rank, n_targets=2)
    for _, _, Y, targets, use in job.blocks():
        patterns, which = np.unique(use, axis=0, return_inverse=True)
        for k, pattern in enumerate(patterns):
            used, rows = np.flatnonzero(pattern), np.flatnonzero(which.ravel() == k)
            if not used.size:
                continue
            root = np.linalg.inv(np.linalg.cholesky(covariance[np.ix_(used, used)]))
            some = np.ix_(rows, used)
            block, right = np.zeros((len(rows), n, job.base.rank)), np.zeros((len(rows), n, targets.shape[2]))
            block[:, used] = np.einsum("ij,kjr->kir", root, Y[some])
            right[:, used] = np.einsum("ij,kjr->kir", root, targets[some])
            factors = factors.update(block, right, np.tile(pattern, (len(rows), 1)))
    return factors


def _relative(covariance: Array, other: Array) -> Array:
    root = np.linalg.inv(np.linalg.cholesky(other))
    return np.asarray(root @ covariance @ root.T)


def _note(job: Job, covariance: Array) -> str:
    deviation = np.sqrt(np.diag(covariance))
    correlation = covariance / np.outer(deviation, deviation) - np.eye(len(deviation))
    i, j = np.unravel_index(int(np.argmax(np.abs(correlation))), correlation.shape)
    names = job.base.model.robot.joint_names
    return f"torque residuals of {names[int(i)]} and {names[int(j)]} are correlated most, by {correlation[i, j]:.2f}."
