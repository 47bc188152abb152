"""``optid tune resume``: a tuning through a folder that the robot reads."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .console import note, say
from .guard import kept
from .tune_shown import show_report, telling_the_best

if TYPE_CHECKING:
    from optid.flexibility.rapid_run import RapidRun
    from optid.flexibility.session import TuningSession

PROTOCOL = (
    "Begin, or go on with, a tuning through a folder that the robot's program reads: RAPID modules out, measurements in.\n\n"
    "For run 7 the computer writes run_0007.mod and then run_0007.go. The robot's program waits for the .go, loads the module, calls its procedure "
    "optid_run_0007, writes run_0007.csv and then run_0007.done; or, when there is nothing to measure, run_0007.failed with the reason in it. Nothing is ever "
    "removed. At the end optid_best.mod appears, whose procedure optid_best sets the best Υ; until then go on waiting for the next .go.\n\n"
    "The module calls two procedures of yours: optid_log_on, with which the recording begins, and optid_log_off with the number of the run, which ends it. The "
    ".csv has a first line time,q_AXIS,…,tau_AXIS,… with the names of the tuned axes, then numbers in s, rad and N m, at equal times; "
    "or whatever --mapping says.\n\n"
    "Whichever side dies, or is interrupted, is started again with the same command; the move (--from to --unit) is kept in FILE.h5 and need not be repeated."
    "\n\n"
    "None of these modules has run on a real controller yet: read the first one, and run it slowly, with a hand on the stop."
)


def resume(
    ctx: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE.h5", help="File of the tuning, made by  optid tune new.")],
    folder: Annotated[Path, typer.Option(metavar="DIR", help="Folder that the computer shares with the robot; one for every tuning.")],
    from_: Annotated[
        str | None, typer.Option("--from", metavar="DEGREES", help="Start of the move: six angles, such as 0,-10,20,0,0,0. The way there must be free.")
    ] = None,
    to: Annotated[str | None, typer.Option("--to", metavar="DEGREES", help="End of the move, as the start.")] = None,
    axis_number: Annotated[
        list[int] | None, typer.Option(help="Number of each tuned axis on the robot, 1 to 6, in the order of the tuning; once for every axis.")
    ] = None,
    speed: Annotated[float, typer.Option(help="Speed of the tool along the move, in mm/s: slow first, then that of production, in a new tuning.")] = 250.0,
    joints: Annotated[bool, typer.Option("--joints", help="Move the joints together, instead of the tool along a straight line.")] = False,
    settle: Annotated[float, typer.Option(help="Standing still before and after the move, in s; the recording goes on through the time after it.")] = 1.0,
    tool: Annotated[str, typer.Option(help="RAPID name of the tool; its load must be right.")] = "tool0",
    unit: Annotated[str, typer.Option(help="RAPID name of the mechanical unit.")] = "ROB_1",
    mapping: Annotated[
        Path | None, typer.Option(metavar="MAP.toml", help="Which column of a .csv is which signal, in which unit, as for  optid import.")
    ] = None,
    timeout: Annotated[float, typer.Option(help="Longest wait for a measurement, in s.")] = 600.0,
) -> None:
    """Begin, or go on with, a tuning through a folder that the robot's program reads."""
    from optid.experiment import Mapping, import_csv
    from optid.flexibility.replay import point_of
    from optid.flexibility.robot_folder import RobotFolder, tune_through_folder
    from optid.flexibility.session import TuningSession
    from optid.flexibility.session_report import percents

    session = TuningSession.load(file)
    move = _move(session, from_, to, axis_number, {"speed": speed, "line": not joints, "settle": settle, "tool": tool, "unit": unit}, ctx)
    columns = None if mapping is None else Mapping.of(mapping)
    place = RobotFolder(folder, timeout, read=None if columns is None else lambda measurement: import_csv(measurement, columns))
    kept(ctx, file)

    def told(number: int, text: str) -> None:
        note(f"run {number} at {percents(session.settings.names, point_of(session.trials[number - 1]))}: {text}")

    with telling_the_best(session, "The run asked for last stays asked for: the robot may still make it. Give the same command again to go on."):
        found = tune_through_folder(session, place, move, told)
    show_report(session, found, False)
    say(f"{folder / 'optid_best.mod'} sets these values; call its optid_best after every restart of the robot's program")


def _move(session: TuningSession, start: str | None, goal: str | None, numbers: list[int] | None, rest: dict[str, object], ctx: typer.Context) -> RapidRun:
    """The move of the options, or the one that the tuning was begun with."""
    from optid.errors import DataError, sentence
    from optid.flexibility.rapid_run import RapidRun

    given = [name for name, value in {"--from": start, "--to": goal, "--axis-number": numbers}.items() if value]
    stored = session.settings.notes.get("move")
    if stored is not None and not given:
        known = RapidRun.from_mapping(stored)
        flags = {"speed": "speed", "line": "joints", "settle": "settle", "tool": "tool", "unit": "unit"}
        typed = {name: rest[name] for name, flag in flags.items() if str(ctx.get_parameter_source(flag)).endswith("COMMANDLINE")}
        return RapidRun.from_mapping({**known.to_mapping(), **typed})
    if start is None or goal is None or not numbers:
        raise DataError(sentence("move of a tuning", ", ".join(given) or "nothing", "--from, --to and --axis-number", "They are stored with the first run."))
    if len(numbers) != session.settings.n:
        names = ", ".join(session.settings.names)
        raise DataError(sentence("--axis-number", f"{len(numbers)} numbers", f"{session.settings.n}, one for each of {names}"))
    return RapidRun(_posture(start, "--from"), _posture(goal, "--to"), tuple(numbers), **rest)  # type: ignore[arg-type]


def _posture(text: str, what: str) -> tuple[float, ...]:
    from math import isfinite, radians

    from optid.errors import DataError, sentence

    try:
        angles = tuple(radians(float(part)) for part in text.split(","))
    except ValueError:
        angles = ()
    if len(angles) != 6 or not all(map(isfinite, angles)):
        raise DataError(sentence(what, repr(text), "six angles in degrees with commas in between, such as 0,-10,20,0,0,0"))
    return angles
