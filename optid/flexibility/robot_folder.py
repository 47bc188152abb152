"""A folder between the computer and the robot: program modules one way, measurements the other, semaphore files to keep step (Axelsson 2009).

Run 7: the computer writes ``run_0007.mod``, then the semaphore ``run_0007.go``. The robot loads the module, calls its procedure ``optid_run_0007``, writes
``run_0007.csv``, then the semaphore ``run_0007.done``; or, when there is nothing to measure, ``run_0007.failed`` with the reason in it. At the end the computer
writes ``optid_best.mod``. A semaphore appears only when the file it announces is complete, none is ever removed, and no name is used twice: whichever side dies
can be started again, looks which semaphores are there, and goes on. Modules name their tuning, so that a folder cannot serve two.
"""

from __future__ import annotations

import logging
import os
import re
import time as clock
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from optid.errors import DataError, DataWarning, FileError, MissingFileError, OptidError, ShapeError, sentence
from optid.experiment import Mapping, Trial, import_csv
from optid.experiment.files import translated

from .rapid_run import RapidRun, tuned_values
from .session import TuningSession
from .session_report import SessionReport, Verdict
from .simulated_robot import SimulatedRobot

_log = logging.getLogger(__name__)

COLUMNS = Mapping(time="time", q="q_*", tau="tau_*")
"""Measurements: a header ``time,q_axis2,q_axis3,tau_axis2,tau_axis3``; seconds, radians and newton metres."""
AGAIN = "Correct run_0001.csv, or remove all files run_0001 to have the run made again, and give the same command."
LATE = 5.0
"""How long a measurement may stay incomplete after its semaphore [s]: shared folders do not always keep the order of files."""


class RunFailed(DataError):
    """The robot made no measurement; the message is its reason."""


@dataclass(frozen=True)
class RobotFolder:
    """The computer's side.

    Attributes
    ----------
    path : Path
    timeout : float [s]
        Longest wait for a measurement.
    poll : float [s]
        Time between looks.
    read : callable
        Path of a measurement → Trial; a CSV with :data:`COLUMNS` by default.
    late : float [s]
        How long a measurement may stay unreadable after its semaphore.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from optid.flexibility import RobotFolder
    >>> with TemporaryDirectory() as folder:
    ...     print(RobotFolder(Path(folder)).timeout)
    600.0
    """

    path: Path
    timeout: float = 600.0
    poll: float = 0.2
    read: Callable[[Path], Trial] | None = None
    late: float = LATE

    def __post_init__(self) -> None:
        object.__setattr__(self, "path", Path(self.path))
        if not self.timeout > 0:
            raise DataError(sentence("timeout of a robot's folder", self.timeout, "a time above 0 [s]"))
        self._check()

    def send(self, number: int, module: str) -> None:
        """Ask for a run; asking again for the same one changes nothing.

        Raises
        ------
        FileError
            The folder belongs to another tuning: another module was sent under this number, or its measurement is older than the request.
        """
        self._check()
        file, hint = self.path / f"run_{number:04d}.mod", "Give every tuning a folder of its own."
        with translated(file):
            there = file.read_text(encoding="ascii", errors="replace") if file.exists() else None
            asked = _there(self.path, number, "go")
            if asked and there not in (None, module):
                raise FileError(sentence(f"file {file}", "the module of another tuning, or of another move", "the one of this run", hint))
            if not asked and (_there(self.path, number, "done") or _there(self.path, number, "failed")):
                raise FileError(sentence(f"measurement of run {number} in {self.path}", "older than the request", "none yet", hint))
            if there != module:
                _appear(file, module)
            if not asked:
                _appear(self.path / f"run_{number:04d}.go", "")

    def receive(self, number: int) -> Trial:
        """Wait for the measurement of a run.

        Raises
        ------
        MissingFileError
            It did not come in time, or the folder is gone.
        RunFailed
            The robot says that there is none.
        OptidError
            It cannot be read.
        """
        end = clock.monotonic() + self.timeout
        while not _there(self.path, number, "done"):
            failed = self.path / f"run_{number:04d}.failed"
            if failed.exists():
                raise RunFailed(" ".join(failed.read_text(encoding="utf-8", errors="replace").split())[:200] or "the robot gave no reason")
            self._check()
            if clock.monotonic() > end:
                hint = "Is the robot's program running, in automatic mode? Give the same command again to go on with this run."
                wanted = f"the file run_{number:04d}.done in {self.path}"
                raise MissingFileError(sentence(f"measurement of run {number}", f"nothing after {self.timeout:g} s", wanted, hint))
            clock.sleep(self.poll)
        end = clock.monotonic() + self.late
        while True:
            try:
                file = self.path / f"run_{number:04d}.csv"
                return self.read(file) if self.read is not None else import_csv(file, COLUMNS)
            except OptidError:
                if clock.monotonic() > end:
                    raise
            clock.sleep(self.poll)

    def _check(self) -> None:
        if not self.path.is_dir():
            raise MissingFileError(sentence(f"folder {self.path}", "not found", "the folder that computer and robot share"))


