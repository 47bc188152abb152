"""Franka Emika Panda."""

from __future__ import annotations

import numpy as np

from optid.robot import DHRow, Limits, Link, Robot, Transform


def panda() -> Robot:
    """Franka Emika Panda, modified DH; the tool frame is the flange, 0.107 m beyond frame 7.

    Kinematics and limits: Franka Control Interface documentation. Bodies: the feasible parameters of Gaz, Cognetti, Oliva, Robuffo Giordano & De Luca, *Dynamic
    identification of the Franka Emika Panda robot with retrieval of feasible parameters using penalty-based optimization*, 2019 (centres of mass in the link
    frames, inertias about them). They and the authors' closed-form functions are two separate fits, which differ by up to 0.08 N m.

    Examples
    --------
    >>> from optid import BaseParameters, DynamicModel, library
    >>> BaseParameters.of(DynamicModel(library.panda(), friction="none")).rank
    43
    """
    half = np.pi / 2
    rows = [
        DHRow(d=0.333),
        DHRow(alpha=-half),
        DHRow(alpha=half, d=0.316),
        DHRow(alpha=half, a=0.0825),
        DHRow(alpha=-half, a=-0.0825, d=0.384),
        DHRow(alpha=half),
        DHRow(alpha=half, a=0.088),
    ]
    bodies = [
        (4.970684, (0.003875, 0.002081, -0.04762), (0.70337, -0.000139, 0.006772, 0.70661, 0.019169, 0.009117)),
        (0.646926, (-0.003141, -0.02872, 0.003495), (0.007962, -0.003925, 0.010254, 0.02811, 0.000704, 0.025995)),
        (3.228604, (0.027518, 0.039252, -0.066502), (0.037242, -0.004761, -0.011396, 0.036155, -0.012805, 0.01083)),
        (3.587895, (-0.05317, 0.104419, 0.027454), (0.025853, 0.007796, -0.001332, 0.019552, 0.008641, 0.028323)),
        (1.225946, (-0.011953, 0.041065, -0.038437), (0.035549, -0.002117, -0.004037, 0.029474, 0.000229, 0.008627)),
        (1.666555, (0.060149, -0.014117, -0.010517), (0.001964, 0.000109, -0.001158, 0.004354, 0.000341, 0.005433)),
        (0.735522, (0.010517, -0.004252, 0.061597), (0.012516, -0.000428, -0.001196, 0.010027, -0.000741, 0.004815)),
    ]
    limits = Limits.of(
        7,
        lower=[-2.8973, -1.7628, -2.8973, -3.0718, -2.8973, -0.0175, -2.8973],
        upper=[2.8973, 1.7628, 2.8973, -0.0698, 2.8973, 3.7525, 2.8973],
        velocity=[2.175, 2.175, 2.175, 2.175, 2.61, 2.61, 2.61],
        acceleration=[15, 7.5, 10, 12.5, 15, 20, 20],
        torque=[87, 87, 87, 87, 12, 12, 12],
    )
    links = [Link.from_com(mass, com, inertia, f"link{i + 1}") for i, (mass, com, inertia) in enumerate(bodies)]
    return Robot.from_dh(rows, "modified", links=links, limits=limits, tool=Transform.trans(z=0.107), name="Panda")
