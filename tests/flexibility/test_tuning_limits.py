"""Tunings at their limits: units, a start that is right already, plateaus, optima on the bounds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import numpy as np
import pytest

import optid
from optid.errors import SolveError
from optid.experiment import Trial
from optid.flexibility.objectives import TailRule
from optid.problems.flexibility import FlexibilityResult, FlexibilityTuning

SEARCHES = ("secant", "bayesian", "nelder_mead", "complex_box", "nevergrad", "random", "grid")
TIME = np.arange(200) / 1e3
WAVES = np.stack([np.sin(2 * np.pi * f * TIME) * np.exp(-5 * TIME) for f in (8.0, 13.0)])


def recorded(upsilon: Any, optimum: Any, unit: float = 1.0, noise: float = 0.0, number: int = 0) -> Trial:
    """A vibration proportional to the errors of the compliances, in a unit of torque."""
    errors = 1e4 * (np.asarray(upsilon, dtype=float) ** -2 - np.asarray(optimum, dtype=float) ** -2) @ np.array([[1.0, 0.3], [0.2, 0.5]])
    tail = np.column_stack([errors @ WAVES, errors[::-1] @ WAVES]) + noise * np.random.default_rng(number).standard_normal((200, 2))
    return Trial(time=TIME, q=np.zeros((200, 2)), tau=unit * tail)


def tuned(name: str, run: Callable[[Any], Trial], budget: int = 12) -> FlexibilityResult:
    problem = FlexibilityTuning(run, TailRule(0.0), signal=name == "secant")
    options = problem.recommended if name == "secant" else {"solver": name}
    found: FlexibilityResult = optid.solve(problem, seed=1, budget=budget, on_failure="return", **options)
    return found


@pytest.mark.parametrize("name", SEARCHES)
def test_unit_of_the_torque_does_not_matter(name: str) -> None:
    """mN m, kN m, and 1e±6: the same runs in the same order, and values in proportion."""

    def all_runs(unit: float) -> tuple[list[tuple[float, ...]], np.ndarray]:
        numbers: Iterator[int] = count(1)
        runs = tuned(name, lambda upsilon: recorded(upsilon, (94, 107), unit, 0.005, next(numbers))).runs
        return [run.upsilon for run in runs], np.array([run.value for run in runs])

    points, values = all_runs(1.0)
    for unit in (1e-6, 1e-3, 1e3, 1e6):
        again, scaled = all_runs(unit)
        assert again == points
        np.testing.assert_allclose(scaled, unit * values, rtol=1e-9)


@pytest.mark.parametrize("name", [name for name in SEARCHES if name != "grid"])
def test_start_that_is_right_already(name: str) -> None:
    """Λ at the start is exactly 0: it stays the answer, no share of nothing is printed, and the secant search asks for no more than its slopes."""
    result = tuned(name, lambda upsilon: recorded(upsilon, (100, 100)))
    assert result.upsilon.tolist() == [100, 100] and result.value == 0 and np.isnan(result.ratio)
    assert str(result) == f"axis1 100 %, axis2 100 %: 0 after {len(result.runs)} runs"
    assert name != "secant" or len(result.runs) == 3


@pytest.mark.parametrize("name", [name for name in SEARCHES if name != "grid"])
def test_plateau(name: str) -> None:
    """Υ that change nothing: the start is kept, and the secant search says after its slopes what the others cannot know."""

    def run(upsilon: Any) -> Trial:
        return recorded((94, 107), (90, 90))

    result = tuned(name, run)
    assert result.upsilon.tolist() == [100, 100] and result.ratio == 1
    if name == "secant":
        assert len(result.runs) == 3
        with pytest.raises(SolveError, match="the residuals do not change with any variable"):
            optid.solve(FlexibilityTuning(run, TailRule(0.0)), solver="secant")


@pytest.mark.parametrize("noise", [0.001, 0.01, 0.1])
def test_noisy_plateau(noise: float) -> None:
    """Υ that change nothing, under noise that differs from run to run: the secant search ends after a dozen runs at most, and not at the end of its budget."""
    for first in (1, 101, 201):
        numbers: Iterator[int] = count(first)
        result = tuned("secant", lambda upsilon, numbers=numbers: recorded((94, 107), (90, 90), 1.0, noise, next(numbers)), 30)  # type: ignore[misc]
        assert len(result.runs) <= 12
        assert result.solution.status == "optimal" and result.ratio > 0.9


def test_one_axis_without_effect() -> None:
    """The other is found, and this one is left where it was."""
    assert tuned("secant", lambda upsilon: recorded((upsilon[0], 107), (90, 107))).upsilon.tolist() == [90, 100]


@pytest.mark.parametrize("name", ["secant", "bayesian", "nelder_mead", "complex_box"])
def test_optimum_in_a_corner(name: str) -> None:
    """80 and 120 %, both bounds, are found within 16 runs; so is the best allowed point when the optimum lies beyond them (exhaustive: 80 and 109 %)."""
    result = tuned(name, lambda upsilon: recorded(upsilon, (80, 120)), 16)
    assert result.upsilon.tolist() == [80, 120] and result.value == 0
    beyond = tuned(name, lambda upsilon: recorded(upsilon, (76, 125)), 30)
    assert beyond.upsilon[0] == 80 and abs(beyond.upsilon[1] - 109) <= 1
    assert all(80 <= u <= 120 for run in beyond.runs for u in run.upsilon)
