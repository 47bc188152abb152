"""The folder between computer and robot: the module, the protocol, and both sides killed at any moment."""

from __future__ import annotations

import multiprocessing
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from optid.errors import DataError, DataWarning, FileBusyError, FileError, MissingFileError, OptidError
from optid.experiment import Trial, read_experiment
from optid.flexibility.objectives import TailRule
from optid.flexibility.rapid_run import RapidRun, tuned_values
from optid.flexibility.robot_folder import RobotFolder, serve, tune_through_folder
from optid.flexibility.session import TuningSession
from optid.flexibility.session_report import Request, SessionReport
from optid.flexibility.settings import TuningSettings
from optid.flexibility.simulated_robot import SimulatedRobot

MOVE = RapidRun(start=(0.0,) * 6, goal=(0.0, 0.03, 0.03, 0.0, 0.0, 0.0))
SETTINGS = TuningSettings(TailRule(0.06), budget=6)
FAKE = Path(__file__).with_name("fake_robot.py")
HEADER = "time,q_axis2,q_axis3,tau_axis2,tau_axis3\n"


@contextmanager
def robot(folder: Path, lag: float = 0.0) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen([sys.executable, str(FAKE), str(folder), str(lag)])
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def begin(tmp_path: Path, settings: TuningSettings = SETTINGS) -> tuple[TuningSession, RobotFolder]:
    (tmp_path / "cell").mkdir()
    return TuningSession.create(tmp_path / "t.h5", settings), RobotFolder(tmp_path / "cell", timeout=60.0, poll=0.01, late=0.05)


def runs(report: SessionReport) -> list[tuple[tuple[float, ...], float]]:
    return [(run.upsilon, run.value) for run in report.runs]


def test_rapid_module() -> None:
    """Word by word; values in force while nothing moves; the safe ones after the run, in the error handler and when the program pointer is moved away."""
    text = MOVE.module(Request(7, (94.0, 107.0), (100.0, 101.0), (94.0, 107.0)), "begun 2026-01-01 – früh")
    safe = ["    TuneServo ROB_1, 2, 100\\Type:=TUNE_DF;", "    TuneServo ROB_1, 3, 101\\Type:=TUNE_DF;"]
    assert text.splitlines() == [
        "MODULE optid_module_0007",
        "  ! run 7 of the tuning begun 2026-01-01 ? fr?h",
        "  LOCAL CONST jointtarget start:=[[0.00000,0.00000,0.00000,0.00000,0.00000,0.00000],[9E9,9E9,9E9,9E9,9E9,9E9]];",
        "  LOCAL CONST jointtarget goal:=[[0.00000,1.71887,1.71887,0.00000,0.00000,0.00000],[9E9,9E9,9E9,9E9,9E9,9E9]];",
        "  LOCAL CONST speeddata pace:=[250,50,250,50];",
        "",
        "  PROC optid_run_0007()",
        "    MoveAbsJ start\\NoEOffs, v100, fine, tool0;",
        "    WaitTime\\InPos, 1;",
        "    TuneServo ROB_1, 2, 94\\Type:=TUNE_DF;",
        "    TuneServo ROB_1, 3, 107\\Type:=TUNE_DF;",
        "    WaitTime 1;",
        "    optid_log_on;",
        "    MoveL CalcRobT(goal,tool0), pace, fine, tool0;",
        "    WaitTime 1;",
        "    optid_log_off 7;",
        *safe,
        "  ERROR",
        *safe,
        "    RAISE;",
        "  UNDO",
        *safe,
        "  ENDPROC",
        "ENDMODULE",
    ]
    assert text.isascii() and all(len(name) <= 32 for name in re.findall(r"[A-Za-z]\w*", text)) and max(map(len, text.splitlines())) < 132
    assert "MoveAbsJ goal\\NoEOffs, pace, fine, gun;" in replace(MOVE, line=False, tool="gun").module(Request(1, (1.0, 500.0), (1.0, 1.0), (1.0, 1.0)))
    assert tuned_values(text) == {2: 94.0, 3: 107.0}
    assert tuned_values(MOVE.final([94, 107])) == {2: 94.0, 3: 107.0}
    assert RapidRun.from_mapping(replace(MOVE, speed=800.0, line=False).to_mapping()) == replace(MOVE, speed=800.0, line=False)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"tool": "tool0; Stop"}, "one word"),
        ({"tool": "t" * 33}, "32 characters at most"),
        ({"numbers": (2, 7)}, "axis numbers"),
        ({"numbers": (2, 2)}, "axis numbers"),
        ({"numbers": (2.5, 3)}, "axis numbers"),
        ({"numbers": ()}, "axis numbers"),
        ({"start": (0.0, 0.0)}, "6 finite angles"),
        ({"goal": (0.0, np.nan, 0.0, 0.0, 0.0, 0.0)}, "6 finite angles"),
        ({"goal": (0.0, 90.0, 0.0, 0.0, 0.0, 0.0)}, "6 finite angles"),
        ({"speed": 0.0}, "speed of a RAPID run"),
        ({"settle": -1.0}, "settle of a RAPID run"),
        ({"settle": np.inf}, "settle of a RAPID run"),
    ],
)
def test_moves_that_are_refused(change: dict[str, object], message: str) -> None:
    """Degrees for radians, names that RAPID would not take, axes that are not there."""
    with pytest.raises(DataError, match=message):
        replace(MOVE, **change)  # type: ignore[arg-type]


