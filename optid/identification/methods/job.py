"""What a method works on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from optid.errors import DataError, sentence
from optid.kernels import JointFactors
from optid.problems.fit_details import FitDetails
from optid.problems.identification import Identification, residual_weights
from optid.problems.identification_result import IdentificationResult
from optid.regressor import BaseParameters
from optid.regressor.accumulate import located_blocks
from optid.signals import Samples
from optid.solvers import solve

if TYPE_CHECKING:
    from optid.signals.stream import SampleStream

Array = NDArray[np.float64]

SETTLED = 1e-3
"""Weights that change by less than this part have converged."""


@dataclass(frozen=True, eq=False)
class Job:
    """Model and data of one identification.

    Attributes
    ----------
    base : BaseParameters
    parts : tuple of JointFactors
        One per trial, the torque of known parameters already subtracted.
    known : mapping name → value
    context : mapping
        Preprocessing, trial names and notes; goes into the result.
    prior : Any
        As the caller gave it; :meth:`optid.problems.prior.Prior.of` reads it.
    solver : str or None
        Asked for by the caller; None leaves the choice to the form of the problem.
    seed : int
    source : callable or None
        Gives the samples of every trial anew; methods that need another pass over the data call it.
    independent_share : float
        Independent torque samples over all of them (:attr:`optid.signals.Samples.independent_share`).
    """

    base: BaseParameters
    parts: tuple[JointFactors, ...]
    known: Mapping[str, float] = field(default_factory=dict)
    context: Mapping[str, Any] = field(default_factory=dict)
    prior: Any = None
    solver: str | None = None
    seed: int = 0
    source: Callable[[], Iterator[Samples | SampleStream]] | None = None
    independent_share: float = 1.0

    @cached_property
    def factors(self) -> JointFactors:
        """Of all trials together."""
        return JointFactors.merge(self.parts)

    @property
    def known_vector(self) -> Array | None:
        """Standard vector (p,) of the known parameters, None without any."""
        return self.base.known_vector(self.known)

    def noted(self, *notes: str) -> Job:
        """The same job with further notes for the result."""
        return replace(self, context={**self.context, "notes": (*self.context.get("notes", ()), *notes)})

    def samples(self) -> Iterator[Samples]:
        """The samples of every trial, once more, each in memory as a whole."""
        return (samples.whole() for samples in self.streams())

    def streams(self) -> Iterator[Samples | SampleStream]:
        """The samples of every trial, once more; long ones in chunks (``chunk``).

        Raises
        ------
        DataError
            When only factors are at hand.
        """
        if self.source is None:
            raise DataError(sentence("identification", "triangular factors alone", "the samples, which this method goes through again"))
        return self.source()

    def blocks(self) -> Iterator[tuple[Samples, int, Array, Array, NDArray[np.bool_]]]:
        """Samples of a trial or of a part of it, first row among their equations, base regressor (B, n, r), targets (B, n, 2), mask (B, n); block by block,
        each valid until the next one."""
        for samples in self.streams():
            yield from located_blocks(self.base, samples, self.known_vector)

    def solve(self, problem: Any, **options: Any) -> Any:
        """``optid.solve`` with the caller's solver and seed."""
        return solve(problem, solver=self.solver, seed=self.seed, **options)

    def least_squares(self, weights: Array | None = None, method: str = "ols", details: FitDetails | None = None) -> IdentificationResult:
        """Plain (weighted) least squares of all trials."""
        problem = Identification(self.base, self.factors, weights, self.known, method, self.context, details or FitDetails())
        result: IdentificationResult = self.solve(problem)
        return result

    def weighted(self, reweightings: int = 20, method: str = "wls") -> IdentificationResult:
        """Each joint weighted by 1/variance of its residual, until the weights settle."""
        result = self.least_squares()
        for _ in range(reweightings):
            weights = residual_weights(result)
            change = np.abs(np.log(weights / result.weights)).max()
            result = self.least_squares(weights, method)
            if change < SETTLED:
                break
        return result

    def absorbed(self, fit: IdentificationResult) -> float:
        """Part of the residual's power that a least-squares fit takes from the noise, by its residuals' correlation in time (:class:`LongRun`).

        For white residuals r / rows; with only factors at hand that is the answer, counting independent rows.
        """
        white = fit.equations.n_effective / max(self.independent_share * fit.n_rows, 1.0)
        if self.source is None or not fit.noise_variance > 0:
            return white
        from optid.identification.examine import examined
        from optid.problems.uncertainty import LongRun

        return max(white, LongRun.of(examined(fit, self)).scale - 1.0)
