"""Plain mistakes in the arguments of a solve: one sentence of optid's own."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import fields
from typing import Any

import numpy as np
import pytest

import optid
from optid.errors import UnsuitableSolverError
from optid.problems import BlackBoxProblem, Regression
from optid.solvers.registry import solver_class

LINE = Regression(np.arange(1.0, 9.0)[:, None], 2 * np.arange(1.0, 9.0), ("slope",))
WRONG: Any = 3

MISUSE: dict[str, tuple[Callable[[], object], str]] = {
    "solver": (lambda: optid.solve(LINE, solver=5), r"solver: 5, expected a name of optid.available_solvers\(\), or a solver object"),
    "list": (lambda: optid.solve(LINE, solver=["lstsq"]), r"solver: \['lstsq'\], expected a name"),
    "class": (lambda: optid.solve(LINE, solver=int), "solver: <class 'int'>, expected a name"),
    "problem": (lambda: optid.available_solvers(WRONG), r"problem: int, expected an object with form\(\) and interpret\(solution\)"),
    "negative seed": (lambda: optid.solve(LINE, seed=-1), "seed: -1, expected a whole number ≥ 0"),
    "seed": (lambda: optid.solve(LINE, seed=1.5), "seed: 1.5, expected a whole number ≥ 0"),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("case", MISUSE)
def test_misuse_is_named(case: str) -> None:
    call, message = MISUSE[case]
    with pytest.raises(UnsuitableSolverError, match=message):
        call()


SEARCHES = ("bayesian", "complex_box", "grid", "nelder_mead", "nevergrad", "random", "secant")
ABOVE = {"batch", "candidates", "directions", "initial", "max_evaluations", "max_points", "max_step", "patience", "points", "reflection", "retreat", "spread"}
WRONG_VALUES = (float("nan"), float("inf"), -1, "x", 1j, [1, 2], True)


@pytest.mark.parametrize(
    ("name", "option", "value"),
    [
        (name, field.name, value)
        for name in SEARCHES
        for field in fields(solver_class(name))
        for value in (*WRONG_VALUES, *((0,) if field.name in ABOVE else ()), *((0.5,) if str(field.type).startswith("int") else ()))
        if str(field.type).partition(" ")[0] in ("int", "float")
    ],
)
def test_options_of_searches_are_checked(name: str, option: str, value: object) -> None:
    """A batch of 0 would never end a random search, and let a grid claim that it has seen every point."""
    with pytest.raises(UnsuitableSolverError, match=f"^option {option} of solver '{name}': {re.escape(repr(value))}, expected a "):
        solver_class(name)(**{option: value})


@pytest.mark.parametrize("name", SEARCHES)
def test_defaults_are_taken(name: str) -> None:
    solver = solver_class(name)()
    assert type(solver)(**{field.name: getattr(solver, field.name) for field in fields(solver)}) == solver


def test_log_values_is_a_truth_value() -> None:
    with pytest.raises(UnsuitableSolverError, match="option log_values of solver 'bayesian': 'no', expected True or False"):
        optid.solve(BlackBoxProblem(lambda x: 0.0, lower=[0], upper=[1]), solver="bayesian", log_values="no")
