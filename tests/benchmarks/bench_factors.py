"""Streaming least squares against the whole matrix in memory, 100 000 samples of six joints."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from harness import Row, compare

from optid.kernels import JointFactors, Kernel
from optid.library import ur10e
from optid.model import DynamicModel
from optid.regressor import BaseParameters

N = 100_000


def rows() -> Iterator[Row]:
    base = BaseParameters.of(DynamicModel(ur10e()))
    rng = np.random.default_rng(0)
    x = [rng.uniform(-2.0, 2.0, (N, 6)) for _ in range(3)]
    tau = rng.standard_normal((N, 6))
    kernel = Kernel(base.function, "simd")

    def stream() -> np.ndarray:
        factors = JointFactors.empty(6, base.rank)
        for part, Y in kernel.blocks(*x):
            factors = factors.update(Y, tau[part])
        return np.linalg.lstsq(*factors.stacked())[0]

    def whole() -> np.ndarray:
        return np.linalg.lstsq(kernel(*x).reshape(-1, base.rank), tau.reshape(-1))[0]

    difference = np.max(np.abs(stream() - whole()) / np.abs(whole()))
    yield compare(f"fit of {N} samples in blocks (differs by {difference:.0e})", stream, "lstsq of the whole matrix", whole, 4.0, rounds=3)
