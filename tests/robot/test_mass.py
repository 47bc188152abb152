"""Masses from volumes."""

from __future__ import annotations

import pytest

from optid import BaseParameters, DynamicModel, library
from optid.errors import RobotError
from optid.robot import masses_from_volumes


def test_weight_is_shared_in_proportion() -> None:
    """98 kg over volumes 2 : 1 : 1."""
    assert masses_from_volumes(98, [2e6, 1e6, 1e6]) == pytest.approx([49, 24.5, 24.5])


def test_known_columns_of_the_irb140_as_its_source_gives_them() -> None:
    """G21: masses from CAD volumes, J_m from the controller, B_m from similar motors: nine known values, 18 parameters left."""
    model = DynamicModel(library.irb140_lower_arm(), friction="viscous+coulomb", rotor_inertia=True)
    known = dict(zip(("m1", "m2", "m3"), masses_from_volumes(98, [3, 2, 2]), strict=True))
    known |= {f"Ia{j}": 0.5 for j in (1, 2, 3)} | {f"fv{j}": 2.0 for j in (1, 2, 3)}
    base = BaseParameters.of(model, known=tuple(known))
    assert base.rank == 18
    vector = base.known_parameters(known)
    assert vector[model.index("m1")] == pytest.approx(42.0) and vector[model.index("fv2")] == 2.0
    assert (vector != 0).sum() == 9


@pytest.mark.parametrize("total, volumes", [(0, [1]), (98, []), (98, [1, -1]), (98, [0, 0]), (float("nan"), [1])])
def test_refusals(total: float, volumes: list[float]) -> None:
    with pytest.raises(RobotError, match="expected"):
        masses_from_volumes(total, volumes)
