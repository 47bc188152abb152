"""Any linear model ``W x = y`` with named parameters: friction lines, DC motors, one-axis fits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.brief import brief
from optid.errors import RankError, ShapeError, sentence
from optid.statistics import Determinacy, t_interval

from .constraints import Constraints
from .equations import Equations
from .forms import LeastSquares

if TYPE_CHECKING:
    from optid.solvers import Solution

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class RegressionResult:
    """Estimates of named parameters.

    Attributes
    ----------
    names : p-tuple of str
    values, sigma : (p,)
        NaN and infinite for parameters that the data do not determine. sigma² = ‖e‖²/(rows − rank) · (WᵀW)⁻¹.
    covariance : (p, p)
    determinacy : Determinacy
    residual : (m,)
    solution : Solution
    at_bound : tuple of str
        Bounds that hold with equality; those parameters have sigma 0.
    unbounded : (p,) or None
        The fit without bounds.
    residual_increase : float or None
        Residual norm over that of the fit without bounds, minus 1.

    Examples
    --------
    >>> import numpy as np
    >>> import optid
    >>> from optid.problems import Regression
    >>> noise = np.random.default_rng(0).standard_normal(10_000)
    >>> mean = optid.solve(Regression(np.ones((10_000, 1)), noise, ["mean"]))
    >>> round(float(mean.sigma[0]), 3)  # 1 / √10 000
    0.01
    """

    names: tuple[str, ...]
    values: Array
    sigma: Array
    covariance: Array
    determinacy: Determinacy
    residual: Array
    solution: Solution
    at_bound: tuple[str, ...] = ()
    unbounded: Array | None = None
    residual_increase: float | None = None

    __repr__ = brief

    @property
    def degrees_of_freedom(self) -> int:
        """Rows minus determined directions."""
        return len(self.residual) - self.determinacy.rank

    @property
    def relative_sigma(self) -> Array:
        """sigma / |value| (p,)."""
        return self.sigma / np.abs(self.values)

    @property
    def undetermined(self) -> tuple[str, ...]:
        """Directions that the data leave open."""
        return self.determinacy.directions

    def interval(self, level: float = 0.95) -> Array:
        """Confidence intervals (p, 2), Student's t."""
        return t_interval(self.values, self.sigma, self.degrees_of_freedom, level)

    def __getitem__(self, name: str) -> float:
        return float(self.values[self.names.index(name)])


@dataclass(frozen=True, eq=False)
class Regression:
    """min ‖W x − y‖² within bounds.

    Parameters
    ----------
    W : (m, p)
    y : (m,)
    names : p names, optional
    bounds : mapping name → (lower, upper), optional
        None for an open end.

    Raises
    ------
    RankError
        When there are fewer rows than columns, naming rows, columns and rank.

    Examples
    --------
    >>> import numpy as np
    >>> import optid
    >>> from optid.problems import Regression
    >>> t = np.arange(5.0)
    >>> line = optid.solve(Regression(np.column_stack([np.ones(5), t]), 1 + 2 * t, ["offset", "slope"]))
    >>> round(line["slope"], 12)
    2.0
    """

    W: ArrayLike
    y: ArrayLike
    names: Sequence[str] = ()
    bounds: Mapping[str, tuple[float | None, float | None]] = field(default_factory=dict)

    __repr__ = brief

    def __post_init__(self) -> None:
        W, y = np.asarray(self.W, dtype=float), np.asarray(self.y, dtype=float)
        if W.ndim != 2 or y.shape != (len(W),):
            raise ShapeError(sentence("regression", f"W {W.shape}, y {y.shape}", "(m, p) and (m,)"))
        names = tuple(self.names) or tuple(f"x{k + 1}" for k in range(W.shape[1]))
        if len(names) != W.shape[1]:
            raise ShapeError(sentence("names of a regression", f"{len(names)}", f"{W.shape[1]}, one a column"))
        for key, value in {"W": W, "y": y, "names": names}.items():
            object.__setattr__(self, key, value)
        if len(W) < W.shape[1]:
            rank = int(np.linalg.matrix_rank(W)) if len(W) else 0
            raise RankError(
                sentence("regression", f"{len(W)} rows of rank {rank}", f"at least {W.shape[1]} rows for {W.shape[1]} columns", "Record more samples.")
            )

    @property
    def _constraints(self) -> Constraints | None:
        return Constraints.of(tuple(self.names), self.bounds) if self.bounds else None

    def form(self) -> LeastSquares:
        """The least squares form."""
        limits = self._constraints
        if limits is None:
            return LeastSquares(self.W, self.y, names=self.names)
        return LeastSquares(self.W, self.y, names=self.names, lower=limits.lower, upper=limits.upper)

    def interpret(self, solution: Solution) -> RegressionResult:
        """Estimates with sigmas; undetermined ones become NaN."""
        W, y, names = np.asarray(self.W), np.asarray(self.y), tuple(self.names)
        limits = self._constraints
        equations = Equations(W, y, names)
        verdict = None if limits is None else limits.judge(solution.x, equations)
        if verdict is not None:
            equations = Equations(W, y, names, free=verdict.free)
        determinacy = equations.determinacy
        residual = y - W @ solution.x
        freedom = len(y) - determinacy.rank
        covariance = equations.covariance(float(residual @ residual) / freedom if freedom > 0 else float("nan"))
        values = np.where(determinacy.determined, solution.x, np.nan)
        told = () if verdict is None else (verdict.at_bound, verdict.unbounded, verdict.residual_increase)
        return RegressionResult(names, values, np.sqrt(np.diag(covariance)), covariance, determinacy, residual, solution, *told)
