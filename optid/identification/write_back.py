"""A fitted model as a robot description: bodies, friction and rotors written back, refused when a body cannot exist."""

from __future__ import annotations

from dataclasses import replace
from os import PathLike
from pathlib import Path

import numpy as np

from optid.errors import DataError, FileError, RobotError, sentence
from optid.model.arguments import instance
from optid.problems.identification_result import IdentificationResult
from optid.problems.physical_bodies import link_names
from optid.robot import Drive, Link, Robot, robot_to_urdf


def identified_robot(fit: IdentificationResult) -> Robot:
    """The robot with the fitted bodies, rotor inertias and joint friction.

    Coulomb and viscous friction that differ by direction are averaged: a robot description holds one value of each. Offsets and user-supplied torque columns
    have no place in it.

    Raises
    ------
    DataError
        The fit has no full set of standard parameters.
    RobotError
        A body cannot exist.

    Examples
    --------
    >>> from optid.identification import identified_robot
    >>> from optid.testing import example_fit, example_model
    >>> physical = example_fit(0.01, 200, method="physical", prior=example_model().nominal_parameters())
    >>> round(identified_robot(physical).links[1].mass, 2)
    1.5
    """
    instance(fit, IdentificationResult, "fit to write back", "optid.identify makes one.")
    model, robot = fit.base.model, fit.base.model.robot
    pi = fit.details.standard
    if pi is None:
        raise DataError(
            sentence(f"fit by {fit.method!r}", "base parameters alone", "a full set of standard parameters", "Fit with method='physical', or see physical_set.")
        )
    faults = [fault for link in fit.physical_report().links for fault in link.faults]
    if faults:
        more = f" ({len(faults) - 1} more)" if len(faults) > 1 else ""
        raise RobotError(f"write-back refused: {faults[0]}{more}")
    value = dict(zip(model.parameter_names, pi, strict=True))
    links = [Link.from_parameters(pi[10 * k : 10 * k + 10], name) for k, name in enumerate(link_names(robot))]
    joints = list(robot.joints)
    drives = list(robot.drives)
    for j, at in enumerate(robot.independent, 1):
        viscous = [value[f"{stem}{j}"] for stem in ("fv", "fvp", "fvn") if f"{stem}{j}" in value]
        coulomb = [sign * value[f"{stem}{j}"] for stem, sign in (("fc", 1), ("fcp", 1), ("fcn", -1)) if f"{stem}{j}" in value]
        joints[at] = replace(
            joints[at],
            viscous=float(np.mean(viscous)) if viscous else joints[at].viscous,
            coulomb=float(np.mean(coulomb)) if coulomb else joints[at].coulomb,
        )
        if f"Ia{j}" in value:
            drive: Drive = drives[j - 1]
            drives[j - 1] = replace(drive, rotor_inertia=value[f"Ia{j}"] / drive.gear**2)
    return replace(robot, links=tuple(links), joints=tuple(joints), drives=tuple(drives))


def write_robot(fit: IdentificationResult, path: str | PathLike[str]) -> None:
    """Write :func:`identified_robot` to a robot file (``.toml``: DH rows where the robot has them) or a URDF (``.urdf``).

    The URDF is written anew from the model: links that are fixed to one another are one body, meshes are not carried over.

    Raises
    ------
    DataError, RobotError
        As :func:`identified_robot`.
    FileError
        Another suffix, or a folder that cannot be written to.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from optid import Robot
    >>> from optid.identification import write_robot
    >>> from optid.testing import example_fit, example_model
    >>> with TemporaryDirectory() as folder:
    ...     write_robot(example_fit(0.01, 200, method="physical", prior=example_model().nominal_parameters()), Path(folder) / "arm.toml")
    ...     print(Robot.load(Path(folder) / "arm.toml"))
    Robot('planar 2R', 2 joints: joint1, joint2)
    """
    robot, file = identified_robot(fit), Path(path)
    if file.suffix.lower() != ".urdf":
        robot.save(file)
        return
    try:
        file.write_text(robot_to_urdf(robot), encoding="utf-8", newline="\n")
    except OSError as error:
        raise FileError(f"robot file {str(file)!r}: {error.strerror}, expected a writable folder.") from None
