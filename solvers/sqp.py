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
    tolerance : float
        On the primal and dual infeasibility of the scaled problem.
    max_iterations : int
        ``budget`` lowers it further.
    hessian : "exact" or "limited-memory"
        Exact second derivatives, made convex, or a BFGS approximation.
    max_step : int
        Line-search halvings.
    more : mapping
        Further options of the backend, by the backend's own names.
    """

    tolerance: float = 1e-8
    max_iterations: int = 500
    hessian: str = "exact"
    max_halvings: int = 10
    more: Mapping[str, Any] = field(default_factory=dict)

    name: ClassVar[str] = "sqp"
    accepts: ClassVar[tuple[type, ...]] = (Nlp,)
    features: ClassVar[frozenset[str]] = frozenset({"bounds", "linear", "equality", "nonlinear"})
    search: ClassVar[bool] = False

    def run(self, form: Nlp, run: Run) -> Outcome:
        """Solve ``form``."""
        options: dict[str, Any] = {
            "print_time": False,
            "print_header": False,
            "print_iteration": False,
            "print_status": False,
            "show_eval_warnings": False,
            "max_iter": self.max_iterations if run.budget is None else min(self.max_iterations, run.budget),
            "max_iter_ls": self.max_halvings,
            "tol_du": self.tolerance,
            "tol_pr": self.tolerance,
            "hessian_approximation": self.hessian,
            "qpsol": "qrqp",
            "qpsol_options": {"print_iter": False, "print_header": False, "print_info": False, "error_on_fail": False},
        }
        if self.hessian == "exact":
            options["convexify_strategy"] = "eigen-reflect"
        return solve_nlp("sqpmethod", {**options, **dict(self.more)}, form, run)
