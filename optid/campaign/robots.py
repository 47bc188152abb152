"""The robot of a campaign, and whether a recording is of the same one."""

from __future__ import annotations

from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path

import numpy as np

from optid.errors import DataError, LimitsError, MissingFileError, OptidError, RobotError, sentence, unknown_name
from optid.experiment import RobotInfo
from optid.robot import Limits, Link, Robot, Transform, load_robot, robot_from_toml, robot_from_urdf, robot_to_toml

from .read import CampaignFile
from .schema_robot import LimitsPart
from .tables import DEGREES

LIBRARY = "library:"
URDF = (".urdf", ".xml", ".xacro")
SAME = 1e-6
"""Largest difference [rad, m] of joint axes that rounding explains."""
GRAVITY = 0.05
"""Largest difference of gravity [m/s²] that is one of its digits, not of the mounting."""


def robot_of(file: CampaignFile) -> Robot:
    """The robot that the campaign describes, with its payload and limits.

    Raises
    ------
    MissingFileError, FileError, RobotError, LimitsError, UnknownNameError
    """
    part = file.campaign.robot
    robot = _described(file)
    if part.gravity is not None:
        robot = robot.with_gravity(part.gravity)
    if part.payload is not None:
        try:
            body = Link.from_com(part.payload.mass, part.payload.com, part.payload.inertia, "payload")
        except RobotError as error:
            raise RobotError(f"{file.place('robot.payload')}: {error}") from None
        robot = robot.with_links([*robot.links[:-1], robot.links[-1].lumped(body)])
    return robot.with_limits(_limits(file, robot))


def _described(file: CampaignFile) -> Robot:
    part = file.campaign.robot
    if part.source.startswith(LIBRARY):
        from optid import library

        name = part.source.removeprefix(LIBRARY)
        if name not in library.__all__:
            raise unknown_name(f"source of {file.place('robot')}: robot of the library", name, sorted(library.__all__))
        made: Robot = getattr(library, name)()
        return made
    path = file.folder / part.source
    if not path.exists():
        raise missing_robot(f"source of {file.place('robot')}", file.folder, part.source)
    if path.suffix.lower() in URDF:
        return robot_from_urdf(path, part.tip, locked=part.locked)
    for what in ("tip", "locked"):
        if getattr(part, what):
            raise DataError(sentence(f"{what} of {file.place('robot')}", f"given for {part.source}", "a URDF"))
    return load_robot(path)


def missing_robot(what: str, folder: Path, name: str) -> MissingFileError:
    """The error for a robot file that is not there, with the robot that may be meant."""
    from optid import library

    hint = f"Did you mean {LIBRARY}{name}?" if name in library.__all__ else near(folder, name)
    return MissingFileError(sentence(what, f"{name!r}, not found", "a .toml or .urdf file, or library:NAME", hint))


def near(folder: Path, name: str) -> str:
    """A question after the file that is there under a name close to ``name``; empty when there is none."""
    around = (folder / name).parent
    there = sorted(path.name for path in around.iterdir()) if around.is_dir() else []
    close = get_close_matches(Path(name).name, there, n=1)
    return f"Did you mean {str(Path(name).with_name(close[0]))!r}?" if close else ""


def _limits(file: CampaignFile, robot: Robot) -> Limits:
    """The robot's limits with those of single joints in their place."""
    part: LimitsPart = file.campaign.limits
    columns = {what: list(getattr(robot.limits, what)) for what in ("lower", "upper", "velocity", "acceleration", "torque")}
    for name, given in part.joint.items():
        if name not in robot.joint_names:
            raise unknown_name(f"joint of {file.place('limits.joint')}:", name, robot.joint_names)
        k = robot.joint_names.index(name)
        raw = file.raw["limits"]["joint"][name]
        wrong = [key for key in raw if key.endswith(DEGREES)]
        if wrong and not robot.joints[robot.independent[k]].revolute:
            place = file.place(f"limits.joint.{name}")
            raise LimitsError(sentence(f"{wrong[0]} of {place}", "degrees", f"{wrong[0].removesuffix(DEGREES)} in metres", "The joint slides."))
        for what, column in columns.items():
            if getattr(given, what) is not None:
                column[k] = getattr(given, what)
    try:
        return replace(robot.limits, **{what: tuple(column) for what, column in columns.items()})
    except LimitsError as error:
        raise LimitsError(f"{file.place('limits.joint')}: {error}") from None


def difference(info: RobotInfo, robot: Robot, tip: str | None = None) -> str:
    """In what the robot that a recording describes differs from ``robot``; empty when it is the same.

    The same text is the same robot. Otherwise the names, kinds and axes of all joints at zero, gravity and couplings are compared: masses, friction and limits
    may have been corrected since.
    """
    if info.joint_names and set(info.joint_names) != set(robot.joint_names):
        return f"joints {', '.join(info.joint_names)}"
    if not info.description or info.description in (robot.source, robot_to_toml(robot)):
        return ""
    try:
        stored = robot_from_urdf(info.description, tip) if "<robot" in info.description else robot_from_toml(info.description)
    except OptidError:
        return "a description that cannot be read"
    return _first_difference(stored, robot)


def _first_difference(stored: Robot, robot: Robot) -> str:
    if stored.joint_names != robot.joint_names:
        return f"joints {', '.join(stored.joint_names)}"
    if stored.n_links != robot.n_links or stored.mimic != robot.mimic:
        return f"{stored.n_links} links" if stored.n_links != robot.n_links else "other mimic joints"
    for a, b, here, there in zip(stored.joints, robot.joints, _axes(stored), _axes(robot), strict=True):
        if a.kind != b.kind:
            return f"joint {a.name!r} of kind {a.kind}"
        apart = float(np.abs(here - there).max())
        if apart > SAME:
            return f"the axis of joint {a.name!r} elsewhere (by {apart:.3g})"
    if np.abs(np.subtract(stored.gravity, robot.gravity)).max() > GRAVITY:
        return f"gravity ({', '.join(f'{g:g}' for g in stored.gravity)})"
    if np.abs(stored.C - robot.C).max() > SAME:
        return "another coupling of motors and joints"
    return ""


def _axes(robot: Robot) -> list[np.ndarray]:
    """Of every joint the direction of its axis and, where it turns, the axis' moment about the base, with all joints at zero."""
    found = []
    pose: Transform = robot.base
    for joint in robot.joints:
        pose = pose @ joint.before
        axis = pose.R @ np.array(joint.axis)
        found.append(np.concatenate([axis, np.cross(pose.p, axis) if joint.revolute else np.zeros(3)]))
        pose = pose @ joint.after
    return found
