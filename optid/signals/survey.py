"""What must be known of a whole recording before it can be prepared part by part: its stamps, its bad samples, its uninterrupted stretches.

The recording is gone through a few times in parts, its stamps alone for the most; what is kept of it is as long as its faults, not as the recording.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from optid.errors import DataError, sentence
from optid.experiment.trial import Trial
from optid.kernels.ordered import in_order

from .cleaning import LONG, OTHERS_INVALID, REASONS, note_record
from .timing import GAP_FACTOR, TimingReport

Array = NDArray[np.float64]
Rows = NDArray[np.int64]

PART = 2**16
"""Samples looked at together."""

TABLE = 4096
"""Every so many stamps one is kept, to find a place by its time."""


class Recording(Protocol):
    """Signals of one motion that can be read in parts, such as :class:`optid.experiment.stored.StoredTrial` fitted to a robot."""

    @property
    def name(self) -> str:
        """Of the trial."""

    @property
    def role(self) -> str:
        """Of the trial."""

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Of the trial."""

    @property
    def n_samples(self) -> int:
        """Number of samples."""

    @property
    def trusted(self) -> bool:
        """Whether :meth:`window` raises for numbers that are none in samples marked valid: then nobody need look for them."""

    def axis(self, start: int, stop: int) -> tuple[Array, NDArray[np.bool_]]:
        """(B,) times of rows ``start:stop`` [s], and (B,) which of them are marked valid."""

    def window(self, start: int, stop: int, signals: Iterable[str]) -> Trial:
        """Rows ``start:stop`` with q and the signals named."""


@dataclass(frozen=True, eq=False)
class Stretch:
    """Good samples without interruption.

    Attributes
    ----------
    first : int
        Rank of its first sample among all good samples of the recording.
    count : int
        Good samples in it.
    start, stop : float [s]
        Its first and last stamp.
    skips : (k,) int
        Positions in the stretch of samples that come more than one step of an even clock after the one before (none where the steps spread).
    lost : (k,) int
        Steps missing up to and including there.
    """

    first: int
    count: int
    start: float
    stop: float
    skips: Rows
    lost: Rows


@dataclass(frozen=True, eq=False)
class Survey:
    """A recording gone through once.

    Attributes
    ----------
    report : TimingReport
    origin : float [s]
        First stamp.
    bad : (b,) int
        Rows left out, rising.
    repeats : (d,) int
        Rows whose stamp is that of the row before, rising.
    counts : mapping
        Of what was left out, by reason.
    table : (⌈N / TABLE⌉,) [s]
        Stamp of every :data:`TABLE`-th row.
    stretches : tuple of Stretch
    long : int
        Steps between good samples that are longer than :data:`optid.signals.cleaning.LONG` median steps.
    """

    report: TimingReport
    origin: float
    bad: Rows
    repeats: Rows
    counts: dict[str, int]
    table: Array
    stretches: tuple[Stretch, ...]
    long: int

    @classmethod
    def of(cls, recording: Recording, signals: Iterable[str], max_gap: float | None, on_bad: str) -> Survey:
        """Go through a recording.

        Parameters
        ----------
        signals : names of the signals that are needed
        max_gap : float [s] or None
            As for :class:`TimingReport`.
        on_bad : "drop" or "raise"

        Raises
        ------
        DataError
            For backward stamps, stamps that are not finite, fewer than two samples, or bad samples when they are to raise.
        """
        faults = _Faults.of(recording, tuple(signals), on_bad)
        report = _report(recording, faults, max_gap)
        kept = recording.n_samples - len(faults.bad)
        if kept < 2:
            hint = f"See {faults.first}." if faults.first else OTHERS_INVALID
            raise DataError(sentence(f"trial {recording.name!r}", f"{kept} good samples of {recording.n_samples}", "at least two", hint))
        stretches = tuple(_stretches(recording, faults.bad, report))
        long = sum(int((steps > LONG * report.median_step).sum()) for steps in _steps(recording, faults.bad))
        return cls(report, faults.origin, faults.bad, faults.repeats, faults.counts, faults.table, stretches, long)

    def note(self, counts: dict[str, int], notes: list[str]) -> None:
        """Tell what was found."""
        note_record(self.report, {**dict.fromkeys(REASONS, 0), **self.counts}, counts, notes)

    @property
    def longest(self) -> Stretch:
        """The stretch with the most good samples."""
        return max(self.stretches, key=lambda stretch: stretch.count)

    def rows(self, ranks: NDArray[np.integer]) -> Rows:
        """Rows of the recording that hold the good samples of these ranks."""
        before = self.bad - np.arange(len(self.bad))
        return np.asarray(ranks + np.searchsorted(before, ranks, side="right"), dtype=np.int64)

    def good(self, start: int, stop: int) -> NDArray[np.bool_]:
        """Which of the rows ``start:stop`` hold good samples."""
        return _good(self.bad, start, stop)

    def rank(self, row: int) -> int:
        """Good samples before a row."""
        return row - int(np.searchsorted(self.bad, row))

    def distinct(self, rows: Rows) -> Rows:
        """Stamps before these rows that differ from the one before them."""
        return np.asarray(rows - np.searchsorted(self.repeats, rows, side="right"), dtype=np.int64)


