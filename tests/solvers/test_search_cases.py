"""What people ran into with derivative-free search, for every solver that searches."""

from __future__ import annotations

import itertools
import threading

import numpy as np
import pytest

import optid
from optid.errors import LimitsError, SolveError, UnknownNameError
from optid.problems import BlackBoxProblem
from optid.solvers.registry import available_solvers, solver_class

SEARCHES = tuple(name for name in available_solvers(BlackBoxProblem(lambda x: 0.0, lower=[0], upper=[1])))
DETERMINISTIC = {"grid", "nelder_mead"}


def shifted(x: np.ndarray) -> float:
    return float(np.sum((x - 0.3) ** 2))


def test_searches_are_all_there() -> None:
    assert {"complex_box", "grid", "nelder_mead", "nevergrad", "random"} <= set(SEARCHES)
    assert all(solver_class(name).search for name in SEARCHES)


@pytest.mark.parametrize("name", SEARCHES)
def test_failed_evaluations_are_counted_and_listed(name: str) -> None:
    """C84: NaN, infinity, an exception and None by turns for x[0] > 0.5."""
    turns = itertools.cycle([float("nan"), float("inf"), None, RuntimeError("unstable")])

    def cost(x: np.ndarray) -> float | None:
        if x[0] <= 0.5:
            return shifted(x)
        value = next(turns)
        if isinstance(value, Exception):
            raise value
        return value

    solution = optid.solve(BlackBoxProblem(cost, lower=[-1, -1], upper=[1, 1]), solver=name, budget=40 if name == "bayesian" else 300)
    assert np.max(np.abs(solution.x - 0.3)) <= 0.05 + 1e-12
    failed = [point for point in solution.history if np.isnan(point.fun)]
    assert solution.n_failed == len(failed)
    assert all(point.x[0] > 0.5 for point in failed)


@pytest.mark.parametrize("budget", [50, pytest.param(100, marks=pytest.mark.slow), 200, pytest.param(500, marks=pytest.mark.slow), 1000])
@pytest.mark.parametrize("size", [1, 2, 3, 6, 12])
def test_default_search_at_every_size_and_budget(size: int, budget: int) -> None:
    """C89: no crash at any budget, and 0.02 at the largest."""
    solution = optid.solve(BlackBoxProblem(shifted, lower=[-1] * size, upper=[1] * size), budget=budget)
    assert solution.n_evaluations == budget
    if budget == 1000:
        np.testing.assert_allclose(solution.x, 0.3, atol=0.02)


def test_failing_backend_surfaces_with_its_name_and_best_point() -> None:
    """C89: nevergrad's NGOpt breaks under recent NumPy; where it does not, it must have solved the problem."""
    problem = BlackBoxProblem(shifted, lower=[-1, -1], upper=[1, 1])
    solution = optid.solve(problem, solver="nevergrad", optimizer="NGOpt", budget=300, on_failure="return")
    if solution.status == "failed":
        assert solution.message.startswith("NGOpt: ")
        with pytest.raises(SolveError, match="NGOpt"):
            optid.solve(problem, solver="nevergrad", optimizer="NGOpt", budget=300)
    assert solution.fun == min(point.fun for point in solution.history)


@pytest.mark.filterwarnings("ignore")  # those of the thread reach the test
@pytest.mark.parametrize("optimizer", ["Cobyla", "Powell", "NelderMead", "SQP"])
def test_optimizers_with_threads_leave_none_behind(optimizer: str) -> None:
    before = set(threading.enumerate())
    problem = BlackBoxProblem(shifted, lower=[-1, -1], upper=[1, 1])
    solution = optid.solve(problem, solver="nevergrad", optimizer=optimizer, budget=60, callback=lambda point: point.evaluation == 5)
    assert solution.status == "stopped"
    assert solution.n_evaluations == 5
    assert set(threading.enumerate()) <= before


def test_unknown_optimizer_gets_a_suggestion() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'CMA'"):
        optid.solve(BlackBoxProblem(shifted, lower=[-1], upper=[1]), solver="nevergrad", optimizer="CMAA")


@pytest.mark.parametrize("kind", [list, tuple, np.array])
@pytest.mark.parametrize("name", SEARCHES)
def test_bounds_away_from_the_default_start(name: str, kind: type) -> None:
    """C90: all evaluated points lie inside, with and without a start."""
    lower, upper = kind([0.5, 1e-4, 100]), kind([2.5, 1e-2, 1e5])
    for x0 in (None, [1.0, 1e-3, 1e3]):
        problem = BlackBoxProblem(lambda x: float(np.sum(np.log(x / [1, 1e-3, 1e3]) ** 2)), lower=lower, upper=upper, x0=x0)
        solution = optid.solve(problem, solver=name, budget=15, on_failure="return")
        points = np.array([point.x for point in solution.history])
        assert np.all((points >= np.array(lower)) & (points <= np.array(upper)))


