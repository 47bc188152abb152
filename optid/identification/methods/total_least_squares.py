"""Total least squares with the noise of the encoders."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from optid.errors import DataError, ShapeError, sentence
from optid.identification.examine import equation_parts
from optid.model.arguments import per_axis, whole
from optid.model.arrays import numbers
from optid.problems.identification_result import IdentificationResult
from optid.problems.total_least_squares import EXACT, TotalLeastSquares
from optid.regressor import BaseParameters
from optid.signals import Nyquist, Samples
from optid.signals.filters import cutoff_hz
from optid.statistics import ResidualStatistics, TrialResiduals
from optid.statistics.encoder import motion_noise
from optid.statistics.residuals import Block

from .job import Job

Array = NDArray[np.float64]

CHUNK = 4096


@dataclass(frozen=True)
class Tls:
    """Torque and regressor both noisy: see :class:`optid.problems.TotalLeastSquares`.

    Parameters
    ----------
    position_sigma : float or (n,) [rad or m]
        Standard deviation of the white noise on every recorded position, such as :attr:`optid.statistics.EncoderNoise.position`. What filter and differences
        make of it follows from the preprocessing, whose ``cutoff`` must be a number or None.
    noise : (n, 3, 3), optional
        Covariance of the noise in (q, dq, ddq) of each joint instead, for samples that were prepared elsewhere.
    torque_sigma : float or (n,), optional [N m]
        Standard deviation of the torque's noise. Default: from the residuals, in turn with the estimate, less what the regressor's noise adds to them.
    iterations : int
        Most turns of that.
    """

    position_sigma: Any = None
    noise: Any = None
    torque_sigma: Any = None
    iterations: int = 20

    name: ClassVar[str] = "tls"

    def __post_init__(self) -> None:
        whole(self.iterations, "iterations of 'tls'", 1, "a whole number of turns, 1 or more")

    def fit(self, job: Job) -> IdentificationResult:
        """Estimate."""
        trials = list(job.samples())
        covariances = [self._noise(job, samples) for samples in trials]
        sums = sum(row_noise(job.base, samples, S, job.known_vector) for samples, S in zip(trials, covariances, strict=True))
        start = job.weighted()
        beta, counts = start.minimum_norm, np.maximum(job.factors.counts, 1)
        result = start
        for _ in range(self.iterations if self.torque_sigma is None else 1):
            variances = self._torque_variances(job, beta, sums, counts)
            result = job.solve(TotalLeastSquares(job.base, job.factors, sums, variances, job.known, self.name, job.context))
            change = float(np.linalg.norm(result.equations.A @ (result.beta - beta)) / np.linalg.norm(result.equations.A @ result.beta))
            beta = result.beta
            if change < 1e-6:
                break
        mean = np.asarray(sums) / counts[:, None, None]
        spread = result.factors.residual_sum_of_squares(beta) / counts
        v = np.append(beta, -1.0)
        # residuals at the level of rounding say nothing about the noise: its own share is what is left to go by
        exact = spread <= EXACT**2 * job.factors.squares[:, 0] / counts
        spread = np.where(exact, np.einsum("jrs,r,s->j", mean, v, v) + 1.0 / result.weights, spread)
        residuals = [_corrected(job, samples, beta, mean, spread) for samples in trials]
        return replace(result, details=replace(result.details, residuals=ResidualStatistics.of(residuals, result.weights)))

    def _torque_variances(self, job: Job, beta: Array, sums: Any, counts: Any) -> Array:
        n = job.base.model.n
        if self.torque_sigma is not None:
            return _deviations(self.torque_sigma, n, "torque_sigma", positive=True) ** 2
        total = job.factors.residual_sum_of_squares(beta) / counts
        v = np.append(beta, -1.0)
        own = np.einsum("jrs,r,s->j", np.asarray(sums), v, v) / counts
        power = job.factors.squares[:, 0] / counts
        if not power.any():
            raise DataError(sentence("method 'tls'", "a torque that is zero everywhere", "a torque signal to fit"))
        return np.asarray(np.maximum(np.maximum(total - own, 0.01 * total), 1e-12 * np.where(power > 0, power, power.max())))

    def _noise(self, job: Job, samples: Samples) -> Array:
        """Covariance (n, 3, 3) of the noise in the samples' motion."""
        n = job.base.model.n
        if samples.decimation > 1 or samples.harmonics is not None:
            raise DataError(sentence(f"total least squares on trial {samples.name!r}", "decimated or averaged equations", "every sample as it is"))
        if self.noise is not None:
            given = numbers(self.noise, "noise of (q, dq, ddq)")
            if given.shape != (n, 3, 3):
                raise ShapeError(sentence("noise of (q, dq, ddq)", f"shape {given.shape}", f"({n}, 3, 3)"))
            if not np.isfinite(given).all() or (np.linalg.eigvalsh(given)[:, 0] < -1e-9 * np.trace(given, axis1=1, axis2=2).clip(0)).any():
                raise DataError(sentence("noise of (q, dq, ddq)", "no covariances", "finite, positive semidefinite ones"))
            return given
        options = job.context.get("preprocessing")
        if self.position_sigma is None or options is None:
            hint = "Give position_sigma=... and recorded trials, or noise=... with samples."
            raise DataError(sentence("method 'tls'", "no noise of the encoders", "a standard deviation of the positions", hint))
        cutoff = options.cutoff
        plain = options.derivative == "central" and not options.use_measured_velocity and not options.use_measured_acceleration
        if isinstance(cutoff, str) or not plain or any(isinstance(c, (float, int, Nyquist)) for c in (options.velocity_cutoff, options.acceleration_cutoff)):
            found = f"cutoff={cutoff!r} with {options.derivative!r} derivatives"
            raise DataError(sentence("method 'tls'", found, "cutoff in Hz or None, and central differences of the position alone", "Or give noise=..."))
        rate = samples.rate * options.every
        sigma = _deviations(self.position_sigma, n, "position_sigma")
        return motion_noise(sigma, rate, None if cutoff is None else cutoff_hz(cutoff, rate), options.order)


