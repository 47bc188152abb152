"""The SCARA examples run as they are, and the number each prints in the end is right."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def output(name: str, *arguments: object) -> str:
    """What an example prints; warnings are errors."""
    command = [sys.executable, "-W", "error", str(EXAMPLES / name), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, "OMP_NUM_THREADS": "1"})
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_scara_equations() -> None:
    """The asymmetry of the printed mass matrix comes first; Ec. 27 is right, and four of the coefficients in the others."""
    pytest.importorskip("sympy")
    said = output("scara_equations.py")
    assert said.index("M14 - M41 = -Sx4*a1*c2*m4 - Sx4*a2*m4 + Sy4*a1*m4*s2") < said.index("2. Coefficients that are wrong")
    assert "tau4, ddq4: -Sx4**2*m4 - Sy4**2*m4" in said
    assert "tau3" not in said.split("2. Coefficients that are wrong")[1].split("3. ")[0]
    assert said.splitlines()[-1] == "wrong coefficients in the printed equations: 24 of 29"


def test_scara_friction(tmp_path: Path) -> None:
    """Twelve intervals of 95 %: ten or more hold the truth with 98 % probability; the wrong inertia is found to 4 standard deviations."""
    pytest.importorskip("matplotlib")
    said = output("scara_friction.py", tmp_path)
    found = re.search(r"intervals: (\d+) of 12$", said.strip())
    assert found is not None
    assert int(found[1]) >= 10
    assert re.search(r"known inertia in doubt: mx4 = 0\.049, by the residuals \+(1[6-9]|2[0-4])\.\d%", said)
    assert "no data near zero speed" in said
    assert sorted(path.name for path in tmp_path.iterdir()) == ["scara_spectra.png", "scara_torque.png"]


@pytest.mark.slow
def test_scara_computed_torque(tmp_path: Path) -> None:
    """All seven published IAEs of trajectory 1 within 1 %; both trajectories drawn with their zooms."""
    pytest.importorskip("matplotlib")
    said = output("scara_computed_torque.py", tmp_path)
    worst = re.search(r"published IAEs: ([\d.]+)%$", said.strip())
    assert worst is not None
    assert float(worst[1]) < 1.0
    assert "The published column cannot be right" in said
    assert sorted(path.name for path in tmp_path.iterdir()) == ["scara_trajectory_1.png", "scara_trajectory_2.png"]
