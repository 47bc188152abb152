"""Stiffness of the joints of a robot from a trial: gears and rotor inertias are the robot's, link angles those of a second trial or of the trial itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.arrays import finite, numbers
from optid.errors import DataError, RobotError, ShapeError, sentence, unknown_name
from optid.experiment import Trial
from optid.identification.prepare import arranged
from optid.model.arguments import instance
from optid.robot import Robot

from .stiffness import CUTOFFS, StiffnessEstimate, stiffness_from_encoders
from .two_masses import TwoMassEstimate, two_mass_from_motor

Array = NDArray[np.float64]


def recorded_stiffness(
    robot: Robot,
    trial: Trial,
    link: Trial | None = None,
    *,
    axes: Sequence[str] | None = None,
    antiresonances: Mapping[str, float] | None = None,
    fit_rotor: bool = False,
    damping: bool = False,
    cutoffs: ArrayLike | None = None,
    level: float = 0.95,
) -> dict[str, StiffnessEstimate | TwoMassEstimate]:
    """Stiffnesses by joint, with intervals; see :func:`~optid.flexibility.stiffness.stiffness_from_encoders` and
    :func:`~optid.flexibility.two_masses.two_mass_from_motor`.

    Parameters
    ----------
    robot : Robot
        Its drives state gears and rotor inertias.
    trial : Trial
        ``q`` are the motors' angles and ``tau`` (or ``current``) the motors' torques, both on the joint side of the gears. An attribute ``link`` (N, n) may
        hold the angles that encoders on the links read [rad].
    link : Trial, optional
        Recorded at the same times, ``q`` being the link angles.
    axes : names of joints, optional
        All by default whose link encoder turns, or whose antiresonance is given.
    antiresonances : mapping joint → Hz, optional
        Joints to fit from the motor alone, and first guesses.
    fit_rotor : bool
        Fit rotor inertias instead of taking those of the drives.
    damping : bool
        Fit dampers, too, where there are link encoders.
    cutoffs : (k,), optional [Hz]
    level : float
        Of the intervals.

    Raises
    ------
    DataError, RobotError, ShapeError, UnknownNameError
        Nothing to fit; a joint without rotor inertia, or one whose motor is coupled with others.

    Examples
    --------
    >>> import numpy as np
    >>> from optid import Drive, Trial, library
    >>> from optid.flexibility import recorded_stiffness
    >>> robot = library.emps().with_drives([Drive(gear=10.0, rotor_inertia=1e-3)])
    >>> t = np.arange(0, 60, 0.005)
    >>> link = np.sin(2 * np.pi * 0.5 * t)
    >>> twist = 1e-4 * (np.sin(2 * np.pi * 0.3 * t) + np.cos(2 * np.pi * 0.7 * t))
    >>> rotor = 0.1 * np.gradient(np.gradient(link + twist, 0.005), 0.005)
    >>> trial = Trial(t, link + twist, tau=1e6 * twist + rotor, attributes={"link": link[:, None]})
    >>> round(recorded_stiffness(robot, trial)[robot.joint_names[0]].stiffness / 1e6, 3)
    1.0
    """
    instance(robot, Robot, "robot of a stiffness")
    instance(trial, Trial, "trial of a stiffness")
    motor, rate = arranged(trial, robot), _rate(trial)
    turned = _link_angles(robot, motor, link)
    guesses = {} if antiresonances is None else antiresonances
    instance(guesses, Mapping, "antiresonances of a stiffness", "Such as {'joint2': 8.0}.")
    instance(() if axes is None else axes, (tuple, list), "axes of a stiffness", "Names of joints.")
    names = robot.joint_names
    for name in (*(axes or ()), *guesses):
        if name not in names:
            raise unknown_name("joint", name, names)
    seen = [] if turned is None else [name for j, name in enumerate(names) if np.ptp(turned[:, j]) > 0 and name not in guesses]
    chosen = [name for name in names if name in seen or name in guesses] if axes is None else list(axes)
    if not chosen:
        hint = "Give link= or antiresonances=: a second trial of link angles, or a guess of each joint's antiresonance to fit from the motors alone."
        raise DataError(sentence(f"trial {trial.name!r}", "no link encoder that turns", "link angles of one joint at least", hint))
    found: dict[str, StiffnessEstimate | TwoMassEstimate] = {}
    for name in chosen:
        j = names.index(name)
        gear, rotor = _drive(robot, j, fit_rotor)
        torque = motor.tau[:, j] / gear  # type: ignore[index]
        bands = None if cutoffs is None else np.atleast_1d(numbers(cutoffs, "cut-offs of a stiffness")).tolist()
        if name in guesses:
            found[name] = two_mass_from_motor(motor.q[:, j], torque, rate, gear, guesses[name], rotor, bands, level)
        elif turned is None:
            raise DataError(sentence(f"joint {name!r} of trial {trial.name!r}", "no link angle, no antiresonance", "one of them"))
        else:
            found[name] = stiffness_from_encoders(
                motor.q[:, j], turned[:, j], torque, rate, gear, rotor, damping, CUTOFFS if bands is None else bands, level=level
            )
    return found


def _rate(trial: Trial) -> float:
    """Samples in a second; all of them must be good, and steady."""
    if not trial.valid.all():
        hint = "Choose a stretch: trial.window(start, stop)."
        raise DataError(sentence(f"trial {trial.name!r}", f"{int(np.sum(~trial.valid))} samples that must not be used", "none", hint))
    steps = np.diff(trial.time)
    if len(steps) < 1 or not np.all(steps > 0) or np.ptp(steps) > 0.02 * np.mean(steps):
        found = f"{len(trial.time)} samples" if len(steps) < 1 else f"steps of {steps.min():.3g} to {steps.max():.3g} s"
        raise DataError(sentence(f"time of trial {trial.name!r}", found, "a steady clock", "Resample it first."))
    return float(1 / np.mean(steps))


def _link_angles(robot: Robot, motor: Trial, link: Trial | None) -> Array | None:
    """Link angles (N, n), when there are any."""
    if link is None:
        given = motor.attributes.get("link")
        return None if given is None else finite(given, (motor.n_samples, motor.n), f"link angles of trial {motor.name!r}")
    instance(link, Trial, "link angles of a stiffness")
    other = link.reordered(robot.joint_names) if link.joint_names else link
    if other.q.shape != motor.q.shape:
        raise ShapeError(sentence(f"link angles {link.name!r}", f"shape {other.q.shape}", f"{motor.q.shape}, those of the motors in trial {motor.name!r}"))
    if np.abs(other.time - motor.time).max() > 0.02 * float(np.mean(np.diff(motor.time))):
        raise DataError(sentence(f"link angles {link.name!r}", "other times", f"those of trial {motor.name!r}", "Resample one of them."))
    return finite(other.q, motor.q.shape, f"link angles {link.name!r}")


def _drive(robot: Robot, j: int, fit_rotor: bool) -> tuple[float, float | None]:
    """Gear, and rotor inertia when it is not fitted."""
    name, drive, own = robot.joint_names[j], robot.drives[j], np.eye(robot.n)[j]
    if not (np.array_equal(robot.C[j], own) and np.array_equal(robot.C[:, j], own)):
        raise RobotError(sentence(f"joint {name!r} of robot {robot.name!r}", "a motor that is coupled with others", "one that turns this joint alone"))
    if not fit_rotor and not drive.rotor_inertia > 0:
        raise RobotError(sentence(f"drive of joint {name!r}", "no rotor inertia", "one above 0 [kg m²]", "Give the robot its drives, or fit the rotor."))
    return drive.gear, None if fit_rotor else drive.rotor_inertia
