"""Messages of ROS's ``sensor_msgs/JointState`` as arrays, many at a time.

A message is a header (stamp, frame), joint names, and three lists of numbers that are empty or as long as the names. Nearly all messages of a recording have
one layout; it is worked out once, and the numbers of thousands of messages are then taken from their bytes together.
"""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from optid.errors import DataError, sentence

FIELDS = ("position", "velocity", "effort")
_BATCH = 4096
_MOST_LAYOUTS = 256
_MOST_NAMES = 10_000
_ENDIAN = {b"\x00\x00": ">", b"\x00\x01": "<"}


@dataclass(frozen=True)
class JointStates:
    """Messages that name the same joints in the same order.

    Attributes
    ----------
    names : k-tuple of str
    values : mapping of "position", "velocity", "effort" → (N, k), without the lists that are empty
    stamp, log : (N,) int64 [ns]
        Of the header, and when the message was recorded.
    order : (N,) int64
        Places of the messages in the recording, from 0.
    """

    names: tuple[str, ...]
    values: dict[str, NDArray[np.float64]]
    stamp: NDArray[np.int64]
    log: NDArray[np.int64]
    order: NDArray[np.int64]


@dataclass
class _Layout:
    """Where what stands in messages of one length with the same names and counts."""

    names: tuple[str, ...]
    dtype: np.dtype[Any]
    fixed: tuple[tuple[int, int, bytes], ...]  # (start, stop, bytes): what must be equal in every message
    waiting: list[bytes] = field(default_factory=list)
    keys: list[tuple[int, int]] = field(default_factory=list)  # (order, log time)
    parts: list[NDArray[Any]] = field(default_factory=list)

    def fits(self, data: bytes) -> bool:
        return len(data) == self.dtype.itemsize and all(data[start:stop] == same for start, stop, same in self.fixed)

    def add(self, data: bytes, order: int, log: int) -> None:
        self.waiting.append(data)
        self.keys.append((order, log))
        if len(self.waiting) >= _BATCH:
            self.flush()

    def flush(self) -> None:
        wanted = ["sec", "nanosec", *(name for name in FIELDS if name in (self.dtype.names or ()))]
        if self.waiting:
            rows = np.frombuffer(b"".join(self.waiting), self.dtype)
            keys = np.array(self.keys, dtype=np.int64)
            kept = np.empty(len(rows), [*((name, self.dtype[name].newbyteorder("=")) for name in wanted), ("order", "i8"), ("log", "i8")])
            for name in wanted:
                kept[name] = rows[name]
            kept["order"], kept["log"] = keys.T
            self.parts.append(kept)
            self.waiting, self.keys = [], []


class JointStateTable:
    """Collects the messages of one topic.

    Attributes
    ----------
    count : int
        Messages seen.
    bad : mapping of message number → what is wrong with it
        Messages that cannot be read.
    """

    def __init__(self) -> None:
        self.count = 0
        self.bad: dict[int, str] = {}
        self._layouts: list[_Layout] = []

    def add(self, encoding: str, log: int, data: bytes) -> None:
        """Take a message in CDR or JSON with the time [ns] it was recorded at.

        Raises
        ------
        DataError
            Another encoding, or messages that hardly ever have the same layout.
        """
        if encoding not in ("cdr", "json"):
            raise DataError(sentence("joint states", f"messages encoded as {encoding!r}", "CDR (ROS 2) or JSON", "Convert a ROS 1 bag with rosbags-convert."))
        number = self.count
        self.count += 1
        try:
            data = _from_json(data) if encoding == "json" else data
            layout = next((x for x in self._layouts if x.fits(data)), None)
            if layout is None:
                layout = _layout(data)
                self._layouts.append(layout)
        except (ValueError, TypeError, KeyError, AttributeError, OverflowError, struct.error) as error:
            self.bad[number] = str(error) or type(error).__name__
            return
        if len(self._layouts) > _MOST_LAYOUTS:
            raise DataError(sentence("joint states", f"more than {_MOST_LAYOUTS} different lists of joints", "the same joints in most messages"))
        layout.add(data, number, log)

    def groups(self) -> list[JointStates]:
        """What was collected, one group per list of names."""
        return [_states(layout) for layout in self._layouts]


