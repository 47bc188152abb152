"""From what a caller has (paths, experiments, trials, samples) to samples of the robot's joints in the robot's order."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from os import PathLike, fspath
from typing import Any

from optid.errors import DataError, DataWarning, ShapeError, UnknownNameError, sentence
from optid.experiment import Experiment, Trial, read_experiment
from optid.experiment.samples import degree_faults
from optid.model.arguments import instance
from optid.robot import Robot
from optid.signals import Preprocessing, Samples


def checked_options(preprocessing: Any) -> Preprocessing:
    """The options given, or the default ones."""
    if preprocessing is None:
        return Preprocessing()
    instance(preprocessing, Preprocessing, "preprocessing", "Make them: Preprocessing(cutoff=...).")
    return preprocessing


def collect(source: Any, role: str | None = None) -> list[Trial | Samples]:
    """Flatten paths, experiments, trials and samples into a list; files and experiments give their trials of ``role`` (all for None)."""
    if isinstance(source, (Trial, Samples)):
        return [source]
    if isinstance(source, Experiment):
        trials = [t for t in source.trials.values() if role is None or t.role == role]
        if not trials:
            raise DataError(sentence(f"experiment {source.title!r}", f"no trial with role {role!r}", f"one of its {len(source.trials)} trials to have it"))
        for trial in trials:
            if trial.n > 1 and not trial.joint_names:
                warnings.warn(unnamed(trial.name, f"experiment {source.title!r}"), DataWarning, stacklevel=3)
        return list(trials)
    if isinstance(source, (str, PathLike)):
        return collect(read_experiment(fspath(source)), role)
    if isinstance(source, Iterable):
        return [item for part in source for item in collect(part, role)]
    raise DataError(sentence("trials", type(source).__name__, "trials, samples, experiments or paths of experiment files"))


def unnamed(trial: str, where: str) -> str:
    """The warning for a trial without joint names."""
    message = f"trial {trial!r} of {where}: no joint names are stored; its columns are taken in the robot's order."
    return f"{message} Give joint_names= when you import or record."


def fitted_to(trial: Trial, robot: Robot) -> Trial:
    """:func:`arranged`, with a warning when the angles look like degrees."""
    found = arranged(trial, robot)
    _suspect_degrees(found, robot)
    return found


def arranged(trial: Trial, robot: Robot) -> Trial:
    """The trial with the robot's joints in the robot's order and a torque.

    Joint names, when the trial has them, must be the robot's, in any order. A current becomes a torque only through gains of the robot's drives.
    """
    if trial.n != robot.n:
        raise ShapeError(sentence(f"trial {trial.name!r}", f"{trial.n} joints", f"{robot.n}, those of robot {robot.name!r}"))
    if trial.joint_names and trial.joint_names != robot.joint_names:
        try:
            trial = trial.reordered(robot.joint_names)
        except UnknownNameError as error:
            raise UnknownNameError(f"{error} Rename the trial's or the robot's joints so that they agree.") from None
    if trial.tau is not None:
        return trial
    if trial.current is None:
        raise DataError(sentence(f"trial {trial.name!r}", "neither torque nor current", "a torque signal to fit"))
    gains = [drive.gain for drive in robot.drives]
    if any(g is None for g in gains):
        missing = ", ".join(name for name, g in zip(robot.joint_names, gains, strict=True) if g is None)
        raise DataError(
            sentence(
                f"trial {trial.name!r}", f"current but no gain for {missing}", "a gain [N m/A] for every joint", "Set Drive(current_gain=...) on the robot."
            )
        )
    return trial.with_torque_from_current([g for g in gains if g is not None])


def _suspect_degrees(trial: Trial, robot: Robot) -> None:
    """Warn when the angles of revolute joints look like degrees."""
    turning = [j for j, i in enumerate(robot.independent) if robot.joints[i].revolute]
    if not turning:
        return
    places = (f"q of trial {trial.name!r}", f"dq of trial {trial.name!r}")
    for fault in degree_faults(trial.q[:, turning], None if trial.dq is None else trial.dq[:, turning], trial.time, places):
        warnings.warn(
            f"{fault.place}: {fault.found}, expected {fault.expected}. They may be degrees; convert them with numpy.radians().", DataWarning, stacklevel=4
        )


def prepare(item: Trial | Samples, robot: Robot, preprocessing: Preprocessing) -> Samples:
    """Samples of one trial; samples pass as they are."""
    return item if isinstance(item, Samples) else preprocessing.apply(fitted_to(item, robot))
