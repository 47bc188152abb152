"""Λ and Ω over a grid of Υ, the shape of their valley, and the source's table of shapes (Axelsson 2009, table 4.1)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.errors import DataError, sentence

from .feedforward import Motion
from .loop import FlexibleLoop
from .objectives import TailRule, settled, tool_error
from .paths import span_for, tcp_line
from .two_axis import DIRECTIONS, LENGTHS, POSTURES

Array = NDArray[np.float64]

GRID = tuple(range(80, 121, 5))
"""The source's grid of Υ [%]."""
ACCELERATION = 5.0
"""Peak acceleration of the moves [rad/s²]."""


@dataclass(frozen=True, eq=False)
class Surface:
    """An objective over a grid of two Υ.

    Attributes
    ----------
    percents : (G,) [%]
        Of both axes.
    values : (G, G)
        First index: first axis.
    """

    percents: Array
    values: Array

    @property
    def minimum(self) -> tuple[float, float]:
        """Υ [%] at the smallest value."""
        i, j = np.unravel_index(int(np.argmin(self.values)), self.values.shape)
        return float(self.percents[i]), float(self.percents[j])

    def valley(self, reach: float = 10.0) -> Valley:
        """Shape near 100 %: a quadratic form fitted to the squares of the values within ``reach`` percent."""
        x, y = np.meshgrid((self.percents - 100) / 100, (self.percents - 100) / 100, indexing="ij")
        near = (np.abs(x) <= reach / 100 + 1e-9) & (np.abs(y) <= reach / 100 + 1e-9)
        if near.sum() < 6:
            raise DataError(sentence("grid of a surface", f"{near.sum()} points within {reach:g} % of 100", "6 at least"))
        x, y, z = x[near], y[near], self.values[near] ** 2
        a = np.linalg.lstsq(np.column_stack([np.ones_like(x), x, y, x**2, x * y, y**2]), z, rcond=None)[0]
        H = np.array([[2 * a[3], a[4]], [a[4], 2 * a[5]]])
        sizes, directions = np.linalg.eigh(H)
        along = directions[:, 0] * (1 if directions[1, 0] >= 0 else -1)
        # from the second axis towards the first: 0 is a valley along the second axis, which leaves that axis undetermined
        angle = float(np.degrees(np.arctan2(along[0], along[1])))
        return Valley(angle, float(sizes[1] / max(sizes[0], 1e-300)) if sizes[0] > 0 else np.inf, float(H[0, 1] / np.sqrt(abs(H[0, 0] * H[1, 1]))))


@dataclass(frozen=True)
class Valley:
    """Shape of a valley.

    Attributes
    ----------
    angle : float [deg]
        Of its bottom line against the axis of the **second** Υ, −90 … 90: near 0 the first Υ alone decides, near ±90 the second alone.
    condition : float
        Curvature across over curvature along.
    coupling : float
        ρ = H12 / √(H11 H22).
    """

    angle: float
    condition: float
    coupling: float

    @property
    def shape(self) -> str:
        """The source's letters, as we read them: "a" a slanting valley, "b" the second axis decides, "c" the first does; "bowl" when it is no valley."""
        if self.condition > 10 and abs(self.angle) > 75:
            return "b"
        if self.condition > 10 and abs(self.angle) < 2:
            return "c"
        return "a" if abs(self.coupling) > 0.5 else "bowl"


def experiment(loop: FlexibleLoop, posture: str, direction: str, length: str) -> Motion:
    """One of the source's twelve moves: a straight line of the tool from a posture, by ±δ on both axes."""
    start = np.array(POSTURES[posture])
    delta = LENGTHS[length] * np.array(DIRECTIONS[direction])
    return tcp_line(loop.nominal.robot, start, start + delta, span_for(LENGTHS[length], ACCELERATION))


def surfaces(
    loop: FlexibleLoop, motion: Motion, cutoff: float = 60.0, norm: str = "L2", percents: ArrayLike = GRID, tail: float = 0.5
) -> tuple[Surface, Surface, TailRule]:
    """Λ and Ω of a motion over the grid, and the rule with its T (the latest over the grid)."""
    grid = np.asarray(percents, dtype=float)
    points = np.stack(np.meshgrid(grid, grid, indexing="ij"), axis=-1).reshape(-1, 2)
    record = loop.simulate(motion, points, tail)
    rule = TailRule(settled(record), cutoff, norm)
    shape = (len(grid), len(grid))
    return Surface(grid, rule.of_record(record).reshape(shape)), Surface(grid, tool_error(record).reshape(shape)), rule


@dataclass(frozen=True)
class Cell:
    """One cell of the source's table 4.1: the shape it prints, and ours."""

    objective: str
    posture: str
    direction: str
    length: str
    printed: str
    valley: Valley

    @property
    def reproduced(self) -> bool:
        """Whether the shapes agree."""
        return self.valley.shape == self.printed


def printed_shape(objective: str, posture: str, direction: str, length: str) -> str:
    """The letter in table 4.1. The figures that the letters name are lost: what they mean is our reading, see :class:`Valley`."""
    if posture == "folded":
        return "b" if objective == "path" or length == "short" else "a"
    return "c" if objective == "torque" and (posture, direction) == ("zero", "+-") else "a"


def table_of_shapes(loop: FlexibleLoop, cutoff: float = 60.0, percents: ArrayLike = (90, 95, 100, 105, 110)) -> list[Cell]:
    """Table 4.1: shapes of Ω (``"path"``) and Λ (``"torque"``) for three postures, two directions, two lengths: 24 cells."""
    cells = []
    for posture in POSTURES:
        for direction in DIRECTIONS:
            for length in LENGTHS:
                torque, path, _ = surfaces(loop, experiment(loop, posture, direction, length), cutoff, percents=percents)
                where = (posture, direction, length)
                cells += [Cell(what, *where, printed_shape(what, *where), s.valley()) for what, s in (("path", path), ("torque", torque))]
    return cells
