"""The recordings of a campaign: found, opened and held against the robot before any work begins."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from optid.errors import DataError, FileError, MissingFileError, OptidError, RobotError, sentence, unknown_name
from optid.robot import Robot

from .read import CampaignFile
from .robots import difference, near
from .schema import RecordingPart
from .tables import Place
from .wording import placed

if TYPE_CHECKING:
    from optid.experiment import Mapping, RobotInfo, Trial
    from optid.experiment.stored import StoredTrial

EXPERIMENT = (".h5", ".hdf5", ".nc")
_HDF5 = b"\x89HDF\r\n\x1a\n"


@dataclass(frozen=True)
class Recording:
    """One recording.

    Attributes
    ----------
    name : str
        Unlike all others of the campaign; names its imported file and, of a log, the trial.
    path : Path
    part : RecordingPart
        The table that names it.
    place : Place
        Of that table.
    mapping : Mapping or None
    experiment : bool
        An experiment file; else something to import.
    """

    name: str
    path: Path
    part: RecordingPart
    place: Place
    mapping: Mapping | None
    experiment: bool

    @cached_property
    def imported(self) -> bool:
        """Whether an experiment file is made of it: of a log, and of one of which some trials are left out or change their role."""
        if not self.experiment:
            return True
        from optid.experiment.stored import open_trials

        there = [(trial.name, trial.role) for trial in open_trials(self.path)]
        return self._chosen(there) != there

    @property
    def files(self) -> tuple[Path, ...]:
        """All files that it consists of."""
        if self.mapping is not None and self.mapping.files:
            return tuple(dict.fromkeys(self.path / name for name in self.mapping.files.values()))
        if self.path.is_dir():
            return tuple(sorted(path for path in self.path.iterdir() if path.is_file()))
        return (self.path,)

    def trials(self, robot: Robot) -> list[Trial]:
        """The trials that are taken, in memory, with their roles.

        Raises
        ------
        OptidError
            Whatever is wrong with the file or its numbers.
        """
        if not self.experiment:
            return [self._imported(robot)]
        from optid.experiment import read_experiment

        stored = read_experiment(self.path).trials
        chosen = self._chosen([(trial.name, trial.role) for trial in stored.values()])
        return [stored[name] if stored[name].role == role else replace(stored[name], role=role) for name, role in chosen]

    def roles(self, robot: Robot, tip: str | None, file: Path | None = None) -> list[tuple[str, str]]:
        """Names and roles of the trials, once the recording has been held against the robot.

        Parameters
        ----------
        file : Path, optional
            The experiment file that has been made of it already.

        Raises
        ------
        OptidError
            It cannot be read, holds another robot's joints, or describes another robot.
        """
        from optid.experiment.stored import open_trials

        if file is None and not self.experiment:
            trial = self._imported(robot)
            self._hold(trial, robot)
            return [(trial.name, trial.role)]
        source = self.path if file is None else file
        stored = {trial.name: trial for trial in open_trials(source)}
        described = _robot_of(source)
        other = "" if described is None or self.part.other_robot else difference(described, robot, tip)
        if other:
            hint = "If it is the same robot, write other_robot = true in its table."
            raise RobotError(sentence(f"recording {self.path} ({self.place})", f"of another robot: {other}", f"robot {robot.name!r}", hint))
        chosen = self._chosen([(trial.name, trial.role) for trial in stored.values()])
        for name, _ in chosen:
            self._hold(stored[name], robot)
        return chosen

    def _hold(self, trial: Trial | StoredTrial, robot: Robot) -> None:
        """Refuse a trial whose joints are not the robot's, or that has no torque."""
        from optid.identification.prepare import arranged

        try:
            arranged(trial.window(0, 0), robot)
        except OptidError as error:
            raise placed(error, f"recording {self.path} ({self.place})") from None

    def _chosen(self, there: list[tuple[str, str]]) -> list[tuple[str, str]]:
        """The trials taken of those that are there, with their roles in the campaign."""
        names = [name for name, _ in there]
        for name in self.part.trials:
            if name not in names:
                raise unknown_name(f"trials of {self.place}: trial of {self.path}", name, names)
        if not there:
            raise DataError(sentence(f"recording {self.path} ({self.place})", "no trial", "at least one"))
        return [(name, self.part.role or role) for name, role in there if not self.part.trials or name in self.part.trials]

    def _imported(self, robot: Robot) -> Trial:
        from optid.experiment import import_recording

        mapping = self.mapping
        named = mapping is None or bool(mapping.joint_names) or any(isinstance(c, str) and "*" in c for c in mapping.signals.values())
        options: dict[str, Any] = {what: getattr(self.part, what) for what in ("effort", "topic", "clock")}
        wanted = robot.joint_names if named else None
        try:
            trial = import_recording(self.path, mapping, joint_names=wanted, partial=self.part.partial, name=self.name, **options)
        except OptidError as error:
            raise placed(error, self.place) from None
        return trial if self.part.role is None else replace(trial, role=self.part.role)


