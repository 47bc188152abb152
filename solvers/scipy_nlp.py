"""SciPy's constrained solvers on exact derivatives from CasADi."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from optid.problems.forms import Nlp

from .base import Outcome
from .casadi_nlp import steepness
from .run import Run

STUCK = 8
"""SciPy's number of the end at which no step along the search direction improves anything."""


class _Scaled:
    """Objective, constraints and derivatives in z = x / scale; every new point is noted in the run."""

    def __init__(self, form: Nlp, run: Run) -> None:
        import casadi as ca

        self.form, self.run = form, run
        symbol = type(form.x).sym("z", form.size)
        f, g = form.function(symbol * ca.DM(form.scales))
        self._value = ca.Function("value", [symbol], [f, g])
        self._slope = ca.Function("slope", [symbol], [ca.gradient(f, symbol), ca.jacobian(g, symbol)])
        self._seen: dict[bytes, tuple[float, np.ndarray]] = {}

    def values(self, z: np.ndarray) -> tuple[float, np.ndarray]:
        key = np.asarray(z, dtype=float).tobytes()
        if key not in self._seen:
            self.run.ready()
            f, g = self._value(z)
            value, rows = float(f), np.asarray(g).ravel()
            self._seen = {key: (value, rows)}
            x = z * self.form.scales
            if not (np.isfinite(value) and np.all(np.isfinite(rows))):
                self.run.note(x, np.nan, np.nan)
                raise FloatingPointError("the objective or a constraint is not a finite number")
            self.run.record(x, value, self.form.violation(x, rows))
        return self._seen[key]

    def gradient(self, z: np.ndarray) -> np.ndarray:
        return self._finite(np.asarray(self._slope(z)[0]).ravel())

    def jacobian(self, z: np.ndarray) -> np.ndarray:
        return self._finite(np.asarray(self._slope(z)[1].full()))

    def hessian(self, z: np.ndarray) -> np.ndarray:
        return self._second(z, 1.0, np.zeros(self.form.g.shape[0]))

    def rows_hessian(self, z: np.ndarray, weights: np.ndarray) -> np.ndarray:
        return self._second(z, 0.0, weights)

    def _second(self, z: np.ndarray, weight: float, multipliers: np.ndarray) -> np.ndarray:
        scales = self.form.scales
        return self._finite(self.form.hessian(z * scales, weight, multipliers) * np.outer(scales, scales))

    @staticmethod
    def _finite(values: np.ndarray) -> np.ndarray:
        if not np.all(np.isfinite(values)):
            raise FloatingPointError("a derivative is not a finite number")
        return values

    def minimise(self, method: str, start: np.ndarray, constraints: Any, options: dict[str, Any], unit: float = 1.0, **more: Any) -> Any:
        """Call SciPy with the objective over ``unit``; returns its result, or the outcome of a point that is not a number."""
        from scipy import optimize

        minimize: Any = optimize.minimize
        form = self.form
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return minimize(
                    lambda z: self.values(z)[0] / unit,
                    start,
                    jac=lambda z: self.gradient(z) / unit,
                    bounds=optimize.Bounds(form.lbx / form.scales, form.ubx / form.scales, keep_feasible=(method == "trust-constr") & (form.lbx < form.ubx)),
                    constraints=constraints,
                    method=method,
                    options=options,
                    **more,
                )
        except FloatingPointError as error:
            return Outcome(None, "failed", str(error))


