"""Passes over residuals in small blocks are what the whole series gives."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from scipy.signal import lfilter

from optid.statistics.autocorrelation import AutoregressiveModel, autocovariance
from optid.statistics.passes import autocovariances, whitened

N = 300
PARTS = [slice(0, 7), slice(7, 150), slice(150, N)]
MODELS = [AutoregressiveModel(np.array(a), 1.0) for a in ([], [0.5], [0.4, -0.2, 0.1, 0.05, 0.3])]


def data() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Regressor (N, 3, 2), residual with NaN where it is not used, mask."""
    rng = np.random.default_rng(0)
    use = rng.random((N, 3)) < 0.8
    return rng.standard_normal((N, 3, 2)), np.where(use, rng.standard_normal((N, 3)), np.nan), use


def blocks(size: int) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Every block in the same memory, as a kernel gives them."""
    Y, e, use = data()
    buffer = np.empty((size, 3, 2))
    for k in range(0, N, size):
        rows = len(Y[k : k + size])
        buffer[:rows] = Y[k : k + size]
        yield buffer[:rows], e[k : k + size], use[k : k + size]


@pytest.mark.parametrize("size", [1, 3, 64, 1000])
def test_autocovariances(size: int) -> None:
    _, e, use = data()
    found, counts = autocovariances(blocks(size), PARTS, 3, 12)
    expected = [autocovariance(np.where(use, e, 0.0)[:, j], 12, PARTS) for j in range(3)]
    assert found == pytest.approx(np.stack(expected), rel=1e-12, abs=1e-12)
    assert counts.tolist() == use.sum(axis=0).tolist()


@pytest.mark.parametrize("size", [1, 3, 64, 1000])
def test_innovations(size: int) -> None:
    Y, e, use = data()
    e = np.where(use, e, 0.0)
    expected = np.concatenate(
        [np.stack([lfilter(model.polynomial, [1.0], e[part, j][::-1])[::-1] for j, model in enumerate(MODELS)], axis=1) for part in PARTS]
    )
    rows, begins = 0, []
    for at, new, (regressor, innovations, mask) in whitened(blocks(size), PARTS, MODELS):
        assert at == rows
        rows += len(regressor)
        assert innovations == pytest.approx(expected[at:rows], abs=1e-13)
        assert np.array_equal(regressor, Y[at:rows]) and np.array_equal(mask, use[at:rows])
        begins += [at] if new else []
    assert rows == N and begins == [0, 7, 150]
