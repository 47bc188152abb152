"""Forms judge points by themselves; reductions keep values and say what they lose."""

from __future__ import annotations

import pickle

import casadi as ca
import numpy as np
import pytest

import optid
from optid.errors import LimitsError, ShapeError, UnsuitableSolverError
from optid.problems import BlackBox, Cone, LeastSquares, Nlp, Problem, Residuals
from optid.problems.reductions import reduce


def constrained() -> LeastSquares:
    rng = np.random.default_rng(0)
    return LeastSquares(rng.normal(size=(9, 3)), rng.normal(size=9), weights=rng.random(9), lower=-1, upper=1, A_in=[[1, 2, 3]], b_in=[0.5])


@pytest.mark.parametrize("target", [Nlp, BlackBox])
def test_reductions_keep_value_and_feasibility(target: type) -> None:
    form = constrained()
    weaker = reduce(form, target)
    rng = np.random.default_rng(1)
    constant = form.evaluate(np.zeros(3))[0] - weaker.form.evaluate(np.zeros(3))[0]
    assert abs(constant) < 1e-12
    for x in rng.uniform(-1.2, 1.2, (20, 3)):
        value, violation = form.evaluate(x)
        other, other_violation = weaker.form.evaluate(x)
        assert other == pytest.approx(value)
        assert other_violation == pytest.approx(violation)
    assert weaker.loses[0].startswith("LeastSquares → Nlp loses the rank decision")
    assert len(weaker.loses) == (1 if target is Nlp else 2)


def test_solution_says_what_was_lost() -> None:
    solution = optid.solve(constrained(), solver="nelder_mead")
    assert solution.loses[-1] == "Nlp → BlackBox loses derivatives, multipliers; constraints become one implicit violation"
    assert solution.fun == pytest.approx(optid.solve(constrained(), solver="qp").fun, rel=1e-3)
    assert optid.solve(constrained(), solver="qp").loses == ()


@pytest.mark.parametrize(
    ("form", "target", "reason"),
    [
        (BlackBox(lambda x: 0.0, lower=[0], upper=[1]), Nlp, "a black box has no expressions to differentiate"),
        (Residuals(lambda x: x, x0=[0.0]), Nlp, "residuals that are only computed have no expressions"),
    ],
)
def test_there_is_no_way_upwards(form: object, target: type, reason: str) -> None:
    with pytest.raises(UnsuitableSolverError, match=reason):
        reduce(form, target)  # type: ignore[arg-type]


def test_nlp_is_not_a_sum_of_squares() -> None:
    x = ca.SX.sym("x")
    with pytest.raises(UnsuitableSolverError, match="an objective is not a sum of squares in general"):
        reduce(Nlp(x, x), Residuals)


def test_violations_are_in_the_units_of_the_constraint() -> None:
    form = LeastSquares(np.eye(2), [0, 0], lower=[0, 0], A_eq=[[1, 1]], b_eq=[1], cones=(Cone([[1.0]], [[[-1.0]], [[0.0]]]),))
    assert form.evaluate(np.array([0.5, 0.5]))[1] == 0.0
    assert form.evaluate(np.array([-0.25, 1.25]))[1] == 0.25
    assert form.evaluate(np.array([1.5, -0.5]))[1] == 0.5
    assert form.evaluate(np.array([3.0, -2.0]))[1] == 2.0
    assert np.isnan(form.evaluate(np.array([np.nan, 0.0]))[1])


def test_nlp_names_the_worst_constraints() -> None:
    x = ca.SX.sym("x", 2)
    form = Nlp(x, x[0], g=ca.vertcat(x[0] + x[1], x[0]), lbg=[3, -1], ubg=[4, 1], lbx=0, names=("q1", "q2"), constraint_names=("reach", "speed"))
    assert form.violated(np.array([-0.5, 0.0]), 1e-6) == [("reach", 3.5), ("q1", 0.5)]


@pytest.mark.parametrize("kind", [ca.SX, ca.MX])
def test_nlp_travels(kind: type) -> None:
    """C87: symbols do not pickle, the problem does."""
    x = kind.sym("x", 2)  # type: ignore[attr-defined]
    form = Nlp(x, ca.sumsqr(x - 1), g=x[0], lbg=2, ubg=3, x0=[0, 0], names=("a", "b"))
    copy = pickle.loads(pickle.dumps(form))
    assert copy.evaluate(np.array([2.0, 1.0])) == form.evaluate(np.array([2.0, 1.0])) == (1.0, 0.0)
    assert copy.names == ("a", "b")
    np.testing.assert_allclose(optid.solve(copy).x, [2, 1], atol=1e-6)


def test_forms_are_problems() -> None:
    form = constrained()
    assert isinstance(form, Problem)
    assert form.form() is form


def test_scales_do_not_change_the_answer() -> None:
    """Badly scaled by nature (1e5 beside 1e-3): all solvers with derivatives agree when the scales are given."""
    x = ca.SX.sym("x", 2)
    form = Nlp(
        x, (x[0] / 1e5 - 0.7) ** 2 + (x[1] / 1e-3 - 0.6) ** 2 + x[0] * x[1] / 1e3 * (1 + x[0] / 1e5), lbx=0, ubx=[1e5, 1e-3], x0=[1e4, 9e-4], scales=[1e5, 1e-3]
    )
    found = {name: optid.solve(form, solver=name) for name in ("ipopt", "sqp", "slsqp", "trust_constr")}
    for solution in found.values():
        np.testing.assert_allclose(solution.x / [1e5, 1e-3], found["ipopt"].x / [1e5, 1e-3], atol=1e-4)


def test_messages_of_wrong_input() -> None:
    x = ca.SX.sym("x", 2)
    y = ca.SX.sym("y")
    with pytest.raises(ShapeError, match=r"objective f of the Nlp: shape \(2, 1\), expected a scalar"):
        Nlp(x, x)
    with pytest.raises(ShapeError, match="symbols other than x"):
        optid.solve(Nlp(x, x[0] + y))
    with pytest.raises(LimitsError, match="bounds of 'g0': lower 1, upper 0"):
        Nlp(x, x[0], g=x[1], lbg=1, ubg=0)
    with pytest.raises(ShapeError, match="x of the Nlp"):
        Nlp(x[0] + 1, x[0])
    with pytest.raises(LimitsError, match=r"integer bounds of 'x0': \[0.2, 0.8\], expected a whole number in between"):
        BlackBox(lambda x: 0.0, lower=[0.2], upper=[0.8], integer=True)
    with pytest.raises(LimitsError, match="lower bound of 'x0' on a logarithmic scale: 0"):
        BlackBox(lambda x: 0.0, lower=[0], upper=[1], log=True)
    with pytest.raises(ShapeError, match="black box: neither bounds nor x0"):
        BlackBox(lambda x: 0.0)
    with pytest.raises(UnsuitableSolverError, match=r"2 numbers, expected one number\. Pose a vector of numbers as Residuals"):
        optid.solve(BlackBox(lambda x: np.ones(2), lower=[0], upper=[1]), solver="random")
    with pytest.raises(UnsuitableSolverError, match="problem: list, expected an object with form"):
        optid.solve([1, 2])