@pytest.mark.parametrize("upsilon", [(0.5, 100.0), (100.0, 501.0), (np.nan, 100.0), (100.0,)])
def test_values_that_are_refused(upsilon: tuple[float, ...]) -> None:
    """``TuneServo`` takes 1 to 500 %, one value an axis."""
    with pytest.raises(DataError, match="Υ of a RAPID run"):
        MOVE.module(Request(1, upsilon, (100.0, 100.0), upsilon))


def test_a_silent_robot_times_out(tmp_path: Path) -> None:
    """A clear message that says what to do; the run stays asked for; nothing is stored."""
    session, folder = begin(tmp_path)
    with pytest.raises(
        MissingFileError, match=r"run 1: nothing after 0\.1 s, expected the file run_0001\.done in .*Is the robot's program running.*go on with this run"
    ):
        tune_through_folder(session, replace(folder, timeout=0.1), MOVE)
    assert (folder.path / "run_0001.go").exists() and session.ask() is not None and not TuningSession.load(session.path).trials
    with robot(folder.path):
        assert tune_through_folder(TuningSession.load(session.path), folder, MOVE).finished
    with pytest.raises(MissingFileError, match="the folder that computer and robot share"):
        RobotFolder(tmp_path / "nowhere")


def test_a_folder_serves_one_tuning(tmp_path: Path) -> None:
    """Another tuning, another move, or a measurement that was there before the request: refused, for it would be taken for this run's."""
    session, folder = begin(tmp_path)
    folder.send(1, MOVE.module(Request(1, (100.0, 100.0), (100.0, 100.0), (100.0, 100.0)), "another"))
    with pytest.raises(FileError, match=r"run_0001\.mod: the module of another tuning, or of another move.*Give every tuning a folder of its own"):
        tune_through_folder(session, folder, MOVE)
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "run_0001.done").touch()
    with pytest.raises(FileError, match=r"measurement of run 1 in .*: older than the request"):
        tune_through_folder(session, RobotFolder(tmp_path / "old"), MOVE)


def test_the_move_belongs_to_the_tuning(tmp_path: Path) -> None:
    """It is stored with the first run; another one later is refused."""
    session, folder = begin(tmp_path, replace(SETTINGS, budget=2))
    with robot(folder.path):
        tune_through_folder(session, folder, replace(MOVE, speed=800.0))
    stored = TuningSession.load(session.path)
    assert RapidRun.from_mapping(stored.settings.notes["move"]) == replace(MOVE, speed=800.0)
    with pytest.raises(DataError, match=r"move of the tuning t\.h5: speed 250\.0, expected speed 800\.0, with which it was begun"):
        tune_through_folder(stored, folder, MOVE)


