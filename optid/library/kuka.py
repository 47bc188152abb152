"""KUKA LBR iiwa 7, LWR 4+ and KR300."""

from __future__ import annotations

import numpy as np

from optid.robot import DHRow, Drive, Joint, Limits, Link, Robot, Transform


def iiwa() -> Robot:
    """KUKA LBR iiwa 7 R800, standard DH, kinematics and limits (KUKA data sheet), no bodies.

    Examples
    --------
    >>> from optid import library
    >>> library.iiwa().n
    7
    """
    half = np.pi / 2
    twists = (-half, half, half, -half, -half, half, 0.0)
    offsets = (0.34, 0.0, 0.4, 0.0, 0.4, 0.0, 0.126)
    limits = Limits.of(
        7,
        position=np.radians([170, 120, 170, 120, 170, 120, 175]),
        velocity=np.radians([98, 98, 100, 130, 140, 180, 180]),
        torque=[176, 176, 110, 110, 110, 40, 40],
    )
    rows = [DHRow(alpha=alpha, d=d) for alpha, d in zip(twists, offsets, strict=True)]
    return Robot.from_dh(rows, "standard", limits=limits, name="LBR iiwa 7 R800")


def lwr4() -> Robot:
    """KUKA LWR 4+, kinematics and limits in the link frames of its widespread URDF (all frames parallel to the base at q = 0), no bodies.

    Axes z, −y, z, y, z, −y, z with 0.11, 0.2005, 0.2, 0.2, 0.2, 0.19 and 0.078 m between them.

    Examples
    --------
    >>> from optid import library
    >>> library.lwr4().n
    7
    """
    heights = (0.11, 0.2005, 0.2, 0.2, 0.2, 0.19, 0.078)
    axes = ((0, 0, 1), (0, -1, 0), (0, 0, 1), (0, 1, 0), (0, 0, 1), (0, -1, 0), (0, 0, 1))
    joints = tuple(Joint(f"lwr_{i}_joint", "R", Transform.trans(z=heights[i]), axes[i]) for i in range(7))
    links = tuple(Link(f"lwr_{i + 1}_link") for i in range(7))
    limits = Limits.of(
        7,
        position=np.radians([170, 120, 170, 120, 170, 120, 170]),
        velocity=np.radians([110, 110, 128, 128, 204, 184, 184]),
        torque=[176, 176, 100, 100, 100, 38, 38],
    )
    return Robot(joints, links, limits=limits, name="LWR 4+")


def kr300() -> Robot:
    """KUKA KR300 R2500 ultra with a 200 kg load, standard DH; z of the DH base points down (the base frame itself is floor-mounted, z up).

    Kinematics, bodies, gears, motor inertias and friction are the a-priori values published with the robot's motor- and link-encoder recordings; friction is
    turned to the joint side with the gears. **Assumed**: link 6's central inertia, that of 200 kg with a radius of gyration of 0.15 m (the source gives
    none). The hydraulic counterbalance of axis 2 is not part of the rigid model.

    Examples
    --------
    >>> from optid import library
    >>> library.kr300().n
    6
    """
    half = np.pi / 2
    rows = [
        DHRow(a=0.350, alpha=half, d=-0.675),
        DHRow(a=1.15, d=-0.189, theta=-half),
        DHRow(a=0.041, alpha=-half, d=0.189, theta=np.pi),
        DHRow(alpha=half, d=-1.0),
        DHRow(alpha=-half),
        DHRow(alpha=np.pi, d=-0.24),
    ]
    bodies = [
        (395.40, (-0.353, 0.174, -0.004), (16.733765, -1.703664, 4.404062, 29.799119, 0.129384, 32.814954)),
        (339.12, (-0.709, -0.001, 0.023), (7.507819, 0.430046, -4.396607, 88.886691, 0.173157, 88.673761)),
        (105.21, (-0.018, -0.018, -0.076), (10.783798, 0.118474, -0.101950, 10.186135, -0.606384, 1.943179)),
        (35.80, (0.0, 0.236, 0.001), (0.425035, -0.000004, -0.000027, 0.217993, -0.011353, 0.428465)),
        (31.46, (0.0, -0.080, -0.009), (0.283826, -0.000004, -0.000120, 0.229562, -0.019521, 0.258266)),
        (217.78, (0.0, 0.0, 0.0877537), (4.5, 0.0, 0.0, 4.5, 0.0, 4.5)),
    ]
    gears = np.array([256.857142857, 267.428571429, 252.333333333, 221.0, 239.619047619, 154.323134328])
    rotors = (0.00923, 0.0118, 0.0118, 0.00173, 0.00173, 0.00173)
    viscous = np.array([0.001476346, 0.010681832, 0.08398663, 0.001916077, 0.001629877, 0.002205322])  # motor side
    coulomb = np.array([0.73192436, 1.832264957, 1.862615588, 0.447963801, 0.413155803, 0.372594817])  # motor side
    robot = Robot.from_dh(
        rows,
        "standard",
        links=[Link.from_com(mass, com, inertia, f"link{i + 1}") for i, (mass, com, inertia) in enumerate(bodies)],
        drives=[Drive(gear, rotor) for gear, rotor in zip(gears.tolist(), rotors, strict=True)],
        base=Transform.rot("x", np.pi),
        name="KR300 R2500 ultra",
    )
    return robot.with_friction(viscous * gears**2, coulomb * gears)
