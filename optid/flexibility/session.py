"""A tuning that asks for one run at a time, and survives whatever happens in between.

Everything is in one experiment file: the settings, and every run as a trial. Nothing else is remembered. To know what to ask next, the search is run again from
its seed on the stored runs, and stops where it wants one that is not there; so a tuning that was killed goes on at the same run, with the same answer.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from optid.errors import DataError, FileBusyError, FileError, ShapeError, sentence
from optid.experiment import Experiment, Trial, read_experiment, write_experiment
from optid.experiment.files import translated
from optid.experiment.trial import SIGNALS
from optid.lock import taken
from optid.problems.flexibility import Rule, SameClock, TuningRun

from .digest import digest
from .judgement import judged, warn_of_a_tail_in_the_move
from .replay import Stop, best_of, home, point_of, replay
from .session_report import Request, SessionReport, Verdict
from .settings import TuningSettings

Array = NDArray[np.float64]


class TuningSession:
    """One tuning and its file.

    Attributes
    ----------
    path : Path
    settings : TuningSettings
    trials : list of Trial
        The runs, first to last.
    created : str
        Date and time of its beginning, by which a tuning is told from others.

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

    def __init__(self, path: str | os.PathLike[str], settings: TuningSettings, trials: Sequence[Trial] = (), created: str = "") -> None:
        self.path = Path(path)
        self.settings = settings
        self.trials = list(trials)
        self.created = created or Experiment("").created
        self._verdicts: list[Verdict] = []
        self._rule = _Remembering(settings.rule)
        self._lock: IO[bytes] | None = None
        self._stored = len(self.trials)
        self._stop: Stop | None = None

    @classmethod
    def create(cls, path: str | os.PathLike[str], settings: TuningSettings, overwrite: bool = False) -> TuningSession:
        """Begin a tuning; its file must not exist.

        Raises
        ------
        FileError
        UnknownNameError, UnsuitableSolverError
            The search is not there, or is none for this problem; nothing is written.
        """
        session = cls(path, settings)
        session.ask()
        with session.claimed():
            session._write(overwrite)
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
        trials = sorted(experiment.trials.values(), key=lambda trial: trial.name)
        for k, trial in enumerate(trials, 1):
            if str(trial.attributes.get("digest")) != _seal(trial):
                raise FileError(
                    sentence(
                        f"trial {trial.name!r} in file {path}", "not what was written", "the recording of a run", "The file is damaged, or somebody edited it."
                    )
                )
            if trial.name != _name(k) or np.shape(np.asarray(trial.attributes.get("upsilon"))) != (settings.n,) or trial.n != settings.n:
                hint = "Runs of a tuning must not be removed, added or changed."
                raise FileError(sentence(f"runs in file {path}", f"trial {trial.name!r} as the {k}. of {len(trials)}", f"{_name(k)!r}", hint))
        return cls(path, settings, trials, experiment.created)

    def ask(self) -> Request | None:
        """The next run, None when the tuning is over. Asking again gives the same.

        Raises
        ------
        FileError
            The stored runs are not those of these settings.
        SolveError
            The search broke down.
        """
        stop = self._replay()
        if stop.error is not None:
            raise stop.error
        return stop.request

    def tell(self, number: int, trial: Trial) -> Verdict:
        """Store the recording of the run asked for.

        Parameters
        ----------
        number : int
            Of the request.
        trial : Trial
            ``tau`` on the arm side; a laser tracker's or accelerometer's signal as attribute ``tool`` or ``acceleration``. Samples that are not finite are
            marked invalid; a later recording that cannot be judged counts as a failed run. Axes that the tuning does not know are left out.

        Raises
        ------
        DataError, ShapeError
            Not the run that was asked for, of other axes, the recording of another run, or a first one that cannot be judged; nothing is stored.
        FileError
            The file cannot be written, or another program changed it meanwhile; nothing is stored.

        Warns
        -----
        DataWarning
            In the first run, the robot still moves at T.
        """
        request = self._expect(number)
        trial = self._of_these_axes(number, trial)
        self._check_other(trial, request)
        trial = trial.masked()
        if number == 1:
            self._check_first(trial)
        notes = {**trial.attributes, "upsilon": np.array(request.upsilon), "number": number, "gears": self.settings.gears}
        notes.pop("failed", None)
        self._change([*self.trials, replace(trial, attributes=notes, name=_name(number))])
        return self._verdicts[-1]

    def fail(self, number: int, reason: str) -> Verdict:
        """Store that the run asked for gave no recording."""
        request = self._expect(number)
        n = self.settings.n
        notes = {"upsilon": np.array(request.upsilon), "number": number, "gears": self.settings.gears, "failed": reason or "no reason given"}
        empty = np.zeros((0, n))
        self._change([*self.trials, Trial(np.zeros(0), empty, tau=empty, joint_names=self.settings.names, name=_name(number), attributes=notes)])
        return self._verdicts[-1]

    def undo(self) -> int:
        """Forget the last run, which was told by mistake, and give its number.

        Raises
        ------
        DataError
            There is none.
        """
        if not self.trials:
            raise DataError(sentence(f"last run of the tuning {self.path.name}", "none", "one to forget"))
        self._change(self.trials[:-1])
        return len(self.trials) + 1

    def remember(self, notes: Mapping[str, Any]) -> None:
        """Add to the notes of the settings."""
        before = self.settings
        self.settings = replace(before, notes={**before.notes, **notes})
        try:
            self._save()
        except BaseException:
            self.settings = before
            raise

    def report(self) -> SessionReport:
        """Where the tuning stands; also of runs that no longer fit the search."""
        stop = self._replay()
        verdicts = tuple(self._verdicts)
        best = best_of(verdicts)
        return SessionReport(
            np.array(home(self.trials, verdicts, self.settings.n)),
            np.nan if best is None else verdicts[best].value,
            verdicts[0].value if verdicts else np.nan,
            tuple(TuningRun(k + 1, point_of(trial), verdict.value) for k, (trial, verdict) in enumerate(zip(self.trials, verdicts, strict=True))),
            verdicts,
            stop.request is None and stop.error is None,
            str(stop),
            self.settings.names,
        )

    @contextmanager
    def claimed(self) -> Iterator[None]:
        """Keep other programs from changing the tuning; reading it, they may.

        Raises
        ------
        FileBusyError
            Another one has it.
        """
        if self._lock is not None:
            yield
            return
        with translated(self.path):
            lock = open(self.path.with_name(f".{self.path.name}.lock"), "a+b")  # noqa: SIM115
        with lock:
            if not taken(lock):
                raise FileBusyError(sentence(f"tuning {self.path}", "another program works on it", "one at a time", "Wait for it, or end it."))
            self._lock = lock
            try:
                yield
            finally:
                self._lock = None

    # -- inside -------------------------------------------------------------------------------------------------------------------------------------

    def _expect(self, number: int) -> Request:
        request = self.ask()
        if request is None or request.number != number:
            wanted = f"no run, the tuning is over ({self._replay()})" if request is None else f"run {request.number}"
            raise DataError(sentence(f"recording for the tuning {self.path.name}", f"run {number}", wanted))
        return request

    def _of_these_axes(self, number: int, trial: Trial) -> Trial:
        names = self.settings.names
        if not trial.joint_names and trial.n == len(names):
            return replace(trial, joint_names=names)
        if any(name not in trial.joint_names for name in names):
            found = f"axes {', '.join(trial.joint_names)}" if trial.joint_names else f"{trial.n} axes"
            raise ShapeError(sentence(f"recording of run {number}", found, f"{len(names)}: {', '.join(names)}"))
        columns = [trial.joint_names.index(name) for name in names]
        chosen: dict[str, Any] = {what: getattr(trial, what)[:, columns] for what in SIGNALS if getattr(trial, what) is not None}
        return replace(trial, joint_names=names, **chosen)

    def _check_other(self, trial: Trial, request: Request) -> None:
        """Refuse what is certainly the recording of another run."""
        what, told = f"recording of run {request.number}", trial.attributes.get("upsilon")
        if told is not None and (np.shape(told) != (self.settings.n,) or not np.allclose(np.asarray(told), request.upsilon)):
            raise DataError(sentence(what, f"made with Υ = {np.asarray(told)} %", f"{np.array(request.upsilon)} %", "Is it the right file?"))
        for k, other in enumerate(self.trials, 1):
            if trial.tau is not None and other.tau is not None and np.ptp(trial.tau, axis=0).any() and np.array_equal(trial.tau, other.tau):
                raise DataError(sentence(what, f"that of run {k}, sample by sample", "a new one", "Is it the right file?"))

    def _check_first(self, trial: Trial) -> None:
        """Refuse a first recording that cannot be judged: a tuning has nothing to begin with then, and what is wrong is seldom the robot."""
        verdict = judged(trial, self.settings.rule, self.settings, None)
        if np.isnan(verdict.value):
            hint = "Correct it, or begin a new tuning with other settings."
            raise DataError(sentence("recording of run 1", verdict.unsafe.rstrip("."), "one that can be judged", hint))
        warn_of_a_tail_in_the_move(trial, self.settings.rule)

    def _change(self, trials: list[Trial]) -> None:
        """Take other runs, in the file and here, or in neither."""
        before = self.trials
        sealed = [replace(trial, attributes={**trial.attributes, "digest": _seal(trial)}) for trial in trials]
        try:
            self._take(sealed)
            self._save()
        except BaseException:
            self._take(before)
            raise

    def _take(self, trials: list[Trial]) -> None:
        """These runs, one verdict each."""
        if len(trials) < len(self._verdicts):
            self._verdicts, self._rule = [], _Remembering(self.settings.rule)
        self.trials, self._stop = trials, None
        for trial in trials[len(self._verdicts) :]:
            self._verdicts.append(judged(trial, self._rule, self.settings, self._verdicts[0].value if self._verdicts else None))

    def _save(self) -> None:
        """Replace the file, if it is the one that was read."""
        with self.claimed():
            if self.path.exists():
                found = read_experiment(self.path)
                if (found.created, len(found.trials)) != (self.created, self._stored):
                    hint = "Another program changed it meanwhile: load it again."
                    raise FileError(sentence(f"file {self.path}", f"{len(found.trials)} runs, begun {found.created}", f"{self._stored}, {self.created}", hint))
            self._write(True)

    def _write(self, overwrite: bool) -> None:
        title, design = f"tuning {self.path.stem}", self.settings.to_mapping()
        write_experiment(Experiment(title, self.trials, design=design, created=self.created), self.path, overwrite)  # type: ignore[arg-type]
        self._stored = len(self.trials)

    def _replay(self) -> Stop:
        if self._stop is None:
            self._take(self.trials)
            self._stop = replay(self.settings, self._rule, self.trials, self._verdicts, f"file {self.path}")
        return self._stop


class _Remembering(SameClock):
    """Looks at every run once, however often the search is replayed."""

    def __init__(self, rule: Rule) -> None:
        super().__init__(rule)
        self.known: dict[str, tuple[float, Array]] = {}

    def of_trial(self, trial: Trial) -> tuple[float, Array]:
        if trial.name not in self.known:
            self.known[trial.name] = super().of_trial(trial)
        return self.known[trial.name]


def _seal(trial: Trial) -> str:
    """Digest of a run."""
    notes = {name: value for name, value in trial.attributes.items() if name != "digest"}
    return digest({"name": trial.name, "time": trial.time, "valid": trial.valid, "notes": notes, **{what: getattr(trial, what) for what in SIGNALS}})


def _name(number: int) -> str:
    return f"run {number:04d}"
