"""Linear least squares with linear and semidefinite constraints by an interior-point method (Clarabel)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from optid.errors import require
from optid.problems.forms import Cone, LeastSquares

from .base import Outcome
from .run import Run
from .solution import FEASIBLE, Status

_STATUS: dict[str, Status] = {
    "Solved": "optimal",
    "AlmostSolved": "optimal",
    "PrimalInfeasible": "infeasible",
    "AlmostPrimalInfeasible": "infeasible",
    "MaxIterations": "budget",
    "MaxTime": "budget",
    "CallbackTerminated": "stopped",
}


DETERMINED = 1e-13
"""Smallest singular value, of the data in columns of unit norm, relative to the largest one, with which all variables count as determined."""


@dataclass(frozen=True, eq=False)
class _Pose:
    """Coordinates ``x = centre + slopes · z``, in which the objective is ½ ‖z‖², or ½ ‖rows · z − target‖² where rows are given."""

    centre: np.ndarray
    slopes: np.ndarray
    rows: np.ndarray | None = None
    target: np.ndarray | None = None


@dataclass(frozen=True)
class Clarabel:
    """Primal-dual interior point on cones (Goulart & Chen 2024).

    Where the data determine every variable, the problem is posed around their optimum, in the directions in which the residual is a sphere: what the data pin
    down to rounding then stays exact, and an optimum that no constraint touches is returned as it is. Otherwise, and where that does not end, residuals are
    variables of their own. Either way the conditioning of the data is not squared.

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
        a, b = form.weighted
        if len(a) > form.size:
            factor = np.asarray(np.linalg.qr(np.column_stack([a, b]), mode="r"))
            a, b = factor[:, :-1], factor[:, -1]
        found: list[Outcome] = []
        around = _around_optimum(form, a, b)
        if around is not None:
            if form.evaluate(around.centre)[1] == 0:
                run.n_evaluations += 1
                run.note(around.centre, *form.evaluate(around.centre))
                return Outcome(around.centre, "optimal", "Solved", info={"iterations": 0})
            found.append(self._solve(form, run, around))
            if found[0].message == "Solved":
                return found[0]
        found.append(self._solve(form, run, _with_residuals(form, a, b)))
        usable = [outcome for outcome in found if outcome.status == "optimal" and outcome.x is not None]

        def quality(outcome: Outcome) -> tuple[float, float]:
            value, violation = form.evaluate(np.asarray(outcome.x))
            return max(violation - FEASIBLE, 0.0), value

        return min(usable, key=quality) if usable else found[-1]

    def _solve(self, form: LeastSquares, run: Run, pose: _Pose) -> Outcome:
        clarabel = require("clarabel", "app")
        from scipy import sparse

        residuals = 0 if pose.rows is None else len(pose.rows)
        blocks, right, cones = self._constraints(form, pose, clarabel)
        if pose.rows is not None:
            blocks.insert(0, (pose.rows, -np.eye(residuals)))
            right.insert(0, np.asarray(pose.target))
            cones.insert(0, clarabel.ZeroConeT(residuals))
        matrix = sparse.csc_matrix(np.vstack([np.hstack([left, other if other is not None else np.zeros((len(left), residuals))]) for left, other in blocks]))
        curved = np.ones(form.size + residuals)
        curved[: form.size] = residuals == 0
        settings = clarabel.DefaultSettings()
        settings.verbose = False
        settings.max_threads = 1
        settings.max_iter = self.max_iterations if run.budget is None else min(self.max_iterations, run.budget)
        for key in ("tol_gap_abs", "tol_gap_rel", "tol_feas"):
            setattr(settings, key, self.tolerance)
        if self.max_time is not None:
            settings.time_limit = float(self.max_time)
        solver = clarabel.DefaultSolver(sparse.diags(curved).tocsc(), np.zeros(len(curved)), matrix, np.concatenate(right), cones, settings)
        answer = solver.solve()
        x = np.clip(pose.centre + pose.slopes @ np.array(answer.x)[: form.size], form.lower, form.upper)
        message = str(answer.status).split(".")[-1]
        run.n_evaluations += max(int(answer.iterations), 1)
        if np.all(np.isfinite(x)):
            run.note(x, *form.evaluate(x))
        status = _STATUS.get(message, "failed")
        info = {"iterations": int(answer.iterations), "duals": np.array(answer.z)}
        return Outcome(x if np.all(np.isfinite(x)) else None, status, message, info=info)

    @staticmethod
    def _constraints(form: LeastSquares, pose: _Pose, clarabel: Any) -> tuple[list[tuple[np.ndarray, Any]], list[np.ndarray], list[Any]]:
        """Rows A z + s = b, s in a cone, for everything but the residuals; every row is brought to a norm of about one."""
        blocks: list[tuple[np.ndarray, Any]] = []
        right: list[np.ndarray] = []
        cones: list[Any] = []
        fixed = form.lower == form.upper
        eye = np.eye(form.size)
        low, high = np.isfinite(form.lower) & ~fixed, np.isfinite(form.upper) & ~fixed
        equal = np.vstack([form.A_eq, eye[fixed]])
        less = np.vstack([form.A_in, eye[high], -eye[low]])
        for given, values, kind in (
            (equal, np.concatenate([form.b_eq, form.lower[fixed]]), clarabel.ZeroConeT),
            (less, np.concatenate([form.b_in, form.upper[high], -form.lower[low]]), clarabel.NonnegativeConeT),
        ):
            if len(given):
                rows, room = given @ pose.slopes, values - given @ pose.centre
                heights = np.linalg.norm(rows, axis=1)
                heights = np.where(heights > 0, heights, 1.0)
                blocks.append((rows / heights[:, None], None))
                right.append(room / heights)
                cones.append(kind(len(rows)))
        for cone in form.cones:
            left, constant = _triangle(cone, pose)
            blocks.append((-left, None))
            right.append(constant)
            cones.append(clarabel.PSDTriangleConeT(len(cone.F0)))
        return blocks, right, cones


