"""Gauss–Newton on measured residual vectors: slopes from the points already measured, noise cut by projection."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from optid.problems.forms import Residuals

from .base import Outcome
from .box import Box
from .options import check_options
from .run import Run

SMALL = 0.01
"""Part of the first residual vector below which what is left is not looked into any further."""

GAIN = 0.05
"""Part of the sum of squares that a step has to gain to be more than noise."""
UNCHANGED = 1e-12
"""Part of a vector by which it differs from another that is the same but for rounding."""


@dataclass(frozen=True)
class Secant:
    """Signal-based secant Gauss–Newton, for residuals that are measured on a machine, a few times.

    The start and one step along each variable are measured first (the other way, or half as far, where that fails). All measured vectors are projected on
    their leading singular directions (without this the noise in the slopes biases the step), an affine model r ≈ c + J (x − x_best) is fitted to them, the
    nearer points weighing more, and its Gauss–Newton step is measured next. The vector keeps the sign that its norm loses: a few runs are enough where the
    residual is nearly linear in x.

    Where the steps end although the best vector is still larger than what the projection leaves out of it, as noise does along a narrow valley, a noisy
    problem is measured one more step along the direction that the slopes determine least.

    Parameters
    ----------
    step : float
        First steps, in parts of the range of bounded variables, else of the scale.
    directions : int or None
        Singular directions kept; ``None`` for one a variable and one more, for what no variable takes away. Always one fewer than the vectors measured.
    max_step : float
        Longest step of an iteration along any variable, in parts as for ``step``.
    x_tolerance : float
        Ends when the step falls below this part.
    explorations : int
        Steps along the least determined direction, since the last improvement, after which a noisy search ends.
    patience : int
        Steps in a row, each without a gain of 5 % in the sum of squares, after which a noisy search ends: a machine on which the variables have no effect is
        not run on and on.
    max_iterations : int
        Steps after the first n + 1 evaluations.
    """

    step: float = 0.05
    directions: int | None = None
    max_step: float = 0.3
    x_tolerance: float = 1e-6
    explorations: int = 3
    patience: int = 4
    max_iterations: int = 20

    name: ClassVar[str] = "secant"
    accepts: ClassVar[tuple[type, ...]] = (Residuals,)
    features: ClassVar[frozenset[str]] = frozenset({"bounds", "integer", "noise", "unbounded"})
    search: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_options(self, "step", "directions", "max_step", "patience", "max_iterations")

    def run(self, form: Residuals, run: Run) -> Outcome:
        """Solve ``form``."""
        box = Box(form, run.x0)
        low, high = box.limits
        points: list[np.ndarray] = []
        vectors: list[np.ndarray] = []

        def ask(u: np.ndarray) -> bool:
            x = box.to_x(u)
            vector = run.residual(x)
            if vector is None:
                return False
            points.append(box.to_unit(x))
            vectors.append(vector)
            return True

        def known(u: np.ndarray) -> bool:
            return form.integer and any(np.array_equal(box.to_x(u), box.to_x(point)) for point in points)

        start = box.to_unit(run.x0)
        if not ask(start):
            return Outcome(None, "failed", "the residuals at the start are not finite numbers")
        if box.size == 0:
            return Outcome(None, "optimal", "all variables are fixed")
        first = np.maximum(self.step, box.step)
        for i in range(box.size):
            sign = 1.0 if start[i] + first[i] <= high[i] else -1.0
            for length in (sign, -sign, 0.5 * sign, -0.5 * sign):
                step = np.clip(start + length * first[i] * np.eye(box.size)[i], low, high)
                if not np.array_equal(step, start) and not known(step) and ask(step):
                    break
        if len(points) == 1:
            return Outcome(None, "failed", "the residuals around the start are not finite numbers")
        change = max(float(np.linalg.norm(vector - vectors[0])) for vector in vectors)
        if change <= UNCHANGED * float(np.linalg.norm(vectors[0])) and np.any(vectors[0]):
            return Outcome(None, "failed", "the residuals do not change with any variable: are the variables in use?")
        reach, fruitless, idle = self.max_step, 0, 0
        for _ in range(self.max_iterations):
            sizes = [float(vector @ vector) for vector in vectors]
            best = int(np.argmin(sizes))
            left, slopes = self._model(np.array(points), np.array(vectors), best)
            move = np.linalg.lstsq(slopes.T, -left, rcond=1e-6)[0]
            move *= min(1.0, reach / max(float(np.max(np.abs(move))), 1e-300))
            target = np.clip(points[best] + move, low, high)
            small = np.max(np.abs(target - points[best])) <= max(self.x_tolerance, 0.5 * float(np.max(box.step)))
            exploring = bool(small) or known(target)
            if exploring:
                message = "the step is below the tolerance" if small else "the step leads to a known point"
                explained = left @ left <= max(sizes[best] - left @ left, SMALL**2 * sizes[0])
                if not form.noisy or explained or fruitless >= self.explorations:
                    return Outcome(None, "optimal", message)
                weak = np.linalg.svd(slopes.T)[2][-1]
                weak = first * weak / np.max(np.abs(weak))
                sides = [np.clip(points[best] + length * weak, low, high) for length in (1.0, -1.0, 1.5, -1.5, 0.5, -0.5)]
                sides = [side for side in sides if not known(side)][:2]
                if not sides:
                    return Outcome(None, "optimal", message)
                target = min(sides, key=lambda side: float(np.linalg.norm(left + (side - points[best]) @ slopes)))
            size = float(vectors[-1] @ vectors[-1]) if ask(target) else np.inf
            better = size < sizes[best]
            fruitless = 0 if better else fruitless + exploring
            idle = 0 if size < (1 - GAIN) * sizes[best] else idle + 1
            if form.noisy and idle >= self.patience:
                return Outcome(None, "optimal", f"{idle} steps in a row gained less than {GAIN:.0%}")
            if exploring:
                reach = self.max_step
            elif not better:
                reach = 0.5 * min(reach, float(np.max(np.abs(target - points[best]))))
        return Outcome(None, "budget", "max_iterations reached")

    def _model(self, points: np.ndarray, vectors: np.ndarray, best: int) -> tuple[np.ndarray, np.ndarray]:
        """The best vector (m,), and slopes (d, m) of the affine model, of measured vectors (k, M) at ``points`` (k, d), in their leading directions."""
        keep = min(self.directions or points.shape[1] + 1, len(vectors) - 1, vectors.shape[1])
        basis = np.linalg.svd(vectors.T, full_matrices=False)[0][:, :keep]
        projected = vectors @ basis
        offsets = points - points[best]
        distances = np.linalg.norm(offsets, axis=1)
        near = np.sort(distances)[min(points.shape[1], len(points) - 1)]
        weights = 1.0 / (near**2 + distances**2)
        regressors = np.column_stack([np.ones(len(points)), offsets]) * weights[:, None]
        model = np.linalg.lstsq(regressors, projected * weights[:, None], rcond=1e-10)[0]
        return projected[best], model[1:]
