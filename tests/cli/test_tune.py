"""``optid tune``: by hand, through a folder, simulated."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
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
    assert "run 2 failed: emergency stop" in (said := run("tell", str(file), "2", "--failed", "emergency stop"))
    assert "optid tune undo" in said and "run 3: axis2 95 %, axis3 100 %\nafterwards, or if anything goes wrong: axis2 100 %, axis3 100 %" in said
    assert "failed" in run("report", str(file))


def test_messages(tmp_path: Path) -> None:
    file = tmp_path / "t.h5"
    run("new", str(file), *BEGIN)
    assert "it exists already" in run("new", str(file), *BEGIN, code=2)
    assert "expected an existing folder for t.h5" in run("new", str(tmp_path / "no" / "t.h5"), *BEGIN, code=2)
    assert "run 3, expected run 1" in run("tell", str(file), "3", "--failed", "x", code=2)
    assert "a recording, or --failed with a reason" in run("tell", str(file), "1", code=2)
    assert "not found" in run("ask", str(tmp_path / "no.h5"), code=2)
    (tmp_path / "hole.csv").write_text(
        "time,q_axis2,q_axis3,tau_axis2,tau_axis3\n" + "".join(f"{k / 1e3},0,0,{k},{'nan' if k == 9 else k}\n" for k in range(500))
    )
    said = run("tell", str(file), "1", str(tmp_path / "hole.csv"), code=2)
    assert "row 11, column 'tau_axis3' (tau): nan" in said and "judged whole" in said and "partial" not in said
    assert "Read a CSV with  optid import." in run("ask", str(tmp_path / "hole.csv"), code=2)
    move = ["--folder", str(tmp_path), "--axis-number", "2", "--axis-number", "3", "--timeout", "0.05"]
    assert "six angles in degrees" in run("resume", str(file), "--from", "0,0", "--to", "0,0,0,0,0,0", *move, code=2)
    assert "commas in between" in run("resume", str(file), "--from", "zero", "--to", "0,0,0,0,0,0", *move, code=2)
    said = run("resume", str(file), "--from", "0,0,0,0,0,0", "--to", "0,2,2,0,0,0", *move, code=2)
    assert "measurement of run 1: nothing after 0.05 s" in said
    assert "TuneServo ROB_1, 2, 100" in (tmp_path / "run_0001.mod").read_text()
    assert "robot 'c': unknown name" in run("simulate", str(tmp_path / "s.h5"), "--robot", "c", code=2)


def test_before_the_first_run(tmp_path: Path) -> None:
    """Limits are said, the next step is shown, and a report of nothing has a picture, too."""
    file = tmp_path / "of mine.h5"
    said = run("new", str(file), *BEGIN)
    assert "limits: Υ from 80 to 120 %, steps of 10 % at most, objective at most 5 times the first, no limit on the motor torque (--max-torque)" in said
    assert f"optid tune tell '{file}' 1 RECORDING" in said
    report = run("report", str(file), "--plot", str(tmp_path / "p.png"), "--report", str(tmp_path / "page"))
    assert "no safe run yet; the way back is the controller as delivered: axis2 100 %, axis3 100 %" in report and "nan" not in report
    far = run("new", str(tmp_path / "f.h5"), *BEGIN, "--start", "100", "--start", "86")
    assert "the first run takes axis3 farther from the delivered 100 % than --max-step; nothing is known to be safe there" in far
    assert "motor torque at most 20, 30 N m" in run("new", str(tmp_path / "u.h5"), *BEGIN, "--max-torque", "20", "--max-torque", "30")


def test_undo(tmp_path: Path) -> None:
    """A first file that cannot be judged is refused; a run told by mistake is taken back."""
    file, wrong = tmp_path / "t.h5", tmp_path / "wrong.csv"
    run("new", str(file), *BEGIN)
    wrong.write_text("time,q_axis2,q_axis3,tau_axis2,tau_axis3\n0,0,0,1,2\n0.001,0,0,1,2\n")
    assert "recording of run 1: record of a tuning run: 0 samples after 0.1 s" in run("tell", str(file), "1", str(wrong), code=2)
    assert "The tuning is over" in run("tell", str(file), "1", "--failed", "wrong button")
    assert "run 1 is forgotten\nrun 1: axis2 100 %, axis3 100 %" in run("undo", str(file))
    assert "last run of the tuning t.h5: none, expected one to forget" in run("undo", str(file), code=2)


def test_logs_of_other_names(tmp_path: Path) -> None:
    """More axes than are tuned, in another order; columns of other names need a map, and the message says how to get one."""
    file, log, columns = tmp_path / "t.h5", tmp_path / "log.csv", tmp_path / "map.toml"
    run("new", str(file), *BEGIN)
    trial = recording({"axis2": 100, "axis3": 100})
    assert trial.tau is not None
    table = np.column_stack([trial.time, np.zeros((500, 3)), trial.tau[:, 1], np.ones(500), trial.tau[:, 0]])
    np.savetxt(log, table, delimiter=",", header="t,p_axis3,p_axis1,p_axis2,m_axis3,m_axis1,m_axis2", comments="", fmt="%.17g")
    said = run("tell", str(file), "1", str(log), code=2)
    assert "'q_*': unknown name" in said and f"--mapping MAP.toml; optid import {log} --preview drafts one." in said
    columns.write_text('time = "t"\nq = "p_*"\ntau = "m_*"\n')
    assert "safe" in run("tell", str(file), "1", str(log), "--mapping", str(columns))
    assert np.array_equal(read_experiment(file)["run 0001"].tau, trial.tau)


def test_the_move_is_kept(tmp_path: Path) -> None:
    """It is given once; afterwards the same command needs the folder only, and another move is refused once a run was made."""
    file, folder = tmp_path / "t.h5", tmp_path / "cell"
    folder.mkdir()
    run("new", str(file), *BEGIN)
    place = ["--folder", str(folder), "--timeout", "0.05"]
    assert "move of a tuning: nothing, expected --from, --to and --axis-number" in run("resume", str(file), *place, code=2)
    move = ["--from", "0,0,0,0,0,0", "--to", "0,2,2,0,0,0", "--axis-number", "2"]
    assert "--axis-number: 1 numbers, expected 2, one for each of axis2, axis3" in run("resume", str(file), *place, *move, code=2)
    said = run("resume", str(file), *place, *move, "--axis-number", "3", "--speed", "120", code=2)
    assert f"0 runs are in {file}; no safe run so far" in said and "Give the same command again to go on" in said
    module = (folder / "run_0001.mod").read_text()
    assert "pace:=[120,24,120,24]" in module
    run("resume", str(file), *place, code=2)
    assert (folder / "run_0001.mod").read_text() == module
    (folder / "run_0001.failed").write_text("collision")
    assert "run 1 at axis2 100 %, axis3 100 %: failed, not safe: collision" in (said := run("resume", str(file), *place)) and "no safe run yet" in said
    assert "speed 300.0, expected speed 120.0, with which it was begun" in run("resume", str(file), *place, "--speed", "300", code=2)


def test_measurements_in_other_units(tmp_path: Path) -> None:
    """A robot that writes degrees under names of its own; without the map, the message says which columns there are."""
    file, folder, columns = tmp_path / "t.h5", tmp_path / "cell", tmp_path / "map.toml"
    folder.mkdir()
    run("new", str(file), *BEGIN[:-1], "1")
    place = ["--folder", str(folder), "--timeout", "0.05"]
    run("resume", str(file), *place, "--from", "0,0,0,0,0,0", "--to", "0,2,2,0,0,0", "--axis-number", "2", "--axis-number", "3", code=2)
    trial = recording({"axis2": 100, "axis3": 100})
    assert trial.tau is not None
    table = np.column_stack([TIME * 1e3, np.outer(np.minimum(TIME / 0.1, 1), [2.0, 2.0]), trial.tau])
    np.savetxt(folder / "run_0001.csv", table, delimiter=";", header="ms;w2;w3;m2;m3", comments="", fmt="%.17g")
    (folder / "run_0001.done").touch()
    columns.write_text('time = "ms"\nq = ["w2", "w3"]\ntau = ["m2", "m3"]\njoint_names = ["axis2", "axis3"]\n[units]\nq = "deg"\ntime = "ms"\n')
    said = run("resume", str(file), *place, "--mapping", str(columns))
    assert "finished: secant: budget used up" in said and "note" not in said
    assert "all runs are used up; to go on, begin a new tuning with --start 100 --start 100" in said
    assert np.allclose(read_experiment(file)["run 0001"].q[-1], np.deg2rad(2.0))


def test_interrupted(tmp_path: Path) -> None:
    """Ctrl-C while it waits for the robot: what is kept, and how to go on; no traceback."""
    file, folder = tmp_path / "t.h5", tmp_path / "cell"
    folder.mkdir()
    run("new", str(file), *BEGIN)
    command = [sys.executable, "-m", "optid", "tune", "resume", str(file), "--folder", str(folder)]
    command += ["--from", "0,0,0,0,0,0", "--to", "0,2,2,0,0,0", "--axis-number", "2", "--axis-number", "3"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while not (folder / "run_0001.go").exists() and process.poll() is None:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    said = "".join(process.communicate(timeout=60))
    assert "Traceback" not in said and process.returncode == 130
    assert f"0 runs are in {file}; no safe run so far. The run asked for last stays asked for" in said and f"Complete and kept: {file}" in said


def test_simulated(tmp_path: Path) -> None:
    """The whole tuning on set A: within 3 % of the true optimum, every run in the file."""
    said = json.loads(run("simulate", str(tmp_path / "s.h5"), "--json", "--budget", "8"))
    assert abs(said["upsilon"]["axis2"] - 94) <= 3 and abs(said["upsilon"]["axis3"] - 107) <= 3
    assert said["value"] < 0.3 * said["start_value"]
    assert len(read_experiment(tmp_path / "s.h5").trials) == len(said["runs"])


def test_simulated_small_robot(tmp_path: Path) -> None:
    """Set B, whose vibration is a hundredth of set A's, has a default noise to match: three quarters of the vibration go, and the optimum is near."""
    said = json.loads(run("simulate", str(tmp_path / "b.h5"), "--robot", "b", "--json", "--budget", "8"))
    assert said["value"] < 0.25 * said["start_value"] and abs(said["upsilon"]["axis2"] - 94) <= 3
