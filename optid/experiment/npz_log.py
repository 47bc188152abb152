"""NumPy archives as logs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from optid.errors import FileError, sentence

from .array_log import ArrayLog
from .files import translated
from .mapping import Mapping


class NpzLog(ArrayLog):
    """An ``.npz`` archive, opened with ``allow_pickle=False``."""

    def __init__(self, path: Path, mapping: Mapping) -> None:
        super().__init__(path, mapping)
        with translated(path), open(path, "rb") as raw:
            if raw.read(4) not in (b"PK\x03\x04", b"PK\x05\x06"):
                raise FileError(sentence(self.where, "no NPZ archive", "a file made by numpy.savez", "Pickles and single arrays (.npy) are not read."))

    def variables(self) -> Iterable[str]:
        with self._archive("the archive") as archive:
            return list(archive.files)

    def fetch(self, name: str) -> Any:
        with self._archive(f"variable {name!r}") as archive:
            return archive[name]

    @contextmanager
    def _archive(self, what: str) -> Iterator[Any]:
        import zipfile
        import zlib

        try:
            with open(self.path, "rb") as raw, np.load(raw, allow_pickle=False) as archive:
                yield archive
        except (OSError, ValueError, EOFError, KeyError, NotImplementedError, RuntimeError, MemoryError, zipfile.BadZipFile, zlib.error) as error:
            if "allow_pickle" in str(error):
                found, hint = "pickled Python objects", "They are never opened: they can run code. Save plain arrays."
            else:
                found, hint = f"damaged ({error})", "Copy it again from where it came."
            raise FileError(sentence(f"{self.where}, {what}", found, "arrays of numbers", hint)) from error
