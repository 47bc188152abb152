"""Names that may stand in a controller's program: nothing from outside reaches it unchanged."""

from __future__ import annotations

import re
from collections.abc import Sequence

from optid.errors import DataError, sentence

PREFIX = "optid_"
LONGEST = 28
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_]*\Z")


def program_name(text: str) -> str:
    """An identifier made from ``text`` that no controller language has reserved: ``optid_`` and ASCII letters, digits, underscores, 28 in all."""
    word = _plain(text)
    return (word if word.lower().startswith(PREFIX) else PREFIX + (word or "motion"))[:LONGEST]


def identifiers(texts: Sequence[str]) -> tuple[str, ...]:
    """Identifiers made from joint names, all different."""
    result: list[str] = []
    for text in texts:
        first = _plain(text)
        first = (first if first[:1].isalpha() else f"joint_{first}".rstrip("_"))[:LONGEST]
        word, k = first, 1
        while word.lower() in {x.lower() for x in result}:
            k += 1
            word = f"{first}_{k}"
        result.append(word)
    return tuple(result)


def _plain(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9]+", "_", text).strip("_")


def one_word(text: str, what: str) -> str:
    """``text`` itself when it is an identifier; raises DataError otherwise."""
    if not _WORD.match(text):
        raise DataError(sentence(what, repr(text), "one word of letters, digits and underscores"))
    return text
