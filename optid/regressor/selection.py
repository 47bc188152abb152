"""Which columns are independent: greedy orthogonalisation in an order of preference, and the singular values as a second opinion."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from optid.errors import unknown_name
from optid.robot import PARAMETER_STEMS

Array = NDArray[np.float64]

ORDER = (("Ixx", "Ixy", "Ixz", "Iyz", "Izz"), ("Iyy",), ("mx", "my"), ("mz",), ("m",))
"""Stems of link parameters, most welcome as independent ones first; all links of a class before the next class."""


def preference(names: Sequence[str], n_link_parameters: int, preferred: Sequence[str] = ()) -> list[int]:
    """Order in which columns are offered as independent ones.

    The user's ``preferred`` names first, then friction and user-supplied columns, then link parameters in :data:`ORDER`, then rotor inertias: one that moves
    like a link's own inertia is grouped into it.
    """
    for name in preferred:
        if name not in names:
            raise unknown_name("preferred parameter", name, names)
    first = [names.index(name) for name in preferred]
    links = [k for stems in ORDER for k in range(n_link_parameters) if PARAMETER_STEMS[k % 10] in stems]
    others = range(n_link_parameters, len(names))
    rotor = [k for k in others if names[k].startswith("Ia")]
    rest = [*(k for k in others if k not in rotor), *links, *rotor]
    return first + [k for k in rest if k not in set(first)]


def independent_columns(Y: Array, order: Sequence[int], tolerance: float) -> tuple[list[int], Array]:
    """Columns of Y (M, p) accepted one by one when they leave the span of those accepted before (modified Gram-Schmidt, twice).

    A column counts when the part outside the span is more than ``tolerance`` of its own norm, and its norm more than ``tolerance`` of the largest.

    Returns
    -------
    accepted : column indices, in order of acceptance
    K : (r, p) array
        ``Y ≈ Y[:, accepted] @ K``; for accepted columns a unit vector.
    """
    norms = np.linalg.norm(Y, axis=0)
    floor = tolerance * float(norms.max(initial=0.0))
    Q = np.empty((Y.shape[0], min(Y.shape)))
    accepted: list[int] = []
    for k in order:
        if norms[k] <= floor or len(accepted) == Q.shape[1]:
            continue
        basis = Q[:, : len(accepted)]
        rest = Y[:, k] / norms[k]
        for _ in range(2):
            rest = rest - basis @ (basis.T @ rest)
        size = float(np.linalg.norm(rest))
        if size > tolerance:
            Q[:, len(accepted)] = rest / size
            accepted.append(k)
    chosen = Y[:, accepted]
    K: Array = np.asarray(np.linalg.lstsq(chosen, Y, rcond=None)[0]) if accepted else np.zeros((0, Y.shape[1]))
    K[np.abs(K) < 1e-10] = 0.0
    K[:, accepted] = np.eye(len(accepted))
    return accepted, K


def rank_by_gap(singular_values: Array) -> int:
    """Rank at the widest relative gap of the singular values (descending), a full rank when none is wider than 1e4."""
    s = np.asarray(singular_values, dtype=float)
    if not s.size or s[0] == 0.0:
        return 0
    padded = np.maximum(s / s[0], 1e-17)
    gaps = padded[:-1] / padded[1:]
    return int(np.argmax(gaps)) + 1 if gaps.size and gaps.max() > 1e4 else int(s.size)


def eliminate(W: Array, names: Sequence[str], ratio: float = 100.0) -> tuple[list[str], list[str]]:
    """The elimination rule of G21: while s₁/s_r exceeds ``ratio``, drop the dominant parameter of the weakest direction.

    Parameters
    ----------
    W : (M, p) stacked regressor; its columns are scaled to unit norm first
    names : p names
    ratio : float

    Returns
    -------
    kept, dropped : lists of names, the latter in order of elimination
    """
    norms = np.linalg.norm(W, axis=0)
    kept = [k for k in range(W.shape[1]) if norms[k] > 0]
    dropped = [k for k in range(W.shape[1]) if norms[k] == 0]
    scaled = np.asarray(np.linalg.qr(W[:, kept] / norms[kept], mode="r")) if kept else np.zeros((0, 0))
    columns = list(range(len(kept)))
    while columns:
        _, s, Vt = np.linalg.svd(scaled[:, columns])
        smallest = s[-1] if len(s) == len(columns) else 0.0
        if smallest > 0 and s[0] / smallest <= ratio:
            break
        worst = int(np.argmax(np.abs(Vt[-1])))
        dropped.append(kept[columns.pop(worst)])
    return [names[kept[c]] for c in columns], [names[k] for k in dropped]
