"""Lagrange's equations from homogeneous transforms and pseudo-inertias: a second derivation that shares nothing with the recursion.

With A_i(q) the pose of link i in the base frame and J_i its pseudo-inertia (4, 4), the energies are ``T = ½ Σ tr(Ȧ_i J_i Ȧ_iᵀ)`` and
``U = −Σ gᵀ A_i (h_i, m_i)`` (G21, eqs. 4–12). It serves tests and closed forms; it is slower than the recursion.
"""

from __future__ import annotations

import casadi as ca
import numpy as np

from optid.kinematics.joint_transform import constant, joint_transform
from optid.robot import Robot


def pseudo_inertia_expression(pi: ca.SX) -> ca.SX:
    """Pseudo-inertia (4, 4) from ten standard parameters: second moments ``½ tr(I) 1 − I``, first moments, mass."""
    m, hx, hy, hz, xx, xy, xz, yy, yz, zz = (pi[k] for k in range(10))
    return ca.vertcat(
        ca.horzcat((yy + zz - xx) / 2, -xy, -xz, hx),
        ca.horzcat(-xy, (xx + zz - yy) / 2, -yz, hy),
        ca.horzcat(-xz, -yz, (xx + yy - zz) / 2, hz),
        ca.horzcat(hx, hy, hz, m),
    )


def energies(robot: Robot, q: ca.SX, dq: ca.SX, pi: ca.SX) -> tuple[ca.SX, ca.SX]:
    """Kinetic and potential energy [J] of the rigid links, from coordinates q, dq (n,) and standard parameters (10·n_links,)."""
    G, b = robot.expansion
    chain = ca.mtimes(ca.SX(constant(G)), q) + constant(b)
    pose = ca.SX(constant(robot.base.matrix))
    gravity = np.append(np.array(robot.gravity), 0.0)
    kinetic = potential = ca.SX(0)
    for i, joint in enumerate(robot.joints):
        R, p = joint_transform(joint, chain[i])
        pose = ca.mtimes(pose, ca.vertcat(ca.horzcat(R, p), ca.SX([[0, 0, 0, 1]])))
        J = pseudo_inertia_expression(pi[10 * i : 10 * i + 10])
        rate = ca.reshape(ca.jtimes(ca.vec(pose), q, dq), 4, 4)
        kinetic += ca.trace(ca.mtimes([rate, J, rate.T])) / 2
        potential -= ca.mtimes([ca.DM(gravity).T, pose, J[:, 3]])
    return kinetic, potential


def lagrange_torque(robot: Robot, q: ca.SX, dq: ca.SX, ddq: ca.SX, pi: ca.SX) -> ca.SX:
    """Torques (n,) of the rigid links: ``d/dt ∂T/∂dq − ∂T/∂q + ∂U/∂q``."""
    kinetic, potential = energies(robot, q, dq, pi)
    momentum = ca.gradient(kinetic, dq)
    rate = ca.jtimes(momentum, dq, ddq) + ca.jtimes(momentum, q, dq)
    return rate - ca.gradient(kinetic, q) + ca.gradient(potential, q)
