"""The equations of the closed loop, as CasADi functions: rates, steps, outputs, rest."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import casadi as ca
import numpy as np

from optid.kinematics.joint_transform import constant
from optid.model.flexible import FlexibleModel

from .feedforward import SIGNALS, Feedforward, Target


@dataclass(frozen=True, eq=False)
class LoopEquations:
    """Plant, feedforward and diagonal feedback in one.

    State ``z``: that of the plant, the feedforward's deflections Δ (n,), and the integrals of the motors' errors (n,). Beside it the functions take ``scale``
    (n,), a ``row`` of the reference (6n,), the parameters ``p`` of the plant and ``c`` of the controller's model, and ``gains`` (3n,).

    Parameters
    ----------
    plant : FlexibleModel
    feedforward : Feedforward
    integrating : n booleans
        Axes with integral action; the integrals of the others stand for nothing, and rest at 0.
    """

    plant: FlexibleModel
    feedforward: Feedforward
    integrating: tuple[bool, ...]

    @property
    def n(self) -> int:
        """Number of controlled axes."""
        return self.plant.m

    @cached_property
    def symbols(self) -> dict[str, ca.SX]:
        """Arguments of the functions."""
        n = self.n
        sizes = {
            "z": self.plant.size + 2 * n,
            "scale": n,
            "row": SIGNALS * n,
            "p": len(self.plant.parameter_names),
            "c": len(self.feedforward.model.parameter_names),
            "gains": 3 * n,
        }
        return {name: ca.SX.sym(name, size) for name, size in sizes.items()}

    def _target(self, z: ca.SX, scale: ca.SX, row: ca.SX, c: ca.SX) -> Target:
        """What the feedforward wants of the motors in a state."""
        size = self.plant.size
        return self.feedforward.target(c, row, z[size : size + self.n], scale)

    def _control(self, z: ca.SX, target: Target, c: ca.SX, gains: ca.SX) -> tuple[ca.SX, ca.SX]:
        """Torque of the motors, and by how much they miss their angles."""
        n, size = self.n, self.plant.size
        _, theta, _, dtheta = self.plant.unpack(z[:size])
        gear, own = self.feedforward.model.split(c)[1].gear, constant(np.linalg.inv(self.feedforward.model.coupling))
        error, rate = ca.mtimes(own, target.theta - theta), ca.mtimes(own, target.dtheta - dtheta)
        feedback = gains[:n] * error + gains[n : 2 * n] * rate + gains[2 * n :] * z[size + n :]
        return target.torque + feedback / gear, error

    def _moved(self, z: ca.SX, theta: ca.SX, dtheta: ca.SX) -> ca.SX:
        """A state with the motors' angles and speeds moved by so much."""
        n, arm, size = self.n, self.plant.n, self.plant.size
        return ca.vertcat(z[:arm], z[arm : arm + n] + theta, z[arm + n : size - n], z[size - n : size] + dtheta, z[size:])

    @cached_property
    def rates(self) -> ca.Function:
        """dz/dt."""
        s = self.symbols
        target = self._target(s["z"], s["scale"], s["row"], s["c"])
        u, error = self._control(s["z"], target, s["c"], s["gains"])
        dx = self.plant.functions["rates"](s["p"], s["z"][: self.plant.size], u)
        return ca.Function("loop", list(s.values()), [ca.densify(ca.vertcat(dx, target.rate, error))], list(s), ["dz"])

    @cached_property
    def rates_beside(self) -> ca.Function:
        """:attr:`rates` of a state whose motors are counted from their reference.

        The acceleration of the reference has a kink where a spring ends its curve, and steps across it err by the square of their length; what a motor that
        obeys needs of it cancels here.
        """
        s = self.symbols
        target = self._target(s["z"], s["scale"], s["row"], s["c"])
        z = self._moved(s["z"], target.theta, target.dtheta)
        u, error = self._control(z, target, s["c"], s["gains"])
        dx = self.plant.functions["rates"](s["p"], z[: self.plant.size], u)
        dz = self._moved(ca.vertcat(dx, target.rate, error), -target.dtheta, -target.ddtheta)
        return ca.Function("beside", list(s.values()), [ca.densify(dz)], list(s), ["dz"])

    def steps(self, chunk: int) -> ca.Function:
        """The state after ``chunk`` steps of length h of the classical Runge–Kutta method, from 2·chunk + 1 rows of the reference, half a step apart."""
        s, width = self.symbols, SIGNALS * self.n
        rows = ca.SX.sym("rows", (2 * chunk + 1) * width)
        h = ca.SX.sym("h")
        parts = [rows[at * width : (at + 1) * width] for at in range(2 * chunk + 1)]

        def rates(state: ca.SX, at: int) -> ca.SX:
            return self.rates_beside(state, s["scale"], parts[at], s["p"], s["c"], s["gains"])

        target = self._target(s["z"], s["scale"], parts[0], s["c"])
        z = self._moved(s["z"], -target.theta, -target.dtheta)
        for k in range(chunk):
            k1 = rates(z, 2 * k)
            k2 = rates(z + h / 2 * k1, 2 * k + 1)
            k3 = rates(z + h / 2 * k2, 2 * k + 1)
            k4 = rates(z + h * k3, 2 * k + 2)
            z = z + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        target = self._target(z, s["scale"], parts[-1], s["c"])
        z = self._moved(z, target.theta, target.dtheta)
        inputs = {**s, "row": rows}
        names = ["z", "scale", "rows", "p", "c", "gains", "h"]
        return ca.Function("advance", [*inputs.values(), h], [z], names, ["next"])

    @cached_property
    def outputs(self) -> ca.Function:
        """Torques, those of the feedforward, motor angles, their reference, motor speeds (n each), position of the tool (3,), arm angles."""
        s = self.symbols
        target = self._target(s["z"], s["scale"], s["row"], s["c"])
        u, _ = self._control(s["z"], target, s["c"], s["gains"])
        q, theta, _, dtheta = self.plant.unpack(s["z"][: self.plant.size])
        columns = ca.densify(ca.vertcat(u, target.torque, theta, target.theta, dtheta, self.plant.functions["tool"](q), q))
        return ca.Function("outputs", list(s.values()), [columns], list(s), ["y"])

    @property
    def unknown_at_rest(self) -> list[int]:
        """Places in z of the arm's and motors' angles and of the integrals."""
        size, n = self.plant.size, self.n
        return [*range(self.plant.n + n), *range(size + n, size + 2 * n)]

    @cached_property
    def rest(self) -> ca.Function:
        """Residual and Jacobian of the equations of rest, for :attr:`unknown_at_rest`."""
        s, size, n = self.symbols, self.plant.size, self.n
        dz = self.rates(*s.values())
        residual = ca.vertcat(dz[self.plant.n + n : size], dz[size + n :])
        for j in range(n):
            if not self.integrating[j]:
                residual[self.plant.n + n + j] = s["z"][size + n + j]
        jacobian = ca.jacobian(residual, s["z"][self.unknown_at_rest])
        return ca.Function("standing", list(s.values()), [ca.densify(ca.horzcat(residual, jacobian))], list(s), ["r"])

    @cached_property
    def slopes(self) -> ca.Function:
        """∂(dz/dt)/∂z."""
        s = self.symbols
        return ca.Function("slopes", list(s.values()), [ca.densify(ca.jacobian(self.rates(*s.values()), s["z"]))], list(s), ["A"])
