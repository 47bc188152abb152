"""Logs that hold named arrays: what MATLAB files and NumPy archives have in common."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from optid.errors import DataError, ShapeError, sentence, unknown_name

from .log import Block
from .mapping import Columns
from .mapping import Mapping as ColumnMapping

_MOST_JOINTS = 64
_INDEXED = re.compile(r"(?P<name>.*?)\[(?P<start>\d*)(?P<range>:(?P<stop>\d*))?\]")


class ArrayLog:
    """A log of named arrays. Subclasses say what names there are and fetch one array."""

    row_word = "sample"

    def __init__(self, path: Path, mapping: ColumnMapping) -> None:
        self.path = path
        self.where = f"file {path}"
        self.broken: dict[int, str] = {}
        self._transpose = mapping.transpose

    def variables(self) -> Iterable[str]:
        """Names of the arrays in the file, those inside structures as ``outer.inner``."""
        raise NotImplementedError

    def fetch(self, name: str) -> Any:
        """The array of that name."""
        raise NotImplementedError

    def names(self, variable: str) -> tuple[str, ...]:
        """Texts of an array of strings."""
        value = np.atleast_1d(np.asarray(self._get(variable)))
        if value.dtype.kind not in "UO" or not all(isinstance(x, str) for x in value.ravel()):
            raise DataError(sentence(f"{self.where}, variable {variable!r}", f"{value.dtype} data", "joint names as text"))
        return tuple(str(x).strip() for x in value.ravel())

    def block(self, columns: Columns) -> Block:
        """The numbers of a variable, some of its columns, or one variable a joint."""
        parts, labels = [], []
        for item in [columns] if isinstance(columns, (str, int)) else columns:
            if not isinstance(item, str):
                raise DataError(sentence(f"column {item!r} for {self.where}", "a number", "names of variables, such as 'q' or 'data[1:7]'"))
            values, names = self._columns(item)
            parts.append(values)
            labels.extend(names)
        lengths = {len(part) for part in parts}
        if len(lengths) > 1:
            raise ShapeError(sentence(f"{self.where}, variables {', '.join(map(str, labels))}", f"lengths {sorted(lengths)}", "equally many samples"))
        return Block(np.column_stack(parts), tuple(labels), np.arange(lengths.pop()))

    def _columns(self, item: str) -> tuple[NDArray[np.float64], list[str]]:
        match = _INDEXED.fullmatch(item)
        name = match["name"] if match else item
        values = self._numbers(name)
        label = f"variable {name!r}"
        if match is None:
            return values, [label] if values.shape[1] == 1 else [f"{label}, column {k}" for k in range(values.shape[1])]
        first = int(match["start"] or 0)
        last = int(match["stop"] or values.shape[1]) if match["range"] else first + 1
        if not first < last <= values.shape[1]:
            raise DataError(sentence(f"{self.where}, {item!r}", f"{values.shape[1]} columns", f"numbers from 0 to {values.shape[1] - 1}"))
        return values[:, first:last], [f"{label}, column {k}" for k in range(first, last)]

    def _get(self, name: str) -> Any:
        known = list(self.variables())
        if name not in known:
            raise unknown_name(f"variable in {self.where}", name, known)
        return self.fetch(name)

    def _numbers(self, name: str) -> NDArray[np.float64]:
        value = np.asarray(self._get(name))
        if value.dtype.kind not in "biuf":
            raise DataError(sentence(f"{self.where}, variable {name!r}", f"{value.dtype} data", "real numbers"))
        if value.ndim > 2:
            raise ShapeError(sentence(f"{self.where}, variable {name!r}", f"shape {value.shape}", "(N,) or (N, joints)"))
        table = np.array(value, dtype=float)
        table = table.reshape(-1, 1) if table.ndim < 2 else table.T if self._transpose else table
        if table.shape[1] > max(_MOST_JOINTS, table.shape[0]):
            hint = "Set transpose = true when samples run along the second axis."
            raise ShapeError(sentence(f"{self.where}, variable {name!r}", f"shape {value.shape}", "(N, joints)", hint))
        return table
