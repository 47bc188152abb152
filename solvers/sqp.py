"""Sequential quadratic programming for smooth problems (CasADi's own)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from optid.problems.forms import Nlp

from .base import Outcome
from .casadi_nlp import solve_nlp
from .run import Run


@dataclass(frozen=True)
class Sqp:
    """Line-search sequential quadratic programming with an active-set subproblem.

    Parameters
    ----------
    tolerance : float or None
        On the primal and dual infeasibility of the scaled problem; what the problem advises, else 1e-8, when None.
    max_iterations : int
        ``budget`` lowers it further.
    hessian : "auto", "exact" or "limited-memory"
        Exact second derivatives, made convex, or a BFGS approximation; "auto" does what the problem advises.
    max_halvings : int
        Line-search halvings.
    second_order_corrections : bool
        Correct steps that curved constraints would make the line search refuse.
    subproblem : str
        Quadratic solver of CasADi; "auto" is "daqp" where CasADi brings it, else "qrqp".
    more : mapping
        Further options of the backend, by the backend's own names.
    """

    tolerance: float | None = None
    max_iterations: int = 500
    hessian: str = "auto"
    max_halvings: int = 10
    second_order_corrections: bool = True
    subproblem: str = "auto"
    more: Mapping[str, Any] = field(default_factory=dict)

    name: ClassVar[str] = "sqp"
    accepts: ClassVar[tuple[type, ...]] = (Nlp,)
    features: ClassVar[frozenset[str]] = frozenset({"bounds", "linear", "equality", "nonlinear"})
    search: ClassVar[bool] = False

    def run(self, form: Nlp, run: Run) -> Outcome:
        """Solve ``form``."""
        import casadi as ca

        quadratic = self.subproblem if self.subproblem != "auto" else ("daqp" if ca.has_conic("daqp") else "qrqp")
        silent = {"print_iter": False, "print_header": False, "print_info": False} if quadratic == "qrqp" else {}
        tolerance = self.tolerance or form.advice.tolerance or 1e-8
        exact = self.hessian == "exact" or (self.hessian == "auto" and form.advice.curvature)
        options: dict[str, Any] = {
            "print_time": False,
            "print_header": False,
            "print_iteration": False,
            "print_status": False,
            "show_eval_warnings": False,
            "max_iter": self.max_iterations if run.budget is None else min(self.max_iterations, run.budget),
            "max_iter_ls": self.max_halvings,
            "tol_du": tolerance,
            "tol_pr": tolerance,
            "hessian_approximation": "exact" if exact else "limited-memory",
            "second_order_corrections": self.second_order_corrections,
            "qpsol": quadratic,
            "qpsol_options": {**silent, "error_on_fail": False},
        }
        if exact:
            options["convexify_strategy"] = "eigen-reflect"
        outcome = solve_nlp("sqpmethod", {**options, **dict(self.more)}, form, run, scale=True)
        if exact and outcome.status == "failed" and outcome.x is None and "convexify_strategy" not in self.more:
            # CasADi's eigenvalues of the Hessian did not converge, and it fell over its own message
            return solve_nlp("sqpmethod", {**options, **dict(self.more), "convexify_strategy": "none"}, form, run, convex=True, scale=True)
        return outcome
