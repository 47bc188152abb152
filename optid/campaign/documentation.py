"""What a dataclass says about its fields: kinds from the annotations, units and explanations from the docstring, so that neither is written twice."""

from __future__ import annotations

import inspect
import re
import types
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import lru_cache
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

_ENTRY = re.compile(r"^(\w+(?:, \w+)*) : (.*)$")
_UNIT = re.compile(r"\[([^\]]+)\]")


@dataclass(frozen=True)
class Entry:
    """One key of a table.

    Attributes
    ----------
    name : str
    hint : type
        Its annotation.
    default : object
        ``dataclasses.MISSING`` for a key that must be given.
    unit : str
        Such as "s" or "rad or m"; empty when it has none.
    text : str
        What it means.
    stated : str
        Its kind as the docstring puts it.
    """

    name: str
    hint: Any
    default: Any
    unit: str = ""
    text: str = ""
    stated: str = ""

    @property
    def in_degrees(self) -> bool:
        """Whether the key may also be given in degrees, as ``NAME_deg``."""
        return self.unit.startswith("rad")


@lru_cache
def entries(kind: type) -> dict[str, Entry]:
    """The keys of a table, by name."""
    hints, told = get_type_hints(kind), _told(kind)
    found = {}
    for f in fields(kind):
        default = f.default if f.default_factory is MISSING else f.default_factory()
        found[f.name] = Entry(f.name, hints[f.name], default, **told.get(f.name, {}))
    return found


def members(hint: Any) -> tuple[Any, ...]:
    """The kinds that a value may have."""
    return get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)


def described(hint: Any, unit: str = "") -> str:
    """A kind in words, such as "a number [s] or none"."""
    return " or ".join(dict.fromkeys(_words(each, unit) for each in members(hint)))


_PLAIN = {bool: "true or false", int: "a whole number", str: "text", type(None): "none", Any: "anything"}


def _words(hint: Any, unit: str) -> str:
    measure = f" [{unit}]" if unit else ""
    if hint is float:
        return f"a number{measure}"
    if get_origin(hint) is Literal:
        return " or ".join(f'"{each}"' for each in get_args(hint))
    if get_origin(hint) is tuple:
        inside = get_args(hint)[0]
        if is_dataclass(inside):
            texts = " or a list of texts" if hasattr(inside, "from_text") else ""
            return f"an array of tables{texts}"
        return {float: f"a list of numbers{measure}", str: "a list of texts"}.get(inside, f"a list of {described(inside, unit)}")
    if get_origin(hint) is dict:
        inside = get_args(hint)[1]
        return "named tables" if is_dataclass(inside) else "a table of numbers" if inside is float else "a table"
    if is_dataclass(hint):
        return "a table"
    return str(_PLAIN.get(hint, getattr(hint, "__name__", hint)))


def summary(kind: type) -> str:
    """First paragraph of a class's docstring."""
    return (inspect.getdoc(kind) or "").split("\n\n")[0].replace("\n", " ")


def _told(kind: type) -> dict[str, dict[str, str]]:
    """Unit, text and stated kind of every field that the docstring's section of attributes (or parameters) explains."""
    found: dict[str, dict[str, str]] = {}
    lines = (inspect.getdoc(kind) or "").splitlines()
    starts = [k + 2 for k, line in enumerate(lines[:-1]) if line in ("Attributes", "Parameters") and lines[k + 1].startswith("---")]
    names: list[str] = []
    unit = stated = ""
    for line in lines[starts[0] :] if starts else ():
        entry = _ENTRY.match(line)
        if entry is not None:
            names = entry[1].split(", ")
            if entry[2] != "the same":
                measure = _UNIT.search(entry[2])
                unit, stated = measure[1] if measure else "", entry[2]
            found |= {name: {"unit": unit, "text": "", "stated": stated} for name in names}
        elif line.startswith("    ") and names:
            for name in names:
                found[name]["text"] = f"{found[name]['text']} {line.strip()}".strip()
        elif line:
            break
    return found
