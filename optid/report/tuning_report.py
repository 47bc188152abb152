"""The page of a tuning: how the objective fell, where the search went, what is safe, and the vibration before and after."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from optid.errors import DataError

from .chart import GUIDE, MEASURED, PREDICTED, RAW, Chart, Curve, Panel
from .folder import fill
from .numbers import plain
from .page import Picture, pictures_of, render
from .spectrum import residual_spectrum
from .still import new_figure
from .units import percent

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from optid.experiment import Trial
    from optid.flexibility.session import TuningSession
    from optid.flexibility.session_report import SessionReport

Array = NDArray[np.float64]

DEPTH = 1e-5
"""Spectra are drawn down to this part of their largest amplitude."""


def write_tuning_report(path: str | PathLike[str], session: TuningSession, *, title: str | None = None, provenance: Mapping[str, Any] | None = None) -> Path:
    """Write the report of a tuning, finished or not, into a folder: ``report.html``, ``results.json``, ``results.h5`` and plots.

    Parameters
    ----------
    path : folder, made when it is not there
    session : TuningSession
    title : str, optional
    provenance : mapping, optional
        Command and inputs.

    Returns
    -------
    Path
        Of ``report.html``.

    Raises
    ------
    FileError

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from optid.flexibility import TailRule, TuningSession, TuningSettings
    >>> from optid.report import write_tuning_report
    >>> with TemporaryDirectory() as folder:
    ...     session = TuningSession.create(Path(folder) / "tuning.h5", TuningSettings(TailRule(0.3), gears=(150.0, 130.0), budget=10))
    ...     print(write_tuning_report(Path(folder) / "report", session).name)
    report.html
    """
    found = session.report()
    facts = tuning_facts(session, found, title, provenance)
    charts = {chart.name: chart for chart in vibration_charts(session, found)}
    pictures = pictures_of(charts)
    if found.runs:
        pictures["history"] = Picture.of(
            _history(session, found), "The objective of every run and the best safe one so far; and the values of Υ that were run."
        )
        if len(session.settings.axes) == 2:
            pictures["path"] = Picture.of(_path(session, found), "The runs in the plane of the two tuned values of Υ, numbered, with the best safe one marked.")
    page = render("tuning.html", facts, charts, pictures, what="tuning")
    return fill(path, page, facts, {name: each.image for name, each in pictures.items()}, {})


def tuning_facts(session: TuningSession, found: SessionReport, title: str | None = None, provenance: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """What the page shows, as plain values: ``kind, title, headline, level, statements, names, unit, best, runs, settings, …``."""
    from optid.flexibility.session_report import session_value
    from optid.identification.result_file import versions

    headline, level, statements = _said(session, found)
    value = session_value(found)
    start = found.start_value
    rows = [{**run, "share": None if run["value"] is None or not start > 0 else run["value"] / start} for run in value["runs"]]
    settings = {key: item for key, item in session.settings.to_mapping().items() if key not in ("notes", "options", "kind", "digest") and not _large(item)}
    settings["solver"] = settings.get("solver") or "the recommended one"
    if isinstance(settings.get("rule"), Mapping):
        settings["rule"] = {key: item for key, item in settings["rule"].items() if not _large(item)}
    return plain(
        {
            "kind": "tune",
            "title": title or f"Tuning of {', '.join(found.names)}",
            "headline": headline,
            "level": level,
            "statements": [{"topic": topic, "text": text} for topic, text in statements],
            "names": found.names,
            "unit": session.settings.rule.unit,
            "best": {"upsilon": found.upsilon, "value": found.value, "start_value": found.start_value},
            "runs": rows,
            "settings": settings,
            "finished": found.finished,
            "message": found.message,
            "provenance": {**(provenance or {}), "seed": session.settings.seed, "versions": versions()},
        }
    )


def _large(value: Any) -> bool:
    """Whether a setting is a signal, which no table shows."""
    return isinstance(value, np.ndarray) and value.size > 50


def _said(session: TuningSession, found: SessionReport) -> tuple[str, str, list[tuple[str, str]]]:
    from optid.flexibility.session_report import percents

    goal = percents(found.names, found.upsilon)
    statements: list[tuple[str, str]] = []
    unit = session.settings.rule.unit
    if not np.isfinite(found.value):
        headline, level = "No safe run yet.", "bad" if found.runs else "partly"
    elif found.value >= found.start_value:
        headline, level = f"Nothing better than the start yet: {goal}, objective {found.value:.4g} {unit}.", "partly"
    else:
        share = percent(found.value / found.start_value)
        headline = f"{goal}: objective {found.value:.4g} {unit}, {share} of the start's {found.start_value:.4g}."
        level = "good" if found.finished else "partly"
    statements.append(("Finished" if found.finished else "Open", f"{found.message}."))
    unsafe = [run.number for run, verdict in zip(found.runs, found.verdicts, strict=True) if verdict.unsafe]
    statements.append(("Runs", f"{len(found.runs)} of {session.settings.budget}; {len(unsafe) or 'none'} failed or outside the limits."))
    statements.append(("Safe to go back to", f"{goal}."))
    if np.isfinite(found.value):
        edges = [
            name
            for name, u, low, high in zip(found.names, found.upsilon, session.settings.lower, session.settings.upper, strict=True)
            if u in (low, high) and low < high
        ]
        if edges:
            statements.append(("Mind", f"The best value of {', '.join(edges)} lies at the end of its range: a better one may lie beyond."))
    return headline, level, statements


def vibration_charts(session: TuningSession, found: SessionReport) -> list[Chart]:
    """What the rule looks at, in the first run and in the best: over time, and its spectrum; none before there are two such runs."""
    if not np.isfinite(found.value) or not np.isfinite(found.start_value):
        return []
    best = min((k for k, v in enumerate(found.verdicts) if not v.unsafe), key=lambda k: found.verdicts[k].value)
    pairs = [_tail(session, session.trials[k]) for k in dict.fromkeys((0, best))]
    if len(pairs) < 2 or pairs[0][1].shape[1] != pairs[1][1].shape[1]:
        return []
    count = min(len(time) for time, _ in pairs)
    (time, before), (_, after) = ((time[:count], signal[:count]) for time, signal in pairs)
    columns = before.shape[1]
    names = found.names if columns == len(found.names) else tuple(f"direction {k + 1}" for k in range(columns))
    of, unit = getattr(session.settings.rule, "of", "tool"), session.settings.rule.unit
    labels = ("first run", "best run")

    def panels(x: Array, first: Array, last: Array) -> tuple[Panel, ...]:
        return tuple(Panel(name, unit, x, (Curve(labels[0], first[:, k], "raw"), Curve(labels[1], last[:, k], "best"))) for k, name in enumerate(names))

    charts = [
        Chart("vibration", "What the rule looks at", f"The {of} that is left after the move, in the first and in the best run.", panels(time, before, after))
    ]
    with suppress(DataError):
        rate = (count - 1) / float(time[-1] - time[0])
        frequency, one = residual_spectrum(time, before, rate)
        _, two = residual_spectrum(time, after, rate)
        top = float(max(one.max(), two.max()))
        if top > 0:
            seen = frequency <= 1.5 * getattr(session.settings.rule, "cutoff", frequency[-1])
            shown = panels(frequency[seen], np.maximum(one[seen], top * DEPTH), np.maximum(two[seen], top * DEPTH))
            alt = f"Amplitude spectra of the {of} that is left after the move, in the first and in the best run."
            charts.append(Chart("spectrum", "Spectrum before and after", alt, shown, "frequency [Hz]", log_y=True))
    return charts


def _tail(session: TuningSession, trial: Trial) -> tuple[Array, Array]:
    """Time and what the rule makes of a run."""
    signal = np.asarray(session.settings.rule.of_trial(trial)[1])
    return (trial.time - trial.time[0])[-len(signal) :], signal


def _history(session: TuningSession, found: SessionReport) -> Figure:
    from optid.flexibility.plots import plot_report

    return plot_report(found, session.settings.axes, session.settings.rule.label)


def _path(session: TuningSession, found: SessionReport) -> Figure:
    """The runs in the plane of the two tuned values."""
    figure, axes = new_figure(1, 4.6, width=6.5)
    ax = axes[0, 0]
    chosen = list(session.settings.axes)
    points = np.array([run.upsilon for run in found.runs])[:, chosen]
    safe = np.array([not verdict.unsafe for verdict in found.verdicts])
    ax.plot(*points.T, color=RAW, linewidth=0.9)
    ax.plot(*points[safe].T, "o", color=MEASURED, markersize=6, label="safe run")
    if not safe.all():
        ax.plot(*points[~safe].T, "X", color=PREDICTED, markersize=8, label="failed or outside the limits")
    if np.isfinite(found.value):
        ax.plot(*np.asarray(found.upsilon)[chosen], "*", color=PREDICTED, markersize=16, markeredgecolor=MEASURED, label="best safe run")
    last = {tuple(point): run.number for point, run in zip(points, found.runs, strict=True)}
    for point, number in last.items():
        ax.annotate(str(number), point, xytext=(6, 5), textcoords="offset points", fontsize=8, color=GUIDE)
    for axis, k in zip((ax.set_xlabel, ax.set_ylabel), chosen, strict=True):
        axis(f"Υ {found.names[k]} [%]", fontsize=9, parse_math=False)
    ax.margins(0.15)
    ax.legend(fontsize=8, frameon=False, loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=3)
    return figure
