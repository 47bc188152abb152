"""A TOML table as a frozen dataclass: a wrong key, kind or value is one sentence with file, table, key and, where one is close, the key that was meant."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, is_dataclass
from typing import Any, Literal, get_args, get_origin

from optid.errors import DataError, OptidError, sentence, unknown_name

from .documentation import Entry, described, entries, members
from .wording import placed

DEGREES = "_deg"


@dataclass(frozen=True)
class Place:
    """Where a table stands.

    Attributes
    ----------
    file : str
        What the table is part of: the file, or one of an array of tables.
    path : str
        Such as "design.export"; empty for the top level.
    number : int
        Of an array of tables, counted from 1; 0 for a table of its own.
    """

    file: str
    path: str = ""
    number: int = 0

    def __str__(self) -> str:
        if not self.path:
            return self.file
        return f"[[{self.path}]] {self.number} of {self.file}" if self.number else f"[{self.path}] of {self.file}"

    def inside(self, key: str, number: int = 0) -> Place:
        """The place of a table in this one."""
        if self.number:
            return Place(str(self), key, number)
        return Place(self.file, f"{self.path}.{key}" if self.path else key, number)


def table(kind: type, values: Mapping[str, Any], place: Place) -> Any:
    """The dataclass ``kind`` from a table.

    Raises
    ------
    UnknownNameError
        A key that the table does not have, or a choice that is none.
    DataError
        A value of the wrong kind, a key that is missing or given twice (in radians and degrees).
    OptidError
        Whatever the class itself refuses, with the place before it.
    """
    known = entries(kind)
    names = [*known, *(f"{entry.name}{DEGREES}" for entry in known.values() if entry.in_degrees)]
    for key in values:
        if key not in names:
            raise unknown_name(f"key of {place}:", key, names)
    found = {}
    for entry in known.values():
        value = _given(entry, values, place)
        if value is not MISSING:
            found[entry.name] = _value(entry, value, place)
        elif entry.default is MISSING:
            raise DataError(sentence(str(place), f"no {entry.name}", f"{entry.name} = {described(entry.hint, entry.unit)}", entry.text))
    try:
        return kind(**found)
    except OptidError as error:
        raise placed(error, place) from error


def _given(entry: Entry, values: Mapping[str, Any], place: Place) -> Any:
    """The value of a key, in radians where it is given in degrees; ``MISSING`` when it is not there."""
    in_degrees = f"{entry.name}{DEGREES}"
    if not entry.in_degrees or in_degrees not in values:
        return values.get(entry.name, MISSING)
    if entry.name in values:
        raise DataError(sentence(str(place), f"both {entry.name} and {in_degrees}", "one of them"))
    value = values[in_degrees]
    found = _converted(value, entry.hint)
    if found is MISSING or not isinstance(found, (float, tuple)):
        unit = entry.unit.replace("rad", "deg")
        raise DataError(sentence(f"{in_degrees} of {place}", repr(value), described(entry.hint, unit.split(" or ")[0].split("; ")[0])))
    return [math.radians(x) for x in found] if isinstance(found, tuple) else math.radians(found)


def _value(entry: Entry, value: Any, place: Place) -> Any:
    """A value as its field holds it."""
    if value == "none" and _says_none(entry.hint):
        return None
    for hint in members(entry.hint):
        found = _nested(entry.name, hint, value, place)
        if found is MISSING:
            found = _converted(value, hint)
        if found is not MISSING:
            return found
    for hint in members(entry.hint):
        if get_origin(hint) is Literal and isinstance(value, str):
            raise unknown_name(f"{entry.name} of {place}:", value, [each for each in get_args(hint) if isinstance(each, str)])
    raise DataError(sentence(f"{entry.name} of {place}", _shown(value), described(entry.hint, entry.unit), _hint(entry, value)))


def _says_none(hint: Any) -> bool:
    """Whether the text "none" stands for none; it may be a choice of its own."""
    each = members(hint)
    return type(None) in each and not any(get_origin(kind) is Literal and "none" in get_args(kind) for kind in each)


def _nested(name: str, hint: Any, value: Any, place: Place) -> Any:
    """Tables inside the table; ``MISSING`` for anything else."""
    if is_dataclass(hint) and isinstance(hint, type):
        return table(hint, value, place.inside(name)) if isinstance(value, dict) else MISSING
    arguments = get_args(hint)
    if not arguments or not is_dataclass(inside := arguments[1] if get_origin(hint) is dict else arguments[0]):
        return MISSING
    if get_origin(hint) is dict and isinstance(value, dict) and all(isinstance(each, dict) for each in value.values()):
        return {key: table(inside, each, place.inside(name).inside(key)) for key, each in value.items()}  # type: ignore[arg-type]
    if get_origin(hint) is tuple and isinstance(value, list):
        return tuple(_element(inside, each, place.inside(name, k)) for k, each in enumerate(value, start=1))
    return MISSING


def _element(kind: Any, value: Any, place: Place) -> Any:
    """One of an array of tables; some may be given by one text."""
    if isinstance(value, str) and hasattr(kind, "from_text"):
        return kind.from_text(value)
    if not isinstance(value, dict):
        raise DataError(sentence(str(place), _shown(value), "a table" + (" or a text" if hasattr(kind, "from_text") else "")))
    return table(kind, value, place)


def _converted(value: Any, hint: Any) -> Any:
    """A plain value of the kind ``hint``; ``MISSING`` when it is of another."""
    for each in members(hint):
        found = _plain(value, each)
        if found is not MISSING:
            return found
    return MISSING


def _plain(value: Any, hint: Any) -> Any:
    if hint is Any:
        return value
    if hint is type(None):
        return None if value == "none" else MISSING
    if hint is float:
        real = isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 2**1000  # which is false for nan
        return float(value) if real or value in (math.inf, -math.inf) else MISSING
    if hint in (bool, str):
        return value if isinstance(value, hint) else MISSING
    if hint is int:
        return value if isinstance(value, int) and not isinstance(value, bool) else MISSING
    if get_origin(hint) is Literal:
        return value if value in get_args(hint) else MISSING
    if get_origin(hint) is tuple and isinstance(value, list):
        parts = tuple(_converted(each, get_args(hint)[0]) for each in value)
        return MISSING if any(each is MISSING for each in parts) else parts
    if get_origin(hint) is dict and isinstance(value, dict):
        items = {key: _converted(each, get_args(hint)[1]) for key, each in value.items()}
        return MISSING if any(each is MISSING for each in items.values()) else items
    return MISSING


def _shown(value: Any) -> str:
    text = repr(value) if not isinstance(value, bool) else str(value).lower()
    return text if len(text) <= 60 else f"{text[:57]}..."


def _hint(entry: Entry, value: Any) -> str:
    """What to do about a number in quotes."""
    if not isinstance(value, str):
        return ""
    number = value.split(" ")[0]
    try:
        float(number)
    except ValueError:
        return ""
    plain = any(hint in (float, int) for hint in members(entry.hint))
    return f"Write {entry.name} = {number}, without quotes" + (f", in {entry.unit}." if entry.unit else ".") if plain else ""
