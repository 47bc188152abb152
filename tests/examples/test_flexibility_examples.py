"""The examples on elastic joints and the Complex method run as they are, and the number each prints in the end is right."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np


def test_robot_in_the_loop(run: Callable[..., str], tmp_path: Path) -> None:
    """The optimum within 3 %, although the robot was killed; started again on the same folder it has nothing left to do."""
    said = run("robot_in_the_loop", str(tmp_path))
    best = re.search(r"best safe Υ: (\d+), (\d+) %", said)
    assert best is not None and abs(int(best[1]) - 94) <= 3 and abs(int(best[2]) - 107) <= 3
    assert "the robot was killed and is started again" in said
    again = run("robot_in_the_loop", str(tmp_path))
    assert again.splitlines()[0].startswith("going on with") and again.splitlines()[-1] == said.splitlines()[-1]


def test_complex_method(run: Callable[..., str]) -> None:
    """Published hit rate on Rosenbrock (about 0.98)."""
    assert float(run("complex_method").split()[-1]) >= 0.9


def test_complex_constraints(run: Callable[..., str]) -> None:
    """The known optima of Box B and the Post Office to 0.1 %."""
    said = run("complex_constraints")
    for title, value in (("Box's problem B", 1.0), ("Post Office", 3456.0)):
        found = re.search(rf"{title}: (\S+) at", said)
        assert found is not None and abs(float(found[1]) / value - 1) < 1e-3
    assert float(said.split()[-1]) < 1e-3


def test_flexibility_tuning(run: Callable[..., str]) -> None:
    """The recommended search leaves less than a tenth of Λ."""
    assert float(run("flexibility_tuning").split()[-1].rstrip("%")) < 10


def test_flexibility_shapers(run: Callable[..., str]) -> None:
    """The move becomes longer by half a period of each of the two modes with ZV, by a whole one with ZVD, which leaves less."""
    said = run("flexibility_shapers")
    move = {kind: float(value) for kind, value in re.findall(r"shaper (\w+)\s+move of ([\d.]+) s", said)}
    assert abs((move["ZVD"] - move["none"]) / (move["ZV"] - move["none"]) - 2) < 0.02
    size = {kind: float(value) for kind, value in re.findall(r"shaper (\w+) .* ([\d.]+)% of", said)}
    assert size["ZVD"] < size["ZV"] / 4 < 0.25 * 100
    assert float(said.split()[-1].rstrip("%")) == size["ZVD"] < 3


def test_flexibility_response(run: Callable[..., str]) -> None:
    """Resonances lie above the antiresonances (a two-mass system's always do); stiffnesses are found within 2 %; the best motion shows the weakest combination
    most."""
    said = run("flexibility_response")
    for line in said.splitlines()[:3]:
        first, second = (list(map(float, part.split())) for part in re.findall(r"\[([^\]]*)\]", line))
        assert all(high > low for high, low in zip(sorted(first), sorted(second), strict=True))
    weakest = {name.strip(): float(value) for name, value in re.findall(r"stretched (.{9}) weakest combination of Υ ([\d.]+)", said)}
    for value, low, high in re.findall(r"stiffness (\S+) N m/rad, 95 % interval (\S+) to (\S+), true 7e\+05", said):
        assert abs(float(value) / 7e5 - 1) < 0.02 and float(low) < 7e5 < float(high)
    # (M⁻¹ + (Nᵀ Jm N)⁻¹) K of both arms, N = diag(150, 130) C⁻¹
    M = np.array([[631.0625, 146.0], [146.0, 146.0]])
    for C, printed in zip((np.eye(2), np.array([[1, 0], [-1, 1]])), re.findall(r"\[([\d. ]+)\]", said[said.index("lying:") :])[:2], strict=True):
        N = np.diag([150, 130]) @ np.linalg.inv(C)
        values = np.linalg.eigvals((np.linalg.inv(M) + np.linalg.inv(0.015 * N.T @ N)) * 7e5)
        assert np.allclose(list(map(float, printed.split())), np.sort(np.sqrt(values)) / (2 * np.pi), atol=0.006)
    assert said.count("true 7e+05") == 2 and "3. tune joint3: move joint2, joint3 at" in said
    best = re.search(r"best motion at the stretched posture: (.+), valley", said)
    assert best is not None and weakest[best[1]] == max(weakest.values())


def test_flexibility_surfaces(run: Callable[..., str]) -> None:
    """20 of the 24 shapes."""
    assert run("flexibility_surfaces").splitlines()[-1] == "shapes of table 4.1 reproduced: 20 of 24"
