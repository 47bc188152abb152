"""Trials that are longer than memory stay in their file: they are read, prepared and reduced in chunks."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from optid.errors import DataWarning
from optid.experiment import Experiment, Trial
from optid.robot import Robot
from optid.signals import Preprocessing, Samples

from .prepare import arranged, collect, fitted_to, prepare, unnamed

if TYPE_CHECKING:
    from optid.experiment.stored import StoredTrial
    from optid.signals.stream import SampleStream

KEPT = 2**18
"""Samples in all up to which the trials of a file are kept in memory between passes."""

STREAMED = 2**18
"""Samples of a trial above which it is prepared in chunks."""

LOOKED_AT = 2**16
"""Samples of a long trial that are suspected of being degrees."""


@dataclass(frozen=True)
class FittedRecording:
    """A stored trial with the robot's joints in the robot's order and a torque (:func:`optid.identification.prepare.arranged`)."""

    stored: StoredTrial
    robot: Robot

    @property
    def name(self) -> str:
        """Of the trial."""
        return self.stored.name

    @property
    def role(self) -> str:
        """Of the trial."""
        return self.stored.role

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Those of the robot, where the trial has names."""
        return self.robot.joint_names if self.stored.joint_names else ()

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return self.stored.n_samples

    trusted = True

    def axis(self, start: int, stop: int) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Times of rows ``start:stop`` [s], and which are valid."""
        found: dict[str, Any] = self.stored.arrays(start, stop, ())
        return found["time"], found["valid"]

    def window(self, start: int, stop: int, signals: Iterable[str]) -> Trial:
        """Rows ``start:stop`` with q and the signals named."""
        wanted = set(signals)
        if "tau" not in wanted:
            trial = self.stored.window(start, stop, wanted)
            return trial.reordered(self.robot.joint_names) if trial.joint_names and trial.n == self.robot.n else trial
        return arranged(self.stored.window(start, stop, wanted if "tau" in self.stored.signals else {*wanted, "current"}), self.robot)


def sources(data: Any, role: str) -> list[Trial | Samples | StoredTrial]:
    """As :func:`collect`, but trials of long files are left there."""
    if isinstance(data, (str, PathLike)):
        from optid.experiment.stored import open_trials

        found = open_trials(fspath(data), role)
        if found and sum(trial.n_samples for trial in found) > KEPT and all(trial.plain for trial in found):
            for trial in found:
                if trial.n > 1 and not trial.joint_names:
                    warnings.warn(unnamed(trial.name, f"file {trial.path}"), DataWarning, stacklevel=3)
            return list(found)
        return list(collect(data, role))
    if isinstance(data, Iterable) and not isinstance(data, (Trial, Samples, Experiment)):
        return [item for part in data for item in sources(part, role)]
    return list(collect(data, role))


def prepared(item: Trial | Samples | StoredTrial, robot: Robot, options: Preprocessing) -> Samples | SampleStream:
    """Samples of one trial, in chunks where it is long."""
    if isinstance(item, (Trial, Samples)):
        return prepare(item, robot, options)
    if item.n_samples > STREAMED and options.periodic is None:
        from optid.signals.stream import SampleStream

        fitted_to(item.window(0, LOOKED_AT), robot)
        return SampleStream.of(FittedRecording(item, robot), options)
    return prepare(item.whole(), robot, options)
