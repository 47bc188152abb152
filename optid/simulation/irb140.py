"""The IRB140 experiment of Gonzalez 2021, simulated: published trajectory, published parameter estimates, irregular sampling, seven cycles.

What the source prints is used as printed: trajectory, kinematics, the 18 estimates of Table II as the truth (they are the robot's nominal parameters, see
:func:`optid.library.irb140_lower_arm`), the friction law ``fc tanh(dq / (1 rad/s))``, steps of 51.5 ms that vary by 0.5 ms and at most 2 ms, and a cycle of
504 samples of 10 ms where 500 were asked for. **Assumed**, because the source does not print them: the known masses, rotor inertias and viscous friction,
encoder resolution, torque noise, and the measures of the inverted U.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .clock import Clock
from .recording import simulate_recording
from .sensors import Sensors

if TYPE_CHECKING:
    from optid.experiment import Experiment
    from optid.model import DynamicModel
    from optid.robot import Robot
    from optid.trajectory import Trajectory

Array = NDArray[np.float64]

KNOWN = tuple(f"{stem}{j}" for stem in ("m", "Ia", "fv") for j in (1, 2, 3))
"""Parameters that the source takes as known."""
NOMINAL_PERIOD, TRUE_PERIOD = 5.0, 5.04
CYCLES = 7
RAMP = 1.0
CLOCK = Clock(step=0.0515, jitter=0.0005, largest=0.002)
SENSORS = Sensors(resolution=2 * np.pi / 65536, torque_noise=(0.5, 0.5, 0.25))
CUTOFFS = ((2.4, 4.8), (1.2, 2.4))
"""The source's two pairs of cut-offs [Hz]: position, torque."""

LOW, HIGH, FRONT, SIDE = 0.35, 0.70, 0.55, 0.25
LEG = 1.6


def irb140_model() -> DynamicModel:
    """The model of the source: viscous friction, Coulomb friction along tanh(dq / (1 rad/s)), rotor inertia; 39 parameters."""
    from optid.library import irb140_lower_arm
    from optid.model import DynamicModel

    return DynamicModel(irb140_lower_arm(), ("viscous", "coulomb"), rotor_inertia=True, sign_width=1.0)


def irb140_excitation() -> Trajectory:
    """Seven cycles of the published trajectory as the controller ran it (5.04 s in place of 5 s), from rest to rest."""
    from optid.trajectory import Fourier, RampedFourier, irb140_g21

    printed = irb140_g21()
    return RampedFourier(Fourier(printed.q0, printed.a, printed.b, TRUE_PERIOD, printed.joint_names, CYCLES), RAMP)


def inverted_u(robot: Robot, cycles: int = CYCLES, stretch: float = TRUE_PERIOD / NOMINAL_PERIOD) -> Trajectory:
    """A task: straight up, across, down, and the same way back, with a smooth stop (quintic) at every corner.

    Parameters
    ----------
    robot : Robot
        The lower arm.
    cycles : int
        There and back, so often.
    stretch : float
        Real over nominal time; a leg takes 1.6 s nominally.
    """
    from optid.trajectory import Sampled

    corners = np.array([(FRONT, -SIDE, LOW), (FRONT, -SIDE, HIGH), (FRONT, SIDE, HIGH), (FRONT, SIDE, LOW)])
    corners = np.vstack([corners, corners[-2::-1]])
    steps = 64
    s = np.arange(steps) / steps
    share = s**3 * (10 - 15 * s + 6 * s**2)
    cycle = np.concatenate([a + share[:, None] * (b - a) for a, b in pairwise(corners)])
    q = _inverse(robot, cycle)
    path: Array = np.vstack([np.tile(q, (cycles, 1)), q[:1]])
    time: Array = LEG * stretch / steps * np.arange(len(path), dtype=float)
    return Sampled(time, path, joint_names=robot.joint_names)


def _inverse(robot: Robot, points: Array) -> Array:
    """Joint angles (N, 3) that put the tool at the points (N, 3) [m], the elbow up: Newton's method for all points at once."""
    from optid.kinematics import forward_kinematics, jacobian

    q = np.column_stack([np.arctan2(points[:, 1], points[:, 0]), np.full(len(points), 0.6), np.full(len(points), -2.0)])
    for _ in range(30):
        error = points - forward_kinematics(robot, q)[:, :3, 3]
        q = q + np.linalg.solve(jacobian(robot, q)[:, :3, :], error[:, :, None])[:, :, 0]
        if np.abs(error).max() < 1e-12:
            break
    return q


def irb140_experiment(seed: int = 0) -> Experiment:
    """The recordings of the excitation (identification) and of the inverted U (validation), with robot and design; the same seed gives the same bits."""
    from optid.experiment import Experiment, RobotInfo
    from optid.robot import robot_to_toml
    from optid.trajectory import irb140_g21

    model = irb140_model()
    pi = model.nominal_parameters()
    streams = np.random.SeedSequence(seed).generate_state(2)
    excitation = simulate_recording(
        model, pi, irb140_excitation(), clock=CLOCK, sensors=SENSORS, seed=int(streams[0]), name="excitation", period=NOMINAL_PERIOD
    )
    task = simulate_recording(
        model,
        pi,
        inverted_u(model.robot),
        clock=CLOCK,
        sensors=SENSORS,
        seed=int(streams[1]),
        name="inverted U",
        role="validation",
        period=6 * LEG,
    )
    return Experiment(
        title=f"simulated IRB140, seed {seed}",
        trials=[excitation, task],  # type: ignore[arg-type]
        robot=RobotInfo.of(model.robot, model.parameter_names, description=robot_to_toml(model.robot)),
        design=irb140_g21().to_mapping(),
        created="",
    )
