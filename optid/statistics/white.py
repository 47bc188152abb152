"""Least squares in the determined directions only: solution and covariance for white residuals."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .determinacy import Determinacy

Array = NDArray[np.float64]


def _scaled_svd(A: Array) -> tuple[Array, Array, Array, Array]:
    norms = np.linalg.norm(A, axis=0)
    norms = np.where(norms > 0, norms, 1.0)
    U, s, Vt = np.linalg.svd(A / norms, full_matrices=False)
    return U, s, Vt, norms


def truncated_solution(A: Array, b: Array, determinacy: Determinacy) -> Array:
    """Minimiser of ‖A x − b‖ without a share in open directions (which noise would blow up), columns scaled to unit norm.

    Examples
    --------
    >>> import numpy as np
    >>> from optid.statistics import Determinacy, truncated_solution
    >>> A, b = np.array([[1.0, 1.0], [1.0, 1.0]]), np.array([2.0, 2.0])
    >>> truncated_solution(A, b, Determinacy.of(A, ["a", "b"])).round(12)
    array([1., 1.])
    """
    U, s, Vt, norms = _scaled_svd(A)
    k = determinacy.rank
    return np.asarray(Vt[:k].T @ ((U[:, :k].T @ b) / s[:k]) / norms)


def white_covariance(A: Array, determinacy: Determinacy, variance: float) -> Array:
    """``variance · (AᵀA)⁻¹`` (r, r) in the determined directions; infinite on the diagonal of parameters that are not determined.

    Examples
    --------
    >>> import numpy as np
    >>> from optid.statistics import Determinacy, white_covariance
    >>> A = np.diag([1.0, 2.0])
    >>> white_covariance(A, Determinacy.of(A, ["a", "b"]), 4.0).round(12)
    array([[4., 0.],
           [0., 1.]])
    """
    _, s, Vt, norms = _scaled_svd(A)
    k = determinacy.rank
    half = Vt[:k] / s[:k, None] / norms
    covariance = variance * (half.T @ half)
    open_ = ~determinacy.determined
    covariance[open_, :] = 0.0
    covariance[:, open_] = 0.0
    covariance[open_, open_] = np.inf
    return covariance
