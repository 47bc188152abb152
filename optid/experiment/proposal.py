"""A column mapping proposed for a log, by the names in it. It is a draft to read and change, and never used unseen."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

import numpy as np

from optid.errors import OptidError

from .files import Pathlike
from .kinds import recording_kind
from .mapping import Mapping
from .mat_log import MatLog
from .npz_log import NpzLog
from .text_log import TextLog

_STEMS = (
    ("time", r"t|time|times|stamp|timestamp|t_s|time_s|sec|seconds"),
    ("dq", r"dq|qd|qp|vel|velocity|velocities|speed|omega|qdot"),
    ("ddq", r"ddq|qdd|acc|acceleration|accelerations|qddot"),
    ("current", r"i|cur|curr|current|currents|amps?"),
    ("tau", r"tau|torque|torques|effort|efforts|tq|moment"),
    ("q", r"q|pos|position|positions|angle|angles|joint|theta|qm"),
)
_UNITS = ((r"deg", "deg"), (r"rad", "rad"), (r"rpm", "rpm"), (r"mNm", "mN m"), (r"Nm", "N m"), (r"mA", "mA"), (r"ms", "ms"), (r"us", "us"), (r"mm", "mm"))


@dataclass(frozen=True)
class LogColumn:
    """A column or variable of a log: how a mapping calls it, its shape, and its range."""

    name: str | int
    shape: tuple[int, ...]
    smallest: float | None
    largest: float | None
    first: tuple[float, ...]


@dataclass(frozen=True)
class Proposal:
    """What a log holds, and a mapping that may fit.

    Attributes
    ----------
    columns : tuple of LogColumn
    text : str
        TOML to start from.
    """

    columns: tuple[LogColumn, ...]
    text: str


def propose_mapping(path: Pathlike) -> Proposal:
    """Look into a text table, a MAT or an NPZ file.

    Raises
    ------
    MissingFileError, FileError
        Not there, damaged, or no such file.
    """
    kind = recording_kind(path)
    columns = _table_columns(path) if kind == "text" else _array_columns(path, kind)
    return Proposal(columns, _draft(columns))


def _table_columns(path: Pathlike) -> tuple[LogColumn, ...]:
    log = TextLog(path, Mapping(q=0, rate=1.0), partial=True)
    names: list[str | int] = [name if name and log.header.count(name) == 1 else k for k, name in enumerate(log.header or [""] * log.width)]
    values = log.block(list(range(log.width))).values
    return tuple(_column(name, values[:, k]) for k, name in enumerate(names))


def _array_columns(path: Pathlike, kind: str) -> tuple[LogColumn, ...]:
    log = {"mat": MatLog, "npz": NpzLog}[kind](Path(path), Mapping(q="q", rate=1.0))
    found = []
    for name in log.variables():
        try:
            value = np.asarray(log.fetch(name))
        except OptidError:
            continue
        if value.dtype.kind in "biuf" and value.size:
            found.append(_column(name, value.astype(float)))
    return tuple(found)


def _column(name: str | int, values: np.ndarray) -> LogColumn:
    finite = values[np.isfinite(values)]
    least, most = (float(finite.min()), float(finite.max())) if finite.size else (None, None)
    return LogColumn(name, values.shape, least, most, tuple(float(x) for x in values.reshape(len(values), -1)[:3, 0]) if values.ndim else ())


def _signal(name: str) -> tuple[str, str] | None:
    """Signal and joint that a name may stand for: ``vel_elbow`` → dq, elbow; ``q1`` → q, 1."""
    for signal, stems in _STEMS:
        match = re.fullmatch(rf"(?:{stems})(?:_?(?:deg|rad|rpm|m?nm|m?a|ms|us|mm|s)(?:ps|/s)?)?(?:[_.\[ ]?(\d+)\]?|[_. ](.+))?", name, re.IGNORECASE)
        if match:
            return signal, match[1] or match[2] or ""
    return None


def _draft(columns: tuple[LogColumn, ...]) -> str:
    """A mapping file with what the names tell and with blanks where they tell nothing."""
    found: dict[str, list[str]] = {}
    for column in columns:
        guess = _signal(column.name) if isinstance(column.name, str) else None
        if guess is not None and isinstance(column.name, str):
            found.setdefault(guess[0], []).append(column.name)
    lines = ['# Which column is which. Numbers count from 0; a pattern such as "q_*" takes several columns.', ""]
    time = found.get("time")
    lines.append(f"time = {_toml(time[0])}" if time else "rate = 100.0  # [Hz], or time = a column of stamps")
    for signal in ("q", "dq", "ddq", "tau", "current"):
        names = found.get(signal)
        if names:
            lines.append(f"{signal} = {_chosen(names, columns)}")
        elif signal == "q":
            lines.append('q = "1:7"  # the positions')
    units = {signal: unit for signal, names in found.items() for pattern, unit in _UNITS if any(re.search(rf"(?<![a-z]){pattern}", n) for n in names)}
    shown = ", ".join(f"{signal} = {_toml(unit + ('/s' if signal == 'dq' and unit in ('deg', 'rad', 'mm') else ''))}" for signal, unit in units.items())
    lines.append(f"units = {{{shown}}}" if shown else '# units = {q = "deg", dq = "deg/s", tau = "N m", current = "A", time = "ms"}')
    if "current" in found and "tau" not in found:
        lines.append("# gains = [10.0, 10.0]  # [N m/A], one a joint: makes torque of the current")
    lines.append('# joint_names = ["shoulder", "elbow"]')
    return "\n".join(lines) + "\n"


def _chosen(names: list[str], columns: tuple[LogColumn, ...]) -> str:
    """Columns of a signal: one name, a pattern that takes just these (its stars are then the joints' names), or a list."""
    if len(names) == 1:
        return _toml(names[0])
    stem = "".join(a for a, _ in takewhile(lambda pair: pair[0] == pair[1], zip(min(names), max(names), strict=False)))
    table = all(len(column.shape) == 1 for column in columns)
    if table and stem and stem not in names and not set("*?[]") & set(stem) and [c.name for c in columns if str(c.name).startswith(stem)] == names:
        return _toml(f"{stem}*")
    return f"[{', '.join(map(_toml, names))}]"


def _toml(text: str) -> str:
    escaped = "".join(f"\\u{ord(c):04x}" if ord(c) < 32 or c == "\x7f" else c for c in text.replace("\\", "\\\\").replace('"', '\\"'))
    return f'"{escaped}"'
