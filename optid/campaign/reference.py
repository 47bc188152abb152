"""The documented schema of a campaign file, generated from its dataclasses."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import MISSING, is_dataclass
from typing import Any, get_args, get_origin

from .documentation import Entry, described, entries, members, summary
from .schema import Campaign

WIDTH = 110

HEAD = (
    "# A campaign file (TOML). Paths start from its folder. Units are SI and radians; a key with a unit of rad may be given in degrees as KEY_deg.",
    '# "none" in quotes stands for none.',
    "",
)


def schema_text() -> str:
    """Every table and key of a campaign file, with kind, unit, default and meaning; as comments of a TOML file.

    Examples
    --------
    >>> print(schema_text().splitlines()[0])
    # A campaign file (TOML). Paths start from its folder. Units are SI and radians; a key with a unit of rad may be given in degrees as KEY_deg.
    """
    return "\n".join([*HEAD, *_table(Campaign, "", "")]) + "\n"


def _table(kind: Any, path: str, header: str) -> Iterator[str]:
    if header:
        yield ""
        yield header
        yield from _comment(summary(kind))
    known = list(entries(kind).values())
    inner = [nested for entry in known if (nested := _inner(entry, path)) is not None]
    for entry, following in zip(known, [*known[1:], None], strict=True):
        if not header or _inner(entry, path) is None:
            yield f"# {entry.name} : {kind_in_words(entry)}; {_default(entry)}"
            if following is None or following.text != entry.text:
                yield from _comment(entry.text, "    ")
    for nested_kind, nested_path, nested_header in inner:
        yield from _table(nested_kind, nested_path, nested_header)


def kind_in_words(entry: Entry) -> str:
    """Its kind; of a text that is one of few, these."""
    words = described(entry.hint, entry.unit)
    return entry.stated if words == "text" and '"' in entry.stated else words


def _default(entry: Entry) -> str:
    if entry.default is MISSING:
        return "must be given"
    if entry.default is None:
        return "default none"
    if is_dataclass(entry.default):
        return "default as below"
    if isinstance(entry.default, tuple) and entry.default and is_dataclass(entry.default[0]):
        return f"default [{', '.join(repr(each.name) for each in entry.default)}]"
    return f"default {toml_value(entry.default)}"


def toml_value(value: Any) -> str:
    """A value as TOML writes it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        import json

        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")  # JSON escapes are TOML escapes but for one character
    if isinstance(value, (tuple, list)):
        return f"[{', '.join(toml_value(each) for each in value)}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key} = {toml_value(each)}' for key, each in value.items())}}}"
    return repr(value)


def _inner(entry: Entry, path: str) -> tuple[Any, str, str] | None:
    """Class, path and header of the table that a key holds, if it does."""
    here = f"{path}.{entry.name}" if path else entry.name
    for hint in members(entry.hint):
        if is_dataclass(hint) and isinstance(hint, type) and hint.__name__ != "Nyquist":
            return hint, here, f"[{here}]"
        arguments = get_args(hint)
        if get_origin(hint) is tuple and is_dataclass(arguments[0]):
            return arguments[0], here, f"[[{here}]]"
        if get_origin(hint) is dict and is_dataclass(arguments[1]):
            return arguments[1], f"{here}.NAME", f"[{here}.NAME]"
    return None


def _comment(text: str, indent: str = "") -> Iterator[str]:
    for line in textwrap.wrap(text.replace("``", ""), WIDTH - len(indent)):
        yield f"# {indent}{line}"
