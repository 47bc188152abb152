"""Recordings of a simulated robot that follows its motion exactly: sampled inverse dynamics, seen through sensors and a clock."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from optid.errors import ShapeError, sentence
from optid.experiment.trial import Trial

from .clock import Clock
from .sensors import Sensors

if TYPE_CHECKING:
    from optid.model import DynamicModel
    from optid.trajectory import Trajectory


def simulate_recording(
    model: DynamicModel,
    pi: ArrayLike,
    motion: Trajectory,
    *,
    clock: Clock,
    sensors: Sensors | None = None,
    seed: int = 0,
    name: str = "simulated",
    role: str = "identification",
    period: float | None = None,
) -> Trial:
    """Record the motion of a robot with known parameters.

    Parameters
    ----------
    model : DynamicModel
    pi : (p,)
        True standard parameters.
    motion : Trajectory
        Followed exactly; its whole duration is recorded.
    clock : Clock
        The stamps are the true instants of the samples.
    sensors : Sensors, optional
        Exact ones by default.
    seed : int
        The same seed gives the same bits.
    period : float, optional [s]
        *Nominal* period written into the trial; the motion's own may differ.

    Examples
    --------
    >>> from optid import DynamicModel, library
    >>> from optid.simulation import Clock, simulate_recording
    >>> from optid.trajectory import Fourier
    >>> model = DynamicModel(library.planar_2r(), friction="none")
    >>> trial = simulate_recording(model, model.nominal_parameters(), Fourier([0, 0], [[0.3], [0.2]], [[0], [0]], period=2.0), clock=Clock(0.01))
    >>> trial.n_samples, trial.joint_names
    (201, ('joint1', 'joint2'))
    """
    if motion.n != model.n:
        raise ShapeError(sentence("motion to record", f"{motion.n} joints", f"{model.n}, those of robot {model.robot.name!r}"))
    rng = np.random.default_rng(seed)
    measured = sensors if sensors is not None else Sensors()
    time = clock.stamps(motion.duration, rng)
    q, dq, ddq = (motion.derivative(time, order) for order in range(3))
    return Trial(
        time,
        measured.position(q),
        tau=measured.torque(model.inverse_dynamics(pi, q, dq, ddq), rng),
        joint_names=model.robot.joint_names,
        role=role,
        sources={"q": "measured", "tau": "measured"},
        period=period,
        name=name,
        attributes={"simulated": True, "seed": seed},
    )
