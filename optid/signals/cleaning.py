"""From a trial to uninterrupted pieces on a uniform grid: bad samples out, gaps split, holes filled and marked."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from optid.errors import DataError, DataWarning, sentence
from optid.experiment.trial import Trial

from .timing import TimingReport, increasing, interpolate, segments, tidy_rate, uniform_grid

if TYPE_CHECKING:
    from .preprocessing import Preprocessing

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Piece:
    """Signals without interruption; ``filled`` marks samples that bridge a hole."""

    time: Array
    q: Array
    tau: Array
    filled: NDArray[np.bool_]
    rate: float
    dq: Array | None = None
    ddq: Array | None = None
    tau_raw: Array | None = None


@dataclass(frozen=True)
class Record:
    """Good samples of a trial, with what their stamps are worth."""

    time: Array
    signals: dict[str, Array]
    report: TimingReport
    uniform: bool


def clean(trial: Trial, options: Preprocessing, counts: dict[str, int], notes: list[str]) -> Record:
    """Drop samples that are not finite, not valid or doubly stamped; count and note them."""
    signals = _needed(trial, options)
    finite = np.ones(trial.n_samples, dtype=bool)
    for what, signal in signals.items():
        good = np.isfinite(signal)
        if options.on_bad == "raise" and not good.all():
            row, column = np.argwhere(~good)[0]
            raise DataError(
                sentence(
                    f"{what} of trial {trial.name!r} at row {row}, column {column}", signal[row, column], "a finite number", "on_bad='drop' drops such rows."
                )
            )
        finite &= good.all(axis=1)
    counts["not finite"] = int((~finite).sum())
    counts["marked invalid"] = int((finite & ~trial.valid).sum())
    report = TimingReport.of(trial.time, options.max_gap)
    distinct = increasing(trial.time)
    counts["duplicate stamps"] = int((finite & trial.valid & ~distinct).sum())
    good_rows = finite & trial.valid & distinct
    dropped = {what: counts[what] for what in ("not finite", "marked invalid", "duplicate stamps") if counts[what]}
    if dropped:
        notes.append("Samples dropped: " + ", ".join(f"{number} {what}" for what, number in dropped.items()) + ".")
    if good_rows.sum() < 2:
        raise DataError(sentence(f"trial {trial.name!r}", f"{int(good_rows.sum())} good samples of {trial.n_samples}", "at least two", _first_bad(signals)))
    if good_rows.all():
        return Record(trial.time, signals, report, report.uniform)
    return Record(trial.time[good_rows], {what: x[good_rows] for what, x in signals.items()}, report, report.uniform)


def _needed(trial: Trial, options: Preprocessing) -> dict[str, Array]:
    if trial.tau is None:
        hint = "Turn the current into one with trial.with_torque_from_current(gains)." if trial.current is not None else "Record or import tau."
        raise DataError(sentence(f"trial {trial.name!r}", "no torque", "a torque signal", hint))
    signals = {"q": trial.q, "tau": trial.tau}
    for what, wanted in (("dq", options.use_measured_velocity), ("ddq", options.use_measured_acceleration)):
        value = getattr(trial, what)
        if wanted and value is None:
            raise DataError(
                sentence(f"trial {trial.name!r}", f"no measured {what}", f"one, as use_measured_{'velocity' if what == 'dq' else 'acceleration'} says")
            )
        if wanted:
            signals[what] = value
    return signals


def _first_bad(signals: dict[str, Array]) -> str:
    for what, signal in signals.items():
        bad = np.argwhere(~np.isfinite(signal))
        if len(bad):
            return f"The first bad number is {what} at row {bad[0][0]}, column {bad[0][1]}."
    return "All are marked invalid or share one stamp."


def pieces(record: Record, options: Preprocessing, counts: dict[str, int], notes: list[str]) -> list[Piece]:
    """The record in uninterrupted pieces, on the grid that ``options.rate`` asks for."""
    report = record.report
    parts = segments(record.time, report.gap_length)
    notes.append(f"Time: {report}.")
    if len(parts) > 1:
        notes.append(f"{len(parts) - 1} gap(s) longer than {report.gap_length:.4g} s split the record; nothing is filtered or differentiated across them.")
    if options.rate is None and not record.uniform:
        text = (
            f"Time stamps spread by {report.spread:.2%} of their median step: the samples were resampled from their stamps at "
            f"{tidy_rate(report.median_step):.6g} Hz. If an exact clock was read late, use rate='nominal'."
        )
        warnings.warn(text, DataWarning, stacklevel=4)
        notes.append(text)
    made = [_piece(record, part, options) for part in parts]
    counts["holes filled"] = sum(int(p.filled.sum()) for p in made)
    if counts["holes filled"]:
        notes.append(f"{counts['holes filled']} samples of the grid fall into short holes; they were interpolated for the filters and are not used.")
    return made


def _piece(record: Record, part: slice, options: Preprocessing) -> Piece:
    time, signals = record.time[part], {what: x[part] for what, x in record.signals.items()}
    none = np.zeros(len(time), dtype=bool)
    report = record.report
    if len(time) == 1 or options.rate == "recorded":
        return Piece(time=time, filled=none, rate=report.mean_rate, **signals)
    steps = np.diff(time)
    if options.rate == "nominal" or (options.rate is None and record.uniform):
        whole = np.maximum(1, np.round(steps * report.mean_rate)) if record.uniform else np.ones(len(steps))
        index = np.concatenate([[0], np.cumsum(whole)]).astype(np.int64)
        rate = float(index[-1] / (time[-1] - time[0]))
        grid = time[0] + np.arange(index[-1] + 1) / rate
        if len(grid) == len(time):
            return Piece(time=grid, filled=none, rate=rate, **signals)
        filled = np.ones(len(grid), dtype=bool)
        filled[index] = False
        completed = {}
        for what, x in signals.items():
            completed[what] = np.empty((len(grid), x.shape[1]))
            completed[what][index] = x
            completed[what][filled] = interpolate(grid[index], x, grid[filled], options.interpolation)
        return Piece(time=grid, filled=filled, rate=rate, **completed)
    rate = tidy_rate(report.median_step) if options.rate is None else float(options.rate)
    grid = uniform_grid(time, rate)
    return Piece(
        time=grid, filled=_holes(time, grid, report), rate=rate, **{what: interpolate(time, x, grid, options.interpolation) for what, x in signals.items()}
    )


def _holes(time: Array, grid: Array, report: TimingReport) -> NDArray[np.bool_]:
    """Grid instants that lie inside a step of more than three median steps, more than one median step from its ends."""
    after = np.clip(np.searchsorted(time, grid), 1, len(time) - 1)
    long = time[after] - time[after - 1] > 3 * report.median_step
    return long & (grid - time[after - 1] > report.median_step) & (time[after] - grid > report.median_step)
