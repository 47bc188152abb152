"""What a solve returns: the point, judged by us and not by the backend."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import numpy as np

Status = Literal["optimal", "budget", "infeasible", "failed", "stopped"]

FEASIBLE = 1e-6
"""A point is feasible when no constraint is violated by more than this, in the constraint's own unit."""


class Iterate(NamedTuple):
    """One point the solver has seen; callbacks receive it.

    Attributes
    ----------
    evaluation : int
        Its number: evaluations for derivative-free solvers, iterations for the others.
    x : tuple of float
    fun : float
        NaN for an evaluation that failed or was not made because the point violates an implicit constraint.
    violation : float
    start : int
        Index of the multistart run it belongs to.

    Examples
    --------
    >>> import optid
    >>> from optid.problems import BlackBox
    >>> points = []
    >>> _ = optid.solve(BlackBox(lambda x: float(x @ x), lower=[0], upper=[1], x0=[1]), solver="random", budget=3, callback=points.append)
    >>> points[0].evaluation, points[0].x, points[0].fun
    (1, (1.0,), 1.0)
    """

    evaluation: int
    x: tuple[float, ...]
    fun: float
    violation: float
    start: int = 0


@dataclass(frozen=True, eq=False)
class Solution:
    """The best point found and how it was found.

    Attributes
    ----------
    x : (n,) array
        Best feasible point seen (least infeasible when none is feasible).
    fun : float
        Objective at ``x``, recomputed from the problem's form (for a black box: as measured there).
    max_violation : float
        Largest violation of any constraint at ``x``, recomputed from the form.
    status : "optimal", "budget", "infeasible", "failed" or "stopped"
    message : str
        The backend's own words.
    n_evaluations, n_failed : int
        Evaluations of the objective; those among them that gave no number.
    wall_time : float
        [s]
    seed : int
    history : tuple of Iterate
    solver : str
    options : mapping
    problem : str
        Type of the problem.
    names : tuple of str
        Names of the variables.
    loses : tuple of str
        What was given up to bring the problem into a form the solver takes.
    search : bool
        The solver searches until its budget is used up, so that ``budget`` is its normal end.
    info : mapping
        What this solver knows beyond that: rank and null space, multipliers, ...
    starts : tuple of Solution
        The runs of a multistart.

    Examples
    --------
    >>> import optid
    >>> from optid.problems import LeastSquares
    >>> solution = optid.solve(LeastSquares([[1.0], [1.0]], [1.0, 3.0]))
    >>> float(solution.x[0].round(12)), solution.success, solution.solver
    (2.0, True, 'lstsq')
    """

    x: np.ndarray
    fun: float
    max_violation: float
    status: Status
    message: str
    n_evaluations: int
    wall_time: float
    seed: int
    solver: str
    n_failed: int = 0
    history: tuple[Iterate, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    problem: str = ""
    names: tuple[str, ...] = ()
    loses: tuple[str, ...] = ()
    search: bool = False
    info: Mapping[str, Any] = field(default_factory=dict)
    starts: tuple[Solution, ...] = ()

    @property
    def feasible(self) -> bool:
        """Whether every constraint holds to ``FEASIBLE``."""
        return bool(self.max_violation <= FEASIBLE)

    @property
    def success(self) -> bool:
        """Whether the solver came to its own regular end at a feasible point with a finite objective."""
        regular = self.status == "optimal" or (self.status == "budget" and self.search)
        return bool(regular and self.feasible and np.isfinite(self.fun))

    @property
    def solution(self) -> Solution:
        """Itself, so that every result of ``optid.solve`` has ``.solution``."""
        return self

    def __repr__(self) -> str:
        return f"Solution({self})"

    def __str__(self) -> str:
        return (
            f"{self.solver}: {self.status} ({self.message}), fun {self.fun:.6g}, largest violation {self.max_violation:.2g}, "
            f"{self.n_evaluations} evaluations, {self.wall_time:.2f} s"
        )


def better(fun: float, violation: float, other_fun: float, other_violation: float) -> bool:
    """Whether the first point is better: feasible before infeasible, then by objective, among infeasible ones by violation; NaN is worst."""
    first, second = _rank(fun, violation), _rank(other_fun, other_violation)
    return first < second


def _rank(fun: float, violation: float) -> tuple[int, float]:
    if not violation < np.inf:
        return 3, 0.0
    if violation > FEASIBLE:
        return 1, violation
    return (0, fun) if fun < np.inf else (2, 0.0)
