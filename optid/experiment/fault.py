"""A fault found in a file or in data: where, what, and what to do about it."""

from __future__ import annotations

from dataclasses import dataclass

from optid.errors import sentence


@dataclass(frozen=True)
class Fault:
    """One fault.

    Attributes
    ----------
    place : str
        Where: a path inside the file, with the signal, row or column.
    found, expected : str
    hint : str
        What to do about it, may be empty.
    severity : "error" or "warning"
        A warning is suspicious (degrees, gaps) but may be right.

    Examples
    --------
    >>> from optid.experiment import Fault
    >>> print(Fault("/trials/monday/q", "shape (3,)", "(N, n)"))
    /trials/monday/q: shape (3,), expected (N, n).
    """

    place: str
    found: str
    expected: str
    hint: str = ""
    severity: str = "error"

    @classmethod
    def of(cls, error: Exception, place: str = "") -> Fault:
        """The parts of an error's message (made by :func:`optid.errors.sentence`), at a place of its own if given."""
        what, _, rest = str(error).partition(": ")
        found, _, rest = rest.rpartition(", expected ")
        expected, _, hint = rest.partition(". ")
        return cls(place or what, found, expected.rstrip("."), hint)

    def __str__(self) -> str:
        return sentence(self.place, self.found, self.expected, self.hint)
