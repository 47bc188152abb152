"""Proof that a path constraint holds at every instant of a motion, by branch and bound on time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from optid.trajectory import Trajectory

from .cells import Cells, smooth_cells
from .intervals import enclose
from .paths import Path

Array = NDArray[np.float64]

BLOCK = 2048
LEVELS = 16
MOST_CELLS = 40_000
TOLERANCE = 1e-9


@dataclass(frozen=True, eq=False)
class PathReport:
    """What is proven about one path constraint.

    Attributes
    ----------
    quantity : str
    labels : k-tuple of str
    attained, bound : (k,)
        Largest share of the limit found, and proven upper bound of it at every instant; 1 is on the limit.
    time : (k,) [s]
        Where ``attained`` is.
    units : (k,)
        SI size of one share.
    """

    quantity: str
    labels: tuple[str, ...]
    attained: Array
    bound: Array
    time: Array
    units: Array

    @property
    def proven(self) -> bool:
        """Whether the limit holds at every instant."""
        return bool(np.all(self.bound <= 1.0 + TOLERANCE))

    def __bool__(self) -> bool:
        return self.proven

    def __str__(self) -> str:
        j = int(np.argmax(self.bound))
        if self.proven:
            return f"{self.quantity}: at most {self.bound[j]:.4%} of the limit, proven ({self.labels[j]}, {self.attained[j]:.4%} at {self.time[j]:.4g} s)"
        broken = [k for k in np.argsort(-self.bound) if self.bound[k] > 1.0 + TOLERANCE]
        found = "; ".join(
            f"{self.labels[k]} {(self.attained[k] - 1) * self.units[k]:.4g} above at {self.time[k]:.4g} s"
            if self.attained[k] > 1.0 + TOLERANCE
            else f"{self.labels[k]} not proven below {self.bound[k]:.4%} of the limit"
            if np.isfinite(self.bound[k])
            else f"{self.labels[k]} not proven, for the velocity jumps"
            for k in broken
        )
        return f"{self.quantity} limit: {found}"


def prove_path(trajectory: Trajectory, path: Path) -> PathReport:
    """Prove ``lower <= h <= upper`` along a whole motion.

    Over a cell of half width r about the instant m, ``|h(t) - h(m)| <= r max|dh/dt|``, the rate enclosed by interval arithmetic over all positions,
    velocities, accelerations and jerks that the cell can hold (Taylor polynomials of the motion with the proven bound of the jerk). Where h is not smooth but
    has Lipschitz constants L_j per joint, ``|h(t) - h(m)| <= Σ_j L_j |q_j(t) - q_j(m)|``. Cells that could exceed a bound are halved until they cannot, or a
    sample exceeds it. The bound is rigorous up to rounding. Torques of a motion whose velocity jumps have none.
    """
    k = path.size
    attained, place, bound = np.full(k, -np.inf), np.zeros(k), np.full(k, -np.inf)
    cells = smooth_cells(trajectory)
    _note(path, trajectory, np.append(cells.middle - cells.half, trajectory.duration), attained, place)
    if path.order == 2 and not np.isfinite(trajectory.extremes(2).magnitude).all():
        return PathReport(path.quantity, path.labels, attained, np.full(k, np.inf), place, path.units)
    for level in range(LEVELS):
        upper = _note(path, trajectory, cells.middle, attained, place) + _reach(path, trajectory, cells)
        open_: NDArray[np.bool_] = np.asarray(~np.all(upper <= 1.0 + 0.5 * TOLERANCE, axis=1))
        bound = np.maximum(bound, np.where(open_[:, None], -np.inf, upper).max(axis=0, initial=-np.inf))
        if not open_.any():
            break
        if level == LEVELS - 1 or 2 * open_.sum() > MOST_CELLS or (attained > 1.0 + TOLERANCE).any():
            bound = np.maximum(bound, upper[open_].max(axis=0))
            break
        cells = cells.chosen(open_).halved()
    return PathReport(path.quantity, path.labels, attained, np.maximum(bound, attained), place, path.units)


def _note(path: Path, trajectory: Trajectory, t: Array, attained: Array, place: Array) -> Array:
    """Shares (N, k) of the limits at instants; the largest ones are remembered."""
    worst = np.maximum(*path.shares(trajectory.evaluate(t)))
    best = worst.argmax(axis=0)
    value = worst[best, np.arange(path.size)]
    better = value > attained
    attained[better], place[better] = value[better], t[best[better]]
    return np.asarray(worst)


def _reach(path: Path, trajectory: Trajectory, cells: Cells) -> Array:
    """Largest change (cells, k) of the entries within the cells."""
    blocks = (cells.chosen(slice(start, start + BLOCK)) for start in range(0, len(cells.middle), BLOCK))
    return np.concatenate([_block_reach(path, trajectory, block) for block in blocks])


def _block_reach(path: Path, trajectory: Trajectory, cells: Cells) -> Array:
    q, dq, ddq = (x.T for x in trajectory.evaluate(cells.middle))
    r, low, high = cells.half, cells.lower.T, cells.upper.T
    jerk = np.maximum(np.abs(low), np.abs(high))
    wide = [
        (q, np.abs(dq) * r + np.abs(ddq) * r**2 / 2 + jerk * r**3 / 6),
        (dq, np.abs(ddq) * r + jerk * r**2 / 2),
        (ddq, jerk * r),
    ]
    if path.lipschitz is not None:
        return np.asarray((path.lipschitz @ wide[0][1]).T * (1 + 1e-9))
    boxes = [*((x - spread, x + spread) for x, spread in wide), (low, high)]
    lower, upper = enclose(path.rate, boxes)
    return (np.maximum(np.abs(lower), np.abs(upper)) * r * (1 + 1e-9)).T
