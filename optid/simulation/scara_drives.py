"""The experiment of Peng & Zeng, simulated: a SCARA whose links are known from CAD, encoders and motor currents at 1 kHz.

The source prints neither geometry nor numbers. **Assumed** here: the kinematics of the SCARA-ER 14 with axes R-R-P-R, CAD bodies, gears, motors, friction and
noise of the size of such arms. What is taken from the source is the way of working: motor-side parameters B, τ_f and J for each of four axes, 1 ms samples of
encoders and currents.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Mapping

    from optid.experiment import Trial
    from optid.model import DynamicModel
    from optid.robot import Robot
    from optid.trajectory import Trajectory

Array = NDArray[np.float64]

GEARS = (80.0, 50.0, 2 * np.pi / 0.016, 20.0)
"""Motor angle per joint coordinate: harmonic drives, a screw with a lead of 16 mm, a belt."""

TORQUE_CONSTANTS = (0.45, 0.35, 0.18, 0.15)
"""[N m/A]"""

VISCOUS = (4.0e-4, 2.5e-4, 1.2e-4, 0.8e-4)
"""B [N m s/rad], motor side."""

COULOMB = (0.09, 0.06, 0.035, 0.02)
"""τ_f [N m], motor side."""

ROTORS = (6.0e-5, 3.0e-5, 1.2e-5, 0.6e-5)
"""J [kg m²]"""

RATED, MAXIMUM = (0.64, 0.32, 0.16, 0.08), (1.9, 1.1, 0.56, 0.28)
"""Rated and largest motor torques [N m]."""

SPEEDS = (5.0, 6.0, 0.8, 12.0)
"""Largest joint speeds [rad/s, m/s]."""

COUNTS = 131072
"""Encoder counts a motor turn."""

RATE = 1000.0


def scara_cad() -> Robot:
    """The arm with the inertias of its drawing, gears and torque constants; rotors and friction are not in a drawing."""
    from optid.library import scara_er14
    from optid.robot import Drive, Limits, Link

    bodies = (
        Link.from_com(9.5, (-0.13, 0.004, 0.02), (0.03, 0.11, 0.12), "arm 1"),
        Link.from_com(6.2, (-0.11, -0.003, 0.05), (0.025, 0.06, 0.07), "arm 2"),
        Link.from_com(0.9, (0.0, 0.0, 0.08), (0.004, 0.004, 2.0e-4), "screw"),
        Link.from_com(1.4, (0.035, 0.010, 0.03), (0.003, 0.003, 0.004), "wrist and tool"),
    )
    drives = [Drive(gear=g, torque_constant=k) for g, k in zip(GEARS, TORQUE_CONSTANTS, strict=True)]
    robot = scara_er14()
    limits = Limits.of(
        4,
        lower=(*robot.limits.lower[:2], 0.0, robot.limits.lower[3]),
        upper=(*robot.limits.upper[:2], 0.15, robot.limits.upper[3]),
        velocity=SPEEDS,
        torque=[g * m for g, m in zip(GEARS, MAXIMUM, strict=True)],
    )
    return replace(robot, links=bodies, drives=tuple(drives), limits=limits, name="SCARA with CAD inertias")


def scara_drive_model() -> DynamicModel:
    """The model that is identified: rotor inertia, viscous and Coulomb friction on every axis."""
    from optid.model import DynamicModel

    return DynamicModel(scara_cad(), ("viscous", "coulomb"), rotor_inertia=True)


def scara_truth(wrong: Mapping[str, float] | None = None) -> Array:
    """True standard parameters (p,): CAD bodies and the motor-side numbers above.

    Parameters
    ----------
    wrong : mapping name → factor, optional
        Link parameters that the drawing has wrong: their true value is the drawing's times this factor.
    """
    model = scara_drive_model()
    pi = np.array(model.nominal_parameters())
    for j, gear in enumerate(GEARS):
        pi[model.index(f"Ia{j + 1}")] = gear**2 * ROTORS[j]
        pi[model.index(f"fv{j + 1}")] = gear**2 * VISCOUS[j]
        pi[model.index(f"fc{j + 1}")] = gear * COULOMB[j]
    for name, factor in (wrong or {}).items():
        pi[model.index(name)] *= factor
    return pi


def scara_motion(seed: int = 0, size: float = 1.0, period: float = 3.0, cycles: int = 2) -> Trajectory:
    """A periodic motion of random harmonics inside the arm's ranges and speeds (size 1 or less); other seeds are other trajectories."""
    from optid.trajectory import Fourier

    rng = np.random.default_rng(seed)
    middle, reach = np.array([0.0, 0.0, 0.075, 0.0]), np.array([1.1, 1.2, 0.07, 3.0])
    harmonics = 5
    phase = rng.uniform(0, 2 * np.pi, (4, harmonics))
    weight = rng.uniform(0.3, 1.0, (4, harmonics)) / np.arange(1, harmonics + 1) ** 0.5
    amplitude = size * reach[:, None] * weight / weight.sum(axis=1, keepdims=True)
    motion = Fourier(middle, amplitude * np.cos(phase), amplitude * np.sin(phase), period, cycles=cycles)
    slower = np.minimum(1.0, np.array(SPEEDS) / motion.extremes(1).magnitude)[:, None]
    return Fourier(middle, slower * motion.a, slower * motion.b, period, cycles=cycles)


def record_currents(
    motion: Trajectory,
    *,
    pi: Array | None = None,
    noise: float = 0.02,
    seed: int = 0,
    name: str = "currents",
    role: str = "identification",
    duration: float | None = None,
) -> Trial:
    """Encoder positions and motor currents of a motion, 1 ms apart.

    Parameters
    ----------
    motion : Trajectory
        Followed exactly.
    pi : (p,), optional
        True parameters, :func:`scara_truth` by default.
    noise : float
        Standard deviation of the white noise on the currents, in units of each axis' rated current.
    """
    from optid.experiment import Trial

    model = scara_drive_model()
    length = motion.duration if duration is None else duration
    time = np.arange(int(np.floor(length * RATE + 1e-9)) + 1) / RATE
    q, dq, ddq = (motion.derivative(time, order) for order in range(3))
    tau = model.inverse_dynamics(scara_truth() if pi is None else pi, q, dq, ddq)
    current = tau / (np.array(GEARS) * np.array(TORQUE_CONSTANTS))
    usual = np.array(RATED) / np.array(TORQUE_CONSTANTS)
    count = 2 * np.pi / COUNTS / np.array(GEARS)
    rng = np.random.default_rng(seed)
    return Trial(
        time,
        np.round(q / count) * count,
        current=current + noise * usual * rng.standard_normal(current.shape),
        joint_names=model.robot.joint_names,
        role=role,
        sources={"q": "measured", "current": "measured"},
        name=name,
        attributes={"simulated": True, "seed": seed},
    )
