"""What callers hand over, checked at the door: one clear sentence in place of whatever would fail inside."""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from optid.arrays import is_real
from optid.errors import DataError, ShapeError, sentence

from .arrays import numbers

Array = NDArray[np.float64]


def instance(value: Any, kind: type | tuple[type, ...], what: str, hint: str = "") -> None:
    """Refuse a value that is not of a kind.

    Raises
    ------
    DataError
        Naming the kind found and the one expected.
    """
    if not isinstance(value, kind):
        kinds = kind if isinstance(kind, tuple) else (kind,)
        raise DataError(sentence(what, found(value), " or ".join(_article(k.__name__) for k in kinds), hint))


def found(value: Any) -> str:
    """What a message says was found: a short value itself, of anything else the kind."""
    return repr(value) if value is None or isinstance(value, (str, int, float, bool)) else _article(type(value).__name__)


def _article(name: str) -> str:
    return f"{'an' if name[0] in 'aeiouAEIOU' else 'a'} {name}"


def real(value: Any, what: str, wanted: str = "a number") -> float:
    """One real number, NaN and infinity included; ``wanted`` is what the message asks for."""
    if is_real(value):
        return float(value)
    raise DataError(sentence(what, repr(value), wanted))


def positive(value: Any, what: str, wanted: str = "a positive number of seconds") -> float:
    """One positive, finite number."""
    number = real(value, what, wanted)
    if not 0 < number < np.inf:
        raise DataError(sentence(what, value, wanted))
    return number


def not_negative(value: Any, what: str, wanted: str = "a finite number >= 0") -> float:
    """One finite number of at least 0."""
    number = real(value, what, wanted)
    if not 0 <= number < np.inf:
        raise DataError(sentence(what, value, wanted))
    return number


def whole(value: Any, what: str, least: int = 0, wanted: str = "a whole number") -> int:
    """One whole number of at least ``least``."""
    number = real(value, what, wanted)
    if not np.isfinite(number) or number != int(number) or number < least:
        raise DataError(sentence(what, value, wanted))
    return int(number)


def per_axis(value: Any, n: int, what: str) -> Array:
    """(n,) of a scalar or n real numbers, which may be NaN.

    Raises
    ------
    ShapeError
        For anything else.
    """
    array = numbers(value.full().ravel() if isinstance(value, ca.DM) else value, what)
    if array.shape not in ((), (n,)):
        raise ShapeError(sentence(what, f"shape {array.shape}", f"one number, or {n}, one an axis"))
    return np.full(n, float(array)) if array.ndim == 0 else array
