"""Torque budgets with answers by hand."""

from __future__ import annotations

import numpy as np
import pytest

from optid.errors import DataError, ShapeError, UnknownNameError
from optid.model.torque_budget import torque_budget


def test_a_sine_by_hand() -> None:
    """|2 sin| exceeds 1 for two thirds of the time, has rms √2 and peak 2; irregular samples weigh by their time."""
    rng = np.random.default_rng(0)
    time = np.unique(np.concatenate([[0.0, 1.0], rng.uniform(0, 1, 40000)]))
    budget = torque_budget(time, 2 * np.sin(2 * np.pi * time), maximum=1.9, rated=1.0, allowed=0.5, names=["slew"])
    axis = budget["slew"]
    assert abs(axis.peak) == pytest.approx(2.0, rel=1e-6)
    assert axis.peak_time % 0.5 == pytest.approx(0.25, abs=1e-3)
    assert axis.rms == pytest.approx(np.sqrt(2), rel=1e-4)
    assert axis.above_rated == pytest.approx(2 / 3, abs=1e-3)
    assert not budget.passed
    assert len(axis.faults) == 3
    assert "exceeds the maximum 1.9" in budget.table()
    assert "above rated for 66.7% of the time, allowed 50.0%" in budget.table()


def test_a_strong_motor_passes() -> None:
    time = np.linspace(0, 1, 11)
    tau = np.stack([np.full(11, 0.5), -np.linspace(0, 3, 11)], axis=1)
    budget = torque_budget(time, tau, maximum=[1.0, 3.0], rated=[0.5, 2.0], allowed=0.4)
    assert budget.passed
    assert [axis.peak for axis in budget.axes] == [0.5, -3.0]
    assert budget.axes[0].above_rated == 0.0
    assert budget.axes[1].above_rated == pytest.approx(0.35)  # samples above 2 stand for 0.65 s to 1 s
    free = torque_budget(time, tau)
    assert free.passed
    assert np.isnan(free.axes[0].above_rated)


def test_wrong_budgets_are_named() -> None:
    with pytest.raises(ShapeError, match="at least two samples"):
        torque_budget([0.0], [[1.0]])
    with pytest.raises(DataError, match="times that do not increase"):
        torque_budget([0.0, 0.0], [[1.0], [1.0]])
    with pytest.raises(DataError, match="rated of a torque budget"):
        torque_budget([0.0, 1.0], [[1.0], [1.0]], rated=[1.0, 2.0])
    with pytest.raises(UnknownNameError, match="Did you mean 'axis 1'"):
        torque_budget([0.0, 1.0], [[1.0], [1.0]])["axis1"]
