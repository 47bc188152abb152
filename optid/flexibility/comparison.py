"""Searches compared on simulated robots: how much vibration is left after so many runs, under noise, over many individuals.

The vibration of an individual is simulated on the 5 % grid and interpolated in between (cubic splines of every sample, both ways): a search may then ask for
any Υ at no cost, and all searches meet the same individuals and the same noise.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.arrays import numbers
from optid.errors import DataError, LimitsError, ShapeError, sentence
from optid.experiment import Trial
from optid.model.arguments import not_negative, whole
from optid.problems.flexibility import FlexibilityTuning
from optid.solvers import solve

from .feedforward import Motion
from .loop import FlexibleLoop
from .objectives import TailRule, settled
from .shapers import ShapedMotion, Shaper
from .surfaces import GRID, grid_of

Array = NDArray[np.float64]

SEARCHES: dict[str, dict[str, Any]] = {
    "random": {"solver": "random"},
    "complex_box (Complex-RF)": {"solver": "complex_box"},
    "nevergrad (CMA)": {"solver": "nevergrad"},
    "nelder_mead": {"solver": "nelder_mead", "step": 0.25},
    "bayesian": {"solver": "bayesian"},
    "secant": {"solver": "secant", "step": 0.125, "max_step": 0.5},
}
"""Searches and their options; ``secant`` sees the vibration itself, the others its size Λ."""


@dataclass(frozen=True, eq=False)
class TailTable:
    """The vibration of one individual after one motion, for any Υ in the grid's range.

    Attributes
    ----------
    grid : (G,) [%]
    torque : (G, G, K, 2) [N m]
        From T on, motor side.
    rate : float [Hz]
    rule : TailRule
        Starts at 0, which is T.
    """

    grid: Array
    torque: Array
    rate: float
    rule: TailRule

    @classmethod
    def simulated(cls, loop: FlexibleLoop, motion: Motion, plant: ArrayLike, cutoff: float = 60.0, grid: ArrayLike = GRID) -> TailTable:
        """Simulate an individual (parameters ``plant``) of a two-axis robot."""
        percents = grid_of(grid)
        if len(percents) < 4:
            raise DataError(sentence("grid of Υ", f"{len(percents)} values", "4 at least, for cubic splines"))
        points = np.stack(np.meshgrid(percents, percents, indexing="ij"), axis=-1).reshape(-1, 2)
        record = loop.simulate(motion, points, plants=plant, reference_tool=False)
        after = record.time >= settled(record) - 1e-9
        torque = record.torque[:, after].reshape(len(percents), len(percents), -1, 2)
        return cls(percents, torque, loop.rate, TailRule(0.0, cutoff))

    def at(self, upsilon: ArrayLike) -> Array:
        """Torques (K, 2) at Υ (2,) [%], inside the grid."""
        from scipy.interpolate import CubicSpline

        percent = numbers(upsilon, "Υ of a run")
        if percent.shape != (2,):
            raise ShapeError(sentence("Υ of a run", f"shape {percent.shape}", "(2,), one an axis"))
        if not np.all((percent >= self.grid[0]) & (percent <= self.grid[-1])):
            raise LimitsError(sentence("Υ of a run", f"{percent[0]:g}, {percent[1]:g} %", f"{self.grid[0]:g} to {self.grid[-1]:g}, where the table has values"))
        first, second = (CubicSpline(self.grid, np.eye(len(self.grid)))(u) for u in percent)
        return np.asarray(np.einsum("i,j,ijkn->kn", first, second, self.torque))

    def size(self, upsilon: ArrayLike) -> float:
        """Λ without noise."""
        return float(self.rule.value(self.rule.signal(np.arange(self.torque.shape[2]) / self.rate, self.at(upsilon))))

    def robot(self, scale_noise: float, torque_noise: float, seed: Any) -> Callable[[Array], Trial]:
        """A robot to run: the tail is scaled by 1 + ε and gets white noise; run k draws both from (seed, k)."""
        not_negative(scale_noise, "scale_noise of a robot")
        not_negative(torque_noise, "torque_noise of a robot")
        count = 0

        def run(upsilon: Array) -> Trial:
            nonlocal count
            count += 1
            rng = np.random.default_rng([*np.atleast_1d(seed), count])
            tail = self.at(upsilon)
            tail = tail * (1 + scale_noise * rng.standard_normal()) + torque_noise * rng.standard_normal(tail.shape)
            time = np.arange(len(tail)) / self.rate
            return Trial(time=time, q=np.zeros_like(tail), tau=tail, name=f"run {count}")

        return run


def shaped(loop: FlexibleLoop, motion: Motion, posture: ArrayLike, plant: ArrayLike, kind: str, cutoff: float = 60.0) -> tuple[float, float]:
    """The other way: no tuning, but a shaper in front of the controller at 100 %, made from its own model.

    Parameters
    ----------
    posture : (n,) [rad]
        Where the vibrations are taken from.
    plant : (P,)
        Parameters of the individual.
    kind : "ZV" or "ZVD"

    Returns
    -------
    left : float
        Λ over that of the plain motion at 100 %.
    delay : float [s]
        By how much every move becomes longer.
    """
    shaper = Shaper.of_loop(loop, posture, kind)
    sizes = []
    for what in (motion, ShapedMotion(motion, shaper)):
        record = loop.simulate(what, plants=plant, reference_tool=False)
        sizes.append(float(TailRule(settled(record), cutoff).of_record(record)[0]))
    return sizes[1] / sizes[0], shaper.delay


def individuals(count: int, seed: int = 0, spread: float = 15.0, least: float = 6.0) -> Array:
    """True optima (count, 2) [%]: uniform within ``spread`` of 100, at least ``least`` away on one axis."""
    whole(count, "count of individuals")
    if not 0 <= least < spread < 100:
        raise LimitsError(sentence("individuals", f"spread {spread:g} and least {least:g} %", "0 <= least < spread < 100"))
    rng = np.random.default_rng(seed)
    found: list[Array] = []
    while len(found) < count:
        optimum = 100 + rng.uniform(-spread, spread, 2)
        if np.max(np.abs(optimum - 100)) >= least:
            found.append(optimum)
    return np.array(found).reshape(count, 2)


def individual(loop: FlexibleLoop, optimum: ArrayLike) -> Array:
    """Parameters of a plant for which Υ = ``optimum`` (n,) [%] makes the controller's model exact."""
    percent = numbers(optimum, "optimum of an individual")
    if percent.shape != (loop.n,) or not np.all(np.isfinite(percent) & (percent > 0)):
        raise DataError(sentence("optimum of an individual", np.array2string(percent, threshold=8), f"{loop.n} percentages above 0"))
    factors: dict[str, float] = {}
    for j, scale in zip(loop.plant.driven, loop.feedforward.scale(percent), strict=True):
        factors |= {f"klow{j + 1}": float(scale), f"khigh{j + 1}": float(scale)}
    return loop.plant.parameters(factors)


