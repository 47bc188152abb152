"""Recordings of joint states, written by the public libraries."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

TYPE = "sensor_msgs/msg/JointState"
START = 1_700_000_000_000_000_000  # [ns]


def joint_states(names: Sequence[str], stamps: Iterable[int], position: Any, velocity: Any = None, effort: Any = None, frame: str = "base") -> list[Any]:
    """Messages of rosbags, one per stamp [ns]; lists that are None stay empty."""
    from rosbags.typesys import Stores, get_typestore

    types = get_typestore(Stores.ROS2_HUMBLE).types
    state, header, time = (types[x] for x in (TYPE, "std_msgs/msg/Header", "builtin_interfaces/msg/Time"))
    empty = np.zeros(0)
    rows = [[empty if part is None else np.array(part[k], dtype=float) for part in (position, velocity, effort)] for k in range(len(position))]
    return [state(header(time(t // 10**9, t % 10**9), frame), list(names), *row) for t, row in zip(stamps, rows, strict=True)]


def cdr(message: Any) -> bytes:
    """A message as ROS 2 sends it."""
    from rosbags.typesys import Stores, get_typestore

    return bytes(get_typestore(Stores.ROS2_HUMBLE).serialize_cdr(message, TYPE))


def write_rosbag2(path: Path, topics: dict[str, Sequence[tuple[int, Any]]], storage: str = "SQLITE3", compression: str | None = None) -> Path:
    """A rosbag2 folder: topic → (recorded at [ns], message); texts become ``std_msgs/String``."""
    from rosbags.rosbag2 import CompressionFormat, CompressionMode, StoragePlugin, Writer
    from rosbags.typesys import Stores, get_typestore

    store = get_typestore(Stores.ROS2_HUMBLE)
    writer = Writer(path, version=9, storage_plugin=StoragePlugin[storage])
    if compression is not None:
        writer.set_compression(CompressionMode[compression], CompressionFormat.ZSTD)
    with writer:
        for topic, entries in topics.items():
            text = bool(entries) and isinstance(entries[0][1], str)
            kind = "std_msgs/msg/String" if text else TYPE
            connection = writer.add_connection(topic, kind, typestore=store)
            for time, message in entries:
                writer.write(connection, time, bytes(store.serialize_cdr(store.types[kind](message) if text else message, kind)))
    return path


def write_mcap(path: Path, topics: dict[str, Sequence[tuple[int, Any]]], encoding: str = "cdr", compression: str = "ZSTD", kind: str = TYPE) -> Path:
    """A plain MCAP file: topic → (recorded at [ns], message or bytes)."""
    from mcap.writer import CompressionType, Writer

    with open(path, "wb") as raw:
        writer = Writer(raw, compression=CompressionType[compression], chunk_size=4096)
        writer.start()
        schema = writer.register_schema(kind, "ros2msg" if encoding == "cdr" else "jsonschema", b"{}")
        for topic, entries in topics.items():
            channel = writer.register_channel(topic, encoding, schema)
            for time, message in entries:
                data = message if isinstance(message, bytes) else cdr(message) if encoding == "cdr" else as_json(message)
                writer.add_message(channel, time, data, time)
        writer.finish()
    return path


def as_json(message: Any) -> bytes:
    """A message as JSON."""
    stamp = {"sec": message.header.stamp.sec, "nanosec": message.header.stamp.nanosec}
    lists = {what: getattr(message, what).tolist() for what in ("position", "velocity", "effort")}
    return json.dumps({"header": {"stamp": stamp, "frame_id": message.header.frame_id}, "name": message.name, **lists}).encode()
