"""The extreme elements of a regressor and their smooth stand-in."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def spread(W: Array, power: float) -> tuple[float, Array]:
    """Logarithm of (largest over smallest element) of a regressor W (N, n, r), and its derivative (N, n, r).

    An element here is an entry of the sample's matrix (n, r) at its largest over the samples: every entry that moves with the robot passes through zero at some
    sample, which says nothing about the scale of its column. Entries that are zero at all samples are left out. A finite ``power`` replaces both extremes by
    the norm of that power (twice the power over the samples).
    """
    size = np.abs(W).max(axis=0)
    used = size > 1e-12 * max(float(size.max(initial=0.0)), np.finfo(float).tiny)
    if not used.any():
        return 0.0, np.zeros_like(W)
    scaled = np.divide(W, size, out=np.zeros_like(W), where=used)
    if np.isinf(power):
        logs = np.log(size[used])
        return float(logs.max() - logs.min()), np.zeros_like(W)
    inner = np.abs(scaled) ** (2 * power)
    sums = inner.sum(axis=0)
    logs = np.where(used, np.log(np.where(used, size, 1.0)) + np.log(np.where(used, sums, 1.0)) / (2 * power), 0.0)
    value, slope = 0.0, np.zeros(size.shape)
    for sign in (1.0, -1.0):
        signed = np.where(used, sign * logs, -np.inf)
        top = float(signed.max())
        terms = np.where(used, np.exp(power * (signed - top)), 0.0)
        value += top + float(np.log(terms.sum())) / power
        slope += sign * terms / terms.sum()
    ratio = np.divide(inner, scaled * size * sums, out=np.zeros_like(W), where=used & (np.abs(scaled) > 1e-150))
    return value, slope * ratio
