"""A plan that tunes many axes of an arm a few at a time, in postures in which they do not feel the others."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from optid.errors import LimitsError, sentence, unknown_name
from optid.model.arguments import instance, not_negative, positive, whole
from optid.solvers.solve import solve

from .decoupling import MOVE, Decoupling, fixed_axes, links_of, posture_range, residual_coupling

if TYPE_CHECKING:
    from optid.model import DynamicModel
    from optid.robot import Robot

Array = NDArray[np.float64]

SAMPLES = 2048
"""Postures drawn before the best of them are improved."""
QUARTERS = np.arange(-4, 5) * np.pi / 4
"""Angles that are tried besides: arms decouple where their axes are parallel or perpendicular."""
PLAN_OPTIONS = ("pi", "lower", "upper", "fixed", "move", "frequency")
"""Fields of a :class:`Decoupling` that a plan passes on."""


@dataclass(frozen=True, eq=False)
class Stage:
    """One subproblem of a plan.

    Attributes
    ----------
    moving : tuple of int
        Axes that move.
    new : tuple of int
        Those of them that are tuned here; the others were tuned before.
    posture : (n,) [rad]
        Where the others stand, and the move starts.
    left : float
        Coupling that is left between moving and standing axes.
    """

    moving: tuple[int, ...]
    new: tuple[int, ...]
    posture: Array
    left: float


@dataclass(frozen=True, eq=False)
class DecouplingPlan:
    """Subproblems in their order, after which every axis is tuned.

    Attributes
    ----------
    stages : tuple of Stage
    names : n-tuple of str
    tolerance : float
        Coupling that was to be reached.
    revolute : n-tuple of bool
        Whether an axis turns, by radians, or slides, by metres.

    Examples
    --------
    >>> from optid import DynamicModel, library
    >>> from optid.problems import decoupling_plan
    >>> plan = decoupling_plan(DynamicModel(library.irb140_lower_arm(), friction="none"))
    >>> [stage.new for stage in plan.stages], plan.stages[2].moving
    ([(0,), (1,), (2,)], (1, 2))
    """

    stages: tuple[Stage, ...]
    names: tuple[str, ...]
    tolerance: float
    revolute: tuple[bool, ...]

    @property
    def decoupled(self) -> bool:
        """Whether every subproblem is decoupled to the tolerance."""
        return all(stage.left <= self.tolerance for stage in self.stages)

    def __str__(self) -> str:
        lines = []
        for k, stage in enumerate(self.stages):
            places = zip(self.names, stage.posture, self.revolute, strict=True)
            stand = ", ".join(f"{name} {round(float(np.degrees(q)))}°" if turns else f"{name} {q:.3f} m" for name, q, turns in places)
            tuned = ", ".join(self.names[a] for a in stage.new)
            move = ", ".join(self.names[a] for a in stage.moving)
            mark = "" if stage.left <= self.tolerance else "  (coupled)"
            lines.append(f"{k + 1}. tune {tuned}: move {move} at {stand}; coupling left {stage.left:.3f}{mark}")
        return "\n".join(lines)


def decoupling_plan(arm: DynamicModel, largest: int = 3, tolerance: float = 0.05, seed: int = 0, **options: Any) -> DecouplingPlan:
    """Split the tuning of all axes of an arm into subproblems of at most ``largest`` axes.

    Every stage tunes as few new axes as possible, with as few axes moving as possible: an axis moves with axes tuned before only where it cannot be decoupled
    from them. Postures come from a scan of the range, and the chosen ones are improved as :class:`Decoupling` problems.

    Parameters
    ----------
    tolerance : float
        Coupling that counts as none.
    **options
        ``pi``, ``lower``, ``upper``, ``fixed``, ``move``, ``frequency`` of :class:`Decoupling`.

    Examples
    --------
    >>> from optid import DynamicModel, library
    >>> from optid.problems import decoupling_plan
    >>> decoupling_plan(DynamicModel(library.irb140_lower_arm(), friction="none")).decoupled
    True
    """
    from optid.model import DynamicModel

    instance(arm, DynamicModel, "arm of a plan", "Make one: DynamicModel(robot).")
    whole(largest, "largest subproblem of a plan", 1, "a whole number of axes, 1 or more")
    positive(tolerance, "tolerance of a plan", "a coupling above 0")
    seed = whole(seed, "seed of a plan")
    for name in options.keys() - set(PLAN_OPTIONS):
        raise unknown_name("option of a plan", name, PLAN_OPTIONS)
    arm, options["pi"] = links_of(arm, options.get("pi"))
    n, robot = arm.n, arm.robot
    tuned = set(fixed_axes(options.get("fixed"), n))
    movable = [axis for axis in range(n) if axis not in tuned]
    if not movable:
        raise LimitsError(sentence("axes of a plan", "all fixed", "one at least that may move"))
    found: dict[tuple[int, ...], tuple[float, Array]] = {}
    for size in range(1, min(largest, len(movable)) + 1):
        for axes in combinations(movable, size):
            if size == n:
                found[axes] = (0.0, _middle(robot, options))
                continue
            problem = Decoupling(arm, axes, **options)
            postures = _postures(problem, seed)
            left = residual_coupling(problem.coupling(postures), axes)
            best = int(np.argmin(left))
            found[axes] = (float(left[best]), postures[best])
            if tolerance < found[axes][0] < 4 * tolerance:
                found[axes] = _improved(arm, axes, found[axes], options, seed)
    stages = []
    while len(tuned) < n:
        open_ = [axes for axes in found if set(axes) - tuned]
        good = [axes for axes in open_ if found[axes][0] <= tolerance] or [min(open_, key=lambda axes: found[axes][0])]
        axes = min(good, key=lambda axes: (len(set(axes) - tuned), len(axes), found[axes][0]))
        left, posture = _plain(Decoupling(arm, axes, **options), _improved(arm, axes, found[axes], options, seed)) if len(axes) < n else found[axes]
        stages.append(Stage(axes, tuple(sorted(set(axes) - tuned)), posture, left))
        tuned |= set(axes)
    revolute = tuple(robot.joints[i].revolute for i in robot.independent)
    return DecouplingPlan(tuple(stages), robot.joint_names, tolerance, revolute)


def _middle(robot: Robot, options: dict[str, Any]) -> Array:
    """A posture for a move of all axes, which nothing constrains: the zero posture, or what is next to it in the range."""
    shift = np.full(robot.n, not_negative(options.get("move", MOVE), "move of a decoupling", "a length, 0 or more [rad]"))
    return np.asarray(np.clip(0.0, *posture_range(robot, options.get("lower"), options.get("upper"), None, shift)))


def _improved(arm: DynamicModel, axes: tuple[int, ...], known: tuple[float, Array], options: dict[str, Any], seed: int) -> tuple[float, Array]:
    """The better of a known posture and the one that the problem's solver reaches from it."""
    found = solve(Decoupling(arm, axes, x0=known[1], **options), solver="ipopt", seed=seed, on_failure="return")
    return (found.left, found.posture) if found.left < known[0] else known


def _plain(problem: Decoupling, known: tuple[float, Array]) -> tuple[float, Array]:
    """The same with every axis at zero, or next to it in the range, that makes no difference there: a plan should not say more than matters."""
    left, posture = known
    for axis, zero in enumerate(np.clip(0.0, problem.lower, problem.upper)):
        other = posture.copy()
        other[axis] = zero
        found = float(residual_coupling(problem.coupling(other), problem.axes)[0])
        if found <= left + 1e-9:
            left, posture = found, other
    return left, posture


def _postures(problem: Decoupling, seed: int) -> Array:
    """Candidates (N, n) in the range: drawn uniformly, and from eighths of a turn."""
    rng = np.random.default_rng(seed)
    low, high, n = problem.lower, problem.upper, problem.arm.n
    drawn = low + rng.random((SAMPLES, n)) * (high - low)
    turns = rng.choice(QUARTERS, (SAMPLES, n))
    inside = np.all((turns >= low - 1e-9) & (turns <= high + 1e-9), axis=1)
    return np.vstack([drawn, turns[inside], np.clip(turns[~inside], low, high)])
