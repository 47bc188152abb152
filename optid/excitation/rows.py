"""Limits as rows of a nonlinear program: at some instants first, then at those where a solution comes too close to a limit in between."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .motion import QUANTITIES, Motion

Array = NDArray[np.float64]

NEAR = 0.9
"""Local extremes beyond this share of a limit become rows."""

TOUCHING = 0.99
"""A motion beyond this share of a limit touches it."""

SAME = 1e-4
"""Phases closer than this fraction of the grid step are one instant."""


@dataclass(frozen=True, eq=False)
class Rows:
    """Quantity ``order[k]`` of joint ``joint[k]`` at phase ``phase[k]``, limited on both sides.

    Values are shares of the size of the quantity (half the range), so that every row is of order one.
    """

    motion: Motion
    order: NDArray[np.intp]
    joint: NDArray[np.intp]
    phase: Array

    @classmethod
    def grid(cls, motion: Motion) -> Rows:
        """All limited quantities at the first instants of the family."""
        channels = [(k, j) for k in motion.limited for j in range(motion.family.n) if np.isfinite(motion.ranges[k, j]).any()]
        instants = {k: motion.family.instants(k) for k in motion.limited}
        count = [len(instants[k]) for k, _ in channels]
        order, joint = np.array(channels, dtype=np.intp).reshape(-1, 2).T
        return cls(motion, np.repeat(order, count), np.repeat(joint, count), np.concatenate([np.zeros(0), *(instants[k] for k, _ in channels)]))

    def __len__(self) -> int:
        return len(self.phase)

    @property
    def bounds(self) -> tuple[Array, Array]:
        """Lower and upper bounds of the rows' values."""
        pair = self.motion.ranges[self.order, self.joint] / self.motion.half[self.order, self.joint][:, None]
        return pair[:, 0], pair[:, 1]

    @property
    def names(self) -> tuple[str, ...]:
        """What each row limits, for messages."""
        labels = self.motion.limits.names
        return tuple(f"{QUANTITIES[k]} of {labels[j]} at phase {s:.4f}" for k, j, s in zip(self.order, self.joint, self.phase, strict=True))

    def matrix(self) -> tuple[Array, Array]:
        """A (rows, variables) and a0 (rows,): the values are ``(A x + a0) / duration^order``; the duration's own column is zero."""
        motion = self.motion
        A, a0 = np.zeros((len(self), motion.size)), np.zeros(len(self))
        for order in np.unique(self.order):
            here = np.flatnonzero(self.order == order)
            phases, index = np.unique(self.phase[here], return_inverse=True)
            basis = motion.family.basis(phases, int(order))
            for j in np.unique(self.joint[here]):
                mine = self.joint[here] == j
                rows, b = here[mine], basis[j, index[mine]] / motion.half[order, j]
                A[rows, motion.blocks[j]] = b @ motion.free[j]
                a0[rows] = b @ motion.offset[j]
        A[np.abs(A) < 1e-13 * np.abs(A).max(initial=0.0)] = 0.0
        return A, a0

    def expression(self, x: Any) -> Any:
        """The values as a CasADi expression of the motion's variables x."""
        import casadi as ca

        A, a0 = self.matrix()
        if not self.motion.timed:
            scale = self.motion.duration[1] ** -self.order.astype(float)
            A, a0 = A * scale[:, None], a0 * scale
            return ca.densify(ca.mtimes(ca.sparsify(ca.DM(A)), x) + ca.DM(a0))
        power = ca.vertcat(*(x[-1] ** -int(k) for k in range(4)))
        return ca.densify((ca.mtimes(ca.sparsify(ca.DM(A)), x) + ca.DM(a0)) * power[self.order.tolist()])

    def hessian(self, x: Array, multipliers: Array) -> Array:
        """Second derivatives (size, size) of the weighted sum of the rows: zero, they are linear."""
        return np.zeros((self.motion.size, self.motion.size))

    def excess(self, x: Array) -> float:
        """Largest excess over a limit at any instant, as a share of it."""
        return self.motion.excess(x)

    def blind(self, x: Array) -> float:
        """How far the motion x comes closer to a limit between the rows than at them, as a share of the limit; only motions that touch a limit count."""
        A, a0 = self.matrix()
        T = self.motion.coefficients(x)[1]
        values = (A @ x + a0) / T ** self.order.astype(float)
        low, high = self.bounds
        seen: dict[tuple[int, int, bool], float] = {}
        for k, j, up, down in zip(self.order, self.joint, 1.0 + values - high, 1.0 + low - values, strict=True):
            for side, share in ((True, up), (False, down)):
                seen[k, j, side] = max(seen.get((k, j, side), -np.inf), float(share))
        gaps = [share - seen[k, j, side] for k, j, side, _, share in near_extremes(self.motion, x, TOUCHING)]
        return max(gaps, default=0.0)

    def with_extremes(self, x: Array) -> Rows:
        """These rows and one for every local extreme of the motion x that comes near its limit."""
        new = [(k, j, s) for k, j, _, s, _ in near_extremes(self.motion, x, NEAR)]
        if not new:
            return self
        step = SAME / (8 * self.motion.family.density)
        known = {(k, j, round(s / step)) for k, j, s in zip(self.order, self.joint, self.phase, strict=True)}
        new = [(k, j, s) for k, j, s in new if (k, j, round(s / step)) not in known]
        order, joint, phase = (np.array(column) for column in zip(*new, strict=True)) if new else (np.zeros(0, int), np.zeros(0, int), np.zeros(0))
        join = np.concatenate
        return Rows(self.motion, join([self.order, order]), join([self.joint, joint]), join([self.phase, phase]))


def near_extremes(motion: Motion, x: Array, near: float) -> list[tuple[int, int, bool, float, float]]:
    """Local extremes (order, joint, upper side, phase, share of the limit) whose share of the limit is above ``near``."""
    C, T = motion.coefficients(x)
    count = 8 * motion.family.density
    phase = np.linspace(0.0, 1.0, count + 1)
    found = []
    for order in motion.limited:
        values = np.einsum("jNm,jm->jN", motion.family.basis(phase, order), C) / T**order
        low, high = motion.ranges[order].T
        for j in range(motion.family.n):
            for sign, limit in ((1.0, high[j]), (-1.0, -low[j])):
                if not np.isfinite(limit):
                    continue
                share = 1.0 + (sign * values[j] - limit) / motion.half[order, j]
                padded = np.concatenate([[-np.inf], share, [-np.inf]])
                peaks = np.flatnonzero((share >= padded[:-2]) & (share > padded[2:]) & (share > near))
                found += [(order, j, sign > 0, *vertex(phase, share, int(i))) for i in peaks]
    return found


def vertex(phase: Array, value: Array, i: int) -> tuple[float, float]:
    """Place and height of the parabola through three neighbours."""
    if i in (0, len(phase) - 1):
        return float(phase[i]), float(value[i])
    left, middle, right = value[i - 1 : i + 2]
    curvature = left - 2 * middle + right
    if curvature >= 0.0:
        return float(phase[i]), float(middle)
    shift = 0.5 * (left - right) / curvature
    return float(phase[i] + shift * (phase[1] - phase[0])), float(middle - 0.125 * (right - left) ** 2 / curvature)
