"""Linear least squares through every solver: bounds that loop for ever elsewhere, constraints, cones, badly scaled columns."""

from __future__ import annotations

import numpy as np
import pytest

import optid
from optid.errors import LimitsError, ShapeError, SolveError
from optid.problems import Cone, LeastSquares

BOUNDED = ("clarabel", "ipopt", "lsq_linear", "qp", "slsqp", "sqp", "trust_constr")
LINEAR = ("clarabel", "ipopt", "qp", "slsqp", "sqp", "trust_constr")


@pytest.mark.parametrize("name", BOUNDED)
def test_bounds_with_an_undetermined_split(name: str) -> None:
    """C59: x1 + x2 = 2.0214286, cost 0.00178571, and it ends."""
    solution = optid.solve(LeastSquares([[1, 1], [2, 2], [3, 3]], [2, 4, 6.1], lower=0), solver=name)
    assert solution.x.sum() == pytest.approx(2.0214286, abs=1e-6)
    assert solution.fun == pytest.approx(0.00178571, abs=1e-8)
    assert np.all(solution.x >= 0)


def test_bounded_solver_reports_the_undetermined_direction() -> None:
    """C59."""
    solution = optid.solve(LeastSquares([[1, 1], [2, 2], [3, 3]], [2, 4, 6.1], lower=0), solver="lsq_linear")
    assert "1 directions undetermined" in solution.message
    direction = solution.info["null_space"][:, 0]
    assert abs(direction[0] + direction[1]) < 1e-12


def test_active_bounds_determine_what_the_data_do_not() -> None:
    """A bound with a multiplier closes the open direction: min (x1 + x2 − 1)², x1 + x2 ≥ 4 by the bounds."""
    solution = optid.solve(LeastSquares([[1, 1]], [1], lower=2), solver="lsq_linear")
    np.testing.assert_allclose(solution.x, [2, 2])
    assert solution.info["null_space"].shape == (2, 0)
    assert solution.info["active"].tolist() == [-1, -1]


def test_bounded_solutions_agree_with_the_optimality_conditions() -> None:
    rng = np.random.default_rng(3)
    for _ in range(20):
        a, b = rng.normal(size=(30, 8)) * 10.0 ** rng.uniform(-3, 3, 8), rng.normal(size=30)
        reference = np.linalg.lstsq(a, b, rcond=None)[0]
        lower = np.where(rng.random(8) < 0.5, 0.0, -np.inf)
        form = LeastSquares(a, b, lower=lower, upper=0.5 * np.abs(reference))
        values = {}
        for name in ("lsq_linear", "qp", "clarabel"):
            solution = optid.solve(form, solver=name)
            slope = a.T @ (a @ solution.x - b) / np.linalg.norm(a, axis=0)
            free = (solution.x > form.lower + 1e-6 * np.abs(reference)) & (solution.x < form.upper - 1e-6 * np.abs(reference))
            assert np.max(np.abs(slope[free]), initial=0) < 1e-5
            values[name] = solution.fun
        assert values["qp"] == pytest.approx(values["lsq_linear"], rel=1e-7)
        assert values["clarabel"] == pytest.approx(values["lsq_linear"], rel=1e-7)


def test_weights_multiply_squares() -> None:
    """One parameter seen as 1 with weight 3 and as 5 with weight 1: the mean is (3·1 + 5)/4 = 2."""
    form = LeastSquares([[1], [1]], [1, 5], weights=[3, 1])
    solution = optid.solve(form)
    assert solution.x[0] == pytest.approx(2.0)
    assert solution.fun == pytest.approx(0.5 * (3 * 1 + 9))


def test_rank_does_not_depend_on_units() -> None:
    """A column in micrometres beside one in kilometres still counts."""
    rng = np.random.default_rng(0)
    a = rng.normal(size=(50, 4)) * np.array([1e-9, 1e6, 1.0, 1e-3])
    truth = np.array([1e9, 1e-6, -2.0, 3e3])
    solution = optid.solve(LeastSquares(a, a @ truth))
    assert solution.info["rank"] == 4
    np.testing.assert_allclose(solution.x, truth, rtol=1e-9)
    deficient = np.column_stack([a, a[:, 0] * 1e9 - 2 * a[:, 2]])
    solution = optid.solve(LeastSquares(deficient, a @ truth))
    assert solution.info["rank"] == 4
    np.testing.assert_allclose(deficient @ solution.info["null_space"], 0, atol=1e-8)


@pytest.mark.parametrize("shape", [(0, 3), (1, 3), (3, 3), (1, 1), (2000, 3)])
def test_minimum_norm_for_any_number_of_rows(shape: tuple[int, int]) -> None:
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=shape), rng.normal(size=shape[0])
    expected = np.linalg.lstsq(a, b, rcond=None)[0] if shape[0] else np.zeros(shape[1])
    np.testing.assert_allclose(optid.solve(LeastSquares(a, b)).x, expected, atol=1e-12)


@pytest.mark.parametrize("name", LINEAR)
def test_contradicting_constraints_are_not_a_solution(name: str) -> None:
    form = LeastSquares(np.eye(2), [0, 0], A_in=[[1, 1], [-1, -1]], b_in=[-1, -1])
    with pytest.raises(SolveError) as caught:
        optid.solve(form, solver=name)
    assert caught.value.solution.status in ("infeasible", "failed", "budget")
    assert not caught.value.solution.feasible


