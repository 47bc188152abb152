"""What stands between a motor and its link: a nonlinear spring, a damper, a gear, a rotor and its friction.

Laws of Axelsson (2009, ch. 3.4). The deflection is ``Δ = q − θ``, θ the motor angle divided by the gear; τ(Δ) is the torque that pulls the arm back. Of a
prismatic joint, read N for N m and m for rad.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields
from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.arrays import is_real, numbers
from optid.errors import RobotError, sentence
from optid.model.arguments import instance
from optid.robot.transform import finite_number

Array = NDArray[np.float64]


def spring_torque(delta: Any, low: Any, high: Any, knee: Any) -> ca.SX:
    """τ(Δ): cubic from stiffness ``low`` at 0 to ``high`` at ``knee``, straight beyond; value and slope are continuous."""
    size = ca.fabs(delta)
    inner = delta * (low + (high - low) / 3 * (delta / knee) ** 2)
    # not sign(Δ) times a line in |Δ|: its derivative at 0, where a straight spring has no inner part, would be 0
    outer = high * delta - ca.sign(delta) * knee * 2 * (high - low) / 3
    return ca.if_else(size < knee, inner, outer)


def spring_slope(delta: Any, low: Any, high: Any, knee: Any) -> ca.SX:
    """dτ/dΔ."""
    return ca.if_else(ca.fabs(delta) < knee, low + (high - low) * (delta / knee) ** 2, high)


def spring_energy(delta: Any, low: Any, high: Any, knee: Any) -> ca.SX:
    """∫τ dΔ."""
    size = ca.fabs(delta)
    inner = delta**2 / 2 * (low + (high - low) / 6 * (delta / knee) ** 2)
    beyond = size - knee
    outer = knee**2 * (5 * low + high) / 12 + beyond * (knee * (2 * low + high) / 3 + high * beyond / 2)
    return ca.if_else(size < knee, inner, outer)


@dataclass(frozen=True)
class Spring:
    """A spring that stiffens (or softens) up to ``knee`` and is straight beyond.

    Attributes
    ----------
    low, high : float [N m/rad]
        Stiffness at zero and beyond the knee, both above zero; ``high`` None means equal to ``low``.
    knee : float [rad]
        0 for a spring of stiffness ``high`` throughout.

    Examples
    --------
    >>> from optid.flexibility import Spring
    >>> Spring(1e5, 3e5, 1e-3).torque([1e-3, 2e-3]).round(3).tolist()  # low + (high − low)/3 up to the knee, high beyond
    [166.667, 466.667]
    """

    low: float
    high: float = None  # type: ignore[assignment]
    knee: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "high", self.low if self.high is None else self.high)
        for what in ("low", "high"):
            _checked(self, what, f"stiffness {what} of a spring", "a finite number above 0 [N m/rad]", zero=False)
        _checked(self, "knee", "knee of a spring", "0 or an angle above it [rad]")

    @property
    def values(self) -> tuple[float, float, float]:
        """(low, high, knee)."""
        return self.low, self.high, self.knee

    def torque(self, delta: ArrayLike) -> Array:
        """τ(Δ) [N m] of deflections of any shape."""
        return _mapped(spring_torque, delta, self.values)

    def slope(self, delta: ArrayLike) -> Array:
        """dτ/dΔ [N m/rad]."""
        return _mapped(spring_slope, delta, self.values)

    def energy(self, delta: ArrayLike) -> Array:
        """Stored energy [J]."""
        return _mapped(spring_energy, delta, self.values)

    def deflection(self, torque: ArrayLike) -> Array:
        """Δ [rad] at which τ(Δ) = ``torque``, in closed form."""
        return _mapped(lambda tau: self.deflection_expression(tau), torque, ())

    def deflection_expression(self, torque: Any) -> ca.SX:
        """:meth:`deflection` as an expression."""
        low, high, knee = self.values
        turn = knee * (2 * low + high) / 3
        size = ca.fabs(torque)
        outer = ca.sign(torque) * (knee + (size - turn) / high)
        if knee == 0.0:
            return outer
        cubic = (high - low) / (3 * knee**2)
        if abs(high - low) < 1e-9 * low:
            inner = torque / low
        else:
            # x³ ± 3 a² x = 2 a³ s has the root 2 a sinh(asinh(s)/3), or with sines
            a = math.sqrt(low / abs(3 * cubic))
            s = torque / (2 * abs(cubic) * a**3)
            inner = 2 * a * ca.sinh(ca.asinh(s) / 3) if cubic > 0 else 2 * a * ca.sin(ca.asin(ca.fmax(ca.fmin(s, 1), -1)) / 3)
        return ca.if_else(size < turn, inner, outer)


@dataclass(frozen=True)
class MotorFriction:
    """``f(w) = viscous·w + coulomb·(kinetic + (1 − kinetic)/cosh(decay·w))·tanh(sharpness·w)``, motor side, w the motor's speed [rad/s].

    Attributes
    ----------
    viscous : float [N m s/rad]
    coulomb : float [N m]
    kinetic : float
        Share of ``coulomb`` that is left at high speed; below 1 it is the Stribeck effect.
    sharpness, decay : float [s/rad]

    Examples
    --------
    >>> from optid.flexibility import MotorFriction
    >>> float(MotorFriction(viscous=0.01, coulomb=0.5).torque(100.0))
    1.5
    """

    viscous: float = 0.0
    coulomb: float = 0.0
    kinetic: float = 1.0
    sharpness: float = 1.0
    decay: float = 1.0

    def __post_init__(self) -> None:
        for item in fields(self):
            _checked(self, item.name, f"{item.name} of motor friction", "a finite number, 0 or above")

    @property
    def values(self) -> tuple[float, ...]:
        """(viscous, coulomb, kinetic, sharpness, decay)."""
        return self.viscous, self.coulomb, self.kinetic, self.sharpness, self.decay

    def torque(self, speed: ArrayLike) -> Array:
        """Friction torque [N m] of motor speeds of any shape."""
        return _mapped(friction_torque, speed, self.values)


def friction_torque(speed: Any, viscous: Any, coulomb: Any, kinetic: Any, sharpness: Any, decay: Any) -> ca.SX:
    """The law of :class:`MotorFriction`."""
    # 1/cosh from a falling exponential: cosh itself overflows at high speed
    fall = ca.exp(-ca.fabs(decay * speed))
    stribeck = kinetic + (1 - kinetic) * 2 * fall / (1 + fall**2)
    return viscous * speed + coulomb * stribeck * ca.tanh(sharpness * speed)


def _checked(owner: Any, name: str, what: str, wanted: str, zero: bool = True) -> None:
    """Replace a field by its float, which is finite and above 0 (or 0)."""
    value = getattr(owner, name)
    if not is_real(value) or not (value >= 0 if zero else value > 0) or value == np.inf:
        raise RobotError(sentence(what, value if isinstance(value, float) else repr(value), wanted))
    object.__setattr__(owner, name, float(value))


def _mapped(law: Any, x: ArrayLike, constants: tuple[float, ...]) -> Array:
    """A scalar expression evaluated at numbers of any shape."""
    values = numbers(x, "argument of a joint's law")
    symbol = ca.SX.sym("x")
    function = ca.Function("law", [symbol], [law(symbol, *constants)])
    return np.asarray(function(values.reshape(1, -1)).full()).reshape(values.shape) if values.size else np.zeros(values.shape)


@dataclass(frozen=True)
class ElasticJoint:
    """Spring and damper of a joint, and the motor behind them.

    Attributes
    ----------
    spring : Spring
        Arm side.
    damping : float [N m s/rad]
        Arm side, on Δ̇.
    gear : float
        Motor speed divided by joint speed; where motors are coupled, by the speed of this motor's own gear output.
    rotor_inertia : float [kg m²]
        Motor side.
    friction : MotorFriction
    driven : bool
        False for an elasticity without a motor (a link that bends, a stand that gives way): its θ is 0 for ever, and gear, rotor and friction mean nothing.

    Examples
    --------
    >>> from optid.flexibility import ElasticJoint, Spring
    >>> ElasticJoint(Spring(5e5), damping=500.0, gear=100.0, rotor_inertia=2e-3).driven, ElasticJoint.passive(1e7).driven
    (True, False)
    """

    spring: Spring
    damping: float = 0.0
    gear: float = 1.0
    rotor_inertia: float = 0.0
    friction: MotorFriction = field(default_factory=MotorFriction)
    driven: bool = True

    def __post_init__(self) -> None:
        instance(self.spring, Spring, "spring of an elastic joint", "Make one: Spring(stiffness).")
        instance(self.friction, MotorFriction, "friction of an elastic joint")
        instance(self.driven, bool, "driven of an elastic joint")
        _checked(self, "damping", "damping of an elastic joint", "a finite number, 0 or above [N m s/rad]")
        if finite_number(self.gear, "gear of an elastic joint") == 0.0:
            raise RobotError(sentence("gear of an elastic joint", self.gear, "a finite ratio other than zero"))
        object.__setattr__(self, "gear", float(self.gear))
        _checked(self, "rotor_inertia", "rotor inertia of an elastic joint", "a finite number above 0 [kg m²], or driven=False", zero=not self.driven)

    @classmethod
    def passive(cls, stiffness: float, damping: float = 0.0) -> ElasticJoint:
        """A bending link or a soft stand: a straight spring and a damper against the frame, no motor."""
        return cls(Spring(stiffness), damping, driven=False)

    @property
    def values(self) -> tuple[float, ...]:
        """The numbers named by :data:`JOINT_STEMS`."""
        return (*self.spring.values, self.damping, self.gear, self.rotor_inertia, *self.friction.values)


JOINT_STEMS = ("klow", "khigh", "knee", "d", "gear", "Jm", "fv", "fc", "mu", "alpha", "beta")
"""Parameters of an elastic joint, in the order of :attr:`ElasticJoint.values`."""
