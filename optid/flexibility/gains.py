"""Feedback of the motor angles."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from optid.arrays import finite
from optid.model.arguments import instance
from optid.model.flexible import FlexibleModel
from optid.robot.transform import finite_number

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Gains:
    """Diagonal feedback ``kp (φ* − φ) + kd (φ̇* − φ̇) + ki ∫(φ* − φ)`` on each motor: angle φ and torque behind its gear (φ is θ unless motors are coupled).

    Attributes
    ----------
    kp, kd, ki : m-tuples [N m/rad, N m s/rad, N m/(rad s)]

    Examples
    --------
    >>> from optid.flexibility import FlexibleLoop, Gains, set_a
    >>> len(Gains.of(FlexibleLoop(set_a(), backend="interpreter").nominal).kp)
    2
    """

    kp: tuple[float, ...]
    kd: tuple[float, ...]
    ki: tuple[float, ...]

    def __post_init__(self) -> None:
        for what in ("kp", "kd", "ki"):
            values = finite(getattr(self, what), (None,), f"{what} of a feedback")
            object.__setattr__(self, what, tuple(values.tolist()))

    @classmethod
    def of(cls, model: FlexibleModel, speed: float = 20.0, position: float = 25.0, integral: float = 0.0) -> Gains:
        """From the bandwidth of the speed loop [Hz] about the bare rotor, and the ratios kp/kd and ki/kp [1/s]."""
        instance(model, FlexibleModel, "model of a feedback")
        ratios = {"speed": speed, "position": position, "integral": integral}
        hertz, first, second = (finite_number(value, f"{what} of a feedback") for what, value in ratios.items())
        kd = tuple(2 * np.pi * hertz * model.joints[j].gear ** 2 * model.joints[j].rotor_inertia for j in model.driven)
        kp = tuple(first * k for k in kd)
        return cls(kp, kd, tuple(second * k for k in kp))

    @property
    def vector(self) -> Array:
        """kp, kd, ki, one after another (3m,)."""
        return np.concatenate([self.kp, self.kd, self.ki])
