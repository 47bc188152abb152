"""The DC motor: electrical and mechanical equation, linear in (L, R, kt, J, B).

::

    V = R i + L di/dt + kt ω          (SI: back-emf constant and torque constant are one number)
    0 = J dω/dt + B ω − kt i + load

Source: V08, sec. 3.5; any textbook on electrical drives.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.errors import ShapeError, sentence

Array = NDArray[np.float64]

PARAMETERS = ("L", "R", "kt", "J", "B")


@dataclass(frozen=True)
class DCMotor:
    """A permanent-magnet DC motor.

    Attributes
    ----------
    L : float [H]
    R : float [Ω]
    kt : float [N m/A, V s/rad]
    J : float [kg m²]
    B : float [N m s/rad]

    Examples
    --------
    >>> from optid.model import DCMotor
    >>> DCMotor(L=1e-3, R=0.5, kt=0.1, J=1e-4, B=1e-3)
    DCMotor(L=0.001, R=0.5, kt=0.1, J=0.0001, B=0.001)
    """

    L: float
    R: float
    kt: float
    J: float
    B: float

    def voltage(self, current: ArrayLike, dcurrent: ArrayLike, speed: ArrayLike) -> Array:
        """Terminal voltage [V] for a current [A], its rate [A/s] and a speed [rad/s]."""
        return self.R * np.asarray(current) + self.L * np.asarray(dcurrent) + self.kt * np.asarray(speed)

    def current(self, speed: ArrayLike, acceleration: ArrayLike, load: ArrayLike = 0.0) -> Array:
        """Current [A] that a motion [rad/s, rad/s²] against a load torque [N m] needs."""
        return (self.J * np.asarray(acceleration) + self.B * np.asarray(speed) + np.asarray(load)) / self.kt


def motor_regressor(current: ArrayLike, dcurrent: ArrayLike, speed: ArrayLike, acceleration: ArrayLike) -> Array:
    """Rows (2N, 5) of the stacked equations in the order :data:`PARAMETERS`: N electrical ones (right side V), then N mechanical ones (right side −load).

    Examples
    --------
    >>> from optid.model import motor_regressor
    >>> motor_regressor([2.0], [0.0], [10.0], [3.0])  # L, R, kt, J, B: the voltage, and no torque on a free shaft
    array([[ 0.,  2., 10.,  0.,  0.],
           [ 0.,  0., -2.,  3., 10.]])
    """
    i, di, w, dw = (np.asarray(x, dtype=float) for x in (current, dcurrent, speed, acceleration))
    if len({x.shape for x in (i, di, w, dw)}) != 1 or i.ndim != 1:
        raise ShapeError(sentence("motor signals", f"shapes {[x.shape for x in (i, di, w, dw)]}", "four vectors of one length"))
    zero = np.zeros_like(i)
    return np.vstack([np.column_stack([di, i, w, zero, zero]), np.column_stack([zero, zero, -i, dw, w])])
