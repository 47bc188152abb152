"""The one symbolic building block of kinematics and dynamics: the pose of a link frame in the one before it."""

from __future__ import annotations

import casadi
import numpy as np
from numpy.typing import ArrayLike

from optid.robot import Joint
from optid.robot.link import skew


def constant(value: ArrayLike) -> casadi.DM:
    """Numbers as a CasADi matrix whose exact zeros are *structural*, so that they stay zero (and free) in every product."""
    return casadi.sparsify(casadi.DM(np.asarray(value, dtype=float)))


def rotation(axis: ArrayLike, angle: casadi.SX) -> casadi.SX:
    """Rotation (3, 3) by a symbolic ``angle`` [rad] about a unit ``axis`` (3,); a coordinate axis leaves structural zeros and ones.

    Rodrigues: ``R = a aᵀ + cos(angle) (I − a aᵀ) + sin(angle) [a]×``.
    """
    a = np.asarray(axis, dtype=float)
    along = np.outer(a, a)
    return constant(along) + casadi.cos(angle) * constant(np.eye(3) - along) + casadi.sin(angle) * constant(skew(a))


def joint_transform(joint: Joint, q: casadi.SX) -> tuple[casadi.SX, casadi.SX]:
    """Pose of link frame i in link frame i−1, ``before · motion(q) · after``.

    Parameters
    ----------
    joint : Joint
    q : casadi.SX, scalar [rad or m]

    Returns
    -------
    R : casadi.SX (3, 3)
        Axes of frame i in frame i−1 (columns).
    p : casadi.SX (3, 1) [m]
        Origin of frame i in frame i−1. Both keep every exact zero of the constant transforms structural.

    Examples
    --------
    >>> import casadi as ca
    >>> from optid import library
    >>> from optid.kinematics import joint_transform
    >>> R, p = joint_transform(library.planar_2r().joints[1], ca.SX(0))
    >>> ca.DM(p).full().ravel()
    array([0.5, 0. , 0. ])
    """
    before_R, after_R = constant(joint.before.R), constant(joint.after.R)
    before_p, after_p = constant(joint.before.p), constant(joint.after.p)
    if joint.revolute:
        turned = before_R @ rotation(joint.axis, q)
        return casadi.SX(turned @ after_R), casadi.SX(before_p + turned @ after_p)
    slide = constant(joint.axis) * q
    return casadi.SX(casadi.sparsify(before_R @ after_R)), casadi.SX(before_p + before_R @ (slide + after_p))