def test_a_renamed_file_is_the_same_tuning(tmp_path: Path) -> None:
    session, folder = begin(tmp_path, replace(SETTINGS, budget=3))
    with robot(folder.path), pytest.raises(KeyboardInterrupt):
        tune_through_folder(session, folder, MOVE, interrupt)
    session.path.rename(tmp_path / "better name.h5")
    with robot(folder.path):
        assert tune_through_folder(TuningSession.load(tmp_path / "better name.h5"), folder, MOVE).finished


def interrupt(number: int, text: str) -> None:
    """Ctrl-C after the first run."""
    raise KeyboardInterrupt


def test_two_programs_at_once(tmp_path: Path) -> None:
    """The second one that would change a tuning is refused while the first works on it; looking is allowed."""
    session, folder = begin(tmp_path)
    other = TuningSession.load(session.path)
    with session.claimed():
        assert TuningSession.load(session.path).ask() == other.ask()
        with pytest.raises(FileBusyError, match="another program works on it"):
            tune_through_folder(other, folder, MOVE)
        with pytest.raises(FileBusyError):
            other.fail(1, "x")
        session.fail(1, "first")
    with pytest.raises(FileError, match="Another program changed it meanwhile: load it again"):
        other.fail(1, "second")
    assert [trial.attributes["failed"] for trial in TuningSession.load(session.path).trials] == ["first"]


def answer(folder: Path, number: int, text: bytes) -> None:
    (folder / f"run_{number:04d}.csv").write_bytes(text)
    (folder / f"run_{number:04d}.done").touch()


BAD = {
    "empty": (b"", "no line of data, expected a table of numbers"),
    "half": (HEADER.encode() + b"0,0,0,1,1\n0.001,0,0,1", "run_0001.csv"),
    "words": (HEADER.encode() + b"0,0,0,broken,1\n", "broken"),
    "nan": (HEADER.encode() + b"0,0,0,nan,1\n0.001,0,0,1,1\n", "nan|NaN|not finite"),
    "backward": (HEADER.encode() + b"0.002,0,0,1,1\n0.001,0,0,1,1\n0,0,0,2,1\n", "stamps|time"),
    "columns": (b"t,q_axis2,q_axis3,tau_axis2,tau_axis3\n0,0,0,1,1\n", "column .*'time': unknown name"),
    "binary": (bytes(range(256)) * 4, "run_0001.csv"),
}


@pytest.mark.parametrize("kind", BAD)
def test_measurements_that_cannot_be_read(tmp_path: Path, kind: str) -> None:
    """The first one ends the loop with a sentence and nothing stored, for the next would be no better; a later one is a failed run."""
    session, folder = begin(tmp_path, replace(SETTINGS, budget=2))
    text, message = BAD[kind]
    folder.send(1, MOVE.module(session.ask(), f"begun {session.created}"))  # type: ignore[arg-type]
    answer(folder.path, 1, text)
    with pytest.raises(OptidError, match=message):
        tune_through_folder(session, folder, MOVE)
    assert not TuningSession.load(session.path).trials
    (folder.path / "run_0001.done").unlink()
    with robot(folder.path):
        while not (folder.path / "run_0001.done").exists():
            time.sleep(0.01)
    thread = threading.Timer(0.3, answer, (folder.path, 2, text))
    thread.start()
    report = tune_through_folder(session, folder, MOVE)
    thread.join()
    assert report.finished and "its measurement cannot be used" in report.verdicts[1].unsafe and np.array_equal(report.upsilon, [100, 100])


@pytest.mark.parametrize(("rows", "message"), [(2, "0 samples after 0.06 s"), (80, "20 samples after 0.06 s")])
def test_measurements_that_are_too_short(tmp_path: Path, rows: int, message: str) -> None:
    """They can be read, but not judged: the first is refused with what to do, and the run made again."""
    session, folder = begin(tmp_path)
    folder.send(1, MOVE.module(session.ask(), f"begun {session.created}"))  # type: ignore[arg-type]
    angle = 0.03 * np.minimum(np.arange(rows) / min(50, rows - 1), 1.0)
    answer(folder.path, 1, (HEADER + "".join(f"{k / 1e3},{angle[k]},{angle[k]},{k},1\n" for k in range(rows))).encode())
    with pytest.raises(DataError, match=f"recording of run 1: .*{message}.*Correct run_0001.csv, or remove all files run_0001 to have the run made again"):
        tune_through_folder(session, folder, MOVE)
    assert not TuningSession.load(session.path).trials and not (folder.path / "optid_best.mod").exists()
    for file in folder.path.glob("run_0001.*"):
        file.unlink()
    with robot(folder.path):
        assert tune_through_folder(session, folder, MOVE).finished


