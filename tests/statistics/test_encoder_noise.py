"""Noise of differenced encoder positions, against simulated counts and the formulas' weights."""

from __future__ import annotations

import numpy as np
import pytest

from optid import Preprocessing, Trial
from optid.errors import DataError, UnknownNameError
from optid.statistics.encoder import EncoderNoise, motion_noise


def test_rounding_to_counts() -> None:
    """4096 counts and gear 100: Δq = 2π / 409600, σ_p = Δq / √12, as the rounding of 200 000 positions shows."""
    encoder = EncoderNoise.of(4096, 100)
    assert encoder.resolution == pytest.approx(2 * np.pi / 409600)
    assert EncoderNoise.of(4096, -100) == encoder
    q = np.random.default_rng(0).uniform(-1, 1, 200_000)
    rounded = np.round(q / encoder.resolution) * encoder.resolution
    assert encoder.position == pytest.approx(encoder.resolution / np.sqrt(12))
    assert np.std(rounded - q) == pytest.approx(encoder.position, rel=0.01)


def test_second_difference_is_root_six_and_not_two() -> None:
    """σ_a = √6 σ_p / T²; G21's 2 σ_p / T² is 18 % low."""
    encoder, rate = EncoderNoise(1e-3), 250.0
    noise = encoder.position * np.random.default_rng(1).standard_normal(400_000)
    second = np.diff(noise, 2) * rate**2
    assert encoder.acceleration(rate) == pytest.approx(np.sqrt(6) * encoder.position * rate**2)
    assert np.std(second) == pytest.approx(encoder.acceleration(rate), rel=0.01)
    assert 2 * encoder.position * rate**2 / encoder.acceleration(rate) == pytest.approx(0.8165, abs=1e-4)


def test_differences() -> None:
    encoder, rate = EncoderNoise(2e-3), 100.0
    noise = encoder.position * np.random.default_rng(2).standard_normal(400_000)
    assert encoder.velocity(rate, "backward") == pytest.approx(np.sqrt(2) * encoder.position * rate)
    assert np.std(np.diff(noise) * rate) == pytest.approx(encoder.velocity(rate, "backward"), rel=0.01)
    assert np.std((noise[2:] - noise[:-2]) * rate / 2) == pytest.approx(encoder.velocity(rate), rel=0.01)
    central = np.gradient(np.gradient(noise, 1 / rate), 1 / rate)
    assert np.std(central) == pytest.approx(encoder.acceleration(rate, "central"), rel=0.01)


@pytest.mark.parametrize("cutoff", [None, 12.0])
def test_noise_of_the_whole_pipeline(cutoff: float | None) -> None:
    """Covariance of (q, dq, ddq) after Preprocessing, of pure noise; q and ddq are negatively correlated."""
    sigma, rate = np.array([1e-3, 2e-4]), 100.0
    q = sigma * np.random.default_rng(3).standard_normal((100_000, 2))
    trial = Trial(np.arange(len(q)) / rate, q, tau=np.zeros_like(q))
    found = Preprocessing(cutoff=cutoff, min_speed=0.0, clock="nominal").apply(trial)
    expected = motion_noise(sigma, rate, cutoff)
    for j in range(2):
        seen = np.cov(np.stack([found.q[:, j], found.dq[:, j], found.ddq[:, j]]))
        scale = np.sqrt(np.outer(np.diag(expected[j]), np.diag(expected[j])))
        assert np.abs((seen - expected[j]) / scale).max() < 0.03
        assert expected[j, 0, 2] < 0 and abs(expected[j, 0, 1]) < 1e-12 * scale[0, 1]


def test_refusals() -> None:
    with pytest.raises(DataError, match="resolution of an encoder: 0, expected a positive number"):
        EncoderNoise(0)
    with pytest.raises(DataError, match="0 counts per turn"):
        EncoderNoise.of(0)
    with pytest.raises(UnknownNameError, match="difference formula of velocity 'centre'"):
        EncoderNoise(1e-3).velocity(100, "centre")
    with pytest.raises(DataError, match="standard deviation of position noise"):
        motion_noise([-1.0], 100.0)
