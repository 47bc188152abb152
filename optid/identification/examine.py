"""Residual statistics of a fit: what honest intervals need, from further passes over the data."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from optid.regressor import BaseParameters
from optid.regressor.accumulate import blocks
from optid.signals import Samples
from optid.statistics.residuals import Block, ResidualStatistics, TrialResiduals

if TYPE_CHECKING:
    from optid.problems.identification_result import IdentificationResult
    from optid.signals.stream import SampleStream

    from .methods import Job

Array = NDArray[np.float64]

KEPT = 10_000_000
"""Numbers of a regressor that are kept between two passes instead of computed again (80 MB)."""


def equation_parts(samples: Samples | SampleStream) -> tuple[list[slice], float]:
    """Uninterrupted pieces of the rows that :func:`optid.regressor.accumulate.blocks` gives, and the time between rows [s]."""
    if samples.decimation > 1:
        lengths = [-(-(part.stop - part.start) // samples.decimation) for part in samples.parts()]
        ends = np.cumsum([0, *lengths])
        return [slice(int(a), int(b)) for a, b in pairwise(ends)], samples.decimation / samples.rate
    if samples.band_limited:
        count = min(2 * (samples.harmonics or 0) + 1, samples.n_samples)
        return [slice(0, count)], samples.n_samples / samples.rate / count
    return samples.parts(), 1.0 / samples.rate


def trial_residuals(
    base: BaseParameters,
    samples: Samples | SampleStream,
    known: Array | None,
    beta: Array,
    instruments: Callable[[], Iterator[Array]] | None = None,
) -> TrialResiduals:
    """Residuals of one trial.

    Parameters
    ----------
    known : (p,) or None
        Standard vector of the known parameters.
    beta : (r,)
    instruments : callable, optional
        Gives blocks (B, n, r) that stand for the regressor in the scores; default the regressor itself.
    """
    rows, step = equation_parts(samples)

    def fresh() -> Iterator[Block]:
        others = None if instruments is None else instruments()
        for Y, targets, use in blocks(base, samples, known):
            residual = targets[:, :, 0] - Y @ beta
            yield (Y if others is None else next(others)), residual, use

    kept = [(Y.copy(order="K"), residual, use) for Y, residual, use in fresh()] if samples.n_samples * base.model.n * base.rank <= KEPT else None
    share = 1.0 if samples.band_limited else samples.independent_share
    return TrialResiduals(fresh if kept is None else lambda: iter(kept), rows, step, base.model.n, share)


def examined(result: IdentificationResult, job: Job) -> IdentificationResult:
    """The fit with its residual statistics.

    A fit whose method transformed its equations keeps what the method gave it: scores are the method's own then.
    """
    if result.details.residuals is not None or result.details.equations is not None:
        return result
    trials = (trial_residuals(job.base, samples, job.known_vector, result.minimum_norm) for samples in job.streams())
    return replace(result, details=replace(result.details, residuals=ResidualStatistics.of(trials, result.weights)))
