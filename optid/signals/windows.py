"""Filtered and differentiated windows of a piece that is longer than memory.

A window is prepared with a margin of :data:`TAIL` settling lengths of each filter at both ends, where the transient of an end has decayed to 1e-12 of itself;
at the ends of the piece the window ends there, too, and the filter starts as it does in memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from optid.kernels.ordered import in_order

from .conditioning import Conditioning, Motion
from .filters import settling_samples
from .selection import default_min_speed
from .series import Series
from .survey import edges

if TYPE_CHECKING:
    from .preprocessing import Preprocessing

Array = NDArray[np.float64]

TAIL = 12
"""Margin of a window in settling lengths of each filter: each leaves a tenth of the transient."""

CHUNK = 2**16
"""Samples of a window, without its margins (more for margins above half of it)."""


@dataclass(frozen=True, eq=False)
class Section:
    """The samples of one piece that are taken.

    Attributes
    ----------
    series : Series
    first : int
        Position of the first one in the series.
    count : int
        How many, every k-th.
    """

    series: Series
    first: int
    count: int


@dataclass(frozen=True)
class Windows:
    """How windows are prepared.

    Attributes
    ----------
    options : Preprocessing
    conditioning : Conditioning
        With its cut-offs in Hz.
    rate : float [Hz]
        Of the series.
    """

    options: Preprocessing
    conditioning: Conditioning
    rate: float

    @cached_property
    def margin(self) -> int:
        """Samples that a window takes at each end."""
        c, options = self.conditioning, self.options
        slope = 1 if options.derivative == "central" else int((options.savgol_window or 10 / self.rate) * self.rate) // 2 + 1

        def tail(cutoff: float | None) -> int:
            return 0 if cutoff is None else TAIL * settling_samples(cutoff, self.rate, options.order)

        return max(tail(c.torque), tail(c.position) + tail(c.velocity) + tail(c.acceleration) + 2 * slope)

    @property
    def size(self) -> int:
        """Samples of a window, without its margins."""
        return max(CHUNK, 2 * self.margin)

    def motion(self, series: Series, start: int, stop: int, every: int = 1) -> Motion:
        """Every k-th of the samples ``start:stop`` of a series."""
        return self._run(series, start, stop, every, self.conditioning, self.options.signals)[0]

    def thresholds(self, sections: Sequence[Section]) -> Array:
        """(n,) speed above which each joint moves, from one pass over the motion, as :func:`optid.signals.moving` takes it from the whole of it."""
        c, options = self.conditioning, replace(self.options, use_measured_acceleration=False)
        alone = replace(c, options=options, acceleration=None, torque=None)
        signals = tuple(what for what in options.signals if what != "tau")
        ranges = [(section, a, b) for section in sections for a, b in pairwise(edges(c.trim, section.series.length - c.trim, self.size))]

        def look(k: int) -> tuple[Section, int, Array, Array, Array]:
            section, start, stop = ranges[k]
            motion, removed = self._run(section.series, start, stop, 1, alone, signals)
            skipped = max(-(-(start - section.first) // options.every), 0)
            first, last = section.first + options.every * skipped - start, section.first + options.every * section.count - start
            taken = motion.dq[first : max(last, first) : options.every]
            return section, stop - start, removed.mean(axis=0), removed.var(axis=0) * (stop - start), np.abs(taken).max(axis=0, initial=0.0)

        noise: dict[Section, tuple[int, Array, Array]] = {}
        fastest = np.zeros(0)
        for section, count, mean, squares, speed in in_order(look, len(ranges)):
            fastest = np.maximum(fastest, speed) if fastest.size else speed
            if section in noise:
                before, m, s = noise[section]
                total, step = before + count, mean - m
                noise[section] = total, m + step * (count / total), s + squares + step**2 * (before * count / total)
            else:
                noise[section] = count, mean, squares
        spread = [np.sqrt(s / count) for count, _, s in noise.values()]
        return default_min_speed(fastest[None, :], np.max([c.speed_noise(x, x, self.rate) for x in spread], axis=0))

    def _run(self, series: Series, start: int, stop: int, every: int, conditioning: Conditioning, signals: tuple[str, ...]) -> tuple[Motion, Array]:
        """The motion, and what the filter took out of the position, or of a measured velocity."""
        low, high = max(start - self.margin, 0), min(stop + self.margin, series.length)
        piece = series.window(low, high, signals)
        given = piece.signals if "tau" in piece.signals else {**piece.signals, "tau": piece.signals["q"]}
        motion = replace(conditioning, trim=0).run(replace(piece, signals=given))
        removed = given["dq"] - motion.dq if self.options.use_measured_velocity else given["q"] - motion.q
        own = slice(start - low, stop - low, every)
        return motion.select(own), removed[own]
