"""Random motions in the robot's own units: rank decisions must not depend on the unit of length or on the size of gravity.

Lengths are measured in a characteristic length L of the robot and time in √(L/|g|), so that inertial and gravity torques have one order of magnitude whether
links are metres or micrometres long. Rows (joint torques) and columns (parameters) of the regressor are divided by the units that go with them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from optid.model import DynamicModel
from optid.model.friction import friction_stems

Array = NDArray[np.float64]

LINK_POWERS = (0, 1, 1, 1, 2, 2, 2, 2, 2, 2)


@dataclass(frozen=True)
class NaturalUnits:
    """Units of a model: length [m], time [s], and what follows from them.

    Attributes
    ----------
    length, time : float
    motion : (n,) length for prismatic coordinates, 1 for revolute ones
    """

    length: float
    time: float
    motion: Array

    @classmethod
    def of(cls, model: DynamicModel) -> NaturalUnits:
        """Length: the largest distance between consecutive frames (1 m when all coincide); time: √(length/|gravity|) (1 s without gravity)."""
        robot = model.robot
        sizes = [float(np.linalg.norm(part.p)) for joint in robot.joints for part in (joint.before, joint.after)]
        length = max(sizes) or 1.0
        gravity = float(np.linalg.norm(robot.gravity))
        motion = np.array([1.0 if robot.joints[i].revolute else length for i in robot.independent])
        return cls(length, float(np.sqrt(length / gravity)) if gravity > 0 else 1.0, motion)

    def states(self, n_samples: int, rng: np.random.Generator) -> tuple[Array, Array, Array]:
        """Random positions within half a turn (or ± one length), normal velocities and accelerations, in SI: three (N, n) arrays."""
        n = len(self.motion)
        q = rng.uniform(-1.0, 1.0, (n_samples, n)) * np.where(self.motion == 1.0, np.pi, self.motion)
        dq = rng.standard_normal((n_samples, n)) * self.motion / self.time
        ddq = rng.standard_normal((n_samples, n)) * self.motion / self.time**2
        return q, dq, ddq

    def rows(self) -> Array:
        """Unit (n,) of each joint's torque or force, per unit of mass."""
        return self.length**2 / self.time**2 / self.motion

    def columns(self, model: DynamicModel) -> Array:
        """Unit (p,) of each standard parameter, per unit of mass (1 for user-supplied columns)."""
        per_joint = {"Ia": self.rows() * self.time**2 / self.motion, "fv": self.rows() * self.time / self.motion, "fc": self.rows()}
        stems = (("Ia",) if model.rotor_inertia else ()) + friction_stems(model.friction)
        links = np.tile([self.length**k for k in LINK_POWERS], model.robot.n_links)
        joints = [per_joint["fv" if stem.startswith("fv") else stem if stem == "Ia" else "fc"] for stem in stems]
        return np.concatenate([links, *joints, np.ones(model.p - len(links) - sum(len(j) for j in joints))])
