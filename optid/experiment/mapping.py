"""Which column of a log is which signal, in which unit."""

from __future__ import annotations

import collections.abc
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from numbers import Integral, Real
from os import PathLike
from typing import Any

import numpy as np

from optid.errors import DataError, FileError, MissingFileError, UnknownNameError, sentence, unknown_name

from .files import Pathlike
from .schema import SOURCES
from .trial import ROLES, SIGNALS, good_period

Columns = str | int | Sequence[str | int]
_RATES = {"dq": "/s", "ddq": "/s^2"}


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def _is_whole(value: object) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)


def _all(values: object, fits: Callable[[Any], bool]) -> bool:
    """Whether it is a sequence (or an array) of values that fit."""
    return isinstance(values, (Sequence, np.ndarray)) and not isinstance(values, str) and np.ndim(values) == 1 and all(map(fits, values))


def _is_columns(value: object) -> bool:
    return isinstance(value, str) or _is_whole(value) or (_all(value, lambda x: isinstance(x, str) or _is_whole(x)) and bool(len(value)))  # type: ignore[arg-type]


def _is_table(table: object, fits: Callable[[Any], bool]) -> bool:
    return isinstance(table, collections.abc.Mapping) and all(map(fits, table.values()))


def _each(table: object, fits: Callable[[Any], bool]) -> bool:
    """Whether every signal has one value that fits, or a sequence of them."""
    return _is_table(table, lambda x: fits(x) or _all(x, fits))


