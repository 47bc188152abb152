"""How often intervals hold the truth: simulated IRB140 experiments on the published trajectory, with the published base values as truth.

Five cycles of 5 s at 100 Hz, torque noise of 0.5, 0.5 and 0.25 N m, white or first-order autoregressive with ρ = 0.9.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from optid import identify
from optid.errors import OptidWarning
from optid.signals import Samples
from optid.simulation.irb140_story import irb140_base
from optid.trajectory import irb140_g21

NOISE = np.array([0.5, 0.5, 0.25])
COUNT = 2500
RUNS = [pytest.param(100, id="100 runs"), pytest.param(1000, id="1000 runs", marks=pytest.mark.slow)]


def coverage(rho: float, runs: int, kinds: tuple[str | None, ...]) -> dict[str | None, np.ndarray]:
    """Share of runs (r,) in which the 95 % interval of each kind holds each parameter."""
    from scipy.signal import lfilter

    base = irb140_base()
    nominal, motion = base.model.nominal_parameters(), irb140_g21()
    truth = base.beta(nominal)
    state = [motion.derivative(np.arange(COUNT) / 100 % 5.0, order) for order in range(3)]
    tau = base.model.inverse_dynamics(nominal, *state)
    inside = {kind: np.zeros(base.rank) for kind in kinds}
    for seed in range(runs):
        white = np.random.default_rng(seed).standard_normal((COUNT + 200, 3))
        noise = lfilter([np.sqrt(1 - rho**2)], [1, -rho], white, axis=0)[200:] * NOISE
        fit = identify(base, Samples.from_arrays(*state, tau + noise, rate=100))
        for kind in kinds:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", OptidWarning)
                ends = fit.interval(kind=kind)
            inside[kind] += (ends[:, 0] <= truth) & (truth <= ends[:, 1])
    return {kind: count / runs for kind, count in inside.items()}


@pytest.mark.parametrize("runs", RUNS)
def test_white_noise(runs: int) -> None:
    """95 % intervals of every parameter cover 93–97 % (1000 runs; 88–100 % of 100 runs, whose standard deviation is 2.2 %), by default as when asked for."""
    low, high = (0.93, 0.97) if runs == 1000 else (0.88, 1.0)
    for kind, found in coverage(0.0, runs, ("white", None)).items():
        assert low <= found.min() and found.max() <= high, (kind, found)
        assert found.mean() == pytest.approx(0.95, abs=0.007 if runs == 1000 else 0.015), kind


@pytest.mark.parametrize("runs", RUNS)
def test_correlated_noise(runs: int) -> None:
    """Plain intervals cover less than 80 % (about 39 %); consistent ones 90–98 %, of every parameter (100 runs: 85–100 %)."""
    found = coverage(0.9, runs, ("white", "hac", "bootstrap", None))
    assert found["white"].max() < 0.8
    low, high = (0.90, 0.98) if runs == 1000 else (0.85, 1.0)
    for kind in ("hac", "bootstrap", None):
        assert low <= found[kind].min() and found[kind].max() <= high, (kind, found[kind])
        assert found[kind].mean() == pytest.approx(0.945, abs=0.015 if runs == 1000 else 0.025), kind
