"""Coulomb friction as a set of values: what a drive's friction is when it moves, and between which values it may lie when it stands.

In motor coordinates friction is diagonal. A drive that moves in direction d = ±1 feels a definite torque; one that stands may feel anything from the torque
of moving backward to that of moving forward, and takes whatever keeps it standing as long as that lies in between.
"""

from __future__ import annotations

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from optid.model import DynamicModel
from optid.model.friction import friction_columns, friction_stems

Array = NDArray[np.float64]


def friction_range(model: DynamicModel, pi: Array) -> tuple[Array, Array]:
    """Friction torques (n,) and (n,) of drives that just begin to move backward and forward [N m, motor coordinates]."""
    stems = friction_stems(model.friction)
    value = {stem: np.array([pi[model.index(f"{stem}{j + 1}")] for j in range(model.n)]) for stem in stems}
    zero = np.zeros(model.n)
    if "asymmetric" in model.friction:
        return value["fcn"], value["fcp"]
    coulomb, offset = value.get("fc", zero), value.get("fo", zero)
    return offset - coulomb, offset + coulomb


def sticking(model: DynamicModel, pi: Array) -> NDArray[np.bool_]:
    """(n,) which drives can stand against a torque: those with an exact sign and friction that resists."""
    lower, upper = friction_range(model, pi)
    exact = np.array(model.widths) <= 1e-300
    return exact & (upper > lower)


def friction_torque(model: DynamicModel, pi: ca.SX, velocity: ca.SX, direction: ca.SX) -> ca.SX:
    """Friction torque (n,) of the motors at ``velocity`` (n,), with ``direction`` (n,) in place of the sign where the sign is exact.

    With direction 0 a drive has viscous friction and offset only.
    """
    exact = np.array(model.widths) <= 1e-300
    turned = ca.vertcat(*[direction[j] if exact[j] else velocity[j] for j in range(model.n)])
    signs = friction_columns(model.friction, turned, model.widths)
    columns = dict(zip(friction_stems(model.friction), signs, strict=True))
    if "fv" in columns:
        columns["fv"] = velocity
    for stem, switch in (("fvp", "fcp"), ("fvn", "fcn")):
        if stem in columns:
            columns[stem] = columns[switch] * velocity
    tau = ca.SX(model.n, 1)
    for stem, column in columns.items():
        at = model.index(f"{stem}1")
        tau = tau + column * pi[at : at + model.n]
    return tau


def break_away(A: Array, load: Array, standing: NDArray[np.bool_], lower: Array, upper: Array) -> Array:
    """Which of the standing drives stay, and which way the others start: directions (n,), 0 for those that stay (and for all others).

    Accelerations are ``a = A (load − f)``. Where a drive stands: f between its ends and a = 0, or f at the upper end and a ≥ 0, or at the lower end and a ≤ 0.
    This bounded linear complementarity problem has one solution because A is positive definite; Murty's least-index pivoting finds it in finitely many steps.

    Parameters
    ----------
    A : (n, n)
        Inverse of the mass matrix in motor coordinates.
    load : (n,) [N m]
        Torque left for acceleration and for the Coulomb friction of the standing drives.
    standing : (n,) bool
    lower, upper : (n,) [N m]
        Ends of the friction of the standing drives.
    """
    which = np.flatnonzero(standing)
    start = np.zeros(len(load))
    slack = 1e-12 * np.max(np.abs([load, lower, upper]), initial=1e-300)
    for _ in range(3 ** min(len(which), 8)):
        friction = np.where(start > 0, upper, np.where(start < 0, lower, 0.0))
        held = which[start[which] == 0]
        if len(held):
            friction[held] = np.linalg.solve(A[np.ix_(held, held)], (A @ (load - friction))[held])
        left = load - friction
        a, size = A @ left, np.abs(A) @ np.abs(left)
        for j in which:
            if start[j] == 0 and not lower[j] - slack <= friction[j] <= upper[j] + slack:
                start[j] = 1.0 if friction[j] > upper[j] else -1.0
                break
            if start[j] * a[j] < -1e-12 * size[j]:
                start[j] = 0.0
                break
        else:
            break
    return start
