"""Trials that stay in their file and are read part by part: what a recording that is longer than memory needs."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from optid.errors import DataError, DataWarning, FileError, sentence

from .checks import format_faults, sound_item, structure_faults
from .files import Pathlike, open_file, translated
from .reader import read_trial, stored_joint_names, subgroup
from .samples import nonfinite_faults
from .schema import unescape
from .trial import ROLES, SIGNALS, Trial, good_period
from .typed import is_complete, number_attribute, text_attribute, units_attribute
from .units import factors_to_si

if TYPE_CHECKING:
    import h5py

Array = NDArray[np.float64]


@dataclass(frozen=True)
class StoredTrial:
    """A trial of an experiment file of which only the description is in memory.

    Attributes
    ----------
    path : str
    place : str
        Group in the file.
    name, role, period, joint_names
        As of :class:`optid.experiment.Trial`.
    n_samples, n : int
        Samples and joints.
    factors : mapping signal → (n,)
        To SI, for "time" too; its names are the signals that are there.
    plain : bool
        Nothing about the trial asks for a look at all of its samples at once (units said, stamps of full precision); else take :meth:`whole`.
    """

    path: str
    place: str
    name: str
    role: str
    period: float | None
    joint_names: tuple[str, ...]
    n_samples: int
    n: int
    factors: dict[str, Array]
    plain: bool
    _written: tuple[int, int] = field(default=(0, 0), repr=False)

    @property
    def signals(self) -> tuple[str, ...]:
        """Names of the signals that are there, without time."""
        return tuple(what for what in SIGNALS if what in self.factors)

    def whole(self) -> Trial:
        """The trial in memory, with all the checks of :func:`optid.experiment.read_experiment`."""
        with open_file(self.path) as file:
            return read_trial(self._group(file), f"file {self.path}", partial=False)

    def arrays(self, start: int, stop: int, signals: Iterable[str]) -> dict[str, Array]:
        """Rows ``start:stop`` of time (B,), valid (B,) bool and the signals (B, n), in SI units.

        Raises
        ------
        FileError
            The file is no longer what it was when the trial was opened.
        """
        import h5py

        with translated(self.path), h5py.File(self.path, "r") as file:
            if _written(self.path) != self._written:
                raise FileError(sentence(f"file {self.path}", "changed while it was read", "a file that nobody writes", "Start again when it is done."))
            group = self._group(file)
            part = slice(start, stop)
            found = {what: self._in_si(what, _dataset(group, what)[part].astype(float, copy=False)) for what in ("time", *signals)}
            found["valid"] = _dataset(group, "valid")[part] != 0 if "valid" in group else np.ones(len(found["time"]), dtype=bool)
            return found

    def window(self, start: int, stop: int, signals: Iterable[str] | None = None) -> Trial:
        """Rows ``start:stop`` as a trial of q and the signals named (all without).

        Raises
        ------
        DataError
            Numbers that are none in samples marked valid.
        """
        wanted = [what for what in self.signals if signals is None or what == "q" or what in signals]
        arrays: dict[str, Any] = self.arrays(start, stop, wanted)
        trial = Trial(**arrays, joint_names=self.joint_names, role=self.role, period=self.period, name=self.name)
        for fault in nonfinite_faults(trial, first=start):
            raise DataError(f"file {self.path}, {fault}")
        return trial

    def _in_si(self, what: str, rows: Array) -> Array:
        shaped, factors = (rows, self.factors[what][0]) if what == "time" else (rows.reshape(len(rows), self.n), self.factors[what])
        return shaped if (factors == 1.0).all() else shaped * factors

    def _group(self, file: h5py.File) -> h5py.Group:
        trials = sound_item(file, "trials")
        group = None if trials is None else sound_item(trials, self.place.rsplit("/", 1)[-1])
        if group is None:
            raise FileError(sentence(f"file {self.path}, {self.place}", "gone", "the trial that was there"))
        return group


def open_trials(path: Pathlike, role: str | None = None) -> list[StoredTrial]:
    """The trials of an experiment file (those of ``role``), to be read part by part.

    Raises
    ------
    MissingFileError, FileBusyError, FileError
        As :func:`optid.experiment.read_experiment`; what is wrong with the numbers shows when they are read.
    """
    written = _written(path)
    with open_file(path) as file:
        for fault in (*format_faults(file), *structure_faults(file)):
            raise FileError(f"file {path}, {fault}")
        trials = subgroup(file, "trials") if "trials" in file else {}
        found = [_described(os.fspath(path), subgroup(trials, name), written) for name in trials]
    return [trial for trial in found if role is None or trial.role == role]


def _described(path: str, group: h5py.Group, written: tuple[int, int]) -> StoredTrial:
    where = f"file {path}, {group.name}"
    there = [what for what in ("time", *SIGNALS) if what in group]
    for what in ("time", "q"):
        if what not in there:
            raise FileError(sentence(where, f"no {what}", "time and q in every trial"))
    datasets = {what: _dataset(group, what) for what in there}
    n = datasets["q"].shape[1] if datasets["q"].ndim == 2 else 1
    columns = {**datasets, **({"valid": _dataset(group, "valid")} if "valid" in group else {})}
    rows = _common_rows(group, {what: tuple(item.shape) for what, item in columns.items()}, n, where)
    role = text_attribute(group, "role") or "identification"
    if role not in ROLES:
        raise FileError(sentence(f"{where}@role", repr(role), " or ".join(map(repr, ROLES))))
    names = stored_joint_names(group)
    if names and len(names) != n:
        raise FileError(sentence(f"{where}/joint", f"{len(names)} names", f"{n}, one per column of q"))
    units = {what: units_attribute(item) for what, item in datasets.items()}
    factors = {what: factors_to_si(what, unit, 1 if what == "time" else n, f"{where}/{what}") if unit else np.ones(n) for what, unit in units.items()}
    period = number_attribute(group, "period")
    if not good_period(period):
        raise FileError(sentence(f"{where}@period", period, "a positive number [s]"))
    plain = bool(units["q"]) and (datasets["time"].dtype.kind != "f" or datasets["time"].dtype.itemsize >= 8)
    return StoredTrial(path, group.name, unescape(group.name.rsplit("/", 1)[-1]), role, period, names, rows, n, factors, plain, written)


def _common_rows(group: h5py.Group, shapes: dict[str, tuple[int, ...]], n: int, where: str) -> int:
    """Samples of the trial: the rows that every signal of an unfinished recording has."""
    rows = shapes["time"][0] if shapes["time"] else 0
    if not is_complete(group):
        rows = min(shape[0] for shape in shapes.values() if shape)
        warnings.warn(f"{where}: the recording was not closed; its {rows} complete samples are taken.", DataWarning, stacklevel=4)
        shapes = {what: (rows, *shape[1:]) for what, shape in shapes.items()}
    for what, shape in shapes.items():
        wanted = (rows,) if what in ("time", "valid") else (rows, n)
        if shape != wanted and (what, shape, n) != (what, (rows,), 1):
            raise FileError(sentence(f"{where}/{what}", f"shape {shape}", str(wanted)))
    return int(rows)


def _dataset(group: h5py.Group, name: str) -> h5py.Dataset:
    import h5py

    item = sound_item(group, name)
    if not isinstance(item, h5py.Dataset) or item.dtype.kind not in "fiub" or item.shape is None:
        raise FileError(sentence(f"file {group.file.filename}, {group.name}/{name}", "not an array of numbers", "real numbers"))
    return item


def _written(path: Pathlike) -> tuple[int, int]:
    """Size and time of the last change."""
    with translated(path):
        state = os.stat(path)
    return state.st_size, state.st_mtime_ns