def test_semaphore_before_its_file(tmp_path: Path) -> None:
    """A shared folder may show ``.done`` before all of the measurement: it is read again."""
    session, folder = begin(tmp_path, replace(SETTINGS, budget=1))
    folder = replace(folder, late=10.0)
    folder.send(1, MOVE.module(session.ask(), f"begun {session.created}"))  # type: ignore[arg-type]
    lines = [HEADER, *(f"{k / 1e3},{min(k, 50) * 6e-4},{min(k, 50) * 6e-4},{np.sin(k)},{np.cos(k)}\n" for k in range(200))]
    (folder.path / "run_0001.done").touch()
    steps = ["", HEADER, "".join(lines[:9]) + "0.009,0", "".join(lines)]
    timers = [threading.Timer(0.1 * k, (folder.path / "run_0001.csv").write_text, (text,)) for k, text in enumerate(steps, 1)]
    for timer in timers:
        timer.start()
    report = tune_through_folder(session, folder, MOVE)
    assert report.verdicts[0].unsafe == "" and session.trials[0].n_samples == 200


def test_the_robot_says_that_a_run_failed(tmp_path: Path) -> None:
    """``run_0002.failed`` holds the reason; the next is asked for with the safe values behind it."""
    session, folder = begin(tmp_path, replace(SETTINGS, budget=2))
    with robot(folder.path) as process, pytest.raises(MissingFileError):
        tune_through_folder(session, replace(folder, timeout=0.5), MOVE, lambda number, text: process.kill())
    (folder.path / "run_0002.failed").write_text("motion supervision\naxis 2\n")
    report = tune_through_folder(session, folder, MOVE)
    assert report.verdicts[1].unsafe == "motion supervision axis 2" and report.finished


@pytest.mark.parametrize("kind", ["degrees", "swapped", "standing"])
def test_angles_that_are_not_the_moves(tmp_path: Path, kind: str) -> None:
    """Axis 2 moves by 0.03 rad, axis 3 by -0.06 rad: a note when the measurement says 1.7, exchanges them, or says nothing moved."""
    session, folder = begin(tmp_path, replace(SETTINGS, budget=1))
    move = replace(MOVE, goal=(0.0, 0.03, -0.06, 0.0, 0.0, 0.0))
    end = {"degrees": (1.72, -3.44), "swapped": (-0.06, 0.03), "standing": (0.0, 0.0)}[kind]
    folder.send(1, move.module(session.ask(), f"begun {session.created}"))  # type: ignore[arg-type]
    rows = [f"{k / 1e3},{end[0] * min(k / 50, 1)},{end[1] * min(k / 50, 1)},{np.sin(k)},{np.cos(k)}\n" for k in range(200)]
    answer(folder.path, 1, (HEADER + "".join(rows)).encode())
    with pytest.warns(DataWarning, match=r"to the last: axis2 .*, expected axis2 0\.03, axis3 -0\.06 rad\. Are the units rad, the axes in order"):
        assert tune_through_folder(session, folder, move).finished


