"""What a simulated motion leaves behind."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from optid.brief import brief
from optid.experiment import Trial
from optid.model.transmission import joint_torque

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LoopRecord:
    """Signals of B runs of one motion.

    Attributes
    ----------
    time : (N,) [s]
    upsilon : (B, n) [%]
    torque, feedforward : (B, N, n) [N m]
        Of the motors, motor side.
    motor, motor_reference, motor_speed : (B, N, n) [rad, rad, rad/s]
        Brought to the joints through gears and coupling.
    q : (B, N, n_arm) [rad]
    tool : (B, N, 3) [m]
    tool_reference : (N, 3) or None [m]
    duration : float [s]
        End of the reference motion.
    gears : (n,), or (n, n) where motors are coupled
        See :attr:`~optid.model.flexible.FlexibleModel.gears`.
    """

    time: Array
    upsilon: Array
    torque: Array
    feedforward: Array
    motor: Array
    motor_reference: Array
    motor_speed: Array
    q: Array
    tool: Array
    tool_reference: Array | None
    duration: float
    gears: Array

    __repr__ = brief

    def trial(self, index: int = 0, name: str = "run", joint_names: tuple[str, ...] = ()) -> Trial:
        """One run as a real robot would record it: motor angles and motor torques, both brought to the joints, and the numbers that belong to them."""
        return Trial(
            time=self.time,
            q=self.motor[index],
            dq=self.motor_speed[index],
            tau=joint_torque(self.torque[index], self.gears),
            joint_names=joint_names,
            name=name,
            attributes={"upsilon": self.upsilon[index], "gears": self.gears},
        )
