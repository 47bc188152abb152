"""The page of a designed excitation: the motions inside their limits, the proof, and what the experiment will tell."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .chart import Chart, Curve, Panel
from .design_plots import convergence, plot_convergence, plot_singular_values, plot_swept_volume
from .folder import fill
from .numbers import plain
from .page import Picture, pictures_of, render
from .units import percent

if TYPE_CHECKING:
    from optid.problems import ExcitationResult
    from optid.trajectory import CheckReport, Trajectory

Array = NDArray[np.float64]

POINTS = 2000
"""Instants at which a motion is drawn."""
QUANTITIES = (("position", ""), ("velocity", "/s"), ("acceleration", "/s²"))
NEGLIGIBLE = 100.0
"""A nominal value this many times below its predicted sigma is taken for zero."""
NAMED = 4
"""Broken limits and parameters that a sentence names."""


def write_design_report(path: str | PathLike[str], result: ExcitationResult, *, title: str | None = None, provenance: Mapping[str, Any] | None = None) -> Path:
    """Write the report of a design into a folder: ``report.html``, ``results.json``, ``results.h5`` and plots.

    Parameters
    ----------
    path : folder, made when it is not there
    result : ExcitationResult
    title : str, optional
    provenance : mapping, optional
        Command, seed and inputs.

    Returns
    -------
    Path
        Of ``report.html``.

    Raises
    ------
    FileError

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from optid.report import write_design_report
    >>> from optid.testing import example_plan
    >>> with TemporaryDirectory() as folder:
    ...     print(write_design_report(folder, example_plan()).name)
    report.html
    """
    facts = design_facts(result, title, provenance)
    charts = {f"{chart.name}-{k}": chart for k, each in enumerate(result.trajectories, start=1) for chart in motion_charts(result, each)}
    pictures = pictures_of(charts)
    if len(facts["starts"]):
        pictures["convergence"] = Picture.of(plot_convergence(result), "The criterion over the iterations of every start, on a logarithmic scale.")
    pictures["singular_values"] = Picture.of(plot_singular_values(result), "Singular values of the base regressor of the design, largest first.")
    for k in range(len(result.trajectories)):
        pictures[f"swept_volume-{k + 1}"] = Picture.of(
            plot_swept_volume(result, k), "Paths of the link frames and of the tool, seen from above and from the side."
        )
    page = render("design.html", facts, charts, pictures, what="design of an experiment")
    return fill(path, page, facts, {name: each.image for name, each in pictures.items()}, {})


def design_facts(result: ExcitationResult, title: str | None = None, provenance: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """What the page shows, as plain values.

    Keys: ``kind, title, headline, level, statements, criterion, quality`` (condition numbers, smallest singular value, log det, singular values),
    ``parameters`` (formula, nominal, predicted sigma), ``motions`` (limits, extremes and proven margins per joint), ``path_limits, starts, solver`` and
    ``provenance``.
    """
    from optid.identification.result_file import versions

    quality, robot = result.quality, result.base.model.robot
    criterion: Any = result.problem.criterion
    rows = zip(quality.names, quality.nominal, quality.sigma, _shares(result), strict=True)
    headline, level, statements = _said(result)
    solution = result.solution
    return plain(
        {
            "kind": "design",
            "title": title or f"Excitation of {robot.name}",
            "headline": headline,
            "level": level,
            "statements": [{"topic": topic, "text": text} for topic, text in statements],
            "robot": {"name": robot.name, "joints": robot.joint_names},
            "criterion": criterion.name,
            "samples": int(result.problem.samples),
            "quality": {
                "condition_number": quality.condition_number,
                "scaled_condition_number": quality.scaled_condition_number,
                "smallest_singular_value": quality.smallest_singular_value,
                "log_det": quality.log_det,
                "singular_values": quality.singular_values,
                "noise": quality.noise,
            },
            "parameters": [{"formula": name, "nominal": value, "sigma": s, "relative_sigma": share} for name, value, s, share in rows],
            "motions": [_motion(result, each, check) for each, check in zip(result.trajectories, result.checks, strict=True)],
            "path_limits": [
                {"quantity": r.quantity, "of": label, "attained": a, "bound": b, "time": t, "proven": bool(b <= 1.0 + 1e-9)}
                for r in result.path_reports
                for label, a, b, t in zip(r.labels, r.attained, r.bound, r.time, strict=True)
            ],
            "starts": _starts(result),
            "solver": {"name": solution.solver, "status": solution.status, "message": solution.message, "evaluations": solution.n_evaluations},
            "provenance": {**(provenance or {}), "seed": solution.seed, "versions": versions()},
        }
    )


def _said(result: ExcitationResult) -> tuple[str, str, list[tuple[str, str]]]:
    quality, solution = result.quality, result.solution
    cond = f"condition number {quality.condition_number:.4g}"
    broken = [str(v) for check in result.checks for v in check.violations] + [str(r) for r in result.path_reports if not r]
    if result.proven and result.converged:
        headline, level = f"Ready for the robot: every limit is proven at every instant; {cond}.", "good"
    elif result.proven:
        headline, level = f"Inside its limits, but the search was not finished ({solution.status}); {cond}.", "partly"
    else:
        headline, level = "Not for the robot: a limit is broken or not proven.", "bad"
    statements = [("Criterion", f"{result.problem.criterion.name}, by {solution.solver}: {solution.message or solution.status}.")]  # type: ignore[union-attr]
    if broken:
        statements.append(("Broken", "; ".join(broken[:NAMED]) + (f"; and {len(broken) - NAMED} more." if len(broken) > NAMED else ".")))
    ratio = _shares(result)
    known = np.flatnonzero(np.isfinite(ratio))
    if np.isinf(quality.condition_number):
        statements.append(("Undetermined", "The motion does not determine all base parameters."))
    if len(known):
        worst = known[np.argmax(ratio[known])]
        poor = int((ratio[known] > 0.5).sum())
        text = f"{quality.names[worst]}, with {percent(float(ratio[worst]))} of its nominal value; {poor} of {len(known)} above half of it"
        statements.append(("Least certain", f"{text}, for the noise that the design was given and these samples alone."))
    return headline, level, statements


def _shares(result: ExcitationResult) -> Array:
    """Predicted sigmas over nominal values; NaN for a nominal value that is next to nothing."""
    ratio = result.quality.relative_sigma
    return np.where(ratio < NEGLIGIBLE, ratio, np.nan)


def _motion(result: ExcitationResult, trajectory: Trajectory, check: CheckReport) -> dict[str, Any]:
    """Limits, extremes and margins of one motion."""
    limits = result.limits
    ends = [trajectory.extremes(order) for order in range(3)]
    joints = []
    for j, name in enumerate(limits.names):
        row: dict[str, Any] = {"name": name, "unit": _unit(result, j)}
        bounds = ((limits.lower[j], limits.upper[j]), *((-x[j], x[j]) for x in (limits.velocity, limits.acceleration)))
        for (quantity, _), found, (low, high) in zip(QUANTITIES, ends, bounds, strict=True):
            margin = check.margins[quantity][j]
            row[quantity] = {"lower": low, "upper": high, "least": found.minimum[j], "largest": found.maximum[j], "margin": margin}
        joints.append(row)
    violations = [str(v) for v in check.violations]
    return {"kind": type(trajectory).__name__, "duration": trajectory.duration, "proven": check.proven, "violations": violations, "joints": joints}


def _starts(result: ExcitationResult) -> list[dict[str, Any]]:
    starts, values = convergence(result)
    return [
        {"start": int(k) + 1, "iterates": int((starts == k).sum()), "first": values[starts == k][0], "best": float(np.nanmin(values[starts == k]))}
        for k in np.unique(starts)
    ]


def _unit(result: ExcitationResult, j: int) -> str:
    robot = result.base.model.robot
    return "rad" if robot.joints[robot.independent[j]].revolute else "m"


def motion_charts(result: ExcitationResult, trajectory: Trajectory) -> list[Chart]:
    """Position, velocity and acceleration of one motion of a design, joint by joint, with their limits."""
    limits = result.limits
    t = np.linspace(0.0, trajectory.duration, POINTS)
    bounds = (limits.position, *(np.column_stack([-np.array(x), x]) for x in (limits.velocity, limits.acceleration)))
    charts = []
    for (quantity, per), values, bound in zip(QUANTITIES, trajectory.evaluate(t), bounds, strict=True):
        panels = tuple(
            Panel(name, _unit(result, j) + per, t, (Curve(quantity, values[:, j]),), levels=tuple(float(x) for x in bound[j] if np.isfinite(x)))
            for j, name in enumerate(limits.names)
        )
        alt = f"{quantity.capitalize()} of {', '.join(limits.names)} over time, between their limits."
        charts.append(Chart(quantity, quantity.capitalize(), alt, panels, level_label="limit"))
    return charts
