"""Control laws: computed torque, and what it is compared with."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from optid.brief import brief
from optid.errors import DataError, ShapeError, sentence
from optid.model import DynamicModel
from optid.model.actuator import Actuator
from optid.model.arguments import instance
from optid.simulation.call import Call

from .outer_loop import OuterLoop
from .reference import Reference, Target

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Law:
    """A control law: a linear outer loop on the tracking error, and a map from its output to the drives.

    Parameters
    ----------
    model : DynamicModel
        What the controller believes the arm to be.
    outer : OuterLoop
    pi : (p,), optional
        Its parameters; the model's own robot's by default.

    Examples
    --------
    >>> from optid import DynamicModel, library
    >>> from optid.control import GravityPD, Law, OuterLoop
    >>> isinstance(GravityPD(DynamicModel(library.planar_2r()), OuterLoop.pd([1.0] * 2, [1.0] * 2)), Law)
    True
    """

    model: DynamicModel
    outer: OuterLoop
    pi: Any = None

    __repr__ = brief

    def __post_init__(self) -> None:
        instance(self.model, DynamicModel, "model of a control law", "Make one: DynamicModel(robot).")
        instance(self.outer, OuterLoop, "outer loop of a control law", "Make one: OuterLoop.pd(kp).")
        object.__setattr__(self, "pi", self.model._pi(self.model.nominal_parameters() if self.pi is None else self.pi))
        if not np.isfinite(self.pi).all():
            raise DataError(sentence("parameters of a controller", "NaN or infinite values", "finite numbers"))
        outer = self.outer
        if outer.n == 1 and self.model.n > 1:
            outer = OuterLoop(list(outer.num) * self.model.n, list(outer.den) * self.model.n)
            object.__setattr__(self, "outer", outer)
        if outer.n != self.model.n:
            raise ShapeError(sentence("outer loop", f"{outer.n} transfer functions", f"{self.model.n}, one for each joint"))

    @cached_property
    def _inverse_dynamics(self) -> Call:
        q, dq, ddq = (ca.SX.sym(name, self.model.n) for name in ("q", "dq", "ddq"))
        tau = self.model.functions["torque"](ca.SX(ca.sparsify(ca.DM(self.pi))), q, dq, ddq)
        return Call(ca.Function("torque", [q, dq, ddq], [tau]))

    @cached_property
    def _zero(self) -> Array:
        return np.zeros(self.model.n)

    def torque(self, q: Array, dq: Array, target: Target, v: Array) -> Array:
        """Drive torques (n,) [N m] at the measured q, dq (n,) for a target and the outer loop's output v (n,)."""
        raise NotImplementedError

    def command(self, q: Array, dq: Array, target: Target, z: Array) -> Array:
        """Inputs (n,) of the drives, from the outer loop's states z."""
        return self.torque(q, dq, target, self.outer.output(z, target.q - q, target.dq - dq))

    def start(self, reference: Reference, period: float) -> SampledLaw:
        """The law as a program that runs every ``period`` [s]."""
        return SampledLaw(self, reference, period)


@dataclass(frozen=True, eq=False)
class ComputedTorque(Law):
    """``tau = M(q)(ddq_d + v) + N(q, dq)`` with ``v = kp e + kv ė`` or any H(s): the arm becomes n double integrators (V08, Ec. 47–52).

    Parameters
    ----------
    feedforward : bool
        False leaves the wanted acceleration ddq_d out, as V08's simulation did.

    Examples
    --------
    >>> from optid import DynamicModel, library
    >>> from optid.control import ComputedTorque, OuterLoop, Reference, critical_gain, simulate
    >>> from optid.simulation import Plant
    >>> from optid.trajectory import PointToPoint
    >>> model = DynamicModel(library.planar_2r(), friction="none")
    >>> law = ComputedTorque(model, OuterLoop.pd([100.0] * 2, critical_gain([100.0] * 2)))
    >>> run = simulate(Plant(model), law, Reference(PointToPoint([0.0, 0.0], [0.5, 0.5], 0.2)))
    >>> bool(abs(run.error).max() < 1e-2)
    True
    """

    feedforward: bool = True

    __repr__ = brief

    def torque(self, q: Array, dq: Array, target: Target, v: Array) -> Array:
        return np.asarray(self._inverse_dynamics(q, dq, v + target.ddq if self.feedforward else v))


@dataclass(frozen=True, eq=False)
class GravityPD(Law):
    """``tau = g(q) + v``: an outer loop in torques, with gravity compensation only.

    Examples
    --------
    >>> from optid import DynamicModel, library
    >>> from optid.control import GravityPD, OuterLoop, Reference, simulate
    >>> from optid.simulation import Plant
    >>> from optid.trajectory import PointToPoint
    >>> model = DynamicModel(library.planar_2r(), friction="none")
    >>> law = GravityPD(model, OuterLoop.pd([100.0] * 2, [20.0] * 2))
    >>> bool(abs(simulate(Plant(model), law, Reference(PointToPoint([0.3, 0.3], [0.3, 0.3], 0.1))).error).max() < 1e-9)  # gravity alone: it stands
    True
    """

    __repr__ = brief

    @cached_property
    def _gravity(self) -> Call:
        q = ca.SX.sym("q", self.model.n)
        return Call(ca.Function("gravity", [q], [self.model.functions["gravity"](ca.SX(ca.sparsify(ca.DM(self.pi))), q)]))

    def torque(self, q: Array, dq: Array, target: Target, v: Array) -> Array:
        return np.asarray(self._gravity(q) + v)


