"""``optid tune``: tune the stiffnesses in a controller's model, on a real robot or a simulated one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .arguments import Json, Report, Seed
from .console import note, say
from .guard import kept
from .tune_arguments import Budget, File, MaxRatio, MaxStep, MaxTorque, MaxUnsafe, Overwrite, Plot, Solver, limits_of
from .tune_folder import PROTOCOL, resume
from .tune_rule import Signal, Wanted, rule_of
from .tune_shown import draw, quoted, show_report, show_request, show_verdict, write_page
from .tune_simulated import simulate

if TYPE_CHECKING:
    from optid.experiment import Trial

HELP = (
    "Tune the stiffnesses in a controller's model, one run of the robot at a time.\n\n"
    "Υ says, for every axis, how stiff the controller takes the robot to be: its estimate of the lowest natural frequency, in percent of the delivered one "
    "(on ABB: TuneServo with TUNE_DF). The objective is the vibration of the motor torque that a move leaves behind.\n\n"
    "By hand: new; then ask, move the robot with these Υ, and tell, until the tuning is over. Through a folder that the robot's program reads: new, then "
    "resume. Without a robot: simulate; and surface, what every pair of Υ would leave. At any time report says where the tuning stands, and which Υ are known "
    "to be safe. "
    "Before: plan says which axes to tune together, and stiffness how stiff joints are, from recordings. "
    "A tuning is one file: killed, it goes on where it was."
)

tune = typer.Typer(no_args_is_help=True, help=HELP, short_help="Tune the stiffnesses in a controller's model, one run of the robot at a time.")


@tune.command("new")
def new(
    ctx: typer.Context,
    file: File,
    axes: Annotated[list[str], typer.Option("--axis", metavar="NAME", help="An axis that is tuned, as recordings name it: q_NAME, tau_NAME. Repeatable.")],
    tail_start: Annotated[
        float,
        typer.Option(
            metavar="SECONDS",
            help="T, in s from the first sample of a recording: from here on only vibration is left. "
            "The end of the move plus some hundredths of a second; what comes after must last 30 samples at least, better five periods of the vibration.",
        ),
    ],
    cutoff: Annotated[float, typer.Option(help="Cut-off of the low-pass on the vibration [Hz].")] = 60.0,
    norm: Annotated[str, typer.Option(help="L1, L2 or Linf.")] = "L2",
    signal: Signal = "torque",
    path: Wanted = None,
    start: Annotated[list[float] | None, typer.Option(help="Υ of the first run [%]; once for all axes, or once an axis; 100 when not given.")] = None,
    lower: Annotated[float, typer.Option(help="Smallest Υ [%].")] = 80.0,
    upper: Annotated[float, typer.Option(help="Largest Υ [%].")] = 120.0,
    step: Annotated[int, typer.Option(min=1, help="Grid [%].")] = 1,
    gear: Annotated[
        list[float] | None,
        typer.Option(help="Gear ratio, where recordings hold torques on the arm side of the gears; once, or once an axis. Leave it out for motor torques."),
    ] = None,
    solver: Solver = "",
    budget: Budget = 15,
    max_step: MaxStep = 10.0,
    max_torque: MaxTorque = None,
    max_ratio: MaxRatio = 5.0,
    max_unsafe: MaxUnsafe = 3,
    seed: Seed = 0,
    overwrite: Overwrite = False,
) -> None:
    """Begin a tuning on a real robot."""
    from optid.flexibility.session import TuningSession
    from optid.flexibility.session_report import DELIVERED
    from optid.flexibility.settings import TuningSettings

    settings = TuningSettings(
        rule_of(tail_start, cutoff, norm, signal, path),
        tuple(axes),
        start=start if start and len(start) > 1 else (start or [100.0])[0],
        lower=lower,
        upper=upper,
        step=step,
        solver=solver,
        seed=seed,
        budget=budget,
        gears=gear if gear and len(gear) > 1 else (gear or [1.0])[0],
        limits=limits_of(max_step, max_torque, max_ratio, max_unsafe),
    )
    session = TuningSession.create(file, settings, overwrite)
    kept(ctx, file)
    say(f"written: {file}")
    torque = "no limit on the motor torque (--max-torque)" if max_torque is None else f"motor torque at most {', '.join(f'{t:g}' for t in max_torque)} N m"
    say(f"limits: Υ from {lower:g} to {upper:g} %, steps of {max_step:g} % at most, objective at most {max_ratio:g} times the first, {torque}")
    far = [name for name, u in zip(axes, session.settings.start, strict=True) if abs(u - DELIVERED) > max_step]
    if far:
        note(f"optid: note: the first run takes {', '.join(far)} farther from the delivered {DELIVERED:g} % than --max-step; nothing is known to be safe there")
    show_request(session, session.ask(), False)
    say(f"Next: make this run and  optid tune tell {quoted(file)} 1 RECORDING,  or  optid tune resume {quoted(file)} --folder DIR …")


@tune.command("ask")
def ask(file: File, json: Json = False) -> None:
    """Print the next run that the robot should make; asking again gives the same."""
    from optid.flexibility.session import TuningSession

    session = TuningSession.load(file)
    show_request(session, session.ask(), json)


@tune.command("tell")
def tell(
    ctx: typer.Context,
    file: File,
    number: Annotated[int, typer.Argument(metavar="RUN", help="Number of the run, as asked.")],
    recording: Annotated[
        Path | None,
        typer.Argument(
            metavar="RECORDING",
            help="Experiment file with one trial; or a table with the first line time,q_AXIS,…,tau_AXIS,… in s, rad, N m; or any log, with --mapping. "
            "Its first sample lies at the beginning of the move, its last well after the end; other axes may be in it.",
        ),
    ] = None,
    failed: Annotated[str | None, typer.Option(metavar="REASON", help="The run gave no recording.")] = None,
    mapping: Annotated[Path | None, typer.Option(metavar="MAP.toml", help="Which column of the log is which signal, as for  optid import.")] = None,
    json: Json = False,
) -> None:
    """Store the recording of a run, judge it, and print the next run."""
    from optid.errors import DataError, sentence
    from optid.flexibility.session import TuningSession

    if (recording is None) == (failed is None):
        raise DataError(sentence("run of a tuning", "neither or both", "a recording, or --failed with a reason"))
    session = TuningSession.load(file)
    verdict = session.fail(number, failed or "") if recording is None else session.tell(number, _recording(recording, mapping))
    kept(ctx, file)
    if not json:
        show_verdict(session, number, verdict)
        if verdict.unsafe:
            say(f"(If this was a mistake:  optid tune undo {quoted(file)})")
    show_request(session, session.ask(), json)


@tune.command("undo")
def undo(ctx: typer.Context, file: File, json: Json = False) -> None:
    """Forget the last run that was told, and ask for it again. Its files in a robot's folder stay: correct the .csv, or remove all of that run to repeat it."""
    from optid.flexibility.session import TuningSession

    session = TuningSession.load(file)
    number = session.undo()
    kept(ctx, file)
    if not json:
        say(f"run {number} is forgotten")
    show_request(session, session.ask(), json)


