"""The contract every solver keeps."""

from __future__ import annotations

import math
import threading
from typing import Any

import numpy as np

from optid.errors import SolveError, UnsuitableSolverError
from optid.problems.forms import BlackBox, LeastSquares, Nlp, Residuals
from optid.problems.reference import REFERENCES, Reference
from optid.solvers.registry import available_solvers, solver_class
from optid.solvers.solution import Iterate, Solution
from optid.solvers.solve import solve

BOUND_TOLERANCE = 1e-9


def check_solver(name: str, *, budget: int | None = None) -> None:
    """Check the solver registered as ``name`` against the contract.

    It solves every reference problem that it claims and refuses the others; evaluates no point more than 1e-9 outside the bounds; gives the same bits for
    the same seed and leaves NumPy's global random state alone; stops on request within one iteration; takes objectives that are NaN, infinite, ``None`` or
    raise, and never calls one a success; keeps to its budget; leaves no thread behind.

    Parameters
    ----------
    name : str
    budget : int, optional
        Evaluations a problem for searches; their own default without it.

    Raises
    ------
    AssertionError
        Saying which promise is broken on which problem.

    Examples
    --------
    >>> from optid.testing import check_solver
    >>> check_solver("lstsq")
    """
    threads = set(threading.enumerate())
    claimed = [reference for reference in REFERENCES if name in available_solvers(reference.build())]
    assert claimed, f"{name} claims none of the reference problems"
    for reference in REFERENCES:
        if reference in claimed:
            check_reference(name, reference, budget=budget)
        else:
            check_refusal(name, reference)
    check_repeats(name, claimed[-1], budget=budget)
    check_stops(name, claimed[-1])
    check_budget(name, claimed[-1])
    check_not_a_number(name, budget=budget)
    left = [thread.name for thread in set(threading.enumerate()) - threads]
    assert not left, f"{name} leaves threads behind: {left}"


def check_reference(name: str, reference: Reference, *, budget: int | None = None) -> Solution:
    """Solve one reference problem and compare with its answer.

    Examples
    --------
    >>> from optid.problems.reference import REFERENCES
    >>> from optid.testing import check_reference
    >>> check_reference("lstsq", REFERENCES[0]).x.round(6)  # 15.5 / 14
    array([1.107143])
    """
    form = reference.build()
    search = solver_class(name).search
    solution: Solution = solve(form, solver=name, budget=budget if search else None)
    gap = solution.fun - reference.fun
    allowed = reference.search_tolerance if search else reference.tolerance
    where = f"{name} on {reference.name!r}"
    assert -1e-5 * max(1.0, abs(reference.fun)) <= gap <= allowed, f"{where}: value {solution.fun}, expected {reference.fun} within {allowed}"
    assert solution.success and solution.n_evaluations >= 1, f"{where}: {solution}"
    fun, violation = form.evaluate(solution.x)
    assert math.isclose(fun, solution.fun, rel_tol=1e-12, abs_tol=1e-12), f"{where}: fun {solution.fun} is not the objective at x, {fun}"
    assert solution.max_violation == violation, f"{where}: max_violation {solution.max_violation} is not the violation at x, {violation}"
    if reference.x is not None and not search:
        error = np.max(np.abs(solution.x - reference.x) / np.maximum(1.0, np.abs(reference.x)))
        assert error <= 1e-3, f"{where}: x {solution.x}, expected {reference.x}"
    _check_bounds(where, form, solution)
    return solution


def check_refusal(name: str, reference: Reference) -> None:
    """A problem the solver does not claim is refused before any evaluation, with the solvers that can take it.

    Examples
    --------
    >>> from optid.problems.reference import REFERENCES
    >>> from optid.testing import check_refusal
    >>> check_refusal("lstsq", next(r for r in REFERENCES if r.name == "rosenbrock"))
    """
    try:
        solve(reference.build(), solver=name)
    except UnsuitableSolverError as error:
        assert name in str(error) and "Installed solvers that can: " in str(error), f"{name} refuses {reference.name!r} without a reason: {error}"
    else:
        raise AssertionError(f"{name} does not claim {reference.name!r} but takes it")


def check_repeats(name: str, reference: Reference, *, budget: int | None = None) -> None:
    """Same seed, same bits; the global random state is untouched.

    Examples
    --------
    >>> from optid.problems.reference import REFERENCES
    >>> from optid.testing import check_repeats
    >>> check_repeats("qp", REFERENCES[0])
    """
    before = _global_random_state()
    first, second = (solve(reference.build(), solver=name, seed=12, budget=budget, on_failure="return") for _ in range(2))
    assert first.x.tobytes() == second.x.tobytes() and first.fun == second.fun, f"{name}: seed 12 gives {first.x} and {second.x}"
    assert first.history == second.history, f"{name}: seed 12 gives two histories"
    assert _global_random_state() == before, f"{name} changes NumPy's global random state"


