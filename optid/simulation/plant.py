"""The arm as a simulator sees it: states, their rates, and one careful step after another."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.brief import brief
from optid.errors import DataError, ShapeError, SingularError, SolveError, sentence
from optid.kinematics.joint_transform import constant
from optid.model import DynamicModel
from optid.model.actuator import Actuator
from optid.model.arguments import instance, per_axis, positive, real
from optid.model.arrays import numbers
from optid.model.symmetric import solve_symmetric

from .call import Call
from .forward import _invertible
from .friction_side import break_away, friction_range, friction_torque, sticking

Array = NDArray[np.float64]

STEP = 1e-4
"""Default largest step [s]."""

MOST_SWITCHES = 1000
"""Changes of direction of drives within one call of ``advance``; more mean that the motion cannot be followed."""


LARGEST = 1e12
"""States beyond this (rad, rad/s, A) count as not finite."""


class State(NamedTuple):
    """State of an arm: positions q (n,), speeds dq (n,), motor currents (n,) [A] (zeros without motors).

    Examples
    --------
    >>> from optid import DynamicModel, library
    >>> from optid.simulation import Plant
    >>> Plant(DynamicModel(library.planar_2r(), friction="none")).state([0.1, 0.2], [0.0, 0.0]).q.tolist()
    [0.1, 0.2]
    """

    q: Array
    dq: Array
    current: Array


@dataclass(frozen=True, eq=False)
class Plant:
    """An arm with known parameters, driven by torques or, with motors, by voltages.

    Parameters
    ----------
    model : DynamicModel
    pi : (p,)
        Standard parameters; the model's own robot's by default.
    actuators : n Actuators, optional
        Inputs are then terminal voltages [V], limited to each actuator's ``max_voltage``; a motor with L = 0 has no electrical state.
    max_torque : (n,), optional [N m]
        Without actuators: inputs are limited to these magnitudes (joint side).
    step : float [s]
        Largest step of the fixed-step integrator (classical Runge-Kutta of order 4). Motors shorten it to half their electrical time constant.

    Notes
    -----
    Coulomb friction with an exact sign is followed through its switches: a step ends where a drive comes to rest, a drive that stands is held still exactly
    until the other torques exceed its friction, and none chatters about zero speed. A smooth sign (``sign_width`` of the model) is an ordinary function.

    Examples
    --------
    >>> from optid import DynamicModel, library
    >>> from optid.simulation import Plant
    >>> plant = Plant(DynamicModel(library.planar_2r(vertical=False), friction="none"))
    >>> plant.advance(plant.state([0.0, 0.0], [0.0, 0.0]), [0.0, 0.0], 0.1).q.tolist()  # nothing pulls
    [0.0, 0.0]
    """

    model: DynamicModel
    pi: Any = None
    actuators: tuple[Actuator, ...] = ()
    max_torque: Any = None
    step: float = STEP

    __repr__ = brief

    def __post_init__(self) -> None:
        instance(self.model, DynamicModel, "model of a plant", "Make one: DynamicModel(robot).")
        pi = self.model._pi(self.model.nominal_parameters() if self.pi is None else self.pi)
        object.__setattr__(self, "pi", pi)
        object.__setattr__(self, "actuators", tuple(self.actuators))
        for actuator in self.actuators:
            instance(actuator, Actuator, "actuator of a plant")
        if not np.isfinite(pi).all():
            raise DataError(sentence("parameters of a plant", "NaN or infinite values", "finite numbers"))
        if len(self.actuators) not in (0, self.model.n):
            raise ShapeError(sentence("actuators of a plant", f"{len(self.actuators)}", f"{self.model.n}, one for each drive, or none"))
        if self.max_torque is not None:
            limit = numbers(self.max_torque, "max_torque of a plant")
            if limit.shape not in ((), (self.model.n,)) or not (limit > 0).all() or self.actuators:
                raise DataError(
                    sentence("max_torque of a plant", limit.tolist(), f"a positive torque, or {self.model.n}, and no actuators", "Motors have max_voltage.")
                )
            object.__setattr__(self, "max_torque", np.broadcast_to(limit, (self.model.n,)))
        positive(self.step, "step of a plant")
        if not _invertible(self.model, pi, np.zeros((1, self.n))) and not _invertible(self.model, pi, np.full((1, self.n), 0.7)):
            raise SingularError(
                sentence(
                    f"mass matrix of robot {self.model.robot.name!r}", "not positive definite", "positive definite", "Give every link or its drive an inertia."
                )
            )

    @property
    def n(self) -> int:
        """Number of coordinates."""
        return self.model.n

    @property
    def largest_step(self) -> float:
        """Step used [s]."""
        constants = [a.motor.L / a.motor.R for a in self.actuators if a.motor.L > 0]
        return min([self.step, *(0.5 * c for c in constants)])

    def state(self, q: ArrayLike, dq: ArrayLike | None = None, current: ArrayLike | None = None) -> State:
        """A state from arrays (n,); at rest and without current where they are left out."""
        zero = np.zeros(self.n)
        arrays = [zero if x is None else numbers(x, f"{what} of a state").copy() for what, x in zip(State._fields, (q, dq, current), strict=True)]
        for what, array in zip(State._fields, arrays, strict=True):
            if array.shape != (self.n,) or not np.isfinite(array).all():
                raise ShapeError(sentence(f"{what} of a state", f"shape {array.shape}, {array}", f"{self.n} finite numbers"))
        return State(*arrays)

    # -- expressions --------------------------------------------------------------------------------------------------------------------------------

    @cached_property
    def _symbols(self) -> dict[str, ca.SX]:
        n = self.n
        return {"x": ca.SX.sym("x", 3 * n), **{name: ca.SX.sym(name, n) for name in ("u", "w", "direction", "stuck")}}

    def _parts(self, x: ca.SX, u: ca.SX) -> tuple[ca.SX, ca.SX, ca.SX, ca.SX, ca.SX]:
        """Speed of the joints, of the motors, current and its rate, joint torque of the drives."""
        n, C = self.n, self.model.robot.C
        dq, current = x[n : 2 * n], x[2 * n :]
        motor = dq if self.model.robot.coupling is None else ca.mtimes(constant(np.linalg.inv(C)), dq)
        if not self.actuators:
            limit = self.max_torque
            return dq, motor, ca.SX(n, 1), ca.SX(n, 1), u if limit is None else ca.fmin(ca.fmax(u, -ca.DM(limit)), ca.DM(limit))
        rates, amperes = ca.SX(n, 1), ca.SX(n, 1)
        for j, a in enumerate(self.actuators):
            limit = a.max_voltage
            volts = u[j] if np.isinf(limit) else ca.fmin(ca.fmax(u[j], -limit), limit)
            if a.motor.L > 0:
                amperes[j] = current[j]
                rates[j] = (volts - a.motor.R * current[j] - a.gain * motor[j]) / a.motor.L
            else:
                amperes[j] = (volts - a.gain * motor[j]) / a.motor.R
        drive = amperes * np.array([a.gain for a in self.actuators])
        tau = drive if self.model.robot.coupling is None else ca.mtimes(constant(np.linalg.inv(C).T), drive)
        return dq, motor, amperes, rates, tau

    def _motion(self, x: ca.SX, u: ca.SX, w: ca.SX, direction: ca.SX) -> tuple[ca.SX, ca.SX, ca.SX]:
        """Mass matrix and load in motor coordinates, rates of the currents."""
        n, model = self.n, self.model
        pi = ca.SX(constant(self.pi))
        q = x[:n]
        dq, motor, _, rates, tau = self._parts(x, u)
        rigid = replace(model, friction=()).functions["torque"](_rigid_parameters(model, pi), q, dq, ca.SX(n, 1))
        M = model.functions["mass_matrix"](pi, q)
        load = tau + w - rigid
        if model.robot.coupling is not None:
            C = constant(model.robot.C)
            M, load = ca.mtimes([C.T, M, C]), ca.mtimes(C.T, load)
        return M, load - friction_torque(model, pi, motor, direction), rates

    def _rates(self, x: ca.SX, u: ca.SX, w: ca.SX, direction: ca.SX, stuck: ca.SX | None) -> tuple[ca.SX, ca.SX]:
        """Rates (3n,) of x, and the torque (n,) that holds the standing drives [N m, motor coordinates]."""
        M, load, rates = self._motion(x, u, w, direction)
        if stuck is None:
            ddtheta, needed = solve_symmetric(M, load), ca.SX(self.n, 1)
        else:
            # a standing drive has acceleration zero: its row and column are those of the identity
            free = 1 - stuck
            ddtheta = solve_symmetric(M * ca.mtimes(free, free.T) + ca.diag(stuck), load * free)
            needed = load - ca.mtimes(M, ddtheta)
        ddq = ddtheta if self.model.robot.coupling is None else ca.mtimes(constant(self.model.robot.C), ddtheta)
        return ca.vertcat(x[self.n : 2 * self.n], ddq, rates), needed

    def rates_expression(self, x: ca.SX, u: ca.SX, w: ca.SX | None = None) -> ca.SX:
        """Rates (3n,) of x = (q, dq, current) under inputs u (n,) and joint torques w (n,) from outside, with the exact sign of the speed."""
        motor = self._parts(x, u)[1]
        return self._rates(x, u, ca.SX(self.n, 1) if w is None else w, ca.sign(motor), None)[0]

    @cached_property
    def _calls(self) -> dict[str, Call]:
        s = self._symbols
        h = ca.SX.sym("h")
        inputs = [s[name] for name in ("x", "u", "w", "direction", "stuck")]
        rates = ca.Function("rates", inputs, [*self._rates(s["x"], s["u"], s["w"], s["direction"], s["stuck"] if self.sticky.any() else None)])

        def f(x: ca.SX) -> Any:
            return rates(x, *inputs[1:])

        x = s["x"]
        k1, needed = f(x)
        k2 = f(x + h / 2 * k1)[0]
        k3 = f(x + h / 2 * k2)[0]
        k4 = f(x + h * k3)[0]
        end = x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        M, load, _ = self._motion(x, s["u"], s["w"], s["direction"])
        dq, motor, amperes, _, tau = self._parts(x, s["u"])
        exact = self._rates(x, s["u"], s["w"], ca.sign(motor), None)[0]
        return {
            "step": Call(ca.Function("step", [*inputs, h], [end, needed])),
            "rest": Call(ca.Function("rest", inputs[:4], [M, load])),
            "drive": Call(ca.Function("drive", [x, s["u"]], [tau, amperes, motor, dq])),
            "rates": Call(ca.Function("rates", inputs[:3], [exact])),
        }

    # -- numbers ------------------------------------------------------------------------------------------------------------------------------------

    @cached_property
    def sticky(self) -> NDArray[np.bool_]:
        """(n,) drives that can stand against a torque."""
        return sticking(self.model, self.pi)

    @cached_property
    def _inverse_coupling(self) -> Array | None:
        return None if self.model.robot.coupling is None else np.asarray(np.linalg.inv(self.model.robot.C), dtype=float)

    def _motor_speed(self, x: Array) -> Array:
        """Motor speeds (n,) of a state, exactly zero where they are zero to rounding."""
        dq = x[self.n : 2 * self.n]
        if self._inverse_coupling is None:
            return dq
        speed = self._inverse_coupling @ dq
        return np.where(np.abs(speed) <= 1e-15 * (np.abs(self._inverse_coupling) @ np.abs(dq)), 0.0, speed)

    def rates(self, state: State, u: ArrayLike, w: ArrayLike | None = None) -> State:
        """Time derivatives (dq, ddq, di/dt) of a state, with the exact sign of the speed: for adaptive integrators."""
        x = self._calls["rates"](self._flat(state), *self._acting(u, w))
        return State(*x.reshape(3, self.n))

    def drive(self, state: State, u: ArrayLike) -> tuple[Array, Array]:
        """Joint torques (n,) [N m] of the drives and their currents (n,) [A] (zeros without motors) under inputs u."""
        inputs, _ = self._acting(u)
        if not self.actuators and self.max_torque is None:
            return inputs, np.zeros(self.n)
        tau, current, _, _ = self._calls["drive"](self._flat(state), inputs)
        return tau, current

    def _acting(self, u: ArrayLike, w: ArrayLike | None = None) -> tuple[Array, Array]:
        """Inputs and joint torques from outside, (n,) each."""
        return per_axis(u, self.n, "inputs of a plant"), np.zeros(self.n) if w is None else per_axis(w, self.n, "torques from outside")

    def _flat(self, state: State) -> Array:
        """A state as one vector (3n,)."""
        try:
            x = np.concatenate(state)
        except (ValueError, TypeError):
            x = np.zeros(0)
        if x.shape != (3 * self.n,) or x.dtype.kind not in "iuf":
            raise ShapeError(sentence("state of a plant", repr(state), f"three arrays ({self.n},)", "Make it with plant.state(q, dq)."))
        return x

    def _steps(self, duration: float) -> int:
        """Number of steps that a duration takes."""
        wanted = "a number of seconds that is not negative"
        length = real(duration, "duration of a simulation", wanted)
        if not 0 <= length < np.inf:
            raise DataError(sentence("duration of a simulation", duration, wanted))
        return max(1, int(np.ceil(length / self.largest_step * (1 - 1e-12))))

    def advance(self, state: State, u: ArrayLike, duration: float, w: ArrayLike | None = None) -> State:
        """The state after ``duration`` [s] with constant inputs u (n,) and constant joint torques w (n,) from outside.

        Raises
        ------
        SolveError
            When the motion leaves the finite numbers, or drives change direction without end.
        """
        inputs, outside = self._acting(u, w)
        x, count = self._flat(state), self._steps(duration)
        if not self.sticky.any():
            none = np.zeros(self.n)
            for _ in range(count):
                x, _ = self._calls["step"](x, inputs, outside, none, none, duration / count)
        else:
            x = self._advance_sticky(x, inputs, outside, duration, duration / count)
        if not (np.abs(x) < LARGEST).all():
            raise SolveError(sentence("simulation", "states that are not finite", "a motion that stays finite", "Shorten step, or lower the gains."))
        return State(*x.reshape(3, self.n))

    def _advance_sticky(self, x: Array, u: Array, w: Array, duration: float, step: float) -> Array:
        left, switches = duration, 0
        direction, stuck = self._modes(x, u, w)
        fresh = True
        while left > 1e-12 * duration:
            h = min(step, left)
            end, needed = self._calls["step"](x, u, w, direction, stuck, h)
            if not fresh and self._slips(needed, stuck):
                (direction, stuck), fresh = self._modes(x, u, w), True
                continue
            reversed_ = np.flatnonzero(direction * self._motor_speed(end) < 0)
            if len(reversed_):
                switches += 1
                if switches > MOST_SWITCHES:
                    raise SolveError(sentence("simulation", f"{switches} changes of direction in {duration:g} s", "fewer", "Shorten the control period."))
                h, end = self._until_rest(x, u, w, direction, stuck, h, reversed_)
                direction, stuck = self._modes(end, u, w)
            x, left, fresh = end, left - h, bool(len(reversed_))
        return x

    def _slips(self, needed: Array, stuck: Array) -> bool:
        """Whether a standing drive needs more friction (n,) than it has."""
        lower, upper = self._stiction
        slack = 1e-12 * np.maximum(np.abs(lower), np.abs(upper))
        return bool(np.any((stuck > 0) & ((needed < lower - slack) | (needed > upper + slack))))

    def _modes(self, x: Array, u: Array, w: Array) -> tuple[Array, Array]:
        """Direction (n,) of every drive and (n,) which of them stand."""
        speed = self._motor_speed(x)
        direction = np.where(self.sticky, np.sign(speed), 0.0)
        standing = self.sticky & (direction == 0)
        if not standing.any():
            return direction, np.zeros(self.n)
        M, load = self._calls["rest"](x, u, w, direction)
        start = break_away(np.linalg.inv(M.reshape(self.n, self.n)), load, standing, *self._stiction)
        return np.where(standing, start, direction), (standing & (start == 0)).astype(float)

    @cached_property
    def _stiction(self) -> tuple[Array, Array]:
        """Ends of a standing drive's friction, its offset taken out: the load has that."""
        lower, upper = friction_range(self.model, self.pi)
        offset = np.zeros(self.n) if "asymmetric" in self.model.friction else 0.5 * (lower + upper)
        return lower - offset, upper - offset

    def _until_rest(self, x: Array, u: Array, w: Array, direction: Array, stuck: Array, h: float, which: NDArray[np.int64]) -> tuple[float, Array]:
        """The step (shortened) to the instant at which the first of the drives ``which`` comes to rest, and the state there with exactly zero speed."""
        n = self.n

        def speeds(step: float) -> tuple[Array, Array]:
            end, _ = self._calls["step"](x, u, w, direction, stuck, step)
            return direction[which] * self._motor_speed(end)[which], end

        low, high = 0.0, h
        at_low, (at_high, end) = direction[which] * self._motor_speed(x)[which], speeds(h)
        scale = max(float(np.abs(at_low).max()), float(np.abs(at_high).max()))
        step = h
        for k in range(60):
            ratio = at_low / np.where(at_low - at_high > 0, at_low - at_high, np.inf)
            share = float(ratio[at_high < 0].min()) if k % 3 else 0.5
            step = low + (high - low) * min(max(share, 1e-3), 1 - 1e-3)
            value, end = speeds(step)
            if abs(value.min()) <= 1e-13 * scale or high - low <= 1e-13 * h:
                break
            low, at_low, high, at_high = (low, at_low, step, value) if value.min() < 0 else (step, value, high, at_high)
        motor = self._motor_speed(end).copy()
        stopped = self.sticky & (direction * motor <= 1e-12 * scale) & (direction != 0)
        motor[stopped] = 0.0
        end = end.copy()
        end[n : 2 * n] = motor if self._inverse_coupling is None else self.model.robot.C @ motor
        return step, end


def _rigid_parameters(model: DynamicModel, pi: ca.SX) -> ca.SX:
    """The parameters (…,) of the same model without friction: links, rotor inertias, user-supplied columns."""
    own = 10 * model.robot.n_links + (model.n if model.rotor_inertia else 0)
    extra = sum(len(b.names) for b in model.basis)
    return ca.vertcat(pi[:own], pi[model.p - extra :]) if extra else pi[:own]