def test_the_folder_vanishes(tmp_path: Path) -> None:
    session, folder = begin(tmp_path)
    timer = threading.Timer(0.2, lambda: folder.path.rename(tmp_path / "gone"))
    timer.start()
    with pytest.raises(MissingFileError, match=r"folder .*cell: not found"):
        tune_through_folder(session, folder, MOVE)
    (tmp_path / "gone").rename(folder.path)
    with robot(folder.path):
        assert tune_through_folder(session, folder, MOVE).finished


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), PermissionError(13, "Permission denied")])
def test_a_full_disk_or_no_permission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: OSError) -> None:
    """One sentence wherever the file system gives up, and the tuning goes on afterwards with the same answer."""
    session, folder = begin(tmp_path, replace(SETTINGS, budget=3))
    whole = undisturbed(tmp_path / "whole", 3)
    real, calls, failing = os.replace, 0, 0

    def broken(source: str, target: str) -> None:
        nonlocal calls
        calls += 1
        if calls == failing:
            raise error
        real(source, target)

    monkeypatch.setattr(os, "replace", broken)
    with robot(folder.path):
        for attempt in range(1, 40):
            calls, failing = 0, attempt
            try:
                report = tune_through_folder(TuningSession.load(session.path), folder, MOVE)
                break
            except FileError as caught:
                assert "no room" in str(caught) or "no permission" in str(caught)
    assert runs(report) == runs(whole) and not list(tmp_path.rglob("*.tmp"))


def undisturbed(path: Path, budget: int) -> SessionReport:
    path.mkdir()
    session, folder = begin(path, replace(SETTINGS, budget=budget))
    with robot(folder.path):
        return tune_through_folder(session, folder, MOVE)


class Killed(BaseException):
    """Stands for kill -9: nothing in optid handles it."""


