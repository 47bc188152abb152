"""Nested Python values in HDF5 groups and back: text, numbers, None, arrays, lists and mappings.

Scalars and short text are attributes; arrays and long text are datasets (an attribute above 64 KiB cannot be stored). What HDF5 has no type for (None, bool,
mixed lists) is JSON text with the prefix ``json:``. Nothing is ever pickled.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import numpy as np

from optid.errors import DataError, FileError, sentence

from .checks import attribute_faults, sound_items
from .schema import RESERVED, escape, unescape

if TYPE_CHECKING:
    import h5py

_JSON = "json:"
_ATTRIBUTE_BYTES = 4096
_DEPTH = 32
_PHONY = "This is a netCDF dimension but not a netCDF variable."
COMPRESSION: dict[str, Any] = {"compression": "gzip", "compression_opts": 1, "shuffle": True, "fletcher32": True}


def check_name(name: object, where: str) -> str:
    """The escaped link name for a key; raises DataError when it is not usable text."""
    if not isinstance(name, str) or not name:
        raise DataError(sentence(f"name {name!r} in {where}", type(name).__name__ if name != "" else "empty text", "text that is not empty"))
    if not _is_plain(name.replace("\x00", "")):
        raise DataError(sentence(f"name {name!r} in {where}", "broken Unicode", "valid text"))
    return escape(name)


def _is_plain(text: str) -> bool:
    """Whether HDF5 keeps the text as it is (no NUL, valid Unicode)."""
    try:
        return b"\x00" not in text.encode()
    except UnicodeEncodeError:
        return False


# -- writing ----------------------------------------------------------------------------------------------------------------------------------------


def write_mapping(group: h5py.Group, mapping: Mapping[str, Any], where: str, depth: int = 0) -> None:
    """Write every entry of ``mapping`` into ``group``.

    Raises
    ------
    DataError
        A key or value that has no place in a file, by name.
    """
    if depth > _DEPTH:
        raise DataError(sentence(where, f"mappings nested more than {_DEPTH} deep", "a flatter mapping", "Does a mapping contain itself?"))
    # the names of the parameters come first: they label the axes of the other arrays
    for key in sorted(mapping, key=lambda k: k != "parameter_names"):
        _write_value(group, check_name(key, where), mapping[key], f"{where}/{key}", depth)


def _write_value(group: h5py.Group, name: str, value: Any, where: str, depth: int) -> None:
    if isinstance(value, Mapping):
        write_mapping(group.create_group(name, track_order=True), value, where, depth + 1)
        return
    if isinstance(value, (np.str_, PurePath)):
        value = str(value)
    elif isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, np.ndarray):
        _write_array(group, name, value, where)
    elif isinstance(value, (list, tuple)) and value and _kind(value) is not None:
        dataset = _write_array(group, name, np.array(value, dtype=_kind(value)), where)
        dataset.attrs["kind"] = "tuple" if isinstance(value, tuple) else "list"
    elif isinstance(value, str) and _is_plain(value) and not value.startswith(_JSON):
        _write_text(group, name, value)
    elif isinstance(value, float) or (isinstance(value, int) and not isinstance(value, bool) and -(2**63) <= value < 2**63):
        group.attrs[name] = np.float64(value) if isinstance(value, float) else np.int64(value)
    else:
        _write_text(group, name, _JSON + _dumps(value, where))


def _kind(values: list[Any] | tuple[Any, ...]) -> Any:
    """The dtype of a list that is all text, all float or all int (and fits), else None."""
    if all(isinstance(x, str) and _is_plain(x) for x in values):
        return object
    if all(type(x) is float or isinstance(x, np.floating) for x in values):
        return np.float64
    if all((type(x) is int or isinstance(x, np.integer)) and -(2**63) <= x < 2**63 for x in values):
        return np.int64
    return None


def _dumps(value: Any, where: str) -> str:
    def convert(x: Any) -> Any:
        if isinstance(x, PurePath):
            return str(x)
        if isinstance(x, (np.bool_, np.integer, np.floating)):
            return x.item()
        hint = "Put arrays beside it under a name of their own." if isinstance(x, np.ndarray) else "Convert it to text or numbers first."
        raise DataError(sentence(f"value {where}", f"a {type(x).__name__}", "text, a number, None, an array, a list or a mapping", hint))

    def check_keys(x: Any, depth: int) -> None:
        if depth > _DEPTH:
            raise DataError(sentence(f"value {where}", f"nested more than {_DEPTH} deep", "a flatter value", "Does it contain itself?"))
        if isinstance(x, Mapping):
            for key in x:
                check_name(key, where)
        for item in (x.values() if isinstance(x, Mapping) else x) if isinstance(x, (Mapping, list, tuple)) else ():
            check_keys(item, depth + 1)

    check_keys(value, 0)
    return json.dumps(value, default=convert)


def _write_text(group: h5py.Group, name: str, text: str) -> None:
    if len(text) * 4 <= _ATTRIBUTE_BYTES or len(text.encode()) <= _ATTRIBUTE_BYTES:
        group.attrs[name] = text
    else:
        write_strings(group, name, text)


def write_strings(group: h5py.Group, name: str, value: Any) -> h5py.Dataset:
    """Variable-length UTF-8 dataset: one text, or a sequence of texts."""
    import h5py

    data = value if isinstance(value, str) else np.array(value, dtype=object)
    return group.create_dataset(name, data=data, dtype=h5py.string_dtype())


def _write_array(group: h5py.Group, name: str, value: np.ndarray[Any, Any], where: str) -> h5py.Dataset:
    if isinstance(value, np.ma.MaskedArray):
        raise DataError(sentence(f"value {where}", "a masked array", "a plain array", "Store the mask as an array of its own."))
    if value.dtype.kind in "UO":
        flat = value.ravel().tolist()
        if not all(isinstance(x, str) and _is_plain(x) for x in flat):
            raise DataError(sentence(f"value {where}", "an array of Python objects", "numbers or plain text"))
        dataset = write_strings(group, name, np.array(flat, dtype=object).reshape(value.shape))
    elif value.dtype.kind in "biuf" and value.dtype.itemsize <= 8:
        stored = value.astype(np.uint8) if value.dtype.kind == "b" else value.astype(np.float32) if value.dtype == np.float16 else value
        stored = stored.astype(stored.dtype.newbyteorder("="))
        options = dict(COMPRESSION, chunks=_chunks(stored)) if stored.ndim and stored.size else {}
        dataset = group.create_dataset(name, data=stored, **options)
        if value.dtype.kind == "b":
            dataset.attrs["kind"] = "bool"
    else:
        raise DataError(sentence(f"value {where}", f"an array of {value.dtype}", "real numbers of at most 64 bits, truth values or text"))
    _label_axes(group, name, dataset)
    return dataset


def _chunks(value: np.ndarray[Any, Any]) -> tuple[int, ...] | bool:
    return value.shape if value.nbytes <= 2**20 else True


def _label_axes(group: h5py.Group, name: str, dataset: h5py.Dataset) -> None:
    """Attach a dimension scale to every axis, as netCDF wants: the parameter names where the length fits, else a bare dimension."""
    if name == "parameter_names" and dataset.ndim == 1:
        dataset.make_scale(name)
        return
    used: set[str] = set()
    for axis, length in enumerate(dataset.shape):
        names = group.get("parameter_names")
        if names is not None and names.ndim == 1 and names.is_scale and len(names) == length and "parameter_names" not in used:
            dimension = "parameter_names"
        else:
            dimension = f"dim_{length}"
            while dimension in used:
                dimension += "_"
            if dimension not in group:
                bare = group.create_dataset(dimension, shape=(length,), dtype=">f4")
                bare.make_scale(f"{_PHONY}{length:10d}")
        used.add(dimension)
        dataset.dims[axis].attach_scale(group[dimension])


# -- reading ----------------------------------------------------------------------------------------------------------------------------------------


def is_bare_dimension(dataset: h5py.Dataset) -> bool:
    """Whether a dataset only marks a netCDF dimension."""
    return "NAME" in dataset.attrs and str(read_attribute(dataset, "NAME")).startswith(_PHONY)


def read_mapping(group: h5py.Group) -> dict[str, Any]:
    """Everything :func:`write_mapping` put into ``group``."""
    import h5py

    result: dict[str, Any] = {unescape(name): read_attribute(group, name) for name in group.attrs if name not in RESERVED}
    for name, item in sound_items(group):
        if isinstance(item, h5py.Group):
            result[unescape(name)] = read_mapping(item)
        elif not is_bare_dimension(item):
            result[unescape(name)] = _read_array(item)
    return result


def read_attribute(item: h5py.Group | h5py.Dataset, name: str) -> Any:
    """One attribute as text, number, array, None or what its JSON says; raises FileError for a type that is never read."""
    import h5py

    for fault in attribute_faults(item, name):
        raise FileError(str(fault))
    value = item.attrs[name]
    if isinstance(value, h5py.Empty):
        return None
    if isinstance(value, bytes):
        value = value.decode(errors="replace")
    if isinstance(value, str):
        return _loads(value, f"attribute {item.name}@{name}") if value.startswith(_JSON) else value
    if isinstance(value, np.ndarray) and value.dtype.kind in "SO":
        return [x.decode(errors="replace") if isinstance(x, bytes) else str(x) for x in value.ravel()]
    return value.item() if isinstance(value, np.generic) else value


def _loads(text: str, where: str) -> Any:
    try:
        return json.loads(text[len(_JSON) :])
    except (ValueError, RecursionError) as error:
        raise FileError(sentence(where, "broken JSON text", "JSON", "The file is damaged or was edited by hand.")) from error


def read_strings(dataset: h5py.Dataset) -> Any:
    """Text of a string dataset: one ``str``, or an object array of ``str``."""
    return dataset.asstr(errors="replace")[()]


def _read_array(dataset: h5py.Dataset) -> Any:
    import h5py

    kind = read_attribute(dataset, "kind") if "kind" in dataset.attrs else None
    if h5py.check_string_dtype(dataset.dtype) is not None:
        value = read_strings(dataset)
        if isinstance(value, str):
            return _loads(value, f"dataset {dataset.name}") if value.startswith(_JSON) else value
        value = value.astype(str)
    else:
        value = np.asarray(dataset[()])
        value = value.astype(bool) if kind == "bool" else value
    return tuple(value.tolist()) if kind == "tuple" else value.tolist() if kind == "list" else value
