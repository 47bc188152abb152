"""``optid drives``: friction and rotor inertia with the links known, and whether the motors are strong enough."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .arguments import Json, RobotArgument, Tip, cutoff_of, robot_of
from .console import progress, say, show_json
from .guard import kept

if TYPE_CHECKING:
    from optid.robot import Robot


def drives(
    ctx: typer.Context,
    robot: RobotArgument,
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Experiment files: trials to identify from, and trials with the role validation.")],
    offset: Annotated[bool, typer.Option("--offset", help="Fit a constant torque of every axis too.")] = False,
    cutoff: Annotated[str, typer.Option(metavar="HZ", help="Low-pass of the position: Hz, auto (chosen from the data) or none.")] = "auto",
    decimate: Annotated[int, typer.Option(help="Filter torque and model alike and keep every k-th sample: what noisy currents want.")] = 1,
    torque_cutoff: Annotated[str, typer.Option(metavar="HZ", help="Low-pass of the torque alone: it rounds the steps of Coulomb friction.")] = "none",
    maximum: Annotated[str | None, typer.Option(metavar="N m,...", help="Largest motor torques, motor side, one an axis, joined by commas.")] = None,
    rated: Annotated[str | None, typer.Option(metavar="N m,...", help="Rated motor torques, likewise.")] = None,
    allowed: Annotated[float, typer.Option(help="Share of the time that an axis may spend above its rated torque.")] = 1.0,
    report: Annotated[Path | None, typer.Option(metavar="DIR", help="Write plots of spectra and torques there.")] = None,
    tip: Tip = None,
    json: Json = False,
) -> None:
    """Fit B, tau_f and J of every axis of ROBOT, whose links are known (from CAD); compare with the full base set; check the motors' torques."""
    from optid.experiment import read_experiment
    from optid.identification.known_inertia import compare_parameter_sets, drive_budget
    from optid.model import DynamicModel
    from optid.signals import Preprocessing

    arm = robot_of(robot, tip)
    limits = {"maximum": _numbers(maximum, arm, "--maximum"), "rated": _numbers(rated, arm, "--rated")}
    model = DynamicModel(arm, ("viscous", "coulomb", "offset") if offset else ("viscous", "coulomb"), rotor_inertia=True)
    options = Preprocessing(cutoff=cutoff_of(cutoff, "--cutoff"), torque_cutoff=cutoff_of(torque_cutoff, "--torque-cutoff"), decimate=decimate)
    trials: list[Any] = []
    with progress("files", quiet=json) as update:
        for k, file in enumerate(files):
            trials += read_experiment(file).trials.values()
            update(k + 1, len(files))
    train = [t for t in trials if t.role == "identification"]
    sets = compare_parameter_sets(model, train, [t for t in trials if t.role == "validation"], preprocessing=options)
    budgets = [drive_budget(v, arm, allowed=allowed, **limits) for v in sets.known.validations]
    if report is not None:
        kept(ctx, _plots(report, sets, train, options, arm))
    if json:
        show_json(_mapping(sets, budgets))
        return
    say(sets.drives.summary())
    if budgets:
        say()
        say(sets.table())
    for validation, budget in zip(sets.known.validations, budgets, strict=True):
        say()
        say(f"motor torques of {validation.trial!r} [N m]:")
        say(budget.table())
    if report is not None:
        say(f"\nplots: {report}")


def _numbers(text: str | None, robot: Robot, what: str) -> list[float] | None:
    from optid.errors import DataError, sentence

    if text is None:
        return None
    try:
        values = [float(x) for x in text.split(",")]
    except ValueError:
        values = []
    if len(values) != robot.n or not all(v > 0 for v in values):
        raise DataError(sentence(what, repr(text), f"{robot.n} positive numbers joined by commas, such as {','.join(['1.5'] * robot.n)}"))
    return values


def _plots(folder: Path, sets: Any, train: list[Any], options: Any, robot: Robot) -> Path:
    from optid.identification.prepare import fitted_to
    from optid.report import plot_torque
    from optid.report.drive_plots import plot_spectra

    folder.mkdir(parents=True, exist_ok=True)
    for k, trial in enumerate(train):
        ordered = trial.reordered(robot.joint_names) if trial.joint_names else trial
        plot_spectra(ordered, options.apply(fitted_to(trial, robot)), robot).savefig(folder / f"spectra_{k + 1}.png")
    for k, validation in enumerate(sets.known.validations):
        plot_torque(validation, robot).savefig(folder / f"torque_{k + 1}.png")
    return folder


def _mapping(sets: Any, budgets: list[Any]) -> dict[str, Any]:
    from dataclasses import asdict
    from math import isfinite

    drives, names = sets.drives, sets.drives.fit.base.model.robot.joint_names

    def plain(value: float) -> float | None:
        return float(value) if isfinite(value) else None

    return {
        "robot": drives.fit.base.model.robot.name,
        "axes": [
            {
                "name": name,
                **{
                    what: {"value": plain(drives.values(what)[j]), "interval": [plain(x) for x in drives.interval(what)[j]]}
                    for what in ("B", "friction", "offset", "J")
                },
            }
            for j, name in enumerate(names)
        ],
        "inertias": [
            {"formula": c.formula, "value": c.value, "correction": c.correction, "sigma": c.sigma, "suspicious": c.suspicious} for c in drives.inertia_checks
        ],
        "sets": [
            {"name": s.name, "parameters": s.n_parameters, "condition": plain(s.condition), "held_out": s.held_out.tolist()} for s in (sets.known, sets.full)
        ],
        "budgets": [[{key: plain(v) if isinstance(v, float) else v for key, v in asdict(axis).items()} for axis in budget.axes] for budget in budgets],
        "notes": list(drives.notes),
    }
