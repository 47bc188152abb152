"""Small motions of a robot with elastic joints about a posture: poles, resonances, antiresonances, frequency responses, with and without motor feedback."""

from __future__ import annotations

from dataclasses import dataclass, replace

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.arrays import finite, numbers
from optid.brief import brief
from optid.errors import DataError, ShapeError, SingularError, sentence
from optid.model.arguments import instance
from optid.model.flexible import FlexibleModel
from optid.model.flexible_joint import Spring, friction_torque, spring_slope
from optid.model.transmission import motor_from_joint

from .gains import Gains

Array = NDArray[np.float64]
Complex = NDArray[np.complex128]


@dataclass(frozen=True, eq=False)
class LinearModel:
    """``M ÿ + D ẏ + K y = B u + (0, kp θ* + kd θ̇*)`` for small motions y = (q, θ), arm angles and motor angles brought to the joints.

    Attributes
    ----------
    M, D, K : (n + m, n + m), symmetric
    B : (n + m, m)
        Of motor torques u, motor side.
    n : int
        Number of arm coordinates.
    kp, kd : (m, m)
        Feedback of the motor angles, zero without; it is contained in K and D.
    deflection : (n,) [rad]
        Δ = q − θ at rest.
    coupling : (m, m)
        C in ``θ = C φ``, φ the motors' own angles divided by their gears.

    Examples
    --------
    >>> from optid.flexibility import linearise, set_a
    >>> linearise(set_a(), (0.0, 0.0)).n
    2
    """

    M: Array
    D: Array
    K: Array
    B: Array
    n: int
    kp: Array
    kd: Array
    deflection: Array
    coupling: Array

    __repr__ = brief

    @property
    def m(self) -> int:
        """Number of motors."""
        return len(self.M) - self.n

    def with_feedback(self, gains: Gains) -> LinearModel:
        """The loop closed over the motor angles, by the proportional and derivative gains (integral action is left out)."""
        instance(gains, Gains, "gains of a feedback")
        kp, kd = np.array(gains.kp), np.array(gains.kd)
        if kp.shape != (self.m,):
            raise ShapeError(sentence("gains of a feedback", f"{kp.size} values", f"{self.m}, one a motor"))
        own = np.linalg.inv(self.coupling)
        stiffness, damping = own.T * kp @ own, own.T * kd @ own
        K, D = self.K.copy(), self.D.copy()
        K[self.n :, self.n :] += stiffness
        D[self.n :, self.n :] += damping
        return replace(self, K=K, D=D, kp=self.kp + stiffness, kd=self.kd + damping)

    def poles(self) -> Complex:
        """All 2(n + m) poles [1/s], slow ones first.

        Motions that no spring and no damper resists (a free robot turning) have double poles at 0, which eigenvalue routines scatter by the square root of
        the rounding error, some of them to the right: they are split off first and are exactly 0 here.
        """
        stiff = np.vstack([self.K / max(np.abs(self.K).max(), 1e-300), self.D / max(np.abs(self.D).max(), 1e-300)])
        _, size, vectors = np.linalg.svd(stiff)
        free = vectors[size < 1e-12 * size[0]].T if size[0] > 0 else vectors.T
        # what is M-orthogonal to the free motions does not feel them, because D and K are symmetric
        rest = np.linalg.svd(self.M @ free)[0][:, free.shape[1] :] if free.size else np.eye(len(self.M))
        M, D, K = (rest.T @ matrix @ rest for matrix in (self.M, self.D, self.K))
        root = np.linalg.inv(np.linalg.cholesky(M)) if len(M) else M
        D, K = root @ D @ root.T, root @ K @ root.T
        speed = np.sqrt(max(np.abs(K).max(initial=0.0), 1e-300))
        system = np.block([[np.zeros_like(K), speed * np.eye(len(K))], [-K / speed, -D]])
        found = np.concatenate([np.zeros(2 * free.shape[1]), np.linalg.eigvals(system)])
        return np.asarray(found[np.argsort(np.abs(found), kind="stable")], dtype=complex)

    def resonances(self) -> Array:
        """Undamped natural frequencies [Hz] with free motors, ascending, those of rigid motions left out."""
        return _frequencies(self.M, self.K)

    def antiresonances(self, locked: ArrayLike | None = None) -> Array:
        """Undamped natural frequencies [Hz] with the motors of these numbers (all by default) held still.

        A motor whose torque acts at one of them does not move: they are the zeros of its own frequency response.
        """
        held = np.arange(self.m, dtype=float) if locked is None else finite(np.atleast_1d(numbers(locked, "motors held still")), (None,), "motors held still")
        if not set(held.tolist()) <= set(range(self.m)):
            raise ShapeError(sentence("motors held still", held.tolist(), f"numbers from 0 to {self.m - 1}"))
        # arm angles, and the motors' own angles: a motor that stands still is a coordinate that is left out
        own = np.eye(len(self.M))
        own[self.n :, self.n :] = self.coupling
        free = np.delete(own, self.n + held.astype(int), axis=1)
        return _frequencies(free.T @ self.M @ free, free.T @ self.K @ free)

    def response(self, frequencies: ArrayLike) -> Complex:
        """From motor torques (motor side) to y: (F, n + m, m) [rad/(N m)] at the frequencies (F,) [Hz]."""
        return self._solve(frequencies, self.B[None].astype(complex))

    def tracking(self, frequencies: ArrayLike) -> Complex:
        """From motor references to y: (F, n + m, m); needs :meth:`with_feedback`."""
        if not np.any(self.kp):
            raise DataError(sentence("tracking response", "no feedback", "a loop closed by with_feedback(gains)"))
        s = _variable(frequencies)
        drive = np.zeros((len(s), len(self.M), self.m), dtype=complex)
        drive[:, self.n :] = self.kp + s[:, None, None] * self.kd
        return self._solve(frequencies, drive)

    def _solve(self, frequencies: ArrayLike, drive: Complex) -> Complex:
        s = _variable(frequencies)[:, None, None]
        try:
            return np.asarray(np.linalg.solve(s**2 * self.M + s * self.D + self.K, np.broadcast_to(drive, (len(s), *drive.shape[1:]))))
        except np.linalg.LinAlgError as error:
            hint = "Leave out 0 Hz of a robot that turns freely, and undamped resonances."
            raise SingularError(sentence("frequency response", "an infinite one", "frequencies at which it is finite", hint)) from error


