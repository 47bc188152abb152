"""Linear least squares with bounds (SciPy), capped and checked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from optid.problems.forms import LeastSquares

from .base import Outcome
from .run import Run


@dataclass(frozen=True)
class LsqLinear:
    """Bounded-variable least squares (Stark & Parker 1995) on the triangular factor of the data.

    Active sets end after finitely many steps and their number is capped; the interior method of the same package can loop for ever and is not used.
    The answer is checked against the optimality conditions before it passes.

    Parameters
    ----------
    tolerance : float
        On the projected gradient, relative to ‖A‖·‖b‖ column by column.
    max_iterations : int

    Notes
    -----
    ``solution.info`` holds ``active`` (−1, 0, 1 a variable: at its lower bound, free, at its upper) and ``null_space`` (p, k): the directions that neither
    the data nor a bound determines.
    """

    tolerance: float = 1e-9
    max_iterations: int = 500

    name: ClassVar[str] = "lsq_linear"
    accepts: ClassVar[tuple[type, ...]] = (LeastSquares,)
    features: ClassVar[frozenset[str]] = frozenset({"bounds"})
    search: ClassVar[bool] = False

    def run(self, form: LeastSquares, run: Run) -> Outcome:
        """Solve ``form``."""
        from scipy.optimize import lsq_linear

        a, b = form.weighted
        if len(a) > form.size:
            factor = np.asarray(np.linalg.qr(np.column_stack([a, b]), mode="r"))
            a, b = factor[:, :-1], factor[:, -1]
        norms = np.linalg.norm(a, axis=0)
        norms = np.where(norms > 0, norms, 1.0)
        free = form.lower < form.upper
        x = np.array(form.lower)
        iterations, message = 0, "all variables are fixed"
        if free.any():
            right = b - a[:, ~free] @ x[~free]
            found = lsq_linear(
                a[:, free] / norms[free],
                right,
                (form.lower[free] * norms[free], form.upper[free] * norms[free]),
                method="bvls",
                tol=1e-14,
                max_iter=self.max_iterations if run.budget is None else min(self.max_iterations, run.budget),
            )
            inner = np.where(found.active_mask < 0, form.lower[free], found.x / norms[free])
            x[free] = np.where(found.active_mask > 0, form.upper[free], inner)  # scaled back, a bound may miss itself by a last bit
            iterations, message = int(found.nit), str(found.message)
        x = np.clip(x, form.lower, form.upper)
        run.n_evaluations += max(iterations, 1)
        run.note(x, *form.evaluate(x))
        slope = (a.T @ (a @ x - b)) / norms
        size = self.tolerance * max(float(np.linalg.norm(b)), 1e-300)
        at_lower, at_upper = (x <= form.lower) & free, (x >= form.upper) & free
        wrong = free & ~((np.abs(slope) <= size) | (at_lower & (slope > 0)) | (at_upper & (slope < 0)))
        held = ~free | ((at_lower | at_upper) & (np.abs(slope) > size))
        null = np.zeros((form.size, 0))
        if not held.all():
            _, values, rows = np.linalg.svd(a[:, ~held] / norms[~held])
            rank = int(np.sum(values > max(form.A.shape) * np.finfo(float).eps * max(values.max(initial=0.0), 1e-300)))
            null = np.zeros((form.size, rows.shape[0] - rank))
            null[~held] = np.linalg.qr(rows[rank:].T / norms[~held][:, None])[0] if null.shape[1] else null[~held]
        info = {"active": at_upper.astype(int) - at_lower.astype(int), "null_space": null, "rank": form.size - null.shape[1]}
        if wrong.any():
            capped = iterations >= self.max_iterations or (run.budget is not None and iterations >= run.budget)
            return Outcome(x, "budget" if capped else "failed", f"the gradient of {form.names[int(np.argmax(wrong))]!r} is not zero; {message}", info=info)
        if null.shape[1]:
            message += f"; {null.shape[1]} directions undetermined: one of several minimisers"
        return Outcome(x, "optimal", message, info=info)
