"""``optid info``: what a file is and what is in it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .arguments import LIBRARY, Json, Tip, robot_of
from .console import say, show_json, show_table
from .guard import EXIT_WRONG

if TYPE_CHECKING:
    from optid.experiment import Experiment, Trial
    from optid.robot import Robot

ROBOT_SUFFIXES = (".toml", ".urdf", ".xml", ".xacro")


def info(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A robot, an experiment or recording, or a fitted model.")],
    tip: Tip = None,
    json: Json = False,
) -> None:
    """Say what FILE is: robot, recording or fitted model, with every fault found in it."""
    if file.startswith(LIBRARY) or Path(file).suffix.lower() in ROBOT_SUFFIXES:
        _robot(robot_of(file, tip), json)
    else:
        _experiment(Path(file), json)


def _robot(robot: Robot, json: bool) -> None:
    from optid.report.numbers import plain

    rows = []
    for k, i in enumerate(robot.independent):
        joint, drive, limits = robot.joints[i], robot.drives[k], robot.limits
        kind = "revolute" if joint.revolute else "prismatic"
        rows.append((joint.name, kind, float(limits.lower[k]), float(limits.upper[k]), float(limits.velocity[k]), drive.gear, robot.links[i].mass))
    columns = ("joint", "kind", "lower", "upper", "largest speed", "gear", "mass of its link")
    if json:
        joints = [dict(zip(("name", "kind", "lower", "upper", "velocity", "gear", "link_mass"), row, strict=True)) for row in rows]
        show_json(plain({"file": "robot", "name": robot.name, "gravity": robot.gravity, "joints": joints, "coupled": robot.coupling is not None}))
        return
    say(f"robot {robot.name!r}: {robot.n} joints, gravity ({', '.join(f'{g:g}' for g in robot.gravity)}) m/s²")
    show_table("", columns, rows, left=2)
    if robot.coupling is not None:
        say("Its motors and joints are coupled.")
    if robot.mimic:
        say(f"Joints that follow another: {', '.join(robot.joints[m.joint].name for m in robot.mimic)}.")


def _experiment(path: Path, json: bool) -> None:
    from optid.experiment import read_experiment, validate_file

    faults = list(validate_file(path))
    experiment = _read(path)
    if experiment is None and len(faults) == 1 and not json:
        read_experiment(path)  # raises what there is to say
    if json:
        listed = [{"place": f.place, "found": f.found, "expected": f.expected, "hint": f.hint, "severity": f.severity} for f in faults]
        show_json({"file": _kind(experiment), **(_described(experiment) if experiment is not None else {}), "faults": listed})
    else:
        if experiment is not None:
            _print(path, experiment)
        for fault in faults:
            say(f"{fault.severity}: {fault}")
        if not faults:
            say("No faults found.")
    if any(fault.severity == "error" for fault in faults):
        raise typer.Exit(EXIT_WRONG)


def _read(path: Path) -> Experiment | None:
    """What can be read of the file; its faults are listed elsewhere."""
    import warnings

    from optid.errors import OptidError, OptidWarning
    from optid.experiment import read_experiment

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OptidWarning)
        try:
            return read_experiment(path, partial=True)
        except OptidError:
            return None


def _kind(experiment: Experiment | None) -> str:
    if experiment is None:
        return "unreadable"
    return "recording" if experiment.trials else "fitted model" if experiment.results else "empty experiment"


def _described(experiment: Experiment) -> dict[str, Any]:
    from optid.report.numbers import plain

    return dict(
        plain(
            {
                "title": experiment.title,
                "created": experiment.created,
                "robot": None if experiment.robot is None else experiment.robot.name,
                "trials": {name: _trial(t) for name, t in experiment.trials.items()},
                "results": {name: _result(r) for name, r in experiment.results.items()},
            }
        )
    )


def _trial(trial: Trial) -> dict[str, Any]:
    import numpy as np

    steps = np.diff(trial.time)
    forward = steps[steps > 0]
    return {
        "role": trial.role,
        "joints": trial.n,
        "joint_names": trial.joint_names,
        "samples": trial.n_samples,
        "invalid": int((~trial.valid).sum()),
        "duration": float(trial.time[-1] - trial.time[0]) if trial.n_samples else 0.0,
        "median_step": float(np.median(forward)) if len(forward) else None,
        "signals": [s for s in ("q", "dq", "ddq", "tau", "current") if getattr(trial, s) is not None],
        "period": trial.period,
    }


def _result(result: Any) -> dict[str, Any]:
    """What a result says; parts that are of the wrong kind are left out, they are among the faults."""
    from optid.errors import FileError
    from optid.experiment.typed import numbers, texts

    try:
        names = texts(result.get("parameter_names", ()), "")
        values, sigmas = (numbers(result.get(what, ()), "").ravel().tolist() for what in ("values", "sigmas"))
    except FileError:
        names, values, sigmas = (), [], []
    parameters = [{"formula": n, "value": v, "sigma": s} for n, v, s in zip(names, values, sigmas, strict=False)]
    return {"format": result.get("format", ""), "method": result.get("method", ""), "parameters": parameters}


def _print(path: Path, experiment: Experiment) -> None:
    robot = f", robot {experiment.robot.name!r}" if experiment.robot is not None else ""
    say(f"{path}: {_kind(experiment)} {experiment.title!r}{robot}, created {experiment.created or 'at an unknown time'}")
    rows = []
    for name, trial in experiment.trials.items():
        t = _trial(trial)
        step = "-" if t["median_step"] is None else f"{1e3 * t['median_step']:.4g}"
        rows.append((name, t["role"], ", ".join(t["signals"]), t["joints"], t["samples"], t["invalid"], t["duration"], step, t["period"] or "-"))
    if rows:
        show_table("trials", ("trial", "role", "signals", "joints", "samples", "invalid", "seconds", "median step [ms]", "period [s]"), rows, left=3)
    for name, result in experiment.results.items():
        shown = _result(result)
        lines = [(p["formula"], p["value"], p["sigma"]) for p in shown["parameters"]]
        if lines:
            show_table(f"result {name!r} {shown['method']}", ("parameter", "value", "sigma"), lines)
        else:
            say(f"result {name!r}")
