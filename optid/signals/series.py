"""The pieces of a long recording on the time axis that the options ask for, cut out in windows (``cleaning.py`` does the same for a recording in memory)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from .cleaning import NEAR, Piece, far
from .survey import PART, TABLE, Recording, Rows, Stretch, Survey, edges
from .timing import interpolate, tidy_rate

Array = NDArray[np.float64]

KNOTS = 64
"""Samples around a window that its interpolation takes: a cubic spline forgets by a factor 2 a sample, or more."""


class Series(Protocol):
    """A piece without interruption that is cut out window by window.

    Attributes
    ----------
    length : int
        Samples.
    rate, measured_rate : float [Hz]
        As of :class:`Piece`.
    """

    @property
    def length(self) -> int:
        """Samples."""

    @property
    def rate(self) -> float:
        """[Hz]."""

    @property
    def measured_rate(self) -> float:
        """[Hz]."""

    def window(self, start: int, stop: int, signals: Iterable[str]) -> Piece:
        """Samples ``start:stop`` of the signals named."""

    def before(self, time: float, *, or_at: bool = False) -> int:
        """Samples before (or at) a time [s]."""

    def holes(self) -> int:
        """Samples that were not measured."""


@dataclass(frozen=True, eq=False)
class Recorded:
    """Good samples on their own stamps."""

    recording: Recording
    survey: Survey
    stretch: Stretch

    @property
    def length(self) -> int:
        """Samples."""
        return self.stretch.count

    @property
    def rate(self) -> float:
        """Mean rate [Hz]."""
        return self.survey.report.mean_rate

    measured_rate = rate

    def window(self, start: int, stop: int, signals: Iterable[str]) -> Piece:
        """Samples ``start:stop``."""
        wanted = tuple(signals)
        first, last = (int(row) for row in self.survey.rows(self.stretch.first + np.array([start, stop - 1])))
        trial = self.recording.window(first, last + 1, wanted)
        good = self.survey.good(first, last + 1)
        found = {what: getattr(trial, what) if good.all() else getattr(trial, what)[good] for what in wanted}
        return Piece(trial.time[good], self.rate, self.rate, np.zeros(stop - start, dtype=bool), found)

    def measured(self, start: int, stop: int) -> Array:
        """Stamps of samples ``start:stop`` [s]."""
        first, last = (int(row) for row in self.survey.rows(self.stretch.first + np.array([start, stop - 1])))
        return self.recording.axis(first, last + 1)[0][self.survey.good(first, last + 1)]

    def before(self, time: float, *, or_at: bool = False) -> int:
        """Samples before (or at) a time."""
        block = max(int(np.searchsorted(self.survey.table, time, side="right")) - 1, 0) * TABLE
        end = min(block + TABLE, self.recording.n_samples)
        stamps = self.recording.axis(block, end)[0][self.survey.good(block, end)]
        rank = self.survey.rank(block) + int(np.searchsorted(stamps, time, side="right" if or_at else "left"))
        return int(np.clip(rank - self.stretch.first, 0, self.length))

    def holes(self) -> int:
        """Samples that were not measured: none."""
        return 0

    def ticks(self, positions: Rows) -> Rows:
        """Steps of an exact clock up to these samples, missing ones counted."""
        if self.survey.report.uniform:
            lost = np.concatenate([[0], self.stretch.lost])
            return np.asarray(positions + lost[np.searchsorted(self.stretch.skips, positions, side="right")], dtype=np.int64)
        rows = self.survey.rows(self.stretch.first + np.concatenate([[0], positions]))
        distinct = self.survey.distinct(rows)
        return distinct[1:] - distinct[0]

    def at_tick(self, tick: int) -> int:
        """Samples before a tick."""
        low, high = 0, self.length
        while low < high:
            middle = (low + high) // 2
            low, high = (middle + 1, high) if int(self.ticks(np.array([middle]))[0]) < tick else (low, middle)
        return low


@dataclass(frozen=True, eq=False)
class OnClock:
    """Good samples on an exact clock; missing ones are filled in by interpolation."""

    samples: Recorded

    @property
    def length(self) -> int:
        """Ticks."""
        return int(self.samples.ticks(np.array([self.samples.length - 1]))[0]) + 1

    @property
    def rate(self) -> float:
        """Of the clock [Hz]."""
        stretch = self.samples.stretch
        return (self.length - 1) / (stretch.stop - stretch.start) if self.length > 1 else self.samples.rate

    measured_rate = rate

    def times(self, ticks: NDArray[np.integer]) -> Array:
        """Of ticks [s]."""
        return np.asarray(self.samples.stretch.start + ticks / self.rate)

    def measured(self, start: int, stop: int) -> Array:
        """Times of those of the ticks ``start:stop`` that were measured [s]."""
        return self.times(self.samples.ticks(np.arange(self.samples.at_tick(start), self.samples.at_tick(stop))))

    def window(self, start: int, stop: int, signals: Iterable[str]) -> Piece:
        """Ticks ``start:stop``."""
        grid = self.times(np.arange(start, stop))
        if self.length == self.samples.length:
            piece = self.samples.window(start, stop, signals)
            return Piece(grid, self.rate, self.rate, piece.filled, piece.signals)
        low, high = max(self.samples.at_tick(start) - KNOTS, 0), min(self.samples.at_tick(stop) + KNOTS, self.samples.length)
        piece = self.samples.window(low, high, signals)
        ticks = self.samples.ticks(np.arange(low, high))
        inside = (ticks >= start) & (ticks < stop)
        filled = np.ones(stop - start, dtype=bool)
        filled[ticks[inside] - start] = False
        found = {}
        for what, x in piece.signals.items():
            completed = np.empty((stop - start, x.shape[1]))
            completed[ticks[inside] - start] = x[inside]
            completed[filled] = interpolate(self.times(ticks), x, grid[filled])
            found[what] = completed
        return Piece(grid, self.rate, self.rate, filled, found)

    def holes(self) -> int:
        """Ticks that were not measured."""
        return self.length - self.samples.length

    def before(self, time: float, *, or_at: bool = False) -> int:
        """Ticks before (or at) a time."""
        return _before(self, time, self.samples.stretch.start, or_at)


@dataclass(frozen=True, eq=False)
class Resampled:
    """Another series on a uniform grid of its own."""

    of: Recorded | OnClock
    rate: float
    interpolation: str

    @property
    def length(self) -> int:
        """Instants."""
        start, stop = self._ends
        return int(np.floor((stop - start) * self.rate * (1 + 1e-12) + 1e-9)) + 1

    @property
    def measured_rate(self) -> float:
        """[Hz]."""
        return min(self.rate, self.of.measured_rate)

    @property
    def _ends(self) -> tuple[float, float]:
        stretch = (self.of if isinstance(self.of, Recorded) else self.of.samples).stretch
        last = stretch.stop if isinstance(self.of, Recorded) else float(self.of.times(np.array([self.of.length - 1]))[0])
        return stretch.start, last

    def times(self, positions: NDArray[np.integer]) -> Array:
        """Of instants [s]."""
        start, stop = self._ends
        return np.asarray(np.minimum(start + positions / self.rate, stop))

    def window(self, start: int, stop: int, signals: Iterable[str]) -> Piece:
        """Instants ``start:stop``."""
        grid = self.times(np.arange(start, stop))
        piece = self.of.window(*self._around(grid), signals)
        filled = far(grid, piece.time[~piece.filled], self._distance)
        found = {what: interpolate(piece.time, x, grid, self.interpolation) for what, x in piece.signals.items()}
        return Piece(grid, self.rate, self.measured_rate, filled, found)

    def holes(self) -> int:
        """Instants in holes, from a pass over the stamps."""
        grids = (self.times(np.arange(a, b)) for a, b in pairwise(edges(0, self.length, PART)))
        return sum(int(far(grid, self.of.measured(*self._around(grid)), self._distance).sum()) for grid in grids)

    def _around(self, grid: Array) -> tuple[int, int]:
        """Samples to interpolate between at these instants."""
        return max(self.of.before(float(grid[0])) - KNOTS, 0), min(self.of.before(float(grid[-1]), or_at=True) + KNOTS, self.of.length)

    @property
    def _distance(self) -> float:
        survey = (self.of if isinstance(self.of, Recorded) else self.of.samples).survey
        return NEAR * survey.report.median_step

    def before(self, time: float, *, or_at: bool = False) -> int:
        """Instants before (or at) a time."""
        return _before(self, time, self._ends[0], or_at)


def _before(grid: OnClock | Resampled, time: float, start: float, or_at: bool) -> int:
    """Instants of a uniform grid before (or at) a time, by its own rounding."""
    low = int(np.clip(np.floor((time - start) * grid.rate) - 2, 0, grid.length))
    near = np.arange(low, min(low + 5, grid.length))
    return low + int(np.searchsorted(grid.times(near), time, side="right" if or_at else "left"))


def on_axis(samples: Recorded, clock: str, rate: float | None, interpolation: str) -> Series:
    """The series on the axis that a clock and a rate ask for."""
    on_clock = clock == "nominal" and samples.length > 1
    base = OnClock(samples) if on_clock else samples
    if clock == "recorded" or base.length < 2 or (rate is None and clock == "nominal"):
        return base
    return Resampled(base, tidy_rate(samples.survey.report.median_step) if rate is None else rate, interpolation)
