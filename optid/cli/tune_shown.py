"""What ``optid tune`` says of a run, of a tuning, and where it stands."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from .console import note, save_figure, say, show_json, show_table
from .guard import command_line, kept

if TYPE_CHECKING:
    from optid.flexibility.session import TuningSession
    from optid.flexibility.session_report import Request, SessionReport, Verdict


def quoted(path: Path) -> str:
    """A path as a shell takes it."""
    return shlex.quote(str(path))


def show_request(session: TuningSession, request: Request | None, json: bool) -> None:
    """The next run, and what to do with it."""
    from optid.flexibility.session_report import percents

    names = session.settings.names
    if json:
        wanted = None
        if request is not None:
            both = {"upsilon": request.upsilon, "safe": request.safe}
            wanted = {"number": request.number, **{what: dict(zip(names, values, strict=True)) for what, values in both.items()}}
        show_json({"request": wanted, "finished": request is None})
    elif request is None:
        say(f"The tuning is over ({session.report().message}): see  optid tune report {quoted(session.path)}")
    else:
        say(f"run {request.number}: {percents(names, request.upsilon)}")
        say(f"afterwards, or if anything goes wrong: {percents(names, request.safe)}")


def show_verdict(session: TuningSession, number: int, verdict: Verdict) -> None:
    """What is thought of a run."""
    if isfinite(verdict.value):
        say(f"run {number}: objective {verdict.value:.5g} {session.settings.rule.unit}, {f'not safe: {verdict.unsafe}' if verdict.unsafe else 'safe'}")
    else:
        say(f"run {number} failed: {verdict.unsafe}")


def show_report(session: TuningSession, found: SessionReport, json: bool) -> None:
    """Every run, and the best one."""
    from optid.flexibility.session_report import percents, session_value

    if json:
        show_json(session_value(found))
        return
    unit = session.settings.rule.unit
    rows = [
        (run.number, *(f"{u:g}" for u in run.upsilon), f"{run.value:.4g}" if isfinite(run.value) else "failed", verdict.unsafe or "-")
        for run, verdict in zip(found.runs, found.verdicts, strict=True)
    ]
    if rows:
        show_table("runs", ("run", *(f"{name} [%]" for name in found.names), f"objective [{unit}]", "why not safe"), rows, left=0)
    say(f"{'finished' if found.finished else 'open'}: {found.message}")
    best = percents(found.names, found.upsilon)
    if any(not verdict.unsafe for verdict in found.verdicts):
        say(f"best safe: {best}; objective {found.value:.4g} {unit}, {found.value / found.start_value:.0%} of the start's {found.start_value:.4g}")
        if len(found.runs) >= session.settings.budget:
            say(f"all runs are used up; to go on, begin a new tuning with {' '.join(f'--start {u:g}' for u in found.upsilon)}")
    else:
        say(f"no safe run yet; the way back is the controller as delivered: {best}")


def write_page(ctx: typer.Context, session: TuningSession, folder: Path | None, json: bool) -> None:
    """The HTML report."""
    from optid.report import write_tuning_report

    if folder is None:
        return
    page = write_tuning_report(folder, session, provenance={"command": command_line(ctx)})
    kept(ctx, page)
    if not json:
        say(f"report: {page}")


def draw(session: TuningSession, found: SessionReport, path: Path | None, json: bool, truth: tuple[float, ...] | None = None) -> None:
    """The runs as a picture; with the true optimum where it is known."""
    from optid.flexibility.plots import plot_report

    if path is not None:
        save_figure(plot_report(found, session.settings.axes, session.settings.rule.label, truth), path, json)


@contextmanager
def telling_the_best(session: TuningSession, again: str) -> Iterator[None]:
    """However a tuning is left, say the best so far, and how to go on."""
    from optid.errors import OptidError
    from optid.flexibility.session_report import percents

    try:
        yield
    except (KeyboardInterrupt, OptidError):
        found = session.report()
        if not found.finished:
            safe = f"best safe so far: {percents(found.names, found.upsilon)}" if isfinite(found.value) else "no safe run so far"
            note(f"{len(found.runs)} runs are in {session.path}; {safe}. {again}")
        raise
