"""The control experiment of Valencia 2008: gains, both trajectories and the published numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import casadi as ca
import numpy as np

from optid.errors import unknown_name
from optid.library import scara_v08
from optid.model import DynamicModel
from optid.simulation import Plant

from .indices import cartesian_error, tracking_indices
from .laws import ComputedTorque
from .motion import ExpressionMotion
from .outer_loop import OuterLoop
from .reference import Reference
from .simulate import Simulation, simulate

PERIOD = 1e-3
"""Sampling time [s]; the clock is advanced before the first sample, so that this is also the time of the first target."""

KP = (125000.0, 140000.0, 150000.0, 120000.0)
KV = (250.0, 200.0, 1000.0, 700.0)
"""Gains of table 3 [1/s²] and [1/s]."""

PUBLISHED: Mapping[int, Mapping[str, float]] = {
    1: {
        "IAE q1": 5.2694e-5,
        "IAE q2": 5.8618e-5,
        "IAE q3": 4.7653e-5,
        "IAE q4": 6.988e-3,
        "IAE x": 2.3544e-5,
        "IAE y": 7.9362e-6,
        "IAE z": 6.988e-3,
        "q1 at 4 ms": -1.9208e-3,
        "q2 at 4 ms": 2.0909e-3,
        "x at 4 ms": 9.766e-4,
        "q1 at 21 ms": -3.1421e-4,
        "q2 at 21 ms": 6.6962e-4,
        "x at 21 ms": 1.8834e-4,
    },
    2: {
        "IAE q1": 2.6619e-3,
        "IAE q2": 6.139e-3,
        "IAE q3": 6.7209e-4,
        "IAE q4": 0.0,
        "IAE x": 1.9172e-3,
        "IAE y": 5.7782e-4,
        "IAE z": 0.0,
        "x at 1511 ms": -6.6747e-6,
        "x at 1520 ms": 1.386e-6,
    },
}
"""Tables 4 and chapter 5: integrals of the absolute errors over 3 s [rad s, m s], and errors at instants of the simulation [rad, m]."""

SIGNALS = ("q1", "q2", "q3", "q4", "x", "y", "z")

VARIANTS: Mapping[str, Mapping[str, Any]] = {
    "as simulated": {"feedforward": False},
    "written, held": {"derivatives": "exact", "period": None, "record": 2.5e-4, "rtol": 1e-6},
    "written, sampled": {"hold": False},
    "written, continuous": {"hold": False, "period": None, "rtol": 1e-7},
}
"""What the source simulated: no wanted acceleration, wanted speeds by backward differences, all of it held for 1 ms. And the law that it writes down: in
continuous time with a reference held for 1 ms; sampled at 1 ms with exact derivatives; and in continuous time with a continuous reference."""


def valencia_model() -> DynamicModel:
    """The arm with the friction and the rotor inertia of the source."""
    return DynamicModel(scara_v08(), friction=("viscous", "coulomb"), rotor_inertia=True)


def joint_angles(x: ca.SX, y: ca.SX, z: ca.SX) -> ca.SX:
    """Joint positions (4,) of the arm with q2 < 0 and the wrist at the constant angle q1 + q2 + q3 = π, as expressions."""
    a, b = 0.5, 0.3
    c2 = (x**2 + y**2 - a**2 - b**2) / (2 * a * b)
    q2 = ca.atan2(-ca.sqrt(1 - c2**2), c2)
    q1 = ca.atan2(y, x) - ca.atan2(b * ca.sin(q2), a + b * c2)
    return ca.vertcat(q1, q2, np.pi - q1 - q2, z)


def valencia_motion(trajectory: int) -> ExpressionMotion:
    """Trajectory 1, an ellipse with a fast vertical oscillation; or 2, two straight lines with a corner of 90° in the middle."""
    if trajectory == 1:

        def ellipse(t: ca.SX) -> ca.SX:
            turn = 2.0943951 * t
            return joint_angles(0.3 + 0.2 * ca.sin(turn), 0.3 + 0.1 * ca.cos(turn), 0.2 * ca.sin(t) * ca.cos(50 * t))

        return ExpressionMotion(ellipse, 3.0 + PERIOD)

    def corner(t: ca.SX) -> ca.SX:
        return joint_angles(0.35 + 0.01 * ca.if_else(t <= 1.5 + 1e-9, t, 3 - t), 0.35 + 0.01 * t, ca.SX(0.4))

    return ExpressionMotion(corner, 3.0)


def valencia_law(feedforward: bool = True, error: float = 1.0) -> ComputedTorque:
    """Computed torque with the published gains.

    Parameters
    ----------
    feedforward : bool
        True is the law that the source writes down (Ec. 52), False the one that it simulated: without the wanted acceleration.
    error : float
        Factor on all parameters that the controller believes in (the source's study: 1.35).
    """
    model = valencia_model()
    return ComputedTorque(model, OuterLoop.pd(KP, KV), error * model.nominal_parameters(), feedforward)


def valencia_reference(trajectory: int, hold: bool = True, derivatives: str = "backward") -> Reference:
    """The motion as the source's controller saw it: samples 1 ms apart with backward differences; or otherwise."""
    return Reference(valencia_motion(trajectory), PERIOD if hold else None, derivatives if hold else "exact", lead=PERIOD)


def valencia_run(variant: str = "as simulated", trajectory: int = 1, **options: Any) -> Simulation:
    """One of the `VARIANTS` of the experiment; further options go to :func:`optid.control.simulate`.

    Examples
    --------
    >>> from optid.control.valencia import PUBLISHED, valencia_run
    >>> run = valencia_run(duration=0.01)
    >>> bool(abs(run.error[4, 0] / PUBLISHED[1]["q1 at 4 ms"] - 1) < 1e-3)
    True
    """
    if variant not in VARIANTS:
        raise unknown_name("variant", variant, VARIANTS)
    chosen = {**VARIANTS[variant], **options}
    law = valencia_law(chosen.pop("feedforward", True))
    reference = valencia_reference(trajectory, chosen.pop("hold", True), chosen.pop("derivatives", "backward"))
    return simulate(Plant(law.model), law, reference, **chosen)


def reproduced(run: Simulation, trajectory: int = 1) -> dict[str, float]:
    """What a motion simulated over its full 3 s gives for the numbers that are published, by their names.

    Examples
    --------
    >>> from optid.control.valencia import PUBLISHED, reproduced, valencia_run
    >>> found = reproduced(valencia_run())
    >>> list(found) == list(PUBLISHED[1]), bool(abs(found["IAE z"] / PUBLISHED[1]["IAE z"] - 1) < 0.01)
    (True, True)
    """
    indices = tracking_indices(run)
    iae = np.hstack([indices.joint.iae, indices.cartesian.iae])
    error = np.hstack([run.error, cartesian_error(run.robot, run.q, run.wanted.q)])
    found = {f"IAE {name}": float(value) for name, value in zip(SIGNALS, iae, strict=True)}
    for name in list(PUBLISHED[trajectory])[len(SIGNALS) :]:
        signal, _, milliseconds, _ = name.split()
        found[name] = float(error[np.abs(run.time - 1e-3 * float(milliseconds)).argmin(), SIGNALS.index(signal)])
    return found
