"""Λ and Ω over a grid of Υ, the shape of their valley, and the source's table of shapes (Axelsson 2009, table 4.1)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.arrays import numbers
from optid.brief import brief
from optid.errors import DataError, ShapeError, sentence, unknown_name
from optid.model.arguments import instance, positive

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
        Of both axes, rising.
    values : (G, G)
        First index: first axis. NaN where a run failed.
    label : str
        What the values are, with their unit; for plots.

    Examples
    --------
    >>> import numpy as np
    >>> from optid.flexibility.surfaces import Surface
    >>> grid = np.arange(90.0, 111.0, 5.0)
    >>> bowl = Surface(grid, np.hypot(grid[:, None] - 95.0, 3 * (grid - 105.0)))
    >>> bowl.minimum, round(bowl.valley().condition, 6)
    ((95.0, 105.0), 9.0)
    """

    percents: Array
    values: Array
    label: str = "objective"

    __repr__ = brief

    def __post_init__(self) -> None:
        grid, values = grid_of(self.percents), numbers(self.values, "values of a surface")
        if values.shape != (len(grid), len(grid)):
            raise ShapeError(sentence("values of a surface", f"shape {values.shape}", f"({len(grid)}, {len(grid)}), like the grid"))
        if not np.isfinite(values).any():
            raise DataError(sentence("values of a surface", "no finite number", "one at least"))
        object.__setattr__(self, "percents", grid)
        object.__setattr__(self, "values", np.where(np.isfinite(values), values, np.nan))

    @property
    def minimum(self) -> tuple[float, float]:
        """Υ [%] at the smallest value."""
        i, j = np.unravel_index(int(np.nanargmin(self.values)), self.values.shape)
        return float(self.percents[i]), float(self.percents[j])

    def valley(self, reach: float = 10.0) -> Valley:
        """Shape around the smallest value: a quadratic form fitted to the squares of the values within ``reach`` percent of it.

        Raises
        ------
        DataError
            Too few points, or no valley: values that are all the same, or that curve downwards.
        """
        width = positive(reach, "reach of a valley", "percent, above 0") / 100
        x, y = np.meshgrid(*((self.percents - centre) / 100 for centre in self.minimum), indexing="ij")
        near = (np.abs(x) <= width + 1e-9) & (np.abs(y) <= width + 1e-9) & np.isfinite(self.values)
        if near.sum() < 6:
            raise DataError(sentence("grid of a surface", f"{near.sum()} points within {reach:g} % of the smallest value", "6 at least", "Take a finer grid."))
        x, y, z = x[near], y[near], self.values[near]
        z = (z / (np.abs(z).max() or 1.0)) ** 2
        a, _, rank, _ = np.linalg.lstsq(np.column_stack([np.ones_like(x), x, y, x**2, x * y, y**2]), z, rcond=None)
        if rank < 6:
            raise DataError(sentence("grid of a surface", "too few different Υ around the smallest value", "three of each axis, all pairs"))
        H = np.array([[2 * a[3], a[4]], [a[4], 2 * a[5]]])
        sizes, directions = np.linalg.eigh(H)
        if np.ptp(z) < 1e-12 or sizes[1] <= 0:
            found = "the same everywhere" if np.ptp(z) < 1e-12 else "no minimum"
            raise DataError(sentence("values around the smallest of a surface", found, "a valley or a bowl"))
        along = directions[:, 0] * (1 if directions[1, 0] >= 0 else -1)
        # from the second axis towards the first: 0 is a valley along the second axis, which leaves that axis undetermined
        angle = float(np.degrees(np.arctan2(along[0], along[1])))
        condition = float(sizes[1] / sizes[0]) if sizes[0] > 1e-300 else np.inf
        return Valley(angle, condition, float(H[0, 1] / np.sqrt(abs(H[0, 0] * H[1, 1]) or 1.0)))


