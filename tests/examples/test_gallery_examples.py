"""The gallery's own examples run as they are, and the numbers they print last are right."""

from __future__ import annotations

import re
from collections.abc import Callable


def test_batch_of_recordings(run: Callable[..., str]) -> None:
    """The file that was cut off is left out; friction grows by 30 % over the month, which single days tell to half a percent."""
    said = run("batch_of_recordings")
    assert "7 of 8 files; left out: " in said and "day_04.h5: cut short" in said
    grown = re.search(r"last day over first: ([\d.]+) % more$", said.strip())
    assert grown is not None and abs(float(grown[1]) - 30) < 1.5


def test_robot_from_dh(run: Callable[..., str]) -> None:
    """Zero posture by hand: x = 0.07 + 0.38, z = 0.35 + 0.36; TOML and URDF read back to the same torque."""
    said = run("robot_from_dh")
    assert re.search(r"zero +tool at \[0\.45 +-?0\. +0\.71\]", said)
    assert re.search(r"stretched +tool at \[0\.81 +-?0\. +0\.35\]", said)
    assert float(said.split()[-3]) < 1e-11


def test_custom_solver(run: Callable[..., str]) -> None:
    """The contract holds (the script asks), and Rosenbrock's minimum, 0, is found to 0.01."""
    found = re.fullmatch(r"minimum found by it: (\S+)", run("custom_solver").splitlines()[-1])
    assert found is not None and 0 <= float(found[1]) < 0.01


def test_custom_problem(run: Callable[..., str]) -> None:
    """Four solvers take the program; each finds less torque than an arbitrary posture needs."""
    said = run("custom_problem")
    assert [line.split()[0] for line in said.splitlines()[:-1]] == ["ipopt", "slsqp", "sqp", "trust_constr"]
    left = re.fullmatch(r"torque left: ([\d.]+)%", said.splitlines()[-1])
    assert left is not None and float(left[1]) < 75


def test_campaign(run: Callable[..., str]) -> None:
    """Design first, then everything; what is left of the unseen log is its noise, 0.3 N m rms (1.5 % of its torque), to a tenth of it."""
    said = run("campaign").splitlines()
    assert said[0].split() == ["design", "up", "to", "date"] and [line.split()[0] for line in said[1:4]] == [
        "import:afternoon",
        "identify:wls",
        "identify:huber",
    ]
    assert re.search(r"worst elbow: 0\.(29|30|31)\d* N m rms", said[-2]) and said[-2].endswith("All 10 base parameters are determined.")
    left = re.fullmatch(r"(?:wls|huber|physical) on the other motion: ([\d.]+) % of the torque unexplained, noise included", said[-1])
    assert left is not None and abs(float(left[1]) - 1.5) < 0.15
