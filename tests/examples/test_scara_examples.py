"""The SCARA examples run as they are, and the number each prints in the end is right."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest


def test_scara_equations(run: Callable[..., str]) -> None:
    """The asymmetry of the printed mass matrix comes first; Ec. 27 is right, and four of the coefficients in the others."""
    pytest.importorskip("sympy")
    said = run("scara_equations")
    assert said.index("M14 - M41 = -Sx4*a1*c2*m4 - Sx4*a2*m4 + Sy4*a1*m4*s2") < said.index("2. Coefficients that are wrong")
    assert "tau4, ddq4: -Sx4**2*m4 - Sy4**2*m4" in said
    assert "tau3" not in said.split("2. Coefficients that are wrong")[1].split("3. ")[0]
    assert said.splitlines()[-1] == "wrong coefficients in the printed equations: 24 of 29"


def test_scara_friction(run: Callable[..., str]) -> None:
    """Twelve intervals of 95 %: ten or more hold the truth with 98 % probability; the wrong inertia is found to 4 standard deviations."""
    said = run("scara_friction")
    found = re.search(r"intervals: (\d+) of 12$", said.strip())
    assert found is not None
    assert int(found[1]) >= 10
    assert re.search(r"known inertia in doubt: mx4 = 0\.049, by the residuals \+(1[6-9]|2[0-4])\.\d%", said)
    assert "no data near zero speed" in said


def test_scara_computed_torque(run: Callable[..., str], tmp_path: Path) -> None:
    """All seven published IAEs of trajectory 1 within 1 %; both trajectories drawn with their zooms."""
    said = run("scara_computed_torque")
    worst = re.search(r"published IAEs: ([\d.]+)%$", said.strip())
    assert worst is not None
    assert float(worst[1]) < 1.0
    assert "The published column cannot be right" in said
    assert sorted(path.name for path in tmp_path.iterdir()) == ["scara_computed_torque.png", "scara_computed_torque_2.png"]


def test_scara_control_laws(run: Callable[..., str]) -> None:
    """The predictive controller, which alone looks ahead, follows best and solves every sample; a model 35 % too large is told in its own table."""
    said = run("scara_control_laws")
    left = re.search(r"left by the best law, predictive: ([\d.]+)% of PD \+ gravity$", said.strip())
    assert left is not None and float(left[1]) < 50
    assert "left unsolved: 0 of 201" in said and "1. Parameters +35 %" in said
