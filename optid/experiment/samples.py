"""Checks of sampled signals: numbers that are none, stamps that go wrong, angles that look like degrees. All give faults, none changes data."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from .fault import Fault
from .trial import SIGNALS, Trial

Array = NDArray[np.float64]
_SHOWN = 8
_GAP_FACTOR = 5.0
_HINT_VALID = "Mark such samples invalid (Trial.masked()), or read with partial=True."


def rows_text(rows: NDArray[np.intp]) -> str:
    """Row numbers as text: ``3, 7–9, 12, …``."""
    if len(rows) == 0:
        return "none"
    runs = np.split(rows, np.flatnonzero(np.diff(rows) != 1) + 1)
    shown = [str(r[0]) if len(r) == 1 else f"{r[0]}–{r[-1]}" for r in runs[:_SHOWN]]
    return ", ".join(shown) + (", …" if len(runs) > _SHOWN else "")


def column_name(joint_names: tuple[str, ...], column: int) -> str:
    """How a column is called in messages."""
    return f"joint {joint_names[column]!r}" if joint_names else f"joint {column + 1}"


def nonfinite_faults(trial: Trial, first: int = 0) -> Iterator[Fault]:
    """One fault for every column that holds NaN or infinite numbers in samples marked valid (samples counted from ``first``)."""
    where = f"trial {trial.name!r}"
    bad = np.flatnonzero(~np.isfinite(trial.time))
    if len(bad):
        yield Fault(f"time of {where}, sample {rows_text(bad + first)}", str(trial.time[bad[0]]), "finite stamps", "Drop these samples.")
    for what in SIGNALS:
        value = getattr(trial, what)
        if value is None or np.isfinite(value).all():
            continue
        wrong = ~np.isfinite(value) & trial.valid[:, None]
        for column in np.flatnonzero(wrong.any(axis=0)):
            rows = np.flatnonzero(wrong[:, column])
            place = f"{what} of {where}, sample {rows_text(rows + first)}, {column_name(trial.joint_names, int(column))}"
            yield Fault(place, str(value[rows[0], column]), "finite numbers", _HINT_VALID)


def stamp_faults(time: Array, place: str) -> Iterator[Fault]:
    """Backward and equal stamps (errors) and gaps above five times the median step (warnings); samples counted from 0."""
    step = np.diff(time)
    backward, equal = np.flatnonzero(step < 0), np.flatnonzero(step == 0)
    if len(backward):
        k = backward[0]
        found = f"{len(backward)} backward steps, the first from {time[k]:.13g} s to {time[k + 1]:.13g} s"
        yield Fault(f"{place}, sample {rows_text(backward + 1)}", found, "increasing stamps", "Drop the samples that belong to another recording.")
    if len(equal):
        found = f"{len(equal)} stamps equal to the one before, the first {time[equal[0]]:.13g} s"
        hint = "Preprocessing drops them with a count; a clock stored as float32 is too coarse for large times."
        yield Fault(f"{place}, sample {rows_text(equal + 1)}", found, "increasing stamps", hint)
    forward = step[step > 0]
    if len(forward) > 1:
        median = float(np.median(forward))
        gaps = np.flatnonzero(step > _GAP_FACTOR * median)
        if len(gaps):
            found = f"{len(gaps)} gaps, the longest {step[gaps].max():.4g} s"
            hint = "Nothing is differentiated across a gap; recordings of several motions are better split."
            yield Fault(f"{place}, after sample {rows_text(gaps)}", found, f"steps near the median {median:.4g} s", hint, "warning")


def degree_faults(q: Array, dq: Array | None, time: Array, places: tuple[str, str]) -> Iterator[Fault]:
    """Angles beyond one turn (they may be degrees), and velocities 57 times the slope of the positions (they are)."""
    hint = "Say units='deg' when you import them, or units='rad' when they are right (motor side, many turns)."
    finite = np.abs(q[np.isfinite(q).all(axis=1)])
    if finite.size and float(finite.max()) > 2 * math.pi:
        yield Fault(places[0], f"values up to {finite.max():.6g}", "radians, at most one turn (2π)", f"They may be degrees. {hint}", "warning")
    if dq is None or len(time) < 8:
        return
    with np.errstate(all="ignore"):
        slope = np.diff(q, axis=0) / np.diff(time)[:, None]
        mean = 0.5 * (dq[1:] + dq[:-1])
        good = np.isfinite(slope).all(axis=1) & np.isfinite(mean).all(axis=1)
        size = float(np.sqrt(np.mean(slope[good] ** 2))) if good.any() else 0.0
        ratio = float(np.sum(slope[good] * mean[good]) / np.sum(slope[good] ** 2)) if size > 1e-6 else 1.0
    if 0.8 * 180 / math.pi < ratio < 1.25 * 180 / math.pi:
        yield Fault(places[1], f"{ratio:.3g} times the slope of q", "rad/s beside rad", "It looks like deg/s. Say units={'dq': 'deg/s'}.", "warning")