@dataclass(frozen=True)
class Valley:
    """Shape of a valley.

    Attributes
    ----------
    angle : float [deg]
        Of its bottom line against the axis of the **second** Υ, −90 … 90: near 0 the first Υ alone decides, near ±90 the second alone.
    condition : float
        Curvature across over curvature along; infinite where the values fall off along the bottom line, as they may at the edge of a grid.
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


def check_move(posture: str, direction: str, length: str) -> None:
    """Refuse a move that is not one of the source's twelve.

    Raises
    ------
    UnknownNameError
    """
    for what, name, known in (("posture", posture, POSTURES), ("direction", direction, DIRECTIONS), ("length", length, LENGTHS)):
        if name not in list(known):
            raise unknown_name(what, name, known)


def _two_axes(loop: FlexibleLoop, what: str, hint: str) -> None:
    """Refuse what is no loop of two axes."""
    instance(loop, FlexibleLoop, what)
    if loop.n != 2:
        raise ShapeError(sentence(what, f"{loop.n} axes", "2", hint))


def experiment(loop: FlexibleLoop, posture: str, direction: str, length: str) -> Motion:
    """One of the source's twelve moves: a straight line of the tool from a posture, by ±δ on both axes.

    Parameters
    ----------
    loop : FlexibleLoop
        Of a two-axis robot.
    posture : "folded", "zero" or "stretched"
    direction : "++" or "+-"
    length : "long" or "short"
        0.1 or 0.03 rad on each axis.
    """
    _two_axes(loop, "loop of a move", "Make the motion of another robot by tcp_line or PointToPoint.")
    check_move(posture, direction, length)
    start = np.array(POSTURES[posture])
    delta = LENGTHS[length] * np.array(DIRECTIONS[direction])
    return tcp_line(loop.nominal.robot, start, start + delta, span_for(LENGTHS[length], ACCELERATION))


def surfaces(
    loop: FlexibleLoop, motion: Motion, cutoff: float = 60.0, norm: str = "L2", percents: ArrayLike = GRID, tail: float = 0.5, plants: ArrayLike | None = None
) -> tuple[Surface, Surface, TailRule]:
    """Λ [N m] and Ω [m] of a motion over the grid, and the rule with its T (the latest over the grid).

    Parameters
    ----------
    cutoff, norm
        Of the :class:`~optid.flexibility.TailRule`.
    percents : (G,) [%]
        Υ of both axes, rising.
    tail : float [s]
        Record after the end of the motion.
    plants : (P,), optional
        Parameters of an individual; the plant's own by default.
    """
    _two_axes(loop, "loop of a surface", "Simulate chosen Υ of another robot, or search among them: FlexibilityTuning.")
    grid = grid_of(percents)
    points = np.stack(np.meshgrid(grid, grid, indexing="ij"), axis=-1).reshape(-1, 2)
    record = loop.simulate(motion, points, tail, plants)
    rule = TailRule(settled(record), cutoff, norm)
    shape = (len(grid), len(grid))
    return Surface(grid, rule.of_record(record).reshape(shape), "Λ [N m]"), Surface(grid, tool_error(record).reshape(shape), "Ω [m]"), rule


def grid_of(percents: ArrayLike) -> Array:
    """A grid of Υ (G,) [%].

    Raises
    ------
    DataError
        When it does not rise, or holds what is no percentage.
    """
    grid = np.atleast_1d(numbers(percents, "grid of Υ"))
    if grid.ndim != 1 or not grid.size or not np.all(np.isfinite(grid) & (grid > 0)) or np.any(np.diff(grid) <= 0):
        raise DataError(sentence("grid of Υ", np.array2string(grid, threshold=8), "rising percentages above 0"))
    return grid


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
    """The letter in table 4.1. The figures that the letters name are lost: what they mean is our reading, see :class:`Valley`.

    Parameters
    ----------
    objective : "path" (Ω) or "torque" (Λ)
    posture, direction, length
        See :func:`experiment`.
    """
    check_move(posture, direction, length)
    if objective not in ("path", "torque"):
        raise unknown_name("objective", objective, ("path", "torque"))
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
