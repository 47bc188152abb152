"""Robots from MJCF, MuJoCo's model format: the serial chain of hinges and slides. What changes the dynamics and is not understood is refused.

Meaning of elements and their defaults: the XML reference of MuJoCo's documentation.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import replace
from os import PathLike
from xml.etree.ElementTree import Element

import numpy as np
from numpy.typing import ArrayLike

from optid.errors import DataWarning, FileError, RobotError, sentence, unknown_name

from .joint import Drive
from .link import Link
from .mjcf_dynamics import read_gravity, refuse_constraints, refuse_unweighed
from .mjcf_elements import COMPILED, Compiler, Defaults, read_inertial, refuse
from .robot import Robot
from .transform import Transform, vector3
from .urdf import Tree, chain_robot
from .urdf_elements import DEGREES, FIXED, UrdfJoint
from .urdf_xml import number, numbers, read_xml

WORLD = "world"
_READ = ("actuator", "compiler", "default", "equality", "option", "tendon", "worldbody")
_WITHOUT_EFFECT = ("asset", "contact", "custom", "extension", "keyframe", "sensor", "size", "statistic", "visual")
_SHOWN = ("geom", "site", "camera", "light")
_ACTUATORS = ("general", "motor", "position", "velocity", "intvelocity", "damper", "dcmotor")
_DEEPEST = 200


def robot_from_mjcf(
    path_or_text: str | PathLike[str],
    tip: str | None = None,
    *,
    gravity: ArrayLike | None = None,
    locked: Mapping[str, float] | Iterable[str] = (),
    strict: bool = False,
) -> Robot:
    """A robot from an MJCF file or text.

    Hinges and slides (several in one body too) with axis, place, range and ``ref``, ``<inertial>`` in all its forms, default classes, ``damping`` and
    ``frictionloss`` (nominal viscous and Coulomb friction), ``armature`` (the joint-side rotor inertia of the drives), gravity, and the torque limits
    that ``actuatorfrcrange`` of the joints and ``forcerange`` of their actuators state are read. A link's frame stands on its joint's ``pos``, with the axes of
    its body. Bodies without joints are lumped into what carries them. Geometry, contacts and what else actuators do are not read.

    Parameters
    ----------
    path_or_text : path, or the text of an MJCF file
    tip : str, optional
        Body or site at the end of the chain; it becomes the tool frame. Default as in :func:`~optid.robot.urdf.robot_from_urdf`.
    gravity : (3,) optional [m/s²]
        In the world frame; that of the file by default.
    locked : mapping of joint name to position [rad, m], or joint names (position 0)
        Moving joints to hold still, such as a gripper's fingers.
    strict : bool
        Refuse bodies that cannot exist instead of warning.

    Raises
    ------
    FileError
        For a file that cannot be read, is not XML, is no MJCF, or has a DOCTYPE.
    RobotError
        For branches of moving joints, ball and free joints, springs, tendons, equality constraints, included files, bodies whose mass only their geometry
        tells, and wrong values; the message names the element.

    Warns
    -----
    DataWarning
        For a range of a hinge beyond two turns: degrees where radians are said, probably.
    PhysicalWarning
        For every link whose inertial parameters describe a body that cannot exist.

    Examples
    --------
    >>> from optid.robot import robot_from_mjcf
    >>> text = '''<mujoco><worldbody><body name="rod"><joint name="hinge" axis="0 1 0"/>
    ... <inertial pos="0 0 0.5" mass="2" diaginertia="0.2 0.2 0.1"/></body></worldbody></mujoco>'''
    >>> robot = robot_from_mjcf(text)
    >>> robot.joint_names, robot.links[0].mass
    (('hinge',), 2.0)
    """
    root, text, where = read_xml(path_or_text, "MJCF")
    if root.tag != "mujoco":
        hint = "Read it with Robot.from_urdf." if root.tag == "robot" else ""
        raise FileError(sentence(where, f"root element <{root.tag}>", "<mujoco>", hint))
    for element in root:
        if element.tag not in (*_READ, *_WITHOUT_EFFECT, "include"):
            raise RobotError(sentence(where, f"<{element.tag}>", f"sections out of {', '.join(_READ)}", COMPILED))
    refuse(root, ("include", "attach", "replicate", "composite", "flexcomp", "plugin"), where, COMPILED)
    model = _Model(Compiler.of(root, where), Defaults.of(root, where), where)
    bodies = root.findall("worldbody")
    if not bodies:
        raise RobotError(sentence(where, "no <worldbody>", "one with the robot's bodies"))
    for world in bodies:
        model.read_children(world, WORLD, Transform(), None, 0)
    end = None if tip is None else model.end(tip)
    tree = Tree(WORLD, model.links, tuple(model.joints))
    held = tree.held_positions(locked)
    refuse_constraints(root, model.defaults, where, set(held))
    refuse_unweighed(tree, model.unweighed, set(held))
    stated = read_gravity(root, where)
    robot = chain_robot(tree, end, stated if gravity is None else vector3(gravity, "gravity"), held, strict, root.get("model") or "robot", text, where)
    drives = [Drive.reflected(model.armature[name]) for name in robot.joint_names]
    forces = model.actuator_limits(root)
    torque = np.minimum(robot.limits.torque, [forces.get(name, math.inf) for name in robot.joint_names])
    robot = robot.with_limits(replace(robot.limits, torque=tuple(float(x) for x in torque)))
    return robot.with_drives(drives) if any(drive.rotor_inertia for drive in drives) else robot


class _Model:
    """Collects links and joints while the bodies are walked."""

    def __init__(self, compiler: Compiler, defaults: Defaults, where: str) -> None:
        self.compiler, self.defaults, self.where = compiler, defaults, where
        self.links: dict[str, Link] = {WORLD: Link(WORLD)}
        self.joints: list[UrdfJoint] = []
        self.armature: dict[str, float] = {}
        self.sites: dict[str, tuple[str, Transform]] = {}
        self.inner = {WORLD}
        self.weighed: set[str] = set()
        self.unweighed: set[str] = set()

    def read_children(self, element: Element, link: str, pose: Transform, classname: str | None, depth: int) -> None:
        """What stands in a body (or a frame in it, at ``pose`` of the body)."""
        if depth > _DEEPEST:
            raise RobotError(sentence(self.where, f"bodies nested more than {_DEEPEST} deep", "a robot"))
        for item in element:
            if item.tag == "body":
                self._read_body(item, link, pose, classname, depth)
            elif item.tag == "frame":
                place = f"frame in body {link!r}"
                wrong = next((inner.tag for inner in item if inner.tag not in ("body", "frame", *_SHOWN)), None)
                if wrong is not None:
                    raise RobotError(sentence(place, f"<{wrong}>", "bodies and geometry", COMPILED))
                self.read_children(item, link, pose @ self.compiler.pose(item, place), item.get("childclass", classname), depth + 1)
            elif item.tag == "site" and item.get("name"):
                self.sites[item.attrib["name"]] = (link, pose @ self.compiler.pose(item, f"site {item.get('name')!r}"))
            elif item.tag == "geom" and self._has_mass(item, classname) and link not in self.weighed:
                self.unweighed.add(link)
            elif item.tag not in ("inertial", "joint", "freejoint", *_SHOWN):
                raise RobotError(sentence(f"body {link!r}", f"<{item.tag}>", "hinge and slide joints, <inertial> and bodies", COMPILED))

    def _has_mass(self, geom: Element, classname: str | None) -> bool:
        values = self.defaults.values(geom, "geom", classname, self.where)
        return not any(values.get(key) is not None and number(values, key, "geom") == 0 for key in ("mass", "density"))

    def _read_body(self, body: Element, parent: str, pose: Transform, classname: str | None, depth: int) -> None:
        name = body.get("name") or f"body{len(self.links)}"
        place = f"body {name!r}"
        if name in self.links:
            raise RobotError(sentence(f"{place} of {self.where}", "a second body of this name", "unique names"))
        for key in ("mocap", "gravcomp"):
            if body.get(key, "0") not in ("0", "false"):
                raise RobotError(sentence(place, f"{key}={body.get(key)!r}", "a body that gravity and torque alone move", "Remove it."))
        classname = body.get("childclass", classname)
        inertials = body.findall("inertial")
        if len(inertials) > 1:
            raise RobotError(sentence(place, f"{len(inertials)} <inertial>", "one"))
        above, here = parent, pose @ self.compiler.pose(body, place)
        joints = [item for item in body if item.tag in ("joint", "freejoint")]
        for count, item in enumerate(joints, 1):
            above, here = self._read_joint(item, above, here, name, f"{name}_joint{count if len(joints) > 1 else ''}", classname, count == len(joints))
        self.links[name] = read_inertial(inertials[0], name, self.compiler) if inertials else Link(name)
        self.weighed |= {name} if inertials else set()
        self.joints.append(_fixed(name, above, here))
        self.read_children(body, name, Transform(), classname, depth + 1)

    def _read_joint(self, item: Element, parent: str, pose: Transform, body: str, unnamed: str, classname: str | None, last: bool) -> tuple[str, Transform]:
        """Add a joint whose body stands at ``pose`` of the link above; gives the link that it moves, and the body's pose in that one."""
        name = item.get("name") or unnamed
        place = f"joint {name!r}"
        values = self.defaults.values(item, "joint", classname, self.where)
        kind = "free" if item.tag == "freejoint" else values.get("type", "hinge")
        if kind not in ("hinge", "slide"):
            raise RobotError(sentence(place, f"type {kind!r}", "hinge or slide", "A robot's base stands still here: remove a free joint."))
        if any(joint.name == name for joint in self.joints):
            raise RobotError(sentence(f"{place} of {self.where}", "a second joint of this name", "unique names"))
        for key in ("stiffness", "springdamper"):
            if any(numbers(values, key, len(values.get(key, "0").split()), place, (0.0,))):
                raise RobotError(sentence(place, f"{key}={values.get(key)!r}", "no spring", "Add its torque with DynamicModel.with_torque_basis."))
        hinge = kind == "hinge"
        axis = np.array(numbers(values, "axis", 3, place, (0.0, 0.0, 1.0)))
        if not axis.any():
            raise RobotError(sentence(f"axis of {place}", "zero length", "a direction"))
        anchor = Transform.trans(*numbers(values, "pos", 3, place, (0.0, 0.0, 0.0)))
        unit = self.compiler.angle if hinge else 1.0
        viscous, coulomb, armature = (number(values, key, place, 0.0) for key in ("damping", "frictionloss", "armature"))
        for key, value in (("damping", viscous), ("frictionloss", coulomb), ("armature", armature)):
            if value < 0:
                raise RobotError(sentence(f"{key} of {place}", f"{value:g}", "a value >= 0"))
        lower, upper = self._range(values, place, hinge)
        effort = max(map(abs, self._limited(values, "actuatorfrc", place) or (math.inf,)))
        child = f"{body} (on {name})"
        if child in self.links:
            raise RobotError(sentence(f"body {child!r} of {self.where}", "a name like those of bodies on joints", "another name"))
        self.inner.add(child)
        self.links[child] = Link(body if last else f"{body} on {name}")
        direction = tuple(float(x) for x in axis)
        kind = "prismatic" if not hinge else "revolute" if math.isfinite(upper - lower) else "continuous"
        joint = UrdfJoint(name, kind, parent, child, pose @ anchor, direction, (lower, upper, math.inf, effort), viscous, coulomb, None)  # type: ignore[arg-type]
        self.joints.append(replace(joint, origin=joint.held(-unit * number(values, "ref", place, 0.0))))
        self.armature[name] = armature
        return child, anchor.inverse()

    def _range(self, values: Element, place: str, hinge: bool) -> tuple[float, float]:
        ends = self._limited(values, "", place)
        if ends is None:
            return -math.inf, math.inf
        lower, upper = (self.compiler.angle * x if hinge else x for x in ends)
        if hinge and max(abs(lower), abs(upper)) > DEGREES:
            found = f"{ends[0]:g} to {ends[1]:g} {self.compiler.unit}"
            hint = 'They look like degrees: <compiler angle="degree"/>.' if self.compiler.unit == "rad" else ""
            warnings.warn(sentence(f"range of {place}", found, "at most two turns", hint), DataWarning, stacklevel=8)
        return lower, upper

    def _limited(self, values: Element, stem: str, place: str) -> tuple[float, ...] | None:
        """A range that holds: said to be limited, or given while ranges limit by themselves."""
        key, switch = f"{stem}range", f"{stem}limited"
        said = values.get(switch, "auto")
        if said not in ("true", "false", "auto"):
            raise RobotError(sentence(f"{switch} of {place}", repr(said), "true, false or auto"))
        if said == "auto" and values.get(key) is not None and not self.compiler.autolimits:
            raise RobotError(sentence(place, f"{key} without {switch}", f"{switch}='true' or 'false' where autolimits is false"))
        if said == "false" or (said == "auto" and values.get(key) is None):
            return None
        return numbers(values, key, 2, place)

    def actuator_limits(self, root: Element) -> dict[str, float]:
        """Largest torque of the actuators of a joint: their ranges times their gears, added up."""
        found: dict[str, float] = {}
        for item in (x for section in root.findall("actuator") for x in section if x.get("joint")):
            place = f"actuator {item.get('name')!r}"
            values = self.defaults.values(item, _ACTUATORS, None, self.where)
            ends = self._limited(values, "force", place)
            gear = numbers(values, "gear", len(values.get("gear", "1").split()), place, (1.0,))
            limit = math.inf if ends is None else max(map(abs, ends)) * abs(gear[0])
            found[item.attrib["joint"]] = found.get(item.attrib["joint"], 0.0) + limit
        return found

    def end(self, name: str) -> str:
        """The link that a body or a site is; a site becomes one."""
        if name in self.sites and name not in self.links:
            link, pose = self.sites[name]
            self.links[name] = Link(name)
            self.joints.append(_fixed(name, link, pose))
        elif name not in self.links or name in self.inner:
            raise unknown_name("tip body or site", name, [*(x for x in self.links if x not in self.inner), *self.sites])
        return name


def _fixed(name: str, parent: str, pose: Transform) -> UrdfJoint:
    """The joint that fixes a link to the one above."""
    return UrdfJoint(f"{name} (fixed)", FIXED, parent, name, pose, (1.0, 0.0, 0.0), (-math.inf, math.inf, math.inf, math.inf), 0.0, 0.0, None)
