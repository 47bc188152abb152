"""A folder between the computer and the robot: program modules one way, measurements the other, semaphore files to keep step (Axelsson 2009).

Run 7: the computer writes ``run_0007.mod``, then the semaphore ``run_0007.go``. The robot loads and runs the module, writes ``run_0007.csv``, then the
semaphore ``run_0007.done``. A semaphore appears only when the file it announces is complete, and no name is used twice: whichever side dies can be started
again, looks which semaphores are there, and goes on.
"""

from __future__ import annotations

import logging
import os
import time as clock
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from optid.errors import FileError, MissingFileError, OptidError, sentence
from optid.experiment import Mapping, Trial, import_csv

from .rapid_run import RapidRun, tuned_values
from .session import TuningSession
from .session_report import SessionReport
from .simulated_robot import SimulatedRobot

_log = logging.getLogger(__name__)

COLUMNS = Mapping(time="time", q="q_*", tau="tau_*")
"""Measurements: a header ``time,q_axis2,q_axis3,tau_axis2,tau_axis3``; seconds, radians and newton metres on the arm side of the gears."""


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

    def __post_init__(self) -> None:
        object.__setattr__(self, "path", Path(self.path))
        if not self.path.is_dir():
            raise MissingFileError(sentence(f"folder {self.path}", "not found", "the folder that computer and robot share"))

    def send(self, number: int, module: str) -> None:
        """Ask for a run; asking again for the same one changes nothing.

        Raises
        ------
        FileError
            Another module was sent under this number: the folder belongs to another tuning.
        """
        file = self.path / f"run_{number:04d}.mod"
        if _there(self.path, number, "go"):
            if file.read_text(encoding="ascii") != module:
                raise FileError(sentence(f"file {file}", "another module", "the one of this run", "Give every tuning a folder of its own."))
            return
        _appear(file, module)
        _appear(self.path / f"run_{number:04d}.go", "")

    def receive(self, number: int) -> Trial:
        """Wait for the measurement of a run.

        Raises
        ------
        MissingFileError
            It did not come in time.
        """
        end = clock.monotonic() + self.timeout
        while not _there(self.path, number, "done"):
            if clock.monotonic() > end:
                hint = "Is the robot's program running, in automatic mode? Start the tuning again to go on with the same run."
                wanted = f"the file run_{number:04d}.done in {self.path}"
                raise MissingFileError(sentence(f"measurement of run {number}", f"nothing after {self.timeout:g} s", wanted, hint))
            clock.sleep(self.poll)
        file = self.path / f"run_{number:04d}.csv"
        return self.read(file) if self.read is not None else import_csv(file, COLUMNS)


def tune_through_folder(session: TuningSession, folder: RobotFolder, move: RapidRun, progress: Callable[[int, str], None] | None = None) -> SessionReport:
    """Run a tuning to its end, or from where it was left.

    Parameters
    ----------
    progress : callable, optional
        Gets (run number, what was thought of it).

    Raises
    ------
    MissingFileError
        The robot does not answer; nothing is lost.

    Examples
    --------
    >>> from optid.flexibility import tune_through_folder
    >>> tune_through_folder.__name__  # examples/robot_in_the_loop.py runs it with a simulated robot in a second process
    'tune_through_folder'
    """
    while (request := session.ask()) is not None:
        folder.send(request.number, move.module(request))
        try:
            verdict = session.tell(request.number, folder.receive(request.number))
        except MissingFileError:
            raise
        except OptidError as error:
            verdict = session.fail(request.number, f"its measurement cannot be used: {error}")
        text = f"{verdict.value:.4g}{f', not safe: {verdict.unsafe}' if verdict.unsafe else ''}"
        _log.info("run %d at %s %%: %s", request.number, request.upsilon, text)
        if progress is not None:
            progress(request.number, text)
    report = session.report()
    _appear(folder.path / "optid_best.mod", move.final(report.upsilon))
    return report


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
    """Make a file in one step."""
    temporary = file.with_name(f".{file.name}.{os.getpid()}.tmp")
    temporary.write_text(text, encoding="ascii")
    os.replace(temporary, file)
