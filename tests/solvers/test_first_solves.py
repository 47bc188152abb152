"""The protocol's spine: forms are problems, answers are judged, failures raise."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

import optid
from optid.errors import SolveError, UnknownNameError, UnsuitableSolverError
from optid.problems import BlackBoxProblem, LeastSquares, Nlp


def exponential() -> Nlp:
    """C47: min exp(s) + s⁴ − 3 s³ from 10."""
    s = ca.SX.sym("s")
    return Nlp(s, ca.exp(s) + s**4 - 3 * s**3, x0=[10.0])


def test_iteration_limit_raises_and_carries_the_best_point() -> None:
    """C47."""
    with pytest.raises(SolveError, match="Maximum_Iterations_Exceeded") as caught:
        optid.solve(exponential(), solver="ipopt", max_iterations=1)
    solution = caught.value.solution
    assert solution.status == "budget"
    assert not solution.success
    assert solution.x[0] == pytest.approx(8.90975, rel=1e-5)


def test_infeasible_constraints_are_never_a_solution() -> None:
    """C47: g = (s, s) in [2, 10] × [−10, 1]."""
    s = ca.SX.sym("s")
    problem = Nlp(s, s**2, g=ca.vertcat(s, s), lbg=[2, -10], ubg=[10, 1], x0=[0.0], constraint_names=["above 2", "below 1"])
    with pytest.raises(SolveError, match=r"Infeasible_Problem_Detected.*(above 2|below 1) by") as caught:
        optid.solve(problem)
    assert caught.value.solution.status == "infeasible"
    assert caught.value.solution.max_violation >= 0.5 - 1e-6  # no point misses both by less


def test_nan_derivative_is_a_failure() -> None:
    """C48: the gradient of a norm at zero is NaN; the backend returns the start without an exception."""
    x = ca.SX.sym("x", 2)
    solution = optid.solve(Nlp(x, ca.norm_2(x) + x[0], x0=[0.0, 0.0]), on_failure="return")
    assert (solution.status, solution.message) == ("failed", "Invalid_Number_Detected")


@pytest.mark.parametrize(
    ("problem", "expected"),
    [
        (LeastSquares([[1, 1]], [2]), (1, 1)),
        (LeastSquares([[1, 1]], [2], x0=[3, 0]), (2.5, -0.5)),
        (LeastSquares([[1, 1]], [2]).damped(1.0, [3, 0]), (8 / 3, -1 / 3)),
        (LeastSquares([[1, 1]], [2]).damped(1e-9), (1, 1)),
    ],
)
def test_damping_towards_zero_and_towards_a_prior(problem: LeastSquares, expected: tuple[float, float]) -> None:
    """C56."""
    np.testing.assert_allclose(optid.solve(problem, solver="lstsq").x, expected, atol=1e-7)


def test_unknown_names_get_a_suggestion() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'ipopt'"):
        optid.solve(exponential(), solver="iopt")
    with pytest.raises(UnknownNameError, match="Did you mean 'max_iterations'"):
        optid.solve(exponential(), solver="ipopt", max_iteration=3)


def test_black_box_is_refused_by_ipopt_with_the_reason() -> None:
    with pytest.raises(UnsuitableSolverError, match="no derivatives"):
        optid.solve(BlackBoxProblem(lambda x: float(x[0]), lower=[0], upper=[1]), solver="ipopt")


def test_callback_stops_within_one_iteration() -> None:
    seen: list[int] = []

    def callback(iterate: optid.solvers.Iterate) -> bool:
        seen.append(iterate.evaluation)
        return len(seen) == 3

    solution = optid.solve(exponential(), callback=callback)
    assert solution.status == "stopped"
    assert seen == [1, 2, 3]
    assert len(solution.history) == 3
