"""Passes over the residuals of a trial that keep a few rows, whatever its length."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from .autocorrelation import AutoregressiveModel

Array = NDArray[np.float64]
Block = tuple[Array, Array, NDArray[np.bool_]]


def pieces(blocks: Iterable[Block], rows: Sequence[slice]) -> Iterator[tuple[int, bool, Block]]:
    """The blocks cut at the ends of uninterrupted parts: first row, whether a part begins there, and the piece with its unused residuals zero."""
    starts, at = {part.start for part in rows}, 0
    for Y, residual, use in blocks:
        e = np.where(use, residual, 0.0)
        for first, last in pairwise(sorted({0, len(Y), *(s - at for s in starts if 0 < s - at < len(Y))})):
            yield at + first, at + first in starts, (Y[first:last], e[first:last], use[first:last])
        at += len(Y)


def autocovariances(blocks: Iterable[Block], rows: Sequence[slice], n: int, lags: int) -> tuple[Array, NDArray[np.int64]]:
    """Sums of products (n, lags + 1) of each joint's residuals, as :func:`optid.statistics.autocorrelation.autocovariance` gives them, and counts (n,)."""
    found, counts, before = np.zeros((n, lags + 1)), np.zeros(n, dtype=np.int64), np.zeros((0, n))
    for _, begins, (_, e, use) in pieces(blocks, rows):
        known = np.concatenate([before[:0] if begins else before, e])
        old = len(known) - len(e)
        for lag in range(min(lags + 1, len(known))):
            new = min(len(e), len(known) - lag)
            found[:, lag] += np.einsum("kj,kj->j", known[len(known) - new - lag : len(known) - lag], known[len(known) - new :])
        counts += use.sum(axis=0)
        before = known[max(old + len(e) - lags, 0) :] if lags else known[:0]
    return found, counts


def whitened(blocks: Iterable[Block], rows: Sequence[slice], models: Sequence[AutoregressiveModel]) -> Iterator[tuple[int, bool, Block]]:
    """The pieces with innovations ``ε_k = e_k − Σ_i a_i e_{k+i}`` in place of the residuals; nothing is looked for beyond the end of a part."""
    order = max((model.order for model in models), default=0)
    waiting: deque[tuple[int, bool, Block]] = deque()
    ahead = 0
    for at, begins, (Y, e, use) in pieces(blocks, rows):
        while waiting and (begins or ahead >= order):
            yield _whitened(waiting, models, order)
            ahead -= len(waiting[0][2][1]) if waiting else 0
        ahead = ahead + len(e) if waiting else 0
        waiting.append((at, begins, (Y.copy(order="K") if order else Y, e, use)))
        if not order:
            yield _whitened(waiting, models, order)
    while waiting:
        yield _whitened(waiting, models, order)


def _whitened(waiting: deque[tuple[int, bool, Block]], models: Sequence[AutoregressiveModel], order: int) -> tuple[int, bool, Block]:
    """The first of the pieces, taken off, by the help of those after it."""
    at, begins, (Y, e, use) = waiting.popleft()
    following = np.concatenate([e, *(piece[1][:order] for _, _, piece in waiting)])[: len(e) + order]
    found = e.copy()
    for j, model in enumerate(models):
        for i, a in enumerate(model.coefficients, 1):
            part = following[i : i + len(e), j]
            found[: len(part), j] -= a * part
    return at, begins, (Y, found, use)
