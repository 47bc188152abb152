"""Friction and rotor inertia of every axis, the links taken from CAD (P–Z): three numbers an axis, fitted on the motor side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.brief import brief
from optid.errors import RobotError, sentence
from optid.kernels import JointFactors
from optid.model import DynamicModel
from optid.model.arguments import instance
from optid.regressor import BaseParameters

from .drive_fit import DriveFit
from .forms import LeastSquares
from .identification import Identification, residual_weights

if TYPE_CHECKING:
    from optid.solvers import Solution

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class KnownInertia:
    """``T − T_dyn = A [B, τ_f, J]`` for every axis, with A = [θ̇, sign θ̇, θ̈] and θ = gear · q; ``optid.solve`` returns a :class:`DriveFit`.

    Make it with :meth:`of`. The links' torque T_dyn comes from known inertias; what is left is linear in viscous friction B, Coulomb friction τ_f and rotor
    inertia J of the axis' own motor (and an offset, where the model has one). Without coupling of the drives these are n separate problems.

    Attributes
    ----------
    base : BaseParameters
        All link parameters known.
    factors : JointFactors
        Of the data, the torque of the links subtracted.
    known : mapping name → value
        The link parameters.
    context : mapping
        Preprocessing, trials and notes, for the result.
    job : optid.identification.methods.Job or None
        The data themselves, for intervals that hold for correlated residuals and for the check of the inertias.

    Examples
    --------
    >>> from optid import DynamicModel, Preprocessing
    >>> from optid.identification.known_inertia import identify_drives
    >>> from optid.simulation.scara_drives import ROTORS, record_currents, scara_cad, scara_motion
    >>> model = DynamicModel(scara_cad(), ("viscous", "coulomb"), rotor_inertia=True)
    >>> drives = identify_drives(model, record_currents(scara_motion(1), seed=3), preprocessing=Preprocessing(decimate=10))
    >>> bool(abs(drives.J / ROTORS - 1).max() < 0.1)
    True
    """

    base: BaseParameters
    factors: JointFactors
    known: Mapping[str, float]
    context: Mapping[str, Any] = field(default_factory=dict)
    job: Any = None

    __repr__ = brief

    @classmethod
    def of(cls, model: DynamicModel, trials: Any, cad: ArrayLike | Mapping[str, float] | None = None, preprocessing: Any = None) -> KnownInertia:
        """Pose the problem for recordings.

        Parameters
        ----------
        model : DynamicModel
            With ``rotor_inertia=True`` and viscous and Coulomb friction (an offset is fitted too where the model has it).
        trials : Trial, Samples, Experiment, path of an experiment file, or a list of these
            Currents become torques through the drives' torque constants and gears.
        cad : (p,), mapping or None
            Link parameters: a standard vector, named values that replace the robot's own, or (None) the robot's own.
        preprocessing : Preprocessing, optional
            ``Preprocessing(decimate=10)`` filters torque and model alike, which noisy currents at 1 kHz want; a filter of the torque alone biases friction.
        """
        instance(model, DynamicModel, "model for an identification with known inertia", "Make one: DynamicModel(robot, rotor_inertia=True).")
        if not model.rotor_inertia or not {"viscous", "coulomb"} <= set(model.friction):
            raise RobotError(
                sentence(
                    "model for an identification with known inertia",
                    f"friction {'+'.join(model.friction) or 'none'}, rotor inertia {model.rotor_inertia}",
                    "viscous and Coulomb friction and a rotor inertia",
                )
            )
        links = model.parameter_names[: 10 * model.robot.n_links]
        if cad is None or isinstance(cad, Mapping):
            vector = model.parameters(dict(cad or {}), model.nominal_parameters())
        else:
            vector = model._pi(cad)
        known = {name: float(vector[model.index(name)]) for name in links}
        from optid.identification.pipeline import job_of

        job = job_of(model, trials, known=known, preprocessing=preprocessing)
        return cls(job.base, job.factors, known, job.context, job)

    @property
    def scale(self) -> Array:
        """Joint-side value per motor-side value of every parameter: gear² for B and J, gear for τ_f and the offset."""
        gears = [drive.gear for drive in self.base.model.robot.drives]
        power = {"fv": 2, "Ia": 2, "fc": 1, "fo": 1}
        found = []
        for name in self.base.names:
            stem, number = name.rstrip("0123456789"), name[len(name.rstrip("0123456789")) :]
            gear = gears[int(number) - 1] if stem in power and number else 1.0
            found.append(abs(gear) ** power.get(stem, 0) if stem != "fo" else gear)
        return np.array(found)

    def form(self) -> LeastSquares:
        """The small triangular problem with the same solutions, in motor-side numbers, every axis' residual in its own standard deviations."""
        A, b = self.factors.stacked(self._weights)
        return LeastSquares(A * self.scale, b, names=self.base.names)

    @property
    def _weights(self) -> Array:
        squares = self.factors.squares[:, 0] / np.maximum(self.factors.counts, 1)
        typical = float(np.median(squares[squares > 0])) if (squares > 0).any() else 1.0
        return np.asarray(1.0 / np.where(squares > 0, squares, typical))

    def interpret(self, solution: Solution) -> DriveFit:
        """Values, intervals and what the residuals say about the inertias."""
        joint_side = replace(solution, x=solution.x * self.scale)
        plain = Identification(self.base, self.factors, self._weights, self.known, "known inertia", self.context).interpret(joint_side)
        fit = Identification(self.base, self.factors, residual_weights(plain), self.known, "known inertia", self.context).interpret(joint_side)
        if self.job is not None:
            from optid.identification.examine import examined

            fit = examined(fit, self.job)
        return DriveFit(fit, self.scale, self._notes(), self.job)

    def _notes(self) -> tuple[str, ...]:
        """What the motion did not show."""
        if self.job is None:
            return ()
        n = self.base.model.n
        slowest, fastest, directions = np.full(n, np.inf), np.zeros(n), np.zeros((2, n), dtype=bool)
        for samples in self.job.samples():
            speed = self.base.model.robot.motor_from_joint(samples.dq)
            used = np.where(samples.use, np.abs(speed), np.nan)
            for j in np.flatnonzero(samples.use.any(axis=0)):
                slowest[j], fastest[j] = min(slowest[j], np.nanmin(used[:, j])), max(fastest[j], np.nanmax(used[:, j]))
                directions[:, j] |= [(speed[samples.use[:, j], j] > 0).any(), (speed[samples.use[:, j], j] < 0).any()]
        return tuple(_remarks(self.base.model.robot.joint_names, slowest, fastest, directions))


SLOW = 0.1
"""Data whose slowest used sample is faster than this part of the fastest say nothing about friction near standstill."""


def _remarks(names: Sequence[str], slowest: Array, fastest: Array, directions: NDArray[np.bool_]) -> list[str]:
    found = []
    for j, name in enumerate(names):
        if fastest[j] == 0:
            found.append(f"{name}: it never moves, so that nothing of its drive is determined.")
            continue
        if slowest[j] > SLOW * fastest[j]:
            found.append(
                f"{name}: no data near zero speed (nothing slower than {slowest[j]:.3g} rad/s or m/s, {slowest[j] / fastest[j]:.0%} of the fastest): what its "
                "friction is there is an extrapolation, and Coulomb and viscous friction are told apart by the faster motion alone."
            )
        if not directions[:, j].all():
            found.append(f"{name}: it moves in one direction only, so that Coulomb friction cannot be told from a constant torque.")
    return found
