"""Wrong calls of the symbolic export, and the size up to which LaTeX expands by itself."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from optid import DynamicModel, library
from optid.errors import DataError, OptidError, RankError, UnknownNameError
from optid.export import Equations, expanded, grouped_parameters, to_c, to_latex, to_text
from optid.export.statements import tape_of

MODEL = DynamicModel(library.planar_2r(), "none")
EQUATIONS = Equations(MODEL)
SCARA = DynamicModel(library.scara_v08(), ("viscous", "coulomb"), rotor_inertia=True)

Case = tuple[Callable[[], Any], type[OptidError], str]

CASES: list[Case] = [
    (lambda: to_text(MODEL), DataError, "equations to export: a DynamicModel, expected an Equations. Make them: Equations(model)"),
    (lambda: to_latex(MODEL), DataError, "equations to export: a DynamicModel"),
    (lambda: to_c(MODEL), DataError, "equations to export: a DynamicModel"),
    (lambda: expanded(MODEL, "gravity"), DataError, "equations to export: a DynamicModel"),
    (lambda: to_latex(EQUATIONS, "gravitation"), UnknownNameError, "part of the equations 'gravitation': unknown name"),
    (lambda: Equations(library.planar_2r()), DataError, "model of the equations: a Robot, expected a DynamicModel. Make one: DynamicModel(robot)"),
    (lambda: grouped_parameters(SCARA, {"ZZ1R": np.nan}), DataError, "ZZ1R of a table of robot"),
    (lambda: grouped_parameters(SCARA, {"ZZ1R": "3.38"}), DataError, "'3.38', expected a finite number"),
    (lambda: grouped_parameters(library.scara_v08(), {"ZZ1R": 3.38}), DataError, "model of a table: a Robot"),
    (lambda: grouped_parameters(SCARA, {"ZZ1R": 3.38, "XX1": 1.0}), RankError, "XX1, which no motion reveals"),
]


@pytest.mark.parametrize("case", CASES)
def test_a_wrong_call_is_answered_by_one_sentence(case: Case) -> None:
    call, kind, message = case
    with pytest.raises(kind, match=re.escape(message)):
        call()


def test_one_part_needs_no_list() -> None:
    assert to_text(EQUATIONS, "gravity") == to_text(EQUATIONS, ["gravity"])


def test_latex_expands_by_itself_what_somebody_reads() -> None:
    """A SCARA's equations expand; of a six-axis arm's only the gravity does: its mass matrix is statements, one for what is used twice."""
    pytest.importorskip("sympy")
    scara = Equations(DynamicModel(library.scara_er14(), "none"))
    assert to_latex(scara) == to_latex(scara, expand=True)
    long = Equations(DynamicModel(library.ur5(), "none"))
    assert {part: len(tape_of(long.function(part)).steps) > 500 for part in ("mass_matrix", "coriolis", "gravity")} == {
        "mass_matrix": True,
        "coriolis": True,
        "gravity": False,
    }
    assert to_latex(long, "mass_matrix") == to_latex(long, "mass_matrix", expand=False)
    assert to_latex(long, "gravity") == to_latex(long, "gravity", expand=True)
    assert r"t_{1} &= " in to_latex(long, "mass_matrix")
