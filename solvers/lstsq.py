"""Linear least squares by singular values: rank, null space, minimum norm."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from optid.problems.forms import LeastSquares

from .base import Outcome
from .run import Run


@dataclass(frozen=True)
class Lstsq:
    """Unconstrained linear least squares by the singular value decomposition.

    Columns are scaled to unit norm before the rank decision, so that it does not depend on the units of the parameters. Where the data leave directions
    open, the answer is the minimiser nearest to ``x0`` (to zero without it), measured in the variables' own units.

    Parameters
    ----------
    rank_tolerance : float or None
        Singular values of the scaled matrix below this part of the largest one count as zero; ``None`` for max(m, p)·ε.

    Notes
    -----
    ``solution.info`` holds ``rank``, ``singular_values`` (of the column-scaled matrix), ``condition_number`` (of it), ``null_space`` (p, p − rank, orthonormal)
    and ``residual_norm``.
    """

    rank_tolerance: float | None = None

    name: ClassVar[str] = "lstsq"
    accepts: ClassVar[tuple[type, ...]] = (LeastSquares,)
    features: ClassVar[frozenset[str]] = frozenset()
    search: ClassVar[bool] = False

    def run(self, form: LeastSquares, run: Run) -> Outcome:
        """Solve ``form``."""
        a, b = form.weighted
        size = form.size
        norms = np.linalg.norm(a, axis=0)
        norms = np.where(norms > 0, norms, 1.0)
        if len(a) > 2 * size:
            a, b = _compressed(a, b)
        tolerance = max(len(form.A), size) * np.finfo(float).eps if self.rank_tolerance is None else self.rank_tolerance
        left, values, right = np.linalg.svd(a / norms, full_matrices=False)
        rank = int(np.sum(values > tolerance * values[0])) if values.size and values[0] > 0 else 0
        prior = np.zeros(size) if form.x0 is None else np.asarray(form.x0)
        scaled = right[:rank].T @ ((left[:, :rank].T @ (b - a @ prior)) / values[:rank])
        step = scaled / norms
        null = _null_space(right[:rank], norms)
        x = prior + step - null @ (null.T @ step)
        residual = a @ x - b
        run.note(x, *form.evaluate(x))
        run.n_evaluations += 1
        info = {
            "rank": rank,
            "singular_values": values,
            "condition_number": float(values[0] / values[-1]) if rank == size else np.inf,
            "null_space": null,
            "residual_norm": float(np.linalg.norm(residual)),
        }
        message = "unique minimiser" if rank == size else f"rank {rank} of {size}: the minimiser nearest to the start; {size - rank} directions undetermined"
        return Outcome(x, "optimal", message, info=info)


def _compressed(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Triangular factor with the same normal equations (and the same residual norm) as a tall system."""
    factor = np.asarray(np.linalg.qr(np.column_stack([a, b]), mode="r"))
    return factor[:, :-1], factor[:, -1]


def _null_space(rows: np.ndarray, norms: np.ndarray) -> np.ndarray:
    """Orthonormal basis (p, p − rank) of the directions that ``rows``·diag(norms) does not see."""
    size = rows.shape[1]
    if len(rows) == size:
        return np.zeros((size, 0))
    basis = np.linalg.svd(rows, full_matrices=True)[2][len(rows) :].T if len(rows) else np.eye(size)
    return np.linalg.qr(basis / norms[:, None])[0]
