"""ABB IRB140, axes 1 to 3."""

from __future__ import annotations

import numpy as np

from optid.robot import DHRow, Drive, Limits, Link, Robot


def irb140_lower_arm() -> Robot:
    """Axes 1 to 3 of an ABB IRB140 with the wrist lumped into link 3, standard DH, floor-mounted.

    Kinematics, ranges and speeds: Gonzalez 2021, identification of the IRB140's dynamic parameters (the DH rows are the ones that give the published base
    parameters: 18 of 23 unknown columns). Coordinates are the controller's joint angles. Acceleration limits are the peaks of the published excitation
    trajectory, 11.875, 10.144 and 10.423 rad/s².

    Bodies carry the published estimates (Table II) in the independent columns and zero in the columns grouped with them, so that base parameters come out as
    published. They are numbers to simulate with, not bodies: the estimate of Ixx2 − Iyy2 alone breaks the triangle inequality. **Assumed**, because the source
    does not print them: masses (98 kg shared), viscous friction and rotor inertia.

    Examples
    --------
    >>> from optid import library
    >>> library.irb140_lower_arm().joint_names
    ('joint1', 'joint2', 'joint3')
    """
    rows = [DHRow(a=0.070, alpha=-np.pi / 2, d=0.352), DHRow(a=0.360, theta=-np.pi / 2), DHRow(a=0.380, theta=np.pi)]
    links = [
        Link("link1", 30.0, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 6.2672, 0.0, 0.0)),
        Link("link2", 24.0, (-8.1397, -0.40546, 0.0), (-2.1315, 0.10048, 0.34712, 0.0, 0.18018, 1.9237)),
        Link("link3", 24.0, (-9.6518, -2.2081, 0.0), (-3.3542, -0.62208, -0.29632, 0.0, 0.17383, 4.0412)),
    ]
    limits = Limits.of(
        3,
        position=np.radians([[-180, 180], [-90, 110], [-230, 50]]),
        velocity=np.radians([200, 200, 260]),
        acceleration=[11.875, 10.144, 10.423],
    )
    drives = [Drive.reflected(1.0), Drive.reflected(1.0), Drive.reflected(0.5)]
    robot = Robot.from_dh(rows, "standard", links=links, limits=limits, drives=drives, name="IRB140 lower arm")
    return robot.with_friction(viscous=[4.0, 4.0, 2.0], coulomb=[0.45214, 0.40672, 0.28581])
