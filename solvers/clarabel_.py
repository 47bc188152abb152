"""Linear least squares with linear and semidefinite constraints by an interior-point method (Clarabel)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from optid.errors import require
from optid.problems.forms import Cone, LeastSquares

from .base import Outcome
from .run import Run
from .solution import Status

_STATUS: dict[str, Status] = {
    "Solved": "optimal",
    "AlmostSolved": "optimal",
    "PrimalInfeasible": "infeasible",
    "AlmostPrimalInfeasible": "infeasible",
    "MaxIterations": "budget",
    "MaxTime": "budget",
    "CallbackTerminated": "stopped",
}


@dataclass(frozen=True)
class Clarabel:
    """Primal-dual interior point on cones (Goulart & Chen 2024).

    Residuals are variables of their own, so that the conditioning of the data is not squared.

    Parameters
    ----------
    tolerance : float
        Relative and absolute gap, and feasibility.
    max_iterations : int
    max_time : float or None
        [s]
    """

    tolerance: float = 1e-10
    max_iterations: int = 200
    max_time: float | None = None

    name: ClassVar[str] = "clarabel"
    accepts: ClassVar[tuple[type, ...]] = (LeastSquares,)
    features: ClassVar[frozenset[str]] = frozenset({"bounds", "linear", "equality", "cone"})
    search: ClassVar[bool] = False

    def run(self, form: LeastSquares, run: Run) -> Outcome:
        """Solve ``form``."""
        clarabel = require("clarabel", "app")
        from scipy import sparse

        a, b = form.weighted
        if len(a) > form.size:
            factor = np.asarray(np.linalg.qr(np.column_stack([a, b]), mode="r"))
            a, b = factor[:, :-1], factor[:, -1]
        norms = np.linalg.norm(a, axis=0)
        norms = np.where(norms > 0, norms, 1.0)
        size = float(np.linalg.norm(b)) or 1.0
        unit = size / norms  # x = unit · z
        residuals = len(b)
        blocks, right, cones = self._constraints(form, unit, clarabel)
        blocks.insert(0, (a / norms, -np.eye(residuals)))
        right.insert(0, b / size)
        cones.insert(0, clarabel.ZeroConeT(residuals))
        matrix = sparse.csc_matrix(np.vstack([np.hstack([left, other if other is not None else np.zeros((len(left), residuals))]) for left, other in blocks]))
        quadratic = sparse.diags(np.concatenate([np.zeros(form.size), np.ones(residuals)])).tocsc()
        settings = clarabel.DefaultSettings()
        settings.verbose = False
        settings.max_threads = 1
        settings.max_iter = self.max_iterations if run.budget is None else min(self.max_iterations, run.budget)
        for key in ("tol_gap_abs", "tol_gap_rel", "tol_feas"):
            setattr(settings, key, self.tolerance)
        if self.max_time is not None:
            settings.time_limit = float(self.max_time)
        solver = clarabel.DefaultSolver(quadratic, np.zeros(form.size + residuals), matrix, np.concatenate(right), cones, settings)
        answer = solver.solve()
        x = np.clip(np.array(answer.x)[: form.size] * unit, form.lower, form.upper)
        message = str(answer.status).split(".")[-1]
        run.n_evaluations += max(int(answer.iterations), 1)
        if np.all(np.isfinite(x)):
            run.note(x, *form.evaluate(x))
        status = _STATUS.get(message, "failed")
        info = {"iterations": int(answer.iterations), "duals": np.array(answer.z)}
        return Outcome(x if np.all(np.isfinite(x)) else None, status, message, info=info)

    @staticmethod
    def _constraints(form: LeastSquares, unit: np.ndarray, clarabel: Any) -> tuple[list[tuple[np.ndarray, Any]], list[np.ndarray], list[Any]]:
        """Rows A z + s = b, s in a cone, for everything but the residuals; every row is brought to a norm of about one."""
        blocks: list[tuple[np.ndarray, Any]] = []
        right: list[np.ndarray] = []
        cones: list[Any] = []
        fixed = form.lower == form.upper
        eye = np.eye(form.size)
        low, high = np.isfinite(form.lower) & ~fixed, np.isfinite(form.upper) & ~fixed
        equal = np.vstack([form.A_eq * unit, eye[fixed] * unit])
        less = np.vstack([form.A_in * unit, eye[high] * unit, -eye[low] * unit])
        for rows, values, kind in (
            (equal, np.concatenate([form.b_eq, form.lower[fixed]]), clarabel.ZeroConeT),
            (less, np.concatenate([form.b_in, form.upper[high], -form.lower[low]]), clarabel.NonnegativeConeT),
        ):
            if len(rows):
                heights = np.linalg.norm(rows, axis=1)
                heights = np.where(heights > 0, heights, 1.0)
                blocks.append((rows / heights[:, None], None))
                right.append(values / heights)
                cones.append(kind(len(rows)))
        for cone in form.cones:
            left, constant = _triangle(cone, unit)
            blocks.append((-left, None))
            right.append(constant)
            cones.append(clarabel.PSDTriangleConeT(len(cone.F0)))
        return blocks, right, cones


def _triangle(cone: Cone, unit: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Upper triangles, column by column, off-diagonal entries times √2: slopes (s(s+1)/2, p) for z and the constant part."""
    side = len(cone.F0)
    columns, rows = np.tril_indices(side)
    weight = np.where(rows == columns, 1.0, np.sqrt(2.0))
    return (cone.F[:, rows, columns] * weight).T * unit, cone.F0[rows, columns] * weight
