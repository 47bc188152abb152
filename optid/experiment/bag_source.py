"""The joint states in a rosbag2 recording or an MCAP file, message by message, through the public readers (extra ``formats``)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from importlib import import_module
from io import BytesIO
from pathlib import Path
from struct import Struct
from typing import Any

from optid.errors import FileError, MissingFileError, require, sentence

EXTRA = "formats"
MCAP_MAGIC = b"\x89MCAP0\r\n"
SQLITE_MAGIC = b"SQLite format 3\x00"
TYPES = ("sensor_msgs/msg/JointState", "sensor_msgs/JointState")
_LARGEST = 2**30
"""Records and chunks above this size [bytes] are no recording of a robot."""
_SCHEMA, _CHANNEL, _MESSAGE = 3, 4, 5
_RECORD, _HEAD = Struct("<BQ"), Struct("<HIQQ")

Found = tuple[str, str, int, bytes]
"""Topic, encoding, time [ns] of recording, bytes."""


def storage_files(path: Path) -> list[Path]:
    """The files that hold a recording's messages.

    Raises
    ------
    MissingFileError, FileError
        Not there, or a folder that is no recording of ROS 2.
    """
    if not path.exists():
        raise MissingFileError(sentence(f"recording {path}", "not found", "a rosbag2 folder, a .db3 file or an .mcap file"))
    if not path.is_dir():
        return [path]
    files = sorted(file for file in path.iterdir() if file.is_file() and file.suffix in (".db3", ".mcap", ".zstd"))
    if not (path / "metadata.yaml").is_file():
        hint = f"Run  ros2 bag reindex {path}  or give the file {files[0].name} itself." if files else ""
        raise FileError(sentence(f"folder {path}", "no metadata.yaml", "a folder made by  ros2 bag record", hint))
    return files


def messages(path: Path, topics: dict[str, str], topic: str | None) -> Iterator[Found]:
    """Joint states of one topic, or of all; ``topics`` is filled with the type of every topic met.

    Raises
    ------
    MissingExtraError
        The reader is not installed.
    Exception
        Whatever the reader meets in a damaged file.
    """
    if path.is_dir():
        return _bag_messages(path, topics, topic)
    with open(path, "rb") as raw:
        head = raw.read(16)
    if head.startswith(MCAP_MAGIC):
        return _mcap_messages(path, topics, topic)
    if head.startswith(SQLITE_MAGIC):
        return _bag_messages(path, topics, topic)
    found = "an empty file" if not head else "a ROS 1 bag" if head.startswith(b"#ROSBAG") else "neither an MCAP nor an SQLite file"
    hint = f"Convert it first:  rosbags-convert --src {path.name} --dst {path.stem}" if head.startswith(b"#ROSBAG") else ""
    raise FileError(sentence(f"recording {path}", found, "a rosbag2 folder, a .db3 file or an .mcap file", hint))


def _bag_messages(path: Path, topics: dict[str, str], topic: str | None) -> Iterator[Found]:
    require("rosbags", EXTRA)
    room: Any = import_module("rosbags.rosbag2")
    with room.Reader(path) as bag:
        topics.update({c.topic: c.msgtype for c in bag.connections if c.msgcount or c.topic == topic})
        wanted = [c for c in bag.connections if c.msgtype in TYPES and topic in (None, c.topic)]
        if wanted:  # an empty choice would mean all
            for connection, time, data in bag.messages(wanted):
                yield connection.topic, connection.ext.serialization_format, time, data


def _mcap_messages(path: Path, topics: dict[str, str], topic: str | None) -> Iterator[Found]:
    """From the first byte to the last, so that a file whose end is missing gives what is there."""
    require("mcap", EXTRA)
    reader: Any = import_module("mcap.stream_reader")
    records: Any = import_module("mcap.records")
    channels = _Channels(topics, topic)
    with closing(open(path, "rb")) as raw:
        for record in reader.StreamReader(raw, emit_chunks=True, validate_crcs=True, record_size_limit=_LARGEST).records:
            if isinstance(record, records.Message):
                if record.channel_id in channels.wanted:
                    yield *channels.wanted[record.channel_id], record.log_time, record.data
            elif isinstance(record, records.Chunk):
                if record.uncompressed_size > _LARGEST:
                    raise ValueError(f"a chunk of {record.uncompressed_size} bytes")
                stream, size = reader.get_chunk_data_stream(record, validate_crc=True)
                yield from _chunk_messages(stream.read(size), channels)
            else:
                channels.note(record)


class _Channels:
    """The channels met so far, and which of them hold what is wanted."""

    def __init__(self, topics: dict[str, str], topic: str | None) -> None:
        self.wanted: dict[int, tuple[str, str]] = {}
        self._topics, self._topic = topics, topic
        self._schemas: dict[int, str] = {0: "no type"}
        records: Any = import_module("mcap.records")
        self._kinds: dict[int, Any] = {_SCHEMA: records.Schema, _CHANNEL: records.Channel}

    def read(self, opcode: int, content: bytes) -> None:
        """A record of a chunk."""
        if opcode in self._kinds:
            stream: Any = import_module("mcap.data_stream").ReadDataStream(BytesIO(content))
            self.note(self._kinds[opcode].read(stream))

    def note(self, record: Any) -> None:
        """A schema or a channel; others tell nothing."""
        if isinstance(record, self._kinds[_SCHEMA]):
            self._schemas[record.id] = record.name
        elif isinstance(record, self._kinds[_CHANNEL]):
            self._topics[record.topic] = kind = self._schemas.get(record.schema_id, "no type")
            if kind in TYPES and self._topic in (None, record.topic):
                self.wanted[record.id] = (record.topic, record.message_encoding)


def _chunk_messages(data: bytes, channels: _Channels) -> Iterator[Found]:
    """Messages of a chunk: records of opcode, length and content; a message's content begins with channel, number and two times (MCAP specification)."""
    at, end = 0, len(data)
    while at < end:
        opcode, length = _RECORD.unpack_from(data, at)
        at += _RECORD.size
        if at + length > end:
            raise ValueError("a record that ends beyond its chunk")
        if opcode == _MESSAGE:
            channel, _, time, _ = _HEAD.unpack_from(data, at)
            if channel in channels.wanted:
                yield *channels.wanted[channel], time, data[at + _HEAD.size : at + length]
        else:
            channels.read(opcode, data[at : at + length])
        at += length