@pytest.mark.parametrize("name", ["clarabel", "qp"])
def test_constraints_in_other_units_give_the_same_answer(name: str) -> None:
    """Variables of size 1e6 and 1e-6 under one linear constraint."""
    scale = np.array([1e6, 1e-6, 1.0])
    plain = LeastSquares(np.eye(3), [0.8, 0.6, -0.5], lower=0, A_eq=[[1, 1, 1]], b_eq=[1])
    scaled = LeastSquares(np.eye(3) / scale, [0.8, 0.6, -0.5], lower=0, A_eq=[1 / scale], b_eq=[1])
    np.testing.assert_allclose(optid.solve(scaled, solver=name).x / scale, optid.solve(plain, solver=name).x, atol=1e-8)


def test_multipliers_of_linear_constraints() -> None:
    """min ½‖x − (2, 1)‖² with x1 + x2 ≤ 1: x = (1, 0), multiplier 1."""
    solution = optid.solve(LeastSquares(np.eye(2), [2, 1], A_in=[[1, 1]], b_in=[1]), solver="qp")
    np.testing.assert_allclose(solution.x, [1, 0], atol=1e-9)
    assert solution.info["multipliers_linear"][0] == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize("name", ["clarabel", "qp"])
def test_repeated_equality_constraints(name: str) -> None:
    """x1 + x2 = 2 said three times, at different scales; the multiplier rule A_eqᵀ λ = −gradient holds for the rows as given."""
    form = LeastSquares(np.eye(2), [3, 0], A_eq=[[1, 1], [1e6, 1e6], [-2, -2]], b_eq=[2, 2e6, -4])
    solution = optid.solve(form, solver=name)
    np.testing.assert_allclose(solution.x, [2.5, -0.5], atol=1e-8)
    if name == "qp":
        np.testing.assert_allclose(form.A_eq.T @ solution.info["multipliers_linear"], [0.5, 0.5], atol=1e-6)


def test_contradicting_equalities_are_named() -> None:
    with pytest.raises(SolveError, match=r"status infeasible \(the equality constraints contradict each other\)"):
        optid.solve(LeastSquares(np.eye(2), [0, 0], A_eq=[[1, 1], [2, 2]], b_eq=[1, 3]), solver="qp")


def test_zero_data() -> None:
    for name in ("clarabel", "lsq_linear", "qp"):
        np.testing.assert_allclose(optid.solve(LeastSquares(np.eye(2), [0, 0], lower=[1, -1]), solver=name).x, [1, 0], atol=1e-7)


@pytest.mark.parametrize("name", ["clarabel", "ipopt"])
def test_cone_with_a_margin_only_tightens(name: str) -> None:
    """Nearest matrix to diag(1, −1) with F ⪰ margin: the second eigenvalue is the margin."""
    slopes = [[[1, 0], [0, 0]], [[0, 1], [1, 0]], [[0, 0], [0, 1]]]
    for margin in (0.0, 0.25):
        form = LeastSquares(np.eye(3), [1, 0, -1], cones=(Cone(-margin * np.eye(2), slopes, "inertia"),))
        solution = optid.solve(form, solver=name)
        np.testing.assert_allclose(solution.x, [1, 0, margin], atol=1e-5)
        assert solution.max_violation <= 1e-6


def test_messages_name_what_is_wrong() -> None:
    with pytest.raises(LimitsError, match=r"bounds of 'm1': lower 2, upper 1, expected lower ≤ upper"):
        LeastSquares([[1, 1]], [1], lower=[2, 0], upper=[1, 1], names=("m1", "m2"))
    with pytest.raises(ShapeError, match=r"A and b: NaN or infinite entries"):
        LeastSquares([[1, np.nan]], [1])
    with pytest.raises(ShapeError, match=r"b: shape \(3,\), expected shape \(2,\)"):
        LeastSquares([[1], [2]], [1, 2, 3])
    with pytest.raises(ShapeError, match=r"weights: a negative or non-finite weight"):
        LeastSquares([[1]], [1], weights=[-1])
    with pytest.raises(ShapeError, match=r"cone 'body': 1 matrices F, expected 2"):
        LeastSquares([[1, 1]], [1], cones=(Cone([[1.0]], [[[1.0]]], "body"),))


def test_cone_solver_keeps_what_exact_data_pin_down() -> None:
    """Ten orders of magnitude between two directions, an exact fit, and [[x1, x2], [x2, 1]] ⪰ 0 active: x2 = 1 is measured, so that x1 = 1, not 1/2."""
    form = LeastSquares([[0.0, 1e8], [1e-2, 0.0]], [1e8, 0.5e-2], cones=[Cone([[0, 0], [0, 1]], [[[1, 0], [0, 0]], [[0, 1], [1, 0]]])])
    solution = optid.solve(form, solver="clarabel")
    assert solution.x[1] == pytest.approx(1, abs=1e-9)
    assert solution.x[0] == pytest.approx(1, abs=1e-5)


def test_cone_solver_returns_an_optimum_that_no_constraint_touches() -> None:
    """Equal to plain least squares, to the last digits."""
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(30, 2)) * [1.0, 1e6], rng.normal(size=30)
    cone = Cone(10 * np.eye(2), [[[1, 0], [0, 0]], [[0, 1e6], [1e6, 0]]])
    free = np.linalg.lstsq(a / [1.0, 1e6], b, rcond=None)[0] / [1.0, 1e6]
    np.testing.assert_allclose(optid.solve(LeastSquares(a, b, cones=[cone]), solver="clarabel").x, free, rtol=1e-12)
