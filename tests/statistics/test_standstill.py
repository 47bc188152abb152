"""Noise of positions and speeds from standstill, and the width of the sign that goes with it."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import erf

from optid import Preprocessing, Trial
from optid.errors import DataError
from optid.signals import PeriodicOptions
from optid.statistics import position_noise, sign_width, speed_noise

RATE = 100.0


def recording(sigma: np.ndarray, seed: int = 0, rest: int = 400, moving: int = 2000) -> Trial:
    """Two joints that stand, move by 1 rad and stand again; white noise on their positions."""
    phase = np.concatenate([np.zeros(rest), 2 * np.pi * np.arange(moving) / 397.3, np.zeros(rest)])
    q = np.sin(phase)[:, None] * [1.0, -0.5] + sigma * np.random.default_rng(seed).standard_normal((len(phase), 2))
    return Trial(np.arange(len(phase)) / RATE, q, tau=np.zeros_like(q), joint_names=("a", "b"), name="run")


def test_white_noise_at_rest() -> None:
    """800 samples of standstill, the noise known: within 10 %, whatever the joint does in between."""
    sigma = np.array([1e-4, 3e-6])
    assert position_noise(recording(sigma)) == pytest.approx(sigma, rel=0.1)


def test_counts_that_stand_still_leave_their_rounding() -> None:
    """A silent encoder: the rounding to its counts, Δq / √12."""
    count = 2e-5
    clean = recording(np.zeros(2))
    rounded = Trial(clean.time, np.round(clean.q / count) * count, tau=clean.tau)
    assert position_noise(rounded) == pytest.approx([count / np.sqrt(12)] * 2, rel=1e-6)


@pytest.mark.parametrize("options", [Preprocessing(cutoff=8, clock="nominal"), Preprocessing(cutoff=None, clock="nominal")])
def test_noise_of_the_speed_by_simulation(options: Preprocessing) -> None:
    """Standard deviation of the filtered speed of a joint that does nothing but shake."""
    rng = np.random.default_rng(1)
    still = Trial(np.arange(20_000) / RATE, 1e-4 * rng.standard_normal((20_000, 1)), tau=np.zeros((20_000, 1)))
    assert speed_noise(still, options) == pytest.approx(options.apply(still).dq.std(axis=0), rel=0.05)


def test_width_shows_the_sign_as_the_noise_does() -> None:
    """E sign(v + ε) = erf(v / √2 σ): equal slope at rest, never farther off than 0.04."""
    options = Preprocessing(cutoff=8, clock="nominal")
    trial = recording(np.array([1e-4, 3e-6]))
    width, sigma = np.array(sign_width(trial, options)), speed_noise(trial, options)
    v = np.linspace(-6, 6, 2001)[:, None] * sigma
    assert np.abs(np.tanh(v / width) - erf(v / (np.sqrt(2) * sigma))).max() < 0.04
    assert 1 / width == pytest.approx(np.sqrt(2 / np.pi) / sigma)
    seen = np.sign(v[1100] + sigma * np.random.default_rng(0).standard_normal((100_000, 2))).mean(axis=0)
    assert np.tanh(v[1100] / width) == pytest.approx(seen, abs=0.04)


def test_no_standstill() -> None:
    with pytest.raises(DataError, match=r"noise of a in trial 'run': no standstill, expected 32 samples of it\. Record a second before the motion"):
        position_noise(recording(np.full(2, 1e-5), rest=0))
    with pytest.raises(DataError, match="noise of the speed: averaged cycles, expected samples in time"):
        speed_noise(recording(np.full(2, 1e-5)), Preprocessing(periodic=PeriodicOptions(5.0)))
