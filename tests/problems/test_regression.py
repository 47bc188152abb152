"""Linear models with known answers."""

from __future__ import annotations

import numpy as np
import pytest

import optid
from optid.errors import RankError
from optid.model import DCMotor, motor_regressor
from optid.problems import Regression


def test_sigma_divides_by_rows_minus_parameters() -> None:
    """C57: y = beta x through (1, 1), (2, 2), (3, 3.5)."""
    result = optid.solve(Regression([[1.0], [2.0], [3.0]], [1.0, 2.0, 3.5], ["beta"]), solver="lstsq")
    assert result["beta"] == pytest.approx(1.107142857, rel=1e-9)
    assert result.residual @ result.residual == pytest.approx(0.089285714, rel=1e-8)
    assert result.sigma[0] == pytest.approx(0.056469244, rel=1e-8)
    assert result.relative_sigma[0] == pytest.approx(0.051004, rel=1e-5)


def test_interval_is_students() -> None:
    """t(0.975, 2) = 4.302653 (any table)."""
    result = optid.solve(Regression([[1.0], [2.0], [3.0]], [1.0, 2.0, 3.5]))
    half = (result.interval()[0, 1] - result.interval()[0, 0]) / 2
    assert half == pytest.approx(4.302653 * 0.056469244, rel=1e-6)


def test_too_few_rows_are_refused() -> None:
    """C43: two rows cannot give five parameters."""
    with pytest.raises(RankError, match=r"2 rows of rank 2, expected at least 5 rows for 5 columns"):
        Regression(np.arange(10.0).reshape(2, 5) ** 2, [1.0, 2.0])


def test_dc_motor_from_a_multi_sine() -> None:
    """C43: the stacked problem returns all five parameters of a motion that obeys the mechanical equation."""
    motor = DCMotor(L=2e-3, R=1.3, kt=0.12, J=3e-4, B=2e-4)
    t = np.linspace(0, 2, 400)
    w = 20 * np.sin(3 * t) + 9 * np.cos(11 * t) + 4 * np.sin(37 * t)
    dw = 60 * np.cos(3 * t) - 99 * np.sin(11 * t) + 148 * np.cos(37 * t)
    ddw = -180 * np.sin(3 * t) - 1089 * np.cos(11 * t) - 5476 * np.sin(37 * t)
    i, di = motor.current(w, dw), motor.current(dw, ddw)
    W = motor_regressor(i, di, w, dw)
    y = np.concatenate([motor.voltage(i, di, w), np.zeros_like(t)])
    result = optid.solve(Regression(W, y, ("L", "R", "kt", "J", "B")))
    assert result.values == pytest.approx([2e-3, 1.3, 0.12, 3e-4, 2e-4], rel=1e-6)


def test_open_directions_are_named_and_not_given_as_numbers() -> None:
    a = np.linspace(-1, 1, 50)
    result = optid.solve(Regression(np.column_stack([a, 2 * a, np.ones(50), 0 * a]), 3 * a + 1, ("a", "b", "one", "nothing")))
    assert np.isnan(result.values).tolist() == [True, True, False, True]
    assert result["one"] == pytest.approx(1.0)
    assert result.undetermined == ("nothing (does not act)", "b - 2*a")
    assert np.isinf(result.sigma[0])
