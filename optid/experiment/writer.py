"""Writing experiment files: whole, in one step, never half."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from optid.errors import DataError, FileError, sentence

from .checks import format_faults, structure_faults
from .experiment import Experiment, RobotInfo
from .files import Pathlike, open_file, writable, write_whole
from .samples import nonfinite_faults
from .schema import CHUNK_ROWS, FORMAT, MATLAB_NOTE, PRISMATIC_UNITS, SCHEMA_VERSION, SIGNAL_UNITS
from .trial import SIGNALS, Trial
from .values import COMPRESSION, check_name, write_mapping, write_strings

if TYPE_CHECKING:
    import h5py


def write_experiment(experiment: Experiment, path: Pathlike, overwrite: bool = False) -> None:
    """Write an experiment file.

    The file appears whole or not at all: a temporary file in the same folder takes the name at the end.

    Parameters
    ----------
    experiment : Experiment
    path : str or path
    overwrite : bool
        Replace an existing file.

    Raises
    ------
    FileError
        The file exists and ``overwrite`` is False, the folder is missing or closed, the disk is full.
    DataError
        A value that has no place in a file, or a NaN in a sample that counts as valid; both named.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from optid import Experiment, Trial, read_experiment, write_experiment
    >>> trial = Trial([0.0, 0.1, 0.2], [[0.0], [0.1], [0.3]], tau=[[1.0], [2.0], [3.0]], joint_names=("swing",), name="monday")
    >>> with TemporaryDirectory() as folder:
    ...     write_experiment(Experiment("swings", [trial]), f"{folder}/swings.h5")
    ...     print(read_experiment(f"{folder}/swings.h5")["monday"] == trial)
    True
    """
    for trial in experiment.trials.values():
        check_joint_names(trial.joint_names, f"trial {trial.name!r}")
        for fault in nonfinite_faults(trial):
            raise DataError(str(fault))

    def fill(temporary: Path) -> None:
        size = sum(value.nbytes for trial in experiment.trials.values() for what in SIGNALS if (value := getattr(trial, what)) is not None)
        with writable(temporary, "w", size) as file:
            write_root(file, experiment.title, experiment.created, next(iter(experiment.trials), None))
            if experiment.attributes:
                write_mapping(file.create_group("attributes", track_order=True), experiment.attributes, "attributes")
            if experiment.robot is not None:
                write_robot(file, experiment.robot)
            if experiment.design:
                write_mapping(file.create_group("design", track_order=True), experiment.design, "design")
            for name, trial in experiment.trials.items():
                _write_trial(file["trials"], check_name(name, "the trials"), trial)
            for name, result in experiment.results.items():
                _write_result(file, name, result)

    write_whole(path, fill, overwrite)


def add_results(path: Pathlike, name: str, mapping: Mapping[str, Any], overwrite: bool = False) -> None:
    """Add a group of results to an experiment file.

    The file is copied, changed and put back in one step, so that no reader sees half a result; it is held against other writers meanwhile.

    Parameters
    ----------
    path : str or path
    name : str
        Name of the result.
    mapping : mapping
        Arrays, numbers, text, None and nested mappings, e.g. ``parameter_names``, ``values``, ``sigmas``, ``units``, ``covariance``, ``options``,
        ``versions``, ``hashes``. Axes as long as ``parameter_names`` are labelled with them.
    overwrite : bool
        Replace a result of the same name.

    Raises
    ------
    FileError
        The result exists and ``overwrite`` is False, or the file is not an experiment.
    FileBusyError
        Another program has the file open.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from optid import add_results, read_experiment
    >>> from optid.testing import example_file
    >>> with TemporaryDirectory() as folder:
    ...     file = example_file(folder)
    ...     add_results(file, "mass", {"value": 2.0, "sigma": 0.1})
    ...     print(read_experiment(file).results["mass"]["value"])
    2.0
    """
    with open_file(path, "r+") as held:
        for fault in (*format_faults(held), *structure_faults(held)):
            raise FileError(f"file {path}, {fault}")
        if check_name(name, "the results") in held.get("results", ()) and not overwrite:
            raise FileError(sentence(f"result {name!r} in file {path}", "it exists already", "a new name", "Pass overwrite=True to replace it."))

        def fill(temporary: Path) -> None:
            shutil.copyfile(path, temporary)
            with writable(temporary, "r+", temporary.stat().st_size) as file:
                link = check_name(name, "the results")
                if link in file.get("results", ()):
                    del file["results"][link]
                _write_result(file, name, mapping)
            if os.name == "nt":
                held.close()

        write_whole(path, fill, overwrite=True)


def write_root(file: h5py.File, title: str, created: str, default: str | None) -> None:
    """Attributes of the file and the empty group of trials."""
    from optid import __version__

    if "\x00" in title:
        raise DataError(sentence("title of the experiment", "a NUL character", "plain text"))
    attributes = {
        "format": FORMAT,
        "schema_version": np.int64(SCHEMA_VERSION),
        "title": title,
        "created": created,
        "generator": f"optid {__version__}",
        "matlab_note": MATLAB_NOTE,
        "NX_class": "NXroot",
        "default": "trials",
    }
    file.attrs.update(attributes)
    trials = file.create_group("trials", track_order=True)
    trials.attrs["NX_class"] = "NXentry"
    if default is not None:
        trials.attrs["default"] = check_name(default, "the trials")


def write_robot(file: h5py.File, robot: RobotInfo) -> None:
    """The group /robot."""
    entries = {
        "name": robot.name,
        "description": robot.description,
        "description_sha256": robot.sha256,
        "joint_names": robot.joint_names or None,
        "parameter_names": robot.parameter_names or None,
        "gains": robot.gains,
        "coupling": robot.coupling,
    }
    group = file.create_group("robot", track_order=True)
    write_mapping(group, {key: value for key, value in entries.items() if value is not None}, "robot")


def create_trial(
    parent: h5py.Group, link: str, n: int, joint_names: tuple[str, ...], signals: tuple[str, ...], storage: dict[str, Any], rows: int
) -> h5py.Group:
    """A trial with its attributes, scales and empty signals.

    Parameters
    ----------
    storage : dict
        Options of every dataset of numbers (compression).
    rows : int
        Rows of a chunk.
    """
    group = parent.create_group(link, track_order=True)
    group.attrs.update({"NX_class": "NXdata", "signal": "q", "axes": ["time", "joint"]})
    time = group.create_dataset("time", (0,), np.float64, maxshape=(None,), chunks=(rows,), **storage)
    time.attrs["units"] = "s"
    time.make_scale("time")
    joint = write_strings(group, "joint", joint_names) if joint_names else group.create_dataset("joint", data=np.arange(n, dtype=np.int64))
    joint.make_scale("joint")
    for signal in signals:
        dataset = group.create_dataset(signal, (0, n), np.float64, maxshape=(None, n), chunks=(rows, max(1, n)), **storage)
        dataset.attrs["units"] = SIGNAL_UNITS[signal]
        dataset.attrs["units_prismatic"] = PRISMATIC_UNITS.get(signal, SIGNAL_UNITS[signal])
        dataset.dims[0].attach_scale(time)
        dataset.dims[1].attach_scale(joint)
    valid = group.create_dataset("valid", (0,), np.uint8, maxshape=(None,), chunks=(rows,), **storage)
    valid.dims[0].attach_scale(time)
    return group


def check_joint_names(names: tuple[str, ...], where: str) -> None:
    """Raise DataError for a joint name that cannot be stored, or that is there twice."""
    for name in names:
        check_name(name, where)
        if "\x00" in name:
            raise DataError(sentence(f"joint name {name!r} in {where}", "a NUL character", "plain text"))
        if names.count(name) > 1:
            raise DataError(sentence(f"joint names of {where}", f"{name!r} twice", "names that differ"))


def _write_trial(parent: h5py.Group, link: str, trial: Trial) -> None:
    signals = tuple(what for what in SIGNALS if getattr(trial, what) is not None)
    group = create_trial(parent, link, trial.n, trial.joint_names, signals, COMPRESSION, CHUNK_ROWS)
    write_trial_notes(group, trial)
    for what, value in (("time", trial.time), *((s, getattr(trial, s)) for s in signals), ("valid", trial.valid.astype(np.uint8))):
        group[what].resize(len(value), axis=0)
        group[what][...] = value


def write_trial_notes(group: h5py.Group, trial: Trial) -> None:
    """Role, period, sources and free notes of a trial."""
    group.attrs["role"] = trial.role
    if trial.period is not None:
        group.attrs["period"] = np.float64(trial.period)
    for signal, source in trial.sources.items():
        if signal in group and signal in SIGNALS:
            group[signal].attrs["source"] = str(source)
    if trial.attributes:
        write_mapping(group.create_group("attributes", track_order=True), trial.attributes, f"attributes of trial {trial.name!r}")


def _write_result(file: h5py.File, name: str, result: Mapping[str, Any]) -> None:
    results = file.require_group("results")
    group = results.create_group(check_name(name, "the results"), track_order=True)
    write_mapping(group, result, f"result {name!r}")
