"""``optid tune`` judged by another signal than the motors' torque."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
from typer.testing import CliRunner

from optid import Experiment, Trial, write_experiment
from optid.cli.app import app

TIME = np.arange(500) / 1e3
BEGIN = ["--axis", "axis2", "--axis", "axis3", "--tail-start", "0.1", "--budget", "6", "--signal", "acceleration"]


def run(*arguments: str, code: int = 0) -> str:
    result = CliRunner().invoke(app, ["tune", *arguments])
    assert result.exit_code == code, result.output
    return result.output.replace("\n", " ")


def recording(upsilon: dict[str, float]) -> Trial:
    """Motors that only hum, and a tool that swings in proportion to the distance from (94, 107) %."""
    away = np.array([upsilon["axis2"] - 94, upsilon["axis3"] - 107]) @ np.array([[1.0, 0.3], [0.2, 0.5]]) / 50
    waves = np.stack([np.sin(2 * np.pi * f * TIME) * np.exp(-5 * TIME) for f in (8.0, 13.0)])
    hum = np.random.default_rng([int(u) for u in upsilon.values()]).standard_normal((500, 2))
    return Trial(time=TIME, q=np.zeros((500, 2)), tau=hum, joint_names=("axis2", "axis3"), attributes={"acceleration": (away @ waves)[:, None]})


def test_accelerometer(tmp_path: Path) -> None:
    """An accelerometer with one axis decides; a first recording without it is refused, and says why."""
    file, log = str(tmp_path / "t.h5"), tmp_path / "run.h5"
    run("new", file, *BEGIN)
    while (request := json.loads(run("ask", file, "--json"))["request"]) is not None:
        write_experiment(Experiment("run", [recording(request["upsilon"])]), log, overwrite=True)  # type: ignore[arg-type]
        run("tell", file, str(request["number"]), str(log))
    assert json.loads(run("report", file, "--json"))["upsilon"] == {"axis2": 94.0, "axis3": 107.0}
    assert "m/s²" in run("report", file)
    run("new", file, *BEGIN, "--overwrite")
    write_experiment(Experiment("run", [replace(recording({"axis2": 100, "axis3": 100}), attributes={})]), log, overwrite=True)  # type: ignore[arg-type]
    assert "no acceleration, expected acceleration with 500 rows" in run("tell", file, "1", str(log), code=2)
    assert "signal of a tail 'sound': unknown name" in run("new", file, *BEGIN[:-1], "sound", "--overwrite", code=2)


def test_path_of_the_tool(tmp_path: Path) -> None:
    """Ω: a tool that swings about a straight line, which is the path wanted; the file of the path may have fewer points than recordings."""
    file, log, path = str(tmp_path / "t.h5"), tmp_path / "run.h5", tmp_path / "path.csv"
    path.write_text("time,x,y\n0,0,1\n0.5,0.25,1\n")
    begin = [*BEGIN[:5], "0", *BEGIN[6:8], "--path", str(path)]
    assert begin[4:6] == ["--tail-start", "0"]
    run("new", file, *begin)
    while (request := json.loads(run("ask", file, "--json"))["request"]) is not None:
        trial = recording(request["upsilon"])
        swing = trial.attributes["acceleration"][:, 0] * 1e-3
        seen = replace(trial, attributes={"tool": np.column_stack([0.5 * TIME, 1 + swing])})
        write_experiment(Experiment("run", [seen]), log, overwrite=True)  # type: ignore[arg-type]
        run("tell", file, str(request["number"]), str(log))
    assert json.loads(run("report", file, "--json"))["upsilon"] == {"axis2": 94.0, "axis3": 107.0}
    assert "objective [m]" in run("report", file)
    for text, message in (
        ("", "0 rows of 0 numbers"),
        ("time,x\n0,a\n", "could not convert"),
        ("time,x\n1,0\n0,0\n", "at times that rise"),
        ("x\n1\n2\n", "2 rows of 1"),
    ):
        path.write_text(text)
        assert message in run("new", file, *begin, "--overwrite", code=2)
    path.unlink()
    assert "not found" in run("new", file, *begin, "--overwrite", code=2)
