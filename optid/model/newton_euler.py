"""Recursive Newton-Euler in CasADi, for any serial chain of revolute and prismatic joints, and the regressor it is linear in.

The recursion runs in link frames and tracks, for the origin O of every link frame, angular velocity ω, angular acceleration α and linear acceleration a
(gravity enters as the acceleration −g of the base). With standard parameters about O, a body's wrench is (Khalil & Dombre, *Modeling, Identification and
Control of Robots*, ch. 9)::

    F = m a + (α× + ω×ω×) h
    N = I α + ω × I ω + h × a

and so linear in (m, h, I): nothing is divided by a mass, and massless links or non-physical unit parameters are no special case.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from optid.kinematics.joint_transform import constant, joint_transform
from optid.robot import Joint, Robot


def vector(values: ArrayLike) -> ca.SX:
    """A numeric 3-vector as an SX column with structural zeros."""
    return ca.SX(constant(values))


def cross_matrix(v: ca.SX) -> ca.SX:
    """Matrix of the cross product with ``v``, zeros structural."""
    return ca.sparsify(ca.skew(ca.densify(v)))


def cross(a: ca.SX, b: ca.SX) -> ca.SX:
    """Cross product of columns; ``b`` may have several columns."""
    return ca.mtimes(cross_matrix(a), b)


@dataclass(frozen=True)
class JointGeometry:
    """Constants of a joint: its axis and lever in the link frame, its place in the parent frame."""

    axis: ca.SX  # in link frame i
    lever: ca.SX  # from a point on the joint axis to the origin of frame i, in frame i
    place: ca.SX  # that point at zero displacement, in frame i-1
    parent_axis: ca.SX  # the axis in frame i-1

    @classmethod
    def of(cls, joint: Joint) -> JointGeometry:
        axis = np.array(joint.axis)
        after = joint.after.R.T
        return cls(vector(after @ axis), vector(after @ joint.after.p), vector(joint.before.p), vector(joint.before.R @ axis))


@dataclass(frozen=True)
class LinkMotion:
    """Motion of link frame i, expressed in it: pose in the parent, angular velocity and acceleration, linear acceleration of its origin.

    ``field`` is the matrix Ψ = α× + ω×ω×: a point r of the body has the acceleration ``acceleration + Ψ r``.
    """

    R: ca.SX
    p: ca.SX
    omega: ca.SX
    alpha: ca.SX
    acceleration: ca.SX
    field: ca.SX


def link_motions(robot: Robot, q: ca.SX, dq: ca.SX, ddq: ca.SX) -> list[LinkMotion]:
    """Forward recursion over the chain (joint coordinates of the chain, mimic joints expanded)."""
    omega = alpha = ca.SX(3, 1)
    field = ca.SX(3, 3)
    acceleration = vector(-robot.base.R.T @ np.array(robot.gravity))
    motions = []
    for i, joint in enumerate(robot.joints):
        geometry = JointGeometry.of(joint)
        R, p = joint_transform(joint, q[i])
        Rt = R.T
        point = geometry.place if joint.revolute else geometry.place + geometry.parent_axis * q[i]
        acceleration = ca.mtimes(Rt, acceleration + ca.mtimes(field, point))
        omega_parent = ca.mtimes(Rt, omega)
        alpha = ca.mtimes(Rt, alpha)
        if joint.revolute:
            spin = geometry.axis * dq[i]
            alpha = alpha + geometry.axis * ddq[i] + cross(omega_parent, spin)
            omega = omega_parent + spin
        else:
            omega = omega_parent
            acceleration = acceleration + geometry.axis * ddq[i] + 2 * cross(omega, geometry.axis * dq[i])
        omega_x = cross_matrix(omega)
        field = cross_matrix(alpha) + ca.mtimes(omega_x, omega_x)
        acceleration = acceleration + ca.mtimes(field, geometry.lever)
        motions.append(LinkMotion(R, p, omega, alpha, acceleration, field))
    return motions


def _inertia_columns(v: ca.SX) -> ca.SX:
    """Matrix L(v) (3, 6) with ``I v = L(v) (Ixx, Ixy, Ixz, Iyy, Iyz, Izz)``."""
    x, y, z, o = v[0], v[1], v[2], ca.SX(1, 1)
    return ca.vertcat(ca.horzcat(x, y, z, o, o, o), ca.horzcat(o, x, o, y, z, o), ca.horzcat(o, o, x, o, y, z))


def body_wrench(motion: LinkMotion, pi: ca.SX) -> tuple[ca.SX, ca.SX]:
    """Force (3,) and moment about the frame's origin (3,) of a body with standard parameters ``pi`` (10,)."""
    mass, h, inertia = pi[0], pi[1:4], pi[4:10]
    I = ca.vertcat(
        ca.horzcat(inertia[0], inertia[1], inertia[2]), ca.horzcat(inertia[1], inertia[3], inertia[4]), ca.horzcat(inertia[2], inertia[4], inertia[5])
    )
    force = mass * motion.acceleration + ca.mtimes(motion.field, h)
    moment = ca.mtimes(I, motion.alpha) + cross(motion.omega, ca.mtimes(I, motion.omega)) + cross(h, motion.acceleration)
    return force, moment


