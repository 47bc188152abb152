"""What motors add: reflected rotor inertia, and the map between motor and joint side when drives are coupled.

With ``q = C θ`` a motor-side torque vector u acts on the joints as ``C⁻ᵀ u``. Rotor inertia ``Ia_j θ̈_j`` and friction are motor-side torques; without
coupling C is the identity and they are plain diagonal terms.
"""

from __future__ import annotations

import casadi as ca
import numpy as np

from optid.kinematics.joint_transform import constant
from optid.robot import Robot


def motor_velocity(robot: Robot, dq: ca.SX) -> ca.SX:
    """Motor velocities (or accelerations) ``C⁻¹ dq``."""
    return dq if robot.coupling is None else ca.mtimes(constant(np.linalg.inv(robot.C)), dq)


def from_motor_side(robot: Robot, diagonal: ca.SX) -> ca.SX:
    """Joint-side columns (n, n) of motor-side torques that are diagonal in their parameters."""
    block = ca.diag(diagonal)
    return block if robot.coupling is None else ca.mtimes(constant(np.linalg.inv(robot.C).T), block)


def rotor_inertia_columns(robot: Robot, ddq: ca.SX) -> ca.SX:
    """Columns (n, n) of the reflected rotor inertias Ia1 … Ian [kg m²]."""
    return from_motor_side(robot, motor_velocity(robot, ddq))
