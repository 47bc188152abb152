"""Path constraints as rows of a nonlinear program, at instants that follow the motion."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from .curvature import motion_curvature
from .motion import Motion
from .paths import Path
from .rows import NEAR, SAME, TOUCHING, vertex
from .sampling import Sampling

Array = NDArray[np.float64]

MARGIN = 2e-3
"""Share of a limit kept free at the rows, for what lies between them."""


@dataclass(frozen=True, eq=False)
class PathRows:
    """Entry ``entry[k]`` of a path constraint at phase ``phase[k]`` of a motion."""

    path: Path
    sampling: Sampling
    entry: NDArray[np.intp]
    place: NDArray[np.intp]

    @classmethod
    def grid(cls, path: Path, sampling: Sampling) -> PathRows:
        """All entries at the phases of ``sampling``."""
        count = len(sampling.phase)
        return cls(path, sampling, np.tile(np.arange(path.size), count), np.repeat(np.arange(count), path.size))

    @classmethod
    def none(cls, path: Path, motion: Motion) -> PathRows:
        """No row yet: they come when a motion comes near a limit."""
        return cls.grid(path, Sampling(motion, np.zeros(0)))

    def __len__(self) -> int:
        return len(self.entry)

    @property
    def bounds(self) -> tuple[Array, Array]:
        """Bounds of the rows, a little inside the limits."""
        return self.path.lower[self.entry] + MARGIN, self.path.upper[self.entry] - MARGIN

    @property
    def names(self) -> tuple[str, ...]:
        """What each row limits, for messages."""
        phase = self.sampling.phase[self.place]
        return tuple(f"{self.path.quantity} of {self.path.labels[i]} at phase {s:.4f}" for i, s in zip(self.entry, phase, strict=True))

    def values(self, x: Array) -> Array:
        """Values of the rows."""
        if not len(self):
            return np.zeros(0)
        return np.asarray(self.path.values(*self.sampling.states(x))[self.place, self.entry, 0])

    def jacobian(self, x: Array) -> Array:
        """Derivatives (rows, size)."""
        states = self.sampling.states(x)
        N, n = states[0].shape
        slopes = self.path.slopes(*states).reshape(N, self.path.size, 3, n).transpose(2, 0, 1, 3)
        return np.asarray(self.sampling.jacobian(x, slopes)[self.place, self.entry])

    def hessian(self, x: Array, multipliers: Array) -> Array:
        """Second derivatives (size, size) of the weighted sum of the rows; not for free durations."""
        weights = np.zeros((len(self.sampling.phase), self.path.size))
        np.add.at(weights, (self.place, self.entry), multipliers)
        return motion_curvature(self.path.second(*self.sampling.states(x), weights), (self.sampling,))

    # -- between the rows ---------------------------------------------------------------------------------------------------------------------------

    @cached_property
    def dense(self) -> Sampling:
        """Sixteen instants a cycle of the fastest component."""
        motion = self.sampling.motion
        return Sampling(motion, np.linspace(0.0, 1.0, 4 * motion.family.density + 1))

    def near(self, x: Array, share: float) -> list[tuple[int, bool, float, float]]:
        """Local extremes (entry, upper side, phase, share of the limit) beyond ``share`` of the limit."""
        phase = self.dense.phase
        found = []
        for upper, shares in zip((True, False), self.path.shares(self.dense.states(x)), strict=True):
            for i in range(self.path.size):
                value = shares[:, i]
                if not np.isfinite(value).all() or value.max() < share:
                    continue
                padded = np.concatenate([[-np.inf], value, [-np.inf]])
                peaks = np.flatnonzero((value >= padded[:-2]) & (value > padded[2:]) & (value > share))
                found += [(i, upper, *vertex(phase, value, int(k))) for k in peaks]
        return found

    def excess(self, x: Array, margin: float = 0.0) -> float:
        """Largest excess over a limit less ``margin``, as a share of it, at dense samples and the tops of parabolas through them."""
        return max(0.0, max((share for *_, share in self.near(x, TOUCHING)), default=0.0) - 1.0 + margin)

    def blind(self, x: Array) -> float:
        """How far the motion comes closer to a limit between the rows than at them."""
        values = self.values(x)
        best: dict[tuple[int, bool], float] = {(i, side): 0.0 for i in range(self.path.size) for side in (True, False)}
        for i, up, down in zip(self.entry, 1.0 + values - self.path.upper[self.entry], 1.0 + self.path.lower[self.entry] - values, strict=True):
            for side, share in ((True, up), (False, down)):
                best[i, side] = max(best[i, side], float(share))
        return max((share - best[i, side] for i, side, _, share in self.near(x, TOUCHING)), default=0.0)

    def with_extremes(self, x: Array) -> PathRows:
        """These rows and one for every local extreme that comes near a limit; with the first of them, all entries at four instants a cycle."""
        step = SAME / (8 * self.sampling.motion.family.density)
        known = {(int(i), round(float(s) / step)) for i, s in zip(self.entry, self.sampling.phase[self.place], strict=True)}
        new = [(i, s) for i, _, s, _ in self.near(x, NEAR) if (i, round(s / step)) not in known]
        if not new:
            return self
        if not len(self):
            motion = self.sampling.motion
            return PathRows.grid(self.path, Sampling(motion, motion.family.phases(max(4, motion.family.density // 2)))).with_extremes(x)
        phase = np.concatenate([self.sampling.phase, [s for _, s in new]])
        count = len(self.sampling.phase)
        entry = np.concatenate([self.entry, np.array([i for i, _ in new], dtype=np.intp)])
        place = np.concatenate([self.place, count + np.arange(len(new))])
        return replace(self, sampling=Sampling(self.sampling.motion, phase), entry=entry, place=place)
