"""``optid tune stiffness`` and ``optid tune plan``: what is worth knowing before a tuning."""

from __future__ import annotations

from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .arguments import Json, RobotArgument, Seed, Tip, robot_of
from .console import say, show_json, show_table

if TYPE_CHECKING:
    from optid.experiment import Trial
    from optid.flexibility.stiffness import StiffnessEstimate
    from optid.flexibility.two_masses import TwoMassEstimate
    from optid.problems.tuning_plan import DecouplingPlan
    from optid.robot import Robot


def stiffness(
    robot: RobotArgument,
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Experiment files: angles and torques of the motors, on the joint side.")],
    link: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="Experiment file whose q are the link encoders' angles, recorded with FILE; once for each, in their order."),
    ] = None,
    axis: Annotated[list[str] | None, typer.Option(metavar="NAME", help="A joint; all that have a link encoder when not given. Repeatable.")] = None,
    antiresonance: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=HZ", help="Fit this joint from its motor alone, whose torque shows an antiresonance near this frequency. Repeatable."),
    ] = None,
    fit_rotor: Annotated[bool, typer.Option("--fit-rotor", help="Fit rotor inertias instead of taking those of ROBOT.")] = False,
    fit_damping: Annotated[bool, typer.Option("--fit-damping", help="Fit dampers, too; they show where joints vibrate.")] = False,
    cutoff: Annotated[list[float] | None, typer.Option(metavar="HZ", help="Cut-offs of the low-pass that are tried, instead of the usual ones.")] = None,
    level: Annotated[float, typer.Option(help="Of the intervals.")] = 0.95,
    tip: Tip = None,
    json: Json = False,
) -> None:
    """Stiffness of the joints of ROBOT from recordings, with its interval and how it moves with the cut-off; what makes no sense is said, not given."""
    from optid.flexibility.joint_stiffness import recorded_stiffness

    arm = robot_of(robot, tip)
    guesses = dict(_guess(text) for text in antiresonance or ())
    found = [
        (trial.name, name, estimate)
        for trial, other in _pairs(files, link or [])
        for name, estimate in recorded_stiffness(
            arm, trial, other, axes=axis, antiresonances=guesses, fit_rotor=fit_rotor, damping=fit_damping, cutoffs=cutoff, level=level
        ).items()
    ]
    if json:
        show_json([_mapping(*one) for one in found])
        return
    units = {name: "N m/rad" if arm.joints[i].revolute else "N/m" for name, i in zip(arm.joint_names, arm.independent, strict=True)}
    columns = ("recording", "joint", "stiffness", f"{level:.0%} from", "to", "cut-offs from", "to", "unit")
    show_table("stiffness", columns, [_row(trial, name, estimate, units[name]) for trial, name, estimate in found], left=2)
    for trial, name, estimate in found:
        if estimate.usable and (fit_rotor or fit_damping):
            say(f"{trial} {name}: damping {estimate.damping:.4g}, rotor inertia {estimate.rotor_inertia:.4g} kg m²")
        elif not estimate.usable:
            say(f"{trial} {name}: no answer, {estimate.reason}")


def plan(
    robot: RobotArgument,
    largest: Annotated[int, typer.Option(min=1, help="Most axes that are moved at once.")] = 3,
    tolerance: Annotated[float, typer.Option(help="Coupling, from 0 to 1, that counts as none.")] = 0.05,
    fixed: Annotated[
        list[str] | None, typer.Option(metavar="NAME=DEG", help="A joint that stands where it is, in degrees (m if it slides). Repeatable.")
    ] = None,
    move: Annotated[float, typer.Option(help="Length of the moves, in rad.")] = 0.1,
    frequency: Annotated[float, typer.Option(help="Of the vibration that is tuned away, in Hz.")] = 10.0,
    seed: Seed = 0,
    tip: Tip = None,
    json: Json = False,
) -> None:
    """Which axes of ROBOT to tune together, in which order, and where the others stand so that they do not feel it."""
    from optid.model import DynamicModel
    from optid.problems.tuning_plan import decoupling_plan

    arm = robot_of(robot, tip)
    held = dict(_held(text, arm) for text in fixed or ())
    found = decoupling_plan(DynamicModel(arm, ()), largest, tolerance, seed, move=move, frequency=frequency, fixed=held)
    if json:
        show_json(_stages(found))
        return
    say(str(found))
    worst = max(stage.left for stage in found.stages)
    verdict = "every subproblem is decoupled" if found.decoupled else "not every subproblem is decoupled; tune those axes again afterwards"
    say(f"largest coupling left {worst:.3f}, tolerance {tolerance:g}: {verdict}")


