"""Checks and conversions shared by the forms."""

from __future__ import annotations

from typing import Any

import numpy as np

from optid.errors import LimitsError, ShapeError, sentence


def vector(value: Any, length: int | None, what: str, *, fill: float | None = None) -> np.ndarray:
    """Return ``value`` as a read-only float vector of ``length``; a scalar is repeated, ``None`` becomes ``fill``.

    Raises
    ------
    ShapeError
        When the length is wrong or ``value`` is not numeric.
    """
    if value is None and fill is not None:
        value = fill
    try:
        if np.iscomplexobj(value):
            raise TypeError("complex numbers")
        array = np.array(value, dtype=float)
    except (TypeError, ValueError) as error:
        raise ShapeError(sentence(what, repr(value), "a vector of numbers")) from error
    if array.ndim == 0 and length is not None:
        array = np.full(length, float(array))
    if array.ndim == 2 and 1 in array.shape:
        array = array.ravel()
    if array.ndim != 1 or (length is not None and array.size != length):
        wanted = "a vector" if length is None else f"shape ({length},)"
        raise ShapeError(sentence(what, f"shape {array.shape}", wanted))
    array.flags.writeable = False
    return array


def matrix(value: Any, columns: int, what: str) -> np.ndarray:
    """Return ``value`` as a read-only float matrix with ``columns`` columns; ``None`` becomes zero rows."""
    if value is None:
        value = np.zeros((0, columns))
    array = np.array(value, dtype=float)
    if array.ndim == 1 and array.size == columns:
        array = array[None, :]
    if array.ndim != 2 or array.shape[1] != columns:
        raise ShapeError(sentence(what, f"shape {array.shape}", f"(rows, {columns})"))
    array.flags.writeable = False
    return array


def bounds(lower: Any, upper: Any, names: tuple[str, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Return both bounds as vectors, infinite where absent.

    Raises
    ------
    LimitsError
        When a lower bound lies above its upper bound, or a bound is NaN; the message names the variable.
    """
    low = vector(lower, len(names), "lower bounds", fill=-np.inf)
    high = vector(upper, len(names), "upper bounds", fill=np.inf)
    bad = np.flatnonzero(~(low <= high))
    if bad.size:
        i = int(bad[0])
        raise LimitsError(sentence(f"bounds of {names[i]!r}", f"lower {low[i]:g}, upper {high[i]:g}", "lower ≤ upper"))
    return low, high


def named(names: Any, length: int) -> tuple[str, ...]:
    """Return the variable names, ``x0, x1, …`` when none are given."""
    if names is None:
        return tuple(f"x{i}" for i in range(length))
    result = (names,) if isinstance(names, str) else tuple(str(name) for name in names)
    if len(result) != length:
        raise ShapeError(sentence("names", f"{len(result)} names", f"{length}, one a variable"))
    return result


def excess(values: np.ndarray, low: np.ndarray, high: np.ndarray) -> float:
    """Largest amount by which ``values`` leave ``[low, high]``; 0 when inside, NaN when a value is NaN."""
    if not values.size:
        return 0.0
    return float(np.max(np.maximum(np.maximum(low - values, values - high), 0.0)))