def _states(layout: _Layout) -> JointStates:
    layout.flush()
    rows = np.concatenate(layout.parts)
    layout.parts = []
    values = {name: np.ascontiguousarray(rows[name]) for name in FIELDS if name in (rows.dtype.names or ())}
    stamp = rows["sec"].astype(np.int64) * 1_000_000_000 + rows["nanosec"]
    return JointStates(layout.names, values, stamp, np.array(rows["log"]), np.array(rows["order"]))


def _layout(data: bytes) -> _Layout:
    """The layout of a message, or ValueError."""
    size = len(data)
    if data[:2] not in _ENDIAN:
        raise ValueError(f"{size} bytes that do not begin like plain CDR")
    end = _ENDIAN[data[:2]]

    def whole(at: int) -> int:
        if at + 4 > size:
            raise ValueError(f"{size} bytes that end within the message")
        return int(struct.unpack_from(f"{end}I", data, at)[0])

    def text_end(at: int) -> int:
        stop = at + 4 + whole(at)
        if stop > size:
            raise ValueError(f"{size} bytes that end within a text")
        return stop

    names_at = _aligned(text_end(12), 4)
    count, at = whole(names_at), names_at + 4
    if count > _MOST_NAMES:
        raise ValueError(f"{count} joint names in {size} bytes")
    names = []
    for _ in range(count):
        at = _aligned(at, 4)
        stop = text_end(at)
        names.append(data[at + 4 : stop].rstrip(b"\x00").decode("utf-8"))
        at = stop
    if len(set(names)) < count:
        raise ValueError(f"the joint {next(x for x in names if names.count(x) > 1)!r} twice")
    at = _aligned(at, 4)
    fixed = [(0, 2, data[:2]), (12, 16, data[12:16]), (names_at, at + 4, data[names_at : at + 4])]
    columns, places = [("sec", f"{end}i4"), ("nanosec", f"{end}u4")], [4, 8]
    for name in FIELDS:
        length = whole(at)
        fixed.append((at, at + 4, data[at : at + 4]))
        at += 4
        if length not in (0, count):
            raise ValueError(f"{length} numbers of {name} for {count} joints")
        if length:
            at = _aligned(at - 4, 8) + 4
            columns.append((name, f"({count},){end}f8"))
            places.append(at)
            at += 8 * length
            if at > size:
                raise ValueError(f"{size} bytes that end within {name}")
        at = _aligned(at, 4)
    if size - at > 3:
        raise ValueError(f"{size} bytes, {size - at} more than the message")
    dtype = np.dtype({"names": [c[0] for c in columns], "formats": [c[1] for c in columns], "offsets": places, "itemsize": size})
    return _Layout(tuple(names), dtype, tuple(fixed))


def _aligned(at: int, size: int) -> int:
    """The next multiple of ``size``."""
    return at + -at % size


def _from_json(data: bytes) -> bytes:
    """A JSON message as the bytes of a CDR one."""
    message = json.loads(data)
    stamp = message.get("header", {}).get("stamp", {})
    seconds = int(stamp.get("sec", stamp.get("secs", 0)))
    fraction = int(stamp.get("nanosec", stamp.get("nsec", stamp.get("nsecs", 0))))
    out = bytearray(b"\x00\x01\x00\x00" + struct.pack("<iI", seconds, fraction) + struct.pack("<I", 1) + b"\x00")

    def align(size: int) -> None:
        out.extend(bytes(-(len(out) - 4) % size))

    names = message["name"]
    align(4)
    out.extend(struct.pack("<I", len(names)))
    for name in names:
        align(4)
        text = name.encode() + b"\x00"
        out.extend(struct.pack("<I", len(text)) + text)
    for part in FIELDS:
        numbers = [float("nan") if x is None else float(x) for x in message.get(part) or ()]
        align(4)
        out.extend(struct.pack("<I", len(numbers)))
        if numbers:
            align(8)
            out.extend(struct.pack(f"<{len(numbers)}d", *numbers))
    return bytes(out)