def test_start_outside_the_bounds_is_an_error() -> None:
    """C90."""
    with pytest.raises(LimitsError, match="start x0 of 'gain': 3, expected a value in"):
        optid.solve(BlackBoxProblem(shifted, lower=[0], upper=[1], x0=[3], names=["gain"]))


@pytest.mark.parametrize("name", SEARCHES)
def test_logarithmic_coordinate_at_its_lower_bound(name: str) -> None:
    """C90: never below 1e-5, not even by rounding."""
    problem = BlackBoxProblem(lambda x: float(x[0]), lower=[1e-5], upper=[10], log=True)
    solution = optid.solve(problem, solver=name, budget=40, on_failure="return")
    assert min(point.x[0] for point in solution.history) >= 1e-5
    assert solution.x[0] <= 1e-3


@pytest.mark.parametrize("name", SEARCHES)
def test_seeds(name: str) -> None:
    """C91: seed 12 twice gives the same bits, seed 13 differs, the global generator is untouched."""
    problem = BlackBoxProblem(shifted, lower=[-1, -1], upper=[1, 1])
    np.random.seed(5)  # noqa: NPY002
    expected = np.random.RandomState(5).random_sample(3)
    first, second, other = (optid.solve(problem, solver=name, seed=seed, budget=25, on_failure="return") for seed in (12, 12, 13))
    np.testing.assert_array_equal(np.random.random_sample(3), expected)  # noqa: NPY002
    assert first.history == second.history
    assert first.x.tobytes() == second.x.tobytes()
    if name not in DETERMINISTIC:
        assert first.history != other.history


@pytest.mark.parametrize("name", SEARCHES)
@pytest.mark.parametrize("budget", [1, 2, 5])
def test_tiny_budgets(name: str, budget: int) -> None:
    """C91: the best evaluated point comes back."""
    solution = optid.solve(BlackBoxProblem(shifted, lower=[-1] * 3, upper=[1] * 3), solver=name, budget=budget)
    assert solution.n_evaluations == budget
    assert solution.fun == min(point.fun for point in solution.history)
    assert tuple(solution.x) in {point.x for point in solution.history}


@pytest.mark.parametrize("name", sorted(set(SEARCHES) - {"bayesian"}))
def test_whole_numbers(name: str) -> None:
    problem = BlackBoxProblem(lambda x: float((x[0] - 3) ** 2 + (x[1] + 2) ** 2), lower=[-5, -5.5], upper=[5.5, 5], integer=True)
    solution = optid.solve(problem, solver=name, budget=300)
    assert solution.x.tolist() == [3, -2]
    assert solution.n_evaluations <= 121


def test_bayesian_beats_random_search_at_equal_budget() -> None:
    """Branin's function, optimum 0.397887 (Dixon & Szegő 1978)."""

    def branin(x: np.ndarray) -> float:
        a, b = x
        return float((b - 5.1 * a**2 / (4 * np.pi**2) + 5 * a / np.pi - 6) ** 2 + 10 * (1 - 1 / (8 * np.pi)) * np.cos(a) + 10)

    problem = BlackBoxProblem(branin, lower=[-5, 0], upper=[10, 15])
    gaps = {name: np.median([optid.solve(problem, solver=name, seed=seed, budget=30).fun - 0.397887 for seed in range(5)]) for name in ("bayesian", "random")}
    assert gaps["bayesian"] < 0.1
    assert gaps["bayesian"] < 0.2 * gaps["random"]


@pytest.mark.parametrize("name", SEARCHES)
def test_violation_that_cannot_be_computed_counts_as_violated(name: str) -> None:
    def violation(x: np.ndarray) -> float:
        return 1.0 / 0.0 if x[0] > 0.5 else float("nan") if x[0] > 0.4 else -1.0

    solution = optid.solve(
        BlackBoxProblem(shifted, lower=[0, 0], upper=[1, 1], violation=violation, x0=[0.1, 0.1]), solver=name, budget=30, on_failure="return"
    )
    assert solution.max_violation == 0
    assert all(np.isnan(point.fun) for point in solution.history if point.x[0] > 0.4)


def test_the_last_exception_is_told_when_nothing_worked() -> None:
    def broken(x: np.ndarray) -> float:
        raise KeyError("gain")

    with pytest.raises(SolveError, match="no evaluation gave a number, the last one raised KeyError: 'gain'"):
        optid.solve(BlackBoxProblem(broken, lower=[0], upper=[1]), solver="random", budget=5)


@pytest.mark.parametrize("solver", ["complex_box", "nevergrad", "nelder_mead"])
def test_errors_of_the_callback_are_the_users_own(solver: str) -> None:
    def callback(point: object) -> bool:
        raise ZeroDivisionError("in the callback")

    with pytest.raises(ZeroDivisionError, match="in the callback"):
        optid.solve(BlackBoxProblem(shifted, lower=[0], upper=[1]), solver=solver, callback=callback)


def test_grid_names_its_size_when_it_is_too_large() -> None:
    with pytest.raises(optid.OptidError, match=r"10000000000 points, expected at most max_points"):
        optid.solve(BlackBoxProblem(shifted, lower=[-1] * 10, upper=[1] * 10), solver="grid", points=10)


