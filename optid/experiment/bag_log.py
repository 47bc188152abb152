"""A recording of joint states as a log: the joints wanted, found by name in every message, whatever their order there."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from optid.errors import DataError, DataWarning, FileError, MissingExtraError, OptidError, UnknownNameError, sentence, unknown_name

from .bag_source import TYPES, messages
from .joint_state import FIELDS, JointStates, JointStateTable
from .log import Block
from .mapping import Columns

CLOCKS = ("header", "log")
"""Columns of time: the stamp in the message, and when the message was recorded."""

_PARTIAL = "Pass partial=True to take the good messages."


class BagLog:
    """The joint states of one topic.

    Parameters
    ----------
    path : path
        A rosbag2 folder, a ``.db3`` or an ``.mcap`` file.
    topic : str, optional
        Needed only when several topics hold joint states.
    joint_names : names
        The joints wanted; those of the messages when empty.
    partial : bool
        Messages that cannot be read are left out, and a file whose end is missing gives what is there.

    Attributes
    ----------
    topic : str
    joint_names : n-tuple of str
    signals : tuple of str
        Which of "position", "velocity" and "effort" the messages hold.
    start_ns : mapping clock → int
        Time [ns] of the first message; the columns of time count from there.

    Raises
    ------
    MissingFileError, FileError
        Not there, damaged (without ``partial``), no joint states, several topics with them.
    UnknownNameError
        The topic or a joint is not there.
    DataError
        Messages that name different joints.
    """

    row_word = "message"

    def __init__(self, path: Path, topic: str | None, joint_names: Sequence[str], partial: bool) -> None:
        self.where = f"recording {path}"
        self._partial = partial
        self.topic, table = self._table(path, topic)
        self.where = f"recording {path}, topic {self.topic}"
        if table.bad and not partial:
            number, found = next(iter(table.bad.items()))
            more = f"{len(table.bad)} messages are like that. " if len(table.bad) > 1 else ""
            raise FileError(sentence(f"{self.where}, message {number}", found, "a whole sensor_msgs/JointState", f"{more}{_PARTIAL}"))
        groups = [group for group in table.groups() if group.names]
        if not groups:
            raise FileError(sentence(self.where, f"{table.count} messages, none with a joint", "joint states"))
        self.joint_names, chosen = self._chosen(groups, tuple(joint_names))
        self._merge(chosen)
        self.broken: dict[int, str] = {}
        if table.bad:
            warnings.warn(f"{self.where}: {len(table.bad)} of {table.count} messages cannot be read; left out.", DataWarning, stacklevel=4)

    # -- reading ------------------------------------------------------------------------------------------------------------------------------------

    def _table(self, path: Path, topic: str | None) -> tuple[str, JointStateTable]:
        """Messages of the topic wanted, or of the only one."""
        tables: dict[str, JointStateTable] = {}
        topics: dict[str, str] = {}
        try:
            for name, encoding, time, data in messages(path, topics, topic):
                tables.setdefault(name, JointStateTable()).add(encoding, time, data)
        except OptidError as error:
            if isinstance(error, MissingExtraError) or self.where in str(error):
                raise
            raise type(error)(f"{self.where}: {error}") from error
        except Exception as error:  # on damaged bytes the readers raise whatever their parsers meet
            reason = next(iter(str(error).splitlines()), "") or type(error).__name__
            count = sum(table.count for table in tables.values())
            found = f"damaged or cut short after {count} joint states ({reason[:160]})"
            if not (self._partial and count):
                hint = _PARTIAL if count else "Copy it again from where it came, or rebuild it with  ros2 bag reindex."
                raise FileError(sentence(self.where, found, "a whole recording", hint)) from error
            warnings.warn(f"{self.where}: {found}; what was read is taken.", DataWarning, stacklevel=5)
        if topic is not None:
            if topic in tables:
                return topic, tables[topic]
            if topics.get(topic) in TYPES:
                raise FileError(sentence(f"{self.where}, topic {topic}", "no message", "joint states"))
            if topic not in topics:
                raise unknown_name(f"topic of {self.where}", topic, sorted(topics))
            raise FileError(sentence(f"{self.where}, topic {topic}", f"messages of type {topics[topic]}", TYPES[0]))
        if len(tables) == 1:
            return next(iter(tables.items()))
        if tables:
            counts = ", ".join(f"{name} ({table.count})" for name, table in tables.items())
            raise FileError(sentence(self.where, f"joint states on {len(tables)} topics: {counts}", "one topic", "Say which: topic=."))
        listed = ", ".join(f"{name} ({kind})" for name, kind in sorted(topics.items())[:12]) or "no topic at all"
        raise FileError(sentence(self.where, listed, f"messages of type {TYPES[0]}"))

    def _chosen(self, groups: list[JointStates], wanted: tuple[str, ...]) -> tuple[tuple[str, ...], list[JointStates]]:
        """The joints, and the messages that hold all of them."""
        seen = list(dict.fromkeys(name for group in groups for name in group.names))
        if not wanted:
            sets = {frozenset(group.names): group.names for group in groups}
            if len(sets) > 1:
                found = "; ".join(", ".join(names) for names in list(sets.values())[:4])
                raise DataError(
                    sentence(
                        self.where,
                        f"messages of different joints: {found}",
                        "the same joints",
                        "Say which you want: joint_names=, or --robot on the command line.",
                    )
                )
            return groups[0].names, groups
        for name in wanted:
            if name not in seen:
                raise unknown_name(f"joint in {self.where}", name, seen)
        whole = [group for group in groups if set(wanted) <= set(group.names)]
        partly = [group for group in groups if group not in whole and set(wanted) & set(group.names)]
        if partly or not whole:
            torn = partly[0]
            missing = [name for name in wanted if name not in torn.names]
            count = sum(len(group.order) for group in partly)
            place = f"{self.where}, message {int(torn.order[0])}"
            found = f"no joint {', '.join(missing)}"
            if not (self._partial and whole):
                hint = _PARTIAL if whole else "Joints that come in messages of their own cannot be put together here."
                raise UnknownNameError(sentence(place, found, f"all of {', '.join(wanted)}", f"{count} messages are like that. {hint}"))
            warnings.warn(f"{place}: {found}; {count} messages like that are left out.", DataWarning, stacklevel=5)
        other = [name for name in seen if name not in wanted]
        if other:
            few = ", ".join(other[:12]) + (", …" if len(other) > 12 else "")
            warnings.warn(f"{self.where}: the joints {few} are not among those wanted; they are left out.", DataWarning, stacklevel=5)
        return wanted, whole

    def _merge(self, groups: list[JointStates]) -> None:
        """All messages by the time they were recorded, their columns in one order."""
        rows = np.concatenate([group.order for group in groups])
        log = np.concatenate([group.log for group in groups])
        order = np.lexsort((rows, log))
        self._rows = rows[order]
        log = log[order]
        stamp = np.concatenate([group.stamp for group in groups])[order]
        self._clocks = {"header": stamp, "log": log}
        self.start_ns = {name: int(clock[0]) for name, clock in self._clocks.items()}
        self._values: dict[str, NDArray[np.float64]] = {}
        for what in FIELDS:
            having = [group for group in groups if what in group.values]
            if not having:
                continue
            lacking = [group for group in groups if what not in group.values]
            if lacking and not self._partial:
                place = f"{self.where}, message {int(lacking[0].order[0])}"
                count = sum(len(group.order) for group in lacking)
                raise DataError(sentence(place, f"no {what}", f"{what} as in the other messages", f"{count} messages are like that. {_PARTIAL}"))
            parts = []
            for group in groups:
                columns = [group.names.index(name) for name in self.joint_names]
                whole = group.values.get(what)
                parts.append(np.full((len(group.order), len(columns)), np.nan) if whole is None else whole[:, columns])
            values = np.concatenate(parts)[order]
            if np.isnan(values).all():
                warnings.warn(f"{self.where}: {what} is not a number in all {len(values)} messages; it is left out.", DataWarning, stacklevel=5)
            else:
                self._values[what] = values
        if "position" not in self._values:
            raise DataError(sentence(self.where, "no position in any message", "positions"))

    # -- a log --------------------------------------------------------------------------------------------------------------------------------------

    @property
    def signals(self) -> tuple[str, ...]:
        """Which lists of numbers the messages hold."""
        return tuple(self._values)

    def stamped(self) -> bool:
        """Whether the headers hold stamps: not all zero, not all the same."""
        stamp = self._clocks["header"]
        return bool(stamp.any()) and (len(stamp) == 1 or bool((stamp != stamp[0]).any()))

    def names(self, variable: str) -> tuple[str, ...]:
        """The joints are named in the messages."""
        raise DataError(sentence(f"joint names for {self.where}", repr(variable), "a list of the names wanted (messages name their joints)"))

    def block(self, columns: Columns) -> Block:
        """The columns "position", "velocity" or "effort" of all joints; "header" or "log", seconds from the first message."""
        name = columns if isinstance(columns, str) else None
        if name in CLOCKS:
            clock = self._clocks[name]
            return Block(((clock - clock[0]) / 1e9)[:, None], (f"{name} time",), self._rows)
        if name not in self._values:
            raise unknown_name(f"column of {self.where}", str(columns), (*self._values, *CLOCKS))
        return Block(self._values[name], tuple(f"{name} of joint {joint!r}" for joint in self.joint_names), self._rows)