def test_computer_killed_at_every_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before or after any file of the protocol and any save of the tuning: started again, it goes on, with every run once and the same answer."""
    whole = undisturbed(tmp_path / "whole", 4)
    session, folder = begin(tmp_path, replace(SETTINGS, budget=4))
    real, calls, fatal, before = os.replace, 0, 0, False

    def mortal(source: str, target: str) -> None:
        nonlocal calls
        calls += 1
        if calls == fatal and before:
            raise Killed
        real(source, target)
        if calls == fatal:
            raise Killed

    monkeypatch.setattr(os, "replace", mortal)
    deaths = 0
    with robot(folder.path):
        for attempt in range(100):
            calls, fatal, before = 0, 1 + attempt // 2 % 3, attempt % 2 == 0
            try:
                report = tune_through_folder(TuningSession.load(session.path), folder, MOVE)
                break
            except Killed:
                deaths += 1
                stored = list(read_experiment(session.path).trials)
                assert stored == [f"run {k:04d}" for k in range(1, len(stored) + 1)]
    assert deaths >= 10 and runs(report) == runs(whole) and np.array_equal(report.upsilon, whole.upsilon)


@pytest.mark.parametrize(("kills", "budget"), [(2, 3), pytest.param(60, 6, marks=pytest.mark.slow)])
def test_both_sides_killed_at_random(tmp_path: Path, kills: int, budget: int) -> None:
    """kill -9 of the command line and of the robot at random moments, again and again: every run once, the file opens, the answer is the undisturbed one."""
    whole = undisturbed(tmp_path / "whole", budget)
    rng, done, tuning = np.random.default_rng(kills), 0, 0
    while done < kills:
        tuning += 1
        place = tmp_path / str(tuning)
        place.mkdir()
        session, folder = begin(place, replace(SETTINGS, budget=budget))
        done += disturbed(session, folder, rng, kills - done)
        report = TuningSession.load(session.path).report()
        assert report.finished and runs(report) == runs(whole) and np.array_equal(report.upsilon, whole.upsilon)
        assert sorted(file.name for file in folder.path.glob("run_*.done")) == [f"run_{k:04d}.done" for k in range(1, len(report.runs) + 1)]


def disturbed(session: TuningSession, folder: RobotFolder, rng: np.random.Generator, most: int) -> int:
    """Run a tuning to its end, killing one side or the other at random moments; the number of kills."""
    command = [sys.executable, "-m", "optid", "tune", "resume", str(session.path), "--folder", str(folder.path)]
    command += ["--from", "0,0,0,0,0,0", "--to", "0,1.7,1.7,0,0,0", "--axis-number", "2", "--axis-number", "3", "--timeout", "60"]
    machine = [sys.executable, str(FAKE), str(folder.path), "0.2" if session.settings.budget > 3 else "0.03"]
    quiet: dict[str, int] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    sides = [subprocess.Popen(which, **quiet) for which in (command, machine)]
    done = 0
    try:
        while done < most and not (folder.path / "optid_best.mod").exists():
            time.sleep(float(rng.uniform(0.1, 0.3 * session.settings.budget)))
            which = int(rng.integers(2))
            sides[which].kill()
            sides[which].wait()
            stored = list(read_experiment(session.path).trials)
            assert stored == [f"run {k:04d}" for k in range(1, len(stored) + 1)]
            sides[which] = subprocess.Popen((command, machine)[which], **quiet)
            done += 1
        assert sides[0].wait(120) == 0
    finally:
        for process in sides:
            process.kill()
            process.wait()
    return done


@pytest.mark.parametrize("budget", [4, pytest.param(8, marks=pytest.mark.slow)])
def test_robot_killed_twice_gives_the_same_answer(tmp_path: Path, loop_a: object, budget: int) -> None:
    """Two axes through the folder, the robot a second process: killed twice in the middle of its runs, the answer is that of the undisturbed tuning."""
    report, quiet, kills = killed_twice(tmp_path, loop_a, budget)
    assert kills == [2, 3]
    assert [run.upsilon for run in report.runs] == [run.upsilon for run in quiet.runs]
    assert np.allclose([run.value for run in report.runs], [run.value for run in quiet.runs], rtol=1e-9)
    assert np.array_equal(report.upsilon, quiet.upsilon)
    assert tuned_values((tmp_path / "folder" / "optid_best.mod").read_text()) == {2: report.upsilon[0], 3: report.upsilon[1]}
    assert list(read_experiment(tmp_path / "loud.h5").trials) == [f"run {k:04d}" for k in range(1, len(report.runs) + 1)]


class Slow:
    """A simulated robot that says when it begins with a run, and takes its time the first time it makes runs 2 and 3."""

    def __init__(self, robot: SimulatedRobot, folder: Path) -> None:
        self.robot, self.folder = robot, folder

    def run(self, upsilon: object, number: int) -> Trial:
        begun = self.folder / f"begun_{number}"
        first = not begun.exists()
        begun.touch()
        if first and number in (2, 3):
            time.sleep(60)
        return self.robot.run(upsilon, number)  # type: ignore[arg-type]


def killed_twice(tmp_path: Path, loop: object, budget: int) -> tuple[SessionReport, SessionReport, list[int]]:
    """Through ``folder`` into ``loud.h5`` with a robot that is killed, and undisturbed; and in which runs it was killed."""
    from optid.flexibility.comparison import individual
    from optid.flexibility.loop import FlexibleLoop
    from optid.flexibility.surfaces import experiment

    assert isinstance(loop, FlexibleLoop)
    there = SimulatedRobot(loop, experiment(loop, "zero", "++", "short"), individual(loop, (94.0, 107.0)), 0.05, 0.05, seed=3, tail=0.3)
    settings = TuningSettings(TailRule(0.25), gears=loop.gears, budget=budget)
    quiet = TuningSession.create(tmp_path / "quiet.h5", settings)
    while (request := quiet.ask()) is not None:
        quiet.tell(request.number, there.run(request.upsilon, request.number))
    folder = tmp_path / "folder"
    folder.mkdir()
    context = multiprocessing.get_context("spawn")
    session = TuningSession.create(tmp_path / "loud.h5", settings)
    kills: list[int] = []
    over = threading.Event()

    def operator() -> None:
        """Kill the robot in the middle of runs 2 and 3, and start it again."""
        process = context.Process(target=serve, args=(folder, Slow(there, folder)), daemon=True)
        process.start()
        for number in (2, 3):
            while not (folder / f"begun_{number}").exists() and not over.is_set():
                time.sleep(0.01)
            process.kill()
            process.join()
            if over.is_set():
                return
            kills.append(number)
            process = context.Process(target=serve, args=(folder, Slow(there, folder)), daemon=True)
            process.start()
        over.wait()
        process.join(10)
        process.kill()
        process.join()

    thread = threading.Thread(target=operator)
    thread.start()
    try:
        report = tune_through_folder(session, RobotFolder(folder, timeout=120.0, poll=0.05), MOVE)
    finally:
        over.set()
        thread.join()
    return report, quiet.report(), kills
