"""Stäubli TX40."""

from __future__ import annotations

import numpy as np

from optid.robot import DHRow, Limits, Robot


def tx40() -> Robot:
    """Stäubli TX40, modified DH, kinematics, limits and the coupling of its wrist; no bodies.

    Coordinates are the controller's joint angles, ``q = C θ`` of the motor angles θ: the gears 32, 32, 45, −48, 45, 32 are inside ``coupling``, and motor 6
    turns with joint 5 too (θ6 = 32 q5 + 32 q6). The offsets −90° and +90° that models in plain modified DH add to joints 2 and 3 are part of the rows, so do
    **not** add them again. Geometry and limits: the robot's URDF in modified DH; gears and coupling: Gautier & Briot, *Global identification of joint drive
    gains and dynamic parameters of robots*, 2014, and the published recordings.

    Examples
    --------
    >>> from optid import library
    >>> library.tx40().coupling is not None
    True
    """
    half = np.pi / 2
    rows = [
        DHRow(d=0.320),
        DHRow(alpha=-half, theta=-half),
        DHRow(a=0.225, d=0.035, theta=half),
        DHRow(alpha=half, d=0.225),
        DHRow(alpha=-half),
        DHRow(alpha=half, theta=np.pi),
    ]
    motor_from_joint = np.diag([32.0, 32.0, 45.0, -48.0, 45.0, 32.0])
    motor_from_joint[5, 4] = 32.0
    limits = Limits.of(
        6,
        lower=[-3.14, -2.18, -2.40, -4.71, -2.09, -4.71],
        upper=[3.14, 2.18, 2.40, 4.71, 2.33, 4.71],
        velocity=[5.009, 5.009, 7.504, 7.15, 5.585, 12.217],
        torque=[131.84, 131.84, 103.49, 46.08, 43.19, 30.72],
    )
    return Robot.from_dh(rows, "modified", limits=limits, coupling=np.linalg.inv(motor_from_joint), name="TX40")
