"""Smallest and largest values of a motion over a time interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from optid.brief import brief

from .arrays import Array


@dataclass(frozen=True, eq=False)
class Extremes:
    """Extremes of one derivative of a motion in continuous time, per joint.

    Attributes
    ----------
    minimum, maximum : (n,)
        Values that the motion attains, from roots; infinite where a jump of the derivative below makes it so.
    at_minimum, at_maximum : (n,) [s]
    lower, upper : (n,)
        Proven: ``lower <= value <= upper`` at every instant. They differ from ``minimum`` and ``maximum`` by rounding.

    Examples
    --------
    >>> from optid.trajectory import Fourier
    >>> ends = Fourier([1.0], [[0.5]], [[0.0]], period=2.0).extremes()
    >>> ends.maximum.round(12), ends.at_maximum.round(12)
    (array([1.5]), array([0.5]))
    """

    minimum: Array
    maximum: Array
    at_minimum: Array
    at_maximum: Array
    lower: Array
    upper: Array

    __repr__ = brief

    @property
    def magnitude(self) -> Array:
        """Proven bound of the magnitude (n,)."""
        return np.maximum(np.abs(self.lower), np.abs(self.upper))


def combined(parts: Sequence[Extremes], offsets: Sequence[float]) -> Extremes:
    """Extremes over several parts, whose times are moved by ``offsets``."""
    low = np.argmin([p.minimum for p in parts], axis=0)
    high = np.argmax([p.maximum for p in parts], axis=0)
    joint = np.arange(len(low))
    return Extremes(
        minimum=np.array([p.minimum for p in parts])[low, joint],
        maximum=np.array([p.maximum for p in parts])[high, joint],
        at_minimum=np.array([p.at_minimum + s for p, s in zip(parts, offsets, strict=True)])[low, joint],
        at_maximum=np.array([p.at_maximum + s for p, s in zip(parts, offsets, strict=True)])[high, joint],
        lower=np.min([p.lower for p in parts], axis=0),
        upper=np.max([p.upper for p in parts], axis=0),
    )


def with_jumps(extremes: Extremes, jumps: Sequence[Array], at: Array) -> Extremes:
    """Extremes of a derivative, infinite where a lower one jumps.

    Parameters
    ----------
    extremes : Extremes
        Of the derivative of order ``len(jumps)``, between the jumps.
    jumps : sequence of (K, n)
        Heights of the jumps of the position, the velocity, ... ; zero where there is none. A jump of the derivative just below is an impulse of its sign, one
        further below has both signs.
    at : (K,) [s]
    """
    if len(at) == 0:
        return extremes
    last = len(jumps) - 1
    up = np.any([(jump > 0.0) | ((jump != 0.0) & (k < last)) for k, jump in enumerate(jumps)], axis=0)
    down = np.any([(jump < 0.0) | ((jump != 0.0) & (k < last)) for k, jump in enumerate(jumps)], axis=0)

    def put(values: Array, mask: Array, new: Array | float) -> Array:
        return np.where(mask.any(axis=0), new, values)

    return Extremes(
        minimum=put(extremes.minimum, down, -np.inf),
        maximum=put(extremes.maximum, up, np.inf),
        at_minimum=put(extremes.at_minimum, down, at[np.argmax(down, axis=0)]),
        at_maximum=put(extremes.at_maximum, up, at[np.argmax(up, axis=0)]),
        lower=put(extremes.lower, down, -np.inf),
        upper=put(extremes.upper, up, np.inf),
    )
