"""``optid import``: a log of another program becomes an experiment file, after a look at what was understood."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .arguments import robot_of
from .console import say, show_table
from .guard import kept

if TYPE_CHECKING:
    from optid.experiment import Mapping, Trial

IMPORTERS = {".mat": "import_mat", ".npz": "import_npz"}
TEXT = ".csv, .txt, .tsv, .dat, .log"


def import_(
    ctx: typer.Context,
    source: Annotated[Path, typer.Argument(metavar="SRC", help=f"Log: text table ({TEXT}), .mat, .npz; or a folder when the mapping names files.")],
    output: Annotated[Path, typer.Option("-o", "--output", metavar="FILE.h5", help="Experiment file to write.")],
    mapping: Annotated[Path, typer.Option(metavar="MAP.toml", help="Which column is which signal, in which unit.")],
    name: Annotated[str | None, typer.Option(help="Name of the trial; that of the log when not given.")] = None,
    role: Annotated[str | None, typer.Option(help="identification or validation, in place of the mapping's.")] = None,
    robot: Annotated[
        str | None, typer.Option(metavar="ROBOT", help="Robot whose joints these are: columns are ordered by its joint names, its text is stored.")
    ] = None,
    partial: Annotated[bool, typer.Option("--partial", help="Leave bad rows out, with a count, instead of refusing the log.")] = False,
    add: Annotated[bool, typer.Option("--add", help="Add the trial to an experiment file that exists.")] = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace a file that exists.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Write without asking.")] = False,
) -> None:
    """Read a log through a column mapping, show what was understood, and write an experiment file."""
    from dataclasses import replace

    from optid import experiment as room
    from optid.errors import FileError, sentence
    from optid.experiment import Experiment, Mapping, RobotInfo, read_experiment, write_experiment

    columns = Mapping.of(mapping)
    if role is not None:
        columns = replace(columns, role=role)
    described = robot_of(robot) if robot is not None else None
    reader = getattr(room, _importer(source, columns))
    trial = reader(source, columns, joint_names=_wanted(described, columns), partial=partial, name=name)
    if output.exists() and not (add or overwrite):
        raise FileError(sentence(f"file {output}", "it exists already", "a new name", "Pass --add to add the trial to it, or --overwrite to replace it."))
    _preview(source, trial, columns)
    if not yes and not typer.confirm(f"Write {output}?", err=True):
        raise typer.Exit(1)
    info = None
    if described is not None:
        from optid.robot import robot_to_toml

        info = RobotInfo.of(described, description=robot_to_toml(described))
    if add and output.exists():
        old = read_experiment(output)
        if trial.name in old.trials and not overwrite:
            raise FileError(sentence(f"trial {trial.name!r} in file {output}", "it exists already", "a new name", "Pass --name, or --overwrite to replace it."))
        made = replace(old, trials={**old.trials, trial.name: trial}, robot=info or old.robot)
    else:
        made = Experiment(title=source.stem, trials=[trial], robot=info)  # type: ignore[arg-type]
    write_experiment(made, output, overwrite=True)
    kept(ctx, output)
    say(f"written: {output}")


def _importer(source: Path, mapping: Mapping) -> str:
    """Which importer reads the log."""
    first = Path(next(iter(mapping.files.values()))) if mapping.files else source
    return IMPORTERS.get(first.suffix.lower(), "import_csv")


def _wanted(robot: Any, mapping: Mapping) -> tuple[str, ...] | None:
    """The robot's joint names, when the log says which column is which joint."""
    named = bool(mapping.joint_names) or any(isinstance(c, str) and "*" in c for c in mapping.signals.values())
    return robot.joint_names if robot is not None and named else None


def _preview(source: Path, trial: Trial, mapping: Mapping) -> None:
    import numpy as np

    seconds = float(trial.time[-1] - trial.time[0]) if trial.n_samples else 0.0
    steps = np.diff(trial.time)
    pace = f"{len(steps) / seconds:.6g} Hz on average, steps {1e3 * steps.min():.4g} to {1e3 * steps.max():.4g} ms" if seconds > 0 else "no time passes"
    say(f"{source}: trial {trial.name!r}, role {trial.role}, {trial.n} joints, {trial.n_samples} samples in {seconds:.6g} s ({pace})")
    dropped = trial.attributes.get("rows_dropped")
    if dropped:
        say(f"{dropped} of {trial.attributes['rows_read']} rows left out.")
    rows = []
    for what in ("q", "dq", "ddq", "tau", "current"):
        values = getattr(trial, what)
        if values is None:
            continue
        unit = {"q": "rad or m", "dq": "rad/s or m/s", "ddq": "rad/s² or m/s²", "tau": "N m or N", "current": "A"}[what]
        came = "gains · current" if what == "tau" and mapping.gains is not None else f"{mapping.signals.get(what)}"
        for j in range(trial.n):
            joint = trial.joint_names[j] if trial.joint_names else f"column {j + 1}"
            column = values[:, j]
            ends = (float(column.min()), float(column.max()), float(column.mean())) if len(column) else ("-", "-", "-")
            rows.append((what, joint, came if j == 0 else "", unit, *ends))
    show_table("what was understood", ("signal", "joint", "from", "unit", "smallest", "largest", "mean"), rows, left=4)