def test_nelder_mead_in_a_corner() -> None:
    """C92: the simplex of a start in a corner keeps its volume."""
    problem = BlackBoxProblem(lambda x: float(np.sum((x - 2) ** 2)), lower=[-1] * 4, upper=[1] * 4, x0=[1, -1, -1, 1])
    np.testing.assert_allclose(optid.solve(problem, solver="nelder_mead").x, 1.0, atol=1e-3)


@pytest.mark.parametrize("name", SEARCHES)
@pytest.mark.parametrize("value", ["a", 1 + 1j, np.ma.masked, 1e308 * 10, SystemError("probe")])
def test_whatever_is_no_number_counts_as_failed(name: str, value: object) -> None:
    """C84, beyond NaN and None."""

    def cost(x: np.ndarray) -> object:
        if isinstance(value, Exception):
            raise value
        return value

    solution = optid.solve(BlackBoxProblem(cost, lower=[-1, -1], upper=[1, 1]), solver=name, budget=5, on_failure="return")
    assert solution.n_failed == solution.n_evaluations == 5 and np.isnan(solution.fun) and solution.status == "failed"


@pytest.mark.parametrize("name", SEARCHES)
def test_a_point_changed_by_the_objective_stays_where_it_was(name: str) -> None:
    def cost(x: np.ndarray) -> float:
        value = shifted(x)
        x[:] = 99.0
        return value

    solution = optid.solve(BlackBoxProblem(cost, lower=[-1, -1], upper=[1, 1]), solver=name, budget=9, on_failure="return")
    assert solution.fun == shifted(solution.x) and all(point.fun == shifted(np.array(point.x)) for point in solution.history)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"f": None}, "fun of black box: None, expected a function of x"),
        ({"violation": 3}, "violation of black box: 3, expected a function of x"),
        ({"start": 3}, "start of black box: 3, expected a function of x"),
        ({"start": lambda rng: [np.nan, 0.0]}, r"start\(rng\): \[nan  0.\], expected finite numbers"),
        ({"log": [True] * 3}, "log of a black box"),
        ({"log": "x"}, "log of a black box: 'x'"),
        ({"names": "ab"}, "names: 1 names, expected 2"),
        ({"names": ["a", "a"]}, "names: a twice, expected different names"),
        ({"lower": [0, np.nan]}, "bounds of 'x1': lower nan, upper 1"),
        ({"lower": "x"}, "lower bounds: 'x', expected a vector of numbers"),
        ({"lower": [2, 2]}, "bounds of 'x0': lower 2, upper 1"),
        ({"x0": [np.nan, 0]}, "x0: nan for 'x0', expected finite numbers"),
        ({"x0": [5, 0]}, r"start x0 of 'x0': 5, expected a value in \[-1, 1\]"),
        ({"scales": [0, 1]}, "scale of 'x0': 0.0, expected a finite positive number"),
    ],
)
def test_wrong_black_boxes_are_named(options: dict[str, object], message: str) -> None:
    given: dict[str, object] = {"f": shifted, "lower": [-1, -1], "upper": [1, 1], **options}
    with pytest.raises(optid.OptidError, match=message):
        optid.solve(BlackBoxProblem(**given), solver="random", budget=3)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", SEARCHES)
@pytest.mark.parametrize("budget", [4, 300])
def test_without_a_feasible_point(name: str, budget: int) -> None:
    """Nine points, all of them violated: infeasible, whether the budget ends it or the search."""
    problem = BlackBoxProblem(lambda x: float(x @ x), lower=[-1, -1], upper=[1, 1], integer=True, violation=lambda x: 1.0)
    solution = optid.solve(problem, solver=name, budget=budget, on_failure="return")
    assert solution.status == "infeasible" and solution.max_violation == 1.0 and np.isnan(solution.fun)


@pytest.mark.parametrize("name", SEARCHES)
def test_the_last_exception_is_told_when_every_known_point_failed(name: str) -> None:
    def broken(x: np.ndarray) -> float:
        raise KeyError("gain")

    problem = BlackBoxProblem(broken, lower=[-1, -1], upper=[1, 1], integer=True)
    with pytest.raises(SolveError, match="no evaluation gave a number, the last one raised KeyError: 'gain'"):
        optid.solve(problem, solver=name, budget=300)


@pytest.mark.parametrize("name", SEARCHES)
def test_few_whole_numbers_end_a_search(name: str) -> None:
    """No point is asked for twice, and a search that knows all of them ends."""
    problem = BlackBoxProblem(lambda x: float("nan") if x[0] > 0 else float(x @ x), lower=[-1, -1], upper=[1, 1], integer=True)
    solution = optid.solve(problem, solver=name, budget=300)
    points = [point.x for point in solution.history]
    assert len(set(points)) == len(points) <= 9 and solution.x.tolist() == [0, 0] and solution.status == "optimal"
