"""Constrained solvers with objectives in any unit: the answer is the same point."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

import optid
from optid.problems.forms import Nlp
from optid.solvers.registry import available_solvers, solver_class


def post_office(unit: float, x0: np.ndarray) -> Nlp:
    """max x1 x2 x3 with x1 + 2 x2 + 2 x3 ≤ 72 and 0 ≤ x ≤ 42: 3456 at (24, 12, 12) (Rosenbrock 1960)."""
    x = ca.SX.sym("x", 3)
    return Nlp(x, -unit * x[0] * x[1] * x[2], x[0] + 2 * x[1] + 2 * x[2], np.zeros(3), np.full(3, 42.0), np.zeros(1), np.full(1, 72.0), x0)


SOLVERS = tuple(name for name in available_solvers(post_office(1.0, np.ones(3))) if not solver_class(name).search)


def test_solvers_are_all_there() -> None:
    assert {"ipopt", "slsqp", "sqp", "trust_constr"} <= set(SOLVERS)


@pytest.mark.parametrize("name", SOLVERS)
@pytest.mark.parametrize("unit", [1e-3, 1.0, 1e6])
def test_the_unit_of_the_objective_does_not_matter(name: str, unit: float) -> None:
    """From random starts; SLSQP's own tolerance is absolute, and without a unit of its own it misses the optimum of one large objective in seven."""
    rng = np.random.default_rng(0)
    for _ in range(3 if name == "trust_constr" else 10):
        solution = optid.solve(post_office(unit, rng.uniform(1, 20, 3)), solver=name)
        assert solution.x == pytest.approx([24, 12, 12], abs=2e-3)
        assert solution.fun == pytest.approx(-3456 * unit, rel=1e-6)
