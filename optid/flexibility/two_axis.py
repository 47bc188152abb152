"""The two-axis robot of Axelsson (2009, ch. 3): axes 2 and 3 of a six-axis arm, in the xz plane.

At zero arm 2 points up and arm 3 forward; both axes turn about +y: ``x = l2 sin q2 + l3 cos(q2 + q3)``, ``z = l2 cos q2 − l3 sin(q2 + q3)`` (3.43).
"""

from __future__ import annotations

from numpy.typing import ArrayLike

from optid.arrays import finite
from optid.errors import RobotError, sentence
from optid.model.flexible import FlexibleModel
from optid.model.flexible_joint import ElasticJoint, MotorFriction, Spring
from optid.robot import Joint, Link, Robot, Transform

POSTURES = {"folded": (-0.5, 1.0), "zero": (0.0, 0.0), "stretched": (0.0, -1.3)}
"""Start postures of the source's experiments [rad]."""
DIRECTIONS = {"++": (1.0, 1.0), "+-": (1.0, -1.0)}
LENGTHS = {"long": 0.1, "short": 0.03}
"""Lengths of the moves, on each axis [rad]."""


def two_axis_robot(lengths: ArrayLike, masses: ArrayLike, levers: ArrayLike, inertias: ArrayLike, name: str = "two-axis") -> Robot:
    """The rigid arm.

    Parameters
    ----------
    lengths, levers : (2,) [m]
        l and ξ: length of an arm, distance of its centre of mass from its axis.
    masses : (2,) [kg]
    inertias : (2,) [kg m²]
        About the centres of mass.
    """
    given = {"lengths": lengths, "levers": levers, "masses": masses, "inertias": inertias}
    (l2, l3), (x2, x3), (m2, m3), (j2, j3) = (finite(value, (2,), f"{what} of a two-axis robot") for what, value in given.items())
    if min(l2, l3) <= 0:
        raise RobotError(sentence("lengths of a two-axis robot", f"{l2:g} and {l3:g} m", "numbers above 0"))
    joints = (Joint("axis2", axis=(0, 1, 0)), Joint("axis3", before=Transform.trans(z=l2), axis=(0, 1, 0)))
    links = (Link.from_com(m2, (0, 0, x2), (j2, j2, j2), "arm2"), Link.from_com(m3, (x3, 0, 0), (j3, j3, j3), "arm3"))
    return Robot(joints, links, tool=Transform.trans(x=l3), name=name)


def set_a(stribeck: bool = False) -> FlexibleModel:
    """A large spot-welding arm. Proposed numbers, of the order of an IRB6600; the friction is that of Wernholt & Gunnarsson (SYSID 2006).

    Parameters
    ----------
    stribeck : bool
        Keep that paper's Stribeck term, or (the default) only the friction that it leaves at high speed.

    Examples
    --------
    >>> from optid.flexibility import set_a
    >>> [joint.gear for joint in set_a().joints]
    [150.0, 130.0]
    """
    coulomb, kinetic = (4.73, 0.157) if stribeck else (0.75, 1.0)
    friction = MotorFriction(0.010, coulomb, kinetic, 0.8, 3.24)
    springs = (Spring(0.9e6, 1.5e6, 3e-4), Spring(0.42e6, 0.7e6, 3e-4))
    joints = tuple(ElasticJoint(s, 1e-3 * s.high, gear, 0.015, friction) for s, gear in zip(springs, (150.0, 130.0), strict=True))
    return FlexibleModel(two_axis_robot((1.075, 1.35), (250, 350), (0.45, 0.40), (30, 90), "set A"), joints)


def set_b(sharpness: float = 0.8) -> FlexibleModel:
    """The Manutec r3 reduced to its plane: published springs, motors and friction (Otter & Türk 1988; Modelica Standard Library), straight springs.

    The offset of −0.155 m of the forearm and the centres of mass beside the arms are left out.

    Examples
    --------
    >>> from optid.flexibility import set_b
    >>> [joint.gear for joint in set_b().joints]
    [210.0, 60.0]
    """
    published = ((352_800.0, 441.0, 210.0, 0.5, 0.1 / 130), (208_800.0, 144.0, 60.0, 0.7, 0.2 / 130))
    joints = tuple(ElasticJoint(Spring(k), d, gear, 0.0013, MotorFriction(fv, fc, 1.0, sharpness, 3.24)) for k, d, gear, fc, fv in published)
    return FlexibleModel(two_axis_robot((0.65, 0.725), (56.5, 75.8), (0.205, 0.3841), (2.58, 13.396), "set B"), joints)
