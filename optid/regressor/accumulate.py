"""From samples to triangular factors: blocks go through the kernel, the long regressor is never stacked."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from optid.errors import ShapeError, sentence
from optid.kernels import JointFactors
from optid.signals import Samples

from .base import BaseParameters

Array = NDArray[np.float64]

BLOCK = 1024
"""Samples per block: their regressor stays in the processor's cache."""


def blocks(base: BaseParameters, samples: Samples, known: Array | None) -> Iterator[tuple[Array, Array, NDArray[np.bool_]]]:
    """Base regressor (B, n, r), targets (B, n, 2) and mask (B, n) of consecutive blocks; a regressor is valid until the next one (copy what you keep).

    The targets are the torque filtered like the model and the raw one, both without the torque of the ``known`` standard parameters (p,). Samples that ask for
    decimation come as one block, decimated like their torque; a cycle limited to some harmonics comes as one block of ``2·harmonics + 1`` equal steps, torque
    and regressor limited alike.
    """
    whole = samples.decimation > 1 or samples.band_limited
    motion = samples.q, samples.dq, samples.ddq
    matrices = [(slice(0, samples.n_samples), base.kernel(*motion))] if whole else base.kernel.blocks(*motion, size=BLOCK)
    for part, Y in matrices:
        targets = np.stack([samples.tau[part], samples.tau_raw[part]], axis=2)
        if known is not None:
            targets -= base.model.inverse_dynamics(known, *(x[part] for x in motion))[:, :, None]
        use = samples.use[part]
        if samples.decimation > 1:
            yield samples.decimated(Y), samples.decimated(targets), samples.decimated_use()
        elif whole:
            yield _in_band(samples, Y, targets)
        else:
            yield Y, targets, use


def _in_band(samples: Samples, Y: Array, targets: Array) -> tuple[Array, Array, NDArray[np.bool_]]:
    """Block of one cycle in its harmonics; the raw torque is taken at the same steps, with all that it holds."""
    count = min(2 * (samples.harmonics or 0) + 1, len(samples.q))
    phase, steps = np.arange(len(samples.q)) / len(samples.q), np.arange(count) / count
    raw = [np.interp(steps, phase, column, period=1.0) for column in targets[:, :, 1].T]
    limited = np.stack([samples.in_band(targets[:, :, 0], count), np.column_stack(raw)], axis=2)
    return samples.in_band(Y, count), limited, np.ones((count, samples.n), dtype=bool)


def accumulate(base: BaseParameters, samples: Samples, known: Array | None = None) -> JointFactors:
    """Triangular factors of one trial: per joint that of [W_j, τ_j filtered, τ_j raw].

    Parameters
    ----------
    base : BaseParameters
    samples : Samples
    known : (p,), optional
        Standard vector of the known parameters (zeros elsewhere); needed when ``base.known`` is not empty.
    """
    if samples.n != base.model.n:
        raise ShapeError(sentence(f"samples of {samples.name!r}", f"{samples.n} joints", f"{base.model.n}, those of robot {base.model.robot.name!r}"))
    factors = JointFactors.empty(base.model.n, base.rank, n_targets=2)
    for Y, targets, use in blocks(base, samples, known):
        factors = factors.update(Y, targets, use)
    return factors
