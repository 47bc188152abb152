"""``optid identify``: recordings in, a fitted model out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from .arguments import Friction, Json, Known, Report, RobotArgument, RotorInertia, Seed, Tip, known_of, model_of, robot_of
from .console import note, progress, say, show_json
from .guard import command_line, kept
from .judged import recordings_of, training_scores
from .method import (
    Bounds,
    Boxes,
    Covariance,
    Loop,
    Masses,
    Method,
    MethodOptions,
    PriorOption,
    PriorSigma,
    RobotOut,
    SignWidthOrAuto,
    check_robot_out,
    checked_covariance,
    options_of,
    prior_of,
    sign_width_of,
)
from .preparation import Clock, Cutoff, Cycles, From, MinSpeed, Period, Rate, TorqueCutoff, Until, preprocessing_of
from .provenance import provenance


def identify(
    ctx: typer.Context,
    robot: RobotArgument,
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Experiment files; their trials with the role identification are used.")],
    output: Annotated[Path, typer.Option("-o", "--output", metavar="RESULT.h5", help="Where the fitted model goes.")],
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace a fitted model of that name; no other file is ever replaced.")] = False,
    friction: Friction = "viscous+coulomb+offset",
    rotor_inertia: RotorInertia = False,
    sign_width: SignWidthOrAuto = "0",
    known: Known = None,
    method: Method = "wls",
    method_options: MethodOptions = None,
    prior: PriorOption = None,
    prior_sigma: PriorSigma = None,
    bounds: Bounds = None,
    masses: Masses = None,
    com_boxes: Boxes = None,
    loop: Loop = None,
    covariance: Covariance = None,
    solver: Annotated[str | None, typer.Option(help="Solver of the problem that the method poses; chosen by its form when not given.")] = None,
    cutoff: Cutoff = "auto",
    torque_cutoff: TorqueCutoff = "none",
    clock: Clock = "auto",
    rate: Rate = None,
    min_speed: MinSpeed = None,
    start: From = None,
    stop: Until = None,
    cycles: Cycles = False,
    period: Period = None,
    stop_on_error: Annotated[
        bool, typer.Option("--stop-on-error", help="Stop at a file that cannot be used, instead of leaving it out and saying so.")
    ] = False,
    workers: Annotated[int | None, typer.Option(min=1, help="Processes that share the files; by default one a processor when there is much to do.")] = None,
    scheduler: Annotated[str | None, typer.Option(metavar="ADDRESS", help="Let the workers of a dask scheduler share the files: tcp://host:8786.")] = None,
    resume: Annotated[Path | None, typer.Option(metavar="FOLDER", help="Keep what is done there; given again, only what is missing is done.")] = None,
    write_robot: RobotOut = None,
    report: Report = None,
    tip: Tip = None,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Fit the model of ROBOT to recordings and write it to a file."""
    from contextlib import nullcontext
    from dataclasses import replace

    from optid.errors import DataError, sentence
    from optid.identification import identify_batch
    from optid.identification.result_file import check_target, save_result
    from optid.identification.workers import scheduler as workers_of

    check_target(output, overwrite, [*files, robot])
    kind = checked_covariance(covariance)
    fields = options_of(method, method_options, bounds, masses, com_boxes, loop)
    if write_robot is not None:
        check_robot_out(write_robot, method)
    options = preprocessing_of(cutoff, torque_cutoff, clock, rate, min_speed, start, stop, cycles, period)
    model = model_of(robot_of(robot, tip), friction, rotor_inertia, sign_width_of(sign_width, files, options))
    if scheduler is not None and workers is not None:
        raise DataError(sentence("--workers", "given with --scheduler", "one of them", "The scheduler has its own workers."))
    folders = [] if resume is None else [resume]
    with progress("files", quiet=json) as update, nullcontext() if scheduler is None else workers_of(scheduler) as executor:

        def told(done: int, total: int) -> None:
            while folders:
                kept(ctx, folders.pop())
            update(done, total)

        batch = identify_batch(
            files,
            model,
            method=method,
            known=known_of(model, known),
            prior=prior_of(model, prior, prior_sigma),
            preprocessing=options,
            solver=solver,
            seed=seed,
            on_error="raise" if stop_on_error else "report",
            workers=workers,
            executor=executor,
            resume=resume,
            progress=told,
            **fields,
        )
    fit = replace(batch.result, provenance=provenance(command_line(ctx), seed, [Path(f.path) for f in batch.files if f.error is None]))
    save_result(fit, output, overwrite)
    kept(ctx, output)
    if write_robot is not None:
        from optid.identification import write_robot as write

        write(fit, write_robot)
        kept(ctx, write_robot)
    for failed in batch.failed:
        note(f"optid: left out {failed.path}: {failed.error}")
    page = None
    if report is not None or json:
        from optid.report import to_dict, write_report

        good = [Path(f.path) for f in batch.files if f.error is None]
        validations = _validations(fit, good)
        shown: dict[str, Any] = {"training": training_scores(fit, good, 1 if validations else 2), "recordings": recordings_of(good)}
        if report is not None:
            page = write_report(report, fit, validations, **shown)
            kept(ctx, page)
        if json:
            show_json(to_dict(fit, validations, **shown))
            return
    say(fit.summary(kind))
    say()
    say(f"model: {output}")
    if write_robot is not None:
        say(f"robot: {write_robot}")
    if page is not None:
        say(f"report: {page}")


def _validations(fit: Any, files: list[Path]) -> list[Any]:
    """Scores on the validation trials that the same files hold."""
    from optid.experiment import read_experiment
    from optid.validation import validate

    return [validate(fit, trial) for file in files for trial in read_experiment(file).with_role("validation")]
