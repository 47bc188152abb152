"""``optid import``: a recording of another program becomes an experiment file, after a look at what was understood."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .arguments import Tip, robot_of
from .console import note, say, show_json, show_table
from .guard import EXIT_WRONG, kept, spoken

if TYPE_CHECKING:
    from optid.experiment import Mapping, Preview, Trial
    from optid.robot import Robot


def import_(
    ctx: typer.Context,
    source: Annotated[
        Path, typer.Argument(metavar="SRC", help="rosbag2 folder, .db3, .mcap, text table, .mat or .npz; or a folder when the mapping names files.")
    ],
    output: Annotated[Path | None, typer.Option("-o", "--output", metavar="FILE.h5", help="Experiment file to write.")] = None,
    mapping: Annotated[Path | None, typer.Option(metavar="MAP.toml", help="Which column is which signal, in which unit. ROS messages need none.")] = None,
    preview: Annotated[bool, typer.Option("--preview", help="Show what is understood, or without a mapping what is there, and write nothing.")] = False,
    effort: Annotated[str | None, typer.Option(metavar="torque|current|none", help="What the effort in ROS messages is.")] = None,
    topic: Annotated[str | None, typer.Option(help="Topic with the joint states, when there are several.")] = None,
    clock: Annotated[str | None, typer.Option(metavar="header|log", help="Stamps of ROS messages, or when they were recorded.")] = None,
    name: Annotated[str | None, typer.Option(help="Name of the trial; that of the recording when not given.")] = None,
    role: Annotated[str | None, typer.Option(help="identification or validation, in place of the mapping's.")] = None,
    robot: Annotated[
        str | None,
        typer.Option(metavar="ROBOT", help="Robot whose joints these are: columns are ordered by its joint names and checked against it, its text is stored."),
    ] = None,
    tip: Tip = None,
    partial: Annotated[bool, typer.Option("--partial", help="Leave bad rows out, with a count, instead of refusing the recording.")] = False,
    add: Annotated[bool, typer.Option("--add", help="Add the trial to an experiment file that exists.")] = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace a file that exists.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Write without asking.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print what was understood as JSON.")] = False,
) -> None:
    """Read a recording, show what was understood and what may be wrong with it, and write an experiment file."""
    from optid.errors import DataError, FileError, sentence
    from optid.experiment import Mapping, Preview
    from optid.experiment.kinds import recording_kind

    if output is None and not preview:
        raise DataError(sentence("optid import", "no file to write", "-o FILE.h5, or --preview to look only"))
    columns = None if mapping is None else Mapping.of(mapping)
    kind = recording_kind(source, columns)
    if columns is None and kind != "bag":
        if not preview:
            hint = f"See what is there, with a mapping to start from:  optid import {source} --preview"
            raise DataError(sentence(f"file {source}", "no --mapping", "which column is which signal", hint))
        _propose(source, json)
        return
    described = robot_of(robot, tip) if robot is not None else None
    named = kind == "bag" or columns is None or bool(columns.joint_names) or any(isinstance(c, str) and "*" in c for c in columns.signals.values())
    wanted = described.joint_names if described is not None and named else None
    trial, said = _read(source, columns, joint_names=wanted, effort=effort, topic=topic, clock=clock, partial=partial, name=name)
    if role is not None:
        trial = replace(trial, role=role)
    seen = Preview.of(trial, described, said)
    if output is not None and output.exists() and not (add or overwrite or preview):
        raise FileError(sentence(f"file {output}", "it exists already", "a new name", "Pass --add to add the trial to it, or --overwrite to replace it."))
    if json:
        show_json({"source": str(source), **seen.to_dict()})
    else:
        _show(source, seen)
    if seen.errors:
        for text in seen.errors:
            note(f"optid: error: {text}")
        raise typer.Exit(EXIT_WRONG)
    if preview or output is None:
        return
    if not yes and not typer.confirm(f"Write {output}?", err=True):
        raise typer.Exit(1)
    _write(source, output, trial, described, add, overwrite)
    kept(ctx, output)
    if not json:
        say(f"written: {output}")


def _read(source: Path, mapping: Mapping | None, **options: Any) -> tuple[Trial, list[str]]:
    """The trial, and the warnings that came with it, each once."""
    from optid.errors import OptidWarning
    from optid.experiment import import_recording

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", OptidWarning)
        trial = import_recording(source, mapping, **options)
    return trial, list(dict.fromkeys(spoken(w.message) for w in caught if issubclass(w.category, OptidWarning)))


def _write(source: Path, output: Path, trial: Trial, robot: Robot | None, add: bool, overwrite: bool) -> None:
    from optid.errors import FileError, sentence
    from optid.experiment import Experiment, RobotInfo, read_experiment, write_experiment

    info = None
    if robot is not None:
        from optid.robot import robot_to_toml

        info = RobotInfo.of(robot, description=robot_to_toml(robot))
    if add and output.exists():
        old = read_experiment(output)
        if trial.name in old.trials and not overwrite:
            raise FileError(sentence(f"trial {trial.name!r} in file {output}", "it exists already", "a new name", "Pass --name, or --overwrite to replace it."))
        made = replace(old, trials={**old.trials, trial.name: trial}, robot=info or old.robot)
    else:
        made = Experiment(title=source.stem, trials=[trial], robot=info)  # type: ignore[arg-type]
    write_experiment(made, output, overwrite=True)


def _show(source: Path, seen: Preview) -> None:
    say(f"{source}: trial {seen.trial!r}, role {seen.role}, {len(seen.joints)} joints, {seen.n_samples} samples in {seen.pace}")
    if seen.n_dropped:
        say(f"{seen.n_dropped} of {seen.n_dropped + seen.n_samples} rows left out.")
    heads = ("signal", "joint", "unit", "smallest", "largest", "mean", *(f"row {k}" for k in range(min(3, seen.n_samples))))
    rows = [(c.signal, c.joint, c.unit, *("-" if x is None else x for x in (c.smallest, c.largest, c.mean)), *c.first) for c in seen.columns]
    show_table("what was understood", heads, rows, left=3)
    for suspicion in seen.suspicions:
        say(f"{'note' if suspicion.kind == 'import' else 'suspected'}: {spoken(suspicion)}")


def _propose(source: Path, json: bool) -> None:
    """What a log without a mapping holds."""
    from optid.experiment.proposal import propose_mapping

    found = propose_mapping(source)
    if json:
        columns = [{"name": c.name, "shape": list(c.shape), "smallest": c.smallest, "largest": c.largest} for c in found.columns]
        show_json({"source": str(source), "columns": columns, "mapping": found.text})
        return
    rows = [(k, c.name, "x".join(map(str, c.shape)), *("-" if x is None else x for x in (c.smallest, c.largest))) for k, c in enumerate(found.columns)]
    show_table(f"{source}: what is there", ("number", "name", "shape", "smallest", "largest"), rows, left=3)
    say("A mapping to start from (save it, correct it, and give it with --mapping):\n")
    say(found.text)
