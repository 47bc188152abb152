"""Checks that every trajectory makes of the arrays it is given."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.errors import DataError, ShapeError, sentence

Array = NDArray[np.float64]


def finite(value: ArrayLike, what: str) -> Array:
    """A read-only float copy of ``value`` without NaN or infinity.

    Raises
    ------
    DataError
        When ``value`` is not numeric or not finite.
    """
    try:
        array = np.array(value, dtype=float)
    except (TypeError, ValueError) as error:
        raise DataError(sentence(what, type(value).__name__, "numbers")) from error
    if not np.isfinite(array).all():
        raise DataError(sentence(what, f"{int((~np.isfinite(array)).sum())} of {array.size} not finite", "finite numbers"))
    array.setflags(write=False)
    return array


def vector(value: ArrayLike, what: str, n: int | None = None) -> Array:
    """A finite vector (n,); a scalar becomes (1,), or is repeated when ``n`` is given."""
    array = finite(value, what)
    if array.ndim == 0:
        array = np.full(1 if n is None else n, float(array))
        array.setflags(write=False)
    if array.ndim != 1 or (n is not None and len(array) != n) or len(array) == 0:
        raise ShapeError(sentence(what, f"shape {array.shape}", f"({'n' if n is None else n},), one number a joint"))
    return array


def positive(value: float, what: str) -> float:
    """A finite number above zero."""
    number = float(finite(value, what)) if np.ndim(value) == 0 else float("nan")
    if not number > 0.0:
        raise DataError(sentence(what, value, "one number above zero"))
    return number


def times(t: ArrayLike) -> Array:
    """Time stamps (N,) [s]; a scalar becomes (1,)."""
    array = finite(t, "time")
    if array.ndim > 1:
        raise ShapeError(sentence("time", f"shape {array.shape}", "(N,)"))
    return np.atleast_1d(array)


def whole(value: int, what: str, least: int = 0) -> int:
    """A whole number, ``least`` or more."""
    numeric = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    if not numeric or not np.isfinite(value) or value != np.floor(value) or value < least:
        raise DataError(sentence(what, repr(value), f"a whole number, {least} or more"))
    return int(value)


def names(value: Sequence[str], n: int) -> tuple[str, ...]:
    """Joint names: none, or n of them, all different."""
    found = (value,) if isinstance(value, str) else tuple(str(x) for x in value)
    if found and len(found) != n:
        raise ShapeError(sentence("joint names of a trajectory", f"{len(found)} names", f"{n}, one a joint"))
    if len(set(found)) != len(found):
        raise DataError(sentence("joint names of a trajectory", "a name twice", "unique names"))
    return found
