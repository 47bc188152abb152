"""Checks of single values in the tables of a campaign file."""

from __future__ import annotations

import re
from math import isfinite

from optid.errors import DataError, sentence

LABEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")
"""Names of methods and payloads: they become names of files."""


def check_label(what: str, name: str) -> None:
    """Raise DataError for a name that could leave its folder or need quotes."""
    if not LABEL.fullmatch(name):
        raise DataError(sentence(f"{what} {name!r}", "a name that is no file name", "letters, digits, '-', '_' and '.'"))


def check_positive(**values: float | None) -> None:
    """Raise DataError for the first value that is not a number above 0; None passes."""
    for name, value in values.items():
        if value is not None and not (value > 0 and isfinite(value)):
            raise DataError(sentence(name, value, "a number above 0"))


def check_whole(**values: int | None) -> None:
    """Raise DataError for the first value below 1; None passes."""
    for name, value in values.items():
        if value is not None and value < 1:
            raise DataError(sentence(name, value, "a whole number, 1 or more"))
