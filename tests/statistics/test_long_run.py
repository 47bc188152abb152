"""Long-run covariance and block bootstrap against their definitions and the closed form for a first-order process."""

from __future__ import annotations

import numpy as np
import pytest

from optid.errors import DataError
from optid.statistics import block_sums, long_run_covariance


def first_order(rho: float, shape: tuple[int, int], seed: int) -> np.ndarray:
    from scipy.signal import lfilter

    noise = np.random.default_rng(seed).standard_normal((shape[0] + 300, shape[1]))
    return lfilter([np.sqrt(1 - rho**2)], [1, -rho], noise, axis=0)[300:]


@pytest.mark.parametrize("width", [0.0, 1.0, 3.4])
def test_bartlett_window_by_definition(width: float) -> None:
    """Σ_kl max(0, 1 − |k − l| / (width + 1)) g_k g_lᵀ over |k − l| ≤ width, terms of different trials apart."""
    g = np.random.default_rng(0).standard_normal((30, 2))
    trial = np.repeat([0, 1, 2], [12, 1, 17])
    lag = np.abs(np.subtract.outer(np.arange(30), np.arange(30)))
    window = np.where((lag <= width) & (trial[:, None] == trial), 1 - lag / (width + 1), 0.0)
    assert long_run_covariance(g, trial, width) == pytest.approx(g.T @ window @ g)


def test_variance_of_the_sum_of_a_first_order_process() -> None:
    """N (1 + rho) / (1 − rho): 3 N for rho = 0.5, with the bandwidth chosen from the data; white terms keep N."""
    for rho, ratio in ((0.5, 3.0), (0.0, 1.0), (-0.3, 0.7 / 1.3)):
        g = first_order(rho, (50_000, 3), 1)
        assert np.diag(long_run_covariance(g)) / 50_000 == pytest.approx([ratio] * 3, rel=0.12)


def test_it_is_positive_semidefinite() -> None:
    g = first_order(0.8, (200, 4), 2)
    assert np.linalg.eigvalsh(long_run_covariance(g)).min() >= 0


def test_bootstrap_of_blocks() -> None:
    """Covariance of the replicates: that of independent block sums, times their number, corrected for few blocks."""
    g = first_order(0.5, (600, 2), 3)
    trial = np.repeat([0, 1], [250, 350])
    found = block_sums(g, trial, 20, 20_000, seed=0)
    sums = np.concatenate([np.lib.stride_tricks.sliding_window_view(part, 20, axis=0).sum(axis=2) for part in (g[:250], g[250:])])
    fit = 250 // 20 + 350 // 20
    assert np.cov(found.T) == pytest.approx(np.cov(sums.T, bias=True) * 30 * fit / (fit - 1), rel=0.05, abs=20)
    assert found.mean(axis=0) == pytest.approx([0, 0], abs=1.5)
    assert np.array_equal(found, block_sums(g, trial, 20, 20_000, seed=0))
    assert not np.array_equal(found, block_sums(g, trial, 20, 20_000, seed=1))


def test_bootstrap_needs_two_blocks() -> None:
    with pytest.raises(DataError, match="1 blocks of 30 terms in 40, expected two or more"):
        block_sums(np.ones((40, 1)), np.zeros(40), 30, 10, seed=0)
    with pytest.raises(DataError, match="expected two or more"):
        block_sums(np.ones((40, 1)), np.zeros(40), 0, 10, seed=0)
