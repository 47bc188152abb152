"""A motion cut into short cells in which it is smooth, with what is proven about it there."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from optid.trajectory import Piecewise, RampedFourier, Sequence, Trajectory, Window
from optid.trajectory.bernstein import from_powers
from optid.trajectory.piecewise import PiecewiseBacked

Array = NDArray[np.float64]

CELLS = 256


class Cells(NamedTuple):
    """Middle and half width (cells,) [s] of time intervals, and proven bounds (cells, n) of the third derivative in each."""

    middle: Array
    half: Array
    lower: Array
    upper: Array

    def chosen(self, which: NDArray[np.bool_] | slice) -> Cells:
        """Some of the cells."""
        return Cells(self.middle[which], self.half[which], self.lower[which], self.upper[which])

    def halved(self) -> Cells:
        """Both halves of every cell."""
        half = self.half / 2
        twice = (np.concatenate([bound, bound]) for bound in (self.lower, self.upper))
        return Cells(np.concatenate([self.middle - half, self.middle + half]), np.tile(half, 2), *twice)


def smooth_cells(trajectory: Trajectory) -> Cells:
    """Cells that no kink of the motion lies inside of."""
    breaks, lower, upper = smooth_pieces(trajectory)
    grid = np.linspace(0.0, trajectory.duration, CELLS + 1)
    near = np.abs(grid[:, None] - breaks[np.clip(np.searchsorted(breaks, grid)[:, None] + [-1, 0], 0, len(breaks) - 1)]).min(axis=1)
    edges = np.sort(np.concatenate([breaks, grid[near > 1e-12 * trajectory.duration]]))
    piece = np.clip(np.searchsorted(breaks, (edges[:-1] + edges[1:]) / 2) - 1, 0, len(lower) - 1)
    return Cells((edges[:-1] + edges[1:]) / 2, np.diff(edges) / 2, lower[piece], upper[piece])


def smooth_pieces(trajectory: Trajectory) -> tuple[Array, Array, Array]:
    """Breaks (K+1,) [s] between which the motion is smooth, and bounds (K, n) of its third derivative there."""
    if isinstance(trajectory, PiecewiseBacked):
        return smooth_pieces(trajectory.pieces)
    if isinstance(trajectory, Piecewise):
        jerks = np.moveaxis(trajectory.differentiated(3), 2, 0)
        hull = from_powers(jerks.reshape(len(jerks), -1)).reshape(jerks.shape)
        slack = 1e-12 * np.abs(hull).max(axis=0)
        return trajectory.breaks, hull.min(axis=0) - slack, hull.max(axis=0) + slack
    if isinstance(trajectory, RampedFourier):
        return smooth_pieces(trajectory.sequence)
    if isinstance(trajectory, Sequence):
        found = [smooth_pieces(part) for part in trajectory.parts]
        starts = [own[:-1] + start for (own, _, _), start in zip(found, trajectory.starts, strict=False)]
        return (
            np.concatenate([*starts, trajectory.starts[-1:]]),
            np.concatenate([low for _, low, _ in found]),
            np.concatenate([high for _, _, high in found]),
        )
    if isinstance(trajectory, Window):
        breaks, low, high = smooth_pieces(trajectory.trajectory)
        used = (breaks[1:] > trajectory.start) & (breaks[:-1] < trajectory.stop)
        inner = breaks[(breaks > trajectory.start) & (breaks < trajectory.stop)]
        return np.concatenate([[trajectory.start], inner, [trajectory.stop]]) - trajectory.start, low[used], high[used]
    jerk = trajectory.extremes(3)
    return np.array([0.0, trajectory.duration]), jerk.lower[None], jerk.upper[None]
