"""Sentences of the library in the words of a campaign file."""

from __future__ import annotations

import re

from optid.errors import OptidError

_ARGUMENT = re.compile(r"\b(\w+)=(True|False|None|'\w+')")
_TOML = {"True": "true", "False": "false", "None": '"none"'}


def in_toml(message: object) -> str:
    """A message with arguments of functions as keys of the file.

    Examples
    --------
    >>> in_toml("Pass partial=True, or say clock='stamps'.")
    'Pass partial = true, or say clock = "stamps".'
    """
    return _ARGUMENT.sub(lambda found: f"{found[1]} = {_TOML.get(found[2]) or found[2].replace(chr(39), chr(34))}", str(message))


def placed(error: OptidError, place: object) -> OptidError:
    """The same kind of error, with its place before it, in the words of a campaign file."""
    return type(error)(f"{place}: {in_toml(error)}")
