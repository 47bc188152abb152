"""Trust-region nonlinear least squares (SciPy) with a safe finite difference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from optid.problems.forms import Residuals

from .base import Outcome
from .run import Run


@dataclass(frozen=True)
class ScipyLeastSquares:
    """Trust-region reflective Gauss–Newton.

    Parameters
    ----------
    f_tolerance, x_tolerance, g_tolerance : float
        Relative change of the cost, relative step, and scaled gradient at which it ends.
    difference_step : float
        Central-difference step where the problem gives no Jacobian, in parts of max(|x|, scale): a start near zero keeps a step that the residuals can feel.
    max_evaluations : int
        Used without a ``budget``; evaluations for differences count.
    """

    f_tolerance: float = 1e-12
    x_tolerance: float = 1e-12
    g_tolerance: float = 1e-12
    difference_step: float = 6e-6
    max_evaluations: int = 10_000

    name: ClassVar[str] = "least_squares"
    accepts: ClassVar[tuple[type, ...]] = (Residuals,)
    features: ClassVar[frozenset[str]] = frozenset({"bounds", "unbounded"})
    search: ClassVar[bool] = False

    def run(self, form: Residuals, run: Run) -> Outcome:
        """Solve ``form``."""
        from scipy.optimize import least_squares

        run.limit(self.max_evaluations)
        free = np.flatnonzero(form.lower < form.upper)
        scales = form.scales[free]

        def full(z: np.ndarray) -> np.ndarray:
            x = np.array(form.lower)
            x[free] = z * scales
            return form.snap(np.where(form.lower < form.upper, x, form.lower))

        def residual(z: np.ndarray) -> np.ndarray:
            vector = run.residual(full(z))
            return np.full(sizes[0], np.nan) if vector is None else vector

        def jacobian(z: np.ndarray) -> np.ndarray:
            if form.jacobian is not None:
                return np.asarray(form.jacobian(full(z)), dtype=float)[:, free] * scales
            return _central(residual, z, self.difference_step, form.lower[free] / scales, form.upper[free] / scales)

        first = run.residual(run.x0)
        if first is None:
            return Outcome(None, "failed", "the residuals at the start are not finite numbers")
        if not free.size:
            return Outcome(None, "optimal", "all variables are fixed")
        sizes = [first.size]
        found = least_squares(
            residual,
            run.x0[free] / scales,
            jac=jacobian,
            bounds=(form.lower[free] / scales, form.upper[free] / scales),
            x_scale="jac",
            ftol=self.f_tolerance,
            xtol=self.x_tolerance,
            gtol=self.g_tolerance,
            max_nfev=10**6,
        )
        slope = np.asarray(found.grad)
        info = {"jacobian": np.asarray(found.jac) / scales, "gradient": slope / scales}
        return Outcome(None, "optimal" if found.success else "budget", str(found.message), info=info)


def _central(residual: object, z: np.ndarray, part: float, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Central differences (m, d), one-sided at a bound."""
    columns = []
    for i in range(z.size):
        step = part * max(abs(z[i]), 1.0)
        ahead, behind = np.array(z), np.array(z)
        ahead[i], behind[i] = min(z[i] + step, high[i]), max(z[i] - step, low[i])
        columns.append((residual(ahead) - residual(behind)) / (ahead[i] - behind[i]))  # type: ignore[operator]
    return np.array(columns).T
