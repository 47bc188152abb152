"""Universal Robots UR5, UR10 and UR10e."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from optid.robot import DHRow, Drive, Limits, Link, Robot

_TWISTS = (np.pi / 2, 0.0, 0.0, np.pi / 2, -np.pi / 2, 0.0)
_COM_UR10 = ((0.021, 0, 0.027), (0.38, 0, 0.158), (0.24, 0, 0.068), (0, 0.007, 0.018), (0, 0.007, 0.018), (0, 0, -0.026))


def _arm(
    name: str,
    a: Sequence[float],
    d: Sequence[float],
    mass: Sequence[float],
    com: Sequence[Sequence[float]],
    inertia: Sequence[Sequence[float]],
    speed_deg: Sequence[float],
    torque: Sequence[float],
    acceleration: float = np.inf,
    drives: Sequence[Drive] = (),
) -> Robot:
    """The common build: standard DH, two turns a joint (the elbow one), bodies by mass, centre and central inertia in the DH frames."""
    rows = [DHRow(a=a[i], alpha=_TWISTS[i], d=d[i]) for i in range(6)]
    links = [Link.from_com(mass[i], com[i], inertia[i], f"link{i + 1}") for i in range(6)]
    turns = 2 * np.pi * np.array([1, 1, 0.5, 1, 1, 1])
    limits = Limits.of(6, position=turns, velocity=np.radians(speed_deg), acceleration=acceleration, torque=torque)
    names = ["shoulder_pan", "shoulder_lift", "elbow", "wrist_1", "wrist_2", "wrist_3"]
    return Robot.from_dh(rows, "standard", links=links, limits=limits, drives=drives, joint_names=names, name=name)


def ur5() -> Robot:
    """Universal Robots UR5.

    DH rows, masses and centres of mass: Universal Robots, *DH parameters for calculations of kinematics and dynamics*. That page gives no inertias for this
    size: the bodies are points. Speeds 180 °/s, torques of the ROS description.

    Examples
    --------
    >>> from optid import BaseParameters, DynamicModel, library
    >>> BaseParameters.of(DynamicModel(library.ur5(), friction="none")).rank
    36
    """
    return _arm(
        "UR5",
        a=(0, -0.425, -0.39225, 0, 0, 0),
        d=(0.089159, 0, 0, 0.10915, 0.09465, 0.0823),
        mass=(3.7, 8.393, 2.33, 1.219, 1.219, 0.1879),
        com=((0, -0.02561, 0.00193), (0.2125, 0, 0.11336), (0.15, 0, 0.0265), (0, -0.0018, 0.01634), (0, 0.0018, 0.01634), (0, 0, -0.001159)),
        inertia=((0, 0, 0),) * 6,
        speed_deg=(180,) * 6,
        torque=(150, 150, 150, 28, 28, 28),
    )


def ur10() -> Robot:
    """Universal Robots UR10.

    DH rows, masses and centres of mass: Universal Robots, *DH parameters for calculations of kinematics and dynamics*. **Assumed**: isotropic central
    inertias 0.03, 0.4, 0.1, 0.005, 0.005, 0.0005 kg m². Speeds 120 and 180 °/s (data sheet), accelerations 40 rad/s² (the controller's largest), torques of
    the ROS description.

    Examples
    --------
    >>> from optid import library
    >>> library.ur10().n
    6
    """
    return _arm(
        "UR10",
        a=(0, -0.612, -0.5723, 0, 0, 0),
        d=(0.1273, 0, 0, 0.163941, 0.1157, 0.0922),
        mass=(7.1, 12.7, 4.27, 2.0, 2.0, 0.365),
        com=_COM_UR10,
        inertia=[(x, x, x) for x in (0.03, 0.4, 0.1, 0.005, 0.005, 0.0005)],
        speed_deg=(120, 120, 180, 180, 180, 180),
        torque=(330, 330, 150, 54, 54, 54),
        acceleration=40.0,
    )


def ur10e() -> Robot:
    """Universal Robots UR10e; drives carry the current gains 10.0, 10.6956, 8.4566, 9.0029, 9.48, 10.1232 N m/A.

    DH rows, masses, centres of mass and inertias: Universal Robots, *DH parameters for calculations of kinematics and dynamics*. Speeds 120 and 180 °/s
    (data sheet), torques of the ROS description. Gains: published with the recordings of Mamedov & Mikhel, *Practical aspects of model-based collision
    detection*, 2020.

    Examples
    --------
    >>> from optid import library
    >>> library.ur10e().drives[0].current_gain
    10.0
    """
    gains = (10.0, 10.6956, 8.4566, 9.0029, 9.48, 10.1232)
    wrist = (0.0030, 0.0, 0.0, 0.0022, -0.0002, 0.0026)
    return _arm(
        "UR10e",
        a=(0, -0.6127, -0.57155, 0, 0, 0),
        d=(0.1807, 0, 0, 0.17415, 0.11985, 0.11655),
        mass=(7.369, 13.051, 3.989, 2.1, 1.98, 0.615),
        com=_COM_UR10,
        inertia=(
            (0.0341, 0.0, -0.0043, 0.0353, 0.0001, 0.0216),
            (0.0281, 0.0001, -0.0156, 0.7707, 0.0, 0.7694),
            (0.0101, 0.0001, 0.0092, 0.3093, 0.0, 0.3065),
            wrist,
            wrist,
            (0.0004, 0.0, 0.0, 0.0004, 0.0, 0.0003),
        ),
        speed_deg=(120, 120, 180, 180, 180, 180),
        torque=(330, 330, 150, 54, 54, 54),
        drives=[Drive(current_gain=k) for k in gains],
    )
