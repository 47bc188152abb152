"""``optid tune``: tune the stiffnesses in a controller's model, on a real robot or a simulated one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .arguments import Json, Report, Seed
from .console import note, progress, say, show_json, show_table
from .guard import command_line, kept

if TYPE_CHECKING:
    from optid.experiment import Trial
    from optid.flexibility.session import TuningSession
    from optid.flexibility.session_report import Request, SessionReport

tune = typer.Typer(no_args_is_help=True, help="Tune the stiffnesses in a controller's model, one run of the robot at a time.")

File = Annotated[Path, typer.Argument(metavar="FILE.h5", help="File of the tuning; it holds everything.")]
Budget = Annotated[int, typer.Option(min=1, help="Runs of the robot in all.")]
Solver = Annotated[str, typer.Option(help="Search; the recommended one (secant) when not given. See  optid.available_solvers().")]
MaxStep = Annotated[float, typer.Option(help="Largest step [%] from a value that was run and safe.")]
MaxTorque = Annotated[list[float] | None, typer.Option(help="Largest motor torque [N m]; once for all axes, or once an axis.")]
MaxRatio = Annotated[float, typer.Option(help="Largest objective, in parts of the first run's.")]
Cutoff = Annotated[float, typer.Option(help="Cut-off of the low-pass on the vibration [Hz].")]


def _limits(max_step: float, max_torque: list[float] | None, max_ratio: float) -> Any:
    from optid.flexibility.settings import SafetyLimits

    return SafetyLimits(max_step, tuple(max_torque) if max_torque else None, max_ratio)


@tune.command("new")
def new(
    ctx: typer.Context,
    file: File,
    axes: Annotated[list[str], typer.Option("--axis", help="Name of an axis of the recordings that is tuned. Repeatable.")],
    tail_start: Annotated[float, typer.Option(help="T, in s, after the start of a recording: from here on the torque feedforward is constant.")],
    cutoff: Cutoff = 60.0,
    norm: Annotated[str, typer.Option(help="L1, L2 or Linf.")] = "L2",
    start: Annotated[list[float] | None, typer.Option(help="Υ of the first run [%]; once for all axes, or once an axis.")] = None,
    lower: Annotated[float, typer.Option(help="Smallest Υ [%].")] = 80.0,
    upper: Annotated[float, typer.Option(help="Largest Υ [%].")] = 120.0,
    step: Annotated[int, typer.Option(min=1, help="Grid [%].")] = 1,
    gear: Annotated[list[float] | None, typer.Option(help="Gear ratio that brings recorded torques to the motors; once, or once an axis.")] = None,
    solver: Solver = "",
    budget: Budget = 15,
    max_step: MaxStep = 10.0,
    max_torque: MaxTorque = None,
    max_ratio: MaxRatio = 5.0,
    seed: Seed = 0,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace a file that exists.")] = False,
) -> None:
    """Begin a tuning on a real robot."""
    from optid.flexibility.objectives import TailRule
    from optid.flexibility.session import TuningSession
    from optid.flexibility.settings import TuningSettings

    settings = TuningSettings(
        TailRule(tail_start, cutoff, norm),
        tuple(axes),
        start=start if start and len(start) > 1 else (start or [100.0])[0],
        lower=lower,
        upper=upper,
        step=step,
        solver=solver,
        seed=seed,
        budget=budget,
        gears=gear if gear and len(gear) > 1 else (gear or [1.0])[0],
        limits=_limits(max_step, max_torque, max_ratio),
    )
    session = TuningSession.create(file, settings, overwrite)
    kept(ctx, file)
    say(f"written: {file}")
    _show_request(session, session.ask(), False)


@tune.command("ask")
def ask(file: File, json: Json = False) -> None:
    """Print the next run that the robot should make; asking again gives the same."""
    from optid.flexibility.session import TuningSession

    session = TuningSession.load(file)
    _show_request(session, session.ask(), json)


@tune.command("tell")
def tell(
    ctx: typer.Context,
    file: File,
    number: Annotated[int, typer.Argument(metavar="RUN", help="Number of the run, as asked.")],
    recording: Annotated[Path | None, typer.Argument(metavar="RECORDING", help="Experiment file with one trial, or a CSV: time,q_AXIS,…,tau_AXIS,…")] = None,
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
    if recording is None:
        verdict = session.fail(number, failed or "")
    else:
        verdict = session.tell(number, _recording(recording, mapping, session.settings.names))
    kept(ctx, file)
    if not json:
        say(f"run {number}: {verdict.value:.5g}" + (f", outside the limits: {verdict.unsafe}" if verdict.unsafe else ""))
    _show_request(session, session.ask(), json)


@tune.command("resume")
def resume(
    ctx: typer.Context,
    file: File,
    folder: Annotated[Path, typer.Option(metavar="DIR", help="Folder that the computer shares with the robot.")],
    from_: Annotated[str, typer.Option("--from", help="Start of the move: six angles in degrees, such as 0,-10,20,0,0,0.")],
    to: Annotated[str, typer.Option("--to", help="End of the move, as the start.")],
    axis_number: Annotated[list[int], typer.Option(help="Number of each tuned axis on the robot, 1 to 6, in the order of the tuning.")],
    joints: Annotated[bool, typer.Option("--joints", help="Move the joints, not the tool, along a straight line.")] = False,
    settle: Annotated[float, typer.Option(help="Standing still before and after the move, in s.")] = 1.0,
    timeout: Annotated[float, typer.Option(help="Longest wait for a measurement, in s.")] = 600.0,
) -> None:
    """Start a tuning through a shared folder, or go on with one that was left: RAPID modules out, measurements in."""
    from optid.flexibility.rapid_run import RapidRun
    from optid.flexibility.robot_folder import RobotFolder, tune_through_folder
    from optid.flexibility.session import TuningSession

    session = TuningSession.load(file)
    move = RapidRun(_posture(from_, "--from"), _posture(to, "--to"), numbers=tuple(axis_number), line=not joints, settle=settle)
    kept(ctx, file)

    def told(number: int, text: str) -> None:
        note(f"run {number}: {text}")

    _show_report(tune_through_folder(session, RobotFolder(folder, timeout), move, told), False)


@tune.command("report")
def report(
    ctx: typer.Context,
    file: File,
    plot: Annotated[Path | None, typer.Option(metavar="PLOT.png", help="Draw the runs.")] = None,
    page: Report = None,
    json: Json = False,
) -> None:
    """Print where a tuning stands."""
    from optid.flexibility.session import TuningSession

    session = TuningSession.load(file)
    found = session.report()
    _show_report(found, json)
    if plot is not None:
        _draw(found, session.settings.axes, plot)
    _write_page(ctx, session, page, json)


@tune.command("simulate")
def simulate(
    ctx: typer.Context,
    file: File,
    robot: Annotated[str, typer.Option(help="Two-axis robot: a (spot-welding arm) or b (Manutec r3).")] = "a",
    posture: Annotated[str, typer.Option(help="folded, zero or stretched.")] = "zero",
    direction: Annotated[str, typer.Option(help="++ or +-.")] = "++",
    length: Annotated[str, typer.Option(help="long (0.1 rad) or short (0.03 rad).")] = "short",
    optimum: Annotated[tuple[float, float], typer.Option(help="Υ at which the controller's model is exact for this individual [%].")] = (94.0, 107.0),
    scale_noise: Annotated[float, typer.Option(min=0.0, help="Relative noise from run to run.")] = 0.05,
    torque_noise: Annotated[float, typer.Option(min=0.0, help="White noise on the motor torque [N m].")] = 0.05,
    solver: Solver = "",
    budget: Budget = 15,
    max_step: MaxStep = 10.0,
    max_torque: MaxTorque = None,
    max_ratio: MaxRatio = 5.0,
    cutoff: Cutoff = 60.0,
    seed: Seed = 0,
    plot: Annotated[Path | None, typer.Option(metavar="PLOT.png", help="Draw the runs.")] = None,
    page: Report = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace a file that exists.")] = False,
    json: Json = False,
) -> None:
    """Tune a simulated robot from beginning to end; FILE.h5 then holds every run, as on a real one."""
    from optid.errors import unknown_name
    from optid.flexibility.comparison import individual
    from optid.flexibility.loop import FlexibleLoop
    from optid.flexibility.objectives import TailRule, settled
    from optid.flexibility.session import TuningSession
    from optid.flexibility.settings import TuningSettings
    from optid.flexibility.simulated_robot import SimulatedRobot
    from optid.flexibility.surfaces import experiment
    from optid.flexibility.two_axis import DIRECTIONS, LENGTHS, POSTURES, set_a, set_b

    robots = {"a": set_a, "b": set_b}
    for what, value, known in (("robot", robot, robots), ("posture", posture, POSTURES), ("direction", direction, DIRECTIONS), ("length", length, LENGTHS)):
        if value not in known:
            raise unknown_name(what, value, known)
    loop = FlexibleLoop(robots[robot]())
    motion = experiment(loop, posture, direction, length)
    start = settled(loop.simulate(motion, [[80.0, 80.0], [100.0, 100.0], [120.0, 120.0]], reference_tool=False))
    settings = TuningSettings(
        TailRule(start, cutoff), gears=loop.gears, solver=solver, seed=seed, budget=budget, limits=_limits(max_step, max_torque, max_ratio)
    )
    session = TuningSession.create(file, settings, overwrite)
    kept(ctx, file)
    machine = SimulatedRobot(loop, motion, individual(loop, optimum), scale_noise, torque_noise, seed)
    with progress("runs of the robot", quiet=json) as update:
        while (request := session.ask()) is not None:
            session.tell(request.number, machine.run(request.upsilon, request.number))
            update(request.number, budget)
    found = session.report()
    _show_report(found, json)
    if not json:
        say(f"true optimum: axis2 {optimum[0]:g} %, axis3 {optimum[1]:g} %")
    if plot is not None:
        _draw(found, settings.axes, plot)
    _write_page(ctx, session, page, json)


def _posture(text: str, what: str) -> tuple[float, ...]:
    from math import radians

    from optid.errors import DataError, sentence

    try:
        return tuple(radians(float(part)) for part in text.split(","))
    except ValueError:
        raise DataError(sentence(what, repr(text), "angles in degrees with commas in between")) from None


def _recording(path: Path, mapping: Path | None, names: tuple[str, ...]) -> Trial:
    """The trial in an experiment file, or a log."""
    from optid.errors import DataError, sentence
    from optid.experiment import import_csv, read_experiment
    from optid.flexibility.robot_folder import COLUMNS

    if path.suffix.lower() in (".h5", ".hdf5", ".part"):
        trials = list(read_experiment(path, partial=path.suffix == ".part").trials.values())
        if len(trials) != 1:
            raise DataError(sentence(f"file {path}", f"{len(trials)} trials", "one, the recording of the run"))
        return trials[0].reordered(names) if trials[0].joint_names else trials[0]
    return import_csv(path, COLUMNS if mapping is None else mapping, joint_names=names if mapping is None else None)


def _show_request(session: TuningSession, request: Request | None, json: bool) -> None:
    names = session.settings.names
    if json:
        wanted = None if request is None else {"number": request.number, "upsilon": dict(zip(names, request.upsilon, strict=True)), "safe": list(request.safe)}
        show_json({"request": wanted, "finished": request is None})
    elif request is None:
        say(f"The tuning is over ({session.report().message}): see  optid tune report {session.path}")
    else:
        say(f"run {request.number}: " + ", ".join(f"{name} {u:g} %" for name, u in zip(names, request.upsilon, strict=True)))


def _show_report(found: SessionReport, json: bool) -> None:
    from optid.flexibility.session_report import session_value

    if json:
        show_json(session_value(found))
        return
    rows = [(run.number, *(f"{u:g}" for u in run.upsilon), f"{run.value:.4g}", verdict.unsafe) for run, verdict in zip(found.runs, found.verdicts, strict=True)]
    show_table("runs", ("run", *(f"{name} [%]" for name in found.names), "objective", "outside the limits"), rows, left=0)
    say(f"{'finished' if found.finished else 'open'}: {found.message}")
    if found.runs:
        best = ", ".join(f"{name} {u:g} %" for name, u in zip(found.names, found.upsilon, strict=True))
        say(f"best safe: {best}; objective {found.value:.4g}, {found.value / found.start_value:.0%} of the start's {found.start_value:.4g}")


def _write_page(ctx: typer.Context, session: TuningSession, folder: Path | None, json: bool) -> None:
    from optid.report import write_tuning_report

    if folder is None:
        return
    page = write_tuning_report(folder, session, provenance={"command": command_line(ctx)})
    kept(ctx, page)
    if not json:
        say(f"report: {page}")


def _draw(found: SessionReport, axes: tuple[int, ...], path: Path) -> None:
    from optid.errors import FileError, sentence
    from optid.flexibility.plots import plot_report

    try:
        plot_report(found, axes).savefig(path)
    except (OSError, ValueError) as error:
        raise FileError(sentence(f"plot {path}", str(error), "a file that can be written, .png, .svg or .pdf")) from error
    say(f"plot: {path}")
