"""The true period from the maxima of the autocorrelation (G21: nominal 500 samples, found 504)."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from optid.errors import DataError
from optid.signals import find_period
from optid.signals.period import autocorrelation


def motion(time, period):
    omega = 2 * np.pi / period
    return np.stack([np.sin(omega * time) + 0.4 * np.cos(4 * omega * time), 0.3 * np.cos(2 * omega * time + 1) - 1.5], axis=1)


@settings(max_examples=25, deadline=None)
@given(samples=st.floats(470, 530), cycles=st.floats(3.1, 9))
def test_period_is_found_to_a_hundredth_of_a_sample(samples, cycles):
    q = motion(np.arange(int(cycles * samples)) / 100, samples / 100)
    assert find_period(q, 100.0, nominal=5.0) * 100 == pytest.approx(samples, abs=0.01)


def test_period_survives_encoder_and_noise():
    rng = np.random.default_rng(0)
    q = motion(np.arange(3500) / 100, 5.04)
    noisy = np.round(q / 1e-3) * 1e-3 + 2e-3 * rng.normal(size=q.shape)
    assert find_period(noisy, 100.0, nominal=5.0) == pytest.approx(5.04, abs=2e-4)


def test_a_standing_joint_and_units_do_not_matter():
    q = motion(np.arange(2000) / 100, 5.04)
    alone = find_period(q, 100.0, 5.0)
    assert find_period(np.column_stack([q * [1e3, 1e-3], np.full(2000, 7.0)]), 100.0, 5.0) == pytest.approx(alone, rel=1e-12)


def test_autocorrelation_is_one_where_the_record_repeats():
    q = motion(np.arange(400) / 100, 1.0)
    values = autocorrelation(q)
    assert values[[0, 100, 200, 300]] == pytest.approx(1.0, abs=1e-12)
    slow = [np.sum((q - q.mean(0))[: 400 - lag] * (q - q.mean(0))[lag:] / q.var(0)) for lag in (3, 50, 399)]
    energy = [0.5 * np.sum(((q - q.mean(0)) ** 2 / q.var(0))[: 400 - lag] + ((q - q.mean(0)) ** 2 / q.var(0))[lag:]) for lag in (3, 50, 399)]
    assert values[[3, 50, 399]] == pytest.approx(np.divide(slow, energy), abs=1e-12)


def test_what_has_no_period_there_is_refused():
    rng = np.random.default_rng(1)
    with pytest.raises(DataError, match=r"period of the motion within 10% of 5 s: no maximum"):
        find_period(rng.normal(size=(3000, 1)), 100.0, 5.0)
    with pytest.raises(DataError, match="no maximum"):
        find_period(motion(np.arange(3000) / 100, 6.5), 100.0, 5.0)
    with pytest.raises(DataError, match=r"1\.6 nominal periods of 5 s, expected two or more"):
        find_period(np.zeros((800, 1)), 100.0, 5.0)
    with pytest.raises(DataError, match="constant, expected a motion"):
        find_period(np.ones((2000, 2)), 100.0, 5.0)
    with pytest.raises(DataError, match="period to look for"):
        find_period(np.ones((2000, 2)), 100.0, 0.0)