def _pairs(files: list[Path], links: list[Path]) -> list[tuple[Trial, Trial | None]]:
    """Trials of motors, and those of links of the same name or place."""
    from optid.errors import DataError, sentence
    from optid.experiment import read_experiment

    if links and len(links) != len(files):
        raise DataError(sentence("--link", f"{len(links)} files", f"{len(files)}, one for each FILE"))
    pairs: list[tuple[Trial, Trial | None]] = []
    for k, file in enumerate(files):
        motors = list(read_experiment(file).trials.values())
        if not links:
            pairs += [(trial, None) for trial in motors]
            continue
        others = read_experiment(links[k]).trials
        if len(motors) == len(others) == 1:
            pairs.append((motors[0], next(iter(others.values()))))
            continue
        missing = [trial.name for trial in motors if trial.name not in others]
        if missing:
            raise DataError(sentence(f"link angles {links[k]}", f"no trial {missing[0]!r}", f"the trials of {file}"))
        pairs += [(trial, others[trial.name]) for trial in motors]
    return pairs


def _named(text: str, option: str, example: str) -> tuple[str, float]:
    from optid.errors import DataError, sentence

    name, _, number = text.rpartition("=")
    try:
        return name, float(number)
    except ValueError:
        raise DataError(sentence(option, repr(text), f"NAME=NUMBER, such as {example}")) from None


def _guess(text: str) -> tuple[str, float]:
    return _named(text, "--antiresonance", "joint2=8.5")


def _held(text: str, arm: Robot) -> tuple[int, float]:
    from math import radians

    from optid.errors import unknown_name

    name, number = _named(text, "--fixed", "joint5=-90")
    if name not in arm.joint_names:
        raise unknown_name("joint", name, arm.joint_names)
    j = arm.joint_names.index(name)
    return j, radians(number) if arm.joints[arm.independent[j]].revolute else number


def _row(trial: str, name: str, estimate: StiffnessEstimate | TwoMassEstimate, unit: str) -> tuple[object, ...]:
    each = [fit.stiffness for fit in estimate.fits]
    if not estimate.usable:
        return trial, name, "no answer", "-", "-", "-", "-", unit
    return trial, name, *(f"{x:.4g}" for x in (estimate.stiffness, *estimate.interval, min(each), max(each))), unit


def _mapping(trial: str, name: str, estimate: StiffnessEstimate | TwoMassEstimate) -> dict[str, Any]:
    from dataclasses import asdict

    def plain(value: Any) -> Any:
        return value if not isinstance(value, float) or isfinite(value) else None

    values = {key: plain(value) for key, value in asdict(estimate).items() if key not in ("fits", "interval")}
    fits = [{key: plain(value) for key, value in asdict(fit).items()} for fit in estimate.fits]
    return {"recording": trial, "joint": name, **values, "interval": [plain(x) for x in estimate.interval], "fits": fits}


def _stages(found: DecouplingPlan) -> dict[str, Any]:
    stages = [
        {
            "tune": [found.names[a] for a in stage.new],
            "move": [found.names[a] for a in stage.moving],
            "posture": dict(zip(found.names, stage.posture.tolist(), strict=True)),
            "coupling": float(stage.left),
        }
        for stage in found.stages
    ]
    return {"stages": stages, "tolerance": found.tolerance, "decoupled": found.decoupled}
