"""Bodies as unconstrained numbers: the scaled pseudo-inertia is ``U Uᵀ`` plus the margin, U an upper triangle with exponentials on its diagonal.

Source: C. Rucker, P. M. Wensing, *Smooth parameterization of rigid-body inertia*, IEEE Robotics and Automation Letters 7 (2022).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from optid.robot.physical import pseudo_inertia

from .forms import Nlp
from .physical_bodies import Ellipsoid, link_names, place_rows

if TYPE_CHECKING:
    from .physical import PhysicalIdentification

Array = NDArray[np.float64]

STEEPEST = 16.0
"""Bound of the logarithms: beyond e^±16 of a scaled body the pseudo-inertia is as good as singular."""

INSIDE = 1e-4
"""Smallest eigenvalue of a scaled body that a search starts from."""

LABELS = ("alpha", "d1", "d2", "d3", "s12", "s23", "s13", "t1", "t2", "t3")


def triangle(theta: Any, kind: Any = np) -> Any:
    """U (4, 4) of ten coordinates (α, d1, d2, d3, s12, s23, s13, t1, t2, t3); ``kind`` is numpy or casadi."""
    a, d1, d2, d3, s12, s23, s13, t1, t2, t3 = (theta[k] for k in range(10))
    rows = ((kind.exp(d1), s12, s13, t1), (0, kind.exp(d2), s23, t2), (0, 0, kind.exp(d3), t3), (0, 0, 0, 1))
    if kind is np:
        return np.exp(a) * np.array(rows, dtype=float)
    return kind.exp(a) * kind.vertcat(*(kind.horzcat(*row) for row in rows))


def parameters_of(J: Any) -> list[Any]:
    """The ten standard parameters of a pseudo-inertia (4, 4)."""
    trace = J[0, 0] + J[1, 1] + J[2, 2]
    moments = (trace - J[0, 0], -J[0, 1], -J[0, 2], trace - J[1, 1], -J[1, 2], trace - J[2, 2])
    return [J[3, 3], J[0, 3], J[1, 3], J[2, 3], *moments]


def coordinates_of(J: Array) -> Array:
    """Ten coordinates of a positive definite pseudo-inertia (4, 4)."""
    flip = np.eye(4)[::-1]
    U = flip @ np.linalg.cholesky(flip @ J @ flip) @ flip
    a = np.log(U[3, 3])
    V = U / U[3, 3]
    return np.array([a, *np.log(np.diag(V)[:3]), V[0, 1], V[1, 2], V[0, 2], *V[:3, 3]])


def _start(floor: Array, values: Array) -> Array:
    """Coordinates of scaled parameters to start a body from, moved inside the cone where they are not."""
    J = pseudo_inertia(values) - floor
    smallest = float(np.linalg.eigvalsh(J)[0])
    return coordinates_of(J if smallest > INSIDE else J + (INSIDE - smallest) * np.eye(4))


def _body(theta: Any, floor: Array) -> list[Any]:
    """Scaled parameters of one body as expressions."""
    import casadi as ca

    U = triangle(theta, ca)
    return parameters_of(U @ U.T + ca.DM(floor))


def scaled_parameters(problem: PhysicalIdentification, x: Array) -> Array:
    """Scaled variables of the problem (links, then the rest) of a point in log-Cholesky coordinates."""
    bodies, where, _, _ = problem.bodies
    z = np.zeros(len(problem.variables))
    for i, (body, variables) in enumerate(zip(bodies, where, strict=True)):
        U = triangle(x[10 * i : 10 * i + 10])
        for variable, value in zip(variables, parameters_of(U @ U.T + body.floor), strict=True):
            if variable is not None:
                z[variable] = value
    taken = {v for variables in where for v in variables if v is not None}
    rest = [k for k in range(len(z)) if k not in taken]
    z[rest] = x[10 * len(bodies) :]
    return z


def log_cholesky_program(problem: PhysicalIdentification, A: Array, b: Array, low: Array, high: Array, places: Mapping[int, Any]) -> Nlp:
    """``½ ‖A z − b‖²`` (with the entropic divergence where asked for) over log-Cholesky coordinates of the bodies and the other scaled variables."""
    import casadi as ca

    bodies, where, known, labels = problem.bodies
    p0 = problem.prior.values
    first_guess = p0 if problem.start is None else problem.start
    size = len(problem.variables)
    taken = {v for variables in where for v in variables if v is not None}
    rest = [k for k in range(size) if k not in taken]
    x = ca.SX.sym("x", 10 * len(bodies) + len(rest))
    z: list[Any] = [ca.SX(0)] * size
    g: list[Any] = []
    lbg: list[float] = []
    ubg: list[float] = []
    rows: list[str] = []
    entropy: Any = 0
    start: list[Array] = []
    numbers = link_names(problem.base.model.robot)
    for i, (body, variables, name) in enumerate(zip(bodies, where, labels, strict=True)):
        theta = x[10 * i : 10 * i + 10]
        values = _body(theta, body.floor)
        first = 10 * numbers.index(name)
        prior = p0[first : first + 10] / body.scale
        start.append(_start(body.floor, first_guess[first : first + 10] / body.scale))
        for k, variable in enumerate(variables):
            if variable is None:
                g.append(values[k])
                lbg.append(float(known[i][k]))
                ubg.append(float(known[i][k]))
                rows.append(f"known parameter of {name}")
                continue
            z[variable] = values[k]
            if np.isfinite(low[variable]) or np.isfinite(high[variable]):
                g.append(values[k])
                lbg.append(float(low[variable]))
                ubg.append(float(high[variable]))
                rows.append(f"range of {name}")
        if i in places:
            expressions, limit = _place(places[i], values, body.scale)
            g += expressions
            lbg += [-np.inf] * len(expressions)
            ubg += [limit] * len(expressions)
            rows += [f"centre of mass of {name}"] * len(expressions)
        if problem.measure == "entropic":
            entropy += _divergence(theta, body.floor, pseudo_inertia(prior))
    for k, variable in enumerate(rest):
        z[variable] = x[10 * len(bodies) + k]
    residual = ca.DM(A) @ ca.vertcat(*z) - ca.DM(b)
    free = problem.variables[rest]
    start.append(np.clip(first_guess[free] / problem.scales[free], low[rest], high[rest]))
    bodies_low = np.tile([-STEEPEST] * 4 + [-np.inf] * 6, len(bodies))
    return Nlp(
        x,
        0.5 * ca.sumsqr(residual) + 0.5 * problem.damping**2 * entropy,
        ca.vertcat(*g) if g else None,
        lbx=np.concatenate([bodies_low, low[rest]]),
        ubx=np.concatenate([-bodies_low, high[rest]]),
        lbg=np.array(lbg) if g else None,
        ubg=np.array(ubg) if g else None,
        x0=np.concatenate(start),
        names=[*(f"{label} of {name}" for name in labels for label in LABELS), *(problem.base.model.parameter_names[k] for k in free)],
        constraint_names=rows or None,
        scales=np.full(x.shape[0], 1.0 / max(1.0, problem.damping / 100)),  # a strong pull is steep: keep gradients small enough to be judged
    )


def _divergence(theta: Any, floor: Array, J0: Array) -> Any:
    """−log det J + log det J₀ + tr(J₀⁻¹ J) − 4 of one scaled body."""
    import casadi as ca

    U = triangle(theta, ca)
    J = U @ U.T + ca.DM(floor)
    log_det = 2 * sum(ca.log(entry) for entry in ca.diag(ca.chol(J)).elements())
    inverse = np.linalg.inv(J0)
    return -log_det + float(np.linalg.slogdet(J0)[1]) + ca.trace(ca.DM(inverse) @ J) - 4


def _place(place: Any, values: list[Any], scale: Array) -> tuple[list[Any], float]:
    """Expressions that must not exceed a number for the centre of mass to lie where it should."""
    length = float(np.sqrt(scale[4] / scale[0]))
    m, h = values[0], [length * v for v in values[1:4]]
    if isinstance(place, Ellipsoid):
        centre, axes = (np.asarray(v, dtype=float) for v in place)
        return [sum(((h[k] / m - centre[k]) / axes[k]) ** 2 for k in range(3))], 1.0
    return [float(row[0]) * m + sum(float(row[1 + k]) * h[k] for k in range(3)) for row in place_rows(place)], 0.0
