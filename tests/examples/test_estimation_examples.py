"""The examples on estimation run as they are, and the numbers they print last are right."""

from __future__ import annotations

import re
from collections.abc import Callable


def percents(line: str) -> list[float]:
    return [float(number) for number in re.findall(r"([\d.]+)%", line)]


def test_physically_consistent(run: Callable[..., str]) -> None:
    """No link fails after the physical fit, no posture has a bad mass matrix, and another motion is predicted at least twice as well."""
    said = run("physically_consistent")
    assert re.search(r"cannot exist, least squares: link\d, ", said)
    assert "physical fit:  none\n" in said
    assert "physical fit: 0.0% of 10 000 postures" in said
    plain, physical = percents(said.strip().splitlines()[-1])
    assert physical < 0.5 * plain
    weights = re.findall(r"link 3 weighs ([\d.]+) kg", said)
    assert len(weights) == 2 and weights[0] == weights[1]


def test_prior_and_damping(run: Callable[..., str]) -> None:
    """Every rule beats least squares on the other motion by a factor of four."""
    said = run("prior_and_damping")
    rows = {line[:18].strip(): percents(line) for line in said.splitlines()[1:8]}
    assert len(rows) == 7
    plain = rows.pop("least squares")[2]
    assert all(row[2] < plain / 4 for row in rows.values())


def test_payload(run: Callable[..., str]) -> None:
    """The interval of the mass holds 1.5 kg; static poses leave the six inertias open; the mass alone fixes the gains of joints 1 to 3 within 3 %."""
    said = run("payload")
    last = re.search(r"mass ([\d.]+) kg, 95 % interval ([\d.]+) to ([\d.]+), truth 1.5 kg$", said.strip())
    assert last is not None and float(last[2]) <= 1.5 <= float(last[3]) and abs(float(last[1]) - 1.5) < 0.01
    assert said.count("does not act") == 6
    for joint, gain in (("shoulder_pan", 12), ("shoulder_lift", 12), ("elbow", 11)):
        found = re.search(rf"^{joint}\s+([\d.]+)", said, re.MULTILINE)
        assert found is not None and abs(float(found[1]) / gain - 1) < 0.03


def test_every_estimator(run: Callable[..., str]) -> None:
    """Each estimator that knows of the fault is at least twice as good as least squares on another motion, the essential set about as good."""
    rows = [(line[:24].strip(), line[24:38].strip(), float(line[38:].split()[0])) for line in run("every_estimator").splitlines()]
    plain = {fault: found for fault, method, found in rows if method == "wls"}
    others = [row for row in rows if row[1] not in ("wls", "power model")]
    methods = ["gls", "huber", "essential", "damped", "constrained", "tls", "iv", "didim", "output_error"]
    assert len(plain) == 5 and [method for _, method, _ in others] == methods
    for fault, method, found in others:
        assert found < (1.5 if method == "essential" else 0.5) * plain[fault], method
    assert rows[-1][1] == "power model" and rows[-1][2] < 0.6
