"""``--report`` of ``design`` and ``tune``: the page and its numbers, the same as the command's own."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from optid import DHRow, Limits, Robot, read_experiment
from optid.cli.app import app
from optid.robot import Link


def run(*arguments: object) -> str:
    result = CliRunner().invoke(app, [str(a) for a in arguments])
    assert result.exit_code == 0, result.output
    return result.output


def test_design(tmp_path: Path) -> None:
    """One axis in a vertical plane; the robot's file is among the inputs by its hash."""
    link = Link("arm", 2.0, (0.5, 0.0, 0.0), (0.01, 0.0, 0.0, 0.3, 0.0, 0.3))
    robot = Robot.from_dh([DHRow()], "standard", (0.0, -9.81, 0.0), links=[link], name="pendulum")
    robot.with_limits(Limits.of(1, position=1.5, velocity=3.0, acceleration=20.0)).save(tmp_path / "robot.toml")
    command = ("design", tmp_path / "robot.toml", "-o", tmp_path / "plan.h5", "--harmonics", "2", "--period", "4", "--friction", "viscous")
    said = run(*command, "--report", tmp_path / "report")
    assert said.rstrip().endswith(f"report: {tmp_path / 'report' / 'report.html'}")
    facts = json.loads((tmp_path / "report" / "results.json").read_text())
    plan = read_experiment(tmp_path / "plan.h5").design
    assert facts["quality"]["condition_number"] == plan["condition_number"] and facts["level"] == "good"
    assert [p["sigma"] for p in facts["parameters"]] == np.asarray(plan["predicted_sigma"]).tolist()
    assert list(facts["provenance"]["inputs"]) == ["robot.toml"] and facts["provenance"]["command"].startswith("optid design ")
    position = facts["motions"][0]["joints"][0]["position"]
    assert (position["lower"], position["upper"]) == (pytest.approx(-1.2), pytest.approx(1.2))  # 0.8 of the range, by default


def test_tune(tmp_path: Path) -> None:
    """A simulated tuning, and the report of its file later, say the same."""
    file = tmp_path / "t.h5"
    said = run("tune", "simulate", file, "--budget", "6", "--report", tmp_path / "one")
    assert f"report: {tmp_path / 'one' / 'report.html'}" in said
    run("tune", "report", file, "--report", tmp_path / "two")
    one, two = (json.loads((tmp_path / name / "results.json").read_text()) for name in ("one", "two"))
    assert one.pop("provenance")["command"] != two.pop("provenance")["command"]
    assert one == two
    assert one["best"]["value"] < 0.5 * one["best"]["start_value"] and len(one["runs"]) <= 6
    assert {"vibration.png", "spectrum.png", "history.png", "path.png"} <= {p.name for p in (tmp_path / "one").iterdir()}
