"""Every registered solver keeps the contract, and the matrix solver × reference problem."""

from __future__ import annotations

import pytest

from optid.problems.reference import REFERENCES, Reference
from optid.solvers import available_solvers
from optid.testing import check_reference, check_solver

BUDGET = {"bayesian": 20, "nevergrad": 120}


@pytest.mark.parametrize("name", available_solvers())
def test_contract(name: str) -> None:
    check_solver(name, budget=BUDGET.get(name))


@pytest.mark.parametrize("reference", REFERENCES, ids=lambda reference: reference.name)
def test_every_reference_problem_has_a_default_solver(reference: Reference) -> None:
    from optid.solvers.registry import default_solver

    check_reference(default_solver(reference.build()), reference)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(BUDGET))
def test_contract_with_the_default_budget(name: str) -> None:
    check_solver(name)
