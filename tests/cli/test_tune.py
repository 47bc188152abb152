"""``optid tune``: by hand, through a folder, simulated."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from typer.testing import CliRunner

from optid import Experiment, Trial, read_experiment, write_experiment
from optid.cli.app import app

TIME = np.arange(500) / 1e3
BEGIN = ["--axis", "axis2", "--axis", "axis3", "--tail-start", "0.1", "--gear", "150", "--gear", "130", "--budget", "6"]


def run(*arguments: str, code: int = 0) -> str:
    result = CliRunner().invoke(app, ["tune", *arguments])
    assert result.exit_code == code, result.output
    return result.output


def recording(upsilon: dict[str, float]) -> Trial:
    """A move of 0.1 s, then a vibration proportional to the distance from (94, 107) %."""
    away = np.array([upsilon["axis2"] - 94, upsilon["axis3"] - 107]) @ np.array([[1.0, 0.3], [0.2, 0.5]]) / 50
    waves = np.stack([np.sin(2 * np.pi * f * TIME) * np.exp(-5 * TIME) for f in (8.0, 13.0)])
    tau = np.column_stack([away @ waves, away[::-1] @ waves]) * [150, 130] + 900 * np.sin(np.pi * np.minimum(TIME / 0.1, 1.0))[:, None]
    return Trial(time=TIME, q=np.zeros((500, 2)), tau=tau, joint_names=("axis2", "axis3"))


def asked(file: Path) -> Any:
    return json.loads(run("ask", str(file), "--json"))["request"]


def test_by_hand(tmp_path: Path) -> None:
    """new, ask, tell, report: the first recording as an experiment file, the others as CSV, one run without; the report holds the optimum."""
    file = tmp_path / "t.h5"
    assert "run 1: axis2 100 %, axis3 100 %" in run("new", str(file), *BEGIN)
    while (request := asked(file)) is not None:
        number, trial = request["number"], recording(request["upsilon"])
        if number == 1:
            write_experiment(Experiment("run", [trial]), tmp_path / "one.h5")  # type: ignore[arg-type]
            run("tell", str(file), "1", str(tmp_path / "one.h5"))
        else:
            assert trial.tau is not None
            table = np.column_stack([trial.time, trial.q, trial.tau])
            np.savetxt(tmp_path / "log.csv", table, delimiter=",", header="time,q_axis2,q_axis3,tau_axis2,tau_axis3", comments="", fmt="%.17g")
            run("tell", str(file), str(number), str(tmp_path / "log.csv"))
    said = run("report", str(file), "--plot", str(tmp_path / "runs.png"))
    assert "best safe: axis2 94 %, axis3 107 %" in said and "finished" in said
    assert (tmp_path / "runs.png").stat().st_size > 10_000
    report = json.loads(run("report", str(file), "--json"))
    assert report["upsilon"] == {"axis2": 94.0, "axis3": 107.0} and report["finished"]
    assert len(read_experiment(file).trials) == len(report["runs"]) <= 6
    assert "The tuning is over" in run("ask", str(file))


def test_failed_run(tmp_path: Path) -> None:
    file = tmp_path / "t.h5"
    run("new", str(file), *BEGIN)
    write_experiment(Experiment("run", [recording({"axis2": 100, "axis3": 100})]), tmp_path / "one.h5")  # type: ignore[arg-type]
    run("tell", str(file), "1", str(tmp_path / "one.h5"))
    assert "run 2: nan, outside the limits: emergency stop" in run("tell", str(file), "2", "--failed", "emergency stop")


def test_messages(tmp_path: Path) -> None:
    file = tmp_path / "t.h5"
    run("new", str(file), *BEGIN)
    assert "it exists already" in run("new", str(file), *BEGIN, code=2)
    assert "run 3, expected run 1" in run("tell", str(file), "3", "--failed", "x", code=2)
    assert "a recording, or --failed with a reason" in run("tell", str(file), "1", code=2)
    assert "not found" in run("ask", str(tmp_path / "no.h5"), code=2)
    move = ["--folder", str(tmp_path), "--axis-number", "2", "--axis-number", "3", "--timeout", "0.05"]
    assert "6 finite angles" in run("resume", str(file), "--from", "0,0", "--to", "0,0,0,0,0,0", *move, code=2)
    assert "commas in between" in run("resume", str(file), "--from", "zero", "--to", "0,0,0,0,0,0", *move, code=2)
    said = run("resume", str(file), "--from", "0,0,0,0,0,0", "--to", "0,2,2,0,0,0", *move, code=2)
    assert "measurement of run 1: nothing after 0.05 s" in said
    assert "TuneServo ROB_1, 2, 100" in (tmp_path / "run_0001.mod").read_text()
    assert "robot 'c': unknown name" in run("simulate", str(tmp_path / "s.h5"), "--robot", "c", code=2)


def test_simulated(tmp_path: Path) -> None:
    """The whole tuning on set A: within 3 % of the true optimum, every run in the file."""
    said = json.loads(run("simulate", str(tmp_path / "s.h5"), "--json", "--budget", "8"))
    assert abs(said["upsilon"]["axis2"] - 94) <= 3 and abs(said["upsilon"]["axis3"] - 107) <= 3
    assert said["value"] < 0.3 * said["start_value"]
    assert len(read_experiment(tmp_path / "s.h5").trials) == len(said["runs"])