@dataclass(frozen=True, eq=False)
class _Faults:
    """Rows that cannot be used, and extreme steps."""

    bad: Rows
    repeats: Rows
    counts: dict[str, int]
    table: Array
    origin: float
    first: str
    shortest: float
    longest: float
    forward: int

    @classmethod
    def of(cls, recording: Recording, signals: tuple[str, ...], on_bad: str) -> _Faults:
        bad, repeats, table = [], [], []
        counts = dict.fromkeys(REASONS, 0)
        first, shortest, longest, forward, last = "", np.inf, 0.0, 0, np.nan
        if recording.n_samples < 2:
            raise DataError(sentence("time stamps", f"{recording.n_samples} of them", "at least two"))
        starts = range(0, recording.n_samples, PART)

        def read(k: int) -> tuple[Array, NDArray[np.bool_], Trial | None]:
            part = starts[k], min(starts[k] + PART, recording.n_samples)
            time, valid = recording.axis(*part)
            return time, valid, None if recording.trusted and valid.all() else recording.window(*part, signals)

        for start, (time, valid, trial) in zip(starts, in_order(read, len(starts)), strict=True):
            finite = np.ones(len(time), dtype=bool)
            for what in signals if trial is not None else ():
                good = np.isfinite(getattr(trial, what)).all(axis=1)
                if not good.all() and not first:
                    row, column = np.argwhere(~np.isfinite(getattr(trial, what)))[0]
                    first = f"{what} of trial {recording.name!r} at row {start + row}, column {column} ({getattr(trial, what)[row, column]})"
                    if on_bad == "raise":
                        raise DataError(sentence(first, "not a finite number", "finite numbers", f"Repair {what}, or let on_bad='drop' drop such rows."))
                finite &= good
            steps = np.diff(time, prepend=last)
            _check(time, steps, start, last)
            distinct = ~(steps == 0)
            ahead = steps[steps > 0]
            if len(ahead):
                forward, shortest, longest = forward + len(ahead), min(shortest, float(ahead.min())), max(longest, float(ahead.max()))
            for what, mask in zip(REASONS, (~finite, finite & ~valid, finite & valid & ~distinct), strict=True):
                counts[what] += int(mask.sum())
            bad.append(start + np.flatnonzero(~(finite & valid & distinct)))
            repeats.append(start + np.flatnonzero(~distinct))
            table.append(time[::TABLE])
            last = float(time[-1])
        if not forward:
            raise DataError(sentence("time stamps", "none is later than the one before", "increasing times in seconds"))
        gone = {what: number for what, number in counts.items() if number}
        return cls(np.concatenate(bad), np.concatenate(repeats), gone, np.concatenate(table), float(table[0][0]), first, shortest, longest, forward)


def _check(time: Array, steps: Array, start: int, last: float) -> None:
    """Raise for stamps that are not finite or go back."""
    if not np.isfinite(time).all():
        row = int(np.flatnonzero(~np.isfinite(time))[0])
        raise DataError(sentence(f"time stamp at row {start + row}", time[row], "a finite number"))
    if (steps < 0).any():
        row = int(np.flatnonzero(steps < 0)[0])
        before = last if row == 0 else time[row - 1]
        raise DataError(
            sentence(
                f"time stamps at row {start + row}",
                f"{time[row]:.9g} s after {before:.9g} s",
                "increasing times",
                "Sort or cut the recording before using it.",
            )
        )


def _good(bad: Rows, start: int, stop: int) -> NDArray[np.bool_]:
    mask = np.ones(stop - start, dtype=bool)
    low, high = np.searchsorted(bad, [start, stop])
    mask[bad[low:high] - start] = False
    return mask


