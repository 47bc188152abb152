"""Moves from one posture to another along a straight line of joint space, at rest at both ends."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from optid.errors import DataError, LimitsError, sentence, unknown_name
from optid.robot import Limits

from .arrays import Array, names, positive, vector
from .piecewise import Piecewise, PiecewiseBacked

# p(s) from 0 to 1 over s in [0, 1], ascending powers; the "ninth" law has p' proportional to s^4 (1-s)^4, so four derivatives of it vanish at both ends.
_LAWS = {
    "cubic": (0, 0, 3, -2),
    "quintic": (0, 0, 0, 10, -15, 6),
    "seventh": (0, 0, 0, 0, 35, -84, 70, -20),
    "ninth": (0, 0, 0, 0, 0, 126, -420, 540, -315, 70),
}
TRAPEZOIDAL = "trapezoidal"


@dataclass(frozen=True, eq=False, repr=False)
class PointToPoint(PiecewiseBacked):
    """``q(t) = start + (end - start) p(t / span)``.

    Parameters
    ----------
    start, end : (n,) [rad or m]
    span : float [s]
        Length of the move.
    law : "cubic", "quintic", "seventh", "ninth" or "trapezoidal"
        The law p: polynomials with 1, 2, 3, 4 vanishing derivatives at the ends, or constant acceleration, constant velocity, constant deceleration.
    ramp : float
        Trapezoidal: share of the span spent accelerating, in (0, 0.5].
    joint_names : n-tuple of str, optional

    Examples
    --------
    >>> from optid.trajectory import PointToPoint
    >>> move = PointToPoint([0.0], [1.0], 2.0)
    >>> move.derivative([0.0, 1.0, 2.0]).round(12).ravel().tolist()
    [0.0, 0.5, 1.0]
    """

    kind: ClassVar[str] = "point_to_point"

    start: Array
    end: Array
    span: float
    law: str = "quintic"
    ramp: float = 0.25
    joint_names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "start", vector(self.start, "start of a move"))
        put(self, "end", vector(self.end, "end of a move", len(self.start)))
        put(self, "span", positive(self.span, "span of a move"))
        if self.law not in (*_LAWS, TRAPEZOIDAL):
            raise unknown_name("law of a move", self.law, (*_LAWS, TRAPEZOIDAL))
        if not 0.0 < self.ramp <= 0.5:
            raise DataError(sentence("ramp of a trapezoidal move", self.ramp, "a share of the span in (0, 0.5]"))
        put(self, "joint_names", names(self.joint_names, len(self.start)))

    @classmethod
    def fastest(cls, start: ArrayLike, end: ArrayLike, limits: Limits, law: str = "quintic", jerk: ArrayLike = np.inf) -> PointToPoint:
        """The shortest move of this law inside the limits; all joints start and stop together.

        Parameters
        ----------
        limits : Limits
            Velocity and (for a trapezoidal move, finite) acceleration limits; both postures must lie inside the position limits.
        jerk : float or (n,), optional [rad/s³ or m/s³]
            Jerk limits; a trapezoidal move cannot keep one.

        Raises
        ------
        LimitsError
            When a posture lies outside the position limits, a limit that is needed is missing, or a joint that has to move may not.
        """
        unit = cls(start, end, 1.0, law)  # type: ignore[arg-type]
        n, moved = unit.n, np.abs(unit.end - unit.start)
        if limits.n != n:
            raise LimitsError(sentence("limits of a move", f"{limits.n} joints", f"{n}, the joints of the posture"))
        for what, posture in (("start", unit.start), ("end", unit.end)):
            for j in np.flatnonzero((posture < limits.lower) | (posture > limits.upper)):
                raise LimitsError(sentence(f"{what} of a move, {limits.names[j]}", f"{posture[j]:.6g}", f"{limits.lower[j]:.6g} ... {limits.upper[j]:.6g}"))
        used = moved > 0.0
        if not used.any():
            raise LimitsError(sentence("a fastest move", "equal start and end", "postures that differ"))
        bounds = [np.array(limits.velocity), np.array(limits.acceleration), np.broadcast_to(np.asarray(jerk, dtype=float), (n,))]
        for what, bound in zip(("velocity", "acceleration", "jerk"), bounds, strict=True):
            for j in np.flatnonzero(used & ~(bound > 0.0)):
                raise LimitsError(sentence(f"{what} limit of {limits.names[j]}", f"{bound[j]:g}", "a number above zero, because the joint has to move"))
        v, a, j3 = (float(np.min(bound[used] / moved[used])) for bound in bounds)
        if law == TRAPEZOIDAL:
            if not np.isfinite(a) or np.isfinite(j3):
                raise LimitsError(sentence("a trapezoidal move", f"acceleration limit {a:g}, jerk limit {j3:g} per unit move", "a finite and an infinite one"))
            span, ramp = (2.0 / np.sqrt(a), 0.5) if v * v >= a else (1.0 / v + v / a, v / a / (1.0 / v + v / a))
            return cls(unit.start, unit.end, span, law, min(ramp, 0.5), limits.names)
        peaks = [float(_unit(law, unit.ramp).extremes(order).magnitude[0]) for order in (1, 2, 3)]
        span = max(peaks[0] / v, np.sqrt(peaks[1] / a), np.cbrt(peaks[2] / j3))
        if span == 0.0:
            raise LimitsError(sentence("a fastest move", "no finite limit", "a finite velocity, acceleration or jerk limit of a joint that moves"))
        return cls(unit.start, unit.end, span, law, joint_names=limits.names)

    @property
    def n(self) -> int:
        """Number of joints."""
        return len(self.start)

    @property
    def duration(self) -> float:
        """Length [s]."""
        return self.span

    @cached_property
    def pieces(self) -> Piecewise:
        """The motion as polynomial pieces."""
        unit = _unit(self.law, self.ramp)
        powers = (self.end - self.start)[:, None] * unit.powers
        powers[:, :, 0] += self.start
        return Piecewise(unit.breaks * self.span, powers, self.joint_names)


def _unit(law: str, ramp: float) -> Piecewise:
    """The law p over [0, 1] s, as a trajectory of one joint."""
    if law != TRAPEZOIDAL:
        return Piecewise(np.array([0.0, 1.0]), np.array(_LAWS[law], dtype=float)[None, None])
    speed = 1.0 / (1.0 - ramp)
    gained = speed * ramp / 2
    accelerate, cruise, brake = (0.0, 0.0, gained), (gained, 1.0 - 2 * gained, 0.0), (1.0 - gained, 2 * gained, -gained)
    if ramp == 0.5:
        return Piecewise(np.array([0.0, 0.5, 1.0]), np.array([accelerate, brake])[:, None])
    return Piecewise(np.array([0.0, ramp, 1.0 - ramp, 1.0]), np.array([accelerate, cruise, brake])[:, None])
