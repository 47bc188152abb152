"""SCARA arms: two of Valencia's thesis and a textbook one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from optid.robot import DHRow, Drive, Limits, Link, Robot


def scara_er14() -> Robot:
    """Eshed Robotec SCARA-ER 14, axes R-R-P-R, kinematics only; q3 > 0 moves the tool **down**.

    Standard DH (θ, d, a) in millimetres (q1, 765, 270), (q2, −315, 230), (0, −q3 − 40, 0), (q4, −187.95, 0) and ranges q1 ±144°, q2 ±109°, q4 ±527°:
    Valencia 2008, chapter 2. The stroke of q3 is not given there.

    Examples
    --------
    >>> from optid import library
    >>> [joint.kind for joint in library.scara_er14().joints]
    ['R', 'R', 'P', 'R']
    """
    rows = [DHRow(a=0.270, d=0.765), DHRow(a=0.230, d=-0.315), DHRow(d=-0.040, joint="P"), DHRow(d=-0.18795)]
    limits = Limits.of(4, position=np.radians([144, 109, np.inf, 527]))
    robot = Robot.from_dh(rows, "standard", limits=limits, name="SCARA-ER 14")
    joints = list(robot.joints)
    joints[2] = replace(joints[2], axis=(0.0, 0.0, -1.0))
    return replace(robot, joints=tuple(joints))


def scara_v08() -> Robot:
    """The simulated arm of Valencia 2008, axes R-R-R-P, links of 0.5 and 0.3 m; **z of the base points down** (gravity +9.81 along it), and so does the slide.

    ``x = 0.5 cos q1 + 0.3 cos(q1 + q2)``, y likewise, ``z = q4``. The source gives base parameters: ZZ1R 3.38, ZZ2R 0.063, ZZ3R 0.1 kg m², MX2R 0.242,
    MY2 0.001, MX3R 0.2, MY3R 0.1 kg m, M4 1.8 kg, IA4 0.045 kg, friction Fv 0.1, 0.012, 0.1, 0.012 and Fs 0.57, 0.125, 0.57, 0.125 (modified DH, frames on
    the proximal joints). The bodies here are a choice that can exist and gives exactly these:
    ZZ1R = Izz1 + 0.25 (m2 + m3), ZZ2R = Izz2 + 0.09 m3, MX2R = mx2 + 0.3 m3, ZZ3R = Izz3 + Izz4. Limits are not known.

    Examples
    --------
    >>> from optid import library
    >>> library.scara_v08().gravity
    (0.0, 0.0, 9.81)
    """
    links = [
        Link("link1", 20.0, (0.0, 0.0, 0.0), (1.5, 0.0, 0.0, 1.5, 0.0, 3.38 - 0.25 * 1.6)),
        Link("link2", 1.0, (0.242 - 0.3 * 0.6, 0.001, 0.0), (0.009, 0.0, 0.0, 0.009, 0.0, 0.063 - 0.09 * 0.6)),
        Link("link3", 0.6, (0.2, 0.1, 0.0), (0.05, -0.03, 0.0, 0.09, 0.0, 0.099)),
        Link("quill", 1.8, (0.0, 0.0, 0.0), (0.02, 0.0, 0.0, 0.02, 0.0, 0.001)),
    ]
    rows = [DHRow(), DHRow(a=0.5), DHRow(a=0.3), DHRow(joint="P")]
    drives = [Drive(), Drive(), Drive(), Drive.reflected(0.045)]
    robot = Robot.from_dh(rows, "modified", gravity=(0.0, 0.0, 9.81), links=links, drives=drives, name="SCARA of Valencia 2008")
    return robot.with_friction(viscous=[0.1, 0.012, 0.1, 0.012], coulomb=[0.57, 0.125, 0.57, 0.125])


def scara() -> Robot:
    """A textbook SCARA, axes R-R-P-R, standard DH, kinematics only: 8 base parameters (four parallel axes along gravity).

    Examples
    --------
    >>> from optid import BaseParameters, DynamicModel, library
    >>> BaseParameters.of(DynamicModel(library.scara(), friction="none")).rank
    8
    """
    rows = [DHRow(a=0.4), DHRow(a=0.3, alpha=np.pi), DHRow(joint="P"), DHRow(d=0.1)]
    return Robot.from_dh(rows, "standard", name="SCARA")