@dataclass(frozen=True)
class Slsqp:
    """Sequential least-squares programming (Kraft 1988), for small dense problems.

    Parameters
    ----------
    tolerance : float
        On the change of the objective.
    max_iterations : int
    """

    tolerance: float = 1e-10
    max_iterations: int = 500

    name: ClassVar[str] = "slsqp"
    accepts: ClassVar[tuple[type, ...]] = (Nlp,)
    features: ClassVar[frozenset[str]] = frozenset({"bounds", "linear", "equality", "nonlinear"})
    search: ClassVar[bool] = False

    def run(self, form: Nlp, run: Run) -> Outcome:
        """Solve ``form``; the budget counts evaluations."""
        problem = _Scaled(form, run)
        if np.all(form.lbx == form.ubx):
            problem.values(form.lbx / form.scales)
            return Outcome(form.lbx, "optimal", "all variables are fixed")
        equal = form.lbg == form.ubg
        low, high = np.isfinite(form.lbg) & ~equal, np.isfinite(form.ubg) & ~equal
        constraints = []
        if equal.any():
            constraints.append({"type": "eq", "fun": lambda z: problem.values(z)[1][equal] - form.lbg[equal], "jac": lambda z: problem.jacobian(z)[equal]})
        if low.any() or high.any():
            constraints.append(
                {
                    "type": "ineq",
                    "fun": lambda z: np.concatenate([problem.values(z)[1][low] - form.lbg[low], form.ubg[high] - problem.values(z)[1][high]]),
                    "jac": lambda z: np.vstack([problem.jacobian(z)[low], -problem.jacobian(z)[high]]),
                }
            )
        z = run.x0 / form.scales
        unit = steepness(problem._slope(z)[0])
        for tolerance in self.tolerance * np.array([1.0, 1e2, 1e4]):
            found = problem.minimise("SLSQP", z, constraints, {"ftol": tolerance, "maxiter": self.max_iterations}, unit=unit)
            if isinstance(found, Outcome):
                return found
            if found.status != STUCK:
                break
            # the tolerance is absolute, and rounding hides what is left to gain: again from there, in units of what was reached
            z, unit = found.x, max(1.0, abs(problem.values(found.x)[0]))
        status = {0: "optimal", 4: "infeasible", 9: "budget"}.get(int(found.status), "failed")
        x = np.clip(np.asarray(found.x) * form.scales, form.lbx, form.ubx)
        return Outcome(x, status, str(found.message))  # type: ignore[arg-type]


@dataclass(frozen=True)
class TrustConstr:
    """Trust-region interior point (Byrd, Hribar & Nocedal 1999) with exact second derivatives.

    SciPy ends as soon as the Lagrangian is stationary, however large the barrier still is; so it is called again from its answer with smaller and smaller
    barriers.

    Parameters
    ----------
    tolerance : float
        On the gradient of the Lagrangian and on the trust radius.
    barrier_tolerance : float
    max_iterations : int
    """

    tolerance: float = 1e-8
    barrier_tolerance: float = 1e-8
    max_iterations: int = 2000

    name: ClassVar[str] = "trust_constr"
    accepts: ClassVar[tuple[type, ...]] = (Nlp,)
    features: ClassVar[frozenset[str]] = frozenset({"bounds", "linear", "equality", "nonlinear"})
    search: ClassVar[bool] = False

    def run(self, form: Nlp, run: Run) -> Outcome:
        """Solve ``form``; the budget counts evaluations."""
        from scipy import optimize

        constraint: Any = optimize.NonlinearConstraint
        problem = _Scaled(form, run)
        constraints = []
        if form.g.shape[0]:
            second = problem.rows_hessian if form.advice.curvature else optimize.BFGS()
            constraints.append(constraint(lambda z: problem.values(z)[1], form.lbg, form.ubg, jac=problem.jacobian, hess=second))
        options = {"gtol": self.tolerance, "xtol": self.tolerance**1.25, "barrier_tol": self.barrier_tolerance, "maxiter": self.max_iterations}
        start = _inside(run.x0, form) / form.scales
        for barrier in (0.1, 1e-3, 1e-5, self.barrier_tolerance):
            options |= {"initial_barrier_parameter": barrier, "initial_barrier_tolerance": barrier}
            found = problem.minimise("trust-constr", start, constraints, options, hess=problem.hessian if form.advice.curvature else optimize.BFGS())
            if isinstance(found, Outcome):
                return found
            start = _inside(np.asarray(found.x) * form.scales, form, barrier) / form.scales
        x = np.clip(np.asarray(found.x) * form.scales, form.lbx, form.ubx)
        message = str(found.message)
        return Outcome(x, "optimal" if found.status in (1, 2) else "budget", message)


def _inside(x: np.ndarray, form: Nlp, part: float = 1e-2) -> np.ndarray:
    """``x`` moved off its bounds: a barrier method that starts on one takes it for an optimum."""
    gap = np.minimum(part * form.scales, 0.1 * (form.ubx - form.lbx))
    return np.clip(x, form.lbx + gap, form.ubx - gap)
