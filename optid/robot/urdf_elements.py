"""The links and joints of a URDF, element by element, before they are ordered into a chain."""

from __future__ import annotations

import math
from dataclasses import dataclass
from warnings import warn
from xml.etree.ElementTree import Element

import numpy as np

from optid.errors import DataWarning, RobotError, sentence

from .joint import PRISMATIC, REVOLUTE
from .link import Link, inertia_matrix
from .transform import Transform, Vector3, exact_cos_sin
from .urdf_xml import attribute, child, number, numbers

MOVING = {"revolute": REVOLUTE, "continuous": REVOLUTE, "prismatic": PRISMATIC}
FIXED = "fixed"
UNLIMITED = 1e300
"""Limits of this size mean none: a URDF must state numbers, and most readers refuse ``inf``."""


DEGREES = 4 * math.pi
"""A revolute joint with a position limit beyond this [rad] was probably described in degrees."""


@dataclass(frozen=True)
class UrdfJoint:
    """A ``<joint>``: where it is, how it moves, what it follows."""

    name: str
    type: str
    parent: str
    child: str
    origin: Transform
    axis: Vector3
    limits: tuple[float, float, float, float]  # lower, upper, velocity, effort; inf where there is none
    viscous: float
    coulomb: float
    mimic: tuple[str, float, float] | None  # source, multiplier, offset

    def held(self, position: float) -> Transform:
        """Pose of the child frame in the parent frame with the joint held at a position [rad, m]."""
        axis = np.array(self.axis) / np.linalg.norm(self.axis)
        if MOVING.get(self.type) == PRISMATIC:
            return self.origin @ Transform.trans(*(position * axis))
        c, s = exact_cos_sin(position)
        x, y, z = axis
        cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
        return self.origin @ Transform.of(c * np.eye(3) + s * cross + (1 - c) * np.outer(axis, axis))


def quarter_turns(angles: tuple[float, ...], snap: float) -> Vector3:
    """Angles [rad] with those within ``snap`` of a quarter turn replaced by it."""
    nearest = [round(a / (math.pi / 2)) * (math.pi / 2) for a in angles]
    return tuple(n if abs(a - n) <= snap else a for a, n in zip(angles, nearest, strict=True))  # type: ignore[return-value]


def origin_of(parent: Element, place: str, snap: float) -> Transform:
    """``<origin>`` of a joint or an inertial; missing parts are zero."""
    element = child(parent, "origin", place)
    xyz = numbers(element, "xyz", 3, f"<origin> of {place}", (0.0, 0.0, 0.0))
    rpy = numbers(element, "rpy", 3, f"<origin> of {place}", (0.0, 0.0, 0.0))
    return Transform.from_xyz_rpy(xyz, quarter_turns(rpy, snap))


def read_link(element: Element, snap: float) -> Link:
    """A ``<link>``: no ``<inertial>`` means no body at all."""
    name = attribute(element, "name", "<link>")
    place = f"<inertial> of link {name!r}"
    inertial = child(element, "inertial", f"link {name!r}")
    if inertial is None:
        return Link(name)
    mass = number(child(inertial, "mass", place), "value", f"<mass> in {place}")
    tensor = child(inertial, "inertia", place)
    if tensor is None:
        raise RobotError(sentence(place, "no <inertia>", "<inertia ixx= ixy= ixz= iyy= iyz= izz=>", "Write zeros for a point mass."))
    elements = [number(tensor, e, f"<inertia> in {place}", None if e in ("ixx", "iyy", "izz") else 0.0) for e in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")]
    frame = origin_of(inertial, place, snap)
    central = frame.R @ inertia_matrix(elements) @ frame.R.T
    return Link.from_com(mass, frame.p, (central + central.T) / 2, name)


def read_joint(element: Element, snap: float) -> UrdfJoint:
    """A ``<joint>`` of a supported type."""
    name = attribute(element, "name", "<joint>")
    place = f"joint {name!r}"
    kind = attribute(element, "type", place)
    if kind != FIXED and kind not in MOVING:
        raise RobotError(sentence(place, f"type {kind!r}", f"one of {', '.join([*MOVING, FIXED])}", "Cut the model at this joint."))
    axis = np.array(numbers(child(element, "axis", place), "xyz", 3, f"<axis> of {place}", (1.0, 0.0, 0.0)))
    axis[np.abs(axis) <= snap * np.abs(axis).max()] = 0.0
    if kind in MOVING and not axis.any():
        raise RobotError(sentence(f"<axis> of {place}", "zero length", "a direction"))
    dynamics = child(element, "dynamics", place)
    viscous, coulomb = (number(dynamics, key, f"<dynamics> of {place}", 0.0) for key in ("damping", "friction"))
    for key, value in (("damping", viscous), ("friction", coulomb)):
        if value < 0:
            raise RobotError(sentence(f"{key} of {place}", f"{value:g}", "a value >= 0"))
    return UrdfJoint(
        name,
        kind,
        attribute(child(element, "parent", place), "link", f"<parent> of {place}"),
        attribute(child(element, "child", place), "link", f"<child> of {place}"),
        origin_of(element, place, snap),
        tuple(float(a) for a in axis),  # type: ignore[arg-type]
        _limits(element, kind, place),
        viscous,
        coulomb,
        _mimic(element, kind, place),
    )


def _limits(element: Element, kind: str, place: str) -> tuple[float, float, float, float]:
    limit = child(element, "limit", place)
    where = f"<limit> of {place}"
    lower, upper, velocity, effort = (number(limit, key, where, 0.0, infinite=True) for key in ("lower", "upper", "velocity", "effort"))
    has = {key: limit is not None and limit.get(key) is not None for key in ("lower", "upper", "velocity", "effort")}
    bounded = kind != "continuous" and (has["lower"] or has["upper"])
    if bounded and kind == "revolute":
        for key, value in (("lower", lower), ("upper", upper)):
            if DEGREES < abs(value) < UNLIMITED:
                warn(sentence(f"{key} limit of {place}", f"{value:g} rad", "radians", "It looks like degrees."), DataWarning, stacklevel=2)
    return (
        lower if bounded and lower > -UNLIMITED else -math.inf,
        upper if bounded and upper < UNLIMITED else math.inf,
        velocity if has["velocity"] and velocity < UNLIMITED else math.inf,
        effort if has["effort"] and effort < UNLIMITED else math.inf,
    )


def _mimic(element: Element, kind: str, place: str) -> tuple[str, float, float] | None:
    mimic = child(element, "mimic", place)
    if mimic is None or kind == FIXED:
        return None
    where = f"<mimic> of {place}"
    return attribute(mimic, "joint", where), number(mimic, "multiplier", where, 1.0), number(mimic, "offset", where, 0.0)
