"""Linear maps from the coefficients of a trajectory to its samples, for problems that optimise the coefficients.

``q = B0 @ c``, ``dq = B1 @ c``, ``ddq = B2 @ c``, ``jerk = B3 @ c`` for the coefficients ``c`` of one joint.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .arrays import Array, positive, times, whole

DERIVATIVES = 4


def fourier_basis(t: ArrayLike, harmonics: int, period: float) -> tuple[Array, Array, Array, Array]:
    """Samples of a Fourier trajectory and of its first three derivatives per coefficient.

    Parameters
    ----------
    t : (N,) [s]
    harmonics : int
        Number of harmonics H.
    period : float [s]

    Returns
    -------
    B0, B1, B2, B3 : (N, 2H+1) each
        Columns in the order of :attr:`Fourier.matrix <optid.trajectory.Fourier.matrix>`: constant, H sines, H cosines.

    Notes
    -----
    When the period is a variable: at fixed fractions ``t / period`` the k-th matrix is that of a period of one, divided by ``period**k``.

    Examples
    --------
    >>> from optid.trajectory import fourier_basis
    >>> position, speed, _, _ = fourier_basis([0.0], harmonics=1, period=1.0)
    >>> position.tolist(), float(speed[0, 1].round(6))  # 1, sine, cosine; 2π
    ([[1.0, 0.0, 1.0]], 6.283185)
    """
    H = whole(harmonics, "number of harmonics")
    T = positive(period, "period")
    stamps = times(t)
    h = np.arange(1, H + 1)
    phase = np.mod(stamps, T)[:, None] * (2 * np.pi / T * h)
    s, c = np.sin(phase), np.cos(phase)
    w = 2 * np.pi / T * h
    one, zero = np.ones((len(stamps), 1)), np.zeros((len(stamps), 1))
    return (
        np.hstack([one, s, c]),
        np.hstack([zero, w * c, -w * s]),
        np.hstack([zero, -(w**2) * s, -(w**2) * c]),
        np.hstack([zero, -(w**3) * c, w**3 * s]),
    )