def _steps(recording: Recording, bad: Rows) -> Iterator[Array]:
    """Positive steps between the stamps, in parts, without the bad rows."""
    last = np.nan
    for start in range(0, recording.n_samples, PART):
        end = min(start + PART, recording.n_samples)
        time = recording.axis(start, end)[0][_good(bad, start, end)]
        if len(time):
            steps, last = np.diff(time, prepend=last), float(time[-1])
            yield steps[steps > 0]


def _report(recording: Recording, faults: _Faults, max_gap: float | None) -> TimingReport:
    def parts() -> Iterator[Array]:
        return _steps(recording, faults.bad[:0])

    median = float(np.mean(order_statistics(parts, [(faults.forward - 1) // 2, faults.forward // 2])))
    gap_length = GAP_FACTOR * median if max_gap is None else float(max_gap)
    count, total, squares = 0, 0.0, 0.0
    for steps in parts():
        inside = steps[steps <= gap_length]
        count, total, squares = count + len(inside), total + float(inside.sum()), squares + float(((inside - median) ** 2).sum())
    if not count:
        raise DataError(sentence("largest gap to bridge", f"{gap_length:g} s", f"at least the shortest step, {faults.shortest:g} s"))
    spread = float(np.sqrt(max(squares / count - (total / count - median) ** 2, 0.0))) / median
    return TimingReport(
        recording.n_samples, median, count / total, spread, faults.shortest, faults.longest, len(faults.repeats), 0, faults.forward - count, gap_length
    )


def order_statistics(parts: Callable[[], Iterable[Array]], ranks: list[int]) -> list[float]:
    """Elements of these ranks (from 0) of a long series of positive numbers, exactly and in bounded memory.

    Positive floating-point numbers are ordered like their bits: four passes find sixteen bits of the element each.
    """
    left, prefix = list(ranks), [0] * len(ranks)
    for shift in (48, 32, 16, 0):
        found = {p: np.zeros(2**16, dtype=np.int64) for p in prefix}
        for part in parts():
            bits = np.ascontiguousarray(part).view(np.uint64) >> np.uint64(shift)
            for p, histogram in found.items():
                digits = bits[bits >> np.uint64(16) == np.uint64(p)] & np.uint64(0xFFFF)
                histogram += np.bincount(digits.astype(np.int64), minlength=2**16)
        for k, p in enumerate(prefix):
            below = np.concatenate([[0], np.cumsum(found[p])])
            digit = int(np.searchsorted(below, left[k], side="right")) - 1
            left[k] -= int(below[digit])
            prefix[k] = (p << 16) | digit
    return [float(np.array(p, dtype=np.uint64).view(np.float64)) for p in prefix]


def _stretches(recording: Recording, bad: Rows, report: TimingReport) -> Iterator[Stretch]:
    """Good samples between gaps, with the steps that an even clock would have made beyond one."""
    rank, first, begin, last = 0, 0, np.nan, np.nan
    skips: list[Rows] = []
    steps_lost: list[Rows] = []

    def closed(count: int, stop: float) -> Stretch:
        lost = np.concatenate(steps_lost) if steps_lost else np.zeros(0, dtype=np.int64)
        return Stretch(first, count, begin, stop, np.concatenate(skips) if skips else lost, np.cumsum(lost))

    for start in range(0, recording.n_samples, PART):
        end = min(start + PART, recording.n_samples)
        time = recording.axis(start, end)[0][_good(bad, start, end)]
        if not len(time):
            continue
        steps = np.diff(time, prepend=last if rank else time[0])
        edges = {int(k) for k in np.flatnonzero(steps > report.gap_length)}
        if not rank:
            begin = float(time[0])
        for low, high in pairwise(sorted({0, *edges, len(time)})):
            if low in edges:
                yield closed(rank + low - first, float(time[low - 1]) if low else float(last))
                skips, steps_lost = [], []
                first, begin = rank + low, float(time[low])
            if not report.uniform:
                continue
            extra = np.maximum(1, np.round(steps[low:high] / report.median_step)).astype(np.int64) - 1
            if rank + low == first:
                extra[0] = 0
            late = np.flatnonzero(extra)
            skips.append(rank + low - first + late)
            steps_lost.append(extra[late])
        rank, last = rank + len(time), float(time[-1])
    yield closed(rank - first, float(last))


def edges(start: int, stop: int, size: int, multiple: int = 1) -> list[int]:
    """Ends of pieces of nearly equal lengths up to ``size`` or little more, each but the last a multiple of ``multiple`` from the start."""
    length = stop - start
    pieces = max(-(-length // size), 1)
    inner = {start + length * k // pieces // multiple * multiple for k in range(pieces)}
    return sorted({*inner, stop}) if length > 0 else [start]
