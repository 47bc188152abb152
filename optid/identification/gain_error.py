"""What wrong current gains do to estimates from torques that were made of currents.

A torque ``K_j i_j`` whose gain is off by the part ε_j is off by ``ε_j τ_j``, for the whole run: no residual shows it. Least squares is linear in the torque, so
that the estimate moves by exactly ``B W_jᵀ w_j τ_j`` per unit of ε_j, with B the inverse of the normal matrix.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from optid.errors import DataError, ShapeError, sentence
from optid.kernels import JointFactors
from optid.model.arrays import numbers
from optid.problems.equations import Equations

Array = NDArray[np.float64]


def relative_covariance(gain_error: Any, n: int) -> Array:
    """Covariance (n, n) of the gains' relative errors, from standard deviations (one number, or one a joint) or from itself.

    Raises
    ------
    DataError, ShapeError
    """
    given = numbers(gain_error, "gain_error")
    if given.shape not in ((), (n,), (n, n)):
        raise ShapeError(sentence("gain_error", f"shape {given.shape}", f"one relative standard deviation, {n} of them, or a covariance ({n}, {n})"))
    found = given if given.ndim == 2 else np.diag(np.broadcast_to(given, (n,)) ** 2)
    smallest = np.linalg.eigvalsh((found + found.T) / 2)[0] if np.isfinite(found).all() else np.nan
    if not (smallest >= -1e-12 * max(np.trace(found), 0.0)) or (given.ndim < 2 and (given < 0).any()) or not np.allclose(found, found.T):
        raise DataError(sentence("gain_error", given.tolist(), "finite standard deviations >= 0, or a covariance", "5 % is 0.05."))
    return np.asarray(found, dtype=float)


def sensitivity(equations: Equations, factors: JointFactors, weights: Array, columns: Sequence[int]) -> Array:
    """Change (p, n) of least squares estimates per unit of each joint's relative gain error; zero for undetermined parameters.

    Parameters
    ----------
    equations : Equations
        In the p unknowns.
    factors : JointFactors
        Of regressor and *measured* torque, nothing taken off it.
    weights : (n,)
    columns : p numbers
        Of the unknowns in the factors.
    """
    inverse = equations.covariance(1.0)
    scores = np.stack([w * T[:, list(columns)].T @ T[:, factors.n_columns] for w, T in zip(weights, factors.triangles, strict=True)], axis=1)
    return np.asarray(np.where(np.isfinite(inverse), inverse, 0.0) @ scores)