def _with_residuals(form: LeastSquares, a: np.ndarray, b: np.ndarray) -> _Pose:
    """Variables in units that make columns and target of unit norm."""
    norms = np.linalg.norm(a, axis=0)
    norms = np.where(norms > 0, norms, 1.0)
    size = float(np.linalg.norm(b)) or 1.0
    return _Pose(np.zeros(form.size), np.diag(size / norms), a / norms, b / size)


def _around_optimum(form: LeastSquares, a: np.ndarray, b: np.ndarray) -> _Pose | None:
    """Around the optimum without constraints, along the singular directions of the data; None where the data leave variables open."""
    norms = np.linalg.norm(a, axis=0)
    if len(a) < form.size or not (norms > 0).all():
        return None
    U, s, Vt = np.linalg.svd(a / norms, full_matrices=False)
    if not s[-1] > DETERMINED * s[0]:
        return None
    slopes = Vt.T / s / norms[:, None]
    rows = [form.A_eq @ slopes, form.A_in @ slopes, *(_triangle(cone, _Pose(np.zeros(form.size), slopes))[0] for cone in form.cones)]
    steepest = max((float(np.abs(block).max()) for block in rows if block.size), default=0.0)
    return _Pose(slopes @ (U.T @ b), slopes / (steepest if steepest > 0 else float(np.abs(slopes).max())))


def _triangle(cone: Cone, pose: _Pose) -> tuple[np.ndarray, np.ndarray]:
    """Upper triangles, column by column, off-diagonal entries times √2: slopes (s(s+1)/2, p) for z and the constant part."""
    side = len(cone.F0)
    columns, rows = np.tril_indices(side)
    weight = np.where(rows == columns, 1.0, np.sqrt(2.0))
    slopes = (cone.F[:, rows, columns] * weight).T
    return slopes @ pose.slopes, cone.F0[rows, columns] * weight + slopes @ pose.centre
