"""What passes between a tuning and those who run it: requests, verdicts, reports."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from optid.brief import brief
from optid.problems.flexibility import TuningRun

Array = NDArray[np.float64]
Point = tuple[float, ...]

DELIVERED = 100.0
"""Υ of a controller as it was delivered [%]: where a robot goes back to before any run was safe."""


@dataclass(frozen=True)
class Request:
    """A run that the robot should make.

    Attributes
    ----------
    number : int
        From 1.
    upsilon : n-tuple [%]
    safe : n-tuple [%]
        The best Υ known to be safe, to which the robot goes back when anything goes wrong, and after the run; before the first run :data:`DELIVERED`.
    target : n-tuple [%]
        Where the search wants to go; differs from ``upsilon`` on the way there.
    """

    number: int
    upsilon: Point
    safe: Point
    target: Point


@dataclass(frozen=True)
class Verdict:
    """What is thought of a run: its value (NaN when it failed), and why it is not safe (empty when it is)."""

    value: float
    unsafe: str = ""


@dataclass(frozen=True, eq=False)
class SessionReport:
    """Where a tuning stands.

    Attributes
    ----------
    upsilon : (n,) [%]
        Best of the safe runs; :data:`DELIVERED` when there is none.
    value, start_value : float
        The rule's number there and at the start, NaN when there is none.
    runs : tuple of TuningRun
    verdicts : tuple of Verdict
    finished : bool
    message : str
        Why it is over, or what comes next.
    names : n-tuple of str
    """

    upsilon: Array
    value: float
    start_value: float
    runs: tuple[TuningRun, ...]
    verdicts: tuple[Verdict, ...]
    finished: bool
    message: str
    names: tuple[str, ...]

    __repr__ = brief


def percents(names: tuple[str, ...], upsilon: Any) -> str:
    """Υ (n,) in words."""
    return ", ".join(f"{name} {u:g} %" for name, u in zip(names, upsilon, strict=True))


def session_value(report: SessionReport) -> dict[str, Any]:
    """The report in plain numbers, for files and for other programs."""
    return {
        "upsilon": dict(zip(report.names, map(float, report.upsilon), strict=True)),
        "value": _number(report.value),
        "start_value": _number(report.start_value),
        "finished": report.finished,
        "message": report.message,
        "runs": [
            {"number": run.number, "upsilon": list(run.upsilon), "value": _number(run.value), "unsafe": verdict.unsafe}
            for run, verdict in zip(report.runs, report.verdicts, strict=True)
        ],
    }


def _number(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
