"""From a trial to uninterrupted pieces on a uniform grid: bad samples out, gaps split, holes filled and marked."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from optid.errors import DataError, DataWarning, sentence
from optid.experiment.trial import Trial

from .clock import CLEARLY, stamps_over_clock
from .timing import TimingReport, increasing, interpolate, segments, tidy_rate, uniform_grid

if TYPE_CHECKING:
    from .preprocessing import Preprocessing

Array = NDArray[np.float64]
WANDER = 0.25  # steps that even stamps may stray from an exact clock and still be taken as one
REASONS = ("not finite", "marked invalid", "duplicate stamps")  # why samples are dropped
OTHERS_INVALID = "The others are marked invalid."
LONG = 1.5  # steps longer than this many median steps may hide lost samples
NEAR = 0.75  # an instant further from every good sample than this many median steps lies in a hole: what is interpolated there is not used


@dataclass(frozen=True)
class Record:
    """The good samples of a trial.

    ``row`` counts samples with distinct stamps, dropped ones included, so that an exact clock does not lose count at a bad sample.
    """

    time: Array
    row: NDArray[np.int64]
    signals: dict[str, Array]
    report: TimingReport


@dataclass(frozen=True)
class Piece:
    """Signals without interruption.

    ``rate`` [Hz] is that of the samples as they stand, ``measured_rate`` that of the measurements behind them (lower after resampling upwards); ``filled``
    marks samples that bridge a hole.
    """

    time: Array
    rate: float
    measured_rate: float
    filled: NDArray[np.bool_]
    signals: dict[str, Array]


def clean(trial: Trial, options: Preprocessing, counts: dict[str, int], notes: list[str]) -> Record:
    """Drop samples that are not finite, not valid or doubly stamped; count and note them.

    Raises
    ------
    DataError
        For backward stamps, a missing signal, bad samples when the options say so, or fewer than two good samples.
    """
    signals = needed(trial, options)
    distinct = increasing(trial.time)
    report = TimingReport.of(trial.time, options.max_gap)
    finite = np.ones(trial.n_samples, dtype=bool)
    for what, signal in signals.items():
        good = np.isfinite(signal).all(axis=1)
        if options.on_bad == "raise" and not good.all():
            raise DataError(
                sentence(_first_bad(signals, trial.name), "not a finite number", "finite numbers", f"Repair {what}, or let on_bad='drop' drop such rows.")
            )
        finite &= good
    kept = finite & trial.valid & distinct
    dropped = (int((~finite).sum()), int((finite & ~trial.valid).sum()), int((finite & trial.valid & ~distinct).sum()))
    note_record(report, dict(zip(REASONS, dropped, strict=True)), counts, notes)
    if kept.sum() < 2:
        hint = OTHERS_INVALID if finite.all() else f"See {_first_bad(signals, trial.name)}."
        raise DataError(sentence(f"trial {trial.name!r}", f"{int(kept.sum())} good samples of {trial.n_samples}", "at least two", hint))
    row = np.cumsum(distinct) - 1
    if kept.all():
        return Record(trial.time, row, signals, report)
    return Record(trial.time[kept], row[kept], {what: x[kept] for what, x in signals.items()}, report)


def note_record(report: TimingReport, dropped: dict[str, int], counts: dict[str, int], notes: list[str]) -> None:
    """Count what was dropped, by reason, and tell what the stamps look like."""
    found = {what: number for what, number in dropped.items() if number}
    counts.update(found)
    if found:
        notes.append("Samples dropped: " + ", ".join(f"{number} {what}" for what, number in found.items()) + ".")
    notes.append(f"Time: {report}.")


def needed(trial: Trial, options: Preprocessing) -> dict[str, Array]:
    """The signals that the options need.

    Raises
    ------
    DataError
        When one is missing.
    """
    found: dict[str, Array] = {}
    for what in options.signals:
        value = getattr(trial, what)
        if value is None and what == "tau":
            hint = "Turn the current into one with trial.with_torque_from_current(gains)." if trial.current is not None else "Record or import tau."
            raise DataError(sentence(f"trial {trial.name!r}", "no torque", "a torque signal", hint))
        if value is None:
            word = {"dq": "velocity", "ddq": "acceleration"}[what]
            raise DataError(sentence(f"trial {trial.name!r}", f"no {what}", f"one, as use_measured_{word} says"))
        found[what] = value
    return found


def _first_bad(signals: dict[str, Array], name: str) -> str:
    for what, signal in signals.items():
        bad = np.argwhere(~np.isfinite(signal))
        if len(bad):
            return f"{what} of trial {name!r} at row {bad[0][0]}, column {bad[0][1]} ({signal[tuple(bad[0])]})"
    return f"trial {name!r}"


def pieces(record: Record, options: Preprocessing, counts: dict[str, int], notes: list[str]) -> list[Piece]:
    """The record in uninterrupted pieces, on the time axis that ``options.clock`` and ``options.rate`` ask for."""
    report = record.report
    parts = segments(record.time, report.gap_length)
    note_gaps(len(parts), report, notes)
    clock = _decide(record, parts, options, notes)
    long = int((np.diff(record.time) > LONG * report.median_step).sum())
    made = [_on_grid(_piece(record, part, clock), options, clock, report) for part in parts]
    on_grid, holes = (sum(int(count) for count in found) for found in zip(*((len(p.time), p.filled.sum()) for p in made), strict=True))
    note_axis(clock, report, long, made[0].rate, options.interpolation, notes)
    note_grid(len(record.time), on_grid, holes, counts, notes)
    return made


def note_gaps(parts: int, report: TimingReport, notes: list[str]) -> None:
    """Say that gaps split the record."""
    if parts > 1:
        notes.append(f"{parts - 1} gap(s) longer than {report.gap_length:.4g} s split the record; nothing is filtered or differentiated across them.")


def note_axis(clock: str, report: TimingReport, long: int, rate: float, interpolation: str, notes: list[str]) -> None:
    """Say what was done with the time axis; ``long`` steps are longer than :data:`LONG` median steps."""
    if clock == "nominal" and not report.uniform and long:
        notes.append(f"On the exact clock that was assumed, {long} steps longer than {LONG} median steps may hide lost samples.")
    if clock == "stamps":
        notes.append(f"Resampled from the stamps at {rate:.6g} Hz by {interpolation} interpolation.")


def note_grid(good: int, on_grid: int, holes: int, counts: dict[str, int], notes: list[str]) -> None:
    """Count the samples of the grid, and those that bridge holes."""
    if on_grid != good:
        counts["on the grid"] = on_grid
    if holes:
        counts["holes filled"] = holes
        notes.append(f"{holes} samples of the grid lie in short holes and were interpolated.")


def _decide(record: Record, parts: list[slice], options: Preprocessing, notes: list[str]) -> str:
    """The time axis to use; when nobody said, the recording decides, and hears a warning if its stamps spread."""
    report = record.report
    if options.clock != "auto":
        return options.clock
    longest = max(parts, key=lambda part: part.stop - part.start)
    time = record.time[longest]
    count = _whole_steps(time, report.median_step) if report.uniform else record.row[longest]
    ratio = stamps_over_clock(time, record.signals["q"][longest], count)
    return judge(report, ratio, lambda: _wander(time, count), notes)


def judge(report: TimingReport, ratio: float, wander: Callable[[], float], notes: list[str]) -> str:
    """The clock to believe; a warning when the stamps spread.

    Parameters
    ----------
    ratio : float
        Roughness of the positions on the exact clock over that on the stamps.
    wander : callable
        Gives the distance of the stamps from an exact clock, in steps.
    """
    if report.uniform:
        distance = wander()
        if ratio <= 1 / CLEARLY and distance <= WANDER:
            return "nominal"
        notes.append(
            f"The steps are even within 1 %, but the stamps wander by {distance:.3g} steps from an exact clock, on which the positions would be {ratio:.3g} "
            "times as rough: they were believed."
        )
        return "stamps"
    if ratio < CLEARLY:
        clock = "nominal"
        told = f"taken as late readings of an exact clock of {report.mean_rate:.6g} Hz, on which the positions are {1 / ratio:.3g} times smoother"
    else:
        clock = "stamps"
        told = f"believed (on an exact clock the positions would be {ratio:.3g} times as rough)"
    text = f"Time stamps spread by {report.spread:.2%} of their median step; they were {told}. Say clock='stamps' or clock='nominal' to decide yourself."
    warnings.warn(text, DataWarning, stacklevel=5)
    notes.append(text)
    return clock


def _whole_steps(time: Array, step: float) -> NDArray[np.int64]:
    """(N,) count of an exact clock at each stamp, missing samples counted too; every stamp one count or more after the one before."""
    return np.concatenate([[0], np.cumsum(np.maximum(1, np.round(np.diff(time) / step)))]).astype(np.int64)


def _wander(time: Array, count: NDArray[np.int64]) -> float:
    """Largest distance of the stamps from an exact clock that agrees with the first and the last, in ticks."""
    if len(time) < 3:
        return 0.0
    return float(np.abs((time - time[0]) / (time[-1] - time[0]) * count[-1] - count).max())


def _piece(record: Record, part: slice, clock: str) -> Piece:
    """One segment on its stamps, or on the exact clock with missing rows filled in."""
    time, signals, report = record.time[part], {what: x[part] for what, x in record.signals.items()}, record.report
    as_it_is = Piece(time, report.mean_rate, report.mean_rate, np.zeros(len(time), dtype=bool), signals)
    if clock != "nominal" or len(time) < 2:
        return as_it_is
    if report.uniform:
        index = _whole_steps(time, report.median_step)
    else:
        index = record.row[part] - record.row[part][0]
    rate = float(index[-1] / (time[-1] - time[0]))
    grid = time[0] + np.arange(index[-1] + 1) / rate
    if len(grid) == len(time):
        return replace(as_it_is, time=grid, rate=rate, measured_rate=rate)
    filled = np.ones(len(grid), dtype=bool)
    filled[index] = False
    completed = {what: np.empty((len(grid), x.shape[1])) for what, x in signals.items()}
    for what, x in signals.items():
        completed[what][index] = x
        completed[what][filled] = interpolate(grid[index], x, grid[filled])
    return Piece(grid, rate, rate, filled, completed)


def _on_grid(piece: Piece, options: Preprocessing, clock: str, report: TimingReport) -> Piece:
    """The piece resampled, when a rate is asked for or its stamps are not uniform."""
    if clock == "recorded" or len(piece.time) < 2 or (options.rate is None and clock == "nominal"):
        return piece
    rate = tidy_rate(report.median_step) if options.rate is None else float(options.rate)
    grid = uniform_grid(piece.time, rate)
    filled = far(grid, piece.time[~piece.filled], NEAR * report.median_step)
    return Piece(
        grid, rate, min(rate, piece.measured_rate), filled, {what: interpolate(piece.time, x, grid, options.interpolation) for what, x in piece.signals.items()}
    )


def far(at: Array, good: Array, distance: float) -> NDArray[np.bool_]:
    """Which instants lie further than ``distance`` from every good sample."""
    after = np.clip(np.searchsorted(good, at), 1, len(good) - 1)
    return np.minimum(np.abs(at - good[after - 1]), np.abs(good[after] - at)) > distance
