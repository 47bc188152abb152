"""The SCARA examples run as they are, and the number each prints in the end is right."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from optid.control.valencia import PUBLISHED


def test_scara_equations(run: Callable[..., str]) -> None:
    """The closed form is the recursion to rounding; of the printed one, the asymmetric mass matrix comes first, and only Ec. 27 is right."""
    pytest.importorskip("sympy")
    said = run("scara_equations")
    assert said.index("M14 - M41 = -Sx4*a1*c2*m4 - Sx4*a2*m4 + Sy4*a1*m4*s2") < said.index("2. 24 coefficients are wrong")
    faults = said.split("2. 24 coefficients are wrong")[1]
    assert "tau4: ddq1, ddq2, ddq4, dq1**2, dq2**2, dq1*dq2\n" in faults
    assert "tau3" not in faults
    assert "M44 = Izz4" in said and "scara.c:" in said and "scara.tex:" in said
    worst = re.search(r"recursion in 100 random states: ([\d.e-]+) N m$", said.strip())
    assert worst is not None
    assert float(worst[1]) < 1e-12


def test_scara_printed_faults(run: Callable[..., str]) -> None:
    """The asymmetry of the printed mass matrix comes first; Ec. 27 is right, and nothing else that is there."""
    pytest.importorskip("sympy")
    said = run("scara_printed_faults")
    assert said.index("M14 - M41 = -Sx4*a1*c2*m4 - Sx4*a2*m4 + Sy4*a1*m4*s2") < said.index("2. Coefficients that are wrong")
    assert "tau4, ddq4: -Sx4**2*m4 - Sy4**2*m4" in said
    assert "tau3" not in said.split("2. Coefficients that are wrong")[1].split("3. ")[0]
    assert re.findall(r"tau\d, [^:]*", said.split("3. Coefficients that are right")[1]) == ["tau3, ddq3", "tau3, 1"]
    assert said.splitlines()[-1] == "wrong coefficients in the printed equations: 24 of 26"


def test_scara_friction(run: Callable[..., str]) -> None:
    """Twelve intervals of 95 %: ten or more hold the truth with 98 % probability; the wrong inertia is found to 4 standard deviations."""
    said = run("scara_friction")
    found = re.search(r"intervals: (\d+) of 12$", said.strip())
    assert found is not None
    assert int(found[1]) >= 10
    assert re.search(r"known inertia in doubt: mx4 = 0\.049, by the residuals \+(1[6-9]|2[0-4])\.\d%", said)
    assert "no data near zero speed" in said


def columns(said: str, title: str) -> dict[str, list[float]]:
    """The rows of a table that the examples print: name, published value and those found."""
    rows = re.findall(r"^   ((?:IAE \w+|\w+ at \d+ ms)) +((?:-?\d\.\d+e[+-]\d+ *)+)$", said.split(title)[1], re.MULTILINE)
    return {name: [float(value) for value in values.split()] for name, values in rows}


def test_scara_computed_torque(run: Callable[..., str], tmp_path: Path) -> None:
    """All seven published IAEs of trajectory 1 within 1 %, the peaks at 4 ms within 0.1 %; both trajectories drawn with their zooms."""
    said = run("scara_computed_torque")
    worst = re.search(r"published IAEs: ([\d.]+)%$", said.strip())
    assert worst is not None
    assert float(worst[1]) < 1.0
    first = columns(said.split("2. Trajectory 2")[0], "1. Trajectory 1")
    for name in ("IAE q1", "IAE q2", "IAE q3", "IAE q4", "IAE x", "IAE y", "IAE z"):
        assert first[name][1] == pytest.approx(PUBLISHED[1][name], rel=0.01)
    for name in ("q1 at 4 ms", "q2 at 4 ms", "x at 4 ms"):
        assert first[name][1] == pytest.approx(PUBLISHED[1][name], rel=1e-3)
    assert {name: row[0] for name, row in first.items()} == pytest.approx(dict(PUBLISHED[1]), rel=1e-4)

    second = columns(said, "2. Trajectory 2")
    assert {name: row[0] for name, row in second.items()} == pytest.approx(dict(PUBLISHED[2]), rel=1e-4)
    assert max(row[1] for name, row in second.items() if name.startswith("IAE")) < 1e-4
    assert "The published column cannot be right" in said
    assert sorted(path.name for path in tmp_path.iterdir()) == ["scara_computed_torque.png", "scara_computed_torque_2.png"]


def test_scara_written_law(run: Callable[..., str]) -> None:
    """Continuous: q1 and q2 below 2e-5, z below 2e-4, against 5e-5 and 7e-3 published; with the right start nothing is left."""
    said = run("scara_written_law")
    found = columns(said, "Trajectory 1")
    assert found["IAE q1"][-1] < 2e-5 and found["IAE q2"][-1] < 2e-5 and found["IAE z"][-1] < 2e-4
    assert found["IAE z"][0] == PUBLISHED[1]["IAE z"]
    assert found["IAE z"][1] == pytest.approx(PUBLISHED[1]["IAE z"], rel=0.01)
    left = re.search(r"right speed: ([\d.e-]+) rad \(m along z\)$", said.strip())
    assert left is not None
    assert float(left[1]) < 1e-11


def test_scara_control_laws(run: Callable[..., str]) -> None:
    """The predictive controller, which alone looks ahead, follows best and solves every sample; a model 35 % too large is told in its own table."""
    said = run("scara_control_laws")
    left = re.search(r"left by the best law, predictive: ([\d.]+)% of PD \+ gravity$", said.strip())
    assert left is not None and float(left[1]) < 50
    assert "left unsolved: 0 of 201" in said and "1. Parameters +35 %" in said
