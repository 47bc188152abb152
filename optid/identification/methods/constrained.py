"""Least squares within bounds and linear constraints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from optid.errors import LimitsError, SolveError, sentence, unknown_name
from optid.problems.constraints import Combination, Constraints
from optid.problems.identification import Identification
from optid.problems.identification_result import IdentificationResult

from .job import Job


@dataclass(frozen=True)
class Constrained:
    """Weighted least squares with constraints on base parameters, called by the names of their independent parameters or by their formulas.

    The result lists the constraints that hold with equality, what the same fit gives without any (``details.unbounded``) and how much the residual rose.
    Its sigmas are those along the directions that are left free.

    Parameters
    ----------
    bounds : mapping name → (lower, upper)
        None for an open end.
    equalities, inequalities : sequences of (mapping name → coefficient, value)
        ``Σ coefficient · β`` equals, or does not exceed, the value.
    weighting : "joint" or "none"
        As in "wls", or ones.
    """

    bounds: Mapping[str, tuple[float | None, float | None]] = field(default_factory=dict)
    equalities: Sequence[Combination] = ()
    inequalities: Sequence[Combination] = ()
    weighting: str = "joint"

    name: ClassVar[str] = "constrained"

    def __post_init__(self) -> None:
        if self.weighting not in ("joint", "none"):
            raise unknown_name("weighting", self.weighting, ("joint", "none"))

    def fit(self, job: Job) -> IdentificationResult:
        """Estimate."""
        constraints = Constraints.of(job.base.names, self.bounds, self.equalities, self.inequalities, job.base.formulas)
        weights = job.weighted().weights if self.weighting == "joint" else np.ones(job.base.model.n)
        problem = Identification(job.base, job.factors, weights, job.known, self.name, job.context, constraints=constraints)
        try:
            result: IdentificationResult = job.solve(problem)
        except SolveError as error:
            if constraints.contradictory:
                raise LimitsError(sentence("constraints of the fit", "they contradict each other", "parameters that meet all of them")) from error
            raise
        return replace(result, notes=(*result.notes, *_notes(result)))


def _notes(result: IdentificationResult) -> list[str]:
    details = result.details
    if not details.at_bound or details.unbounded is None:
        return []
    without = dict(zip(result.base.names, details.unbounded, strict=True))
    told = [f"{text} (without constraints {without[name]:.4g})" if (name := text.split(" = ")[0]) in without else text for text in details.at_bound]
    cost = "" if details.residual_increase is None else f"; the residual is {100 * details.residual_increase:.3g} % above that without constraints"
    return [f"at their bounds: {', '.join(told)}{cost}. A bound that excludes the truth shows like this."]
