"""What a batch has done so far, one file a piece of work, so that it can go on after an interruption.

A piece is known by a hash of everything that decides its numbers (the content of the recording among it), is written whole or not at all, and is believed
only when it reads without a fault: arrays of numbers and JSON text, never a pickle.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import threading
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from optid.errors import FileError, MissingFileError, sentence

_TEXT = "text"
_logger = logging.getLogger(__name__)


def file_hash(path: str | PathLike[str]) -> str:
    """SHA-256 of a file's content, "" when it cannot be read (who opens it next says why)."""
    try:
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""


def combined(*parts: bytes | str) -> str:
    """One hash of several things."""
    made = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        made.update(len(data).to_bytes(8, "big") + data)
    return made.hexdigest()


@dataclass(frozen=True)
class Checkpoint:
    """A folder of finished pieces of work.

    Attributes
    ----------
    folder : Path
    """

    folder: Path

    @classmethod
    def of(cls, folder: str | PathLike[str]) -> Checkpoint:
        """Made when missing.

        Raises
        ------
        FileError, MissingFileError
            It is no folder, or cannot be made or written.
        """
        path = Path(folder)
        try:
            path.mkdir(exist_ok=True)
        except FileNotFoundError as error:
            raise MissingFileError(sentence(f"folder {path.parent}", "not found", "an existing folder to make the batch's folder in")) from error
        except OSError as error:
            raise FileError(sentence(f"folder {path}", error.strerror or "unusable", "a folder for what the batch has done")) from error
        if not os.access(path, os.W_OK):
            raise FileError(sentence(f"folder {path}", "no permission", "a folder that may be written"))
        return cls(path)

    def get(self, key: str) -> tuple[dict[str, NDArray[Any]], Any] | None:
        """Arrays and JSON value of a piece; None when it is not there or not sound."""
        path = self._path(key)
        try:
            with open(path, "rb") as file, np.load(file, allow_pickle=False) as stored:
                arrays = {name: stored[name] for name in stored.files}
            found = json.loads(arrays.pop(_TEXT).tobytes())
            if found["key"] == key:
                return arrays, found["value"]
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile) as error:
            _logger.warning("%s is damaged (%s) and is made again.", path, error)
            return None
        _logger.warning("%s does not belong to this batch and is made again.", path)
        return None

    def put(self, key: str, arrays: Mapping[str, NDArray[Any]], value: Any) -> None:
        """Store a piece.

        Raises
        ------
        FileError
            The disk is full, or the folder is gone.
        """
        path = self._path(key)
        named: dict[str, Any] = {**arrays, _TEXT: np.frombuffer(json.dumps({"key": key, "value": value}).encode(), dtype=np.uint8)}
        temporary = path.with_name(f".{path.name}.{os.getpid()}-{threading.get_ident()}.tmp")
        try:
            with open(temporary, "wb") as file:
                np.savez(file, **named)
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, path)
        except OSError as error:
            temporary.unlink(missing_ok=True)
            raise FileError(sentence(f"file {path}", error.strerror or str(error), "room for what the batch has done")) from error

    def _path(self, key: str) -> Path:
        return self.folder / f"{key}.npz"