@tune.command("report")
def report(ctx: typer.Context, file: File, plot: Plot = None, page: Report = None, json: Json = False) -> None:
    """Print where a tuning stands."""
    from optid.flexibility.session import TuningSession

    session = TuningSession.load(file)
    found = session.report()
    show_report(session, found, json)
    draw(session, found, plot, json)
    write_page(ctx, session, page, json)


tune.command("resume", help=PROTOCOL)(resume)
tune.command("simulate")(simulate)


def _recording(path: Path, mapping: Path | None) -> Trial:
    """The trial in an experiment file, or a log."""
    from optid.errors import DataError, FileError, ShapeError, UnknownNameError, sentence
    from optid.experiment import import_recording, read_experiment
    from optid.flexibility.robot_folder import COLUMNS, unread

    if path.suffix.lower() in (".h5", ".hdf5", ".part") and mapping is None:
        trials = list(read_experiment(path, partial=path.suffix == ".part").trials.values())
        if len(trials) != 1:
            raise DataError(sentence(f"file {path}", f"{len(trials)} trials", "one, the recording of the run"))
        return trials[0]
    try:
        return import_recording(path, COLUMNS if mapping is None else mapping)
    except UnknownNameError as error:
        if mapping is not None:
            raise
        raise DataError(f"{error} Other names need --mapping MAP.toml;  optid import {quoted(path)} --preview  drafts one.") from error
    except (DataError, FileError, ShapeError) as error:
        if unread(error) == str(error):
            raise
        raise DataError(f"{unread(error)} Runs are judged whole: give all of it, or --failed with a reason.") from error
