"""Estimates that closed-loop noise does not pull away: instrumental variables, DIDIM and output error, on a motion without noise."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from optid.errors import DataError, SolveError, sentence, unknown_name
from optid.identification.examine import trial_residuals
from optid.kernels import JointFactors
from optid.model.arguments import positive, whole
from optid.problems.fit_details import FitDetails
from optid.problems.identification import Identification
from optid.problems.identification_result import IdentificationResult
from optid.problems.instrumental import InstrumentalVariables
from optid.problems.output_error import OUTPUTS, OutputError
from optid.regressor import accumulate
from optid.regressor.accumulate import blocks
from optid.signals import Samples
from optid.statistics import ResidualStatistics

from .job import Job

Array = NDArray[np.float64]


@dataclass(frozen=True)
class _OnSimulatedMotion:
    """What the three share.

    Parameters
    ----------
    loop : ClosedLoop or CommandedMotion
        Where the motion without noise comes from.
    weighting : "joint" or "none"
        Joints weighted by 1/variance of their least-squares residual, or alike.
    iterations : int
        Most repetitions with a motion simulated anew.
    tolerance : float
        Done when the torque of the estimate changes by less than this part.
    """

    loop: Any = None
    weighting: str = "joint"
    iterations: int = 20
    tolerance: float = 1e-4

    name: ClassVar[str] = ""

    def __post_init__(self) -> None:
        if self.weighting not in ("joint", "none"):
            raise unknown_name("weighting", self.weighting, ("joint", "none"))
        whole(self.iterations, f"iterations of {self.name!r}", 1, "a whole number of simulations, 1 or more")
        positive(self.tolerance, f"tolerance of {self.name!r}", "a positive number such as 1e-4")

    def _start(self, job: Job) -> IdentificationResult:
        if not hasattr(self.loop, "motion"):
            hint = "Give loop=optid.problems.ClosedLoop(controller, reference), or CommandedMotion(trajectory)."
            raise DataError(sentence(f"method {self.name!r}", f"loop={self.loop!r}", "the closed loop that the recording came from", hint))
        return job.weighted() if self.weighting == "joint" else job.least_squares()

    def _simulated(self, job: Job, beta: Array) -> list[Samples]:
        """Samples of every trial with the motion of the loop in place of the measured one."""
        found = []
        for samples in job.samples():
            motion = self.loop.motion(job.base, beta, samples, job.known_vector)
            found.append(replace(samples, q=motion.q, dq=motion.dq, ddq=motion.ddq))
        return found

    def _believed(self, job: Job, start: IdentificationResult) -> IdentificationResult:
        """The start with the prior's parameters: least squares can be too biased to simulate."""
        from optid.problems.prior import Prior

        beta = job.base.beta(Prior.of(job.base.model, job.prior).values)
        return replace(start, beta=beta, minimum_norm=beta)

    def _repeated(self, job: Job, step: Callable[[IdentificationResult], IdentificationResult]) -> IdentificationResult:
        """``step`` until the estimate settles."""
        result = self._start(job)
        notes: list[str] = []
        change = np.inf
        for k in range(self.iterations):
            before = result
            try:
                result = step(before)
            except SolveError:
                if k:
                    raise
                result = step(self._believed(job, before))
                notes.append(f"{self.name}: the loop of the least-squares estimate is unstable; the first simulation used the prior.")
            moved = result.equations.A @ (result.minimum_norm - before.minimum_norm)
            change = float(np.linalg.norm(moved) / max(float(np.linalg.norm(result.equations.A @ result.minimum_norm)), 1e-300))
            if change < self.tolerance:
                notes.append(f"{self.name}: settled after {k + 1} simulations.")
                break
        else:
            notes.append(f"{self.name}: not settled after {self.iterations} simulations, the last one moved the torque by {change:.2g}.")
        return replace(result, notes=(*result.notes, *notes))


