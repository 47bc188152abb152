"""How strongly to believe a prior: ``min ‖A x − b‖² + λ² ‖D x − d‖²`` for every λ, and four ways to choose it.

Sources: M. Stone 1974 and Golub, Heath & Wahba, *Generalized cross-validation as a method for choosing a good ridge parameter*, Technometrics 21 (1979);
P. C. Hansen, *Analysis of discrete ill-posed problems by means of the L-curve*, SIAM Review 34 (1992); its corner by slope: T. Regińska, *A regularization
parameter in discrete ill-posed problems*, SIAM Journal on Scientific Computing 17 (1996).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class Damped(NamedTuple):
    """One solution of the path.

    Attributes
    ----------
    x : (r,)
    residual : float
        ‖A x − b‖.
    distance : float
        ‖D x − d‖.
    n_effective : float
        Trace of the matrix that takes b to A x: the parameters that the data pay for.
    """

    x: Array
    residual: float
    distance: float
    n_effective: float


@dataclass(frozen=True, eq=False)
class DampingPath:
    """Solutions for every λ.

    Attributes
    ----------
    A : (m, r), b : (m,)
        Equations of the data.
    D : (k, r), d : (k,)
        Those of the prior.
    n_rows : float
        Independent equations behind A and b, which may be triangles of longer ones.
    """

    A: Array
    b: Array
    D: Array
    d: Array
    n_rows: float

    @cached_property
    def _compressed(self) -> tuple[Array, Array]:
        factor = np.asarray(np.linalg.qr(np.column_stack([self.A, self.b]), mode="r"))
        return factor[:, :-1], factor[:, -1]

    @cached_property
    def unit(self) -> float:
        """λ at which data and prior weigh about the same."""
        return float(np.linalg.norm(self.A) / (np.linalg.norm(self.D) or 1.0)) or 1.0

    def at(self, damping: float) -> Damped:
        """The solution for one λ."""
        A, b = self._compressed
        stack, target = np.vstack([A, damping * self.D]), np.concatenate([b, damping * self.d])
        norms = np.linalg.norm(stack, axis=0)
        norms = np.where(norms > 0, norms, 1.0)
        U, s, Vt = np.linalg.svd(stack / norms, full_matrices=False)
        keep = s > 1e-14 * s.max(initial=0.0)
        U, s, Vt = U[:, keep], s[keep], Vt[keep]
        x = Vt.T @ (U.T @ target / s) / norms
        residual = float(np.linalg.norm(A @ x - b))
        return Damped(x, residual, float(np.linalg.norm(self.D @ x - self.d)), float(np.sum(U[: len(A)] ** 2)))

    def grid(self, points: int = 65) -> Array:
        """λ from where the prior only breaks ties to where it rules, evenly in the logarithm."""
        return self.unit * np.logspace(-8, 4, points)


def within(residual_of: Callable[[float], float], limit: float, low: float, high: float, steps: int = 24, beyond: bool = False) -> float:
    """Largest λ in [low, high] whose residual stays below ``limit``, by bisection of the logarithm; ``low`` when none does.

    ``beyond`` says that ``high`` is known to exceed the limit, and need not be tried.
    """
    if not beyond and residual_of(high) <= limit:
        return high
    a, b = np.log(low), np.log(high)
    for _ in range(steps):
        middle = (a + b) / 2
        a, b = (middle, b) if residual_of(float(np.exp(middle))) <= limit else (a, middle)
    return float(np.exp(a))


def by_allowance(path: DampingPath, allowance: float) -> float:
    """The largest λ whose residual stays within ``allowance`` times that of the data alone."""
    low, high = path.grid(2)
    return within(lambda x: path.at(x).residual, allowance * path.at(low).residual, float(low), float(high), 40)


def by_gcv(path: DampingPath) -> float:
    """The λ that predicts left-out rows best: least ``‖residual‖² / (rows − n_effective)²``.

    Rows that repeat each other (filtered torque) make every λ look too good; ``n_rows`` must count independent ones.
    """
    return _least(path.grid(), lambda x: _gcv(path, x))


def _gcv(path: DampingPath, damping: float) -> float:
    point = path.at(damping)
    freedom = path.n_rows - point.n_effective
    return point.residual**2 / freedom**2 if freedom > 0 else np.inf


def by_l_curve(path: DampingPath) -> float:
    """The corner of log distance against log residual: where a stronger pull begins to cost as much residual as it saves distance.

    There the curve has slope −1, which is ``λ = residual / distance`` (the first such λ); a prior that the data never contradict that much has no corner, and
    the λ nearest to one is taken.
    """

    def steepness(damping: float) -> float:
        point = path.at(damping)
        return damping * point.distance / point.residual if point.residual > 0 else np.inf

    grid = path.grid(121)
    values = np.array([steepness(float(x)) for x in grid])
    if not values.max() >= 1:
        return float(grid[int(np.argmax(values))])
    k = int(np.argmax(values >= 1))
    return within(steepness, 1.0, float(grid[max(k - 1, 0)]), float(grid[k])) if k else float(grid[0])


def by_held_out(train: Sequence[DampingPath], test: Sequence[tuple[Array, Array]]) -> float:
    """The λ with the least squared residual on equations (A, b) that were left out of the path at the same place."""

    def error(damping: float) -> float:
        return float(sum(np.sum((A @ path.at(damping).x - b) ** 2) for path, (A, b) in zip(train, test, strict=True)))

    return _least(train[0].grid(), error)


def _least(grid: Array, error: Callable[[float], float]) -> float:
    """Minimiser on the grid, then between its neighbours."""
    values = [error(float(x)) for x in grid]
    k = int(np.argmin(values))
    fine = np.geomspace(grid[max(k - 1, 0)], grid[min(k + 1, len(grid) - 1)], 17)
    return float(min(fine, key=lambda x: error(float(x))))
