"""Arrays that callers hand over: real numbers, or one clear sentence."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from optid.errors import ShapeError, sentence


def numbers(value: Any, what: str) -> NDArray[np.float64]:
    """An array of real numbers; missing values cannot hide in it."""
    if isinstance(value, np.ma.MaskedArray):
        raise ShapeError(sentence(what, "a masked array", "a plain array", "Leave the masked samples out, or fill them."))
    try:
        array = np.asarray(value)
        if array.dtype.kind in "biuf":
            return np.asarray(array, dtype=float)
    except ValueError:
        raise ShapeError(sentence(what, "rows of different lengths", "an array of numbers")) from None
    if array.dtype.kind == "O" and value is not None and None not in array.ravel().tolist():
        # numbers of other libraries
        try:
            return np.asarray(value, dtype=float)
        except (TypeError, ValueError):
            pass
    text = value is None or isinstance(value, (str, bytes, complex))
    found = f"entries of type {array.dtype}" if array.ndim else repr(value) if text else f"a {type(value).__name__}"
    raise ShapeError(sentence(what, found, "real numbers"))


def is_real(value: Any) -> bool:
    """Whether a value is one real number; truth values are none."""
    if isinstance(value, bool):
        return False
    try:
        array = np.asarray(value)
    except ValueError:  # rows of different lengths
        return False
    return array.ndim == 0 and array.dtype.kind in "iuf"


def finite(value: Any, shape: tuple[int | None, ...], what: str) -> NDArray[np.float64]:
    """An array of finite numbers of a shape, in which None stands for any length.

    Raises
    ------
    ShapeError
        Naming what was found.
    """
    array = numbers(value, what)
    if array.ndim != len(shape) or any(wanted not in (None, size) for wanted, size in zip(shape, array.shape, strict=True)):
        wanted = ", ".join("·" if size is None else str(size) for size in shape)
        raise ShapeError(sentence(what, f"shape {array.shape}", f"({wanted}{',' * (len(shape) == 1)})"))
    if not np.isfinite(array).all():
        raise ShapeError(sentence(what, "NaN or infinite numbers", "finite ones"))
    return array