def tune_through_folder(session: TuningSession, folder: RobotFolder, move: RapidRun, progress: Callable[[int, str], None] | None = None) -> SessionReport:
    """Run a tuning to its end, or from where it was left.

    The move goes into the notes of the tuning with the first run. A first measurement that cannot be used is an error, and nothing is stored; later ones count
    as failed runs.

    Parameters
    ----------
    progress : callable, optional
        Gets (run number, what was thought of it).

    Raises
    ------
    MissingFileError
        The robot does not answer; nothing is lost.
    FileBusyError
        Another program works on this tuning.
    DataError
        The tuning was begun with another move, or a measurement is not one of this run.

    Examples
    --------
    >>> from optid.flexibility import tune_through_folder
    >>> tune_through_folder.__name__  # examples/robot_in_the_loop.py runs it with a simulated robot in a second process
    'tune_through_folder'
    """
    with session.claimed():
        _remember(session, move)
        while (request := session.ask()) is not None:
            folder.send(request.number, move.module(request, f"begun {session.created}"))
            verdict = _answer(session, folder, move, request.number)
            text = f"{verdict.value:.4g}" if np.isfinite(verdict.value) else "failed"
            text += f", not safe: {verdict.unsafe}" if verdict.unsafe else ""
            _log.info("run %d at %s %%: %s", request.number, request.upsilon, text)
            if progress is not None:
                progress(request.number, text)
        report = session.report()
        with translated(folder.path / "optid_best.mod"):
            _appear(folder.path / "optid_best.mod", move.final(report.upsilon))
    return report


def unread(error: OptidError) -> str:
    """Why a measurement cannot be read, without the advice to take its good rows: runs are judged whole."""
    return re.sub(r" Pass partial=True to take the good \w+\.", "", str(error))


def _answer(session: TuningSession, folder: RobotFolder, move: RapidRun, number: int) -> Verdict:
    """Wait for a run's measurement, and store it, or that there is none."""
    try:
        trial = folder.receive(number)
    except MissingFileError:
        raise
    except RunFailed as error:
        return session.fail(number, str(error))
    except OptidError as error:
        if number == 1:
            raise DataError(f"{unread(error)} {AGAIN}") from error
        return session.fail(number, f"its measurement cannot be used: {unread(error)}")
    _compare(trial, session, move)
    try:
        return session.tell(number, trial)
    except (DataError, ShapeError) as error:
        raise DataError(f"{error} {AGAIN.replace('0001', f'{number:04d}')}") from error


def _remember(session: TuningSession, move: RapidRun) -> None:
    known = session.settings.notes.get("move")
    if isinstance(known, dict):
        before = RapidRun.from_mapping(known)
        other = [name for name, value in before.to_mapping().items() if value != getattr(move, name)]
        if other and session.trials:
            was, now = (", ".join(f"{name} {getattr(which, name)}" for name in other) for which in (move, before))
            raise DataError(sentence(f"move of the tuning {session.path.name}", was, f"{now}, with which it was begun", "Begin a new tuning for another move."))
        if not other:
            return
    session.remember({"move": move.to_mapping()})


def _compare(trial: Trial, session: TuningSession, move: RapidRun) -> None:
    """Warn of a measurement whose axes do not move as the robot was told to."""
    pairs = {name: move.goal[number - 1] - move.start[number - 1] for name, number in zip(session.settings.names, move.numbers, strict=True)}
    wanted = {name: angle for name, angle in pairs.items() if name in trial.joint_names and abs(angle) > 1e-3}
    if not trial.n_samples:
        return
    moved = {name: float(np.diff(trial.q[[0, -1], trial.joint_names.index(name)])[0]) for name in wanted}
    if not all(0.5 < moved[name] / angle < 2.0 for name, angle in wanted.items()):
        found, expected = (", ".join(f"{name} {angle:.3g}" for name, angle in which.items()) for which in (moved, wanted))
        hint = "Are the units rad, the axes in order, and is it this move?"
        warnings.warn(sentence("angles from the first sample of a measurement to the last", found, f"{expected} rad", hint), DataWarning, stacklevel=3)


def serve(folder: str | os.PathLike[str], robot: SimulatedRobot, numbers: tuple[int, ...] = (2, 3), poll: float = 0.02, runs: int | None = None) -> None:
    """The robot's side, simulated: make every run that is asked for, until the final module appears.

    Parameters
    ----------
    numbers : axis numbers in the modules, in the order of the robot's axes
    runs : int, optional
        Stop after so many runs.
    """
    path, made = Path(folder), 0
    while not (path / "optid_best.mod").exists() and (runs is None or made < runs):
        asked = sorted(int(file.stem[4:]) for file in path.glob("run_*.go"))
        open_ = [number for number in asked if not _there(path, number, "done")]
        if not open_:
            clock.sleep(poll)
            continue
        values = tuned_values((path / f"run_{open_[0]:04d}.mod").read_text(encoding="ascii"))
        trial = robot.run([values.get(number, 100.0) for number in numbers], open_[0])
        _appear(path / f"run_{open_[0]:04d}.csv", _table(trial))
        _appear(path / f"run_{open_[0]:04d}.done", "")
        made += 1


def _table(trial: Trial) -> str:
    names = trial.joint_names or tuple(f"axis{j + 1}" for j in range(trial.n))
    head = ",".join(["time", *(f"q_{name}" for name in names), *(f"tau_{name}" for name in names)])
    assert trial.tau is not None
    rows = np.column_stack([trial.time, trial.q, trial.tau])
    return "\n".join([head, *(",".join(map(repr, row)) for row in rows.tolist()), ""])


def _there(folder: Path, number: int, suffix: str) -> bool:
    return (folder / f"run_{number:04d}.{suffix}").exists()


def _appear(file: Path, text: str) -> None:
    """Make a file in one step, on the disk before it has its name."""
    temporary = file.with_name(f".{file.name}.{os.getpid()}.tmp")
    try:
        with open(temporary, "w", encoding="ascii") as raw:
            raw.write(text)
            raw.flush()
            os.fsync(raw.fileno())
        os.replace(temporary, file)
    finally:
        temporary.unlink(missing_ok=True)
