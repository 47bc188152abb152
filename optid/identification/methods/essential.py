"""Only the parameters that the data need."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from optid.errors import DataError, sentence, unknown_name
from optid.model.arguments import real
from optid.problems.fit_details import FitDetails
from optid.problems.identification import Identification
from optid.problems.identification_result import IdentificationResult
from optid.regressor import BaseParameters
from optid.regressor.arguments import checked_names
from optid.statistics import Determinacy

from .job import Job

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Essential:
    """Weighted least squares on the essential parameters: the others are zero, taken out one by one by a partial F test.

    Starting from all base parameters, the one whose removal raises the weighted residual sum least is removed while ``F = ΔRSS / s²`` stays below the quantile
    of F(1, ν) at ``1 − (1 − level)/r`` (Bonferroni: r parameters are tested), with s² and ν of the full model of r parameters. Where residuals hang together in
    time, least squares takes more than one s² from the noise with every parameter: s² is what it takes on average (:class:`LongRun`), so that parameters which
    only follow correlated noise do not pass for essential. One parameter always stays.

    Source of the idea: M. Gautier, P. O. Vandanjon, C. Presse, *Identification of inertial and drive gain parameters of robots*, 1994.

    Parameters
    ----------
    level : float
        0.95: with a chance of 5 % any of the parameters that are truly zero survives.
    keep : tuple of str
        Base parameters that stay, by the names of their independent parameters or by their formulas.
    """

    level: float = 0.95
    keep: tuple[str, ...] = ()

    name: ClassVar[str] = "essential"

    def __post_init__(self) -> None:
        wanted = "a number between 0 and 1, such as 0.95"
        if not 0 < real(self.level, "level of the F test", wanted) < 1:
            raise DataError(sentence("level of the F test", self.level, wanted))
        checked_names(self.keep, "keep")

    def fit(self, job: Job) -> IdentificationResult:
        """Estimate."""
        full = job.weighted()
        protected = set(self._protected(full.base))
        equations = full.equations
        factor = np.asarray(np.linalg.qr(np.column_stack([equations.A, equations.b]), mode="r"))
        freedom = job.independent_share * full.n_rows - full.determinacy.rank
        if freedom <= 0:
            raise DataError(sentence("essential parameters", f"{full.n_rows} equations", f"more than the {full.determinacy.rank} parameters they determine"))
        order, steps = removals(factor[:, :-1], factor[:, -1], protected, full.determinacy.determined)
        limit = _quantile(1 - (1 - self.level) / full.base.rank, freedom)
        power = full.noise_variance * full.degrees_of_freedom
        variance = max(power / freedom, power * job.absorbed(full) / full.determinacy.rank)
        gone = 0
        while gone < min(len(order), full.base.rank - 1) and steps[gone] <= limit * variance:
            gone += 1
        removed = sorted(order[:gone])
        free = np.delete(np.eye(full.base.rank), removed, axis=1)
        names = tuple(full.base.formulas[k] for k in removed)
        problem = Identification(
            job.base, job.factors, full.weights, job.known, self.name, job.context, FitDetails(free=free, removed=names) if removed else FitDetails()
        )
        result: IdentificationResult = job.solve(problem)
        note = f"{full.base.rank - gone} of {full.base.rank} parameters are essential (partial F tests, together at {self.level:g}; F above {limit:.3g})"
        return replace(result, notes=(*result.notes, f"{note}; removed: {', '.join(names) or 'none'}."))

    def _protected(self, base: BaseParameters) -> list[int]:
        """Numbers of the parameters to keep."""
        for name in self.keep:
            if name not in base.names and name not in base.formulas:
                raise unknown_name("parameter to keep", name, base.names)
        return [base.names.index(name) if name in base.names else base.formulas.index(name) for name in self.keep]


def removals(A: Array, b: Array, protected: set[int], determined: NDArray[np.bool_]) -> tuple[list[int], list[float]]:
    """Backward elimination.

    Returns
    -------
    order : parameters in the order of their removal: first those without which the others are determined, then each time the one that costs least
    cost : rise of the residual sum of squares at each removal
    """
    order = _superfluous(A, protected, determined)
    cost = [0.0] * len(order)
    left = [k for k in range(A.shape[1]) if k not in order]
    while any(k not in protected for k in left):
        norms = np.linalg.norm(A[:, left], axis=0)
        U, s, Vt = np.linalg.svd(A[:, left] / norms, full_matrices=False)
        x = Vt.T @ (U.T @ b / s)
        rise = x**2 / np.sum((Vt / s[:, None]) ** 2, axis=0)
        rise[[i for i, k in enumerate(left) if k in protected]] = np.inf
        i = int(np.argmin(rise))
        order.append(left.pop(i))
        cost.append(float(rise[i]))
    return order, cost


def _superfluous(A: Array, protected: set[int], determined: NDArray[np.bool_]) -> list[int]:
    """Undetermined parameters whose removal leaves what the others can explain: each time the one with the largest share in an open direction."""
    gone: list[int] = []
    open_ = np.flatnonzero(~determined).tolist()
    while True:
        left = [k for k in range(A.shape[1]) if k not in gone]
        found = Determinacy.of(A[:, left], [""] * len(left))
        if found.rank == len(left):
            return gone
        norms = np.linalg.norm(A[:, left], axis=0)
        weights = np.linalg.svd(A[:, left] / np.where(norms > 0, norms, 1.0))[2][found.rank :]
        share = np.sum(weights**2, axis=0)
        free = [i for i, k in enumerate(left) if k in open_ and k not in protected]
        if not free or share[free].max() < 1e-12:
            return gone
        gone.append(left[free[int(np.argmax(share[free]))]])


def _quantile(level: float, freedom: float) -> float:
    from scipy.stats import f

    return float(f.ppf(level, 1, freedom))
