"""Linear least squares with linear constraints, through CasADi's interface to quadratic programming."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from optid.problems.forms import LeastSquares

from .base import Outcome
from .run import Run
from .solution import Status


@dataclass(frozen=True)
class Qp:
    """Convex quadratic program by an active-set method.

    Parameters
    ----------
    plugin : str
        A ``conic`` plugin of CasADi that stays silent: "qrqp", "daqp" or "proxqp".
    max_iterations : int
    damping : float
        Weight of the distance to the last point, in each of a few passes, relative to the unit diagonal of the column-scaled normal matrix. It lets the
        active-set method pass where the data leave directions open; the passes end when the point stands still, so it leaves no bias.
    max_passes : int

    Notes
    -----
    ``solution.info`` holds ``multipliers_linear`` (of A_eq, then of A_in) and ``multipliers_x``.
    """

    plugin: str = "qrqp"
    max_iterations: int = 1000
    damping: float = 1e-9
    max_passes: int = 20

    name: ClassVar[str] = "qp"
    accepts: ClassVar[tuple[type, ...]] = (LeastSquares,)
    features: ClassVar[frozenset[str]] = frozenset({"bounds", "linear", "equality"})
    search: ClassVar[bool] = False

    def run(self, form: LeastSquares, run: Run) -> Outcome:
        """Solve ``form``."""
        frame = _Frame(form)
        if frame.contradiction:
            return Outcome(None, "infeasible", "the equality constraints contradict each other")
        iterations = self.max_iterations if run.budget is None else min(self.max_iterations, run.budget)
        z, message = run.x0 / frame.unit, ""
        try:
            solver = self._backend(frame, iterations)
            for _ in range(self.max_passes):
                run.n_evaluations += 1
                answer = solver(g=frame.slope - self.damping * z, x0=z, **frame.limits)
                stats = solver.stats()
                last, z = z, np.asarray(answer["x"]).ravel()
                message = str(stats.get("return_status", ""))
                if not stats.get("success") or np.max(np.abs(z - last)) <= 1e-12 * max(1.0, float(np.max(np.abs(z)))):
                    break
            status: Status = "optimal" if stats.get("success") else _failure(stats, message)
        except RuntimeError as error:
            return Outcome(None, "failed", str(error).strip().splitlines()[-1])
        x = np.clip(z * frame.unit, form.lower, form.upper)
        run.note(x, *form.evaluate(x))
        info = {
            "multipliers_linear": frame.multipliers(np.asarray(answer["lam_a"]).ravel()),
            "multipliers_x": np.asarray(answer["lam_x"]).ravel() * frame.size**2 / frame.unit,
        }
        return Outcome(x, status, message, info=info)

    def _backend(self, frame: _Frame, iterations: int) -> Any:
        import casadi as ca

        options: dict[str, Any] = {"error_on_fail": False}
        if self.plugin == "qrqp":
            options |= {"print_iter": False, "print_header": False, "print_info": False, "max_iter": iterations}
        size, rows = frame.normal.shape[0], frame.limits["a"].shape
        solver = ca.conic("optid_qp", self.plugin, {"h": ca.Sparsity.dense(size, size), "a": ca.Sparsity.dense(*rows)}, options)
        frame.limits["h"] = frame.normal + self.damping * np.eye(size)
        return solver


class _Frame:
    """The problem in z = x / unit: unit columns of A, data and constraint rows of norm one, equality constraints without repetition."""

    def __init__(self, form: LeastSquares) -> None:
        a, b = form.weighted
        norms = np.linalg.norm(a, axis=0)
        self.size = float(np.linalg.norm(b)) or 1.0
        self.unit = self.size / np.where(norms > 0, norms, 1.0)
        scaled = a * (self.unit / self.size)
        self.normal, self.slope = scaled.T @ scaled, -(scaled.T @ b) / self.size
        rows = np.vstack([form.A_eq, form.A_in]) * self.unit
        heights = np.linalg.norm(rows, axis=1)
        self.heights = np.where(heights > 0, heights, 1.0)
        rows = rows / self.heights[:, None]
        equal = len(form.A_eq)
        right = np.concatenate([form.b_eq, form.b_in]) / self.heights
        left, values, basis = np.linalg.svd(rows[:equal], full_matrices=False)
        rank = int(np.sum(values > 1e-12 * max(1.0, values.max(initial=0.0))))
        self.combine = left[:, :rank] / values[:rank]
        targets = self.combine.T @ right[:equal]
        gap = np.abs(rows[:equal] @ (basis[:rank].T @ targets) - right[:equal])
        self.contradiction = bool(np.any(gap > 1e-9 * max(1.0, float(np.abs(right[:equal]).max(initial=0.0)))))
        self.limits = {
            "a": np.vstack([basis[:rank], rows[equal:]]),
            "lba": np.concatenate([targets, np.full(len(form.b_in), -np.inf)]),
            "uba": np.concatenate([targets, right[equal:]]),
            "lbx": form.lower / self.unit,
            "ubx": form.upper / self.unit,
        }

    def multipliers(self, reduced: np.ndarray) -> np.ndarray:
        """Multipliers of the rows as they were given, those of A_eq first."""
        rank = self.combine.shape[1]
        return np.concatenate([self.combine @ reduced[:rank], reduced[rank:]]) * self.size**2 / self.heights


def _failure(stats: dict[str, Any], message: str) -> Status:
    unified = str(stats.get("unified_return_status", ""))
    if unified == "SOLVER_RET_INFEASIBLE" or "infeas" in message.lower():
        return "infeasible"
    return "budget" if unified == "SOLVER_RET_LIMITED" or "iter" in message.lower() else "failed"
