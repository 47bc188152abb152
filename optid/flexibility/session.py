"""A tuning that asks for one run at a time, and survives whatever happens in between.

Everything is in one experiment file: the settings, and every run as a trial. Nothing else is remembered. To know what to ask next, the search is run again from
its seed on the stored runs, and stops where it wants one that is not there; so a tuning that was killed goes on at the same run, with the same answer.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.brief import brief
from optid.errors import DataError, FileError, ShapeError, sentence
from optid.experiment import Experiment, Trial, read_experiment, write_experiment
from optid.problems.flexibility import Rule, TuningRun
from optid.solvers import solve

from .objectives import measured
from .settings import TuningSettings

Array = NDArray[np.float64]
Point = tuple[float, ...]


@dataclass(frozen=True)
class Request:
    """A run that the robot should make.

    Attributes
    ----------
    number : int
        From 1.
    upsilon : n-tuple [%]
    safe : n-tuple [%]
        The best Υ known to be safe, to which the robot goes back when anything goes wrong, and after the run.
    target : n-tuple [%]
        Where the search wants to go; differs from ``upsilon`` on the way there.
    """

    number: int
    upsilon: Point
    safe: Point
    target: Point


@dataclass(frozen=True)
class Verdict:
    """What is thought of a run: its value (NaN when it failed), and why it is not safe (empty when it is)."""

    value: float
    unsafe: str = ""


@dataclass(frozen=True, eq=False)
class SessionReport:
    """Where a tuning stands.

    Attributes
    ----------
    upsilon : (n,) [%]
        Best of the safe runs.
    value, start_value : float
        The rule's number there and at the start, NaN before the first run.
    runs : tuple of TuningRun
    verdicts : tuple of Verdict
    finished : bool
    message : str
        Why it is over, or what comes next.
    names : n-tuple of str
    """

    upsilon: Array
    value: float
    start_value: float
    runs: tuple[TuningRun, ...]
    verdicts: tuple[Verdict, ...]
    finished: bool
    message: str
    names: tuple[str, ...]

    __repr__ = brief


class _Stop(BaseException):
    """Ends a replay; never leaves this module. An ``Exception`` would be taken for a failed run.

    Attributes
    ----------
    request : Request or None
        The run that is not there.
    error : FileError or None
    """

    def __init__(self, message: str, request: Request | None = None, error: FileError | None = None) -> None:
        super().__init__(message)
        self.request = request
        self.error = error


class TuningSession:
    """One tuning and its file.

    Attributes
    ----------
    path : Path
    settings : TuningSettings
    trials : list of Trial
        The runs, first to last.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from optid.flexibility import TailRule, TuningSession, TuningSettings
    >>> with TemporaryDirectory() as folder:
    ...     session = TuningSession.create(Path(folder) / "tuning.h5", TuningSettings(TailRule(0.3), gears=(150.0, 130.0), budget=10))
    ...     print(len(session.trials), TuningSession.load(Path(folder) / "tuning.h5").settings.budget)
    0 10
    """

    def __init__(self, path: str | os.PathLike[str], settings: TuningSettings, trials: Sequence[Trial] = ()) -> None:
        self.path = Path(path)
        self.settings = settings
        self.trials = list(trials)
        self._judged: dict[int, Verdict] = {}
        self._rule = _Remembering(settings.rule)

    @classmethod
    def create(cls, path: str | os.PathLike[str], settings: TuningSettings, overwrite: bool = False) -> TuningSession:
        """Begin a tuning; its file must not exist.

        Raises
        ------
        FileError
        """
        session = cls(path, settings)
        session._save(overwrite)
        return session

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> TuningSession:
        """Go on with a tuning.

        Raises
        ------
        FileError, MissingFileError
            No such file, or no tuning in it.
        """
        experiment = read_experiment(path)
        settings = TuningSettings.from_mapping(experiment.design, f"file {path}")
        trials = sorted(experiment.trials.values(), key=lambda trial: int(trial.attributes.get("number", 0)))
        numbers = [int(trial.attributes.get("number", 0)) for trial in trials]
        if numbers != list(range(1, len(trials) + 1)):
            raise FileError(sentence(f"runs in file {path}", f"numbers {numbers}", f"1 to {len(trials)}", "Runs of a tuning must not be removed or added."))
        return cls(path, settings, trials)

    def ask(self) -> Request | None:
        """The next run, None when the tuning is over. Asking again gives the same."""
        return self._replay()[0]

    def tell(self, number: int, trial: Trial) -> Verdict:
        """Store the recording of the run asked for.

        Parameters
        ----------
        number : int
            Of the request.
        trial : Trial
            ``tau`` on the arm side; a laser tracker's or accelerometer's signal as attribute ``tool`` or ``acceleration``. Samples that are not finite are
            marked invalid; a recording that cannot be judged counts as a failed run.

        Raises
        ------
        DataError, ShapeError
            Not the run that was asked for, or of another number of axes; nothing is stored.
        """
        request = self._expect(number)
        if trial.n != self.settings.n:
            raise ShapeError(sentence(f"recording of run {number}", f"{trial.n} axes", f"{self.settings.n}"))
        notes = {**trial.attributes, "upsilon": np.array(request.upsilon), "number": number, "gears": self.settings.gears}
        return self._store(replace(trial.masked(), attributes=notes, name=f"run {number:04d}", joint_names=trial.joint_names or self.settings.names))

    def fail(self, number: int, reason: str) -> Verdict:
        """Store that the run asked for gave no recording."""
        request = self._expect(number)
        n = self.settings.n
        notes = {"upsilon": np.array(request.upsilon), "number": number, "gears": self.settings.gears, "failed": reason or "no reason given"}
        return self._store(
            Trial(time=np.zeros(0), q=np.zeros((0, n)), tau=np.zeros((0, n)), joint_names=self.settings.names, name=f"run {number:04d}", attributes=notes)
        )

    def report(self) -> SessionReport:
        """Where the tuning stands."""
        request, message = self._replay()
        verdicts = tuple(self._verdict(k) for k in range(len(self.trials)))
        runs = tuple(TuningRun(k + 1, self._point(k), verdict.value) for k, verdict in enumerate(verdicts))
        best = self._best()
        return SessionReport(
            np.array(self._home(best)),
            np.nan if best is None else verdicts[best].value,
            verdicts[0].value if verdicts else np.nan,
            runs,
            verdicts,
            request is None,
            message,
            self.settings.names,
        )

    # -- inside -------------------------------------------------------------------------------------------------------------------------------------

    def _expect(self, number: int) -> Request:
        request = self.ask()
        if request is None or request.number != number:
            wanted = "no run, the tuning is over" if request is None else f"run {request.number}"
            raise DataError(sentence(f"recording for the tuning {self.path.name}", f"run {number}", wanted))
        return request

    def _store(self, trial: Trial) -> Verdict:
        self.trials.append(trial)
        try:
            self._save(overwrite=True)
        except BaseException:
            self.trials.pop()
            raise
        return self._verdict(len(self.trials) - 1)

    def _save(self, overwrite: bool) -> None:
        write_experiment(Experiment(f"tuning {self.path.stem}", self.trials, design=self.settings.to_mapping()), self.path, overwrite)  # type: ignore[arg-type]

    def _point(self, k: int) -> Point:
        return tuple(float(u) for u in np.asarray(self.trials[k].attributes["upsilon"]))

    def _verdict(self, k: int) -> Verdict:
        """What is thought of run k (from 0)."""
        if k not in self._judged:
            self._judged[k] = self._judge(k)
        return self._judged[k]

    def _judge(self, k: int) -> Verdict:
        trial, limits = self.trials[k], self.settings.limits
        if "failed" in trial.attributes:
            return Verdict(np.nan, str(trial.attributes["failed"]))
        if not trial.valid.all():
            return Verdict(np.nan, f"{int((~trial.valid).sum())} samples are not finite")
        try:
            value = self._rule.of_trial(trial)[0]
        except DataError as error:
            return Verdict(np.nan, str(error))
        if limits.max_torque is not None:
            peak = np.abs(measured(trial, "torque")).max(axis=0)
            over = np.flatnonzero(peak > np.broadcast_to(limits.max_torque, peak.shape))
            if over.size:
                return Verdict(value, f"motor torque of {self.settings.names[over[0]]} is {peak[over[0]]:.4g} N m")
        first = self._verdict(0).value if k else value
        if value > limits.max_ratio * first:
            return Verdict(value, f"the value is {value / first:.3g} times that of the first run")
        return Verdict(value)

    def _best(self) -> int | None:
        """Number (from 0) of the best safe run."""
        safe = [k for k in range(len(self.trials)) if not self._verdict(k).unsafe]
        return min(safe, key=lambda k: self._verdict(k).value) if safe else None

    def _home(self, best: int | None) -> Point:
        return tuple(map(float, self.settings.start)) if best is None else self._point(best)

    def _replay(self) -> tuple[Request | None, str]:
        """The next request, or None and why there is none."""
        problem = self.settings.problem(_Player(self), self._rule)
        try:
            result = solve(problem, **self.settings.search(problem))
        except _Stop as stop:
            if stop.error is not None:
                raise stop.error from None
            return stop.request, str(stop)
        return None, f"{result.solution.solver}: {result.solution.message}"


class _Remembering:
    """A rule that looks at every run once, however often the search is replayed."""

    def __init__(self, rule: Rule) -> None:
        self.rule = rule
        self.known: dict[str, tuple[float, Array]] = {}

    def of_trial(self, trial: Trial) -> tuple[float, Array]:
        if trial.name not in self.known:
            self.known[trial.name] = self.rule.of_trial(trial)
        return self.known[trial.name]


class _Player:
    """Plays the stored runs to the search, in their order, and asks for the first that is missing."""

    def __init__(self, session: TuningSession) -> None:
        self.session = session
        self.at = 0
        self.safe: list[Point] = []
        self.known: dict[Point, int] = {}
        self.n_unsafe = 0

    def __call__(self, upsilon: Array) -> Trial:
        target: Point = tuple(map(float, upsilon))
        while target not in self.known:
            point = self._towards(target)
            self._play(point, target)
            if point != target and self.session._verdict(self.known[point]).unsafe:
                raise RuntimeError(f"the way to {target} is not safe")
        k = self.known[target]
        if np.isnan(self.session._verdict(k).value):
            raise RuntimeError(f"run {k + 1} failed")
        return self.session.trials[k]

    def _play(self, point: Point, target: Point) -> None:
        """Take the next stored run, which must be at ``point``."""
        session, limits = self.session, self.session.settings.limits
        if self.n_unsafe >= limits.max_unsafe:
            raise _Stop(f"{self.n_unsafe} runs left the limits; the last one: {session._verdict(self.at - 1).unsafe}")
        if self.at >= session.settings.budget:
            raise _Stop(f"all {session.settings.budget} runs are used up")
        if self.at >= len(session.trials):
            goal = ", ".join(f"{name} {u:g} %" for name, u in zip(session.settings.names, point, strict=True))
            request = Request(self.at + 1, point, session._home(session._best()), target)
            raise _Stop(f"next is run {request.number} with {goal}", request)
        found = session._point(self.at)
        if not np.allclose(found, point, atol=1e-9):
            hint = "The runs in the file were made with other settings, or by another version of the search."
            error = FileError(sentence(f"run {self.at + 1} in file {session.path}", f"Υ = {found} %", f"{point} %", hint))
            raise _Stop("the file does not fit", error=error)
        verdict = session._verdict(self.at)
        if self.at == 0 and np.isnan(verdict.value):
            raise _Stop(f"the first run failed: {verdict.unsafe}")
        self.known[point] = self.at
        self.at += 1
        if verdict.unsafe:
            self.n_unsafe += 1
        else:
            self.safe.append(point)

    def _towards(self, target: Point) -> Point:
        """``target``, or the point nearest to it that lies within the largest step of a safe one."""
        reach = self.session.settings.limits.max_step
        if not self.safe:
            return target
        base = min(self.safe, key=lambda point: _distance(point, target))
        if _distance(base, target) <= reach + 1e-9:
            return target
        step = self.session.settings.step
        way = np.clip(np.subtract(target, base), -max(reach // step * step, step), max(reach // step * step, step))
        return tuple(float(u) for u in np.add(base, way))


def _distance(a: ArrayLike, b: ArrayLike) -> float:
    return float(np.max(np.abs(np.subtract(a, b))))


def session_value(report: SessionReport) -> dict[str, Any]:
    """The report in plain numbers, for files and for other programs."""
    return {
        "upsilon": dict(zip(report.names, map(float, report.upsilon), strict=True)),
        "value": None if np.isnan(report.value) else report.value,
        "start_value": None if np.isnan(report.start_value) else report.start_value,
        "finished": report.finished,
        "message": report.message,
        "runs": [
            {"number": run.number, "upsilon": list(run.upsilon), "value": None if np.isnan(run.value) else run.value, "unsafe": verdict.unsafe}
            for run, verdict in zip(report.runs, report.verdicts, strict=True)
        ],
    }
