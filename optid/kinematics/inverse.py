"""Closed-form inverse kinematics: two links in a plane, and the two-axis vertical arm of A09 (eqs. 3.43–3.46)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.errors import DataError, RobotError, ShapeError, SingularError, UnreachableError, sentence, unknown_name
from optid.model.arrays import numbers

Array = NDArray[np.float64]

ELBOWS = {"up": 1, "down": -1}

EDGE = 1e-12
"""Targets beyond the edge of the workspace by this part of the arm's length count as on it: rounding of a forward solution."""


class TwoLink(NamedTuple):
    """Angles (N,) of two links that reach a point [rad], and the sine of the angle between them: 0 where the arm is singular (stretched or folded)."""

    first: Array
    between: Array
    sine: Array


def two_link(la: float, lb: float, u: Array, v: Array, side: ArrayLike, what: str, fallback: ArrayLike | None = None) -> TwoLink:
    """Angles of two links of lengths la, lb [m] from the origin to points (u, v) (N,) of their plane.

    ``(u, v) = la (cos a, sin a) + lb (cos(a + b), sin(a + b))``. The half-angle form keeps full precision up to the edges of the workspace, where a cosine
    would lose half the digits.

    Parameters
    ----------
    side : ±1 or (N,)
        Sign of the angle b between the links.
    what : str
        Names the arm in messages.
    fallback : scalar or (N,), optional [rad]
        Angle of the first link where the point is the origin itself, so that any would do.

    Raises
    ------
    UnreachableError
        Naming the first point outside the ring ``|la − lb| … la + lb``.
    SingularError
        For a point at the origin without a fallback.
    """
    if not (la > 0 and lb > 0):
        raise RobotError(sentence(f"link lengths of {what}", f"{la:g} and {lb:g} m", "two positive lengths"))
    r = np.hypot(u, v)
    if not np.isfinite(r).all():
        raise DataError(sentence(f"target {int(np.flatnonzero(~np.isfinite(r))[0])} of {what}", "NaN or infinite", "finite coordinates"))
    inner, outer, slack = abs(la - lb), la + lb, EDGE * (la + lb)
    bad = np.flatnonzero((r > outer + slack) | (r < inner - slack))
    if len(bad):
        k = int(bad[0])
        raise UnreachableError(
            sentence(f"target {k} of {what}", f"{r[k]:.6g} m from its first axis", f"{inner:.6g} … {outer:.6g} m", f"{len(bad)} of {len(r)} are out of reach.")
        )
    if inner <= slack and fallback is None and (r <= slack).any():
        k = int(np.flatnonzero(r <= slack)[0])
        raise SingularError(sentence(f"target {k} of {what}", "on its first axis, where any first angle does", "a point off it", "Give near=."))
    beyond = np.maximum((outer - r) * (outer + r), 0.0)
    within = np.maximum((r - inner) * (r + inner), 0.0)
    between = 2 * np.asarray(side) * np.arctan2(np.sqrt(beyond), np.sqrt(within))
    sine = np.sin(between)
    first = np.arctan2(v, u) - np.arctan2(lb * sine, la + lb * np.cos(between))
    if fallback is not None and inner <= slack:
        first = np.where(r <= slack, fallback, first)
    on_edge = (beyond <= slack * outer) | (within <= slack * outer)
    return TwoLink(first, between, np.where(on_edge, 0.0, sine))


def wrapped(angle: ArrayLike) -> Array:
    """Angles in (−π, π]."""
    a = np.asarray(angle, dtype=float)
    return np.asarray(np.pi - np.mod(np.pi - a, 2 * np.pi))


def two_axis_position(l2: float, l3: float, q: ArrayLike) -> Array:
    """Tool (..., 2) = (x, z) [m] of the two-axis vertical arm at angles q (..., 2) = (q_a2 from the vertical, q_a3): ``x = l2 sin q2 + l3 cos(q2 + q3)``,
    ``z = l2 cos q2 − l3 sin(q2 + q3)`` (A09, eq. 3.43).

    Examples
    --------
    >>> from optid.kinematics import two_axis_position
    >>> two_axis_position(1.0, 1.2, [0.0, 0.0])
    array([1.2, 1. ])
    """
    angles = numbers(q, "angles of the two-axis arm")
    if angles.shape[-1:] != (2,):
        raise ShapeError(sentence("angles of the two-axis arm", f"shape {angles.shape}", "(..., 2)"))
    q2, both = angles[..., 0], angles[..., 0] + angles[..., 1]
    return np.stack([l2 * np.sin(q2) + l3 * np.cos(both), l2 * np.cos(q2) - l3 * np.sin(both)], axis=-1)


def inverse_two_axis(l2: float, l3: float, position: ArrayLike, elbow: str = "up") -> Array:
    """Angles (..., 2) [rad] of the two-axis vertical arm that bring the tool to (x, z) (..., 2) [m].

    Parameters
    ----------
    l2, l3 : float [m]
    position : (2,) or (N, 2)
    elbow : "up" or "down"
        "up": q_a3 > −π/2; for a target in front (x > 0) the elbow then lies above the line from the shoulder to it. Both meet in the singular postures,
        stretched (q_a3 = −π/2) and folded (π/2).

    Returns
    -------
    (2,) or (N, 2)
        q_a2 in (−π, π], q_a3 in (−3π/2, π/2].

    Raises
    ------
    UnreachableError, SingularError

    Examples
    --------
    >>> from optid.kinematics import inverse_two_axis, two_axis_position
    >>> q = inverse_two_axis(1.0, 1.2, (1.5, 0.4))
    >>> two_axis_position(1.0, 1.2, q).round(12)
    array([1.5, 0.4])
    """
    if elbow not in ELBOWS:
        raise unknown_name("elbow", elbow, ELBOWS)
    point = numbers(position, "position of the two-axis arm")
    if point.shape[-1:] != (2,) or point.ndim > 2:
        raise DataError(sentence("position of the two-axis arm", f"shape {point.shape}", "(2,) or (N, 2): x and z"))
    x, z = np.atleast_2d(point).T
    solved = two_link(l2, l3, z, x, ELBOWS[elbow], "the two-axis arm")
    q = np.stack([wrapped(solved.first), solved.between - np.pi / 2], axis=-1)
    return q[0] if point.ndim == 1 else q
