"""The designed experiment: trajectory, figures, proof."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from optid.errors import LimitsError, ShapeError, sentence
from optid.excitation.path_proof import PathReport
from optid.excitation.proof import Proof
from optid.excitation.quality import Quality
from optid.robot import Limits
from optid.trajectory import CheckReport, Trajectory

if TYPE_CHECKING:
    from optid.regressor import BaseParameters
    from optid.solvers import Solution
    from optid.trajectory.export import Export

    from .excitation import Excitation

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ExcitationResult:
    """A designed excitation.

    Attributes
    ----------
    problem : Excitation
    x : (size,)
        The variables.
    solution : Solution

    Examples
    --------
    >>> from optid.testing import example_plan
    >>> bool(abs(example_plan().trajectory.sample(100.0).q).max() <= 1.0)
    True
    """

    problem: Excitation
    x: Array
    solution: Solution

    @property
    def base(self) -> BaseParameters:
        """The base parameters, with the friction sign of the design."""
        return self.problem.base

    @property
    def limits(self) -> Limits:
        """The limits of the design."""
        return self.problem.limits  # type: ignore[return-value]

    @cached_property
    def trajectories(self) -> tuple[Trajectory, ...]:
        """The designed motions."""
        design = self.problem.design
        return tuple(motion.trajectory(self.x[part]) for motion, part in zip(design.motions, design.parts, strict=True))

    @property
    def trajectory(self) -> Trajectory:
        """The designed motion, when it is one.

        Raises
        ------
        ShapeError
            When several were designed together.
        """
        if len(self.trajectories) > 1:
            raise ShapeError(sentence("designed trajectories", len(self.trajectories), "one", "Use .trajectories."))
        return self.trajectories[0]

    @property
    def coefficients(self) -> Array:
        """Coefficients (n, m) of the motion, or (k, n, m) of several; for a Fourier trajectory ``q0, a_1 ... a_H, b_1 ... b_H``."""
        design = self.problem.design
        each = np.stack([motion.coefficients(self.x[part])[0] for motion, part in zip(design.motions, design.parts, strict=True)])
        return each if len(each) > 1 else each[0]

    @cached_property
    def quality(self) -> Quality:
        """Figures of the samples of the design, together with any earlier information."""
        return self.problem.design.quality(self.x, self.base.beta(np.asarray(self.problem.nominal)))

    @property
    def condition_number(self) -> float:
        """Condition number of the (noise-weighted) base regressor; infinite when rank is lost."""
        return self.quality.condition_number

    @property
    def jerk(self) -> Array | None:
        """Jerk limits (n,) of the design [rad/s³ or m/s³]; None where there is none."""
        jerk = np.array(self.problem.jerk)
        return jerk if np.isfinite(jerk).any() else None

    def prove(self, motion: Trajectory, rest: bool | None = None) -> Proof:
        """Prove every limit of the design of a motion made from it: with ramps, cut off by a stop, through fewer targets, read back from a controller's file.

        Parameters
        ----------
        motion : Trajectory
        rest : bool, optional
            Ask for rest at both ends; as the design does when omitted.
        """
        check = motion.check(self.limits, jerk=self.jerk, rest=self.problem.rest if rest is None else rest)
        return Proof(check, tuple(path.prove(motion) for path in self.problem.paths))

    @cached_property
    def proofs(self) -> tuple[Proof, ...]:
        """Every limit, motion after motion."""
        return tuple(self.prove(trajectory) for trajectory in self.trajectories)

    @property
    def checks(self) -> tuple[CheckReport, ...]:
        """Per motion the proof that position, velocity, acceleration (and jerk) limits hold at every instant, or where they do not."""
        return tuple(proof.check for proof in self.proofs)

    @property
    def path_reports(self) -> tuple[PathReport, ...]:
        """Proofs of the limits that are not linear in the coefficients (torque, ...): motion after motion."""
        return tuple(report for proof in self.proofs for report in proof.paths)

    @property
    def proven(self) -> bool:
        """Whether every limit is proven to hold at every instant."""
        return all(self.proofs)

    @property
    def converged(self) -> bool:
        """Whether the solver came to its regular end."""
        return self.solution.success

    def refuse_unproven(self) -> None:
        """Raise when the design may not go to a robot: the solver did not come to its end, or a limit is not proven.

        Raises
        ------
        LimitsError
        """
        if not self.proven:
            reports = "; ".join(str(proof) for proof in self.proofs if not proof)
            raise LimitsError(sentence("export of a design", reports, "limits that are proven at every instant", "Or say override=True."))
        if not self.converged:
            found = f"status {self.solution.status} ({self.solution.message})"
            raise LimitsError(sentence("export of a design", found, "a design the solver has finished", "Give it more budget, or say override=True."))

    def export(self, writer: Callable[..., Export], motion: Trajectory | None = None, *, override: bool = False, **options: Any) -> Export:
        """The trajectory in a controller's language, every limit of the design proven again with the printed numbers.

        Parameters
        ----------
        writer : function of :mod:`optid.trajectory.export`
            ``to_csv``, ``to_rapid``, ``to_urscript`` or ``to_ros``.
        motion : Trajectory, optional
            Made from the design, such as ``RampedFourier(result.trajectory, ramp=1.0)``; it is proven as the design is.
        override : bool
            Export a design that is not finished or not proven.
        **options
            Of the writer.

        Raises
        ------
        LimitsError
            Without ``override``, when the design is not finished, or a limit is not proven of the motion or of its printed numbers.
        """
        if not override:
            self.refuse_unproven()
            if motion is not None:
                proof = self.prove(motion, rest=False)
                if not proof:
                    hint = "Give it more room, or say override=True."
                    raise LimitsError(sentence("export of a motion made from a design", str(proof), "limits that are proven at every instant", hint))
        chosen = self.trajectory if motion is None else motion
        return writer(chosen, limits=self.limits, override=override, **{"jerk": self.jerk, "also": self.problem.paths} | options)

    def to_design(self) -> dict[str, Any]:
        """What an experiment file keeps of the design (``Experiment(design=...)``): the motions, criterion, figures and how they were found."""
        motions = {f"trajectory_{k + 1}": trajectory.to_mapping() for k, trajectory in enumerate(self.trajectories)}
        criterion: Any = self.problem.criterion
        return {
            "coefficients": self.coefficients,
            "period": float(self.trajectories[0].duration),
            "harmonics": int(getattr(self.trajectories[0], "harmonics", 0)),
            "samples": int(self.problem.samples),
            "criterion": criterion.name,
            "condition_number": self.condition_number,
            "proven": bool(self.proven),
            "converged": bool(self.converged),
            "solver": self.solution.solver,
            "seed": int(self.solution.seed),
            "base_parameters": list(self.base.formulas),
            "predicted_sigma": self.quality.sigma,
            **motions,
        }

    def __repr__(self) -> str:
        proof = "proven" if self.proven else "not proven"
        return f"ExcitationResult({self.base.model.robot.name!r}, cond {self.condition_number:.4g}, {proof})"

    def _repr_html_(self) -> str:
        from optid.notebook import excitation_html

        return excitation_html(self)

    def __str__(self) -> str:
        return f"{self.quality}; {'; '.join(map(str, self.proofs))}; {self.solution}"
