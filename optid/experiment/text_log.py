"""Text tables: CSV and its relatives, one row a line."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from optid.errors import DataError, FileError, sentence, unknown_name

from .files import Pathlike, translated
from .log import Block
from .mapping import Columns, Mapping

_COMMENTS = ("#", "%")
_PARTIAL = "Pass partial=True to take the good rows."


class TextLog:
    """A text table: the lines that hold data, their line numbers, and the names in its header.

    Parameters
    ----------
    path : str or path
    mapping : Mapping
    partial : bool
        Rows that are cut short become rows of NaN, listed in ``broken``, instead of an error.

    Raises
    ------
    FileError
        Not text, empty, or (unless ``partial``) rows with another number of columns than the first.
    """

    row_word = "row"

    def __init__(self, path: Pathlike, mapping: Mapping, partial: bool) -> None:
        self.where = f"file {path}"
        self.broken: dict[int, str] = {}
        self._partial = partial
        self._decimal = mapping.decimal
        lines = _read_lines(path, self.where)
        numbers = [k for k in range(mapping.skip_rows, len(lines)) if lines[k].strip() and not lines[k].lstrip().startswith(_COMMENTS)]
        if not numbers:
            raise FileError(sentence(self.where, "no line of data", "a table of numbers"))
        first = lines[numbers[0]]
        self._delimiter = mapping.delimiter or _find_delimiter(first, mapping.decimal)
        cells = self._split(first)
        has_header = any(not self._is_number(cell) for cell in cells) if mapping.header is None else mapping.header
        self.header = tuple(cell.strip() for cell in cells) if has_header else self._commented_header(lines[: numbers[0]], len(cells))
        self._numbers = np.array(numbers[1:] if has_header else numbers, dtype=np.intp)
        self._lines = [lines[k] for k in self._numbers]
        if not self._lines:
            raise FileError(sentence(self.where, "a header and no row of data", "a table of numbers"))
        self.width = len(cells)
        self._check_widths()

    @property
    def n_rows(self) -> int:
        """Number of rows of data."""
        return len(self._lines)

    def names(self, variable: str) -> tuple[str, ...]:
        """A text table stores no names beside its header."""
        raise DataError(sentence(f"joint names for {self.where}", repr(variable), "a list of names (a text table has no variables)"))

    def block(self, columns: Columns) -> Block:
        """The numbers of some columns, see :class:`optid.experiment.Mapping`."""
        chosen, stars = self._resolve(columns)
        labels = tuple(f"column {self.header[k]!r}" if self.header else f"column {k}" for k in chosen)
        return Block(self._parse(chosen, labels), labels, self._numbers + 1, stars)

    # -- lines --------------------------------------------------------------------------------------------------------------------------------------

    def _split(self, line: str) -> list[str]:
        if self._delimiter is None:
            return line.split()
        return next(csv.reader([line], delimiter=self._delimiter)) if '"' in line else line.split(self._delimiter)

    def _is_number(self, cell: str) -> bool:
        try:
            _number(cell.replace(",", ".") if self._decimal == "," else cell)
        except ValueError:
            return not cell.strip()
        return True

    def _commented_header(self, lines: Sequence[str], width: int) -> tuple[str, ...]:
        """Names in the last comment line before the data, when there are as many of them as columns."""
        comments = [line.lstrip(" #%") for line in lines if line.lstrip().startswith(_COMMENTS)]
        names = tuple(cell.strip() for cell in self._split(comments[-1])) if comments else ()
        return names if len(names) == width and width > 1 else ()

    def _check_widths(self) -> None:
        if self._delimiter is None:
            widths = np.array([len(line.split()) for line in self._lines], dtype=np.intp)
        else:
            sign = self._delimiter
            widths = np.array([len(self._split(line)) if '"' in line else line.count(sign) + 1 for line in self._lines], dtype=np.intp)
        wrong = np.flatnonzero(widths != self.width)
        if len(wrong) == 0:
            return
        rows = self._numbers[wrong] + 1
        if not self._partial:
            last = len(wrong) == 1 and wrong[0] == self.n_rows - 1
            short = widths[wrong[0]] < self.width
            found = f"{widths[wrong[0]]} columns" + (" (the file was cut off)" if last and short else "")
            more = "" if len(wrong) == 1 else f"{len(wrong)} rows are like that. "
            hint = f"{more}{_PARTIAL}"
            raise FileError(sentence(f"{self.where}, row {rows[0]}", found, f"{self.width} as in the first row", hint))
        self.broken.update({int(row): f"{widths[k]} of {self.width} columns" for row, k in zip(rows, wrong, strict=True)})

    # -- columns ------------------------------------------------------------------------------------------------------------------------------------

    def _resolve(self, columns: Columns) -> tuple[list[int], tuple[str, ...]]:
        """Column numbers, and what the stars of a pattern stood for."""
        chosen: list[int] = []
        stars: list[str] = []
        for item in [columns] if isinstance(columns, (str, int)) else columns:
            if isinstance(item, int):
                chosen.append(item)
            elif re.fullmatch(r"\d*:\d*", item) and item not in self.header:
                start, stop = (int(x) if x else None for x in item.split(":"))
                chosen.extend(range(self.width)[start:stop])
                if stop is not None and stop > self.width:
                    chosen.append(stop - 1)
            elif item in self.header:
                if self.header.count(item) > 1:
                    raise DataError(sentence(f"{self.where}, column {item!r}", f"{self.header.count(item)} columns of that name", "one", "Give its number."))
                chosen.append(self.header.index(item))
            else:
                found = [k for k, name in enumerate(self.header) if fnmatchcase(name, item)]
                if not found:
                    raise unknown_name(f"column in {self.where}", item, self.header)
                chosen.extend(found)
                if item.count("*") == 1:
                    before, after = item.split("*")
                    stars.extend(self.header[k][len(before) : len(self.header[k]) - len(after)] for k in found)
        for k in chosen:
            if not 0 <= k < self.width:
                raise DataError(sentence(f"{self.where}, column {k}", f"{self.width} columns", f"numbers from 0 to {self.width - 1}"))
        return chosen, tuple(stars) if len(stars) == len(chosen) else ()

    def _parse(self, chosen: list[int], labels: tuple[str, ...]) -> NDArray[np.float64]:
        values = np.full((self.n_rows, len(chosen)), np.nan)
        good = np.array([int(k) + 1 not in self.broken for k in self._numbers], dtype=bool) if self.broken else np.ones(self.n_rows, dtype=bool)
        lines = [line for line, ok in zip(self._lines, good, strict=True) if ok] if self.broken else self._lines
        if not lines:
            return values
        if self._decimal == ",":
            lines = [line.replace(",", ".") for line in lines]
        try:
            values[good] = np.loadtxt(lines, delimiter=self._delimiter, usecols=chosen, ndmin=2, comments=None, quotechar='"')
        except ValueError:
            values[good] = self._parse_slowly(lines, chosen, labels, self._numbers[good] + 1)
        return values

    def _parse_slowly(self, lines: list[str], chosen: list[int], labels: tuple[str, ...], rows: NDArray[np.intp]) -> NDArray[np.float64]:
        """Cell by cell, to name (or with ``partial`` to skip) the rows whose cells are no numbers."""
        values = np.full((len(lines), len(chosen)), np.nan)
        for i, line in enumerate(lines):
            cells = self._split(line)
            for j, k in enumerate(chosen):
                try:
                    values[i, j] = _number(cells[k])
                except ValueError as error:
                    found = repr(cells[k].strip()) if cells[k].strip() else "an empty cell"
                    if not self._partial:
                        raise FileError(sentence(f"{self.where}, row {rows[i]}, {labels[j]}", found, "a number", _PARTIAL)) from error
                    self.broken[int(rows[i])] = f"{found} in {labels[j]}"
        return values


def _number(cell: str) -> float:
    """The number of a cell as loggers write it: ASCII without underscores (Python's own float takes ``1_0`` and the digits of every script)."""
    if "_" in cell or not cell.strip().isascii():
        raise ValueError(cell)
    return float(cell)


def _read_lines(path: Pathlike, where: str) -> list[str]:
    with translated(path):
        data = Path(path).read_bytes()
    head = data[:4096]
    if head.startswith((b"PK\x03\x04", b"\x89HDF")) or b"\x00" in head:
        raise FileError(sentence(where, "a binary file", "a text table"))
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        # only names and comments can hold such bytes; numbers are ASCII in every code page
        text = data.decode("latin-1")
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _find_delimiter(line: str, decimal: str) -> str | None:
    """The delimiter of a line; None for blanks."""
    for sign in ";\t,":
        if sign in line and sign != decimal:
            return sign
    return None
