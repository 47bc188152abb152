"""Motor reference and torque feedforward of an arm with elastic joints: its inverse dynamics, with stiffnesses scaled by Υ.

The arm must pull on its gears with ``τ = M q̈ + C + G`` along the reference q(t). A gear yields by Δ with ``d Δ̇ + s τ_s(Δ) = −τ`` (De Luca 2000; Moberg &
Hanssen 2007), so the motor has to be at ``θ = q − Δ`` and to give ``η² Jm θ̈ + τ + η f(η θ̇)``. With a damper Δ is a state of the controller, which integrates
it; without one it follows from the spring at once. Coupled motors share all this out by the matrix N in place of the gear.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.errors import DataError, RobotError, ShapeError, sentence, unknown_name
from optid.kernels import Kernel
from optid.model.arguments import found, instance, positive
from optid.model.flexible import FlexibleModel
from optid.model.flexible_joint import friction_torque, spring_slope, spring_torque
from optid.model.transmission import joint_from_motor, motor_from_joint

Array = NDArray[np.float64]

LAWS = ("frequency", "stiffness")
ORDERS = 5
"""Derivatives of a motion that the feedforward looks at: position to snap."""
SIGNALS = 6
"""Vectors in a row of the reference: q, q̇, q̈, τ, τ̇, τ̈."""


class Motion(Protocol):
    """A reference motion: any trajectory with four continuous derivatives (three, when every joint has a damper)."""

    @property
    def duration(self) -> float:
        """Length [s]; the motion starts and ends at rest."""

    def derivative(self, t: ArrayLike, order: int = 0) -> Array:
        """Joint position or a derivative (N, n) at the times t (N,)."""


def checked(motion: Any, n: int | None = None) -> None:
    """Refuse what is no motion of n axes (any number by default), or one that does not start at rest.

    Raises
    ------
    DataError, ShapeError
    """
    if not callable(getattr(motion, "derivative", None)) or not hasattr(motion, "duration"):
        raise DataError(sentence("motion of a flexible arm", found(motion), "a trajectory, with duration and derivative(t, order)"))
    positive(motion.duration, "duration of a motion")
    start, speed = (np.asarray(motion.derivative(np.array([0.0, 0.5 * motion.duration]), k)) for k in (0, 1))
    if n is not None and start.shape != (2, n):
        raise ShapeError(sentence("motion of a flexible arm", f"{start.shape[-1]} axes", f"{n}"))
    if np.any(np.abs(speed[0]) > 1e-6 * (np.ptp(start, axis=0).max() / motion.duration + np.abs(speed[1]).max())):
        raise DataError(sentence("motion of a flexible arm", f"a speed of {speed[0].tolist()} at its start", "one that starts at rest"))


class Target(NamedTuple):
    """What the controller wants of its motors, as expressions (n,): angle, speed and acceleration (at the joints), torque (motor side), rate of its state Δ."""

    theta: ca.SX
    dtheta: ca.SX
    ddtheta: ca.SX
    torque: ca.SX
    rate: ca.SX


@dataclass(frozen=True, eq=False)
class Feedforward:
    """The controller's model and the meaning of Υ.

    Parameters
    ----------
    model : FlexibleModel
        Every joint driven.
    law : "frequency" or "stiffness"
        Υ scales the lowest natural frequency (stiffness times Υ²) or the stiffness itself. The whole spring curve is scaled, the damper is not.
    """

    model: FlexibleModel
    law: str = "frequency"

    def __post_init__(self) -> None:
        instance(self.model, FlexibleModel, "model of a feedforward")
        if not isinstance(self.law, str) or self.law not in LAWS:
            raise unknown_name("law of stiffness tuning", self.law, LAWS)
        if self.model.m != self.model.n:
            passive = self.model.robot.joint_names[next(j for j, joint in enumerate(self.model.joints) if not joint.driven)]
            raise RobotError(sentence("model of a feedforward", f"joint {passive!r} has no motor", "a motor at every joint", "The plant may have such joints."))

    def __getstate__(self) -> dict[str, Any]:
        """CasADi expressions do not pickle; they are built again on first use."""
        return {name: self.__dict__[name] for name in self.__dataclass_fields__}

    @property
    def n(self) -> int:
        """Number of axes."""
        return self.model.n

    def scale(self, upsilon: ArrayLike) -> Array:
        """Factors of the stiffness for Υ in percent."""
        ratio = np.asarray(upsilon, dtype=float) / 100
        return ratio**2 if self.law == "frequency" else ratio

    @cached_property
    def undamped(self) -> list[bool]:
        """Which joints have no damper."""
        return [joint.damping == 0 for joint in self.model.joints]

    @cached_property
    def _reference(self) -> Kernel:
        n, torque = self.n, self.model.arm.functions["torque"]
        pi = ca.SX.sym("pi", self.model.arm.p)
        motion = [ca.SX.sym(f"q{k}", n) for k in range(ORDERS)]
        zero = ca.SX(n, 1)

        def rate(y: ca.SX) -> ca.SX:
            return sum((ca.jtimes(y, motion[k], motion[k + 1]) for k in range(ORDERS - 1)), zero)

        tau = torque(pi, *motion[:3])
        first = rate(tau)
        second = rate(first) if any(self.undamped) else zero
        row = ca.densify(ca.vertcat(*motion[:3], tau, first, second))
        return Kernel(ca.Function("reference", [pi, *motion], [row], ["pi", *(f"q{k}" for k in range(ORDERS))], ["row"]))

    def reference(self, motion: Motion, times: ArrayLike) -> Array:
        """Rows (N, 6n) of q, q̇, q̈, τ, τ̇, τ̈ at the times (N,); the motion stands still after its end."""
        last = ORDERS if any(self.undamped) else ORDERS - 1
        samples = [motion.derivative(times, k) for k in range(last)]
        samples += [np.zeros_like(samples[0])] * (ORDERS - last)
        return self._reference(*samples, pi=self.model.arm.nominal_parameters())[:, :, 0]

    def rest(self, row: ArrayLike, upsilon: ArrayLike) -> Array:
        """Deflections Δ (B, n) [rad] at rest under the gravity of a reference row (6n,), for each Υ (B, n)."""
        tau = np.asarray(row)[3 * self.n : 4 * self.n]
        scale = np.atleast_2d(self.scale(upsilon))
        return np.column_stack([joint.spring.deflection(-tau[j] / scale[:, j]) for j, joint in enumerate(self.model.joints)])

    def target(self, c: ca.SX, row: ca.SX, delta: ca.SX, scale: ca.SX) -> Target:
        """What the motors should do.

        Parameters
        ----------
        c : parameters of the controller's model
        row : (6n,) of the reference
        delta : (n,) the controller's state Δ; unused where a joint has no damper
        scale : (n,)
        """
        n = self.n
        q, dq, ddq, tau, dtau, ddtau = (row[k * n : (k + 1) * n] for k in range(SIGNALS))
        _, values = self.model.split(c)
        delta, rate, second = ca.SX(delta), ca.SX(n, 1), ca.SX(n, 1)
        for j, joint in enumerate(self.model.joints):
            spring, s = tuple(v[j] for v in values.spring()), scale[j]
            if self.undamped[j]:
                x = ca.SX.sym("x")
                bend = ca.Function("bend", [x], [joint.spring.deflection_expression(x)])
                curve = ca.Function("curve", [x], [ca.jacobian(spring_slope(x, *joint.spring.values), x)])
                delta[j] = bend(-tau[j] / s)
                slope = s * spring_slope(delta[j], *spring)
                rate[j] = -dtau[j] / slope
                second[j] = -(ddtau[j] + s * curve(delta[j]) * rate[j] ** 2) / slope
            else:
                rate[j] = -(tau[j] + s * spring_torque(delta[j], *spring)) / values.d[j]
                second[j] = -(dtau[j] + s * spring_slope(delta[j], *spring) * rate[j]) / values.d[j]
        theta, dtheta, ddtheta = q - delta, dq - rate, ddq - second
        to_motor, to_joint = (turn(self.model.coupling, values.gear) for turn in (motor_from_joint, joint_from_motor))
        friction = friction_torque(ca.mtimes(to_motor, dtheta), *values.friction())
        held = ca.vertcat(*[ca.SX(0) if self.undamped[j] else rate[j] for j in range(n)])
        return Target(theta, dtheta, ddtheta, values.Jm * ca.mtimes(to_motor, ddtheta) + ca.mtimes(to_joint.T, tau) + friction, held)
