"""One motion to be designed: free variables, what they have to respect, and how far a point may move towards a limit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from optid.errors import LimitsError, sentence
from optid.robot import Limits
from optid.trajectory import Trajectory

from .family import Family

Array = NDArray[np.float64]

QUANTITIES = ("position", "velocity", "acceleration", "jerk")
RELATIVE = 1e-9
"""Singular values of the end conditions below this share of the largest say nothing new."""


@dataclass(frozen=True, eq=False)
class Motion:
    """The variables x of one motion and their meaning.

    ``x`` holds the free combinations of every joint's coefficients, joint after joint (the coefficients themselves when nothing is prescribed), and last the
    duration when it is free.

    Parameters
    ----------
    family : Family
    duration : float, or (shortest, longest) [s]
    limits : Limits
    jerk : (n,) [rad/s³], infinite where there is no limit
    rest : bool
        Velocity and acceleration are zero at both ends.
    start : (n,) or None
        Posture at t = 0 [rad or m].
    """

    family: Family
    duration: tuple[float, float]
    limits: Limits
    jerk: tuple[float, ...]
    rest: bool = False
    start: tuple[float, ...] | None = None

    # -- limits -------------------------------------------------------------------------------------------------------------------------------------

    @cached_property
    def ranges(self) -> Array:
        """Lower and upper limit of each quantity (position, velocity, acceleration, jerk) and joint (4, n, 2)."""
        lim = self.limits
        magnitudes = [np.array(x) for x in (lim.velocity, lim.acceleration, self.jerk)]
        return np.stack([lim.position, *(np.column_stack([-x, x]) for x in magnitudes)])

    @cached_property
    def centre(self) -> Array:
        """Posture (n,) about which motions are shrunk: the start posture, else the middle of the range, else the bound or zero."""
        if self.start is not None:
            return np.array(self.start)
        low, high = self.limits.position.T
        inside = np.isfinite(low) & np.isfinite(high)
        with np.errstate(invalid="ignore"):
            middle = np.where(inside, (low + high) / 2, 0.0)
        return np.clip(middle, low, high)

    @cached_property
    def half(self) -> Array:
        """Size of each quantity and joint (4, n): half the range, the magnitude, or 1 where there is no limit."""
        low, high = self.ranges[..., 0], self.ranges[..., 1]
        with np.errstate(invalid="ignore"):
            size = np.where(np.isfinite(low) & np.isfinite(high), (high - low) / 2, 1.0)
        return np.where(size > 0, size, 1.0)

    # -- variables ----------------------------------------------------------------------------------------------------------------------------------

    @property
    def timed(self) -> bool:
        """Whether the duration is a variable."""
        return self.duration[0] < self.duration[1]

    @cached_property
    def coefficient_scales(self) -> Array:
        """How large each coefficient (n, m) can be within the limits, about."""
        phase = np.linspace(0.0, 1.0, 4 * self.family.density + 1)
        T = self.duration[1]
        size = np.full((self.family.n, self.family.m), np.inf)
        for order in range(4):
            largest = np.abs(self.family.basis(phase, order)).max(axis=1) / T**order
            with np.errstate(divide="ignore"):
                finite = np.isfinite(self.ranges[order]).all(axis=1)
                size = np.minimum(size, np.where(finite[:, None], self.half[order][:, None] / largest, np.inf))
        return np.where(np.isfinite(size), size, 1.0)

    @cached_property
    def _ends(self) -> tuple[Array, Array]:
        """Prescribed combinations: rows (n, k, m) and their values (n, k)."""
        n, m = self.family.n, self.family.m
        rows, values = [np.zeros((n, 0, m))], [np.zeros((n, 0))]
        if self.rest:
            for order in (1, 2):
                rows.append(self.family.basis([0.0, 1.0], order))
                values.append(np.zeros((n, 2)))
        if self.start is not None:
            rows.append(self.family.basis([0.0], 0))
            values.append(np.array(self.start)[:, None])
        return np.concatenate(rows, axis=1), np.concatenate(values, axis=1)

    @cached_property
    def free(self) -> tuple[Array, ...]:
        """Per joint the matrix (m, k) from its variables to its coefficients, in units of about the coefficients' sizes."""
        rows, _ = self._ends
        result = []
        for j in range(self.family.n):
            scale = self.coefficient_scales[j]
            if rows.shape[1] == 0:
                result.append(np.eye(self.family.m))
                continue
            scaled = rows[j] * scale
            scaled = scaled / np.maximum(np.abs(scaled).max(axis=1, keepdims=True), 1e-300)
            _, s, Vt = np.linalg.svd(scaled)
            rank = int((s > RELATIVE * s.max(initial=0.0)).sum())
            if rank >= self.family.m - 1:
                hint = "Use more harmonics (or points)."
                raise LimitsError(sentence(f"coefficients of {self.limits.names[j]!r}", f"{self.family.m}", f"more than the {rank} end conditions", hint))
            result.append(scale[:, None] * Vt[rank:].T)
        return tuple(result)

    @cached_property
    def offset(self) -> Array:
        """Coefficients (n, m) at x = 0: zero, or those that stand still at the start posture."""
        return np.zeros((self.family.n, self.family.m)) if self.start is None else np.outer(self.centre, self.family.still)

    @cached_property
    def _inverse(self) -> tuple[Array, ...]:
        return tuple(np.linalg.pinv(Z / scale[:, None]) / scale for Z, scale in zip(self.free, self.coefficient_scales, strict=True))

    @cached_property
    def blocks(self) -> tuple[slice, ...]:
        """Where each joint's variables are."""
        ends = np.cumsum([0, *(Z.shape[1] for Z in self.free)])
        return tuple(slice(int(a), int(b)) for a, b in pairwise(ends))

    @property
    def size(self) -> int:
        """Number of variables."""
        return self.blocks[-1].stop + int(self.timed)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the variables."""
        plain = self._ends[0].shape[1] == 0
        result = []
        for j, (joint, Z) in enumerate(zip(self.limits.names, self.free, strict=True)):
            stems: Sequence[str] = self.family.coefficient_names if plain else [f"z{i + 1}" for i in range(Z.shape[1])]
            result += [f"{stem} of {joint}" for stem in stems] if joint else [f"{stem}[{j}]" for stem in stems]
        return (*result, *(("duration",) if self.timed else ()))

    @cached_property
    def scales(self) -> Array:
        """Sizes of the variables."""
        plain = self._ends[0].shape[1] == 0
        each = [scale if plain else np.ones(Z.shape[1]) for scale, Z in zip(self.coefficient_scales, self.free, strict=True)]
        return np.concatenate([*each, [self.duration[1]] if self.timed else []])

    @cached_property
    def bounds(self) -> tuple[Array, Array]:
        """A box that holds every motion within the limits, and its duration."""
        middle = self.vector(np.outer(self.centre, self.family.still), self.duration[1])
        reach = []
        for Zi, scale in zip(self._inverse, self.coefficient_scales, strict=True):
            reach.append(4.0 * np.abs(Zi) @ scale)
        size = np.concatenate([*reach, [0.0] if self.timed else []])
        low, high = middle - size, middle + size
        if self.timed:
            low[-1], high[-1] = self.duration
        return low, high

    def coefficients(self, x: Array) -> tuple[Array, float]:
        """Coefficients (n, m) and duration [s] of the variables."""
        C = self.offset + np.stack([Z @ x[block] for Z, block in zip(self.free, self.blocks, strict=True)])
        return C, float(x[-1]) if self.timed else self.duration[1]

    def vector(self, coefficients: Array, duration: float) -> Array:
        """Variables whose coefficients are nearest to the given ones (n, m)."""
        D = coefficients - self.offset
        each = [Zi @ d for Zi, d in zip(self._inverse, D, strict=True)]
        return np.concatenate([*each, [duration] if self.timed else []])

    def adjoint(self, coefficients: Array, duration: float) -> Array:
        """Gradient with respect to x from those with respect to the coefficients (n, m) and the duration."""
        each = [Z.T @ c for Z, c in zip(self.free, coefficients, strict=True)]
        return np.concatenate([*each, [duration] if self.timed else []])

    def trajectory(self, x: Array) -> Trajectory:
        """The motion of the variables."""
        return self.family.trajectory(*self.coefficients(x))

    # -- inside the limits --------------------------------------------------------------------------------------------------------------------------

    @property
    def limited(self) -> tuple[int, ...]:
        """Orders of the quantities that have any limit."""
        return tuple(order for order in range(4) if np.isfinite(self.ranges[order]).any())

    def excess(self, x: Array) -> float:
        """Largest excess over any limit at any instant, as a share of half the range; proven, 0 when inside."""
        trajectory = self.trajectory(x)
        worst = 0.0
        for order in self.limited:
            found = trajectory.extremes(order)
            low, high = self.ranges[order].T
            worst = max(worst, float(np.max(np.maximum(low - found.lower, found.upper - high) / self.half[order])))
        return worst if worst > 1e-9 else 0.0

    def inside(self, x: Array) -> Array:
        """The variables, each joint's motion shrunk about the centre by the factor that takes it inside its limits at every instant (1 where it is)."""
        trajectory = self.trajectory(x)
        extremes = {order: trajectory.extremes(order) for order in self.limited}
        return self._shrunk(x, {order: (found.lower, found.upper) for order, found in extremes.items()})

    def nearly_inside(self, x: Array) -> Array:
        """As :meth:`inside`, by samples so dense that what lies between them is about a thousandth; much faster."""
        C, T = self.coefficients(x)
        found = {}
        for order, basis in self._dense.items():
            values = np.einsum("jNm,jm->jN", basis, C) / T**order
            found[order] = values.min(axis=1), values.max(axis=1)
        return self._shrunk(x, found)

    @cached_property
    def _dense(self) -> dict[int, Array]:
        phase = self.family.phases(8 * self.family.density)
        return {order: self.family.basis(phase, order) for order in self.limited}

    def _shrunk(self, x: Array, extremes: dict[int, tuple[Array, Array]]) -> Array:
        factor = np.ones(self.family.n)
        for order, (smallest, largest) in extremes.items():
            about = self.centre if order == 0 else np.zeros(self.family.n)
            for room, reach in ((self.ranges[order][:, 1] - about, largest - about), (about - self.ranges[order][:, 0], about - smallest)):
                with np.errstate(divide="ignore", invalid="ignore"):
                    factor = np.minimum(factor, np.where(reach > room, room / reach, 1.0))
        if np.all(factor >= 1.0):
            return x
        factor = np.where(factor < 1.0, factor * (1 - 1e-12), 1.0)
        C, T = self.coefficients(x)
        still = np.outer(self.centre, self.family.still)
        return self.vector(still + factor[:, None] * (C - still), T)
