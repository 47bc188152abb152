"""A number that tells whether values came back from a file as they were written."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

import numpy as np


def digest(value: Any) -> str:
    """The same for plain values and for what an experiment file makes of them; another for values that differ in a single bit.

    Examples
    --------
    >>> import numpy as np
    >>> from optid.flexibility.digest import digest
    >>> digest({"limits": (80.0, 90.0), "n": 3}) == digest({"n": np.int64(3), "limits": np.array([80.0, 90.0])})
    True
    >>> digest({"limits": (80.0, 90.0), "n": 3}) == digest({"limits": (80.0, 90.0), "n": 2})
    False
    """
    return sha256(repr(_plain(value)).encode("utf-8", "surrogatepass")).hexdigest()


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return sorted((str(name), _plain(item)) for name, item in value.items())
    if value is None or isinstance(value, (str, bytes)):
        return None if value is None else str(value)
    if isinstance(value, (list, tuple)) and any(isinstance(item, (str, Mapping, list, tuple)) or item is None for item in value):
        return [_plain(item) for item in value]
    array = np.asarray(value)
    if array.dtype.kind in "biuf":
        return array.shape, sha256(np.ascontiguousarray(array, dtype=float).tobytes()).hexdigest()
    return [_plain(item) for item in array.ravel().tolist()] if array.ndim else str(value)
