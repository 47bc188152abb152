"""A recording longer than memory, prepared in overlapping windows with the result that preparing it whole gives.

What :class:`Preprocessing` decides from the whole recording (clock, cut-offs, thresholds of speed) is decided first, in passes that keep nothing; then the
recording is prepared chunk by chunk (``windows.py``). Memory depends on the filters' tails, not on the length of the recording.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from optid.errors import DataError, sentence
from optid.experiment.trial import Trial

from . import bandwidth, clock
from .cleaning import judge, needed, note_axis, note_gaps, note_grid
from .conditioning import Conditioning
from .filters import noise_share
from .samples import Samples
from .selection import filled_note, moving, slow_note
from .series import Recorded, Series, on_axis
from .survey import PART, Recording, Survey, edges
from .windows import Section, Windows

if TYPE_CHECKING:
    from .preprocessing import Preprocessing

Array = NDArray[np.float64]

DECIMATION_TAIL = 180
"""Margin of a chunk in samples after decimation: the slowest pole of its filter leaves 1e-14."""

DECIMATED_CHUNK = 2**13
"""Samples of a chunk whose regressor is decimated: all of it is in memory."""


@dataclass(frozen=True, eq=False)
class SampleStream:
    """Samples of one trial in chunks; has what :class:`Samples` has except the arrays.

    ``counts`` and ``notes`` tell all once every chunk has been asked for.

    Attributes
    ----------
    recording : Recording
    windows : Windows
    sections : tuple of Section
        One for each piece.
    min_speed : (n,)
        Speed above which the equation of a joint is used.
    independent_share : float
        As for :class:`Samples`.
    """

    recording: Recording
    windows: Windows
    sections: tuple[Section, ...]
    min_speed: Array
    independent_share: float
    decided: tuple[dict[str, int], tuple[str, ...]]
    _told: dict[int, tuple[NDArray[np.int64], int]] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, recording: Recording, options: Preprocessing) -> SampleStream:
        """Look at a recording and decide how it is prepared.

        Raises
        ------
        DataError
            As for :meth:`Preprocessing.apply`; averaging over cycles needs the recording in memory.
        """
        if options.periodic is not None:
            raise DataError(sentence(f"trial {recording.name!r}, part by part", "averaging over cycles", "no PeriodicOptions", "Prepare it whole."))
        counts: dict[str, int] = {"recorded": recording.n_samples}
        notes: list[str] = []
        needed(recording.window(0, 1, options.signals), options)
        survey = Survey.of(recording, options.signals, options.max_gap, options.on_bad)
        survey.note(counts, notes)
        series = _series(recording, survey, options, counts, notes)
        longest = max(series, key=lambda piece: piece.length)
        size = min(longest.length, bandwidth.LONGEST)
        start = (longest.length - size) // 2
        conditioning = Conditioning.of(options, longest.window(start, start + size, ("q",)))
        admitted = [series[k] for k in conditioning.admitted([piece.length for piece in series], recording.name, counts, notes)]
        rate = longest.rate
        share = min(longest.measured_rate / rate, 1.0 if conditioning.torque is None else noise_share(conditioning.torque, rate, options.order))
        sections = tuple(_section(piece, survey.origin, options, conditioning.trim, counts) for piece in admitted)
        options.note_short(counts, notes)
        if not any(section.count for section in sections):
            raise options.nothing_left(recording.name)
        windows = Windows(options, conditioning, rate)
        n = recording.window(0, 1, ("q",)).n
        moving(np.zeros((0, n)), options.min_speed)
        slowest = windows.thresholds(sections) if options.min_speed is None else np.broadcast_to(np.asarray(options.min_speed, dtype=float), (n,))
        return cls(recording, windows, sections, slowest, min(1.0, share * options.every * options.decimate), (counts, tuple(notes)))

    # -- what Samples has ---------------------------------------------------------------------------------------------------------------------------

    harmonics = None
    band_limited = False

    @property
    def name(self) -> str:
        """Of the trial."""
        return self.recording.name

    @property
    def role(self) -> str:
        """Of the trial."""
        return self.recording.role

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Of the trial."""
        return self.recording.joint_names

    @property
    def n(self) -> int:
        """Number of joints."""
        return len(self.min_speed)

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return sum(section.count for section in self.sections)

    @property
    def rate(self) -> float:
        """[Hz]."""
        return self.windows.rate / self.windows.options.every

    @property
    def decimation(self) -> int:
        """Factor by which torque and regressor are to be decimated."""
        return self.windows.options.decimate

    def parts(self) -> list[slice]:
        """One slice for each uninterrupted segment."""
        ends = np.cumsum([0, *(section.count for section in self.sections)])
        return [slice(int(a), int(b)) for a, b in pairwise(ends) if b > a]

    @property
    def counts(self) -> dict[str, int]:
        """Samples recorded, dropped and kept."""
        slow = sum(int(slow.sum()) for slow, _ in self._told.values())
        return {**self.decided[0], **({"slow": slow} if slow else {}), "kept": self.n_samples}

    @property
    def notes(self) -> tuple[str, ...]:
        """What was done and decided."""
        told = list(self.decided[1])
        filled = sum(filled for _, filled in self._told.values())
        if filled:
            told.append(filled_note(filled))
        slow = np.asarray(sum((slow for slow, _ in self._told.values()), np.zeros(self.n, dtype=np.int64)))
        if slow.any():
            told.append(slow_note(self.min_speed, slow, self.n_samples))
        return tuple(told)

    # -- chunks -------------------------------------------------------------------------------------------------------------------------------------

    @property
    def n_chunks(self) -> int:
        """Number of chunks."""
        return len(self._ranges)

    def chunk(self, k: int) -> tuple[Samples, slice]:
        """Samples of the k-th chunk, and which of the equations that they give (after decimation) belong to it."""
        number, start, stop = self._ranges[k]
        section, factor, every = self.sections[number], self.decimation, self.windows.options.every
        margin = 0 if factor == 1 else DECIMATION_TAIL * factor
        low, high = max(start - margin, 0), min(stop + margin, section.count)
        motion = self.windows.motion(section.series, section.first + every * low, section.first + every * (high - 1) + 1, every)
        moves = moving(motion.dq, self.min_speed)
        own = slice(start - low, stop - low)
        self._told[k] = (~moves[own]).sum(axis=0), int(motion.filled[own].sum())
        samples = Samples(
            time=motion.time,
            q=motion.q,
            dq=motion.dq,
            ddq=motion.ddq,
            tau=motion.tau,
            tau_raw=motion.tau_raw,
            use=moves & ~motion.filled[:, None],
            rate=self.rate,
            joint_names=self.joint_names,
            segment=np.full(len(motion.time), number, dtype=np.int64),
            decimation=factor,
            independent_share=self.independent_share,
            name=self.name,
            role=self.role,
        )
        return samples, slice((start - low) // factor, -(-(stop - low) // factor))

    def whole(self) -> Samples:
        """The same samples in memory, for what needs all of them at once."""
        return self.windows.options.apply(self.recording.window(0, self.recording.n_samples, self.windows.options.signals))

    @cached_property
    def _ranges(self) -> list[tuple[int, int, int]]:
        """Section, first sample and the one after the last of every chunk; chunks start at multiples of the decimation."""
        factor = self.decimation
        size = max(self.windows.size // self.windows.options.every, 1) if factor == 1 else max(DECIMATED_CHUNK, 2 * DECIMATION_TAIL * factor)
        return [(number, a, b) for number, section in enumerate(self.sections) for a, b in pairwise(edges(0, section.count, size, factor))]


@dataclass(frozen=True, eq=False)
class InMemory:
    """A trial in memory as a :class:`Recording`."""

    trial: Trial

    @property
    def name(self) -> str:
        """Of the trial."""
        return self.trial.name

    @property
    def role(self) -> str:
        """Of the trial."""
        return self.trial.role

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Of the trial."""
        return self.trial.joint_names

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return self.trial.n_samples

    trusted = False

    def axis(self, start: int, stop: int) -> tuple[Array, NDArray[np.bool_]]:
        """Times of rows [s], and which are valid."""
        return self.trial.time[start:stop], self.trial.valid[start:stop]

    def window(self, start: int, stop: int, signals: Iterable[str]) -> Trial:
        """Rows ``start:stop``."""
        return self.trial.window(start, stop)


def _series(recording: Recording, survey: Survey, options: Preprocessing, counts: dict[str, int], notes: list[str]) -> list[Series]:
    """The pieces on the time axis that the options ask for, or that the recording decides on."""
    recorded = [Recorded(recording, survey, stretch) for stretch in survey.stretches]
    note_gaps(len(recorded), survey.report, notes)
    chosen = options.clock if options.clock != "auto" else _decide(max(recorded, key=lambda piece: piece.length), notes)
    series = [on_axis(piece, chosen, options.rate, options.interpolation) for piece in recorded]
    holes = sum(piece.holes() for piece in series)
    note_axis(chosen, survey.report, survey.long, series[0].rate, options.interpolation, notes)
    note_grid(sum(piece.length for piece in recorded), sum(piece.length for piece in series), holes, counts, notes)
    return series


def _decide(longest: Recorded, notes: list[str]) -> str:
    """The clock to believe, by the middle of the longest piece."""
    size = min(longest.length, clock.LONGEST)
    start = (longest.length - size) // 2
    middle = longest.window(start, start + size, ("q",))
    ratio = clock.stamps_over_clock(middle.time, middle.signals["q"], longest.ticks(np.arange(start, start + size)))

    def wander() -> float:
        """Largest distance of the stamps from an exact clock that agrees with the first and the last, in ticks."""
        if longest.length < 3:
            return 0.0
        last, found, stretch = int(longest.ticks(np.array([longest.length - 1]))[0]), 0.0, longest.stretch
        for a, b in pairwise(edges(0, longest.length, PART)):
            time, ticks = longest.measured(a, b), longest.ticks(np.arange(a, b))
            found = max(found, float(np.abs((time - stretch.start) / (stretch.stop - stretch.start) * last - ticks).max()))
        return found

    return judge(longest.survey.report, ratio, wander, notes)


def _section(series: Series, origin: float, options: Preprocessing, trim: int, counts: dict[str, int]) -> Section:
    """What the time window and the thinning leave of a piece whose ends are cut."""
    rounding, length = 1e-3 / series.rate, series.length - 2 * trim
    first = 0 if options.start is None else min(max(series.before(origin + options.start - rounding) - trim, 0), length)
    last = length if options.stop is None else min(max(series.before(origin + options.stop + rounding, or_at=True) - trim, 0), length)
    taken = options.thinned(first, last, length, counts)
    return Section(series, trim + taken.start, len(range(taken.start, taken.stop, options.every)))
