"""A simulated robot that is run like a real one: Υ in, a noisy recording out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.arrays import finite, numbers
from optid.brief import brief
from optid.errors import ShapeError, sentence
from optid.experiment import Trial
from optid.model.arguments import instance, not_negative, whole
from optid.model.transmission import joint_torque

from .feedforward import Motion, checked
from .loop import FlexibleLoop

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class SimulatedRobot:
    """Runs one motion with any Υ.

    Parameters
    ----------
    loop : FlexibleLoop
    motion : Motion
    plant : (P,), optional
        Parameters of this individual; the plant's own by default.
    scale_noise : float
        Standard deviation of a factor 1 + ε on all torques of a run: load, warmth and friction differ from run to run.
    torque_noise : float [N m]
        Standard deviation of white noise on every sample, motor side.
    seed : int
        Run number k draws its noise from (seed, k), whatever Υ is: the same for every search, and for a search that was interrupted.
    tail : float [s]

    Examples
    --------
    >>> from optid.flexibility import FlexibleLoop, SimulatedRobot, set_a
    >>> from optid.flexibility.surfaces import experiment
    >>> loop = FlexibleLoop(set_a(), backend="interpreter")
    >>> SimulatedRobot(loop, experiment(loop, "zero", "++", "short"), torque_noise=0.05).torque_noise
    0.05
    """

    loop: FlexibleLoop
    motion: Motion
    plant: Array | None = None
    scale_noise: float = 0.0
    torque_noise: float = 0.0
    seed: int = 0
    tail: float = 0.5

    __repr__ = brief

    def __post_init__(self) -> None:
        instance(self.loop, FlexibleLoop, "loop of a simulated robot")
        checked(self.motion, self.loop.n)
        if self.plant is not None:
            object.__setattr__(self, "plant", finite(self.plant, (len(self.loop.plant.parameter_names),), "plant of a simulated robot"))
        for what in ("scale_noise", "torque_noise", "tail"):
            not_negative(getattr(self, what), f"{what} of a simulated robot")
        object.__setattr__(self, "seed", whole(self.seed, "seed of a simulated robot"))

    def run(self, upsilon: ArrayLike, number: int) -> Trial:
        """The recording of run ``number`` with Υ (n,) [%]."""
        percent = numbers(upsilon, "Υ of a run")
        number = whole(number, "number of a run")
        if percent.shape != (self.loop.n,):
            raise ShapeError(sentence("Υ of a run", f"shape {percent.shape}", f"({self.loop.n},), one an axis"))
        record = self.loop.simulate(self.motion, percent, self.tail, self.plant, reference_tool=False)
        rng = np.random.default_rng([self.seed, number])
        factor = 1 + self.scale_noise * rng.standard_normal()
        noise = self.torque_noise * rng.standard_normal(record.torque.shape[1:])
        trial = record.trial(0, f"run {number:04d}", self.loop.nominal.robot.joint_names)
        tau = joint_torque(record.torque[0] * factor + noise, record.gears)
        return Trial(
            time=trial.time,
            q=trial.q,
            dq=trial.dq,
            tau=tau,
            joint_names=trial.joint_names,
            name=trial.name,
            attributes={**trial.attributes, "tool": record.tool[0]},
        )
