"""What notebooks show of results: compact HTML tables, with every name escaped. Classes call these functions from ``_repr_html_``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from optid.identification import Comparison
    from optid.problems import ExcitationResult, FlexibilityResult, IdentificationResult
    from optid.regressor import BaseParameters
    from optid.robot import Robot
    from optid.trajectory import Trajectory
    from optid.validation import ValidationResult

MOST_ROWS = 80
"""Longer tables are cut, and say so."""


def number(value: float | None) -> str:
    """Six digits; a dash for what is not known."""
    return "–" if value is None or np.isnan(value) else f"{value:.6g}"


def percent(value: float | None) -> str:
    """A ratio with two digits after the point."""
    return "–" if value is None or not np.isfinite(value) else f"{100 * value:.2f} %"


def table(caption: str, head: Sequence[str], rows: Iterable[Sequence[Any]], notes: Iterable[str] = ()) -> str:
    """A table with a caption above and notes below; the first column heads its row, the others are right-aligned.

    Examples
    --------
    >>> table("a < b", ["name", "value"], [["m", "1"]])
    '<table><caption>a &lt; b</caption><thead><tr><th>name</th><th>value</th></tr></thead><tbody><tr><th>m</th><td>1</td></tr></tbody></table>'
    """
    lines = list(rows)
    told = list(notes)
    if len(lines) > MOST_ROWS:
        told.insert(0, f"{len(lines) - MOST_ROWS} more rows are not shown")
    top = "".join(f"<th>{escape(str(text))}</th>" for text in head)
    body = "".join(f"<tr><th>{escape(str(row[0]))}</th>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in row[1:]) + "</tr>" for row in lines[:MOST_ROWS])
    below = "".join(f"<p>{escape(text)}</p>" for text in told)
    return f"<table><caption>{escape(caption)}</caption><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>{below}"


def robot_html(robot: Robot) -> str:
    """Joint by joint: limits and drive; link by link: mass."""
    head = ["joint", "kind", "lower", "upper", "speed", "torque", "link", "mass [kg]"]
    rows = []
    coordinates = {name: j for j, name in enumerate(robot.joint_names)}
    for joint, link in zip(robot.joints, robot.links, strict=True):
        j = coordinates.get(joint.name)
        limits = robot.limits
        ends = ("–",) * 4 if j is None else tuple(number(x[j]) for x in (limits.lower, limits.upper, limits.velocity, limits.torque))
        rows.append([joint.name, joint.kind, *ends, link.name, number(link.mass)])
    kept = f", {robot.n_links - robot.n} of the joints follow others" if robot.n_links > robot.n else ""
    return table(f"{robot.name}: {robot.n} joints{kept}, {number(sum(link.mass for link in robot.links))} kg; SI units and radians", head, rows)


def base_parameters_html(base: BaseParameters) -> str:
    """Every base parameter with the value that the robot's own bodies give it."""
    nominal = base.beta(base.model.nominal_parameters())
    rows = [[formula, number(value)] for formula, value in zip(base.formulas, nominal, strict=True)]
    notes = []
    if base.known:
        notes.append(f"known: {', '.join(base.known)}")
    if base.unidentifiable:
        notes.append(f"never seen in any torque: {', '.join(base.unidentifiable)}")
    caption = f"{base.model.robot.name}: {base.rank} base parameters of {base.model.p} standard parameters"
    return table(caption, ["base parameter", "value of the robot's own bodies"], rows, notes)


def fit_html(fit: IdentificationResult) -> str:
    """Parameters with sigma and interval; what is undetermined and which bodies cannot exist stand below."""
    rows = []
    for row in fit.rows():
        if not row["determined"]:
            rows.append([row["formula"], "undetermined", "–", "–", "–"])
            continue
        interval = f"{number(row['lower'])} … {number(row['upper'])}"
        rows.append([row["formula"], number(row["value"]), number(row["sigma"]), percent(row["relative_sigma"]), interval])
    errors, report = fit.errors(), fit.physical_report()
    notes = [f"undetermined: {text}" for text in fit.undetermined]
    if not report.ok:
        notes.append(f"bodies that cannot exist: {', '.join(report.unphysical)} (of {report.source})")
    notes += fit.notes
    caption = (
        f"{fit.base.model.robot.name}, {fit.method}: error {percent(errors.stacked)} of the torque it was fitted to, "
        f"condition number {number(fit.condition_number)}, {fit.n_rows} equations"
    )
    return table(caption, ["base parameter", "value", "sigma", "relative", f"95 % interval ({fit.reliable_kind} residuals)"], rows, notes)


