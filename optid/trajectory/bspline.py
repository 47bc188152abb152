"""B-spline trajectories, and rest-to-rest ones."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from optid.errors import DataError, ShapeError, sentence

from .arrays import Array, finite, names, positive, times, whole
from .basis import DERIVATIVES
from .piecewise import Piecewise, PiecewiseBacked

MOST_DEGREE = 15


@dataclass(frozen=True, eq=False, repr=False)
class BSpline(PiecewiseBacked):
    """A clamped B-spline per joint over common knots.

    Parameters
    ----------
    knots : (m + degree + 1,) [s]
        Not decreasing, from 0; the first and the last are repeated ``degree + 1`` times.
    control : (n, m) [rad or m]
        Control points.
    degree : int
        5 or more for a jerk that is smooth.
    joint_names : n-tuple of str, optional

    Examples
    --------
    >>> from optid.trajectory import BSpline
    >>> motion = BSpline.rest_to_rest([[0.0, 0.5, 1.0, 0.2]], 2.0)
    >>> motion
    BSpline(1 joints, 2 s)
    >>> bool(abs(motion.derivative([0.0, 2.0], 1)).max() < 1e-12)
    True
    """

    kind: ClassVar[str] = "bspline"

    knots: Array
    control: Array
    degree: int = 5
    joint_names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "knots", finite(self.knots, "knots of a B-spline"))
        control = np.atleast_2d(finite(self.control, "control points of a B-spline"))
        control.setflags(write=False)
        put(self, "control", control)
        d = _degree(self.degree)
        if control.ndim != 2 or self.knots.ndim != 1 or control.shape[1] <= d or len(self.knots) != control.shape[1] + d + 1:
            raise ShapeError(
                sentence(
                    "control points of a B-spline",
                    f"shape {control.shape} with {self.knots.size} knots",
                    f"(n, m), joints by more than {d} points, with m + {d + 1} knots",
                )
            )
        inner = self.knots[d : len(self.knots) - d]
        if np.any(np.diff(inner) <= 0.0) or np.any(self.knots[: d + 1] != 0.0) or np.any(self.knots[-d - 1 :] != self.knots[-1]):
            raise DataError(sentence("knots of a B-spline", "other ones", f"increasing knots from 0, the first and the last {d + 1} times"))
        put(self, "joint_names", names(self.joint_names, len(control)))

    @classmethod
    def rest_to_rest(cls, points: ArrayLike, duration: float, degree: int = 5, rest: int = 2, joint_names: tuple[str, ...] = ()) -> BSpline:
        """A spline that starts at the first point and ends at the last one, where its first ``rest`` derivatives are zero.

        Parameters
        ----------
        points : (n, P) [rad or m]
            Free points; the first and the last are repeated ``rest`` times more. The same numbers multiply the columns of :func:`bspline_basis`.
        duration : float [s]
        rest : int
            2: velocity and acceleration zero at both ends; 3: jerk too; 0: nothing.
        """
        free = np.atleast_2d(finite(points, "points of a B-spline"))
        control = np.hstack([np.repeat(free[:, :1], rest, axis=1), free, np.repeat(free[:, -1:], rest, axis=1)])
        return cls(clamped_knots(control.shape[1], duration, degree), control, degree, joint_names)

    @property
    def n(self) -> int:
        """Number of joints."""
        return len(self.control)

    @property
    def duration(self) -> float:
        """Length [s]."""
        return float(self.knots[-1])

    @cached_property
    def pieces(self) -> Piecewise:
        """The motion as polynomial pieces."""
        from scipy.interpolate import BSpline as Spline

        return Piecewise.from_spline(Spline(self.knots, self.control.T, self.degree), self.joint_names)


def _degree(degree: int) -> int:
    if whole(degree, "degree of a B-spline", 1) > MOST_DEGREE:
        raise DataError(sentence("degree of a B-spline", degree, f"{MOST_DEGREE} at most"))
    return int(degree)


def clamped_knots(points: int, duration: float, degree: int = 5) -> Array:
    """Equally spaced knots (points + degree + 1,) [s] over the duration, the ends repeated."""
    d, T = _degree(degree), positive(duration, "duration of a B-spline")
    if points <= d:
        raise ShapeError(sentence("control points of a B-spline", f"{points} points", f"{d + 1} at least for degree {d}"))
    return np.concatenate([np.zeros(d), np.linspace(0.0, T, points - d + 1), np.full(d, T)])


def bspline_basis(t: ArrayLike, points: int, duration: float, degree: int = 5, rest: int = 2) -> tuple[Array, ...]:
    """Samples of a B-spline and of its first three derivatives per free point.

    Parameters
    ----------
    t : (N,) [s]
        Inside the duration.
    points : int
        Number of free points P; see :meth:`BSpline.rest_to_rest`.
    duration : float [s]
    rest : int
        How many derivatives are zero at both ends; 0 for none.

    Returns
    -------
    B0, B1, B2, B3 : (N, P) each

    Examples
    --------
    >>> from optid.trajectory import bspline_basis
    >>> [part.shape for part in bspline_basis([0.0, 0.5, 1.0], points=4, duration=1.0)]
    [(3, 4), (3, 4), (3, 4), (3, 4)]
    """
    from scipy.interpolate import BSpline as Spline

    stamps = times(t)
    if stamps.size and not -1e-9 * duration <= stamps.min() <= stamps.max() <= duration * (1 + 1e-9):
        raise DataError(sentence("times of a B-spline basis", f"{stamps.min():g} ... {stamps.max():g} s", f"0 ... {duration:g} s"))
    full = points + 2 * rest
    spline = Spline(clamped_knots(full, duration, degree), np.eye(full), degree)
    expand = np.eye(points)[np.clip(np.arange(full) - rest, 0, points - 1)]
    return tuple(spline(np.clip(stamps, 0.0, duration), nu=order) @ expand for order in range(DERIVATIVES))
