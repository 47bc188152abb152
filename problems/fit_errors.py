"""Relative errors of a prediction."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from optid.brief import brief

Array = NDArray[np.float64]


@dataclass(frozen=True)
class FitErrors:
    """Relative errors of a prediction.

    Attributes
    ----------
    stacked : float
        ‖τ − τ̂‖ / ‖τ‖ over all joints and samples.
    per_joint : (n,)
        ‖τ_j − τ̂_j‖ / ‖τ_j‖.
    mean_per_joint : float

    Examples
    --------
    >>> import numpy as np
    >>> from optid.problems import FitErrors
    >>> FitErrors.of(np.array([1.0, 4.0]), np.array([100.0, 400.0])).per_joint
    array([0.1, 0.1])
    """

    stacked: float
    per_joint: Array
    mean_per_joint: float

    __repr__ = brief

    @classmethod
    def of(cls, residual_squares: Array, squares: Array) -> FitErrors:
        """From sums of squares (n,) of residual and torque."""
        per_joint = np.sqrt(np.divide(residual_squares, squares, out=np.full(len(squares), np.nan), where=squares > 0))
        total = float(squares.sum())
        stacked = float(np.sqrt(residual_squares.sum() / total)) if total > 0 else float("nan")
        return cls(stacked, per_joint, float(np.nanmean(per_joint)) if np.isfinite(per_joint).any() else float("nan"))
