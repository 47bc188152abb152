"""From samples to triangular factors: blocks go through the kernel, the long regressor is never stacked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from optid.errors import ShapeError, sentence
from optid.kernels import JointFactors
from optid.kernels.ordered import in_order
from optid.signals import Samples

from .base import BaseParameters

if TYPE_CHECKING:
    from optid.signals.stream import SampleStream

Array = NDArray[np.float64]
Block = tuple[Array, Array, NDArray[np.bool_]]

BLOCK = 1024
"""Samples per block: their regressor stays in the processor's cache."""


def blocks(base: BaseParameters, samples: Samples | SampleStream, known: Array | None) -> Iterator[Block]:
    """Base regressor (B, n, r), targets (B, n, 2) and mask (B, n) of consecutive blocks; a regressor is valid until the next one (copy what you keep).

    The targets are the torque filtered like the model and the raw one, both without the torque of the ``known`` standard parameters (p,), see
    :func:`accumulate`. Samples that ask for
    decimation come in long blocks, decimated like their torque; a cycle limited to some harmonics comes as one block of ``2·harmonics + 1`` equal steps, torque
    and regressor limited alike.
    """
    return ((Y, targets, use) for _, _, Y, targets, use in located_blocks(base, samples, known))


def located_blocks(
    base: BaseParameters, samples: Samples | SampleStream, known: Array | None
) -> Iterator[tuple[Samples, int, Array, Array, NDArray[np.bool_]]]:
    """As :func:`blocks`, after the samples of the chunk that the block is of, and the block's first row among the chunk's equations."""
    known = base.known_vector(known)
    settled = base.settled(samples.n_samples) if samples.n_chunks > 1 else base
    ahead = 1 if isinstance(samples, Samples) else None
    for chunk, own in in_order(samples.chunk, samples.n_chunks, ahead):
        at = own.start or 0
        for block in _chunk_blocks(settled, chunk, own, known):
            yield chunk, at, *block
            at += len(block[0])


def _chunk_blocks(base: BaseParameters, samples: Samples, own: slice, known: Array | None) -> Iterator[Block]:
    """Blocks of one chunk."""
    motion = samples.q, samples.dq, samples.ddq
    kernel, shared = (base.kernel, {}) if known is None else (base.split_kernel, {"pi": known})
    whole = samples.decimation > 1 or samples.band_limited
    matrices = [(slice(0, samples.n_samples), kernel(*motion, **shared))] if whole else kernel.blocks(*motion, size=BLOCK, **shared)
    for part, matrix in matrices:
        Y, targets = matrix[:, :, : base.rank], np.stack([samples.tau[part], samples.tau_raw[part]], axis=2)
        if known is not None:
            targets -= matrix[:, :, base.rank :]
        if samples.decimation > 1:
            yield samples.decimated(Y)[own], samples.decimated(targets)[own], samples.decimated_use()[own]
        elif whole:
            yield _in_band(samples, Y, targets)
        else:
            yield Y, targets, samples.use[part]


def _in_band(samples: Samples, Y: Array, targets: Array) -> Block:
    """Block of one cycle in its harmonics; the raw torque is taken at the same steps, with all that it holds."""
    count = min(2 * (samples.harmonics or 0) + 1, len(samples.q))
    phase, steps = np.arange(len(samples.q)) / len(samples.q), np.arange(count) / count
    raw = [np.interp(steps, phase, column, period=1.0) for column in targets[:, :, 1].T]
    limited = np.stack([samples.in_band(targets[:, :, 0], count), np.column_stack(raw)], axis=2)
    return samples.in_band(Y, count), limited, np.ones((count, samples.n), dtype=bool)


def accumulate(base: BaseParameters, samples: Samples | SampleStream, known: Array | None = None) -> JointFactors:
    """Triangular factors of one trial: per joint that of [W_j, τ_j filtered, τ_j raw].

    The chunks of a long trial are shared among threads and merged in their order: the same bits for any number of threads.

    Parameters
    ----------
    base : BaseParameters
    samples : Samples or SampleStream
    known : (p,), optional
        Standard vector of the known parameters, zeros elsewhere; the robot's nominal ones by default.

    Examples
    --------
    >>> import numpy as np
    >>> from optid import BaseParameters, DynamicModel, library
    >>> from optid.regressor import accumulate
    >>> from optid.signals import Samples
    >>> base = BaseParameters.of(DynamicModel(library.planar_2r(), friction="none"))
    >>> state = np.random.default_rng(0).standard_normal((3, 50, 2))
    >>> tau = base.model.inverse_dynamics(base.model.nominal_parameters(), *state)
    >>> factors = accumulate(base, Samples.from_arrays(*state, tau, rate=100))
    >>> A, b = factors.stacked([1, 1])
    >>> np.allclose(np.linalg.lstsq(A, b)[0], base.beta(base.model.nominal_parameters()))
    True
    """
    if samples.n != base.model.n:
        raise ShapeError(sentence(f"samples of {samples.name!r}", f"{samples.n} joints", f"{base.model.n}, those of robot {base.model.robot.name!r}"))
    known = base.known_vector(known)
    settled = base.settled(samples.n_samples) if samples.n_chunks > 1 else base
    empty = JointFactors.empty(base.model.n, base.rank, n_targets=2)

    def reduced(k: int) -> JointFactors:
        factors = empty
        for Y, targets, use in _chunk_blocks(settled, *samples.chunk(k), known):
            factors = factors.update(Y, targets, use, threads=1)
        return factors

    factors = empty
    for part in in_order(reduced, samples.n_chunks):
        factors = part if factors is empty else JointFactors.merge([factors, part])
    return factors
