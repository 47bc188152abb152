"""The design examples run as they are, and the numbers each prints in the end are right."""

from __future__ import annotations

import re
from collections.abc import Callable


def last(text: str) -> str:
    return text.strip().splitlines()[-1]


def test_excitation_irb140(run: Callable[..., str]) -> None:
    """G21: the published motion evaluates to 36.743; ours from one start is at 14.2 or below (13.6 from sixteen)."""
    found = re.fullmatch(r"condition number: published ([\d.]+), ours ([\d.]+)", last(run("excitation_irb140")))
    assert found is not None and float(found[1]) == 36.74 and float(found[2]) <= 14.2


def test_excitation_from_urdf(run: Callable[..., str]) -> None:
    found = re.fullmatch(r"condition number ([\d.]+), proven: True", last(run("excitation_from_urdf")))
    assert found is not None and float(found[1]) < 30


def test_sequential_experiments(run: Callable[..., str]) -> None:
    """Knowing the first beats not knowing it, and both beat repeating it."""
    found = re.fullmatch(r"ratios to running it twice: alone ([\d.]+), knowing ([\d.]+)", last(run("sequential_experiments")))
    assert found is not None and float(found[2]) < float(found[1]) < 1


def test_same_problem_every_solver(run: Callable[..., str]) -> None:
    """Every solver takes the start's 44.2 below 10."""
    found = re.fullmatch(r"best: \w+, worst: ([\d.]+)", last(run("same_problem_every_solver")))
    assert found is not None and float(found[1]) < 10


def test_excitation_alternatives(run: Callable[..., str]) -> None:
    """Keeping earlier values fixed multiplies the error, fitting the same data together helps, and neither they nor four effects reach the optimal motion."""
    pattern = r"times the error of the optimal motion: one after another ([\d.]+), the same, fitted together ([\d.]+), by effect, fitted together ([\d.]+)"
    found = re.fullmatch(pattern, last(run("excitation_alternatives")))
    assert found is not None
    chain, together, effects = map(float, found.groups())
    assert chain > 4 * together and together > effects > 1
