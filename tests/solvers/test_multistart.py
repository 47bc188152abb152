"""Multistart: seeded, the same in a row, in threads and in processes, best feasible answer kept."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor

import casadi as ca
import numpy as np
import pytest

import optid
from optid.errors import SolveError, UnsuitableSolverError
from optid.problems import BlackBoxProblem, Nlp
from optid.solvers import Iterate


def waves(constrained: bool = False) -> Nlp:
    """Many local minima; the global one of Σ (x² − 10 cos 2πx + 10) is 0 at the origin (Rastrigin)."""
    x = ca.SX.sym("x", 2)
    f = ca.sumsqr(x) - 10 * ca.cos(2 * ca.pi * x[0]) - 10 * ca.cos(2 * ca.pi * x[1]) + 20
    return Nlp(x, f, g=x[0] + x[1] if constrained else None, lbg=1 if constrained else None, lbx=-3, ubx=3, x0=[2.2, -1.8])


def bowl(x: np.ndarray) -> float:
    return float(np.sum((x - 0.3) ** 2))


@pytest.fixture(scope="module")
def processes() -> Iterator[Executor]:
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as executor:
        yield executor


def test_starts_find_what_one_start_misses() -> None:
    assert optid.solve(waves()).fun > 3
    solution = optid.solve(waves(), starts=24, seed=1)
    assert solution.fun == pytest.approx(0.0, abs=1e-8)
    assert len(solution.starts) == 24
    assert solution.fun == min(entry.fun for entry in solution.starts)
    assert solution.n_evaluations == sum(entry.n_evaluations for entry in solution.starts)
    assert {point.start for point in solution.history} == set(range(24))


def test_first_start_is_the_given_one_and_seeds_nest() -> None:
    """Start k is the same whether 4 or 8 are asked for, so that a longer run can only be better."""
    few, many = optid.solve(waves(), starts=4, seed=5), optid.solve(waves(), starts=8, seed=5)
    assert few.history[0].x == (2.2, -1.8)
    assert [entry.fun for entry in few.starts] == [entry.fun for entry in many.starts[:4]]


def test_answer_does_not_depend_on_the_executor(processes: Executor) -> None:
    """C87: an Nlp with symbols travels to processes started with spawn."""
    alone = optid.solve(waves(constrained=True), starts=6, seed=2)
    parallel = optid.solve(waves(constrained=True), starts=6, seed=2, executor=processes)
    with ThreadPoolExecutor(2) as threads:
        threaded = optid.solve(waves(constrained=True), starts=6, seed=2, executor=threads)
    for other in (parallel, threaded):
        assert other.x.tobytes() == alone.x.tobytes()
        assert [entry.fun for entry in other.starts] == [entry.fun for entry in alone.starts]


@pytest.mark.parametrize("name", ["grid", "nevergrad", "random"])
def test_batches_do_not_depend_on_the_executor(name: str, processes: Executor) -> None:
    """C91."""
    problem = BlackBoxProblem(bowl, lower=[-1, -1], upper=[1, 1])
    alone = optid.solve(problem, solver=name, budget=30, seed=4, on_failure="return")
    parallel = optid.solve(problem, solver=name, budget=30, seed=4, on_failure="return", executor=processes)
    with ThreadPoolExecutor(2) as threads:
        threaded = optid.solve(problem, solver=name, budget=30, seed=4, on_failure="return", executor=threads)
    assert alone.history == parallel.history == threaded.history
    assert alone.n_evaluations == parallel.n_evaluations == 30


@pytest.mark.parametrize("starts", [1, 2])
def test_lambdas_are_refused_with_a_way_out(starts: int, processes: Executor) -> None:
    """C87."""
    problem = BlackBoxProblem(lambda x: float(x[0]), lower=[0], upper=[1])
    with pytest.raises(UnsuitableSolverError, match=r"BlackBoxProblem cannot be sent to worker processes.*ThreadPoolExecutor"):
        optid.solve(problem, solver="random", budget=20, starts=starts, executor=processes)


def test_infeasible_starts_do_not_hide_a_feasible_one() -> None:
    """Feasible only near x = 2; some starts end elsewhere."""
    x = ca.SX.sym("x")
    problem = Nlp(x, x, g=(x**2 - 4) * (x + 3) ** 2 * (x - 5), lbg=0, ubg=0, lbx=-2.5, ubx=4, x0=[0.0])
    solution = optid.solve(problem, starts=8)
    assert solution.feasible
    assert solution.x[0] == pytest.approx(-2.0, abs=1e-6)


def test_best_feasible_point_wins_over_a_regular_end() -> None:
    """With 10 iterations few starts converge, and to poor minima; the best feasible point of all is kept, and the solve is no failure."""
    solution = optid.solve(waves(constrained=True), starts=12, budget=10)
    assert {entry.status for entry in solution.starts} == {"optimal", "budget"}
    assert solution.success
    assert solution.fun == min(entry.fun for entry in solution.starts if entry.feasible)
    assert solution.fun < min(entry.fun for entry in solution.starts if entry.status == "optimal")


def test_all_starts_failing_raises() -> None:
    x = ca.SX.sym("x")
    with pytest.raises(SolveError, match=r"best of 3 of 3 starts \(3 infeasible\)"):
        optid.solve(Nlp(x, x**2, g=ca.vertcat(x, x), lbg=[2, -10], ubg=[10, 1], lbx=-5, ubx=5), starts=3)


def test_interrupt_returns_the_best_so_far() -> None:
    seen: list[Iterate] = []

    def callback(point: Iterate) -> bool:
        seen.append(point)
        if point.start == 2:
            raise KeyboardInterrupt
        return False

    solution = optid.solve(waves(), starts=6, callback=callback)
    assert solution.status == "stopped"
    assert len(solution.starts) == 3
    assert solution.fun == min(entry.fun for entry in solution.starts)


def test_callback_sees_finished_starts_of_workers() -> None:
    seen: list[Iterate] = []

    def callback(point: Iterate) -> bool:
        seen.append(point)
        return len(seen) == 2

    with ThreadPoolExecutor(1) as threads:
        solution = optid.solve(waves(), starts=5, executor=threads, callback=callback)
    assert solution.status == "stopped"
    assert len(seen) == 2
    assert len(solution.starts) < 5


@pytest.mark.parametrize(("option", "value"), [("starts", 0), ("budget", 0), ("starts", 1.5)])
def test_counts_are_checked(option: str, value: float) -> None:
    with pytest.raises(UnsuitableSolverError, match=f"{option}: {value}, expected a whole number ≥ 1"):
        optid.solve(waves(), **{option: value})
