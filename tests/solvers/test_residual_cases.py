"""Vectors of residuals: starts near zero, parameters of very different size, and few noisy measurements."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import optid
from optid.errors import SolveError
from optid.problems import Residuals
from optid.solvers import Iterate


@pytest.mark.parametrize("jacobian", [None, lambda x: np.array([[1.0]])])
def test_start_near_zero(jacobian: object) -> None:
    """C60: x − 3 from 1e-9."""
    assert optid.solve(Residuals(lambda x: x - 3.0, x0=[1e-9], jacobian=jacobian)).x[0] == pytest.approx(3.0, abs=1e-9)


def test_stiffness_and_damping_in_one_vector() -> None:
    """C60: 1e5 and 1e-3, the damping seen through a force a hundred million times smaller."""
    time = np.linspace(0, 1, 200)
    truth = np.array([1.0e5, 1.0e-3])

    def force(x: np.ndarray) -> np.ndarray:
        return np.concatenate([x[0] * np.sin(9 * time), 50 * x[1] * np.cos(9 * time) * (1 + 1e-6 * x[0])])

    measured = force(truth)
    solution = optid.solve(Residuals(lambda x: force(x) - measured, x0=[3e4, 1e-2], scales=[1e5, 1e-3]))
    np.testing.assert_allclose(solution.x, truth, rtol=1e-2)


def test_measured_jacobian_is_returned() -> None:
    """Exponential decay with an exact fit; the Jacobian at the answer is that of the closed form."""
    time = np.linspace(0, 2, 30)
    data = 3 * np.exp(-0.7 * time)
    solution = optid.solve(Residuals(lambda x: x[0] * np.exp(-x[1] * time) - data, x0=[1.0, 1.0]))
    np.testing.assert_allclose(solution.x, [3, 0.7], rtol=1e-8)
    expected = np.column_stack([np.exp(-0.7 * time), -3 * time * np.exp(-0.7 * time)])
    np.testing.assert_allclose(solution.info["jacobian"], expected, atol=1e-7)


@pytest.mark.parametrize("solver", ["secant", "least_squares"])
def test_vectors_of_another_length_are_failed_evaluations(solver: str) -> None:
    """A recording that is a sample shorter, or empty, is counted as failed; the search goes on with the others."""
    runs = iter(range(100))

    def residual(x: np.ndarray) -> np.ndarray:
        k = next(runs)
        return np.zeros(0) if k == 3 else np.concatenate([x - 2.0, x - 2.0, [0.0] * (k != 4)])

    solution = optid.solve(Residuals(residual, x0=[0.0, 1.0], lower=-5.0, upper=5.0), solver=solver, on_failure="return", budget=12)
    failed = [point.evaluation for point in solution.history if np.isnan(point.fun)]
    assert failed == [k for k in (4, 5) if k <= len(solution.history)] and solution.n_failed == len(failed)
    assert solution.fun < 1e-12 or solver == "least_squares"


def test_residuals_without_a_number_fail() -> None:
    with pytest.raises(SolveError, match="not finite"):
        optid.solve(Residuals(lambda x: np.array([np.nan]), x0=[0.0]))


def tail(x: np.ndarray, noise: float, rng: np.random.Generator) -> np.ndarray:
    """A vibration whose amplitude and sign follow the distance to (0.94, 1.07)."""
    time = np.linspace(0, 1, 200)
    d, e = x - np.array([0.94, 1.07])
    clean = np.exp(-3 * time) * ((20 * d + 8 * d**2) * np.sin(45 * time) + (4 * e + 3 * d * e) * np.cos(60 * time))
    return np.asarray(clean + noise * rng.standard_normal(time.size))


def test_secant_needs_a_few_runs() -> None:
    """Three runs for the slopes and three steps bring the noise-free tail down by a factor of 100."""
    rng = np.random.default_rng(0)
    problem = Residuals(lambda x: tail(x, 0.0, rng), x0=[1, 1], lower=0.8, upper=1.2, noisy=True)
    solution = optid.solve(problem, solver="secant", budget=6, on_failure="return")
    assert solution.n_evaluations <= 6
    assert np.sqrt(solution.fun / solution.history[0].fun) < 0.01
    np.testing.assert_allclose(solution.x, [0.94, 1.07], atol=1e-3)


def test_secant_under_noise_beats_a_search_that_sees_the_norm_only() -> None:
    """White noise of 5 % of the start's tail: after 6 runs the median error is below a third of the start's, and below random search's."""
    errors = {}
    for name in ("secant", "random"):
        found = []
        for seed in range(15):
            rng = np.random.default_rng(seed)
            problem = Residuals(lambda x, rng=rng: tail(x, 0.04, rng), x0=[1, 1], lower=0.8, upper=1.2, noisy=True)
            solution = optid.solve(problem, solver=name, seed=seed, budget=6, on_failure="return")
            clean = np.linalg.norm(tail(solution.x, 0.0, rng)) / np.linalg.norm(tail(np.ones(2), 0.0, rng))
            found.append(clean)
        errors[name] = np.median(found)
    assert errors["secant"] < 1 / 3
    assert errors["secant"] < errors["random"]


@pytest.mark.parametrize("fails", [lambda x: x[0] > 3, lambda x: x[0] > 3 or x[1] > 4, lambda x: x[0] > 4 or abs(x[1]) > 3])
def test_secant_steps_the_other_way_or_half_as_far(fails: Callable[[np.ndarray], bool]) -> None:
    """The first step of 5 fails on one side, or on both: the linear residual's zero at (-2, 2) is found all the same."""
    shapes = np.random.default_rng(3).standard_normal((2, 40))

    def residual(x: np.ndarray) -> np.ndarray:
        return np.full(40, np.nan) if fails(x) else (x - np.array([-2.0, 2.0])) @ shapes

    problem = Residuals(residual, lower=[-20, -20], upper=[20, 20], integer=True, x0=[0, 0], noisy=True)
    solution = optid.solve(problem, solver="secant", step=0.125)
    assert solution.x.tolist() == [-2, 2] and solution.status == "optimal" and solution.n_failed >= 1


def test_secant_alone_at_its_start() -> None:
    """Nothing but the start gives numbers: it says so."""
    problem = Residuals(lambda x: np.full(3, np.nan) if np.any(x) else np.ones(3), lower=[-20, -20], upper=[20, 20], integer=True, x0=[0, 0], noisy=True)
    with pytest.raises(SolveError, match="the residuals around the start are not finite numbers"):
        optid.solve(problem, solver="secant")


def test_secant_on_whole_numbers_stays_on_them() -> None:
    rng = np.random.default_rng(0)
    problem = Residuals(lambda x: tail(x / 100, 0.0, rng), x0=[100, 100], lower=80, upper=120, integer=True)
    solution = optid.solve(problem, solver="secant")
    assert solution.x.tolist() == [94, 107]
    assert all(float(value).is_integer() for point in solution.history for value in point.x)


def test_secant_is_the_default_for_noisy_residuals() -> None:
    seen: list[Iterate] = []
    solution = optid.solve(Residuals(lambda x: x - 1.0, x0=[0.0], noisy=True), callback=lambda point: seen.append(point))
    assert solution.solver == "secant"
    assert len(seen) == solution.n_evaluations
    assert solution.x[0] == pytest.approx(1.0, abs=1e-6)
