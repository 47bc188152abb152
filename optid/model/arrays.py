"""From whatever a caller has (lists, arrays, DM, SX) to a CasADi call and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from optid.arrays import numbers
from optid.errors import ShapeError, sentence


def is_symbolic(*values: object) -> bool:
    """True when any value is a CasADi expression."""
    return any(isinstance(v, (ca.SX, ca.MX)) for v in values)


def state_array(value: Any, n: int, what: str) -> tuple[NDArray[np.float64], bool]:
    """An (N, n) array from one state (n,) or many (N, n), and whether it was one.

    A DM column (n, 1) counts as one state.

    Raises
    ------
    ShapeError
        Naming ``what`` and the width found, when the width is not n.
    """
    if isinstance(value, ca.DM):
        value = np.asarray(value.full())
        if value.shape == (n, 1) and n != 1:
            value = value[:, 0]
    array = numbers(value, what)
    single = array.ndim <= 1
    array = np.atleast_1d(array)[None, :] if single else array
    if array.ndim != 2 or array.shape[1] != n:
        raise ShapeError(sentence(what, f"shape {np.shape(value)}", f"(N, {n}) or ({n},): {n} coordinate{'s' * (n > 1)}"))
    return np.ascontiguousarray(array), single


def state_arrays(values: Sequence[Any], n: int, names: Sequence[str]) -> tuple[list[NDArray[np.float64]], bool]:
    """Several states of one length; a single state is repeated to match the others."""
    pairs = [state_array(v, n, name) for v, name in zip(values, names, strict=True)]
    single = all(one for _, one in pairs)
    N = max(len(a) for a, _ in pairs) if any(not one for _, one in pairs) else 1
    N = 0 if any(len(a) == 0 for a, _ in pairs) else N
    arrays = []
    for (array, one), name in zip(pairs, names, strict=True):
        if len(array) != N and not one:
            raise ShapeError(sentence(name, f"{len(array)} samples", f"{N}, like the others"))
        arrays.append(np.broadcast_to(array, (N, n)) if one else array)
    return arrays, single
