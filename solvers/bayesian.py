"""Bayesian search: a Gaussian process and the expected improvement, for few and dear evaluations."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from importlib import import_module
from typing import Any, ClassVar

import numpy as np

from optid.kernels.blas import one_thread
from optid.problems.forms import BlackBox

from .base import Outcome
from .box import Box
from .options import check_options
from .run import Run


@dataclass(frozen=True)
class Bayesian:
    """Gaussian process (Matérn 5/2, fitted noise) on the evaluated points; the next point maximises the expected improvement (Jones et al. 1998).

    Parameters
    ----------
    initial : int or None
        Points before the first model: ``x0`` and a Latin hypercube; ``None`` for 2 d + 1.
    candidates : int
        Points among which the expected improvement is maximised in each iteration; half of them near the best one.
    log_values : bool
        Model the logarithm when all values are positive: right for objectives that fall by orders of magnitude.
    explore : float
        Improvement asked for beyond the best value, in standard deviations of the values.
    max_evaluations : int
        Used without a ``budget``. The cost of the model grows with its cube.
    """

    initial: int | None = None
    candidates: int = 2000
    log_values: bool = True
    explore: float = 0.01
    max_evaluations: int = 50

    name: ClassVar[str] = "bayesian"
    accepts: ClassVar[tuple[type, ...]] = (BlackBox,)
    features: ClassVar[frozenset[str]] = frozenset({"bounds", "linear", "nonlinear", "integer", "noise"})
    search: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_options(self, "initial", "candidates", "max_evaluations")

    def run(self, form: BlackBox, run: Run) -> Outcome:
        """Solve ``form``; ends through the budget, or when every whole-number point is known."""
        run.limit(self.max_evaluations)
        box = Box(form, run.x0)
        points: list[np.ndarray] = []
        values: list[float] = []

        def ask(u: np.ndarray) -> None:
            x = box.to_x(u)
            value, violation = run.evaluate(x)
            if not violation > 0:
                points.append(box.to_unit(x))
                values.append(value)

        ask(box.to_unit(run.x0))
        if box.size == 0:
            return Outcome(None, "optimal", "all variables are fixed")
        for u in _latin_hypercube((self.initial or 2 * box.size + 1) - 1, box.size, run.rng):
            ask(u)
        surrogate = _Surrogate(self)
        while True:
            drawn = self._candidates(form, box, run, points, values)
            if not len(drawn):
                return Outcome(None, "optimal", "every allowed point drawn is known")
            finite = np.isfinite(values)
            order = np.arange(len(drawn)) if finite.sum() < 2 else np.argsort(-surrogate.improvement(np.array(points), np.array(values), drawn), kind="stable")
            allowed = (drawn[i] for i in order if form.implicit(box.to_x(drawn[i])) <= 0)
            ask(next(allowed, drawn[order[0]]))

    def _candidates(self, form: BlackBox, box: Box, run: Run, points: list[np.ndarray], values: list[float]) -> np.ndarray:
        """Points (c, d), unknown ones on whole numbers: uniform over the box, and around the best point at shrinking distances."""
        half = max(1, self.candidates // 2)
        uniform = run.rng.random((half, box.size))
        centre = points[int(np.argmin(values))] if points else box.to_unit(run.x0)
        near = np.clip(centre + run.rng.standard_normal((half, box.size)) * 10.0 ** run.rng.uniform(-3, -0.5, (half, 1)), 0.0, 1.0)
        drawn = np.vstack([uniform, near])
        if form.integer:
            whole = np.unique([box.to_x(u) for u in drawn], axis=0)
            drawn = np.array([box.to_unit(x) for x in whole if tuple(map(float, x)) not in run.known]).reshape(-1, box.size)
        return drawn


class _Surrogate:
    """The Gaussian process; its hyperparameters are fitted anew whenever the data have grown by a sixth."""

    def __init__(self, solver: Bayesian) -> None:
        self.solver = solver
        self.kernel: Any = None
        self.refit_at = 0.0

    @one_thread()
    def improvement(self, points: np.ndarray, values: np.ndarray, drawn: np.ndarray) -> np.ndarray:
        """Expected improvement (c,) at the candidates; failed evaluations count as the worst value seen."""
        from scipy.special import ndtr

        finite = np.isfinite(values)
        values = np.where(finite, values, values[finite].max())
        if self.solver.log_values and np.all(values > 0):
            values = np.log(values)
        scaled = (values - values.mean()) / (float(values.std()) or 1.0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            process = self._process(len(points), points.shape[1]).fit(points, scaled)
            mean, sigma = process.predict(drawn, return_std=True)
        self.kernel = process.kernel_
        sigma = np.maximum(sigma, 1e-12)
        gain = float(scaled.min()) - self.solver.explore - mean
        z = gain / sigma
        return np.asarray(gain * ndtr(z) + sigma * np.exp(-0.5 * z**2) / math.sqrt(2 * math.pi))

    def _process(self, count: int, size: int) -> Any:
        gp: Any = import_module("sklearn.gaussian_process")
        if self.kernel is not None and count < self.refit_at:
            return gp.GaussianProcessRegressor(self.kernel, alpha=1e-10, optimizer=None)
        self.refit_at = count * 7 / 6
        kernels = gp.kernels
        kernel = kernels.ConstantKernel(1.0, (1e-2, 1e2)) * kernels.Matern(np.full(size, 0.3), (0.03, 10.0), nu=2.5) + kernels.WhiteKernel(1e-3, (1e-8, 1.0))
        return gp.GaussianProcessRegressor(kernel, alpha=1e-10)


def _latin_hypercube(count: int, size: int, rng: np.random.Generator) -> np.ndarray:
    """Points (count, size) with one in each of ``count`` slices of every coordinate."""
    if count <= 0:
        return np.zeros((0, size))
    slices = np.array([rng.permutation(count) for _ in range(size)]).T
    return (slices + rng.random((count, size))) / count
