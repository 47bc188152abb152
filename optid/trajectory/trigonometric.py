"""Extremes of trigonometric polynomials: from the roots of the derivative, and proven by branch and bound.

The roots give the extremes to rounding. A proof must not rest on a root finder, so every interval of the phase is then bounded from above by its Taylor
polynomial of second order with a remainder that holds everywhere; intervals that could still hold more than the best value found are halved. Double roots,
vanishing leading coefficients and flat tops only make that search a little longer.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .arrays import Array

EPS = float(np.finfo(float).eps)
LEVELS = 60
MOST_CELLS = 200_000


def critical_phases(a: Array, b: Array) -> Array:
    """Phases in [0, 2π) where the derivative of ``Σ_h a_h sin(hφ) + b_h cos(hφ)`` may vanish: angles of the 2H roots of its complex polynomial in e^{iφ}.

    All roots are kept, not only those of modulus one: an ill-conditioned double root leaves the unit circle, its angle stays close.
    """
    h = np.arange(1.0, len(a) + 1)
    g = h * (a + 1j * b)
    largest = float(np.abs(g).max(initial=0.0))
    if largest == 0.0:
        return np.zeros(0)
    g = g / largest
    g = g[: int(np.flatnonzero(np.abs(g) > EPS**2)[-1]) + 1]
    phases = np.angle(np.roots(np.concatenate([g[::-1], [0.0], np.conj(g)]))).astype(float)
    return np.mod(_polished(phases, a, b, h), 2 * np.pi)


def _polished(phases: Array, a: Array, b: Array, h: Array) -> Array:
    """Newton steps on the derivative, each kept only where it brings the derivative closer to zero."""

    def slope(p: Array) -> tuple[Array, Array]:
        s, c = np.sin(p[:, None] * h), np.cos(p[:, None] * h)
        return c @ (h * a) - s @ (h * b), -(s @ (h * h * a) + c @ (h * h * b))

    first, second = slope(phases)
    for _ in range(4):
        step = np.divide(first, second, out=np.zeros_like(first), where=second != 0.0)
        trial = phases - np.clip(step, -0.1 / len(h), 0.1 / len(h))
        f1, f2 = slope(trial)
        better = np.abs(f1) < np.abs(first)
        phases, first, second = np.where(better, trial, phases), np.where(better, f1, first), np.where(better, f2, second)
    return phases


def maximise(constant: Array, a: Array, b: Array, start: Array, stop: Array) -> tuple[Array, Array, Array]:
    """Maxima of F trigonometric polynomials ``constant + Σ_h a_h sin(hφ) + b_h cos(hφ)`` over ``start <= φ <= stop``.

    Parameters
    ----------
    constant : (F,)
    a, b : (F, H)
    start, stop : (F,)
        Phases; one turn is looked at when they are further apart than that.

    Returns
    -------
    value : (F,)
        Largest value found, attained at ``phase``.
    phase : (F,)
    bound : (F,)
        Proven upper bound, ``value <= bound``; they differ by rounding.
    """
    F, H = a.shape
    stop = np.minimum(stop, start + 2 * np.pi)
    value, phase = np.full(F, -np.inf), start.copy()
    for f in range(F):
        roots = critical_phases(a[f], b[f])
        roots = start[f] + np.mod(roots - start[f], 2 * np.pi)
        found = np.concatenate([[start[f], stop[f]], roots[roots <= stop[f]]])
        values = _taylor(constant[f : f + 1], a[f : f + 1], b[f : f + 1], np.zeros(len(found), dtype=np.intp), found)[0]
        best = int(np.argmax(values))
        value[f], phase[f] = values[best], found[best]

    size = np.abs(a) + np.abs(b)
    h = np.arange(1, H + 1)
    third = (size * h**3).sum(axis=1)
    total = np.abs(constant) + size.sum(axis=1)
    tolerance = 64 * EPS * total
    slack = 16 * EPS * ((H + 4) * total + (1 + np.abs(stop)) * (size * h).sum(axis=1))
    bound = value + tolerance

    count = max(16, 8 * H)
    owner: NDArray[np.intp] = np.repeat(np.arange(F, dtype=np.intp), count)
    radius = (stop - start)[owner] / (2 * count)
    middle = start[owner] + radius * (2 * np.tile(np.arange(count), F) + 1)
    for level in range(LEVELS):
        f0, f1, f2 = _taylor(constant, a, b, owner, middle)
        for k in np.flatnonzero(f0 > value[owner]):
            if f0[k] > value[owner[k]]:
                value[owner[k]], phase[owner[k]] = f0[k], middle[k]
        bound = np.maximum(bound, value + tolerance)
        upper = f0 + _quadratic_rise(f1, f2, radius) + third[owner] * radius**3 / 6
        open_ = upper > bound[owner]
        if not open_.any():
            break
        if level == LEVELS - 1 or open_.sum() > MOST_CELLS:
            np.maximum.at(bound, owner[open_], upper[open_])
            break
        half = radius[open_] / 2
        owner, radius = np.repeat(owner[open_], 2), np.repeat(half, 2)
        middle = np.column_stack([middle[open_] - half, middle[open_] + half]).ravel()
    return value, phase, bound + slack


def _taylor(constant: Array, a: Array, b: Array, owner: NDArray[np.intp], phase: Array) -> tuple[Array, Array, Array]:
    """Value, first and second derivative of polynomial ``owner[k]`` at ``phase[k]``."""
    h = np.arange(1, a.shape[1] + 1)
    s, c = np.sin(phase[:, None] * h), np.cos(phase[:, None] * h)
    A, B = a[owner], b[owner]
    wave = A * s + B * c
    return constant[owner] + wave.sum(axis=1), (h * (A * c - B * s)).sum(axis=1), -(h * h * wave).sum(axis=1)


def _quadratic_rise(f1: Array, f2: Array, r: Array) -> Array:
    """Largest value of ``f1 s + f2 s²/2`` over ``|s| <= r``."""
    inside = (f2 < 0.0) & (np.abs(f1) <= -f2 * r)
    vertex = np.divide(f1 * f1, -2.0 * f2, out=np.zeros_like(f1), where=inside)
    return np.where(inside, vertex, np.abs(f1) * r + f2 * r * r / 2)
