"""A black box posed by the user: any function of a few numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from optid.brief import brief

from .forms import BlackBox, Start


@dataclass(frozen=True, eq=False)
class BlackBoxProblem:
    """Minimise ``f`` over a box; the result of ``optid.solve`` is the :class:`~optid.solvers.Solution` itself.

    Parameters
    ----------
    f : callable
        x (n,) → number. A point where it raises, or returns NaN, infinity or ``None``, counts as failed and the search goes on.
    lower, upper : (n,) arrays, lists or tuples
        A coordinate with ``lower == upper`` stays fixed. A scalar is used for all coordinates.
    integer : bool
        Search whole numbers only.
    violation : callable, optional
        x (n,) → number or vector, positive where an implicit constraint is violated.
    x0 : (n,) array, optional
        First point that is evaluated; it must lie inside the bounds.
    names : sequence of str, optional
    log : bool or (n,) bool array
        Coordinates that are searched on a logarithmic scale (lower bound above zero).
    noisy : bool
        Two evaluations of one point may differ.
    scales, start : optional
        As in :class:`~optid.problems.BlackBox`.

    Examples
    --------
    >>> import optid
    >>> problem = optid.problems.BlackBoxProblem(lambda x: float((x - 0.3) @ (x - 0.3)), lower=[-1, -1], upper=[1, 1])
    >>> solution = optid.solve(problem, solver="complex_box", seed=0)
    >>> bool(abs(solution.x - 0.3).max() < 1e-2)
    True
    """

    f: Callable[[np.ndarray], Any]
    lower: Any = None
    upper: Any = None
    integer: bool = False
    violation: Callable[[np.ndarray], Any] | None = None
    x0: Any = None
    names: Any = None
    noisy: bool = False
    log: Any = False
    scales: Any = None
    start: Start | None = None

    __repr__ = brief

    def form(self) -> BlackBox:
        """Pose the problem."""
        return BlackBox(
            fun=self.f,
            lower=self.lower,
            upper=self.upper,
            integer=self.integer,
            violation=self.violation,
            log=self.log,
            noisy=self.noisy,
            x0=self.x0,
            names=self.names,
            scales=self.scales,
            start=self.start,
        )

    def interpret(self, solution: Any) -> Any:
        """The solution is the result."""
        return solution
