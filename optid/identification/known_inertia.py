"""Drives identified with known inertias (P–Z), and whether that is better than the full base set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.errors import ShapeError, sentence
from optid.kernels.blas import one_thread
from optid.model import DynamicModel
from optid.model.arguments import instance
from optid.model.arrays import numbers
from optid.model.torque_budget import TorqueBudget, torque_budget
from optid.problems.drive_fit import DriveFit
from optid.problems.known_inertia import KnownInertia
from optid.solvers import solve
from optid.validation import ValidationResult, validate

from .pipeline import identify
from .prepare import collect

if TYPE_CHECKING:
    from optid.problems import IdentificationResult
    from optid.robot import Robot

Array = NDArray[np.float64]


@one_thread()
def identify_drives(
    model: DynamicModel,
    trials: Any,
    *,
    cad: ArrayLike | Mapping[str, float] | None = None,
    preprocessing: Any = None,
    solver: str | None = None,
) -> DriveFit:
    """Friction and rotor inertia of every axis, the links' inertias known: :class:`~optid.problems.KnownInertia`, posed and solved."""
    fit: DriveFit = solve(KnownInertia.of(model, trials, cad, preprocessing), solver=solver)
    return fit


def motor_side(robot: Robot, tau: ArrayLike) -> Array:
    """Motor torques (N, n) [N m], motor side of the gears, of joint torques (N, n)."""
    torque = numbers(tau, "joint torques")
    if torque.shape[-1:] != (robot.n,):
        raise ShapeError(sentence("joint torques", f"shape {torque.shape}", f"(..., {robot.n}), one column a joint"))
    return np.asarray(robot.motor_torque(torque) / np.array([drive.gear for drive in robot.drives]))


def drive_budget(
    validation: ValidationResult, robot: Robot, *, maximum: ArrayLike | None = None, rated: ArrayLike | None = None, allowed: ArrayLike = 1.0
) -> TorqueBudget:
    """Whether the predicted motor torques of a validated motion are what the motors can give: motor-side limits [N m], see :func:`torque_budget`."""
    instance(validation, ValidationResult, "motion of a torque budget", "validate(fit, trial) makes one.")
    predicted = motor_side(robot, validation.predicted)
    return torque_budget(validation.time, predicted, maximum=maximum, rated=rated, allowed=allowed, names=robot.joint_names)


@dataclass(frozen=True, eq=False)
class ParameterSet:
    """One way to describe the robot, fitted and tried on held-out motions.

    Attributes
    ----------
    name : str
    fit : IdentificationResult
    validations : tuple of ValidationResult
        One a held-out trial.
    robot : Robot
    """

    name: str
    fit: IdentificationResult
    validations: tuple[ValidationResult, ...]
    robot: Robot

    @property
    def n_parameters(self) -> int:
        """Parameters fitted."""
        return self.fit.base.rank

    @property
    def condition(self) -> float:
        """Condition number of the weighted equations with columns of unit norm."""
        return self.fit.determinacy.scaled_condition_number

    @property
    def worst_sigma(self) -> float:
        """Largest relative standard deviation of a parameter, by intervals that hold for correlated residuals."""
        ends = self.fit.interval()
        half, size = (ends[:, 1] - ends[:, 0]) / 2 / 1.96, np.abs(self.fit.beta)
        return float(np.max(np.divide(half, size, out=np.full(len(size), np.inf), where=size > 0)))

    @property
    def held_out(self) -> Array:
        """(T, n) relative prediction error of every held-out trial and joint."""
        return np.array([v.errors.per_joint for v in self.validations])

    @property
    def peaks(self) -> tuple[Array, Array]:
        """(T, n) and (T, n): measured and predicted peak of the motor torque [N m], magnitudes, of every held-out trial."""
        both = [[np.abs(motor_side(self.robot, x)).max(axis=0) for x in (v.tau, v.predicted)] for v in self.validations]
        found = np.array(both).reshape(-1, 2, self.robot.n)
        return found[:, 0], found[:, 1]


@dataclass(frozen=True, eq=False)
class ParameterSets:
    """The source's comparison: few parameters with CAD inertias against the full base set, on the same data."""

    known: ParameterSet
    full: ParameterSet
    drives: DriveFit

    def table(self) -> str:
        """A readable table: conditioning, held-out error and peak torque, joint by joint."""
        sets = (self.known, self.full)
        lines = [f"{'':<34} {sets[0].name:>24} {sets[1].name:>24}"]

        def row(label: str, values: Sequence[str]) -> None:
            lines.append(f"{label:<34} {values[0]:>24} {values[1]:>24}")

        row("parameters", [str(s.n_parameters) for s in sets])
        row("condition number (unit columns)", [f"{s.condition:.4g}" for s in sets])
        row("largest relative sigma", [f"{s.worst_sigma:.1%}" for s in sets])
        for t, validation in enumerate(self.known.validations):
            for j, name in enumerate(self.known.robot.joint_names):
                row(f"{validation.trial}, {name}: error", [f"{s.held_out[t, j]:.2%}" for s in sets])
                measured = self.known.peaks[0][t, j]
                row(f"  peak {measured:.4g} N m, predicted", [f"{s.peaks[1][t, j]:.4g} ({s.peaks[1][t, j] / measured - 1:+.1%})" for s in sets])
        return "\n".join(lines)


def compare_parameter_sets(
    model: DynamicModel, trials: Any, held_out: Any, *, cad: ArrayLike | Mapping[str, float] | None = None, preprocessing: Any = None
) -> ParameterSets:
    """Fit drives with known inertias and the full base set to the same recordings, and let both predict other ones.

    Parameters
    ----------
    model, trials, cad, preprocessing
        As for :func:`identify_drives`.
    held_out : Trial, Experiment, path of an experiment file, or a list of these
        What both are tried on; files and experiments give their trials with the role "validation".
    """
    others = collect(held_out, "validation")
    drives = identify_drives(model, trials, cad=cad, preprocessing=preprocessing)
    full = identify(model, trials, preprocessing=preprocessing)

    def tried(name: str, fit: IdentificationResult) -> ParameterSet:
        return ParameterSet(name, fit, tuple(validate(fit, trial, preprocessing=preprocessing) for trial in others), model.robot)

    return ParameterSets(tried("CAD inertias, drives fitted", drives.fit), tried("full base set", full), drives)
