"""Reading experiment files."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
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
from .units import factor_to_si, factors_to_si
from .values import read_attribute, read_mapping, read_strings

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
    """
    with open_file(path) as file:
        faults = list(format_faults(file)) or list(structure_faults(file))
        if faults:
            raise FileError(f"file {path}, {faults[0]}" + _more(len(faults) - 1))
        design, notes = (read_mapping(_group(file, what)) if what in file else {} for what in ("design", "attributes"))
        return Experiment(
            title=_text(file.attrs, "title"),
            trials=_each(file, "trials", lambda group: read_trial(group, f"file {path}", partial), partial),
            robot=_read_robot(_group(file, "robot"), f"file {path}") if "robot" in file else None,
            design=design,
            results=_each(file, "results", read_mapping, partial),
            attributes=notes,
            created=_text(file.attrs, "created"),
        )


def _more(count: int) -> str:
    return f" ({count} more: optid.experiment.validate_file lists them all.)" if count else ""


def _group(parent: h5py.Group, name: str) -> h5py.Group:
    import h5py

    item = parent[name]
    if not isinstance(item, h5py.Group):
        raise FileError(sentence(f"file {parent.file.filename}, {item.name}", "a dataset", "a group"))
    return item


def _text(attributes: Mapping[str, Any], name: str) -> str:
    value = attributes.get(name, "")
    return value.decode(errors="replace") if isinstance(value, bytes) else str(value)


def _each(file: h5py.File, what: str, read: Callable[[h5py.Group], Any], partial: bool) -> dict[str, Any]:
    """Read every group in ``file[what]``; with ``partial`` leave the unreadable ones out."""
    result: dict[str, Any] = {}
    for name in _group(file, what) if what in file else ():
        try:
            result[unescape(name)] = read(_group(file[what], name))
        except (OptidError, OSError, RuntimeError, KeyError, ValueError) as error:
            if not partial:
                raise
            warnings.warn(f"file {file.filename}: /{what}/{name} is left out: {error}", DataWarning, stacklevel=4)
    return result


def _read_robot(group: h5py.Group, where: str) -> RobotInfo:
    entries = read_mapping(group)
    description = entries.get("description", "")
    robot = RobotInfo(
        name=entries.get("name", ""),
        description=description,
        joint_names=tuple(entries.get("joint_names", ())),
        parameter_names=tuple(entries.get("parameter_names", ())),
        gains=entries.get("gains"),
        coupling=entries.get("coupling"),
    )
    stored = entries.get("description_sha256", robot.sha256)
    if stored != robot.sha256:
        fault = Fault("/robot/description", "text that does not fit its hash", "the text that was written", "It was changed or damaged; write the file again.")
        raise FileError(f"{where}, {fault}")
    return robot


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
    if "complete" in group.attrs and not group.attrs["complete"]:
        columns = _cut_to_common_length(columns, where, group.name)
    if group["time"].dtype.itemsize < 8 and group["time"].dtype.kind == "f":
        equal = int(np.sum(np.diff(columns["time"]) == 0))
        warnings.warn(
            f"{where}, {group.name}/time: {group['time'].dtype} stamps, expected float64. {equal} stamps equal the one before.", DataWarning, stacklevel=4
        )
    names = stored_joint_names(group)
    if names and columns["q"].ndim == 2 and len(names) != columns["q"].shape[1]:
        raise FileError(sentence(f"{where}, {group.name}/joint", f"{len(names)} names", f"{columns['q'].shape[1]}, one per column of q"))
    notes = read_mapping(_group(group, "attributes")) if "attributes" in group else {}
    time = columns.pop("time")
    valid = columns.pop("valid")
    role, period = _text(group.attrs, "role"), group.attrs.get("period")
    try:
        trial = Trial(
            time=time * factor_to_si("time", _text(group["time"].attrs, "units") or "s", group.name),
            **{what: value * _factors(group[what], what, value) for what, value in columns.items()},
            joint_names=names,
            valid=valid != 0,
            role=role or "identification",
            sources={what: _text(group[what].attrs, "source") for what in signals if "source" in group[what].attrs},
            period=None if period is None else float(period),
            name=unescape(group.name.rsplit("/", 1)[-1]),
            attributes=notes,
        )
    except (OptidError, TypeError) as error:
        raise FileError(f"{where}, {group.name}: {error}") from error
    if "units" not in group["q"].attrs:
        for fault in degree_faults(trial.q, trial.dq, trial.time, (f"{where}, {group.name}/q", f"{where}, {group.name}/dq")):
            warnings.warn(str(fault), DataWarning, stacklevel=4)
    return _finite(trial, where, partial)


def _numbers(group: h5py.Group, name: str, where: str) -> NDArray[np.float64]:
    import h5py

    item = group[name]
    if not isinstance(item, h5py.Dataset) or item.dtype.kind not in "fiub" or item.shape is None:
        raise FileError(sentence(f"{where}, {item.name}", "not an array of numbers", "real numbers"))
    return np.asarray(item[()], dtype=float)


def _factors(dataset: h5py.Dataset, signal: str, value: NDArray[np.float64]) -> NDArray[np.float64]:
    units = read_attribute(dataset, "units") if "units" in dataset.attrs else ""
    n = value.shape[1] if value.ndim == 2 else 1
    return factors_to_si(signal, units, n, dataset.name) if units else np.ones(n)


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