def vibration_left(
    table: TailTable,
    search: Mapping[str, Any],
    budgets: Sequence[int] = (10, 15, 30),
    noise: tuple[float, float] = (0.05, 0.05),
    seed: int = 0,
    step: int = 1,
) -> Array:
    """True Λ at the best **measured** Υ after so many runs, over Λ at 100 % (len(budgets),).

    Parameters
    ----------
    search : arguments of ``optid.solve``
    noise : (relative, white [N m])
        See :meth:`TailTable.robot`.
    """
    wanted = "whole numbers of runs, 1 or more"
    if not isinstance(budgets, Sequence) or not budgets:
        raise DataError(sentence("budgets of a search", repr(budgets), wanted))
    for budget in budgets:
        whole(budget, "budget of a search", 1, wanted)
    problem = FlexibilityTuning(table.robot(*noise, seed), table.rule, step=step, signal=_sees_signal(search))
    result = solve(problem, seed=seed, budget=max(budgets), on_failure="return", **search)
    start = table.size(problem.start)
    values = np.array([run.value for run in result.runs])
    left = []
    for budget in budgets:
        best = int(np.nanargmin(np.where(np.isfinite(values[:budget]), values[:budget], np.inf)))
        left.append(table.size(result.runs[best].upsilon) / start)
    return np.array(left)


def _sees_signal(search: Mapping[str, Any]) -> bool:
    """Whether a search looks at the vibration itself."""
    if not isinstance(search, Mapping) or "solver" not in search:
        raise DataError(sentence("search", repr(search), "arguments of optid.solve with a solver, such as SEARCHES['secant']"))
    return bool(search["solver"] == "secant")


@dataclass(frozen=True, eq=False)
class Repeatability:
    """Answers of one search to the same question, asked many times under new noise.

    Attributes
    ----------
    upsilon : (k, 2) [%]
    """

    upsilon: Array

    @property
    def spread(self) -> tuple[float, float]:
        """Standard deviations [%] in the direction in which the answers scatter most (along the valley), and across it."""
        values = np.sqrt(np.maximum(np.linalg.eigvalsh(np.cov(self.upsilon.T)), 0.0))
        return float(values[1]), float(values[0])

    @property
    def angle(self) -> float:
        """Direction of the scatter against the axis of the second Υ, −90 … 90 [deg], as :attr:`~optid.flexibility.surfaces.Valley.angle`."""
        along = np.linalg.eigh(np.cov(self.upsilon.T))[1][:, 1]
        return float(np.degrees(np.arctan2(*(along if along[1] >= 0 else -along))))


def repeated(table: TailTable, search: Mapping[str, Any], count: int = 20, budget: int = 15, noise: tuple[float, float] = (0.05, 0.05)) -> Repeatability:
    """Tune one individual ``count`` times, 2 or more."""
    whole(count, "count of tunings", 2, "a whole number, 2 or more")
    found = []
    for k in range(count):
        problem = FlexibilityTuning(table.robot(*noise, (1000, k)), table.rule, signal=_sees_signal(search))
        found.append(solve(problem, seed=k, budget=budget, on_failure="return", **search).upsilon)
    return Repeatability(np.array(found))
