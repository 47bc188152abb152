"""What every kind of log hands to the importer: blocks of numbers with labels, before units and checks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from .mapping import Columns


@dataclass(frozen=True)
class Block:
    """Numbers of one signal as they stand in the log.

    Attributes
    ----------
    values : (N, k)
        NaN where a cell is not a number.
    labels : k-tuple of str
        How each column is called in messages.
    rows : (N,) int
        Row numbers for messages: lines of a text file (from 1), or samples of an array (from 0).
    stars : k-tuple of str
        What the ``*`` of a pattern stood for; empty when there was none.
    """

    values: NDArray[np.float64]
    labels: tuple[str, ...]
    rows: NDArray[np.intp]
    stars: tuple[str, ...] = ()


class Log(Protocol):
    """A log that can be asked for columns.

    Attributes
    ----------
    where : str
        The file, for messages.
    row_word : str
        ``"row"`` or ``"sample"``.
    broken : mapping row number → what is wrong with the row
        Rows that are cut short or hold cells that are no numbers (their values are NaN); empty unless such rows were asked for.
    """

    where: str
    row_word: str
    broken: dict[int, str]

    def block(self, columns: Columns) -> Block:
        """The numbers of some columns."""

    def names(self, variable: str) -> tuple[str, ...]:
        """Texts stored in the log under that name."""
