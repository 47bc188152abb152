"""Plain mistakes in the arguments of a solve: one sentence of optid's own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import optid
from optid.errors import UnsuitableSolverError
from optid.problems import Regression

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
