"""Between motors and joints: gears η, and a coupling ``θ = C φ`` where motors turn several joints at once.

φ are the motors' angles divided by their gears, θ the angles of the joints' driven ends. Motors turn with ``w = N θ̇``, ``N = diag(η) C⁻¹``, and their torques u
act on the driven ends as ``Nᵀ u``: power is the same on both sides. Without coupling C is the identity and N the gears.
"""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.kinematics.joint_transform import constant

Array = NDArray[np.float64]


def motor_from_joint(coupling: Array, gear: Any) -> ca.SX:
    """N (m, m) of a coupling (m, m) and gears (m,); zeros are structural."""
    return ca.mtimes(ca.diag(ca.SX(gear)), constant(np.linalg.inv(coupling)))


def joint_from_motor(coupling: Array, gear: Any) -> ca.SX:
    """N⁻¹ (m, m), ``C diag(1/η)``; zeros are structural."""
    return ca.mtimes(constant(coupling), ca.diag(1 / ca.SX(gear)))


def joint_torque(motor: ArrayLike, gears: ArrayLike) -> Array:
    """Torques (..., m) on the driven ends of the joints, of motor torques (..., m) and gears: (m,), or N (m, m) where motors are coupled."""
    u, eta = np.asarray(motor, dtype=float), np.asarray(gears, dtype=float)
    return u @ eta if eta.ndim == 2 else u * eta


def motor_torque(joint: ArrayLike, gears: ArrayLike) -> Array:
    """Motor torques (..., m) of torques (..., m) on the driven ends of the joints; the inverse of :func:`joint_torque`."""
    tau, eta = np.asarray(joint, dtype=float), np.asarray(gears, dtype=float)
    return tau @ np.linalg.inv(eta) if eta.ndim == 2 else tau / eta
