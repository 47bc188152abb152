"""Reading experiment files."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from optid.errors import DataError, DataWarning, FileError, OptidError, sentence

from .checks import format_faults, sound_item, structure_faults
from .experiment import Experiment, RobotInfo
from .fault import Fault
from .files import Pathlike, open_file
from .samples import degree_faults, nonfinite_faults, rows_text
from .schema import unescape
from .trial import SIGNALS, Trial
from .typed import is_complete, number_attribute, numbers, text, text_attribute, texts, units_attribute
from .units import factors_to_si
from .values import read_mapping, read_strings

if TYPE_CHECKING:
    import h5py


def read_experiment(path: Pathlike, *, partial: bool = False) -> Experiment:
    """Read an experiment file, or the ``.part`` file of a recording that was cut off.

    Parameters
    ----------
    path : str or path
    partial : bool
        Take what is good: samples with NaN or infinite numbers are marked invalid (with a :class:`optid.errors.DataWarning` that counts them) instead of
        refused, and a trial or result that cannot be read is left out with a warning.

    Raises
    ------
    MissingFileError, FileBusyError
        The file is not there, or a program is writing it.
    FileError
        Foreign, truncated, damaged, newer or hostile file; the message names file and place. Links out of the file, references and compound data are refused.
    DataError
        Numbers that are none, by trial, signal, sample (counted from 0) and joint.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from optid import read_experiment
    >>> from optid.testing import example_file, example_recording
    >>> with TemporaryDirectory() as folder:
    ...     print(read_experiment(example_file(folder))["a"] == example_recording())
    True
    """
    with open_file(path) as file:
        faults = list(format_faults(file)) or list(structure_faults(file))
        if faults:
            raise FileError(f"file {path}, {faults[0]}" + _more(len(faults) - 1))
        robot, fault = read_robot(subgroup(file, "robot")) if "robot" in file else (None, None)
        if fault is not None:
            raise FileError(f"file {path}, {fault}")
        design, notes = (read_mapping(subgroup(file, what)) if what in file else {} for what in ("design", "attributes"))
        return Experiment(
            title=text_attribute(file, "title"),
            trials=_each(file, "trials", lambda group: read_trial(group, f"file {path}", partial), partial),
            robot=robot,
            design=design,
            results=_each(file, "results", read_mapping, partial),
            attributes=notes,
            created=text_attribute(file, "created"),
        )


def _more(count: int) -> str:
    return f" ({count} more: optid.experiment.validate_file lists them all.)" if count else ""


def subgroup(parent: h5py.Group, name: str) -> h5py.Group:
    """The group of that name, or a FileError when it is something else."""
    import h5py

    item = parent[name]
    if not isinstance(item, h5py.Group):
        raise FileError(sentence(f"file {parent.file.filename}, {item.name}", "a dataset", "a group"))
    return item


def _each(file: h5py.File, what: str, read: Callable[[h5py.Group], Any], partial: bool) -> dict[str, Any]:
    """Read every group in ``file[what]``; with ``partial`` leave the unreadable ones out."""
    result: dict[str, Any] = {}
    for name in subgroup(file, what) if what in file else ():
        try:
            result[unescape(name)] = read(subgroup(file[what], name))
        except (OptidError, OSError, RuntimeError, KeyError, ValueError) as error:
            if not partial:
                raise
            warnings.warn(f"file {file.filename}: /{what}/{name} is left out: {error}", DataWarning, stacklevel=4)
    return result


def read_robot(group: h5py.Group) -> tuple[RobotInfo, Fault | None]:
    """The robot of a file, and the fault that its description does not fit its hash, if so.

    Raises
    ------
    FileError
        An entry of the wrong kind.
    ShapeError
        Gains that are no vector, or a coupling that is no square matrix.
    """
    entries = {name: value for name, value in read_mapping(group).items() if value is not None}
    kinds: dict[str, Callable[[Any, str], Any]] = {
        "name": text,
        "description": text,
        "joint_names": texts,
        "parameter_names": texts,
        "gains": numbers,
        "coupling": numbers,
        "description_sha256": text,
    }
    found = {name: kind(entries[name], f"{group.name}/{name}") for name, kind in kinds.items() if name in entries}
    stored = found.pop("description_sha256", None)
    robot = RobotInfo(**found)
    fault = Fault("/robot/description", "text that does not fit its hash", "the text that was written", "It was changed or damaged; write the file again.")
    return robot, fault if stored not in (None, robot.sha256) else None


def read_trial(group: h5py.Group, where: str, partial: bool) -> Trial:
    """One trial.

    Raises
    ------
    FileError
        A signal is missing, has the wrong shape or unit, or is not numeric.
    DataError
        Numbers that are none, unless ``partial``.
    """
    signals = tuple(what for what in SIGNALS if what in group)
    missing = [what for what in ("time", "q") if what not in group]
    if missing:
        raise FileError(sentence(f"{where}, {group.name}", f"no {missing[0]}", "time and q in every trial"))
    columns = {what: _numbers(group, what, where) for what in ("time", *signals)}
    columns["valid"] = _numbers(group, "valid", where) if "valid" in group else np.ones(len(columns["time"]))
    if not is_complete(group):
        columns = _cut_to_common_length(columns, where, group.name)
    if group["time"].dtype.itemsize < 8 and group["time"].dtype.kind == "f":
        equal = int(np.sum(np.diff(columns["time"]) == 0))
        warnings.warn(
            f"{where}, {group.name}/time: {group['time'].dtype} stamps, expected float64. {equal} stamps equal the one before.", DataWarning, stacklevel=4
        )
    names = stored_joint_names(group)
    if names and columns["q"].ndim == 2 and len(names) != columns["q"].shape[1]:
        raise FileError(sentence(f"{where}, {group.name}/joint", f"{len(names)} names", f"{columns['q'].shape[1]}, one per column of q"))
    notes = read_mapping(subgroup(group, "attributes")) if "attributes" in group else {}
    time = columns.pop("time")
    valid = columns.pop("valid")
    units = {what: units_attribute(group[what]) for what in ("time", *signals)}
    role, period = text_attribute(group, "role") or "identification", number_attribute(group, "period")
    sources = {what: text_attribute(group[what], "source") for what in signals if "source" in group[what].attrs}
    try:
        trial = Trial(
            time=time * factors_to_si("time", units["time"] or "s", 1, group.name)[0],
            **{what: value * _factors(what, units[what], value, group.name) for what, value in columns.items()},
            joint_names=names,
            valid=valid != 0,
            role=role,
            sources=sources,
            period=period,
            name=unescape(group.name.rsplit("/", 1)[-1]),
            attributes=notes,
        )
    except OptidError as error:
        raise FileError(f"{where}, {group.name}: {error}") from error
    if not units["q"]:
        for fault in degree_faults(trial.q, trial.dq, trial.time, (f"{where}, {group.name}/q", f"{where}, {group.name}/dq")):
            warnings.warn(str(fault), DataWarning, stacklevel=4)
    return _finite(trial, where, partial)


def _numbers(group: h5py.Group, name: str, where: str) -> NDArray[np.float64]:
    import h5py

    item = group[name]
    if not isinstance(item, h5py.Dataset) or item.dtype.kind not in "fiub" or item.shape is None:
        raise FileError(sentence(f"{where}, {item.name}", "not an array of numbers", "real numbers"))
    return np.asarray(item[()], dtype=float)


def _factors(signal: str, units: str | list[str], value: NDArray[np.float64], where: str) -> NDArray[np.float64]:
    n = value.shape[1] if value.ndim == 2 else 1
    return factors_to_si(signal, units, n, f"{where}/{signal}") if units else np.ones(n)


def stored_joint_names(group: h5py.Group) -> tuple[str, ...]:
    """Joint names of a trial, empty when it stores none."""
    import h5py

    item = sound_item(group, "joint")
    if not isinstance(item, h5py.Dataset) or h5py.check_string_dtype(item.dtype) is None:
        return ()
    return tuple(str(name) for name in np.atleast_1d(read_strings(item)))


def _cut_to_common_length(columns: dict[str, NDArray[np.float64]], where: str, name: str) -> dict[str, NDArray[np.float64]]:
    """The rows that every signal of an unfinished recording has."""
    rows = min(len(value) for value in columns.values())
    warnings.warn(f"{where}, {name}: the recording was not closed; its {rows} complete samples are taken.", DataWarning, stacklevel=5)
    return {what: value[:rows] for what, value in columns.items()}


def _finite(trial: Trial, where: str, partial: bool) -> Trial:
    faults = list(nonfinite_faults(trial))
    if not faults:
        return trial
    if not partial:
        raise DataError(f"{where}, {faults[0]}" + _more(len(faults) - 1))
    timed = np.isfinite(trial.time)
    trial = trial if timed.all() else trial.select(timed)
    masked = trial.masked()
    rows = np.flatnonzero(trial.valid & ~masked.valid)
    dropped = int(np.sum(~timed))
    message = f"{where}, trial {trial.name!r}: {len(rows)} samples with NaN or infinite numbers are marked invalid (sample {rows_text(rows)})"
    warnings.warn(f"{message}; {dropped} without a stamp are dropped.", DataWarning, stacklevel=5)
    return masked
