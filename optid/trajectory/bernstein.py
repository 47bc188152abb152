"""Extremes of piecewise polynomials: from the roots of the derivative of each piece, and proven by the convex hull of Bernstein coefficients.

A polynomial on [0, 1] lies between its smallest and its largest Bernstein coefficient. Pieces whose hull could hold more than the best value found are halved
until none is left, so the bound does not rest on a root finder.
"""

from __future__ import annotations

from math import comb

import numpy as np

from .arrays import Array

EPS = float(np.finfo(float).eps)
LEVELS = 60
MOST_ROOTS = 4096
MOST_CELLS = 2_000_000


def from_powers(powers: Array) -> Array:
    """Bernstein coefficients (d+1, ...) of polynomials with ascending powers (d+1, ...) of s in [0, 1]."""
    d = len(powers) - 1
    return np.array([[comb(i, k) / comb(d, k) for k in range(d + 1)] for i in range(d + 1)]) @ powers


def maximise(powers: Array) -> tuple[float, int, float, float]:
    """Largest value of a piecewise polynomial.

    Parameters
    ----------
    powers : (d+1, K)
        Ascending powers of s in [0, 1], one column a piece.

    Returns
    -------
    value, piece, s
        Largest value found and where: ``powers[:, piece]`` at ``s``.
    bound : float
        Proven upper bound, ``value <= bound``; they differ by rounding.
    """
    cells = from_powers(powers)
    d = len(powers) - 1
    scale = np.abs(powers).sum(axis=0).max()
    tolerance, slack = 16 * EPS * scale, 16 * EPS * (d + 2) * scale
    side, piece = np.unravel_index(int(np.argmax(cells[[0, -1]])), (2, cells.shape[1]))
    best, where = float(cells[-int(side), piece]), (int(piece), float(side))

    index = np.flatnonzero(cells.max(axis=0) > best + tolerance)
    if len(index) <= MOST_ROOTS:
        for k in index:
            for s in _critical(powers[:, k]):
                value = float(np.polynomial.polynomial.polyval(s, powers[:, k]))
                if value > best:
                    best, where = value, (int(k), s)

    cells, left, width = cells[:, index], np.zeros(len(index)), 1.0
    bound = best + tolerance
    for level in range(LEVELS):
        ends = cells[[0, -1]]
        if ends.size and ends.max() > best:
            side, k = np.unravel_index(int(np.argmax(ends)), ends.shape)
            best, where = float(ends[side, k]), (int(index[k]), float(left[k] + side * width))
            bound = max(bound, best + tolerance)
        open_ = cells.max(axis=0) > bound
        if not open_.any():
            break
        if level == LEVELS - 1 or open_.sum() > MOST_CELLS:
            bound = float(cells.max())
            break
        width /= 2
        index, left = np.concatenate([index[open_], index[open_]]), np.concatenate([left[open_], left[open_] + width])
        cells = np.concatenate(_halves(cells[:, open_]), axis=1)
    return best, where[0], where[1], bound + slack


def _critical(powers: Array) -> list[float]:
    """Points of (0, 1) where the derivative may vanish."""
    slope = np.polynomial.polynomial.polyder(powers)
    largest = np.abs(slope).max(initial=0.0)
    if len(slope) < 2 or largest == 0.0:
        return []
    slope = np.where(np.abs(slope) > largest * EPS**2, slope, 0.0)
    return [float(r.real) for r in np.roots(slope[::-1]) if 0.0 < r.real < 1.0]


def _halves(cells: Array) -> tuple[Array, Array]:
    """Bernstein coefficients of the two halves (de Casteljau)."""
    first, second = np.empty_like(cells), np.empty_like(cells)
    row, d = cells, len(cells) - 1
    for i in range(d + 1):
        first[i], second[d - i] = row[0], row[-1]
        row = (row[:-1] + row[1:]) / 2
    return first, second
