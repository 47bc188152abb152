"""Covariance of a sum of correlated terms: the long-run (HAC) covariance, and a block bootstrap of the same sum."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.errors import DataError, sentence

Array = NDArray[np.float64]


def runs(labels: ArrayLike) -> list[slice]:
    """Slices of equal consecutive labels."""
    values = np.asarray(labels)
    edges = np.flatnonzero(np.diff(values)) + 1
    return [slice(int(a), int(b)) for a, b in zip(np.r_[0, edges], np.r_[edges, len(values)], strict=True) if b > a]


def bandwidth(terms: Array, parts: list[slice]) -> float:
    """Bandwidth of Bartlett's window by Andrews' rule (Econometrica 59, 1991, eqs. 6.2 and 6.4) with first-order models of the columns, each scaled to unit
    variance: ``1.1447 (α N)^(1/3)``."""
    scaled = terms / np.where(terms.any(axis=0), np.linalg.norm(terms, axis=0), 1.0)
    after = sum((scaled[p][1:] * scaled[p][:-1]).sum(axis=0) for p in parts)
    rho = np.clip(after, -0.97, 0.97)
    innovation = (1 - rho**2) ** 2
    alpha = np.sum(4 * rho**2 * innovation / ((1 - rho) ** 6 * (1 + rho) ** 2)) / max(float(np.sum(innovation / (1 - rho) ** 4)), 1e-300)
    return float(1.1447 * (alpha * len(terms)) ** (1 / 3))


def long_run_covariance(terms: ArrayLike, labels: ArrayLike | None = None, width: float | None = None) -> Array:
    """Covariance (r, r) of ``Σ_k terms_k`` for zero-mean terms (N, r) that are correlated in time and vary in size.

    ``Σ_l (1 − |l| / (width + 1)) Σ_k g_k g_{k−l}ᵀ`` over |l| ≤ width (Newey & West, Econometrica 55, 1987): positive semidefinite.

    Parameters
    ----------
    labels : (N,), optional
        Terms with different labels (trials) are independent.
    width : float, optional
        Default: :func:`bandwidth`.

    Examples
    --------
    >>> import numpy as np
    >>> from optid.statistics import long_run_covariance
    >>> terms = np.random.default_rng(0).standard_normal((10_000, 1))
    >>> bool(abs(long_run_covariance(terms)[0, 0] / 10_000 - 1) < 0.1)  # white: the plain sum of squares
    True
    """
    g = np.asarray(terms, dtype=float)
    parts = runs(np.zeros(len(g)) if labels is None else labels)
    size = bandwidth(g, parts) if width is None else width
    total = g.T @ g
    for lag in range(1, int(np.floor(size)) + 1):
        cross = sum(g[p][lag:].T @ g[p][: len(g[p]) - lag] for p in parts if len(g[p]) > lag)
        total += (1 - lag / (size + 1)) * (cross + np.transpose(cross))
    return np.asarray(total)


def block_sums(terms: ArrayLike, labels: ArrayLike, length: int, replicates: int, seed: int) -> Array:
    """Moving-block bootstrap of ``Σ_k terms_k`` (Künsch 1989): ``replicates`` centred sums (replicates, r).

    Blocks of ``length`` consecutive terms, never across labels, are drawn with replacement until N terms are drawn. The spread is corrected for the number of
    blocks b that fit, by sqrt(b / (b − 1)).

    Raises
    ------
    DataError
        When fewer than two blocks fit.

    Examples
    --------
    >>> import numpy as np
    >>> from optid.statistics import block_sums
    >>> terms = np.random.default_rng(0).standard_normal((400, 1))
    >>> sums = block_sums(terms, np.zeros(400, dtype=int), length=10, replicates=500, seed=0)
    >>> bool(abs(sums.std() / 20 - 1) < 0.15)  # √400
    True
    """
    g, tables, fit = np.asarray(terms, dtype=float), [], 0
    for part in runs(labels):
        total = np.vstack([np.zeros(g.shape[1]), np.cumsum(g[part], axis=0)])
        tables.append(total[length:] - total[:-length] if 0 < length < len(total) else total[:0])
        fit += (len(total) - 1) // max(length, 1)
    if length < 1 or fit < 2:
        raise DataError(sentence("block bootstrap", f"{fit} blocks of {length} terms in {len(g)}", "two or more", "Use shorter blocks or more data."))
    table = np.concatenate(tables)
    table = table - table.mean(axis=0)
    count, rng = -(-len(g) // length), np.random.default_rng(seed)
    scale = np.sqrt(len(g) / (count * length) * fit / (fit - 1))
    return np.stack([table[rng.integers(len(table), size=count)].sum(axis=0) for _ in range(replicates)]) * scale
