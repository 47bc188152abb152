"""Every link a body that can exist."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from optid.errors import DataError, SolveError, sentence, unknown_name
from optid.model.arguments import positive, real
from optid.problems.identification_result import IdentificationResult
from optid.problems.physical import COORDINATES, MEASURES, PhysicalIdentification
from optid.problems.physical_bodies import BodyLimits, Box, Ellipsoid
from optid.problems.prior import Prior
from optid.solvers import Solution
from optid.statistics.damping import within

from .job import Job

Array = NDArray[np.float64]

WEAKEST, LIGHTEST, STRONGEST = 1e-2, 1e-8, 1.0
"""λ that only breaks ties, and the least of it times what the data weigh most, which noise-free data exceed; times that, λ that leaves little but the prior."""

STEPS = 9
"""Halvings of the logarithmic range: λ to 3 %."""

PATIENCE = 300
"""Iterations of a solve on the way to λ: most take twenty, and one that takes more moves among rounding errors."""


@dataclass(frozen=True)
class Physical:
    """Standard parameters of bodies that can exist, as near to the prior as the data allow (:class:`optid.problems.PhysicalIdentification`).

    Parameters
    ----------
    damping : float, "allowance" or None
        λ, whose square multiplies the squared distance to the prior in units free of dimension; or the largest whose weighted residual stays within the
        allowance. None: 1 where the prior has sigmas (Bayes' rule for white residuals), else "allowance".
    allowance : float or None
        Residual norm that the prior may cost, relative to that of the best bodies (λ → 0). None: as much squared residual as least squares takes from the
        noise, found from how the residuals hang together in time: then the data cannot tell the estimate from the best one.
    measure : "euclidean" or "entropic"
    margin : float
        Smallest eigenvalue of every pseudo-inertia [SI entries].
    masses : mapping link name → (least, largest) [kg]
    centres : mapping link name → Box or Ellipsoid
        Where the centre of mass may lie, link frame [m].
    positive : bool
        Friction and rotor inertia not negative.
    weighting : "joint" or "none"
        Joints weighted as in "wls", or all alike by the variance of all residuals.
    coordinates : "cone", "log-cholesky" or None
        None: "log-cholesky" for the entropic measure, for solvers of smooth programs, and where no cone solver is installed; else "cone".
    """

    damping: float | str | None = None
    allowance: float | None = None
    measure: str = "euclidean"
    margin: float = 0.0
    masses: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    centres: Mapping[str, Box | Ellipsoid] = field(default_factory=dict)
    positive: bool = True
    weighting: str = "joint"
    coordinates: str | None = None

    name: ClassVar[str] = "physical"

    def __post_init__(self) -> None:
        if isinstance(self.damping, str) and self.damping != "allowance":
            raise unknown_name("way to choose the damping", self.damping, ("allowance",))
        if not (self.damping is None or isinstance(self.damping, str)):
            positive(self.damping, "damping", "a number above 0, or a way to choose it")
        wanted = "a number >= 1, such as 1.015, or None"
        if self.allowance is not None and not real(self.allowance, "allowance", wanted) >= 1:
            raise DataError(sentence("allowance", self.allowance, wanted))
        if not isinstance(self.positive, bool):
            raise DataError(sentence("positive", repr(self.positive), "True or False"))
        for what, known in (("measure", MEASURES), ("weighting", ("joint", "none"))):
            if getattr(self, what) not in known:
                raise unknown_name(what, getattr(self, what), known)
        if self.coordinates is not None and self.coordinates not in COORDINATES:
            raise unknown_name("coordinates", self.coordinates, COORDINATES)

    def fit(self, job: Job) -> IdentificationResult:
        """Estimate."""
        prior = Prior.of(job.base.model, job.prior)
        plain = self._plain(job)
        problem = PhysicalIdentification(
            job.base,
            job.factors,
            self._weights(job, plain),
            prior,
            WEAKEST,
            self.measure,
            BodyLimits(self.margin, self.masses, self.centres),
            self.positive,
            self._coordinates(job),
            job.known,
            self.name,
            job.context,
        )
        choice = self.damping if self.damping is not None else (1.0 if np.isfinite(prior.sigmas).any() else "allowance")
        if isinstance(choice, str):
            result, allowance = self._within_allowance(job, problem, plain)
            how = f"the largest within {allowance:.4g} times the residual of the best bodies"
        else:
            result, how = job.solve(replace(problem, damping=float(choice))), "as given"
        return replace(result, notes=(*result.notes, *_notes(result, how)))

    def _within_allowance(self, job: Job, problem: PhysicalIdentification, plain: IdentificationResult) -> tuple[IdentificationResult, float]:
        """The strongest pull whose residual stays within the allowance, and that; each solve starts from the one with the nearest λ."""
        done: dict[float, tuple[PhysicalIdentification, Solution]] = {}

        def solved(damping: float) -> float:
            nearest = min(done, key=lambda x: abs(np.log(x / damping)), default=None)
            start = None if nearest is None else done[nearest][0].standard(done[nearest][1].x)
            posed = replace(problem, damping=damping, start=start)
            try:
                done[damping] = posed, job.solve(posed.form(), budget=PATIENCE)
            except SolveError:
                return np.inf  # too steep for a smooth solver: a weaker pull will do
            return posed.residual(done[damping][1].x)

        # the pull vanishes with λ, so the measure does not matter there, and the convex form finds bodies at the boundary at once
        convex = job.solver is None and find_spec("clarabel")
        heaviest = float(np.linalg.norm(problem.least_squares_rows[0], axis=0).max())
        weakest, strongest = max(WEAKEST, LIGHTEST * heaviest), STRONGEST * max(1.0, heaviest)
        best = replace(problem, damping=weakest)
        best = replace(best, measure="euclidean", coordinates="cone") if convex else best
        least = best.residual(job.solve(best.form()).x)
        allowance = self.allowance if self.allowance is not None else _noise_allowance(job, problem, plain, least)
        # λ → ∞ leaves the prior: where that alone exceeds the limit, the strongest pull, which is hard on a smooth solver, need not be tried
        A, b = problem.data
        beyond = float(np.linalg.norm(A @ problem.base.beta(problem.prior.values) - b)) > 2 * allowance * least
        found = within(solved, allowance * least, weakest, strongest, STEPS, beyond)
        posed = replace(problem, damping=found)
        posed, solution = done[found] if found in done else (posed, job.solve(posed.form()))
        return posed.interpret(replace(solution, problem=type(posed).__name__)), allowance

    def _plain(self, job: Job) -> IdentificationResult:
        """Least squares without bodies."""
        return job.weighted() if self.weighting == "joint" else job.least_squares()

    def _weights(self, job: Job, plain: IdentificationResult) -> Array:
        if self.weighting == "joint":
            return plain.weights
        variance = plain.noise_variance
        return np.full(job.base.model.n, 1.0 / variance if np.isfinite(variance) and variance > 0 else 1.0)

    def _coordinates(self, job: Job) -> str:
        if self.coordinates is not None:
            return self.coordinates
        if self.measure == "entropic":
            return "log-cholesky"
        if job.solver is None:
            return "cone" if find_spec("clarabel") else "log-cholesky"
        return "cone" if job.solver == "clarabel" else "log-cholesky"


def _noise_allowance(job: Job, problem: PhysicalIdentification, plain: IdentificationResult, least: float) -> float:
    """Norm ratio at which the squared residual has risen by what least squares takes from the noise."""
    A, b = problem.data
    alone = float(np.linalg.norm(A @ plain.minimum_norm - b))
    return float(np.sqrt(1.0 + job.absorbed(plain) * (alone / least) ** 2)) if least > 0 else 1.0


def _notes(result: IdentificationResult, how: str) -> list[Any]:
    details = result.details
    more = details.residual_increase
    cost = "" if more is None else f"; the residual is {100 * more:.2g} % above that of least squares"
    notes = [f"prior: λ = {details.damping:.4g}, {how}{cost}."]
    if details.at_bound:
        notes.append(f"at the boundary of what can exist: {', '.join(details.at_bound)}.")
    return notes
