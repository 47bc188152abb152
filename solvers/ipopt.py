"""Interior-point solver for smooth problems with exact derivatives (the one CasADi brings along)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from optid.problems.forms import Nlp

from .base import Outcome
from .casadi_nlp import solve_nlp
from .run import Run


@dataclass(frozen=True)
class Ipopt:
    """Interior-point method (Wächter & Biegler 2006) through CasADi.

    Parameters
    ----------
    tolerance : float or None
        Scaled optimality error; what the problem advises, else 1e-8, when None.
    constraint_tolerance : float
        Largest constraint violation [unit of the constraint].
    max_iterations : int
        ``budget`` lowers it further.
    max_time : float or None
        [s] of wall time.
    hessian : "auto", "exact" or "limited-memory"
        Exact second derivatives, or a quasi-Newton approximation where they cost too much; "auto" does what the problem advises.
    linear_solver : str
    warm_multipliers : bool
        Start with a small barrier, for starts that are nearly optimal.
    expand : bool
        Turn an MX graph into scalar operations first; faster for small problems.
    more : mapping
        Further options of the backend, by the backend's own names.
    """

    tolerance: float | None = None
    constraint_tolerance: float = 1e-8
    max_iterations: int = 3000
    max_time: float | None = None
    hessian: str = "auto"
    linear_solver: str = "mumps"
    warm_multipliers: bool = False
    expand: bool = False
    more: Mapping[str, Any] = field(default_factory=dict)

    name: ClassVar[str] = "ipopt"
    accepts: ClassVar[tuple[type, ...]] = (Nlp,)
    features: ClassVar[frozenset[str]] = frozenset({"bounds", "linear", "equality", "nonlinear"})
    search: ClassVar[bool] = False

    def run(self, form: Nlp, run: Run) -> Outcome:
        """Solve ``form``."""
        iterations = self.max_iterations if run.budget is None else min(self.max_iterations, run.budget)
        tolerance = self.tolerance or form.advice.tolerance or 1e-8
        exact = self.hessian == "exact" or (self.hessian == "auto" and form.advice.curvature)
        backend: dict[str, Any] = {
            "print_level": 0,
            "sb": "yes",
            "tol": tolerance,
            "constr_viol_tol": self.constraint_tolerance,
            "bound_relax_factor": 0.0,
            "max_iter": iterations,
            "hessian_approximation": "exact" if exact else "limited-memory",
            "linear_solver": self.linear_solver,
        }
        if self.max_time is not None:
            backend["max_wall_time"] = float(self.max_time)
        if not exact:
            backend |= {"limited_memory_max_history": 20, "limited_memory_aug_solver": "extended"}
        if self.warm_multipliers:
            backend |= {"mu_init": 1e-6, "warm_start_init_point": "yes"}
        elif form.advice.warm:
            backend |= {"mu_init": 1e-3, "warm_start_init_point": "yes"}
        backend |= dict(self.more)
        options = {"print_time": False, "expand": self.expand, "show_eval_warnings": False, "ipopt": backend}
        return solve_nlp("ipopt", options, form, run)
