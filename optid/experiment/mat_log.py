"""MATLAB files as logs: versions 4 to 7 through scipy, 7.3 (HDF5) through h5py."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from optid.errors import FileError, sentence

from .array_log import ArrayLog
from .checks import dataset_faults
from .files import open_file, translated
from .mapping import Mapping as ColumnMapping


class MatLog(ArrayLog):
    """The variables of a MATLAB file; fields of structures are called ``outer.inner``."""

    def __init__(self, path: Path, mapping: ColumnMapping) -> None:
        super().__init__(path, mapping)
        with translated(path), open(path, "rb") as raw:
            head = raw.read(520)
        self._hdf5 = head.startswith((b"MATLAB 7.3", b"\x89HDF")) or head[512:] == b"\x89HDF\r\n\x1a\n"
        self._values = {} if self._hdf5 else dict(_flat(self._load(), ""))

    def _load(self) -> dict[str, Any]:
        from scipy.io import loadmat

        try:
            return dict(loadmat(self.path, simplify_cells=True))
        except Exception as error:  # on damaged bytes the reader raises whatever its parser meets
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise FileError(sentence(self.where, f"not readable as a MATLAB file ({reason})", "a MATLAB file of version 4 to 7.3")) from error

    def variables(self) -> Iterable[str]:
        import h5py

        if not self._hdf5:
            return list(self._values)
        found: list[str] = []
        with open_file(self.path) as file:
            # visititems follows plain links only, never one out of the file
            file.visititems(lambda name, item: found.append(name.replace("/", ".")) if isinstance(item, h5py.Dataset) and name[0] != "#" else None)
        return found

    def fetch(self, name: str) -> Any:
        if not self._hdf5:
            return self._values[name]
        with open_file(self.path) as file:
            dataset = file[name.replace(".", "/")]
            for fault in dataset_faults(dataset, f"variable {name!r}"):
                raise FileError(f"{self.where}, {fault}")
            if "MATLAB_empty" in dataset.attrs:
                return np.zeros(0)
            # MATLAB stores columns first
            value = np.asarray(dataset[()]).T
            if dataset.attrs.get("MATLAB_class") == b"char":
                return np.array(["".join(map(chr, row)) for row in np.atleast_2d(value)])
            return value.ravel() if value.ndim == 2 and 1 in value.shape else value


def _flat(values: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, Any]]:
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{name}.")
        elif not name.startswith("__"):
            yield prefix + name, value
