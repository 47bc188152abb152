"""Ordinary least squares, and each joint weighted by its own residual."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from optid.model.arguments import whole
from optid.problems.identification_result import IdentificationResult

from .job import Job


@dataclass(frozen=True)
class Ols:
    """Ordinary least squares: every torque sample counts alike, so that strong joints rule."""

    name: ClassVar[str] = "ols"

    def fit(self, job: Job) -> IdentificationResult:
        """Estimate."""
        return job.least_squares()


@dataclass(frozen=True)
class Wls:
    """Each joint weighted by 1/variance of its residual, repeated until the weights settle (G21's refinement).

    Parameters
    ----------
    reweightings : int
        Most repetitions of the weighting; 1 gives a single pass.
    """

    reweightings: int = 20

    name: ClassVar[str] = "wls"

    def __post_init__(self) -> None:
        whole(self.reweightings, "reweightings", 0, "a whole number, 0 or more")

    def fit(self, job: Job) -> IdentificationResult:
        """Estimate."""
        return job.weighted(int(self.reweightings))
