"""A robot as URDF text."""

from __future__ import annotations

import math
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

import numpy as np
from numpy.typing import ArrayLike

from optid.errors import RobotError, sentence

from .link import PARAMETER_STEMS, Link
from .robot import Robot
from .transform import Transform
from .urdf_elements import UNLIMITED


def robot_to_urdf(robot: Robot) -> str:
    """URDF text of a robot: the same motion and torque when read back, in the URDF's own link frames (on the joint, so what stands behind a joint's motion is
    moved into its bodies and the next joint).

    A URDF has no place for gravity, drives, coupling or acceleration limits: give them again after reading, or keep the robot in its own file
    (:meth:`Robot.save`).

    Raises
    ------
    RobotError
        For a link with moments but no mass: a URDF states the centre of mass.

    Examples
    --------
    >>> from optid import Robot, library
    >>> from optid.robot import robot_to_urdf
    >>> Robot.from_urdf(robot_to_urdf(library.planar_2r())).links[1].mass
    1.5
    """
    root = Element("robot", name=robot.name)
    names = [f"link{i}" for i in range(robot.n_links + 1)]
    own = [link.name for link in robot.links]
    if all(own) and len({*own, "base", "tool"}) == len(own) + 2:
        names = ["base", *own]
    SubElement(root, "link", name=names[0])
    follows = {m.joint: m for m in robot.mimic}
    column = {joint: k for k, joint in enumerate(robot.independent)}
    pose = robot.base
    for i, (joint, link) in enumerate(zip(robot.joints, robot.links, strict=True)):
        _link(root, names[i + 1], link.placed(joint.after))
        coordinate = column.get(i)
        limits = _limits(robot, coordinate)
        bounded = min(-limits["lower"], limits["upper"]) < math.inf
        kind = "prismatic" if not joint.revolute else "revolute" if bounded else "continuous"
        element = SubElement(root, "joint", name=joint.name, type=kind)
        _joint(element, names[i], names[i + 1], pose @ joint.before)
        SubElement(element, "axis", xyz=_text(joint.axis))
        SubElement(element, "dynamics", damping=_number(joint.viscous), friction=_number(joint.coulomb))
        SubElement(element, "limit", {key: _number(max(-UNLIMITED, min(UNLIMITED, value))) for key, value in limits.items()})
        if i in follows:
            m = follows[i]
            SubElement(element, "mimic", joint=robot.joints[m.source].name, multiplier=_number(m.multiplier), offset=_number(m.offset))
        pose = joint.after
    SubElement(root, "link", name="tool")
    _joint(SubElement(root, "joint", name="tool_mount", type="fixed"), names[-1], "tool", pose @ robot.tool)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode") + "\n"


def _number(value: float) -> str:
    return repr(float(value))


def _text(values: ArrayLike) -> str:
    return " ".join(_number(v) for v in np.asarray(values, dtype=float))


def _joint(element: Element, parent: str, child: str, origin: Transform) -> None:
    SubElement(element, "parent", link=parent)
    SubElement(element, "child", link=child)
    SubElement(element, "origin", xyz=_text(origin.translation), rpy=_text(origin.rpy))


def _limits(robot: Robot, coordinate: int | None) -> dict[str, float]:
    limits = robot.limits
    if coordinate is None:
        return {"lower": -math.inf, "upper": math.inf, "velocity": math.inf, "effort": math.inf}
    columns = {"lower": limits.lower, "upper": limits.upper, "velocity": limits.velocity, "effort": limits.torque}
    return {key: column[coordinate] for key, column in columns.items()}


def _link(root: Element, name: str, link: Link) -> None:
    element = SubElement(root, "link", name=name)
    com, central = link.com, link.inertia_about_com
    if com is None or central is None:
        moments = [stem for stem, value in zip(PARAMETER_STEMS, link.parameters, strict=True) if value]
        if moments:
            raise RobotError(sentence(f"link {link.name!r}", f"{', '.join(moments)} without mass", "a mass", "A URDF cannot hold first moments without mass."))
        return
    inertial = SubElement(element, "inertial")
    SubElement(inertial, "mass", value=_number(link.mass))
    SubElement(inertial, "origin", xyz=_text(com), rpy="0 0 0")
    keys = {"ixx": (0, 0), "ixy": (0, 1), "ixz": (0, 2), "iyy": (1, 1), "iyz": (1, 2), "izz": (2, 2)}
    SubElement(inertial, "inertia", {key: _number(central[at]) for key, at in keys.items()})
