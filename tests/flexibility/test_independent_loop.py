"""One Λ by another way: the equations of Axelsson (2009, 3.49–3.55) and the controller written down by hand, integrated by SciPy."""

from __future__ import annotations

from typing import Any

import numpy as np

from optid.flexibility.loop import FlexibleLoop
from optid.flexibility.objectives import TailRule, settled
from optid.flexibility.surfaces import experiment

L2, M2, M3, XI2, XI3, J2, J3, GRAVITY = 1.075, 250.0, 350.0, 0.45, 0.40, 30.0, 90.0, 9.80665
GEAR, ROTOR = np.array([150.0, 130.0]), np.array([0.015, 0.015])
LOW, HIGH, WIDTH, DAMPING = np.array([0.9e6, 0.42e6]), np.array([1.5e6, 0.7e6]), 3e-4, np.array([1.5e3, 0.7e3])
VISCOUS, COULOMB, KINETIC, SLOPE, STRIBECK = 0.010, 0.75, 1.0, 0.8, 3.24
KD = 2 * np.pi * 20 * ROTOR * GEAR**2
KP = 25 * KD
CUBIC = (HIGH - LOW) / (3 * WIDTH**2)


def arm(q: np.ndarray, dq: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mass matrix (3.49), and centripetal terms (3.50) with gravity (3.51)."""
    s3, c23 = np.sin(q[1]), np.cos(q[0] + q[1])
    j23 = J3 + M3 * (XI3**2 - L2 * XI3 * s3)
    mass = np.array([[J2 + M2 * XI2**2 + J3 + M3 * (L2**2 + XI3**2 - 2 * L2 * XI3 * s3), j23], [j23, J3 + M3 * XI3**2]])
    h = M3 * L2 * XI3 * np.cos(q[1])
    pull = np.array([M2 * XI2 * np.sin(q[0]) + M3 * (L2 * np.sin(q[0]) + XI3 * c23), M3 * XI3 * c23])
    return mass, np.array([-h * (2 * dq[0] * dq[1] + dq[1] ** 2), h * dq[0] ** 2]) - GRAVITY * pull


def spring(delta: np.ndarray) -> np.ndarray:
    """(3.55)."""
    hard = np.sign(delta) * (LOW * WIDTH + CUBIC * WIDTH**3 + HIGH * (np.abs(delta) - WIDTH))
    return np.where(np.abs(delta) <= WIDTH, LOW * delta + CUBIC * delta**3, hard)


def stiffness(delta: np.ndarray) -> np.ndarray:
    return np.where(np.abs(delta) <= WIDTH, LOW + 3 * CUBIC * delta**2, HIGH)


def friction(dq_motor: np.ndarray) -> np.ndarray:
    """(3.53), on the arm side."""
    w = GEAR * dq_motor
    return GEAR * (VISCOUS * w + COULOMB * (KINETIC + (1 - KINETIC) / np.cosh(STRIBECK * w)) * np.tanh(SLOPE * w))


class ByHand:
    """States: q, q of the motors on the arm side, their rates, and the controller's own deflection, of two axes each."""

    def __init__(self, motion: Any, upsilon: np.ndarray) -> None:
        self.motion, self.scale = motion, (upsilon / 100) ** 2

    def torque_wanted(self, t: float) -> np.ndarray:
        q, dq, ddq = (self.motion.derivative([t], k)[0] for k in range(3))
        mass, rest = arm(q, dq)
        return np.asarray(mass @ ddq + rest)

    def control(self, t: float, z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Motor torque on the arm side, and the rate of the controller's deflection: d Δ̇ + s τ(Δ) = −τ_wanted."""
        q, dq, ddq = (self.motion.derivative([t], k)[0] for k in range(3))
        delta, step = z[8:], 1e-5
        wanted, slope = self.torque_wanted(t), (self.torque_wanted(t + step) - self.torque_wanted(t - step)) / (2 * step)
        rate = -(wanted + self.scale * spring(delta)) / DAMPING
        second = -(slope + self.scale * stiffness(delta) * rate) / DAMPING
        ahead = ROTOR * GEAR**2 * (ddq - second) + wanted + friction(dq - rate)
        return ahead + KP * (q - delta - z[2:4]) + KD * (dq - rate - z[6:8]), rate

    def rates(self, t: float, z: np.ndarray) -> np.ndarray:
        """(3.49), both rows, with the damper (3.52)."""
        u, rate = self.control(t, z)
        between = spring(z[:2] - z[2:4]) + DAMPING * (z[4:6] - z[6:8])
        mass, rest = arm(z[:2], z[4:6])
        motors = (u + between - friction(z[6:8])) / (ROTOR * GEAR**2)
        return np.concatenate([z[4:8], np.linalg.solve(mass, -rest - between), motors, rate])

    def standing(self) -> np.ndarray:
        """State of rest at the start."""
        from scipy.optimize import fsolve

        start = self.motion.derivative([0.0])[0]
        wanted = self.torque_wanted(0.0)

        def still(x: np.ndarray) -> np.ndarray:
            z = np.concatenate([x[:4], np.zeros(4), x[4:]])
            return np.asarray(self.rates(0.0, z)[4:])

        x = fsolve(still, np.concatenate([start, start + wanted / LOW, -wanted / LOW / self.scale]), xtol=1e-11)
        return np.concatenate([x[:4], np.zeros(4), x[4:]])


def test_one_value_by_hand(loop_a: FlexibleLoop) -> None:
    """Set A, stretched, "++", Υ = 90 and 105 %: the motor torques agree to 1e-3 of their swing, Λ to 1e-3."""
    from scipy.integrate import solve_ivp

    motion, upsilon = experiment(loop_a, "stretched", "++", "short"), np.array([90.0, 105.0])
    record = loop_a.simulate(motion, upsilon, tail=0.1)
    hand = ByHand(motion, upsilon)
    found = solve_ivp(hand.rates, (0, record.time[-1]), hand.standing(), "DOP853", record.time, rtol=1e-6, atol=1e-9, max_step=2e-3)
    torque = np.array([hand.control(t, z)[0] for t, z in zip(found.t, found.y.T, strict=True)]) / GEAR
    assert np.abs(torque - record.torque[0]).max() < 1e-3 * np.ptp(record.torque)
    rule = TailRule(settled(record))
    assert np.isclose(rule.value(rule.signal(record.time, torque)), rule.of_record(record)[0], rtol=1e-3)