def validation_html(result: ValidationResult) -> str:
    """Joint by joint beside the constant predictor and the noise floor."""
    head = ["joint", "RMS", "largest", "relative", "relative, raw torque", "R²", "constant predictor", "noise floor", "relative while moving"]
    rows = [
        [
            joint.name,
            number(joint.rms),
            number(joint.largest),
            percent(joint.relative),
            percent(joint.relative_raw),
            number(joint.r_squared),
            number(joint.constant),
            number(joint.noise_floor),
            percent(joint.moving),
        ]
        for joint in result.joints
    ]
    stacked = f"stacked error {percent(result.errors.stacked)} against filtered, {percent(result.errors_raw.stacked)} against raw torque"
    return table(f"{result.trial}: {stacked}", head, rows, result.notes)


def comparison_html(result: Comparison) -> str:
    """Estimator by estimator: stacked errors, parameters paid for, bodies that cannot exist."""
    head = ["estimator", "training", "left-out folds", "other motion", "other motion, raw", "parameters", "condition", "no bodies", "time [s]"]
    rows = []
    for row in result.rows:
        if row.result is None:
            rows.append([row.label, "failed", "–", "–", "–", "–", "–", "–", "–"])
            continue
        shares = [percent(None if e is None else e.stacked) for e in (row.training, row.cross, row.validation, row.validation_raw)]
        rows.append([row.label, *shares, f"{row.n_effective:.1f}", number(row.result.condition_number), str(len(row.unphysical)), f"{row.seconds:.2f}"])
    return table("stacked relative torque errors", head, rows, [f"{row.label} failed: {row.error}" for row in result.rows if row.result is None])


def excitation_html(result: ExcitationResult) -> str:
    """The predicted error of every base parameter; whether all limits are proven."""
    quality = result.quality
    rows = [
        [name, number(value), number(sigma), percent(relative)]
        for name, value, sigma, relative in zip(quality.names, quality.nominal, quality.sigma, quality.relative_sigma, strict=True)
    ]
    motions = f"{len(result.trajectories)} motions" if len(result.trajectories) > 1 else f"a motion of {number(result.trajectory.duration)} s"
    proof = "all limits proven" if result.proven else "limits NOT proven"
    notes = [str(report) for report in (*result.checks, *result.path_reports)]
    caption = f"{motions} for {result.base.model.robot.name}: condition number {number(result.condition_number)}, {proof}"
    return table(caption, ["base parameter", "nominal", "predicted sigma", "relative"], rows, notes)


def trajectory_html(motion: Trajectory) -> str:
    """Proven extremes of every joint."""
    names = motion.joint_names or tuple(f"joint {j + 1}" for j in range(motion.n))
    columns = [(ends.minimum, ends.maximum) for ends in map(motion.extremes, range(3))]
    rows = [[name, *(f"{number(low[j])} … {number(high[j])}" for low, high in columns)] for j, name in enumerate(names)]
    caption = f"{type(motion).__name__} of {motion.n} joints over {number(motion.duration)} s; smallest and largest values at any instant"
    return table(caption, ["joint", "position", "velocity", "acceleration"], rows)


def tuning_html(result: FlexibilityResult) -> str:
    """Run by run, the best marked."""
    best = min((run.value for run in result.runs if np.isfinite(run.value)), default=np.nan)
    rows = [[run.number, *(number(u) for u in run.upsilon), number(run.value), "best" if run.value == best else ""] for run in result.runs]
    return table(result.reached, ["run", *(f"{name} [%]" for name in result.names), "vibration", ""], rows)