@dataclass(frozen=True)
class Iv(_OnSimulatedMotion):
    """Instrumental variables: the regressor of a motion without noise as instruments for that of the measured one."""

    name: ClassVar[str] = "iv"

    def fit(self, job: Job) -> IdentificationResult:
        """Estimate."""
        result = self._repeated(job, lambda before: self._problem(job, before)[0])
        final, problem, simulated = self._problem(job, result)
        P = problem.projection
        trials = []
        for samples, clean in zip(job.samples(), simulated, strict=True):

            def instruments(clean: Samples = clean) -> Iterator[Array]:
                return (Y @ P for Y, _, _ in blocks(job.base, clean, job.known_vector))

            trials.append(trial_residuals(job.base, samples, job.known_vector, final.minimum_norm, instruments))
        kept = ResidualStatistics.of(trials, final.weights)
        return replace(final, notes=result.notes, details=replace(final.details, residuals=kept))

    def _problem(self, job: Job, before: IdentificationResult) -> tuple[IdentificationResult, InstrumentalVariables, list[Samples]]:
        simulated = self._simulated(job, before.minimum_norm)
        parts = []
        for samples, clean in zip(job.samples(), simulated, strict=True):
            factors = JointFactors.empty(job.base.model.n, 2 * job.base.rank, n_targets=2)
            pairs = zip(blocks(job.base, clean, job.known_vector), blocks(job.base, samples, job.known_vector), strict=True)
            for (Z, _, _), (W, targets, use) in pairs:
                factors = factors.update(np.concatenate([Z, W], axis=2), targets, use)
            parts.append(factors)
        problem = InstrumentalVariables(job.base, JointFactors.merge(parts), before.weights, job.known, self.name, job.context)
        return job.solve(problem), problem, simulated


@dataclass(frozen=True)
class Didim(_OnSimulatedMotion):
    """Direct and inverse dynamic identification models: measured torque against the regressor of the simulated motion; positions are not differentiated.

    M. Gautier, A. Janot, P.-O. Vandanjon, "A new closed-loop output error method for parameter identification of robot dynamics", IEEE Transactions on
    Control Systems Technology 21 (2013): Gauss–Newton on the torque error, with the regressor of the simulated motion for the Jacobian.
    """

    name: ClassVar[str] = "didim"

    def fit(self, job: Job) -> IdentificationResult:
        """Estimate."""

        def step(before: IdentificationResult) -> IdentificationResult:
            parts = [accumulate(self.loop.base(job.base, s), s, job.known_vector) for s in self._simulated(job, before.minimum_norm)]
            details = FitDetails(equations=JointFactors.merge(parts))
            found: IdentificationResult = job.solve(Identification(job.base, job.factors, before.weights, job.known, self.name, job.context, details))
            return found

        result = self._repeated(job, step)
        simulated = self._simulated(job, result.minimum_norm)
        trials = [trial_residuals(self.loop.base(job.base, s), s, job.known_vector, result.minimum_norm) for s in simulated]
        return replace(result, details=replace(result.details, residuals=ResidualStatistics.of(trials, result.weights)))


@dataclass(frozen=True)
class ClosedLoopOutputError(_OnSimulatedMotion):
    """Closed-loop output error: the simulated positions (or torques) fitted to the measured ones, with exact sensitivities.

    Parameters
    ----------
    output : "position" or "torque"
    """

    output: str = "position"

    name: ClassVar[str] = "output_error"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.output not in OUTPUTS:
            raise unknown_name("output", self.output, OUTPUTS)

    def fit(self, job: Job) -> IdentificationResult:
        """Estimate."""
        start = self._start(job)
        problem = OutputError(
            job.base, self.loop, tuple(job.samples()), job.factors, start.minimum_norm, start.sigma, self.output, job.known, self.name, job.context
        )
        notes: tuple[str, ...] = ()
        try:
            problem.simulated(start.minimum_norm)
        except SolveError:
            problem = replace(problem, start=self._believed(job, start).minimum_norm)
            problem.simulated(np.asarray(problem.start))
            notes = (f"{self.name}: the loop of the least-squares estimate is unstable; the search began at the prior.",)
        result: IdentificationResult = job.solve(problem)
        return replace(result, notes=(*result.notes, *notes))
