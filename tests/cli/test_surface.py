"""``optid tune surface``: the minimum, the valley and the picture of a simulated robot."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from optid.cli.app import app


def run(*arguments: str, code: int = 0) -> str:
    result = CliRunner().invoke(app, ["tune", "surface", *arguments])
    assert result.exit_code == code, result.output
    return result.output


def test_surface(tmp_path: Path) -> None:
    """Set A, zero posture, "+-": with q3 = 0 Υ2 alone decides (J23 = J33); the individual's optimum on the grid is found, and drawn."""
    where = ["--direction", "+-", "--step", "10"]
    picture = tmp_path / "s.png"
    found = json.loads(run(*where, "--optimum", "90", "110", "--json", "--plot", str(picture)))
    assert picture.read_bytes().startswith(b"\x89PNG") and picture.stat().st_size > 30_000
    assert found["torque"]["minimum"][0] == 90.0 and found["path"]["minimum"] == [90.0, 110.0]
    assert found["torque"]["shape"] == "c" and found["torque"]["condition"] > 500 and abs(found["torque"]["angle"]) < 2
    assert found["grid"] == [80.0, 90.0, 100.0, 110.0, 120.0] and found["cutoff"] == 60.0 and 0.24 < found["start"] < 0.27
    values = found["torque"]["values"]
    assert min(map(min, values)) == found["torque"]["smallest"] and len(values) == len(values[0]) == 5
    said = run(*where)
    assert "zero posture, +-, short move" in said and "Λ [N m]" in said and "T = 0.2" in said


@pytest.mark.slow
def test_table_of_shapes() -> None:
    """Table 4.1: 20 of 24 cells."""
    said = run("--table")
    assert "20 of 24 as in the source's table 4.1" in said and said.count("differs") == 4
    cells = json.loads(run("--table", "--json"))
    assert len(cells) == 24 and sum(cell["printed"] == cell["shape"] for cell in cells) == 20


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--robot", "c"], "robot 'c': unknown name, expected one of a, b"),
        (["--posture", "Zero"], "Did you mean 'zero'?"),
        (["--direction", "-+"], "direction '-+': unknown name"),
        (["--length", "far"], "length 'far': unknown name"),
        (["--law", "damping"], "unknown name, expected one of frequency, stiffness"),
        (["--step", "40", "--norm", "L3"], "norm 'L3': unknown name"),
        (["--lower", "120", "--upper", "80"], "120 and 80 %, expected 0 < lower < upper"),
        (["--optimum", "nan", "100"], "optimum of an individual"),
        (["--step", "40"], "expected 6 at least. Take a finer grid."),
        (["--step", "40", "--cutoff", "600"], "half the sampling rate"),
        (["--step", "10", "--plot", "no/such/folder/s.png"], "a file that can be written"),
        (["--step", "10", "--plot", "s.abc"], "a file that can be written"),
    ],
)
def test_messages(arguments: list[str], message: str) -> None:
    assert message in run(*arguments, code=2).replace("\n", " ")
