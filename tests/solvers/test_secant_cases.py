"""What people ran into with derivative-free search (C84, C90–C92), for the secant search on measured vectors."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import optid
from optid.errors import LimitsError, SolveError
from optid.problems import Residuals
from optid.solvers import Solution

SHAPES = np.random.default_rng(0).standard_normal((3, 30))


def bent(x: np.ndarray, optimum: float = 0.3) -> np.ndarray:
    """Zero where all coordinates are ``optimum``, and slightly bent."""
    away = np.resize(x, 3) - optimum
    return np.asarray((away + 0.2 * away**2) @ SHAPES)


def solved(problem: Residuals, **options: object) -> Solution:
    found: Solution = optid.solve(problem, solver="secant", on_failure="return", **options)
    return found


@pytest.mark.parametrize("size", [1, 2, 3])
def test_failed_evaluations_are_counted_and_listed(size: int) -> None:
    """C84: NaN, infinity, an exception, None, an empty and a longer vector by turns for x[0] > 0.5."""
    turns = itertools.cycle([np.full(30, np.nan), np.full(30, np.inf), RuntimeError("unstable"), None, np.zeros(0), np.zeros(31)])

    def measured(x: np.ndarray) -> object:
        if x[0] <= 0.5:
            return bent(x)
        value = next(turns)
        if isinstance(value, Exception):
            raise value
        return value

    for start in (-0.9, 0.45):
        solution = solved(Residuals(measured, x0=[start] * size, lower=-1.0, upper=1.0), budget=40)
        assert np.max(np.abs(solution.x - 0.3)) < 0.05
        failed = [point for point in solution.history if np.isnan(point.fun)]
        assert solution.n_failed == len(failed) and all(point.x[0] > 0.5 for point in failed)


@pytest.mark.parametrize("kind", [list, tuple, np.array])
def test_bounds_of_very_different_size(kind: type) -> None:
    """C90: every point lies inside; a start outside the bounds is an error."""
    lower, upper, optimum = kind([0.5, 1e-4, 100]), kind([2.5, 1e-2, 1e5]), np.array([1.0, 1e-3, 1e3])
    solution = solved(Residuals(lambda x: (x - optimum) / optimum, x0=[2.0, 5e-3, 5e4], lower=lower, upper=upper), budget=20)
    points = np.array([point.x for point in solution.history])
    assert np.all((points >= np.array(lower)) & (points <= np.array(upper)))
    np.testing.assert_allclose(solution.x, optimum, rtol=1e-6)
    with pytest.raises(LimitsError, match=r"start x0 of 'x0': 3, expected a value in \[0, 1\]"):
        Residuals(bent, x0=[3.0], lower=0.0, upper=1.0)


def test_same_seed_same_bits() -> None:
    """C91: nothing is drawn at all, and the global generator is untouched."""
    problem = Residuals(bent, x0=[-0.9, 0.9], lower=-1.0, upper=1.0)
    np.random.seed(5)  # noqa: NPY002
    expected = np.random.RandomState(5).random_sample(3)
    first, second = solved(problem, seed=12, budget=25), solved(problem, seed=13, budget=25)
    np.testing.assert_array_equal(np.random.random_sample(3), expected)  # noqa: NPY002
    assert first.history == second.history and first.x.tobytes() == second.x.tobytes()


@pytest.mark.parametrize("budget", [1, 2, 5])
def test_tiny_budgets(budget: int) -> None:
    """C91: the best evaluated point comes back."""
    solution = solved(Residuals(bent, x0=[-0.9] * 3, lower=-1.0, upper=1.0), budget=budget)
    assert solution.n_evaluations == budget
    assert solution.fun == min(point.fun for point in solution.history) and tuple(solution.x) in {point.x for point in solution.history}


@pytest.mark.parametrize("start", [[1.0, -1.0, -1.0, 1.0], [1.0] * 4, [-1.0] * 4, [0.0] * 4])
def test_optimum_in_a_corner_and_start_in_one(start: list[float]) -> None:
    """C92 (b, c): min Σ(x − 2)² on [−1, 1]⁴ → (1, 1, 1, 1)."""
    solution = solved(Residuals(lambda x: x - 2.0, x0=start, lower=-1.0, upper=1.0), budget=60)
    np.testing.assert_allclose(solution.x, 1.0, atol=1e-3)
    assert solution.fun == pytest.approx(2.0, abs=1e-3)


def test_fixed_coordinate_stays_fixed() -> None:
    """C92 (d)."""
    solution = solved(Residuals(lambda x: x - 0.3, x0=[-0.9, 0.5, 0.9], lower=[-1, 0.5, -1], upper=[1, 0.5, 1]), budget=20)
    assert {point.x[1] for point in solution.history} == {0.5}
    np.testing.assert_allclose(solution.x, [0.3, 0.5, 0.3], atol=1e-6)


@pytest.mark.parametrize("floor", [0.0, 1.0, 30.0])
def test_what_no_variable_takes_away(floor: float) -> None:
    """min ‖A x − b‖ has its closed form (the normal equations), however large the part of b that A does not reach."""
    A = SHAPES[:2].T
    normal = np.random.default_rng(1).standard_normal(30)
    normal -= A @ np.linalg.lstsq(A, normal, rcond=None)[0]
    b = A @ np.array([0.4, -0.3]) + floor * normal
    solution = solved(Residuals(lambda x: A @ x - b, x0=[-0.9, 0.9], lower=-1.0, upper=1.0), budget=10)
    np.testing.assert_allclose(solution.x, [0.4, -0.3], atol=1e-4)
    assert solution.status == "optimal"


@pytest.mark.parametrize(("value", "reason"), [(RuntimeError("door open"), "RuntimeError: door open"), (np.zeros(0), "ShapeError: an empty vector")])
def test_why_the_start_failed(value: object, reason: str) -> None:
    def measured(x: np.ndarray) -> object:
        if isinstance(value, Exception):
            raise value
        return value

    with pytest.raises(SolveError, match=f"the residuals at the start are not finite numbers, the last one raised {reason}"):
        optid.solve(Residuals(measured, x0=[0.0], lower=-1.0, upper=1.0), solver="secant")


def measured(seed: int, slopes: np.ndarray, optimum: list[float], noise: float, **form: object) -> Residuals:
    """``slopes`` (2, 2) times (x − optimum), turned into 2000 samples, with white noise of this size (as a vector) in every measurement."""
    rng = np.random.default_rng(seed)
    turn = np.linalg.qr(rng.standard_normal((2000, 2)))[0]
    return Residuals(lambda x: turn @ slopes @ (x - optimum) + noise * rng.standard_normal(2000) / np.sqrt(2000), x0=[0.0, 0.0], noisy=True, **form)


def test_projection_keeps_noise_out_of_the_slopes() -> None:
    """Noise as large as the change that a first step makes doubles the squares of the slopes: without projection the step is half as long as it should be."""
    for seed in range(8):
        problem = measured(seed, np.eye(2), [0.4, -0.3], 0.1, lower=-1.0, upper=1.0)
        fourth = solved(problem, budget=4, step=0.05, max_step=0.5).history[3].x
        assert np.linalg.norm(np.subtract(fourth, [0.4, -0.3])) < 0.15 * 0.5


def test_noisy_search_looks_along_the_valley() -> None:
    """One axis of the valley, (−0.6, 0.8), shows a twentieth of the other: where the steps would end, the next point lies along it."""
    along, looked = np.array([-0.6, 0.8]), 0
    for seed in range(10):
        usual, without = (
            solved(
                measured(seed, np.array([[0.8, 0.6], 0.05 * along]), [6.0, -9.0], 0.3, lower=-20.0, upper=20.0, integer=True),
                budget=30,
                step=0.125,
                max_step=0.5,
                explorations=explorations,
            ).history
            for explorations in (3, 0)
        )
        assert [point.x for point in usual[: len(without)]] == [point.x for point in without]
        if len(usual) > len(without):
            best = min(without, key=lambda point: point.fun)
            step = np.subtract(usual[len(without)].x, best.x)
            assert abs(step @ along) > 0.99 * np.linalg.norm(step)
            looked += 1
    assert looked >= 3
