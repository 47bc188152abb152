"""Every installed solver that accepts an excitation design improves the same seeded start, keeps the limits and repeats itself."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import optid
from optid import BaseParameters, DynamicModel, Limits
from optid.library import planar_2r
from optid.problems import Excitation

LEFT_OUT = ("grid",)  # a grid over ten coordinates has more points than it accepts
SOLVERS = ("bayesian", "complex_box", "ipopt", "nelder_mead", "nevergrad", "random", "slsqp", "sqp", "trust_constr")


def problem() -> Excitation:
    """Planar 2R, two harmonics, from a seeded start whose condition number is 44."""
    model = DynamicModel(planar_2r(), friction="none")
    limits = Limits.of(2, position=1.0, velocity=3.0, acceleration=20.0)
    posed = Excitation(BaseParameters.of(model), harmonics=2, period=2.0, limits=limits, samples=40)
    start = posed.random_start(np.random.default_rng(0))
    return replace(posed, initial=posed.motion.coefficients(start)[0])


def test_no_solver_is_left_out() -> None:
    assert set(optid.available_solvers(problem())) - set(LEFT_OUT) == set(SOLVERS)


@pytest.mark.parametrize("name", SOLVERS)
def test_improves_keeps_limits_and_repeats_itself(name: str) -> None:
    posed = problem()
    begun = posed.form().evaluate(posed.form().x0)[0]
    budget = {"bayesian": 18, "nevergrad": 25, "trust_constr": 30}.get(name, 60)
    first = optid.solve(posed, solver=name, seed=1, budget=budget, on_failure="return")
    assert np.exp(first.solution.fun) < 0.5 * np.exp(begun)
    assert first.proven
    assert first.solution.max_violation == 0.0
    again = optid.solve(posed, solver=name, seed=1, budget=budget, on_failure="return")
    np.testing.assert_array_equal(again.coefficients, first.coefficients)


@pytest.mark.parametrize("name", SOLVERS)
def test_stops_within_one_iteration_when_asked(name: str) -> None:
    seen = []

    def stop(point: object) -> bool:
        seen.append(point)
        return len(seen) == 3

    result = optid.solve(problem(), solver=name, seed=1, budget=60, callback=stop, on_failure="return")
    assert result.solution.status == "stopped"
    assert len(seen) <= 4
    assert result.proven
