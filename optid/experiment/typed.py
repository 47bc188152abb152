"""Entries of a file that must be of one kind: text, a number, a truth value or numbers, else a FileError that names their place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from optid.errors import FileError, sentence

from .values import read_attribute

if TYPE_CHECKING:
    import h5py

_DAMAGED = "The file is damaged or was edited by hand."


def _shown(value: Any) -> str:
    """An entry as an error message shows it: short, whatever it is."""
    if isinstance(value, np.ndarray) and not value.ndim:
        value = value.item()
    if isinstance(value, np.ndarray):
        return f"an array of {value.dtype} of shape {value.shape}"
    if isinstance(value, Mapping):
        return "a group of entries"
    if isinstance(value, (list, tuple)):
        return f"{len(value)} entries in a list"
    if value is None:
        return "nothing"
    short = repr(value)
    return f"the {'text' if isinstance(value, str) else 'value'} {short if len(short) <= 60 else short[:57] + '...'}"


def _wrong(value: Any, place: str, expected: str) -> FileError:
    return FileError(sentence(place, _shown(value), expected, _DAMAGED))


def _single(value: Any) -> Any:
    """The only element of an array or list of one (other programs write single attributes so), else the value itself."""
    return np.ravel(value).tolist()[0] if isinstance(value, (np.ndarray, list, tuple)) and np.shape(value) in ((), (1,)) else value


def text(value: Any, place: str) -> str:
    """A text."""
    single = _single(value)
    if not isinstance(single, str):
        raise _wrong(value, place, "text")
    return single


def texts(value: Any, place: str) -> tuple[str, ...]:
    """Several texts."""
    if not isinstance(value, (list, tuple, np.ndarray)) or np.ndim(value) != 1 or not all(isinstance(x, str) for x in value):
        raise _wrong(value, place, "a list of texts")
    return tuple(str(x) for x in value)


def number(value: Any, place: str) -> float:
    """A number (no truth value)."""
    single = _single(value)
    if isinstance(single, bool) or not isinstance(single, (int, float)):
        raise _wrong(value, place, "a number")
    return float(single)


def flag(value: Any, place: str) -> bool:
    """A truth value, also stored as 0 or 1."""
    single = _single(value)
    if not isinstance(single, (bool, int, float)) or single not in (0, 1):
        raise _wrong(value, place, "0 or 1")
    return bool(single)


def numbers(value: Any, place: str, finite: bool = False, whole: bool = False) -> NDArray[Any]:
    """An array of real numbers, float64 (int64 when ``whole``).

    Raises
    ------
    FileError
        Something else; NaN or infinite numbers where ``finite``; fractions where ``whole``.
    """
    try:
        array = np.asarray(value)
    except (ValueError, OverflowError) as error:
        raise _wrong(value, place, "an array of numbers") from error
    if array.size and array.dtype.kind not in "iufb":
        raise _wrong(value, place, "an array of numbers")
    array = array.astype(float)
    if (finite or whole) and not np.isfinite(array).all():
        raise FileError(sentence(place, "NaN or infinite numbers", "finite numbers", _DAMAGED))
    if whole and not ((array == np.rint(array)) & (np.abs(array) < 2**53)).all():
        raise _wrong(value, place, "whole numbers")
    return array.astype(np.int64) if whole else array


def mapping(value: Any, place: str) -> Mapping[str, Any]:
    """A group of entries."""
    if not isinstance(value, Mapping):
        raise _wrong(value, place, "a group of entries")
    return value


def text_attribute(item: h5py.Group | h5py.Dataset, name: str, default: str = "") -> str:
    """A text attribute; ``default`` when it is not there or empty."""
    value = read_attribute(item, name) if name in item.attrs else None
    return default if value is None else text(value, f"{item.name}@{name}")


def number_attribute(item: h5py.Group | h5py.Dataset, name: str) -> float | None:
    """A number, None when it is not there."""
    return number(read_attribute(item, name), f"{item.name}@{name}") if name in item.attrs else None


def is_complete(trial: h5py.Group) -> bool:
    """Whether the recording of a trial was closed."""
    return flag(read_attribute(trial, "complete"), f"{trial.name}@complete") if "complete" in trial.attrs else True


def units_attribute(dataset: h5py.Dataset) -> str | list[str]:
    """The unit, or one a joint; empty when nothing is said."""
    value = read_attribute(dataset, "units") if "units" in dataset.attrs else ""
    if isinstance(value, list) and len(value) > 1:
        return list(texts(value, f"{dataset.name}@units"))
    return "" if value is None else text(value, f"{dataset.name}@units")
