"""What was understood of a recording, before anything is made of it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .suspicions import Suspicion, suspect
from .trial import SIGNALS, Trial

if TYPE_CHECKING:
    from optid.robot import Robot

ROWS = 3
_GAP = 5.0
_UNITS = {
    "q": ("rad", "m"),
    "dq": ("rad/s", "m/s"),
    "ddq": ("rad/s²", "m/s²"),
    "tau": ("N m", "N"),
    "current": ("A", "A"),
}


@dataclass(frozen=True)
class SignalColumn:
    """One column of a signal: its range (of the samples that are numbers), and its first values."""

    signal: str
    joint: str
    unit: str
    smallest: float | None
    largest: float | None
    mean: float | None
    first: tuple[float, ...]


@dataclass(frozen=True)
class Pace:
    """The time axis.

    Attributes
    ----------
    span : float [s]
    rate : float or None [Hz]
        1 / the median step.
    smallest, median, largest : float or None [s]
        Steps.
    jitter : float or None [s]
        Standard deviation of the steps that are no gaps.
    gaps, equal, backward : int
        Steps above five medians, stamps equal to the one before, steps back.
    """

    span: float
    rate: float | None
    smallest: float | None
    median: float | None
    largest: float | None
    jitter: float | None
    gaps: int
    equal: int
    backward: int

    @classmethod
    def of(cls, trial: Trial) -> Pace:
        """Of a trial's stamps."""
        time = trial.time[np.isfinite(trial.time)]
        step = np.diff(time)
        forward = step[step > 0]
        if len(forward) == 0:
            return cls(0.0, None, None, None, None, None, 0, int((step == 0).sum()), int((step < 0).sum()))
        median = float(np.median(forward))
        near = forward[forward <= _GAP * median]
        counts = (int((step > _GAP * median).sum()), int((step == 0).sum()), int((step < 0).sum()))
        return cls(float(time[-1] - time[0]), 1 / median, float(step.min()), median, float(step.max()), float(near.std()), *counts)

    def __str__(self) -> str:
        if self.rate is None or self.median is None:
            return "no time passes"
        ends = f"{1e3 * (self.smallest or 0.0):.4g} to {1e3 * (self.largest or 0.0):.4g} ms"
        text = f"{self.span:.6g} s at {self.rate:.6g} Hz (steps {ends}, jitter {1e3 * (self.jitter or 0.0):.3g} ms"
        for count, what in ((self.gaps, "gaps"), (self.equal, "equal stamps"), (self.backward, "steps back")):
            text += f", {count} {what}" if count else ""
        return f"{text})"


@dataclass(frozen=True)
class Preview:
    """What was understood of a recording.

    Attributes
    ----------
    trial, role : str
    n_samples, n_dropped : int
    joints : tuple of str
        Names, or "column 1", … where none are stored.
    pace : Pace
    columns : tuple of SignalColumn
    suspicions : tuple of Suspicion
    errors : tuple of str
        Why the trial cannot be used; empty when it can.

    Examples
    --------
    >>> import numpy as np
    >>> from optid import Trial
    >>> from optid.experiment import Preview
    >>> trial = Trial(np.arange(100) * 0.01, np.zeros((100, 1)), tau=np.ones((100, 1)), joint_names=("swing",))
    >>> Preview.of(trial).n_samples, Preview.of(trial).joints
    (100, ('swing',))
    """

    trial: str
    role: str
    n_samples: int
    n_dropped: int
    joints: tuple[str, ...]
    pace: Pace
    columns: tuple[SignalColumn, ...]
    suspicions: tuple[Suspicion, ...]
    errors: tuple[str, ...]

    @classmethod
    def of(cls, trial: Trial, robot: Robot | None = None, said: Sequence[str] = ()) -> Preview:
        """Look at a trial.

        Parameters
        ----------
        trial : Trial
        robot : Robot, optional
            Whose joints these are; see :func:`~optid.experiment.suspect`.
        said : texts
            Warnings of the import, which come first among the suspicions (as kind "import").
        """
        fits = robot is not None and robot.n == trial.n
        slides = [not robot.joints[i].revolute for i in robot.independent] if robot is not None and fits else [False] * trial.n
        joints = trial.joint_names or tuple(f"column {j + 1}" for j in range(trial.n))
        columns = []
        for what in SIGNALS:
            values = getattr(trial, what)
            if values is None:
                continue
            for j in range(trial.n):
                x = values[np.isfinite(values[:, j]), j]
                least, most, mean = (float(x.min()), float(x.max()), float(x.mean())) if len(x) else (None, None, None)
                unit = _UNITS[what][slides[j]] if fits else "/".join(dict.fromkeys(_UNITS[what]))
                columns.append(SignalColumn(what, joints[j], unit, least, most, mean, tuple(float(v) for v in values[:ROWS, j])))
        found = (*(Suspicion("import", text) for text in said), *suspect(trial, robot))
        dropped = int(trial.attributes.get("rows_dropped", 0))
        return cls(trial.name, trial.role, trial.n_samples, dropped, joints, Pace.of(trial), tuple(columns), found, tuple(_errors(trial, robot)))

    def to_dict(self) -> dict[str, Any]:
        """The same as nested dictionaries, lists, numbers and text; what is no number is None."""
        found: dict[str, Any] = _plain(asdict(self))
        return found


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _errors(trial: Trial, robot: Robot | None) -> list[str]:
    """Why a trial cannot be used."""
    errors = []
    if trial.n_samples < 2:
        errors.append(f"trial {trial.name!r}: {trial.n_samples} samples, expected at least 2.")
    elif not np.nanmax(trial.time, initial=-math.inf) > np.nanmin(trial.time, initial=math.inf):
        errors.append(f"time of trial {trial.name!r}: it stands still, expected increasing stamps.")
    if robot is not None and robot.n != trial.n:
        errors.append(f"trial {trial.name!r}: {trial.n} joints, expected the {robot.n} of robot {robot.name!r}: {', '.join(robot.joint_names)}.")
    return errors
