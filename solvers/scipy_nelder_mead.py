"""Nelder–Mead simplex (SciPy) in the unit box."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from optid.problems.forms import BlackBox

from .base import Outcome
from .box import Box
from .options import check_options
from .run import Run


@dataclass(frozen=True)
class NelderMead:
    """Nelder–Mead simplex with adaptive coefficients and restarts.

    Parameters
    ----------
    step : float
        Edge of the first simplex, in parts of the box (of the scale, for variables without bounds). Each edge points away from the nearer bound, so that
        a start on a bound or in a corner keeps a full simplex.
    x_tolerance, f_tolerance : float
        The simplex has met when it is smaller than both.
    restarts : int
        New simplices at the best point after the old one has met; a restart that brings nothing ends the search.
    max_evaluations : int
        Used without a ``budget``.
    """

    step: float = 0.1
    x_tolerance: float = 1e-6
    f_tolerance: float = 1e-10
    restarts: int = 5
    max_evaluations: int = 1000

    name: ClassVar[str] = "nelder_mead"
    accepts: ClassVar[tuple[type, ...]] = (BlackBox,)
    features: ClassVar[frozenset[str]] = frozenset({"bounds", "linear", "nonlinear", "integer", "noise", "unbounded"})
    search: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_options(self, "step", "max_evaluations")

    def run(self, form: BlackBox, run: Run) -> Outcome:
        """Solve ``form``."""
        from scipy import optimize

        minimize: Any = optimize.minimize

        run.limit(self.max_evaluations)
        box = Box(form, run.x0)
        run.evaluate(run.x0)
        if box.size == 0:
            return Outcome(None, "optimal", "all variables are fixed")
        low, high = box.limits
        start, value, message = box.to_unit(run.x0), np.inf, ""
        for restart in range(self.restarts + 1):
            # a rounded objective is flat below one step: the simplex has met when it is that small
            size = self.x_tolerance if not form.integer else 0.4 * float(box.step.min())
            edge = np.maximum(self.step * 0.5**restart, 1.5 * box.step)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found = minimize(
                    lambda u: run.penalised(box.to_x(u)),
                    start,
                    method="Nelder-Mead",
                    bounds=[(None if np.isinf(a) else a, None if np.isinf(b) else b) for a, b in zip(low, high, strict=True)],
                    options={
                        "initial_simplex": _simplex(start, edge, low, high),
                        "xatol": size,
                        "fatol": np.inf if form.integer else self.f_tolerance,
                        "adaptive": box.size > 2,
                        "maxfev": 10**9,
                        "maxiter": 10**9,
                    },
                )
            message = str(found.message)
            gain = value - found.fun
            start, value = np.clip(found.x, low, high), float(found.fun)
            if gain <= self.f_tolerance + 1e-6 * abs(value):
                break
        return Outcome(None, "optimal", message)


def _simplex(start: np.ndarray, edge: np.ndarray | float, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Vertices (d + 1, d): the start and one step along every axis, away from the nearer bound."""
    steps = np.broadcast_to(edge, start.shape)
    sign = np.where(start + steps <= high, 1.0, -1.0)
    vertices = np.vstack([start, start + np.diag(sign * steps)])
    return np.clip(vertices, low, high)