def check_stops(name: str, reference: Reference) -> None:
    """Returning True from the callback ends the solve within one iteration, without an error.

    Examples
    --------
    >>> from optid.problems.reference import REFERENCES
    >>> from optid.testing import check_stops
    >>> check_stops("lstsq", REFERENCES[0])
    """
    seen: list[Iterate] = []

    def callback(iterate: Iterate) -> bool:
        seen.append(iterate)
        return len(seen) == 2

    solution = solve(reference.build(), solver=name, callback=callback)
    assert len(seen) <= 3, f"{name} goes on for {len(seen) - 2} iterations after it was asked to stop"
    assert solution.status == "stopped" or len(seen) < 2, f"{name} was stopped and says {solution.status}"
    assert len(solution.history) == len(seen), f"{name}: {len(seen)} callbacks, {len(solution.history)} points in the history"


def check_budget(name: str, reference: Reference) -> None:
    """Small budgets are kept and return a point that was evaluated.

    Examples
    --------
    >>> from optid.problems.reference import REFERENCES
    >>> from optid.testing import check_budget
    >>> check_budget("random", next(r for r in REFERENCES if r.name == "bowl"))
    """
    search = solver_class(name).search
    for budget in (1, 2, 5):
        solution = solve(reference.build(), solver=name, budget=budget, on_failure="return")
        assert not search or solution.n_evaluations <= budget, f"{name}: {solution.n_evaluations} evaluations, budget {budget}"
        assert np.all(np.isfinite(solution.x)), f"{name} returns {solution.x} after a budget of {budget}"


def check_not_a_number(name: str, *, budget: int | None = None) -> None:
    """Objectives without a value never pass as success, and a search finds its way around them.

    Examples
    --------
    >>> from optid.testing import check_not_a_number
    >>> check_not_a_number("lstsq")
    """
    accepts = solver_class(name).accepts
    if BlackBox in accepts:
        patchy = BlackBox(_Patchy(), lower=[-1, -1], upper=[1, 1])
        solution = solve(patchy, solver=name, budget=budget)
        assert np.max(np.abs(solution.x - 0.3)) <= 0.1, f"{name} on an objective with holes: {solution.x}, expected 0.3"
        failed = sum(math.isnan(point.fun) for point in solution.history)
        assert solution.n_failed == failed, f"{name}: {failed} failed evaluations in the history, n_failed {solution.n_failed}"
        _must_fail(name, BlackBox(lambda x: None, lower=[-1, -1], upper=[1, 1]), 20)
    if Residuals in accepts:
        _must_fail(name, Residuals(lambda x: np.array([np.nan, 1.0]), x0=[0.5], lower=-1, upper=1), 20)
    if Nlp in accepts:
        import casadi as ca

        x = ca.SX.sym("x", 2)
        _must_fail(name, Nlp(x, ca.sqrt(x[0] - 2) + x[1] ** 2, lbx=-1, ubx=1, x0=[0.5, 0.5]), None)
        _must_fail(name, Nlp(x, ca.norm_2(x) + x[0], lbx=-1, ubx=1, x0=[0.0, 0.0]), None, value=0.0)
    if LeastSquares in accepts:
        try:
            LeastSquares([[np.nan]], [1.0])
        except ValueError:
            return
        raise AssertionError("a least-squares problem takes NaN data")


class _Patchy:
    """Σ (x − 0.3)², but NaN, infinite, ``None`` or an exception by turns where x0 > 0.5."""

    def __init__(self) -> None:
        self.turn = 0

    def __call__(self, x: np.ndarray) -> float | None:
        if x[0] <= 0.5:
            return float(np.sum((x - 0.3) ** 2))
        self.turn += 1
        if self.turn % 4 == 0:
            raise RuntimeError("the controller is unstable")
        return (math.nan, math.inf, None)[self.turn % 4 - 1]


def _global_random_state() -> tuple[bytes, int]:
    state: Any = np.random.get_state(legacy=False)  # noqa: NPY002
    return state["state"]["key"].tobytes(), int(state["state"]["pos"])


def _must_fail(name: str, form: Any, budget: int | None, value: float | None = None) -> None:
    """The solve raises ``SolveError``; a solver that moves away from a bad start may also reach a finite value below ``value``."""
    try:
        solution = solve(form, solver=name, budget=budget)
    except SolveError as error:
        assert error.solution is not None and not error.solution.success
        return
    assert value is not None and solution.fun < value - 1e-6, f"{name} calls {solution.fun} a success where the objective or its gradient is not a number"


def _check_bounds(where: str, form: Any, solution: Solution) -> None:
    points = np.array([solution.x, *([point.x for point in solution.history] if len(solution.history) and _same_size(form, solution) else [])])
    outside = max(float(np.max(form.lower - points)), float(np.max(points - form.upper)))
    assert not outside > BOUND_TOLERANCE, f"{where}: a point lies {outside:.3g} outside the bounds"


def _same_size(form: Any, solution: Solution) -> bool:
    return len(solution.history[0].x) == form.size
