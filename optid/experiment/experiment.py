"""An experiment: trials of one robot, with its description, the design of the motion and the results found from them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from optid.brief import brief
from optid.errors import DataError, ShapeError, sentence, unknown_name

from .equality import same
from .trial import Trial


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _expect(value: Any, kind: type, what: str, wanted: str) -> None:
    """Refuse a value of another kind."""
    if not isinstance(value, kind):
        raise DataError(sentence(what, f"a value of type {type(value).__name__}", wanted))


@dataclass(frozen=True, eq=False)
class RobotInfo:
    """What an experiment file says about its robot.

    Attributes
    ----------
    name : str
    description : str
        Text of the robot's TOML or URDF file, empty when it is not known.
    joint_names, parameter_names : tuples of str
    gains : (n,) or None [N m/A]
        Joint torque per motor current.
    coupling : (n, n) or None
        ``q = C θ``, see :class:`optid.robot.Robot`.

    Examples
    --------
    >>> from optid import library
    >>> from optid.experiment import RobotInfo
    >>> RobotInfo.of(library.planar_2r()).joint_names
    ('joint1', 'joint2')
    """

    name: str = ""
    description: str = field(default="", repr=False)
    joint_names: tuple[str, ...] = ()
    parameter_names: tuple[str, ...] = ()
    gains: NDArray[np.float64] | None = None
    coupling: NDArray[np.float64] | None = None

    __repr__ = brief

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "name", str(self.name))
        put(self, "joint_names", tuple(str(x) for x in self.joint_names))
        put(self, "parameter_names", tuple(str(x) for x in self.parameter_names))
        for what, ndim in (("gains", 1), ("coupling", 2)):
            if getattr(self, what) is not None:
                array = np.array(getattr(self, what), dtype=float)
                if array.ndim != ndim or len(set(array.shape)) > 1:
                    raise ShapeError(sentence(f"{what} of robot {self.name!r}", f"shape {array.shape}", "(n,)" if ndim == 1 else "(n, n)"))
                put(self, what, array)

    @property
    def sha256(self) -> str:
        """Hash of the description text."""
        return sha256(self.description.encode("utf-8", "surrogatepass")).hexdigest()

    @classmethod
    def of(cls, robot: Any, parameter_names: Iterable[str] = (), gains: Any = None, description: str | None = None) -> RobotInfo:
        """From a :class:`optid.robot.Robot`; ``description`` defaults to the text it was read from, else to its TOML form."""
        from optid.robot import robot_to_toml

        return cls(
            name=robot.name,
            description=description if description is not None else robot.source or robot_to_toml(robot),
            joint_names=robot.joint_names,
            parameter_names=tuple(parameter_names),
            gains=gains,
            coupling=robot.coupling,
        )

    def __eq__(self, other: object) -> bool:
        return same(self, other) if isinstance(other, RobotInfo) else NotImplemented

    __hash__ = None  # type: ignore[assignment]


@dataclass(frozen=True, eq=False)
class Experiment:
    """Trials of one robot and everything that belongs to them.

    Attributes
    ----------
    title : str
    trials : mapping name → Trial
        A sequence of trials is taken too; names must differ.
    robot : RobotInfo or None
    design : mapping
        Optional design of the motion: coefficients, period, criterion, solver, seed.
    results : mapping name → mapping
        Each result: arrays, numbers, text, None, nested mappings (``parameter_names``, ``values``, ``sigmas``, ``units``, ``covariance``, …).
    attributes : mapping
        Free notes.
    created : str
        Date and time, ISO 8601.

    Examples
    --------
    >>> from optid import Experiment
    >>> from optid.testing import example_recording
    >>> Experiment("swings", [example_recording(name="monday")])["monday"].n_samples  # 4 s at 100 Hz
    401
    """

    title: str = ""
    trials: Mapping[str, Trial] = field(default_factory=dict)
    robot: RobotInfo | None = None
    design: Mapping[str, Any] = field(default_factory=dict)
    results: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    attributes: Mapping[str, Any] = field(default_factory=dict)
    created: str = field(default_factory=_now)

    __repr__ = brief

    def __post_init__(self) -> None:
        put = object.__setattr__
        given: Any = self.trials
        _expect(self.title, str, "title of an experiment", "text")
        where = f"experiment {self.title!r}"
        if isinstance(given, Trial):
            given = [given]
        _expect(given, Iterable, f"trials of {where}", "a mapping name → Trial, or a sequence of trials")
        given = given if isinstance(given, Mapping) else list(given)
        for trial in given.values() if isinstance(given, Mapping) else given:
            _expect(trial, Trial, f"trial of {where}", "a Trial")
        if self.robot is not None:
            _expect(self.robot, RobotInfo, f"robot of {where}", "a RobotInfo, such as RobotInfo.of(robot)")
        for what in ("design", "results", "attributes"):
            _expect(getattr(self, what), Mapping, f"{what} of {where}", "a mapping")
        for name, result in self.results.items():
            _expect(result, Mapping, f"result {name!r} of {where}", "a mapping")
        if not isinstance(given, Mapping):
            names = [trial.name for trial in given]
            repeated = sorted({x for x in names if names.count(x) > 1})
            if repeated:
                raise DataError(sentence(f"trials of experiment {self.title!r}", f"the name {repeated[0]!r} twice", "a name of its own for each trial"))
            given = dict(zip(names, given, strict=True))
        put(self, "trials", {str(name): trial if trial.name == name else replace(trial, name=str(name)) for name, trial in given.items()})
        put(self, "design", dict(self.design))
        put(self, "results", {str(name): dict(result) for name, result in self.results.items()})
        put(self, "attributes", dict(self.attributes))

    def __getitem__(self, name: str) -> Trial:
        """The trial of that name."""
        if name not in self.trials:
            raise unknown_name("trial", name, self.trials)
        return self.trials[name]

    def with_role(self, role: str) -> tuple[Trial, ...]:
        """The trials meant for ``"identification"`` or ``"validation"``."""
        return tuple(trial for trial in self.trials.values() if trial.role == role)

    def __eq__(self, other: object) -> bool:
        return same(self, other) if isinstance(other, Experiment) else NotImplemented

    __hash__ = None  # type: ignore[assignment]