def _deviations(value: Any, n: int, what: str, positive: bool = False) -> Array:
    """Standard deviations (n,)."""
    found = per_axis(value, n, what)
    if not np.isfinite(found).all() or (found < 0).any() or (positive and (found == 0).any()):
        raise DataError(sentence(what, found.tolist(), "finite numbers above 0" if positive else "finite numbers >= 0"))
    return found


def row_noise(base: BaseParameters, samples: Samples, covariance: Array, known: Array | None = None) -> Array:
    """Summed covariance (n, r + 1, r + 1) of the noise in each joint's rows of [regressor, torque less that of known parameters], over the used samples.

    Every joint's (q, dq, ddq) is moved by the columns of the root of its covariance (n, 3, 3), both ways, and half the differences of the rows are squared:
    exact for a regressor that is linear over a standard deviation.
    """
    n, r = base.model.n, base.rank
    total = np.zeros((n, r + 1, r + 1))

    def rows(motion: list[Array]) -> Array:
        torque = np.zeros((len(motion[0]), n)) if known is None else -base.model.inverse_dynamics(known, *motion)
        return np.concatenate([base.kernel(*motion), torque[:, :, None]], axis=2)

    for joint in range(n):
        values, vectors = np.linalg.eigh(covariance[joint])
        root = vectors * np.sqrt(np.maximum(values, 0.0))
        for step in root.T:
            if not step.any():
                continue
            for start in range(0, samples.n_samples, CHUNK):
                part = slice(start, start + CHUNK)
                ahead, back = [], []
                for x, s in zip((samples.q[part], samples.dq[part], samples.ddq[part]), step, strict=True):
                    shift = np.zeros(n)
                    shift[joint] = s
                    ahead.append(x + shift)
                    back.append(x - shift)
                moved = np.where(samples.use[part][:, :, None], (rows(ahead) - rows(back)) / 2, 0.0)
                total += np.einsum("kjr,kjs->jrs", moved, moved)
    return total


def _corrected(job: Job, samples: Samples, beta: Array, mean: Array, spread: Array) -> TrialResiduals:
    """Residuals, with scores of the regressor that total least squares believes: each row moved by its share of the residual."""
    rows, step = equation_parts(samples)
    along = (mean @ np.append(beta, -1.0))[:, :-1] / spread[:, None]

    def fresh() -> Iterator[Block]:
        from optid.regressor.accumulate import blocks

        for Y, targets, use in blocks(job.base, samples, job.known_vector):
            residual = targets[:, :, 0] - Y @ beta
            yield Y + residual[:, :, None] * along, residual, use

    return TrialResiduals(fresh, rows, step, job.base.model.n, samples.independent_share)
