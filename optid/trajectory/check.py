"""The proof that a motion stays inside limits at every instant, or the list of where it does not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from optid.brief import brief
from optid.errors import LimitsError, sentence
from optid.robot import Limits

from .arrays import Array, vector

if TYPE_CHECKING:
    from .base import Trajectory

QUANTITIES = ("position", "velocity", "acceleration", "jerk")
REST = 1e-8


@dataclass(frozen=True)
class Violation:
    """One broken limit.

    Attributes
    ----------
    joint : str
    index : int
        Column of the joint.
    quantity : str
        "position", "velocity", "acceleration", "jerk", or "start velocity" and the like for a motion that had to begin and end at rest.
    time : float [s]
        Where the motion is furthest outside.
    value, limit, amount : float [SI units of the joint]
        ``amount`` is how far ``value`` lies outside ``limit``, positive.

    Examples
    --------
    >>> from optid import Limits
    >>> from optid.trajectory import Fourier
    >>> print(Fourier([0.0], [[1.0]], [[0.0]], period=4.0).check(Limits.of(1, position=0.5)).violations[0])
    joint 1: position -1 at 3 s is 0.5 below the limit -0.5
    """

    joint: str
    index: int
    quantity: str
    time: float
    value: float
    limit: float
    amount: float

    def __str__(self) -> str:
        side = "above" if self.value > self.limit else "below"
        return f"{self.joint}: {self.quantity} {self.value:.8g} at {self.time:.6g} s is {self.amount:.3g} {side} the limit {self.limit:.8g}"


@dataclass(frozen=True, eq=False)
class CheckReport:
    """Result of :meth:`Trajectory.check <optid.trajectory.Trajectory.check>`.

    Attributes
    ----------
    proven : bool
        True when every limit holds at every instant (not only at samples).
    violations : tuple of Violation
        Empty when proven; otherwise the largest excess of every joint, quantity and side.
    margins : mapping quantity -> (n,)
        Proven distance to the nearer limit [SI units of the joint], negative where it is broken, infinite where there is no limit.
    tolerance : float
        A limit counts as kept when it is exceeded by less than this fraction of the largest of the joint's two limits and the motion's magnitude.

    Examples
    --------
    >>> from optid import Limits
    >>> from optid.trajectory import PointToPoint
    >>> report = PointToPoint([0.0], [1.0], 1.0).check(Limits.of(1, velocity=1.5))
    >>> report.proven, round(report.violations[0].amount, 6)  # the fifth-degree law is 1.875 times as fast as the mean
    (False, 0.375)
    """

    proven: bool
    violations: tuple[Violation, ...]
    margins: Mapping[str, Array]
    tolerance: float

    __repr__ = brief

    def __bool__(self) -> bool:
        return self.proven

    def __str__(self) -> str:
        if self.proven:
            least = {what: float(np.min(margin)) for what, margin in self.margins.items()}
            return "inside the limits at every instant; least margins: " + ", ".join(f"{what} {value:.4g}" for what, value in least.items())
        return f"{len(self.violations)} limits broken (rad, m, s): " + "; ".join(map(str, self.violations))

    def raise_if_broken(self, what: str = "trajectory") -> None:
        """Raise a :class:`LimitsError <optid.errors.LimitsError>` that names every broken limit, when there is one."""
        if not self.proven:
            raise LimitsError(sentence(what, str(self), "a motion inside its limits at every instant"))


def check(trajectory: Trajectory, limits: Limits, jerk: ArrayLike | None = None, rest: bool = False, tolerance: float = 1e-9) -> CheckReport:
    """Check a trajectory against limits in continuous time; see :meth:`Trajectory.check <optid.trajectory.Trajectory.check>`."""
    n = trajectory.n
    if limits.n != n:
        raise LimitsError(sentence("limits of a trajectory", f"{limits.n} joints", f"{n}, the joints of the trajectory"))
    labels = limits.names
    if trajectory.joint_names and set(trajectory.joint_names) == set(labels) and trajectory.joint_names != labels:
        raise LimitsError(sentence("limits of a trajectory", f"joints in the order {', '.join(labels)}", f"the order {', '.join(trajectory.joint_names)}"))
    if not tolerance >= 0.0:
        raise LimitsError(sentence("tolerance of a check", tolerance, "a number >= 0"))
    bounds = {
        "position": (np.array(limits.lower), np.array(limits.upper)),
        "velocity": _symmetric(limits.velocity),
        "acceleration": _symmetric(limits.acceleration),
    }
    if jerk is not None:
        bounds["jerk"] = _symmetric(np.abs(vector(jerk, "jerk limits", n)))
    violations: list[Violation] = []
    margins: dict[str, Array] = {}
    for order, (quantity, (low, high)) in enumerate(bounds.items()):
        if np.isinf(low).all() and np.isinf(high).all():
            margins[quantity] = np.full(n, np.inf)
            continue
        found = trajectory.extremes(order)
        margins[quantity] = np.minimum(_excess(low, found.lower), _excess(found.upper, high))
        largest = np.where(np.isfinite(found.magnitude), found.magnitude, 0.0)
        for limit in (low, high):
            largest = np.maximum(largest, np.where(np.isfinite(limit), np.abs(limit), 0.0))
        sides = ((low, found.minimum, found.lower, found.at_minimum, -1.0), (high, found.maximum, found.upper, found.at_maximum, 1.0))
        for limit, attained, proven, at, sign in sides:
            for j in np.flatnonzero(np.isfinite(limit)):
                allowed = tolerance * largest[j]
                value = attained[j] if sign * (attained[j] - limit[j]) > allowed else proven[j]
                amount = sign * (value - limit[j])
                if amount > allowed:
                    violations.append(Violation(labels[j], int(j), quantity, float(at[j]), float(value), float(limit[j]), float(amount)))
    if rest:
        violations += _unrest(trajectory, labels)
    return CheckReport(not violations, tuple(violations), margins, tolerance)


def _symmetric(magnitude: ArrayLike) -> tuple[Array, Array]:
    array = np.array(magnitude, dtype=float)
    return -array, array


def _excess(smaller: Array, larger: Array) -> Array:
    """``larger - smaller``, infinite where the limit is, minus infinite where the motion is."""
    with np.errstate(invalid="ignore"):
        difference = larger - smaller
    return np.where(np.isnan(difference), np.inf, difference)


def _unrest(trajectory: Trajectory, labels: tuple[str, ...]) -> list[Violation]:
    """Velocities and accelerations at the ends that are not zero, to 1e-8 of the largest of the motion."""
    result = []
    for order, quantity in ((1, "velocity"), (2, "acceleration")):
        largest = trajectory.extremes(order).magnitude
        for end, t in (("start", 0.0), ("end", trajectory.duration)):
            value = trajectory.derivative(t, order)[0]
            for j in np.flatnonzero(np.abs(value) > REST * np.minimum(largest, 1e300)):
                result.append(Violation(labels[j], int(j), f"{end} {quantity}", t, float(value[j]), 0.0, float(abs(value[j]))))
    return result
