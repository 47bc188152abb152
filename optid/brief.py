"""One line that says what an object is: arrays by their shape, nested objects by their own short form, long lists by their length."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any

import numpy as np

MOST = 160
"""Characters of a line; what does not fit is left out."""

LONGEST = 60
"""Characters of one value."""


def brief(self: Any) -> str:
    """A dataclass in one line; fields at their default, empty ones and those with ``repr=False`` are left out.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Fit:
    ...     name: str
    ...     values: np.ndarray
    ...     error: float = 0.0
    ...     __repr__ = brief
    >>> Fit("friction", np.zeros((3, 2)), 0.123456789)
    Fit(name 'friction', values (3, 2), error 0.123457)
    """
    parts: list[str] = []
    for field in fields(self):
        value = getattr(self, field.name)
        usual = field.default is not MISSING and _same(value, field.default)
        if not field.repr or usual or value is None or (isinstance(value, str | tuple | list | Mapping) and not value):
            continue
        text = f"{field.name} {_short(value)}"
        if sum(len(part) + 2 for part in parts) + len(text) + len(type(self).__name__) > MOST:
            parts.append("…")
            break
        parts.append(text)
    return f"{type(self).__name__}({', '.join(parts)})"


def _same(value: Any, default: Any) -> bool:
    return value is default or (isinstance(value, str | bool | int | float) and type(value) is type(default) and bool(value == default))


def _short(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return str(value.shape)
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, Mapping):
        return _listed([str(key) for key in value], "{", "}", len(value))
    if isinstance(value, tuple | list):
        return _listed([_short(part) for part in value[:8]], "(", ")", len(value))
    if callable(value) and hasattr(value, "__name__"):
        return str(value.__name__)
    text = repr(value)
    return text if len(text) <= LONGEST and "\n" not in text else type(value).__name__


def _listed(parts: list[str], left: str, right: str, count: int) -> str:
    text = left + ", ".join(parts) + right
    return text if len(parts) == count and len(text) <= LONGEST else f"{count} items"