def _joint_row(joint: Joint, force: ca.SX, moment: ca.SX) -> ca.SX:
    """What the joint feels of a wrench at its link frame's origin: torque about, or force along, its axis."""
    geometry = JointGeometry.of(joint)
    if joint.revolute:
        return ca.mtimes(geometry.axis.T, moment + cross(geometry.lever, force))
    return ca.mtimes(geometry.axis.T, force)


def _to_parent(motion: LinkMotion, force: ca.SX, moment: ca.SX) -> tuple[ca.SX, ca.SX]:
    """A wrench at the link frame's origin, moved to the parent frame's origin."""
    turned = ca.mtimes(motion.R, force)
    return turned, ca.mtimes(motion.R, moment) + cross(motion.p, turned)


def chain_torque(robot: Robot, q: ca.SX, dq: ca.SX, ddq: ca.SX, pi: ca.SX) -> ca.SX:
    """Joint torques (n_links,) of the rigid chain, from standard parameters (10·n_links,)."""
    motions = link_motions(robot, q, dq, ddq)
    force = moment = ca.SX(3, 1)
    rows: list[ca.SX] = []
    for i in reversed(range(robot.n_links)):
        own_force, own_moment = body_wrench(motions[i], pi[10 * i : 10 * i + 10])
        force, moment = force + own_force, moment + own_moment
        rows.insert(0, _joint_row(robot.joints[i], force, moment))
        force, moment = _to_parent(motions[i], force, moment)
    return ca.vertcat(*rows)


def chain_regressor(robot: Robot, q: ca.SX, dq: ca.SX, ddq: ca.SX) -> ca.SX:
    """Regressor (n_links, 10·n_links) of the rigid chain: block upper triangular, joint j feels links i ≥ j.

    What joint j feels of link i is the power of the link's wrench on the motion that this joint alone would give the link frame: angular velocity w and origin
    velocity v per unit of joint speed. Two vectors for each joint travel up the chain, instead of a wrench of ten columns for each link down it.
    """
    n = robot.n_links
    Y = ca.SX(n, 10 * n)
    screws: list[tuple[ca.SX, ca.SX]] = []
    for i, (joint, motion) in enumerate(zip(robot.joints, link_motions(robot, q, dq, ddq), strict=True)):
        Rt = motion.R.T
        screws = [(ca.mtimes(Rt, w), ca.mtimes(Rt, v + cross(w, motion.p))) for w, v in screws]
        geometry = JointGeometry.of(joint)
        screws.append((geometry.axis, cross(geometry.axis, geometry.lever)) if joint.revolute else (ca.SX(3, 1), geometry.axis))
        inertia = _inertia_columns(motion.alpha) + ca.mtimes(cross_matrix(motion.omega), _inertia_columns(motion.omega))
        for j, (w, v) in enumerate(screws):
            moments = ca.mtimes(v.T, motion.field) + cross(motion.acceleration, w).T
            Y[j, 10 * i : 10 * i + 10] = ca.horzcat(ca.mtimes(v.T, motion.acceleration), moments, ca.mtimes(w.T, inertia))
    return Y
