"""Shared by the solvers that CasADi's ``nlpsol`` interfaces: scaling, captured iterates, statuses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from optid.problems.forms import Nlp

from .base import Outcome
from .run import Run
from .solution import Status

_STATUS: dict[str, Status] = {
    "Solve_Succeeded": "optimal",
    "Solved_To_Acceptable_Level": "optimal",
    "Infeasible_Problem_Detected": "infeasible",
    "Maximum_Iterations_Exceeded": "budget",
    "Maximum_CpuTime_Exceeded": "budget",
    "Maximum_WallTime_Exceeded": "budget",
    "User_Requested_Stop": "stopped",
    "SOLVER_RET_SUCCESS": "optimal",
    "SOLVER_RET_LIMITED": "budget",
    "SOLVER_RET_INFEASIBLE": "infeasible",
}


def solve_nlp(plugin: str, options: Mapping[str, Any], form: Nlp, run: Run) -> Outcome:
    """Run one CasADi NLP plugin on the scaled problem and report what it says.

    Iterates reach ``run`` in the user's units. Exceptions of the backend become the status ``failed``.
    """
    import casadi as ca

    symbol = type(form.x).sym("z", form.size)
    f, g = form.function(symbol * ca.DM(form.scales))
    rows = g.shape[0]
    watch = _watcher(form, run, rows)
    own: dict[str, Any] = {}
    if form.advice.curvature and type(form).hessian is not Nlp.hessian:
        interior = plugin == "ipopt"  # it takes the upper triangle, and copes with negative curvature
        own = {"hess_lag": _curvature(form, rows, interior)} | ({} if interior else {"convexify_strategy": "none"})
    try:
        solver = ca.nlpsol("optid_solver", plugin, {"x": symbol, "f": f, "g": g}, {**options, **own, "iteration_callback": watch, "error_on_fail": False})
        answer = solver(x0=run.x0 / form.scales, lbx=form.lbx / form.scales, ubx=form.ubx / form.scales, lbg=form.lbg, ubg=form.ubg)
        stats = solver.stats()
    except KeyboardInterrupt:
        run.stop, run.error = "stopped", KeyboardInterrupt()
        return Outcome(None, "stopped", "interrupted", n_evaluations=len(run.history))
    except (RuntimeError, NotImplementedError) as error:
        return Outcome(None, "failed", _short(error), n_evaluations=len(run.history))
    message = str(stats.get("return_status", stats.get("unified_return_status", "")))
    status = _STATUS.get(message) or _STATUS.get(str(stats.get("unified_return_status", "")), "failed")
    if status == "optimal" and not stats.get("success", True):
        status = "failed"
    if run.stop:
        status = "stopped"
    x = np.clip(np.asarray(answer["x"]).ravel() * form.scales, form.lbx, form.ubx)
    evaluations = int(stats.get("n_call_nlp_f", 0)) or int(stats.get("iter_count", 0)) + 1
    info = {
        "multipliers_x": np.asarray(answer["lam_x"]).ravel() / form.scales,
        "multipliers_g": np.asarray(answer["lam_g"]).ravel(),
        "iterations": int(stats.get("iter_count", 0)),
    }
    return Outcome(x, status, message, n_evaluations=evaluations, info=info)


def _short(error: Exception) -> str:
    """Last informative line of a CasADi error."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1] if lines else type(error).__name__


def _curvature(form: Nlp, rows: int, interior: bool) -> Any:
    """CasADi callback with the Hessian of the Lagrangian that the form computes itself, in scaled variables; made convex for methods that need it so."""
    import casadi as ca

    shapes = (ca.Sparsity.dense(form.size, 1), ca.Sparsity(0, 0), ca.Sparsity.dense(1, 1), ca.Sparsity.dense(rows, 1))
    pattern = ca.Sparsity.upper(form.size) if interior else ca.Sparsity.dense(form.size, form.size)

    class Curvature(ca.Callback):
        def __init__(self) -> None:
            ca.Callback.__init__(self)
            self.construct("optid_curvature", {})

        def get_n_in(self) -> int:
            return 4

        def get_n_out(self) -> int:
            return 1

        def get_sparsity_in(self, i: int) -> Any:
            return shapes[i]

        def get_sparsity_out(self, i: int) -> Any:
            return pattern

        def eval(self, arguments: Any) -> list[Any]:
            x, _, weight, multipliers = arguments
            second = form.hessian(np.asarray(x).ravel() * form.scales, float(weight), np.asarray(multipliers).ravel())
            second = second * np.outer(form.scales, form.scales)
            return [ca.project(ca.DM(second if interior else _convex(second)), pattern)]

    return Curvature()


def _convex(second: np.ndarray) -> np.ndarray:
    """The symmetric matrix with the magnitudes of its eigenvalues, none below a millionth of the largest."""
    if not np.isfinite(second).all():
        return second
    values, vectors = np.linalg.eigh(second)
    size = np.abs(values)
    return np.asarray((vectors * np.maximum(size, 1e-6 * size.max(initial=0.0))) @ vectors.T)


def _watcher(form: Nlp, run: Run, rows: int) -> Any:
    """CasADi callback that notes every iterate and asks the backend to end when ``run`` says so."""
    import casadi as ca

    sizes = {"x": form.size, "f": 1, "g": rows, "lam_x": form.size, "lam_g": rows, "lam_p": 0}

    class Watcher(ca.Callback):
        def __init__(self) -> None:
            ca.Callback.__init__(self)
            self.construct("optid_watch", {})

        def get_n_in(self) -> int:
            return int(ca.nlpsol_n_out())

        def get_n_out(self) -> int:
            return 1

        def get_name_in(self, i: int) -> str:
            return str(ca.nlpsol_out(i))

        def get_name_out(self, i: int) -> str:
            return "ret"

        def get_sparsity_in(self, i: int) -> Any:
            size = sizes.get(ca.nlpsol_out(i), 0)
            return ca.Sparsity.dense(size, 1) if size else ca.Sparsity(0, 0)

        def eval(self, arguments: Any) -> list[int]:
            x = np.asarray(arguments[0]).ravel() * form.scales
            violation = form.violation(x, np.asarray(arguments[2]).ravel())
            return [int(run.note(x, float(arguments[1]), violation))]

    return Watcher()
