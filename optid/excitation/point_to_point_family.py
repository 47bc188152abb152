"""Moves from way-point to way-point, at rest at each, as a family for excitation design."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.errors import DataError, LimitsError, ShapeError, sentence, unknown_name
from optid.robot import Limits
from optid.trajectory import PointToPoint, Sequence, Trajectory

from .family import Family

Array = NDArray[np.float64]

LAWS = ("quintic", "seventh", "ninth")
"""Laws of :class:`optid.trajectory.PointToPoint` whose acceleration, hence torque, does not jump."""


@dataclass(frozen=True)
class PointToPointFamily(Family):
    """Straight moves of joint space from one way-point to the next (:class:`optid.trajectory.PointToPoint`); the way-points are the coefficients.

    The largest velocity, acceleration and jerk of a move are at known instants of it, where the limits are imposed: they hold exactly, with nothing missed in
    between.

    Parameters
    ----------
    n : int
    points : int
        Way-points a joint, the start and the end among them.
    law : "quintic", "seventh" or "ninth"
    shares : (points - 1,), optional
        Length of each move as a share of the duration; equal when omitted. :meth:`timed` finds those that fit the moves.
    joint_names : n-tuple of str, optional

    Examples
    --------
    >>> from optid.excitation import PointToPointFamily
    >>> PointToPointFamily(2, points=4).points
    4
    """

    n: int
    points: int
    law: str = "quintic"
    shares: tuple[float, ...] = ()
    joint_names: tuple[str, ...] = field(default=())

    def __post_init__(self) -> None:
        if isinstance(self.points, bool) or int(self.points) != self.points or self.points < 2:
            raise DataError(sentence("way-points of a family", self.points, "a whole number, two or more"))
        if self.law not in LAWS:
            raise unknown_name("law of a family of moves", self.law, LAWS)
        given = np.asarray(self.shares if np.size(self.shares) else np.ones(self.points - 1), dtype=float)
        if given.shape != (self.points - 1,) or not np.isfinite(given).all() or not (given > 0).all():
            raise ShapeError(sentence("shares of a family of moves", self.shares, f"{self.points - 1} positive numbers, one a move"))
        object.__setattr__(self, "shares", tuple(float(share) for share in given / given.sum()))

    @property
    def m(self) -> int:
        return self.points

    @property
    def density(self) -> int:
        return int(np.ceil(8 / min(self.shares)))

    @property
    def periodic(self) -> bool:
        return False

    @property
    def coefficient_names(self) -> tuple[str, ...]:
        return tuple(f"w{k + 1}" for k in range(self.points))

    @property
    def still(self) -> Array:
        return np.ones(self.points)

    @cached_property
    def _breaks(self) -> Array:
        return np.concatenate([[0.0], np.cumsum(self.shares[:-1]), [1.0]])

    def _law(self, s: Array, order: int) -> Array:
        """Derivative of the law with respect to the share s of a move."""
        return PointToPoint(np.zeros(1), np.ones(1), 1.0, self.law).derivative(s, order)[:, 0]

    def basis(self, phase: ArrayLike, order: int) -> Array:
        s = np.asarray(phase, dtype=float)
        k = np.clip(np.searchsorted(self._breaks, s, side="right") - 1, 0, self.points - 2)
        width = np.diff(self._breaks)[k]
        gone = self._law(np.clip((s - self._breaks[k]) / width, 0.0, 1.0), order) / width**order
        one = np.zeros((len(s), self.points))
        one[np.arange(len(s)), k] = (1.0 if order == 0 else 0.0) - gone
        one[np.arange(len(s)), k + 1] = gone
        return np.broadcast_to(one, (self.n, *one.shape))

    def instants(self, order: int) -> Array:
        """Phases at which the derivative of that order may be largest in magnitude: where the next one vanishes, and the way-points."""
        powers = np.polynomial.Polynomial(PointToPoint(np.zeros(1), np.ones(1), 1.0, self.law).pieces.powers[0, 0])
        roots = np.asarray(powers.deriv(order + 1).roots(), dtype=complex)
        inner = roots.real[(np.abs(roots.imag) < 1e-6) & (roots.real > 1e-6) & (roots.real < 1 - 1e-6)]
        moves = self._breaks[:-1, None] + np.diff(self._breaks)[:, None] * np.concatenate([[0.0], np.sort(inner)])
        return np.append(moves.ravel(), 1.0)

    def trajectory(self, coefficients: Array, duration: float) -> Sequence:
        spans = np.diff(self._breaks) * duration
        moves = zip(coefficients.T[:-1], coefficients.T[1:], spans, strict=True)
        return Sequence(tuple(PointToPoint(start, end, float(span), self.law, joint_names=self.joint_names) for start, end, span in moves))

    def coefficients_of(self, trajectory: Trajectory) -> Array | None:
        if not isinstance(trajectory, Sequence) or trajectory.n != self.n or len(trajectory.parts) != self.points - 1:
            return None
        parts = [part for part in trajectory.parts if isinstance(part, PointToPoint)]
        if len(parts) < self.points - 1:
            return None
        return np.column_stack([parts[0].start, *(part.end for part in parts)])

    def timed(self, coefficients: ArrayLike, limits: Limits, jerk: ArrayLike = np.inf) -> tuple[PointToPointFamily, float]:
        """The family in which every move between these way-points (n, points) comes equally close to the limits, and the shortest duration.

        Returns
        -------
        family : PointToPointFamily
            The same with other ``shares``.
        duration : float [s]
            Of all moves, each the fastest one within the limits.

        Raises
        ------
        LimitsError
            When a way-point lies outside the position limits, nothing limits the speed, or two neighbours are the same posture.
        """
        points = np.asarray(coefficients, dtype=float)
        if points.shape != (self.n, self.points) or not np.isfinite(points).all():
            raise ShapeError(sentence("way-points to time", f"shape {points.shape}", f"({self.n}, {self.points}), joints by way-points"))
        still = np.flatnonzero(np.abs(np.diff(points)).max(axis=0) == 0.0)
        if len(still):
            raise LimitsError(sentence("way-points to time", f"way-points {still[0] + 1} and {still[0] + 2} at the same posture", "a move between them"))
        spans = [PointToPoint.fastest(a, b, limits, self.law, jerk).span for a, b in zip(points.T[:-1], points.T[1:], strict=True)]
        return replace(self, shares=tuple(spans)), float(np.sum(spans))
