"""The examples on intervals, bias, friction and on-line identification run as they are, and the numbers they print are right."""

from __future__ import annotations

import re
from collections.abc import Callable


def test_honest_intervals(run: Callable[..., str]) -> None:
    """40 runs of 18 parameters: plain intervals hold the truth in fewer than half, consistent ones and the bootstrap in 92 to 98 %."""
    said = run("honest_intervals")
    share = {kind: float(value) for kind, value in re.findall(r"intervals, (\w+): hold the truth in ([\d.]+) %", said)}
    assert share["white"] < 50
    assert 92 < share["consistent"] < 98 and 92 < share["bootstrap"] < 98
    assert "correlated in time: intervals for white ones are wrong" in said


def test_closed_loop_bias(run: Callable[..., str]) -> None:
    """Ten times the encoder's noise: least squares more than three standard deviations off, instrumental variables less than 1.3."""
    said = run("closed_loop_bias")
    found = re.search(r"least squares ([\d.]+), instrumental variables ([\d.]+)$", said.strip())
    assert found is not None and float(found[1]) > 3 and float(found[2]) < 1.3


def test_friction_laws(run: Callable[..., str]) -> None:
    """The laws that made the data win, and fitted together they leave the noise: 0.05 N m."""
    said = run("friction_laws")
    assert said.strip().endswith("laws found: stribeck, tanh")
    left = re.search(r"fitted together: ([\d.]+)% is left", said)
    assert left is not None and float(left[1]) < 0.8


def test_payload_online(run: Callable[..., str]) -> None:
    """1.5 kg within half a percent; five times 6 Hz; 2.613 / (2 pi 30 Hz) = 13.9 ms."""
    said = run("payload_online")
    error = re.search(r"mass error after 30 s: ([\d.]+) %$", said.strip())
    assert error is not None and float(error[1]) < 0.5
    assert "cut-off 30 Hz" in said and "13.9 ms old" in said
