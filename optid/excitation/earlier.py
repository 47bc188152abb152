"""Information that earlier experiments left: of designed motions, of fits to recordings, or as a matrix."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from optid.errors import DataError, ShapeError, sentence
from optid.model.arrays import numbers
from optid.regressor import BaseParameters
from optid.trajectory import Trajectory

from .information import assess

Array = NDArray[np.float64]


def earlier_information(value: Any, base: BaseParameters, noise: tuple[float, ...], samples: int) -> Array | None:
    """Information matrix (r, r) of whatever is known already.

    Parameters
    ----------
    value : None, (r, r) array, Trajectory, ExcitationResult, IdentificationResult, or a sequence of these
        A matrix is taken as it is. A trajectory counts as run once, with ``samples`` samples and the noise of the design. A fit counts with its equations
        divided by its own residual variance, and any prior it had.

    Raises
    ------
    ShapeError, DataError
        When it does not fit the base parameters.
    """
    if value is None:
        return None
    if isinstance(value, list | tuple):
        parts = [earlier_information(each, base, noise, samples) for each in value]
        return sum((part for part in parts if part is not None), np.zeros((base.rank, base.rank)))
    if isinstance(value, Trajectory):
        return assess(base, value, samples, noise).information
    names = getattr(getattr(value, "base", None), "formulas", base.formulas)
    if names != base.formulas:
        raise DataError(sentence("information of an earlier experiment", f"{len(names)} other base parameters", "those of the design"))
    if hasattr(value, "quality"):
        return np.asarray(value.quality.information)
    if hasattr(value, "equations"):
        A = value.equations.A
        return np.asarray(A.T @ A / value.noise_variance)
    matrix = numbers(value, "information of an excitation")
    if matrix.shape != (base.rank, base.rank) or not np.isfinite(matrix).all():
        raise ShapeError(sentence("information", f"shape {matrix.shape}", f"a finite matrix ({base.rank}, {base.rank}), one row per base parameter"))
    smallest = float(np.linalg.eigvalsh(matrix)[0]) if np.allclose(matrix, matrix.T, rtol=1e-8, atol=1e-12 * np.abs(matrix).max()) else -np.inf
    if smallest < -1e-8 * np.abs(matrix).max(initial=0.0):
        raise DataError(sentence("information", "a matrix that is not symmetric and positive semidefinite", "the inverse of a covariance"))
    return 0.5 * (matrix + matrix.T)
