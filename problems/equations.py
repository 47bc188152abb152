"""The equations behind an estimate: data, prior, and the directions that are left free."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from optid.kernels import JointFactors
from optid.statistics import Determinacy, truncated_solution, white_covariance

from .fit_details import FitDetails

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Equations:
    """``A x ≈ b`` from data, ``rows x ≈ target`` from a prior, with ``x`` free to move along ``free`` only.

    Attributes
    ----------
    A : (m, r)
        Weighted, so that every equation counts alike.
    b : (m,)
    names : r names
    rows : (k, r) or None
    target : (k,) or None
    free : (r, f) or None
        Columns span the directions that constraints leave; None: all of them.
    """

    A: Array
    b: Array
    names: Sequence[str]
    rows: Array | None = None
    target: Array | None = None
    free: Array | None = None

    @classmethod
    def of(cls, names: Sequence[str], factors: JointFactors, weights: Array, details: FitDetails, determinacy: Determinacy | None = None) -> Equations:
        """From what a fit keeps; ``determinacy`` where it is known already."""
        A, b = (factors if details.equations is None else details.equations).stacked(weights)
        found = cls(A, b, names, details.rows, details.target, details.free)
        if determinacy is not None:
            found.__dict__["determinacy"] = determinacy
        return found

    @cached_property
    def stacked(self) -> Array:
        """Data and prior, (m + k, r)."""
        return self.A if self.rows is None else np.vstack([self.A, self.rows])

    @cached_property
    def compact(self) -> Array:
        """A triangle with the same normal matrix as :attr:`stacked`."""
        return self.stacked if len(self.stacked) <= self.stacked.shape[1] else np.asarray(np.linalg.qr(self.stacked, mode="r"))

    @cached_property
    def determinacy(self) -> Determinacy:
        """Condition of data and prior together; rank and open directions are those that neither of them sees, however weak the prior."""
        if self.free is None and self.rows is not None:
            weight = np.linalg.norm(self.A) / (np.linalg.norm(self.rows) or 1.0)
            balanced = Determinacy.of(np.asarray(np.linalg.qr(np.vstack([self.A, weight * self.rows]), mode="r")), self.names)
            condition = Determinacy.of(self.compact, self.names)
            return replace(
                balanced,
                condition_number=condition.condition_number,
                scaled_condition_number=condition.scaled_condition_number,
                singular_values=condition.singular_values,
            )
        if self.free is None:
            return Determinacy.of(self.compact, self.names)
        chosen = np.flatnonzero(self.free.any(axis=1))
        selects = self.free.shape[1] == len(chosen) and np.array_equal(self.free[chosen], np.eye(len(chosen)))
        labels = [self.names[int(k)] for k in chosen] if selects else [f"free direction {k + 1}" for k in range(self.free.shape[1])]
        inner = Determinacy.of(self.compact @ self.free, labels)
        if inner.rank == len(labels):
            return replace(inner, determined=np.ones(len(self.names), dtype=bool))
        determined = ~(self.free[:, ~inner.determined] != 0).any(axis=1)
        return replace(inner, determined=determined)

    @property
    def minimum_norm(self) -> Array:
        """Minimiser of data and prior (r,) without a share in open directions; for equations without constraints."""
        target = self.b if self.target is None else np.concatenate([self.b, self.target])
        return truncated_solution(self.stacked, target, self.determinacy)

    @cached_property
    def n_effective(self) -> float:
        """Parameters that the data pay for: the trace of the matrix that takes ``b`` to ``A x``; the rank where there is no prior."""
        if self.rows is None:
            return float(self.determinacy.rank)
        return float(np.sum(self.data_share))

    @cached_property
    def data_share(self) -> Array:
        """(r,) share of each estimate that comes from the data, the rest being the prior's: the diagonal of (AᵀA + DᵀD)⁻¹ AᵀA."""
        inverse = self.covariance(1.0)
        finite = np.where(np.isfinite(inverse), inverse, 0.0)
        return np.einsum("ij,ji->i", finite, self.A.T @ self.A)

    def covariance(self, variance: float) -> Array:
        """``variance · (AᵀA + DᵀD)⁻¹`` (r, r) along the free directions; infinite on the diagonal of undetermined parameters."""
        if self.free is None:
            return white_covariance(self.compact, self.determinacy, variance)
        inner = Determinacy.of(self.compact @ self.free, [""] * self.free.shape[1])
        small = white_covariance(self.compact @ self.free, inner, variance)
        full = self.free @ np.where(np.isfinite(small), small, 0.0) @ self.free.T
        open_ = ~self.determinacy.determined
        full[open_, :] = full[:, open_] = 0.0
        full[open_, open_] = np.inf
        return np.asarray(full)
