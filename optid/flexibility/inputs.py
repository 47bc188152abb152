"""Which motion shows a wrong Υ best: answered by the linearised closed loop, before any run.

A Υ that is wrong by a percent changes torque feedforward and motor reference a little. What that change leaves behind at the end of the motion, and what the
motor torque will show of it until it has died out, is linear algebra. The result is the curvature of Λ² at its minimum: one number for every pair of axes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from optid.errors import DataError, sentence
from optid.model.arguments import instance
from optid.model.transmission import joint_torque, motor_torque

from .feedforward import Motion
from .linear import linearise
from .loop import FlexibleLoop

Array = NDArray[np.float64]

PERCENT = 1.0
"""Change of Υ [%] whose effect is followed."""


@dataclass(frozen=True, eq=False)
class InputQuality:
    """What a motion shows of each Υ.

    Attributes
    ----------
    curvature : (n, n) [(N m)² s / %²]
        Predicted ``∫ u_i u_j dt`` of the motors' vibration after the motion, summed over motors, for a change of 1 % in Υ_i and Υ_j.
    """

    curvature: Array

    @property
    def weakest(self) -> float:
        """Vibration [N m √s / %] in the combination of Υ that shows least: the larger, the better the motion."""
        return float(np.sqrt(max(np.linalg.eigvalsh(self.curvature)[0], 0.0)))

    @property
    def condition(self) -> float:
        """Ratio of the curvatures across and along the valley."""
        values = np.linalg.eigvalsh(self.curvature)
        return float(values[-1] / values[0]) if values[0] > 0 else np.inf

    def shows(self, axis: int) -> float:
        """Vibration [N m √s / %] for this Υ alone."""
        return float(np.sqrt(self.curvature[axis, axis]))


def input_quality(loop: FlexibleLoop, motion: Motion) -> InputQuality:
    """Analyse one motion, of a robot that is as its controller believes."""
    from scipy.linalg import expm, solve_continuous_lyapunov

    instance(loop, FlexibleLoop, "loop to analyse")
    n, percents = loop.n, np.full((loop.n + 1, loop.n), 100.0)
    percents[range(1, n + 1), range(n)] += PERCENT
    record = loop.simulate(motion, percents, tail=0.05, reference_tool=False)
    linear = linearise(loop.plant, record.q[0, -1]).with_feedback(loop.gains)
    change = joint_torque(record.feedforward[1:] - record.feedforward[0], loop.gears)
    reference = record.motor_reference[1:] - record.motor_reference[0]
    drive = change + reference @ linear.kp + np.gradient(reference, 1 / loop.rate, axis=1) @ linear.kd

    size = len(linear.M)
    inverse = np.linalg.inv(linear.M)
    A = np.block([[np.zeros((size, size)), np.eye(size)], [-inverse @ linear.K, -inverse @ linear.D]])
    motors = linear.n + np.arange(n)
    B = np.zeros((2 * size, n))
    B[size:, :] = inverse[:, motors]
    # what is left oscillates about the posture that the last drive holds
    step = expm(np.block([[A, B], [np.zeros((n, 2 * size + n))]]) / loop.rate)
    Ad, Bd = step[: 2 * size, : 2 * size], step[: 2 * size, 2 * size :]
    left = np.zeros((n, 2 * size))
    for i in range(n):
        z = np.linalg.solve(-A, B @ drive[i, 0])
        middle = (drive[i, 1:] + drive[i, :-1]) / 2
        for u in middle:
            z = Ad @ z + Bd @ u
        left[i] = z - np.linalg.solve(-A, B @ drive[i, -1])
    C = np.zeros((n, 2 * size))
    C[:, motors] = -motor_torque(linear.kp, loop.gears).T
    C[:, size + motors] = -motor_torque(linear.kd, loop.gears).T
    gramian = solve_continuous_lyapunov(A.T, -C.T @ C)
    curvature = left @ gramian @ left.T / PERCENT**2
    return InputQuality((curvature + curvature.T) / 2)


def best_input(loop: FlexibleLoop, motions: Mapping[str, Motion]) -> tuple[str, dict[str, InputQuality]]:
    """Name of the motion whose weakest combination of Υ shows most, and what was found for all.

    Examples
    --------
    >>> from optid.flexibility import FlexibleLoop, best_input, set_a
    >>> from optid.flexibility.surfaces import experiment
    >>> loop = FlexibleLoop(set_a(), backend="interpreter")
    >>> best_input(loop, {"short": experiment(loop, "zero", "++", "short")})[0]
    'short'
    """
    instance(motions, Mapping, "motions to choose from", "Names and motions.")
    if not motions:
        raise DataError(sentence("motions to choose from", "none", "one or more"))
    found = {name: input_quality(loop, motion) for name, motion in motions.items()}
    return max(found, key=lambda name: found[name].weakest), found
