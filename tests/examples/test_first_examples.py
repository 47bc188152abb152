"""The examples run as they are, and the number each prints in the end is right."""

from __future__ import annotations

import re
from collections.abc import Callable


def test_base_parameters(run: Callable[..., str]) -> None:
    """C24: SCARA 8, UR5 36, Panda 43; G21: 18 with its known parameters, and its grouping of Ixz2."""
    said = run("base_parameters")
    assert said.splitlines()[-1] == "base parameters: SCARA 8, IRB140 18, UR5 36, Panda 43"
    assert "   Ixz2 - 0.36*mz2 - 0.36*mz3\n" in said


def test_identify_irb140(run: Callable[..., str]) -> None:
    """18 intervals of 95 %: 14 or more hold the truth with a probability of 99.9 %."""
    said = run("identify_irb140")
    inside = re.search(r"intervals: (\d+) of 18$", said.strip())
    assert inside is not None and int(inside[1]) >= 14
    error = re.search(r"error ([\d.]+)% of the torque", said)
    assert error is not None and float(error[1]) < 1.2


def test_identify_from_urdf(run: Callable[..., str]) -> None:
    """Central differences of step h err by ω²h²/6 in the first derivative: 4e-5 of it at 0.5 Hz and 200 Hz; parameters follow."""
    said = run("identify_from_urdf")
    error = re.search(r"largest error of a base parameter: (\S+)$", said.strip())
    assert error is not None and float(error[1]) < 2e-4
    assert "10 base parameters of 24" in said


def test_identify_recording(run: Callable[..., str]) -> None:
    """Noise of 0.05 N m on a torque of 4.4 N m rms: 1.1 % of unavoidable error, and the pendulum's parameters within half a percent."""
    said = run("identify_recording")
    error = re.search(r"against raw torque: ([\d.]+)%$", said.strip())
    assert error is not None and 1.0 < float(error[1]) < 1.25
    for name, value in (("mx1", 0.5), ("Izz1", 0.3), ("fv1", 0.4), ("fc1", 0.7)):
        found = re.search(rf"^{name}\s+(\S+)", said, re.MULTILINE)
        assert found is not None and abs(float(found[1]) / value - 1) < 0.005