def find(file: CampaignFile) -> tuple[list[Recording], list[MissingFileError]]:
    """The recordings that the campaign names, and the errors for those that are not there."""
    found: list[tuple[Path, RecordingPart, Place]] = []
    missing = []
    for number, part in enumerate(file.campaign.recordings, start=1):
        place = file.place("recordings", number)
        for pattern in part.patterns:
            paths = list(_matching(file.folder, pattern))
            if not paths:
                found_none = "no file fits" if any(c in pattern for c in "*?[") else "not found"
                hint = near(file.folder, pattern) or f"Paths start from {file.folder.resolve()}."
                missing.append(MissingFileError(sentence(f"files of {place}", f"{pattern!r}, {found_none}", "recordings", hint)))
            found += [(path, part, place) for path in paths]
    names = _names([path for path, _, _ in found], file.folder)
    return [_recording(name, path, part, place, file) for name, (path, part, place) in zip(names, found, strict=True)], missing


def refuse_twice(used: Sequence[tuple[Recording, str]]) -> None:
    """Refuse a trial that is used twice: it would count double, or judge the model that it made.

    Raises
    ------
    DataError
    """
    seen: dict[tuple[Path, str], Recording] = {}
    for recording, trial in used:
        key = (recording.path.resolve(), trial if recording.experiment else "")
        if key in seen:
            what = f"recording {recording.path}" + (f", trial {trial!r}" if recording.experiment else "")
            places = " and ".join(dict.fromkeys((str(seen[key].place), str(recording.place))))
            raise DataError(sentence(what, f"named twice, by {places}", "one use of it"))
        seen[key] = recording


def _matching(folder: Path, pattern: str) -> Iterator[Path]:
    if (folder / pattern).exists():
        yield folder / pattern
        return
    if any(c in pattern for c in "*?["):
        for name in sorted(glob.glob(os.path.join(glob.escape(str(folder)), pattern), recursive=True)):
            yield Path(name)


def _names(paths: Sequence[Path], folder: Path) -> list[str]:
    """A name for each: its own, with its folders where that is not enough, with a number where that is not either."""

    def plain(text: str) -> str:
        return re.sub(r"[^\w.-]", "_", text).strip(".") or "recording"

    def longer(path: Path) -> str:
        inside = path.resolve().is_relative_to(folder.resolve())
        parts = (path.resolve().relative_to(folder.resolve()) if inside else path).with_suffix("").parts
        return plain("-".join(part for part in parts if part not in ("/", "..")))

    short = [plain(path.stem) for path in paths]
    names: list[str] = []
    for path, name in zip(paths, short, strict=True):
        stem = candidate = name if short.count(name) == 1 else longer(path)
        number = 1
        while candidate in names:
            number += 1
            candidate = f"{stem}-{number}"
        names.append(candidate)
    return names


def _recording(name: str, path: Path, part: RecordingPart, place: Place, file: CampaignFile) -> Recording:
    from optid.experiment import Mapping

    experiment = path.is_file() and _is_experiment(path)
    if experiment and part.mapping is not None:
        raise DataError(sentence(f"mapping of {place}", f"given for the experiment file {path.name}", "a log", "An experiment file says itself what is what."))
    if not experiment and part.trials:
        raise DataError(sentence(f"trials of {place}", f"given for the log {path.name}", "an experiment file", "A log is one trial."))
    mapping = None
    if isinstance(part.mapping, str):
        mapping = Mapping.from_toml(file.folder / part.mapping)
    elif part.mapping is not None:
        mapping = _mapping(part.mapping, place.inside("mapping"))
    return Recording(name, path, part, place, mapping, experiment)


def _mapping(values: dict[str, Any], place: Place) -> Mapping:
    """A mapping that stands in the campaign file."""
    from dataclasses import fields

    from optid.experiment import Mapping

    names = [f.name for f in fields(Mapping)]
    for key in values:
        if key not in names:
            raise unknown_name(f"key of {place}:", key, names)
    if "q" not in values:
        raise DataError(sentence(str(place), "no q", "q = columns of the positions"))
    try:
        return Mapping(**values)
    except OptidError as error:
        raise placed(error, place) from None


def _is_experiment(path: Path) -> bool:
    try:
        with open(path, "rb") as raw:
            head = raw.read(len(_HDF5))
    except OSError as error:
        raise FileError(sentence(f"recording {path}", error.strerror or "not readable", "a file that can be read")) from None
    return path.suffix.lower() in EXPERIMENT or (head == _HDF5 and path.suffix.lower() != ".mat")


def _robot_of(path: Path) -> RobotInfo | None:
    """The robot that an experiment file describes."""
    from optid.experiment.files import open_file
    from optid.experiment.reader import read_robot, subgroup

    with open_file(path) as file:
        if "robot" not in file:
            return None
        robot, fault = read_robot(subgroup(file, "robot"))
    if fault is not None:
        raise FileError(f"file {path}, {fault}")
    return robot
