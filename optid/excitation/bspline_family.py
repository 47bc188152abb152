"""B-spline motions that start and end at rest, as a family for excitation design."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.brief import brief
from optid.trajectory import BSpline, Trajectory, bspline_basis

from .family import Family

Array = NDArray[np.float64]


@dataclass(frozen=True)
class BSplineFamily(Family):
    """Clamped B-splines (:meth:`optid.trajectory.BSpline.rest_to_rest`): free points a joint, velocity and acceleration zero at both ends.

    Parameters
    ----------
    n : int
    points : int
        Free points a joint.
    degree : int
    rest : int
        How many derivatives vanish at both ends.
    joint_names : n-tuple of str, optional

    Examples
    --------
    >>> from optid.excitation import BSplineFamily
    >>> BSplineFamily(2, points=4).n
    2
    """

    n: int
    points: int
    degree: int = 5
    rest: int = 2
    joint_names: tuple[str, ...] = field(default=())

    __repr__ = brief

    @property
    def m(self) -> int:
        return self.points

    @property
    def density(self) -> int:
        return 4 * (self.points + 2 * self.rest)

    @property
    def periodic(self) -> bool:
        return False

    @property
    def coefficient_names(self) -> tuple[str, ...]:
        return tuple(f"p{k + 1}" for k in range(self.points))

    @property
    def still(self) -> Array:
        return np.ones(self.points)

    def basis(self, phase: ArrayLike, order: int) -> Array:
        one = bspline_basis(phase, self.points, 1.0, self.degree, self.rest)[order]
        return np.broadcast_to(one, (self.n, *one.shape))

    def trajectory(self, coefficients: Array, duration: float) -> BSpline:
        return BSpline.rest_to_rest(coefficients, duration, self.degree, self.rest, self.joint_names)

    def coefficients_of(self, trajectory: Trajectory) -> Array | None:
        if not isinstance(trajectory, BSpline) or trajectory.degree != self.degree or trajectory.control.shape != (self.n, self.points + 2 * self.rest):
            return None
        return np.asarray(trajectory.control[:, self.rest : self.points + self.rest])
