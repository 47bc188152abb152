"""``optid design``: a robot in, the best experiment it can make out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .arguments import LIBRARY, Friction, Json, Known, Report, RobotArgument, RotorInertia, Seed, SignWidth, Tip, known_of, model_of, robot_of
from .console import progress, say, show_json
from .guard import command_line, kept
from .provenance import provenance

if TYPE_CHECKING:
    from optid.problems import ExcitationResult
    from optid.robot import Limits, Robot


def design(
    ctx: typer.Context,
    robot: RobotArgument,
    output: Annotated[Path, typer.Option("-o", "--output", metavar="PLAN.h5", help="Experiment file that gets the design; recordings are added to it later.")],
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace a file of that name.")] = False,
    harmonics: Annotated[int, typer.Option(min=1, help="Harmonics of the Fourier trajectory.")] = 5,
    period: Annotated[float, typer.Option(metavar="S", help="Period.")] = 10.0,
    position: Annotated[float, typer.Option(help="Share of the position limits to use.")] = 0.8,
    velocity: Annotated[float, typer.Option(help="Share of the velocity limits to use.")] = 0.7,
    acceleration: Annotated[float, typer.Option(help="Share of the acceleration limits to use.")] = 0.7,
    criterion: Annotated[str, typer.Option(help="condition, e, d, a or combined.")] = "condition",
    samples: Annotated[int, typer.Option(min=1, help="Samples over the motion.")] = 100,
    rest: Annotated[bool, typer.Option("--rest/--no-rest", help="Start and end at rest.")] = True,
    friction: Friction = "viscous+coulomb+offset",
    rotor_inertia: RotorInertia = False,
    sign_width: SignWidth = 0.0,
    known: Known = None,
    solver: Annotated[str, typer.Option(help="Solver; see optid.available_solvers.")] = "ipopt",
    starts: Annotated[int, typer.Option(min=1, help="Seeded starts; the best design is kept.")] = 1,
    workers: Annotated[int, typer.Option(min=1, help="Processes that share the starts.")] = 1,
    rapid: Annotated[Path | None, typer.Option(metavar="FILE", help="Also write an ABB RAPID module.")] = None,
    urscript: Annotated[Path | None, typer.Option(metavar="FILE", help="Also write a URScript program.")] = None,
    csv: Annotated[Path | None, typer.Option(metavar="FILE", help="Also write samples as CSV.")] = None,
    rate: Annotated[float, typer.Option(metavar="HZ", help="Rate of the CSV.")] = 250.0,
    hold: Annotated[list[float] | None, typer.Option(metavar="RAD", help="Posture of an axis the robot has beyond those designed. Repeatable.")] = None,
    plots: Annotated[Path | None, typer.Option(metavar="DIR", help="Write plots of the design there.")] = None,
    report: Report = None,
    override: Annotated[bool, typer.Option("--override", help="Export even a design that is not finished or not proven.")] = False,
    tip: Tip = None,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Design the motion from which ROBOT's parameters can be estimated best, within its limits at every instant."""
    from concurrent.futures import ProcessPoolExecutor
    from contextlib import nullcontext
    from multiprocessing import get_context

    import optid
    from optid.experiment import Experiment, write_experiment
    from optid.experiment.experiment import RobotInfo
    from optid.problems import Excitation
    from optid.regressor import BaseParameters

    arm = robot_of(robot, tip)
    model = model_of(arm, friction, rotor_inertia, sign_width)
    base = BaseParameters.of(model, known=tuple(known_of(model, known)))
    limits = arm.limits.scaled(position=position, velocity=velocity, acceleration=acceleration)
    problem = Excitation(base, harmonics, period, limits, criterion, samples, rest=rest, torque=_torque_limited(limits, arm))
    shared = min(workers, starts)
    with progress("starts", quiet=json), ProcessPoolExecutor(shared, mp_context=get_context("spawn")) if shared > 1 else nullcontext() as pool:
        result = optid.solve(problem, solver=solver, starts=starts, seed=seed, executor=pool, on_failure="return" if override else "raise")
    experiment = Experiment(title=f"excitation of {arm.name}", robot=RobotInfo.of(arm), design=result.to_design())
    write_experiment(experiment, output, overwrite=overwrite)
    kept(ctx, output)
    for path in _exports(result, rapid, urscript, csv, rate, tuple(hold or ()), override) + _plots(result, plots):
        kept(ctx, path)
    if report is not None:
        from optid.report import write_design_report

        inputs = [] if robot.startswith(LIBRARY) else [Path(robot)]
        page = write_design_report(report, result, provenance=provenance(command_line(ctx), seed, inputs))
        kept(ctx, page)
    if json:
        show_json(_summary(result))
        return
    say(result.quality.table())
    say()
    say(str(result.quality))
    for each in (*result.checks, *result.path_reports):
        say(str(each))
    if report is not None:
        say(f"report: {page}")


def _torque_limited(limits: Limits, robot: Robot) -> bool:
    """Whether there are torque limits, and bodies to compute torques of."""
    import numpy as np

    return bool(np.isfinite(limits.torque).any()) and any(np.any(link.parameters) for link in robot.links)


def _exports(
    result: ExcitationResult, rapid: Path | None, urscript: Path | None, csv: Path | None, rate: float, hold: tuple[float, ...], override: bool
) -> list[Path]:
    from optid.trajectory.export import to_csv, to_rapid, to_urscript

    written = []
    jobs: tuple[tuple[Path | None, Any, dict[str, Any]], ...] = (
        (rapid, to_rapid, {"hold": hold}),
        (urscript, to_urscript, {"hold": hold, "rest": result.problem.rest}),
        (csv, to_csv, {"rate": rate}),
    )
    for path, writer, options in jobs:
        if path is not None:
            result.export(writer, override=override, **options).write(path)
            written.append(path)
    return written


def _plots(result: ExcitationResult, folder: Path | None) -> list[Path]:
    if folder is None:
        return []
    from optid.report.design_plots import design_figures

    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name, figure in design_figures(result).items():
        path = folder / f"{name}.png"
        figure.savefig(path)
        written.append(path)
    return written


def _summary(result: ExcitationResult) -> dict[str, Any]:
    quality = result.quality
    return {
        "condition_number": quality.condition_number,
        "scaled_condition_number": quality.scaled_condition_number,
        "smallest_singular_value": quality.smallest_singular_value,
        "log_det": quality.log_det,
        "base_parameters": list(quality.names),
        "sigma": quality.sigma.tolist(),
        "proven": result.proven,
        "converged": result.converged,
        "status": result.solution.status,
    }
