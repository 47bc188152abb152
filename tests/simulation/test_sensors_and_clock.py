"""Sensors and clocks of simulated recordings have the statistics they state."""

from __future__ import annotations

import numpy as np
import pytest

from optid.errors import DataError, ShapeError
from optid.simulation import Clock, Sensors


def test_quantisation_error_is_uniform() -> None:
    """G21: counting in steps of D gives an error of standard deviation D / sqrt(12), never more than D / 2."""
    resolution = 2 * np.pi / 4096
    q = np.random.default_rng(0).uniform(-1, 1, (100_000, 1))
    error = Sensors(resolution).position(q) - q
    assert np.abs(error).max() <= resolution / 2 * (1 + 1e-9)
    assert error.std() == pytest.approx(resolution / np.sqrt(12), rel=0.01)


def test_torque_noise_is_white_and_per_joint() -> None:
    noise = Sensors(torque_noise=(0.5, 0.0)).torque(np.zeros((100_000, 2)), np.random.default_rng(0))
    assert noise[:, 0].std() == pytest.approx(0.5, rel=0.01)
    assert not noise[:, 1].any()
    assert abs(np.mean(noise[1:, 0] * noise[:-1, 0])) < 4 * 0.25 / np.sqrt(100_000)


def test_exact_sensors_change_nothing() -> None:
    q = np.random.default_rng(0).normal(size=(5, 2))
    assert np.array_equal(Sensors().position(q), q)
    assert np.array_equal(Sensors().torque(q, np.random.default_rng(0)), q)


def test_steps_spread_as_stated() -> None:
    """G21: 51.5 ms with a dispersion of 0.5 ms, extremes 2 ms."""
    time = Clock(0.0515, 0.0005, 0.002).stamps(5000.0, np.random.default_rng(0))
    steps = np.diff(time)
    assert time[0] == 0.0 and 5000.0 - 0.0535 < time[-1] <= 5000.0
    assert steps.mean() == pytest.approx(0.0515, rel=1e-3)
    assert steps.std() == pytest.approx(0.0005, rel=0.02)
    assert np.abs(steps - 0.0515).max() <= 0.002 * (1 + 1e-9)


def test_regular_clock() -> None:
    assert Clock(0.25).stamps(1.0, np.random.default_rng(0)).tolist() == [0.0, 0.25, 0.5, 0.75, 1.0]
    assert Clock(0.25).stamps(0.0, np.random.default_rng(0)).tolist() == [0.0]
    # steps that have no exact sum: the last instant is one of them
    assert [len(Clock(0.01).stamps(seconds, np.random.default_rng(0))) for seconds in (1.0, 2.0, 4.0, 1000.0)] == [101, 201, 401, 100_001]


def test_impossible_options_are_refused() -> None:
    with pytest.raises(DataError, match="step of a clock"):
        Clock(0.0)
    with pytest.raises(DataError, match="jitter of a clock"):
        Clock(0.01, jitter=0.004)
    with pytest.raises(DataError, match="torque_noise of sensors"):
        Sensors(torque_noise=-1.0)
    with pytest.raises(ShapeError, match="2 values, expected one, or one for each of 3 joints"):
        Sensors(resolution=(1.0, 1.0)).position(np.zeros((4, 3)))
