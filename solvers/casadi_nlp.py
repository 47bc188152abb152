"""Shared by the solvers that CasADi's ``nlpsol`` interfaces: scaling, captured iterates, statuses."""

from __future__ import annotations

from collections.abc import Callable, Mapping
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


def steepness(slope: Any) -> float:
    """Largest entry of a gradient, at least 1: divided by it, an objective is as steep as the constraints, and absolute tolerances have a meaning."""
    largest = float(np.abs(np.asarray(slope)).max(initial=0.0))
    return largest if 1.0 < largest < np.inf else 1.0


def solve_nlp(plugin: str, options: Mapping[str, Any], form: Nlp, run: Run, *, convex: bool = False, scale: bool = False) -> Outcome:
    """Run one CasADi NLP plugin on the scaled problem and report what it says.

    Iterates reach ``run`` in the user's units. Exceptions of the backend become the status ``failed``. ``convex`` makes exact second derivatives convex here,
    for Hessians on which CasADi's own convexification gives up; ``scale`` divides the objective by its :func:`steepness` at the start, for backends that
    leave it as it is.
    """
    import casadi as ca

    symbol = type(form.x).sym("z", form.size)
    f, g = form.function(symbol * ca.DM(form.scales))
    rows = g.shape[0]
    own: dict[str, Any] = {}
    try:
        unit = steepness(ca.Function("slope", [symbol], [ca.gradient(f, symbol)])(run.x0 / form.scales)) if scale else 1.0
        f, watch = f / unit, _watcher(form, run, rows, unit)
        if form.advice.curvature and type(form).hessian is not Nlp.hessian:
            interior = plugin == "ipopt"  # it takes the upper triangle, and copes with negative curvature
            own = {"hess_lag": _curvature(_own_hessian(form, unit), form.size, rows, interior)}
        elif convex:
            own = {"hess_lag": _curvature(_exact_hessian(symbol, f, g), form.size, rows, interior=False)}
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
        "multipliers_x": unit * np.asarray(answer["lam_x"]).ravel() / form.scales,
        "multipliers_g": unit * np.asarray(answer["lam_g"]).ravel(),
        "iterations": int(stats.get("iter_count", 0)),
    }
    return Outcome(x, status, message, n_evaluations=evaluations, info=info)


def _short(error: Exception) -> str:
    """Last informative line of a CasADi error."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1] if lines else type(error).__name__


Hessian = Callable[[np.ndarray, float, np.ndarray], np.ndarray]
"""(scaled variables, weight of the objective, multipliers of the rows) → Hessian of the Lagrangian in scaled variables."""


def _own_hessian(form: Nlp, unit: float) -> Hessian:
    """The Hessian that a form computes itself, for its objective over ``unit``."""

    def second(z: np.ndarray, weight: float, multipliers: np.ndarray) -> np.ndarray:
        return np.asarray(form.hessian(z * form.scales, weight / unit, multipliers) * np.outer(form.scales, form.scales))

    return second


def _exact_hessian(z: Any, f: Any, g: Any) -> Hessian:
    """The Hessian of expressions in z."""
    import casadi as ca

    weight, multipliers = type(z).sym("weight"), type(z).sym("multipliers", g.shape[0])
    function = ca.Function("second", [z, weight, multipliers], [ca.densify(ca.hessian(weight * f + ca.dot(multipliers, g), z)[0])])
    return lambda *arguments: np.asarray(function(*arguments).full())


def _curvature(second: Hessian, size: int, rows: int, interior: bool) -> Any:
    """CasADi callback with a Hessian of the Lagrangian; made convex for methods that need it so."""
    import casadi as ca

    shapes = (ca.Sparsity.dense(size, 1), ca.Sparsity(0, 0), ca.Sparsity.dense(1, 1), ca.Sparsity.dense(rows, 1))
    pattern = ca.Sparsity.upper(size) if interior else ca.Sparsity.dense(size, size)

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
            found = second(np.asarray(x).ravel(), float(weight), np.asarray(multipliers).ravel())
            return [ca.project(ca.DM(found if interior else _convex(found)), pattern)]

    return Curvature()


def _convex(second: np.ndarray) -> np.ndarray:
    """The symmetric matrix with the magnitudes of its eigenvalues, none below a millionth of the largest, nor below 1e-7."""
    if not np.isfinite(second).all():
        return second
    values, vectors = np.linalg.eigh(second)
    size = np.abs(values)
    return np.asarray((vectors * np.maximum(size, max(1e-7, 1e-6 * size.max(initial=0.0)))) @ vectors.T)


def _watcher(form: Nlp, run: Run, rows: int, unit: float) -> Any:
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
            return [int(run.note(x, unit * float(arguments[1]), violation))]

    return Watcher()
