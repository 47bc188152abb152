"""Piecewise polynomials: what every finite trajectory is inside, except for its Fourier parts."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from math import comb, factorial, perm
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from optid.errors import DataError, ShapeError, sentence

from .arrays import Array, finite, names, times, whole
from .base import FiniteTrajectory, instant
from .bernstein import maximise
from .extremes import Extremes, combined, with_jumps

if TYPE_CHECKING:
    from scipy.interpolate import BSpline

BLOCK = 1 << 16
EPS = float(np.finfo(float).eps)


@dataclass(frozen=True, eq=False, repr=False)
class Piecewise(FiniteTrajectory):
    """Polynomial pieces between breaks.

    Parameters
    ----------
    breaks : (K+1,) [s]
        Increasing, the first one zero.
    powers : (K, n, d+1) [rad or m]
        Ascending powers of ``s = (t - breaks[k]) / (breaks[k+1] - breaks[k])``.
    joint_names : n-tuple of str, optional

    Examples
    --------
    >>> import numpy as np
    >>> from optid.trajectory import Piecewise
    >>> slope = Piecewise(np.array([0.0, 2.0]), np.array([[[1.0], [0.5]]]))
    >>> slope.duration
    2.0
    """

    kind: ClassVar[str] = "piecewise"

    breaks: Array
    powers: Array
    joint_names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "breaks", finite(self.breaks, "breaks of a piecewise trajectory"))
        put(self, "powers", finite(self.powers, "powers of a piecewise trajectory"))
        increasing(self.breaks, "breaks of a piecewise trajectory")
        if self.breaks[0] != 0.0:
            raise DataError(sentence("breaks of a piecewise trajectory", f"a start at {self.breaks[0]:g} s", "a start at 0 s"))
        if self.powers.ndim != 3 or len(self.powers) != len(self.breaks) - 1 or 0 in self.powers.shape:
            raise ShapeError(
                sentence(
                    "powers of a piecewise trajectory", f"shape {self.powers.shape}", f"({len(self.breaks) - 1}, n, degree + 1), pieces by joints by powers"
                )
            )
        put(self, "joint_names", names(self.joint_names, self.n))

    # -- other ways to make one ---------------------------------------------------------------------------------------------------------------------

    @classmethod
    def linear(cls, time: ArrayLike, q: ArrayLike, joint_names: tuple[str, ...] = ()) -> Piecewise:
        """Straight lines between the positions q (N, n) at the times (N,) [s]."""
        t, positions = knots(time, q)
        return cls(t, np.stack([positions[:-1], np.diff(positions, axis=0)], axis=2), joint_names)

    @classmethod
    def hermite(cls, time: ArrayLike, states: tuple[ArrayLike, ...], joint_names: tuple[str, ...] = ()) -> Piecewise:
        """The polynomials of least degree that meet positions and derivatives (q, dq, ...), each (N, n), at the times (N,) [s]."""
        t, positions = knots(time, states[0])
        values = np.stack([positions, *(finite(x, "derivatives of a trajectory").reshape(positions.shape) for x in states[1:])], axis=2)
        return cls(t, two_point(values[:-1], values[1:], np.diff(t)), joint_names)

    @classmethod
    def from_spline(cls, spline: BSpline, joint_names: tuple[str, ...] = ()) -> Piecewise:
        """From a scipy B-spline whose values have shape (n,): its Taylor polynomials at the knots."""
        degree = int(spline.k)
        breaks = np.unique(spline.t[degree : len(spline.t) - degree])
        width = np.diff(breaks)
        powers = np.stack([spline(breaks[:-1], nu=k) * (width**k / factorial(k))[:, None] for k in range(degree + 1)], axis=2)
        return cls(breaks - breaks[0], powers, joint_names)

    # -- what it is ---------------------------------------------------------------------------------------------------------------------------------

    @property
    def n(self) -> int:
        """Number of joints."""
        return int(self.powers.shape[1])

    @property
    def duration(self) -> float:
        """Length [s]."""
        return float(self.breaks[-1])

    @property
    def degree(self) -> int:
        """Degree of the polynomials."""
        return int(self.powers.shape[2]) - 1

    # -- motion -------------------------------------------------------------------------------------------------------------------------------------

    def differentiated(self, order: int, joint: int | None = None) -> Array:
        """Powers of s of the ``order``-th time derivative (K, n, d+1-order), or (K, d+1-order) of one joint."""
        order = whole(order, "order of a derivative")
        powers = self.powers if joint is None else self.powers[:, joint]
        if order > self.degree:
            return np.zeros((*powers.shape[:-1], 1))
        factor = np.array([perm(i + order, order) for i in range(self.degree + 1 - order)], dtype=float)
        width = np.diff(self.breaks).reshape((-1,) + (1,) * (powers.ndim - 1))
        return powers[..., order:] * factor / width**order

    def _derivative(self, t: Array, order: int) -> Array:
        powers = self.differentiated(order)
        result = np.empty((len(t), self.n))
        for start in range(0, len(t), BLOCK):
            block = slice(start, start + BLOCK)
            index = np.clip(np.searchsorted(self.breaks, t[block], side="right") - 1, 0, len(powers) - 1)
            s = ((t[block] - self.breaks[index]) / (self.breaks[index + 1] - self.breaks[index]))[:, None]
            local = powers[index]
            value = local[:, :, -1]
            for i in range(local.shape[2] - 2, -1, -1):
                value = value * s + local[:, :, i]
            result[block] = value
        return result

    def extremes(self, order: int = 0, start: float = 0.0, stop: float | None = None) -> Extremes:
        """Exact extremes, by the roots of every piece, with bounds that hold at every instant; infinite where the derivative below jumps."""
        start, stop = self.interval(start, stop)
        if start > 0.0 or stop < self.duration:
            return combined([self.cut(start, stop).extremes(order)], [start]) if stop > start else instant(self, order, start)
        columns = np.empty((6, self.n))
        for j in range(self.n):
            powers = np.ascontiguousarray(self.differentiated(order, j).T)
            high, k_high, s_high, upper = maximise(powers)
            low, k_low, s_low, lower = maximise(-powers)
            columns[:, j] = -low, high, self._time(k_low, s_low), self._time(k_high, s_high), -lower, upper
        found = Extremes(*columns)
        return found if order == 0 else with_jumps(found, [self._jumps(k) for k in range(order)], self.breaks[1:-1])

    def _time(self, piece: int, s: float) -> float:
        return float(self.breaks[piece] + s * (self.breaks[piece + 1] - self.breaks[piece]))

    def _jumps(self, order: int) -> Array:
        """Jumps (K-1, n) of a derivative at the inner breaks, zero where they are rounding errors."""
        powers = self.differentiated(order)
        jump = powers[1:, :, 0] - powers[:-1].sum(axis=2)
        rounding = np.abs(self.powers).max() * EPS / np.diff(self.breaks).min() ** order
        return np.where(np.abs(jump) > 1e-9 * np.abs(powers).sum(axis=2).max() + 1e3 * rounding, jump, 0.0)

    def cut(self, start: float, stop: float) -> Piecewise:
        """The part between two times, with its clock set to zero at ``start``."""
        inner = self.breaks[(self.breaks > start) & (self.breaks < stop)]
        breaks = np.concatenate([[start], inner, [stop]])
        index = np.clip(np.searchsorted(self.breaks, breaks[:-1], side="right") - 1, 0, len(self.powers) - 1)
        width = np.diff(self.breaks)[index]
        s0, scale = (breaks[:-1] - self.breaks[index]) / width, np.diff(breaks) / width
        powers = np.zeros_like(self.powers[index])
        for i in range(self.degree + 1):
            for k in range(i + 1):
                powers[:, :, k] += comb(i, k) * (s0 ** (i - k) * scale**k)[:, None] * self.powers[index, :, i]
        return Piecewise(breaks - start, powers, self.joint_names)


class PiecewiseBacked(FiniteTrajectory):
    """A trajectory that is a piecewise polynomial inside."""

    @property
    @abstractmethod
    def pieces(self) -> Piecewise:
        """The motion as polynomial pieces."""

    def _derivative(self, t: Array, order: int) -> Array:
        return self.pieces.derivative(t, order)

    def extremes(self, order: int = 0, start: float = 0.0, stop: float | None = None) -> Extremes:
        """Exact extremes; see :meth:`Piecewise.extremes`."""
        return self.pieces.extremes(order, start, stop)


def two_point(start: Array, end: Array, width: Array) -> Array:
    """Powers of s (K, n, 2m) of the polynomials that meet m derivatives (K, n, m), from order zero on, at both ends of pieces of the given widths (K,)."""
    m = start.shape[2]
    scale = np.asarray(width)[:, None, None] ** np.arange(m)
    low = start * scale / np.array([float(factorial(i)) for i in range(m)])
    ends = np.array([[float(perm(j, i)) for j in range(2 * m)] for i in range(m)])
    high = np.linalg.solve(ends[:, m:], np.moveaxis(end * scale - low @ ends[:, :m].T, 2, 0).reshape(m, -1))
    return np.concatenate([low, np.moveaxis(high.reshape(m, *low.shape[:2]), 0, 2)], axis=2)


def knots(time: ArrayLike, q: ArrayLike) -> tuple[Array, Array]:
    """Times (N,), increasing and starting at zero, and positions (N, n), N >= 2."""
    t = times(time)
    positions = finite(q, "positions of a trajectory")
    positions = positions[:, None] if positions.ndim == 1 else positions
    if positions.ndim != 2 or len(positions) != len(t) or positions.shape[1] == 0:
        raise ShapeError(sentence("positions of a trajectory", f"shape {positions.shape}", f"({len(t)}, n), samples by joints"))
    increasing(t, "times of a trajectory")
    return t - t[0], positions


def increasing(t: Array, what: str) -> None:
    """Refuse fewer than two times, or times that do not increase."""
    if t.ndim != 1 or len(t) < 2:
        raise DataError(sentence(what, f"{t.size} of them", "two at least"))
    wrong = np.flatnonzero(np.diff(t) <= 0.0)
    if len(wrong):
        k = int(wrong[0])
        raise DataError(sentence(what, f"{t[k + 1]:.9g} s after {t[k]:.9g} s (index {k + 1})", "increasing times"))
