"""Does the torque of a recording go with its motion? Columns as they stand against columns exchanged or turned over, by the robot's own parameters."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .suspicions import Suspicion
from .trial import Trial

if TYPE_CHECKING:
    from optid.robot import Robot

Array = NDArray[np.float64]

_GRID = 0.02
"""Samples are averaged over so many seconds: motion is slower, noise is not [s]."""
_MOST_ROWS = 1000
_SLOW = 0.02
"""Speed below which Coulomb friction is not told [rad/s, m/s]."""
_BETTER = 1.0
"""How much better another arrangement must fit before it is suspected: the sum over the joints of the logarithm of what is left unexplained, a twentieth (the
robot's own parameters are never exact) added. Right recordings of real arms stay below 0.6."""
_INEXACT = 0.05
_GOOD = 0.5
_SIMPLER = 0.3
"""A change of the torque alone is preferred to one of the motion by so much."""
_TOO_LARGE = 5.0
_CHANGED = 0.05
_MOST_CHANGES = 4
_UNIT = 5.0
_DEG = math.pi / 180


@dataclass(frozen=True)
class _Arrangement:
    """Which column, times which factor, is taken for the motion and the torque of each joint."""

    motion: tuple[int, ...]
    torque: tuple[int, ...]
    motion_factors: tuple[float, ...]
    torque_factors: tuple[float, ...]
    told: str = ""


def torque_suspicions(trial: Trial, robot: Robot) -> Iterator[Suspicion]:
    """Order, sign and unit of the torque (the current where there is no torque), as far as the robot's own masses can tell."""
    measured = trial.tau if trial.tau is not None else trial.current
    what = "torque" if trial.tau is not None else "current"
    if measured is None or not any(link.mass for link in robot.links):
        return
    data = _averaged(trial, measured)
    if data is None:
        return
    fit = _Fit(robot, *data)
    n = robot.n
    first = now = _Arrangement(tuple(range(n)), tuple(range(n)), (1.0,) * n, (1.0,) * n)
    changes = []
    for _ in range(_MOST_CHANGES):
        merit = {other: fit.merit(other) - _SIMPLER * (other.motion_factors != now.motion_factors) for other in _changes(now, robot)}
        found = sorted(merit, key=merit.__getitem__, reverse=True)
        best = next((x for x in found if merit[x] > fit.merit(now) + _BETTER and fit.likely(x)), None)
        if best is None:
            break
        changes.append(best.told.format(what=what))
        now = best
    pulled, pull = max(((fit.merit_under(g, first), told) for told, g in _gravities(robot).items()), default=(-math.inf, ""))
    if pulled > fit.merit(first) + _BETTER and pulled > fit.merit(now) - _SIMPLER:
        yield Suspicion(
            "gravity", f"The {what} goes with the motion better {pull}: look at how the robot is mounted, and whether its driver takes gravity out."
        )
        return
    before, after = fit.shares(first), fit.shares(now)
    touched = np.abs(after - before) > min(_CHANGED, 0.5 * float(np.abs(after - before).max()))
    if changes and touched.any() and after[touched].mean() > _GOOD:
        kinds = {"sign" if " turned" in text else "degrees" if "57.3" in text else "order" for text in changes}
        kind = kinds.pop() if len(kinds) == 1 else "order"
        names = ", ".join(repr(robot.joint_names[j]) for j in np.flatnonzero(touched))
        text = f"The {what} goes with the motion better with {', and '.join(changes)}"
        yield Suspicion(
            kind, f"{text}: the robot's own parameters explain {after[touched].mean():.0%} of that of {names} then, {max(0.0, before[touched].mean()):.0%} now."
        )
    elif trial.tau is not None and not changes:
        gain = fit.gain(now)
        if gain is not None and not 1 / _UNIT < gain < _UNIT:
            text = (
                f"The torque is about {gain:.2g} times what the robot's own parameters need: look at its unit, and whether it is current or of the motor's side"
            )
            yield Suspicion("torque", f"{text}.")


def _gravities(robot: Robot) -> dict[str, tuple[float, float, float]]:
    """Other directions of gravity in the base frame, and none."""
    now = np.array(robot.gravity)
    size = float(np.linalg.norm(now)) or 9.81
    found = {} if not now.any() else {"without gravity": (0.0, 0.0, 0.0)}
    for axis, direction in zip("xyz", np.eye(3), strict=True):
        for sign in (1.0, -1.0):
            other = sign * size * direction
            if np.linalg.norm(other - now) > 0.1 * size:
                found[f"with gravity along {'+' if sign > 0 else '-'}{axis} of the base"] = (float(other[0]), float(other[1]), float(other[2]))
    return found


def _averaged(trial: Trial, measured: Array) -> tuple[Array, Array, Array, Array] | None:
    """Position, velocity, acceleration and torque of stretches of :data:`_GRID`; None when there is too little."""
    good = trial.valid & np.isfinite(trial.time) & np.isfinite(trial.q).all(axis=1) & np.isfinite(measured).all(axis=1)
    t, q, tau = trial.time[good], trial.q[good], measured[good]
    if len(t) < 50 or not (np.diff(t) >= 0).all():
        return None
    step = float(np.median(np.diff(t)))
    size = max(1, round(_GRID / step)) if step > 0 else 1
    count = len(t) // size
    if count < 25:
        return None
    t, q, tau = (x[: count * size].reshape(count, size, -1).mean(axis=1) for x in (t, q, tau))
    t = t[:, 0]
    if not (np.diff(t) > 0).all():
        return None
    dq = np.gradient(q, t, axis=0)
    ddq = np.gradient(dq, t, axis=0)
    rows = np.unique(np.linspace(2, count - 3, min(_MOST_ROWS, count - 4)).astype(int))
    return q[rows], dq[rows], ddq[rows], tau[rows]


class _Fit:
    """How much of the torque the robot's own parameters and friction explain."""

    def __init__(self, robot: Robot, q: Array, dq: Array, ddq: Array, tau: Array) -> None:
        import casadi as ca

        from optid.kernels import Kernel
        from optid.model import DynamicModel

        model = DynamicModel(robot, (), rotor_inertia=any(drive.rotor_inertia for drive in robot.drives))
        x = [ca.SX.sym(name, robot.n) for name in ("q", "dq", "ddq")]
        pi = ca.SX(model.nominal_parameters())
        # the torque is linear in gravity: what it is without, and what a unit of gravity along each axis adds
        still, *pulled = (model.with_robot(robot.with_gravity(g)).torque_expression(pi, *x) for g in ((0.0, 0.0, 0.0), *np.eye(3)))
        parts = ca.horzcat(still, *(torque - still for torque in pulled))
        self._kernel = Kernel(ca.Function("torque_by_gravity", x, [parts], ["q", "dq", "ddq"], ["parts"]), "interpreter")
        self._gravity = robot.gravity
        self._motion, self._tau = np.stack([q, dq, ddq]), tau
        self._known: dict[tuple[object, ...], tuple[float, float]] = {}
        self._torques: dict[tuple[object, ...], tuple[Array, Array]] = {}

    def _parts(self, at: _Arrangement) -> tuple[Array, Array]:
        """Model torque (N, n, 4) without gravity and by gravity's axes, and velocity of an arrangement."""
        key = (at.motion, at.motion_factors)
        if key not in self._torques:
            q, dq, ddq = self._motion[:, :, at.motion] * np.array(at.motion_factors)
            self._torques[key] = (self._kernel(q, dq, ddq), dq)
        return self._torques[key]

    def _coefficients(self, at: _Arrangement, j: int) -> tuple[float, float]:
        """As :func:`_explained`, of joint j."""
        key = (at.motion, at.motion_factors, at.torque[j], at.torque_factors[j], j)
        if key not in self._known:
            parts, dq = self._parts(at)
            self._known[key] = _explained(parts[:, j] @ (1.0, *self._gravity), dq[:, j], self._tau[:, at.torque[j]] * at.torque_factors[j])
        return self._known[key]

    def shares(self, at: _Arrangement) -> Array:
        """Share (n,) of every joint's torque that is explained."""
        return np.array([self._coefficients(at, j)[1] for j in range(len(at.motion))])

    def merit(self, at: _Arrangement) -> float:
        """How well an arrangement fits, see :data:`_BETTER`."""
        return float(-np.log(1 - self.shares(at) + _INEXACT).sum())

    def merit_under(self, gravity: tuple[float, float, float], at: _Arrangement) -> float:
        """The merit of an arrangement under another gravity."""
        parts, dq = self._parts(at)
        shares = [_explained(parts[:, j] @ (1.0, *gravity), dq[:, j], self._tau[:, j])[1] for j in range(parts.shape[1])]
        return float(-np.log(1 - np.array(shares) + _INEXACT).sum())

    def likely(self, at: _Arrangement) -> bool:
        """Whether no joint gets a torque from elsewhere that is far too large for it: many columns look alike but for their size."""
        gain = self.gain(at)
        moved = [j for j in range(len(at.motion)) if at.torque[j] != j]
        return gain is None or all(self._coefficients(at, j)[0] < _TOO_LARGE * gain for j in moved)

    def gain(self, at: _Arrangement) -> float | None:
        """The middle gain of the joints whose torque the model explains well."""
        found = [self._coefficients(at, j) for j in range(len(at.motion))]
        gains = [gain for gain, share in found if share > _GOOD and gain > 0]
        return math.exp(float(np.median(np.log(gains)))) if gains else None


def _explained(model: Array, dq: Array, tau: Array) -> tuple[float, float]:
    """Gain of a joint's model torque, and the share of its measured torque that it explains together with friction and an offset.

    Gain and friction cannot be negative: that is what tells a sign.
    """
    from scipy.optimize import nnls

    columns = np.stack([model, dq, np.tanh(dq / _SLOW)], axis=1)
    columns, tau = columns - columns.mean(axis=0), tau - tau.mean()
    size = np.linalg.norm(columns, axis=0)
    size[size == 0] = 1.0
    x, rest = nnls(columns / size, tau)
    total = float(np.linalg.norm(tau))
    return float(x[0] / size[0]), 1 - (rest / total) ** 2 if total > 0 else 0.0


def _changes(now: _Arrangement, robot: Robot) -> Iterator[_Arrangement]:
    """Arrangements one change away."""
    n, names = robot.n, robot.joint_names

    def flipped(signs: tuple[float, ...], j: int) -> tuple[float, ...]:
        return tuple(-s if k == j else s for k, s in enumerate(signs))

    def exchanged(order: tuple[int, ...], i: int, j: int) -> tuple[int, ...]:
        put = {i: order[j], j: order[i]}
        return tuple(put.get(k, x) for k, x in enumerate(order))

    for j in range(n):
        yield replace(now, torque_factors=flipped(now.torque_factors, j), told=f"the {{what}} of {names[j]!r} turned against its position")
        turned = replace(now, motion_factors=flipped(now.motion_factors, j), told=f"the {{what}} of {names[j]!r} turned against its position")
        yield turned
        yield replace(turned, torque_factors=flipped(now.torque_factors, j), told=f"position and {{what}} of {names[j]!r} turned")
    for factor, what in ((_DEG, "divided by 57.3 (degrees taken for radians)"), (1 / _DEG, "times 57.3 (radians taken for degrees)")):
        factors = tuple(f * (factor if robot.joints[i].revolute else 1.0) for f, i in zip(now.motion_factors, robot.independent, strict=True))
        yield replace(now, motion_factors=factors, told=f"its angles {what}")
    if n > 1:
        yield replace(now, torque_factors=tuple(-s for s in now.torque_factors), told="all {what} turned over")
        order = tuple(int(k) for k in np.argsort(np.argsort(names)))
        motion, torque = (tuple(given[k] for k in order) for given in (now.motion, now.torque))
        yield replace(now, motion=motion, torque=torque, told="its columns taken as sorted by joint name")
        yield replace(now, torque=torque, told="the {what} alone taken as sorted by joint name")
    for i, j in combinations(range(n), 2):
        pair = f"{names[i]!r} and {names[j]!r} exchanged"
        motion, torque = exchanged(now.motion, i, j), exchanged(now.torque, i, j)
        yield replace(now, motion=motion, torque=torque, told=f"the columns of {pair}")
        yield replace(now, torque=torque, told=f"the {{what}} of {pair}")
        yield replace(now, motion=motion, told=f"the positions of {pair}")