@dataclass(frozen=True)
class Mapping:
    """How a log becomes a trial. Also read from a TOML file with the same keys (:meth:`from_toml`).

    Attributes
    ----------
    q, dq, ddq, tau, current : columns
        Text tables: column numbers counted from 0 (``[1, 2, 3]``), a range of them (``"1:7"``, end excluded), header names (``["q1", "q2"]``), or one pattern
        (``"q_*"``); when the starred parts are names, they are taken as joint names. MAT and NPZ: a variable (``"qm"``, ``"log.q"`` in a structure), some of
        its columns (``"data[1:7]"``), or one variable a joint (``["q1", "q2"]``).
    time : column, optional
    rate : float, optional [Hz]
        Sampling rate of a log without a time column.
    units : mapping signal → unit, or one angle unit
        ``{"q": "deg", "dq": "deg/s", "tau": "N m", "current": "A", "time": "ms"}``; a list gives one unit a joint. What is not stated is SI; ``dq`` and
        ``ddq`` follow the unit of ``q`` unless they have one of their own. ``"deg"`` means ``{"q": "deg"}``.
    scale : mapping signal → factor or (n,) factors
        Applied after the units, e.g. ``{"q": [1, 1, -1]}``.
    gains : (n,) optional [N m/A]
        Makes ``tau = gains · current``. A current never becomes a torque in any other way.
    joint_names : names, or for MAT and NPZ the variable that holds them
    joints : int, optional
        Number of joints of a log with one number a line: N·joints numbers, sample after sample, become (N, joints).
    transpose : bool
        MAT and NPZ: arrays are (joints, samples).
    files : mapping signal → file name
        For logs of several files; the path given to the importer is then their folder.
    delimiter, header, decimal, skip_rows
        Of text tables: delimiter (found when not given), whether there is a header line (found when not given), decimal sign, lines to skip at the top.
    role, period, source
        As in :class:`Trial`; ``source`` holds for all signals.

    Examples
    --------
    >>> from optid.experiment import Mapping
    >>> Mapping(q="pos_*", tau="tau_*", time="t", units={"q": "deg"}).units["q"]
    'deg'
    """

    q: Columns
    dq: Columns | None = None
    ddq: Columns | None = None
    tau: Columns | None = None
    current: Columns | None = None
    time: str | int | None = None
    rate: float | None = None
    units: str | collections.abc.Mapping[str, str | Sequence[str]] = field(default_factory=dict)
    scale: collections.abc.Mapping[str, float | Sequence[float]] = field(default_factory=dict)
    gains: Sequence[float] | None = None
    joint_names: str | Sequence[str] = ()
    joints: int | None = None
    transpose: bool = False
    files: collections.abc.Mapping[str, str] = field(default_factory=dict)
    delimiter: str | None = None
    header: bool | None = None
    decimal: str = "."
    skip_rows: int = 0
    role: str = "identification"
    period: float | None = None
    source: str = "measured"

    def __post_init__(self) -> None:
        if isinstance(self.units, str):
            object.__setattr__(self, "units", {"q": self.units})
        self._check_kinds()
        for what, given in (("units", self.units), ("scale", self.scale), ("files", self.files)):
            for signal in given:
                if signal not in ("time", *SIGNALS):
                    raise unknown_name(f"signal in {what} of the mapping", signal, ("time", *SIGNALS))
        if (self.time is None) == (self.rate is None):
            found = "neither time nor rate" if self.time is None else "both time and rate"
            raise DataError(
                sentence("mapping", found, "time= (a column) or rate= [Hz]", "Use rate= when the log has no stamps, or ones that are not to be trusted.")
            )
        if self.rate is not None and not 0 < self.rate < float("inf"):
            raise DataError(sentence("rate of the mapping", self.rate, "a positive number [Hz]"))
        if not good_period(self.period):
            raise DataError(sentence("period of the mapping", self.period, "a positive number [s]"))
        if self.skip_rows < 0:
            raise DataError(sentence("skip_rows of the mapping", self.skip_rows, "a whole number of at least 0"))
        if self.decimal not in (".", ",") or self.decimal == self.delimiter:
            raise DataError(sentence("decimal sign of the mapping", repr(self.decimal), "'.' or ',', and not the delimiter"))
        if self.gains is not None and self.current is None:
            raise DataError(sentence("mapping", "gains without current", "current= columns to turn into torque"))
        if self.gains is not None and self.tau is not None:
            raise DataError(sentence("mapping", "tau beside gains", "either measured torque or current with gains"))
        if self.joints is not None and self.joints < 1:
            raise DataError(sentence("joints of the mapping", self.joints, "a whole number of at least 1"))
        if self.source not in SOURCES:
            raise DataError(sentence("source of the mapping", repr(self.source), " or ".join(map(repr, SOURCES))))
        if self.role not in ROLES:
            raise DataError(sentence("role of the mapping", repr(self.role), " or ".join(map(repr, ROLES))))

    def _check_kinds(self) -> None:
        """Raise DataError for a value of a kind that its key cannot have."""
        kinds: dict[str, tuple[Callable[[Any], bool], str]] = {
            **dict.fromkeys((*SIGNALS, "time"), (_is_columns, "a column (number or name), or a list of them that is not empty")),
            **dict.fromkeys(("rate", "period"), (_is_number, "a number")),
            **dict.fromkeys(("joints", "skip_rows"), (_is_whole, "a whole number")),
            **dict.fromkeys(("transpose", "header"), (lambda x: isinstance(x, bool), "true or false")),
            **dict.fromkeys(("decimal", "role", "source"), (lambda x: isinstance(x, str), "text")),
            "delimiter": (lambda x: isinstance(x, str) and len(x) == 1, "one character"),
            "joint_names": (lambda x: isinstance(x, str) or _all(x, lambda name: isinstance(name, str)), "names, or the variable that holds them"),
            "gains": (lambda x: _all(x, _is_number), "a list of numbers [N m/A]"),
            "units": (lambda x: _each(x, lambda unit: isinstance(unit, str)), "a unit, or for each signal a unit or a list of them"),
            "scale": (lambda x: _each(x, _is_number), "for each signal a factor or a list of them"),
            "files": (lambda x: _is_table(x, lambda name: isinstance(name, (str, PathLike))), "for each signal the name of a file"),
        }
        absent = {f.name for f in fields(self) if f.default is None}
        for what, (fits, expected) in kinds.items():
            value = getattr(self, what)
            if not (value is None and what in absent) and not fits(value):
                raise DataError(sentence(f"{what} of the mapping", repr(value), expected))

    @classmethod
    def of(cls, value: Mapping | Pathlike) -> Mapping:
        """A mapping as it is, or read from the TOML file of that name."""
        return value if isinstance(value, Mapping) else cls.from_toml(value)

    @classmethod
    def from_toml(cls, path: Pathlike) -> Mapping:
        """Read a mapping from a TOML file whose keys are the attributes.

        Raises
        ------
        MissingFileError, FileError
            Not there, or not TOML.
        UnknownNameError
            A key that is none of the attributes.
        DataError
            A value of the wrong kind.
        """
        try:
            with open(path, "rb") as raw:
                entries: dict[str, Any] = tomllib.load(raw)
        except FileNotFoundError as error:
            raise MissingFileError(sentence(f"file {path}", "not found", "a TOML file with the column mapping")) from error
        except (OSError, ValueError) as error:
            raise FileError(sentence(f"file {path}", f"not readable as TOML ({error})", "a TOML file with the column mapping")) from error
        names = [f.name for f in fields(cls)]
        for key in entries:
            if key not in names:
                raise unknown_name(f"key in file {path}", key, names)
        try:
            if "q" not in entries:
                raise DataError(sentence("mapping", "no q", "q = columns of the positions"))
            return cls(**entries)
        except (DataError, UnknownNameError) as error:
            raise type(error)(f"file {path}, {error}") from error

    @property
    def signals(self) -> dict[str, Columns]:
        """The signals that are mapped, with their columns."""
        return {what: getattr(self, what) for what in SIGNALS if getattr(self, what) is not None}

    def unit(self, signal: str) -> str | Sequence[str] | None:
        """The unit stated for a signal, also through that of ``q``; None when nothing is stated."""
        assert not isinstance(self.units, str)
        stated = self.units.get(signal)
        angle = self.units.get("q")
        if stated is not None or signal not in _RATES or angle is None:
            return stated
        return f"{angle}{_RATES[signal]}" if isinstance(angle, str) else [f"{unit}{_RATES[signal]}" for unit in angle]
