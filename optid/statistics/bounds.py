"""How far errors of torque and regressor can move an estimate, relative to its size: the source's bounds, and those that hold for least squares.

G21's eqs. 23 and 24 bound ``‖p̃‖/‖p‖`` by ``κ ‖T̃‖/‖T‖`` for errors of the torque and by ``κ ‖δΦ‖/‖Φ‖`` for errors of the regressor (κ the 2-norm
condition number). They are the bounds of a **square** system, where the residual is zero. Least squares has a residual r = T − Φp; torque errors then count
against ``‖Φ‖‖p‖``, which may be smaller than ‖T‖, and errors of the regressor tilt the plane on which the torque is projected, which costs a term in κ² as
well (Wedin 1973; Å. Björck, *Numerical Methods for Least Squares Problems*, 1996, theorem 1.4.6)::

    ‖p̃‖/‖p‖ ≤ κ / (1 − κ ε_Φ) · (ε_Φ + ‖T̃‖ / (‖Φ‖‖p‖) + ε_Φ κ ‖r‖ / (‖Φ‖‖p‖)),    ε_Φ = ‖δΦ‖ / ‖Φ‖,  κ ε_Φ < 1

All norms are 2-norms. The largest variance of a direction of the estimate under white noise is σ² / s_min² (G21's eq. 21, garbled in print).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.errors import DataError, ShapeError, sentence

Array = NDArray[np.float64]


@dataclass(frozen=True)
class ErrorBounds:
    """Bounds of ‖p̃‖ / ‖p‖.

    Attributes
    ----------
    condition_number : float
    square_torque : float
        G21's eq. 23: κ ‖T̃‖/‖T‖; holds for a square system.
    square_regressor : float
        G21's eq. 24: κ ‖δΦ‖/‖Φ‖; holds to first order for a square system.
    least_squares : float
        For both errors together; infinite when κ ‖δΦ‖/‖Φ‖ ≥ 1.
    largest_deviation : float
        Standard deviation of the worst direction of the estimate per unit of white torque noise: 1 / s_min.

    Examples
    --------
    >>> import numpy as np
    >>> from optid.statistics import error_bounds
    >>> round(error_bounds(np.diag([1.0, 0.1]), [1.0, 0.1]).condition_number, 12)
    10.0
    """

    condition_number: float
    square_torque: float
    square_regressor: float
    least_squares: float
    largest_deviation: float


def error_bounds(regressor: ArrayLike, torque: ArrayLike, torque_error: float = 0.0, regressor_error: float = 0.0) -> ErrorBounds:
    """Bounds for the least-squares estimate from a regressor Φ (m, p) and torque T (m,), or triangles with the same products.

    Parameters
    ----------
    torque_error : float [N m]
        ‖T̃‖, the 2-norm of the torque's error over all equations.
    regressor_error : float
        ‖δΦ‖, the 2-norm (largest singular value) of the regressor's error.

    Examples
    --------
    >>> import numpy as np
    >>> from optid.statistics import error_bounds
    >>> bool(error_bounds(np.diag([1.0, 0.1]), [1.0, 0.1], torque_error=0.01).least_squares > 0)
    True
    """
    A, b = np.asarray(regressor, dtype=float), np.asarray(torque, dtype=float)
    if A.ndim != 2 or b.shape != (len(A),) or len(A) < A.shape[1]:
        raise ShapeError(sentence("error bounds", f"regressor {A.shape}, torque {b.shape}", "(m, p) and (m,) with m >= p"))
    if not (torque_error >= 0 and regressor_error >= 0):
        raise DataError(sentence("norms of errors", f"{torque_error}, {regressor_error}", "numbers >= 0"))
    U, s, Vt = np.linalg.svd(A, full_matrices=False)
    if not s[-1] > 0:
        return ErrorBounds(np.inf, np.inf, np.inf, np.inf, np.inf)
    x = Vt.T @ ((U.T @ b) / s)
    condition = float(s[0] / s[-1])
    relative, size = regressor_error / s[0], s[0] * float(np.linalg.norm(x))
    whole = float(np.linalg.norm(b))
    inner = relative + torque_error / size + relative * condition * float(np.linalg.norm(b - A @ x)) / size if size > 0 else np.inf
    return ErrorBounds(
        condition,
        condition * torque_error / whole if whole > 0 else np.inf,
        condition * float(relative),
        float(condition / (1 - condition * relative) * inner) if condition * relative < 1 else np.inf,
        float(1 / s[-1]),
    )
