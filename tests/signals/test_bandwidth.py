"""The default cut-off: noise may add 1 % of its rms to the acceleration."""

import numpy as np
import pytest

from optid.errors import DataError
from optid.signals import default_cutoff


def multisine(time, base=0.2, harmonics=5):
    return sum(np.sin(2 * np.pi * base * h * time + h) / h for h in range(1, harmonics + 1))


@pytest.mark.parametrize("sigma", [1e-5, 1e-4, 1e-3])
def test_noise_in_the_acceleration_is_one_percent_at_the_cutoff(sigma):
    """White position noise of density S has acceleration variance S (2π)⁴ f⁵ / 5 below f."""
    rate, time = 1000.0, np.arange(60_000) / 1000
    clean = multisine(time)
    cutoff = default_cutoff((clean + sigma * np.random.default_rng(0).normal(size=len(time)))[:, None], rate)
    acceleration = np.gradient(np.gradient(clean)) * rate**2
    expected = (5 * (0.01 * acceleration[2:-2].std()) ** 2 / (sigma**2 / (rate / 2) * (2 * np.pi) ** 4)) ** 0.2
    assert cutoff == pytest.approx(expected, rel=0.2)


def test_exact_motion_is_limited_by_the_rate_alone():
    assert default_cutoff(multisine(np.arange(5000) / 100)[:, None], 100.0) == pytest.approx(20.0)


def test_units_and_length_do_not_matter():
    time = np.arange(30_000) / 500
    q = (multisine(time) + 1e-4 * np.random.default_rng(1).normal(size=len(time)))[:, None]
    assert default_cutoff(1e3 * q, 500.0) == pytest.approx(default_cutoff(q, 500.0), rel=1e-9)
    assert default_cutoff(np.tile(q, (12, 1)), 500.0) == pytest.approx(default_cutoff(q, 500.0), rel=0.3)


def test_a_joint_that_only_trembles_has_no_say():
    time = np.arange(20_000) / 500
    rng = np.random.default_rng(2)
    moves = multisine(time) + 1e-4 * rng.normal(size=len(time))
    trembles = 1e-4 * rng.normal(size=(len(time), 3))
    assert default_cutoff(np.column_stack([moves, trembles]), 500.0) == default_cutoff(moves[:, None], 500.0)
    assert default_cutoff(np.zeros((100, 2)), 500.0) == pytest.approx(100.0)


def test_too_short_for_a_spectrum():
    with pytest.raises(DataError, match="12 samples, expected at least 16"):
        default_cutoff(np.zeros((12, 1)), 100.0)
