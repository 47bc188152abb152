"""An axis' actuator: DC motor, gear, and what both may be asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.errors import RobotError, ShapeError, sentence
from optid.robot import Drive

from .arguments import instance, real
from .arrays import numbers
from .dc_motor import DCMotor

if TYPE_CHECKING:
    from .dynamic_model import DynamicModel

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Actuator:
    """A DC motor behind a gear.

    Attributes
    ----------
    motor : DCMotor
        Motor-side constants.
    gear : float
        Motor speed divided by joint speed, other than zero.
    max_voltage : float [V]
        Largest magnitude the amplifier gives.

    Notes
    -----
    Rotor inertia and bearing friction of the motor act once: either as ``Ia`` and ``fv`` of the model, which :func:`with_actuators` sets to ``gear² J`` and
    ``gear² B``, or not at all. Current and voltage here therefore come from the **whole** drive torque of the model and do not add J and B again.
    """

    motor: DCMotor
    gear: float = 1.0
    max_voltage: float = np.inf

    def __post_init__(self) -> None:
        instance(self.motor, DCMotor, "motor of an actuator")
        if not np.isfinite(real(self.gear, "gear of an actuator")) or self.gear == 0.0:
            raise RobotError(sentence("gear of an actuator", self.gear, "a finite ratio other than zero"))
        for what in ("R", "kt"):
            if not 0 < real(getattr(self.motor, what), f"{what} of an actuator's motor") < np.inf:
                raise RobotError(sentence(f"{what} of an actuator's motor", getattr(self.motor, what), "a positive number"))
        for what in ("L", "J", "B"):
            if not 0 <= real(getattr(self.motor, what), f"{what} of an actuator's motor") < np.inf:
                raise RobotError(sentence(f"{what} of an actuator's motor", getattr(self.motor, what), "a number that is not negative"))
        if not real(self.max_voltage, "max_voltage of an actuator") > 0:
            raise RobotError(sentence("max_voltage of an actuator", self.max_voltage, "a positive number of volts"))

    @property
    def gain(self) -> float:
        """Joint torque per ampere, ``gear · kt`` [N m/A]."""
        return self.gear * self.motor.kt

    @property
    def drive(self) -> Drive:
        """The same actuator as a :class:`~optid.robot.Drive` of a robot."""
        return Drive(gear=self.gear, rotor_inertia=self.motor.J, torque_constant=self.motor.kt)


def needed_current(actuators: Sequence[Actuator], tau: ArrayLike) -> Array:
    """Currents (..., n) [A] that give drive torques tau (..., n) [N m], joint side, rotor inertia and friction included."""
    return _per_axis(actuators, tau) / np.array([a.gain for a in actuators])


def needed_voltage(actuators: Sequence[Actuator], tau: ArrayLike, dq: ArrayLike, dtau: ArrayLike = 0.0) -> Array:
    """Voltages (..., n) [V] for drive torques tau [N m], their rates dtau [N m/s] and drive speeds dq [rad/s], all joint side.

    ``V = R i + L di/dt + kt gear dq`` with ``i = tau / (gear kt)`` (V08, Ec. 38).
    """
    R, L = (np.array([getattr(a.motor, what) for a in actuators]) for what in ("R", "L"))
    gain = np.array([a.gain for a in actuators])
    rate = _per_axis(actuators, dtau) if np.ndim(dtau) else numbers(dtau, "rate of the torques")
    return (R * _per_axis(actuators, tau) + L * rate) / gain + gain * _per_axis(actuators, dq)


def with_actuators(model: DynamicModel, actuators: Sequence[Actuator], pi: ArrayLike | None = None) -> tuple[DynamicModel, Array]:
    """The model whose rotor inertia and viscous friction are those of the motors, and its parameters.

    Parameters
    ----------
    model : DynamicModel with rotor inertia and viscous friction
    actuators : n of them
    pi : (p,), optional
        Parameters of the arm, the robot's own by default. ``Ia`` becomes ``gear² J``; ``gear² B`` is added to ``fv``.

    Raises
    ------
    RobotError
        When the model has no place for one of them.
    """
    if len(actuators) != model.n:
        raise ShapeError(sentence("actuators", f"{len(actuators)}", f"{model.n}, one for each drive"))
    if not model.rotor_inertia or "viscous" not in model.friction:
        raise RobotError(sentence("model to give motors to", "no rotor inertia or no viscous friction", "both", "Make it with rotor_inertia=True."))
    driven = model.with_robot(model.robot.with_drives([a.drive for a in actuators]))
    values = np.array(driven.nominal_parameters() if pi is None else pi, dtype=float)
    for j, a in enumerate(actuators):
        values[model.index(f"Ia{j + 1}")] = a.gear**2 * a.motor.J
        values[model.index(f"fv{j + 1}")] += a.gear**2 * a.motor.B
    return driven, values


def _per_axis(actuators: Sequence[Actuator], values: ArrayLike) -> Array:
    array = numbers(values, "signal of the actuators")
    if array.shape[-1:] != (len(actuators),):
        raise ShapeError(sentence("signal of the actuators", f"shape {array.shape}", f"(..., {len(actuators)}), one column for each actuator"))
    return array
