"""The Complex method: Box's constrained simplex with Guin's safeguards, and its randomised, forgetting form (Complex-RF)."""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from optid.problems.forms import BlackBox

from .base import Outcome
from .box import Box
from .complex_points import Admission, fresh_neighbour, neighbours
from .options import check_options
from .run import Run, StopSearch

ONE_COMPLEX = 500
"""Evaluations one complex is meant to need."""


def forgetting_factor(reflection: float, forgetting: float, points: int) -> float:
    """k_f = 1 − (α/2)^(γ/k), the share of the spread by which stored values age in an iteration (Krus & Andersson 2003)."""
    return 1.0 - (reflection / 2.0) ** (forgetting / points)


@dataclass(frozen=True)
class ComplexBox:
    """Complex method of Box (1965) with the safeguards of Guin (1968), randomisation and forgetting of Krus & Andersson (2003).

    The worst of k points is reflected through the centroid of the others; while it stays the worst it retreats to the centroid and, more and more, to the
    best point. Randomisation adds noise in proportion to the spread of the points, forgetting lets old values age, against noise and plateaus; the best
    measured point is kept apart and returned.

    Parameters
    ----------
    points : int or None
        k; ``None`` for 2 n (3 when n = 1). At least n + 1.
    reflection : float
        α.
    randomness : float or None
        r_fac; ``None`` for 0.3, or 0 when there are implicit constraints: noise loses optima that lie on them.
    forgetting : float or None
        γ; ``None`` as for ``randomness``.
    retreat : float
        b: retraction i moves towards the best point with weight 1 − exp(−i/b).
    max_retractions : int
    x_tolerance : float
        The search ends when the points spread over less than this part of the first complex in every coordinate (one step, on integers).
    f_tolerance : float
        Or when their values differ by less than this part of the best one (of 1 when that is 0).
    restarts : int or None
        Complexes drawn anew, with the best point among them, after the points have met; a restart that brings nothing ends the search. ``None`` for as many
        as the budget allows when there are implicit constraints (a complex that flattens against one stops short of the optimum), and otherwise only
        while at least 500 evaluations are left.
    max_evaluations : int or None
        Used without a ``budget``; ``None`` for 500, or 2000 with implicit constraints.

    Notes
    -----
    The first point is ``x0`` when the problem has one. Points outside the bounds are put on them; points that violate an implicit constraint are not
    evaluated (and not counted) but moved half-way to the centroid, then to the best point; a centroid that violates one discards the complex, which is
    drawn anew between centroid and best point. Without a feasible start the violation is minimised first.

    On integers a known point costs no evaluation; a point that equals a member of the complex moves to a new neighbour, a search that only meets known
    points starts again around the best one, and the end is reached when the best point beats its neighbours.
    """

    points: int | None = None
    reflection: float = 1.3
    randomness: float | None = None
    forgetting: float | None = None
    retreat: float = 4.0
    max_retractions: int = 30
    x_tolerance: float = 1e-4
    f_tolerance: float = 1e-5
    restarts: int | None = None
    max_evaluations: int | None = None

    name: ClassVar[str] = "complex_box"
    accepts: ClassVar[tuple[type, ...]] = (BlackBox,)
    features: ClassVar[frozenset[str]] = frozenset({"bounds", "linear", "nonlinear", "integer", "noise"})
    search: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_options(self, "points", "reflection", "retreat", "max_evaluations")

    def run(self, form: BlackBox, run: Run) -> Outcome:
        """Solve ``form``."""
        run.limit(self.max_evaluations or (ONE_COMPLEX if form.violation is None else 4 * ONE_COMPLEX))
        box = Box(form, run.x0)
        if box.size == 0:
            run.evaluate(run.x0)
            return Outcome(None, "optimal", "all variables are fixed")
        start = self._feasible_start(form, run, box)
        if start is None:
            return Outcome(None, "infeasible", "no point without a violation of the implicit constraints was found")
        return _Search(self, form, run, box, start).minimise()

    def _feasible_start(self, form: BlackBox, run: Run, box: Box) -> np.ndarray | None:
        """``x0``, or a point found by minimising the violation, in box coordinates."""
        if form.violation is None:
            return box.to_unit(run.x0)
        if form.implicit(form.snap(run.x0)) <= 0:
            return box.to_unit(form.snap(run.x0))
        found: list[np.ndarray] = []

        def amount(x: np.ndarray) -> float:
            violation = form.implicit(x)
            if violation <= 0:
                found.append(x)
            return violation

        for _ in range(10):
            helper = Run(replace(form, fun=amount, violation=None), run.x0, run.rng, 1000, lambda iterate: bool(found), memory=run.memory)
            with suppress(StopSearch):
                replace(self, randomness=0.3, forgetting=0.3).run(helper.form, helper)  # type: ignore[arg-type]
            if found:
                return box.to_unit(found[0])
            if helper.best is not None:
                run.note(np.array(helper.best.x), math.nan, helper.best.fun)
        return None