@dataclass(frozen=True, eq=False)
class Feedforward(Law):
    """``tau = ID(q_d, dq_d, ddq_d) + v``: the model's torque of the wanted motion, and an outer loop in torques.

    Examples
    --------
    >>> from optid import DynamicModel, library
    >>> from optid.control import Feedforward, OuterLoop, Reference, simulate
    >>> from optid.simulation import Plant
    >>> from optid.trajectory import PointToPoint
    >>> model = DynamicModel(library.planar_2r(), friction="none")
    >>> law = Feedforward(model, OuterLoop.pd([100.0] * 2, [20.0] * 2))
    >>> bool(abs(simulate(Plant(model), law, Reference(PointToPoint([0.0, 0.0], [0.5, 0.5], 0.2))).error).max() < 1e-2)
    True
    """

    __repr__ = brief

    def torque(self, q: Array, dq: Array, target: Target, v: Array) -> Array:
        return np.asarray(self._inverse_dynamics(target.q, target.dq, target.ddq) + v)


@dataclass(frozen=True, eq=False)
class VoltageLaw:
    """A torque law behind motors: terminal voltages ``V = R i + kt gear dq`` for the current i that the torque needs.

    Parameters
    ----------
    law : Law
    actuators : n Actuators
        What the controller believes the motors to be. The inductance is left to the motor: its current lags by L / R.

    Examples
    --------
    >>> from optid import DynamicModel, library
    >>> from optid.control import GravityPD, OuterLoop, VoltageLaw
    >>> from optid.model import DCMotor
    >>> from optid.model.actuator import Actuator
    >>> motor = Actuator(DCMotor(L=0.0, R=0.5, kt=0.1, J=1e-4, B=0.0), gear=100.0)
    >>> law = VoltageLaw(GravityPD(DynamicModel(library.planar_2r()), OuterLoop.pd([1.0] * 2, [1.0] * 2)), (motor, motor))
    >>> len(law.actuators)
    2
    """

    law: Law
    actuators: tuple[Actuator, ...]
    _gains: Any = field(init=False, repr=False, default=None)

    __repr__ = brief

    def __post_init__(self) -> None:
        instance(self.law, Law, "law behind voltages")
        object.__setattr__(self, "actuators", tuple(self.actuators))
        for actuator in self.actuators:
            instance(actuator, Actuator, "actuator of a voltage law")
        if len(self.actuators) != self.law.model.n:
            raise ShapeError(sentence("actuators of a voltage law", f"{len(self.actuators)}", f"{self.law.model.n}, one for each drive"))
        object.__setattr__(self, "_gains", (np.array([a.gain for a in self.actuators]), np.array([a.motor.R for a in self.actuators])))

    @property
    def model(self) -> DynamicModel:
        """The law's model."""
        return self.law.model

    @property
    def outer(self) -> OuterLoop:
        """The law's outer loop."""
        return self.law.outer

    def command(self, q: Array, dq: Array, target: Target, z: Array) -> Array:
        """Voltages (n,) [V]."""
        gain, R = self._gains
        robot = self.law.model.robot
        tau, speed = robot.motor_torque(self.law.command(q, dq, target, z)), robot.motor_from_joint(dq)
        return np.asarray(R * tau / gain + gain * speed)

    def start(self, reference: Reference, period: float) -> SampledLaw:
        """The law as a program that runs every ``period`` [s]."""
        return SampledLaw(self, reference, period)


class SampledLaw:
    """A law that runs once a period: its outer loop's states are advanced exactly for errors held in between."""

    def __init__(self, law: Law | VoltageLaw, reference: Reference, period: float) -> None:
        self.law, self.reference, self.period = law, reference, period
        self.Ad, self.Bd = law.outer.discrete(period)
        self.z = np.zeros(law.outer.n_states)
        self._block: Target | None = None
        self._first = 0

    def command(self, k: int, q: Array, dq: Array) -> Array:
        """Inputs (n,) at sample k from what is measured then."""
        target = self._target(k)
        u = self.law.command(q, dq, target, self.z)
        if len(self.z):
            self.z = self.Ad @ self.z + self.Bd @ (target.q - q)
        return u

    def _target(self, k: int, size: int = 512) -> Target:
        if self._block is None or not self._first <= k < self._first + len(self._block.q):
            self._first = k
            self._block = self.reference.target(np.arange(k, k + size) * self.period)
        at = k - self._first
        return Target(*(x[at] for x in self._block))
