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


STEPS = (1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 0.0)
"""Shares of a column outside the span of those accepted before that are asked for, round after round, until the rank is reached."""

LARGEST = 10.0
"""Largest coefficient of a grouping, in the units of the matrix given: a larger one makes its parameter independent instead."""


def numerical_rank(Y: Array, tolerance: float) -> int:
    """Number of singular values of Y (M, p) above ``tolerance`` times the largest."""
    s = np.linalg.svd(Y, compute_uv=False) if Y.size else np.zeros(0)
    return int((s > tolerance * s[0]).sum()) if s.size and s[0] > 0 else 0


def independent_columns(Y: Array, order: Sequence[int], tolerance: float, fixed: int = 0) -> tuple[list[int], Array]:
    """As many columns of Y (M, p) as its rank, the preferred ones first, such that no other needs large coefficients of them.

    Columns are offered in ``order`` and accepted when a good part of them leaves the span of those accepted before (modified Gram-Schmidt, twice); rounds
    that ask for less follow until the rank is reached. Then, as in a strong rank-revealing QR factorisation (Gu & Eisenstat 1996), an accepted column is
    exchanged for a dependent one that needs more than :data:`LARGEST` of it.

    Parameters
    ----------
    tolerance : float
        Singular values below this part of the largest count as zero.
    fixed : int
        The first so many of ``order``, once accepted, are not exchanged.

    Returns
    -------
    accepted : column indices, in order of acceptance
    K : (r, p) array
        ``Y ≈ Y[:, accepted] @ K``; for accepted columns a unit vector.
    """
    rank = numerical_rank(Y[:, list(order)], tolerance)
    accepted = _greedy(Y, order, rank)
    locked = set(order[:fixed])
    while True:
        K = _coefficients(Y, accepted)
        movable = np.array([k not in locked for k in accepted], dtype=bool)
        size = np.abs(K) * movable[:, None]
        if not size.size or size.max() <= LARGEST:
            return accepted, K
        leaves, enters = np.unravel_index(int(np.argmax(size)), size.shape)
        accepted[int(leaves)] = int(enters)


def _greedy(Y: Array, order: Sequence[int], rank: int) -> list[int]:
    norms = np.linalg.norm(Y, axis=0)
    least = 0.01 * float(norms.max(initial=0.0))
    Q = np.empty((Y.shape[0], rank))
    accepted: list[int] = []
    for share in STEPS:
        for k in order:
            if len(accepted) == rank:
                return accepted
            if k in accepted:
                continue
            basis = Q[:, : len(accepted)]
            rest = Y[:, k]
            for _ in range(2):
                rest = rest - basis @ (basis.T @ rest)
            size = float(np.linalg.norm(rest))
            if size > share * max(float(norms[k]), least):
                Q[:, len(accepted)] = rest / size
                accepted.append(k)
    return accepted


def _coefficients(Y: Array, accepted: list[int]) -> Array:
    if not accepted:
        return np.zeros((0, Y.shape[1]))
    K: Array = np.asarray(np.linalg.lstsq(Y[:, accepted], Y, rcond=None)[0])
    K[np.abs(K) < 1e-10] = 0.0
    K[:, accepted] = np.eye(len(accepted))
    return K


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

    Examples
    --------
    >>> import numpy as np
    >>> from optid.regressor import eliminate
    >>> x, y, z = np.random.default_rng(0).standard_normal((3, 50))
    >>> eliminate(np.column_stack([x, y, x + 1e-4 * z]), ["a", "b", "c"])
    (['b', 'c'], ['a'])
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
