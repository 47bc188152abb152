"""Model-predictive control as a running controller."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from optid.errors import SolveError, sentence
from optid.model.arguments import instance, whole
from optid.problems.predictive_control import Plan, PredictiveModel

from .reference import Reference

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Predictive:
    """A controller that solves :class:`optid.problems.PredictiveControl` at every sample and applies the first torque.

    Parameters
    ----------
    predictive : PredictiveModel
        Its period is the controller's.
    iterations : int
        Most steps of the sequential quadratic programming at a sample.

    Notes
    -----
    The program is built once, with state and wanted motion as parameters, and each sample starts from the plan of the last one. A sample whose problem is not
    solved (torque limits that cannot be kept) applies the torques of the last iterate, limited; the simulation's ``unsolved`` counts them.

    Examples
    --------
    >>> from optid import DynamicModel, library
    >>> from optid.control import Predictive
    >>> from optid.problems import PredictiveModel
    >>> Predictive(PredictiveModel(DynamicModel(library.planar_2r(), "none"), horizon=5)).iterations
    10
    """

    predictive: PredictiveModel
    iterations: int = 10

    def __post_init__(self) -> None:
        instance(self.predictive, PredictiveModel, "model of a predictive controller", "Make one: PredictiveModel(model).")
        whole(self.iterations, "iterations of a predictive controller", 1, "a whole number, 1 or more")

    @cached_property
    def _solver(self) -> tuple[Any, bool]:
        a, p, cost, tau = self.predictive.expressions
        limit = self.predictive.limit
        bound = np.flatnonzero(np.isfinite(limit)).tolist()
        if not bound:
            # a convex quadratic cost without constraints: one linear system, the same at every sample
            H, g, _ = ca.quadratic_coeff(cost, a)
            solve = ca.Function("step", [p], [-ca.solve(ca.densify(H), g)])
            return solve, False
        nlp = {"x": a, "p": p, "f": cost, "g": tau[bound] / ca.DM(limit[bound])}
        # the cost's own Hessian: convex, and what torque limits bend is small over a period
        weight, multipliers = ca.SX.sym("weight"), ca.SX.sym("multipliers", len(bound))
        options: Any = {
            "hess_lag": ca.Function("hess_lag", [a, p, weight, multipliers], [weight * ca.hessian(cost, a)[0]]),
            "print_time": False,
            "print_header": False,
            "print_iteration": False,
            "print_status": False,
            "max_iter": self.iterations,
            "tol_pr": 1e-8,
            "tol_du": 1e-4,
            "error_on_fail": False,
            "qpsol": "daqp",
            "qpsol_options": {"print_time": False, "error_on_fail": False},
        }
        return ca.nlpsol("predictive", "sqpmethod", nlp, options), True

    def solve(self, p: Array, start: Array) -> tuple[Array, bool]:
        """Accelerations (H n,) for parameters p, and whether the problem was solved."""
        solver, constrained = self._solver
        if not constrained:
            return np.asarray(solver(p)).ravel(), True
        answer = solver(x0=start, p=p, lbg=-1.0, ubg=1.0)
        return np.asarray(answer["x"]).ravel(), bool(solver.stats()["success"])

    def start(self, reference: Reference, period: float) -> PredictiveProgram:
        """The controller as a program; ``period`` [s] must be that of the predictive model."""
        return PredictiveProgram(self, reference, period)


class PredictiveProgram:
    """A predictive controller that runs."""

    def __init__(self, controller: Predictive, reference: Reference, period: float) -> None:
        predictive = controller.predictive
        if abs(period - predictive.period) > 1e-12 * period:
            raise SolveError(sentence("period of a predictive controller", f"{period} s", f"{predictive.period} s, that of its model"))
        self.controller, self.reference, self.predictive = controller, reference, predictive
        self.unsolved = 0
        self.plan: Plan | None = None
        self._last: Array | None = None

    def command(self, k: int, q: Array, dq: Array) -> Array:
        """Torques (n,) at sample k."""
        predictive = self.predictive
        n, H, T = predictive.model.n, predictive.horizon, predictive.period
        ends = self.reference.target((k + 1 + np.arange(H)) * T)
        now = self.reference.target((k + np.arange(H)) * T)
        # over a period that turns a speed into the next one the wanted acceleration is their difference, whatever made the speeds
        p = predictive.parameters(q, dq, (ends.q, ends.dq, (ends.dq - now.dq) / T))
        start = predictive.start(p) if self._last is None else np.concatenate([self._last[n:], self._last[-n:]])
        a, solved = self.controller.solve(p, start)
        self.unsolved += not solved
        self._last = a
        self.plan = predictive.plan(a, p)
        limit = np.asarray(predictive.torque)
        return np.clip(self.plan.tau[0], -limit, limit)