def _variable(frequencies: ArrayLike) -> Complex:
    """s (F,) of frequencies (F,) [Hz]."""
    return np.asarray(2j * np.pi * finite(np.atleast_1d(numbers(frequencies, "frequencies")), (None,), "frequencies"))


def _frequencies(M: Array, K: Array) -> Array:
    root = np.linalg.inv(np.linalg.cholesky(M))
    values = np.linalg.eigvalsh(root @ K @ root.T)
    return np.asarray(np.sqrt(values[values > 1e-13 * max(values[-1], 1e-300)]) / (2 * np.pi))


def linearise(model: FlexibleModel, q: ArrayLike, parameters: ArrayLike | None = None, friction: bool = True) -> LinearModel:
    """Small motions about rest at the arm angles q (n,) [rad].

    Parameters
    ----------
    parameters : (P,), optional
        Of the model; its own by default.
    friction : bool
        Contain the motors' friction: its slope at speed zero, which the smooth law makes steep.

    Examples
    --------
    >>> import numpy as np
    >>> from optid.flexibility import linearise, set_a
    >>> linear = linearise(set_a(), (0.0, 0.0))
    >>> bool(np.allclose(linear.M, linear.M.T))
    True
    """
    instance(model, FlexibleModel, "model to linearise")
    q0 = finite(q, (model.n,), "posture")
    p0 = model.parameters() if parameters is None else finite(parameters, (len(model.parameter_names),), "parameters of a flexible model")
    model.require_inertia(p0)
    p, x, delta = ca.SX.sym("p", len(p0)), ca.SX.sym("q", model.n), ca.SX.sym("delta", model.n)
    pi, values = model.split(p)
    gravity = model.arm.functions["gravity"](pi, x)
    w = ca.SX.sym("w", model.m)
    own = values.at(model.driven)
    slope = ca.diag(ca.jacobian(friction_torque(w, *own.friction()), w))
    turn = motor_from_joint(model.coupling, own.gear)
    parts = ca.Function(
        "parts",
        [p, x, delta],
        [
            model.arm.functions["mass_matrix"](pi, x),
            ca.jacobian(gravity, x),
            gravity,
            spring_slope(delta, *values.spring()),
            values.d,
            turn.T,
            ca.mtimes([turn.T, ca.diag(own.Jm), turn]),
            ca.mtimes([turn.T, ca.diag(ca.substitute(slope, w, ca.DM.zeros(model.m))), turn]),
        ],
    )
    pull = -parts(p0, q0, 0)[2].full()[:, 0]
    springs = p0[model.arm.p :].reshape(model.n, -1)[:, :3]
    bend = np.array([float(Spring(*spring).deflection(load)) for spring, load in zip(springs, pull, strict=True)])
    mass, turned, _, stiffness, damping, gear, rotor, rub = (np.asarray(part.full()) for part in parts(p0, q0, bend))
    size, n = model.n + model.m, model.n
    M, D, K, B = (np.zeros((size, k)) for k in (size, size, size, model.m))
    M[:n, :n], K[:n, :n] = mass, (turned + turned.T) / 2
    M[n:, n:] = rotor
    for j in range(n):
        places = [j, n + model.driven.index(j)] if j in model.driven else [j]
        pattern = np.array([[1.0, -1.0], [-1.0, 1.0]])[: len(places), : len(places)]
        K[np.ix_(places, places)] += stiffness[j, 0] * pattern
        D[np.ix_(places, places)] += damping[j, 0] * pattern
    if friction:
        D[n:, n:] += rub
    B[n:] = gear
    zero = np.zeros((model.m, model.m))
    return LinearModel(M, D, K, B, n, zero, zero, bend, model.coupling)