class _Search:
    """State of one search, in box coordinates."""

    def __init__(self, solver: ComplexBox, form: BlackBox, run: Run, box: Box, start: np.ndarray) -> None:
        self.solver, self.run, self.box, self.form = solver, run, box, form
        self.k = max(solver.points or (3 if box.size == 1 else 2 * box.size), box.size + 1)
        quiet = form.violation is not None
        self.noise = (0.0 if quiet else 0.3) if solver.randomness is None else solver.randomness
        gamma = (0.0 if quiet else 0.3) if solver.forgetting is None else solver.forgetting
        self.ageing = forgetting_factor(solver.reflection, gamma, self.k)
        self.admission = Admission(form, box)
        self.best, self.best_value = start, math.inf
        self.x = np.zeros((0, box.size))
        self.f = np.zeros(0)
        self.populate(np.zeros(box.size), np.ones(box.size), first=start if form.x0 is not None or form.violation is not None else None)
        self.extent = float(np.max(np.ptp(self.x, axis=0))) if quiet else 1.0
        self.restarts_left = math.inf if solver.restarts is None else solver.restarts
        self.reserve = ONE_COMPLEX if solver.restarts is None and not quiet else 0
        self.met_at = math.inf

    def value(self, u: np.ndarray) -> tuple[np.ndarray, float]:
        """Evaluate; return the point that was evaluated and its value."""
        x = self.box.to_x(u)
        fun, _ = self.run.evaluate(x)
        u = self.box.to_unit(x)
        if fun < self.best_value:
            self.best, self.best_value = u, fun
        return u, fun

    def populate(self, low: np.ndarray, high: np.ndarray, first: np.ndarray | None) -> None:
        """Draw a complex between ``low`` and ``high``, around ``first`` when given."""
        self.x, self.f = np.zeros((0, self.box.size)), np.zeros(0)
        for i in range(self.k):
            u = first if i == 0 and first is not None else self.admission.draw(low, high, self.run.rng)
            centre = self.x.mean(axis=0) if len(self.x) else u
            u = self.admission.admit(u, centre, self.best)
            u, fun = self.value(self.distinct(u))
            self.x, self.f = np.vstack([self.x, u]), np.append(self.f, fun)

    def distinct(self, u: np.ndarray) -> np.ndarray:
        """On integers: a new neighbour when ``u`` equals a member of the complex."""
        if not self.form.integer or not len(self.x):
            return u
        x = self.box.to_x(u)
        if not np.any(np.all(np.abs(self.x - self.box.to_unit(x)) < 0.5 * self.box.step, axis=1)):
            return u
        other = fresh_neighbour(self.form, self.box, x, self.run)
        return u if other is None else self.box.to_unit(other)

    def minimise(self) -> Outcome:
        """Iterate until the points or their values agree."""
        while True:
            message = self.converged()
            if message and not (self.improved_by_neighbour() or self.restarted()):
                return Outcome(None, "optimal", message)
            repeats = self.run.n_repeats
            self.iterate()
            if repeats and self.run.n_repeats > 4 * self.k and not self.restart_around_best():
                return Outcome(None, "optimal", "every point near the best one is known")

    def converged(self) -> str:
        """Why the search is over; empty while it goes on."""
        spread = np.ptp(self.x, axis=0)
        if self.form.integer:
            return "all points lie within one step" if np.all(spread <= 1.5 * self.box.step) else ""
        if np.max(spread) <= self.solver.x_tolerance * self.extent:
            return "the points have met"
        low, high = float(self.f.min()), float(self.f.max())
        if math.isfinite(high) and high - low <= self.solver.f_tolerance * (abs(low) or 1.0):
            return "the values of all points agree"
        return ""

    def restarted(self) -> bool:
        """Draw a new complex over the whole box, unless the last one brought nothing or none is left."""
        gain = self.met_at - self.best_value
        if self.form.integer or self.restarts_left <= 0 or self.run.left < self.reserve or gain <= self.solver.f_tolerance * abs(self.best_value):
            return False
        self.restarts_left -= 1
        self.met_at = self.best_value
        self.populate(np.zeros(self.box.size), np.ones(self.box.size), first=self.best)
        return True

    def iterate(self) -> None:
        """Reflect the worst point and retreat while it stays the worst."""
        finite = self.f[np.isfinite(self.f)]
        if finite.size:
            self.f = self.f + self.ageing * np.ptp(finite)
        worst, best = int(np.argmax(self.f)), int(np.argmin(self.f))
        others = np.arange(self.k) != worst
        centre = self.x[others].mean(axis=0)
        if not self.admission.allowed(centre):
            self.populate(np.minimum(centre, self.x[best]), np.maximum(centre, self.x[best]), first=self.best)
            return
        u = centre + self.solver.reflection * (centre - self.x[worst]) + self.jitter()
        self.replace(worst, u, centre, best)
        for i in range(self.solver.max_retractions):
            if self.f[worst] < self.f[others].max():
                return
            towards = 1.0 - math.exp(-i / self.solver.retreat)
            best = int(np.argmin(self.f))
            u = 0.5 * ((1.0 - towards) * centre + towards * self.x[best] + self.x[worst]) + self.jitter()
            self.replace(worst, u, centre, best)

    def replace(self, worst: int, u: np.ndarray, centre: np.ndarray, best: int) -> None:
        """Put an admitted point in the place of the worst one, whatever its value."""
        u = self.admission.admit(u, centre, self.x[best])
        self.x[worst], self.f[worst] = self.value(self.distinct(u))

    def jitter(self) -> np.ndarray:
        """Noise in proportion to the largest relative spread."""
        if self.noise == 0.0:
            return np.zeros(self.box.size)
        return self.noise * float(np.max(np.ptp(self.x, axis=0))) * (self.run.rng.random(self.box.size) - 0.5)

    def improved_by_neighbour(self) -> bool:
        """On integers: ask the unknown neighbours of the best point; a better one becomes the centre of a new complex."""
        if not self.form.integer:
            return False
        before = self.best_value
        for x in neighbours(self.form, self.box, self.box.to_x(self.best), self.run):
            self.value(self.box.to_unit(x))
            if self.best_value < before:
                return self.restart_around_best()
        return False

    def restart_around_best(self) -> bool:
        """Draw a complex of new points around the best one; False when there are none."""
        if fresh_neighbour(self.form, self.box, self.box.to_x(self.best), self.run) is None:
            return False
        reach = 3.0 * self.box.step
        self.populate(np.maximum(self.best - reach, 0.0), np.minimum(self.best + reach, 1.0), first=self.best)
        return True
