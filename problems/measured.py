"""What can only be computed or measured: a vector of numbers, or one number."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from optid.brief import brief
from optid.errors import LimitsError, ShapeError, UnsuitableSolverError, sentence

from .checks import excess, vector
from .form import Form, Start

logger = logging.getLogger(__name__)


@dataclass(frozen=True, eq=False)
class Residuals(Form):
    """Minimise ½ ‖r(x)‖² of a vector of numbers that can only be computed or measured.

    Parameters
    ----------
    fun : callable
        x (n,) → r (m,), m the same at every call.
    x0 : (n,) array
        Inside the bounds.
    jacobian : callable, optional
        x (n,) → ∂r/∂x (m, n).
    lower, upper : (n,) arrays or scalars, optional
    integer : bool
        Only whole numbers are evaluated.
    noisy : bool
        Two calls at the same x may differ: finite differences over tiny steps are then meaningless.
    names, scales, start : optional

    Examples
    --------
    >>> import numpy as np
    >>> import optid
    >>> from optid.problems import Residuals
    >>> optid.solve(Residuals(lambda x: np.array([x[0] ** 2 - 2.0]), x0=[1.0])).x.round(6)  # √2
    array([1.414214])
    """

    fun: Callable[[np.ndarray], Any]
    x0: Any
    jacobian: Callable[[np.ndarray], Any] | None = None
    lower: Any = None
    upper: Any = None
    integer: bool = False
    noisy: bool = False
    names: Any = None
    scales: Any = None
    start: Start | None = None

    __repr__ = brief

    def __post_init__(self) -> None:
        self._functions("residuals", ("fun",), ("jacobian", "start"))
        self._settle(vector(self.x0, None, "x0").size)
        self._settle_start()
        self._settle_grid()

    @property
    def needs(self) -> frozenset[str]:
        return frozenset(name for name, present in {"bounds": self.bounded, "integer": self.integer, "noise": self.noisy}.items() if present)

    def residual(self, x: np.ndarray) -> np.ndarray:
        """Return r(x) (m,)."""
        return np.atleast_1d(np.asarray(self.fun(np.array(x, dtype=float)), dtype=float)).ravel()

    def evaluate(self, x: np.ndarray) -> tuple[float, float]:
        residual = self.residual(x)
        return float(0.5 * residual @ residual), excess(np.asarray(x, dtype=float), self.lower, self.upper)


@dataclass(frozen=True, eq=False)
class BlackBox(Form):
    """Minimise one number f(x) that can only be computed or measured.

    Parameters
    ----------
    fun : callable
        x (n,) → number. NaN, infinity, ``None`` and exceptions count as failed evaluations.
    lower, upper : (n,) arrays or scalars, optional
        Explicit constraints: no point outside is ever evaluated.
    integer : bool
        Only whole numbers are evaluated.
    violation : callable, optional
        Implicit constraints: x (n,) → number or vector, positive where violated. Asked before ``fun``; points that violate are not evaluated.
    log : bool or (n,) bool array
        Coordinates that are searched on a logarithmic scale (lower bound above zero).
    noisy : bool
    x0, names, scales, start : optional

    Examples
    --------
    >>> import optid
    >>> from optid.problems import BlackBox
    >>> solution = optid.solve(BlackBox(lambda x: float((x[0] - 3) ** 2), lower=[-5], upper=[5], integer=True), solver="grid")
    >>> solution.x, solution.n_evaluations
    (array([3.]), 11)
    """

    fun: Callable[[np.ndarray], Any]
    lower: Any = None
    upper: Any = None
    integer: bool = False
    violation: Callable[[np.ndarray], Any] | None = None
    log: Any = False
    noisy: bool = False
    x0: Any = None
    names: Any = None
    scales: Any = None
    start: Start | None = None

    __repr__ = brief

    def __post_init__(self) -> None:
        self._functions("black box", ("fun",), ("violation", "start"))
        given = [value for value in (self.lower, self.upper, self.x0) if value is not None and np.ndim(value) > 0]
        if not given and self.names is None:
            raise ShapeError(sentence("black box", "neither bounds nor x0 as vectors", "one of them, to know the number of variables"))
        size = len(given[0]) if given else len(self.names)
        self._settle(size)
        self._settle_start()
        self._settle_grid()
        if np.shape(self.log) not in ((), (size,)) or np.asarray(self.log).dtype.kind not in "bi":
            raise ShapeError(sentence("log of a black box", repr(self.log), f"True or False, or {size} of them"))
        log = np.broadcast_to(np.asarray(self.log, dtype=bool), (size,))
        if np.any(log & ~(self.lower > 0)):
            i = int(np.flatnonzero(log & ~(self.lower > 0))[0])
            raise LimitsError(sentence(f"lower bound of {self.names[i]!r} on a logarithmic scale", self.lower[i], "a number above 0"))
        object.__setattr__(self, "log", log)

    @property
    def needs(self) -> frozenset[str]:
        parts = {"bounds": self.bounded, "integer": self.integer, "nonlinear": self.violation is not None, "noise": self.noisy}
        return frozenset(name for name, present in parts.items() if present)

    def implicit(self, x: np.ndarray) -> float:
        """Largest violation of an implicit constraint; infinite where it cannot be computed (NaN, ``None``, an exception)."""
        if self.violation is None:
            return 0.0
        try:
            amounts = np.atleast_1d(np.asarray(self.violation(np.array(x, dtype=float)), dtype=float))
        except Exception as error:
            logger.info("the violation at %s raised %s: %s", x, type(error).__name__, error)
            return np.inf
        return np.inf if np.any(np.isnan(amounts)) else max(0.0, float(np.max(amounts, initial=0.0)))

    def value(self, x: np.ndarray) -> float:
        """Return f(x); NaN where the callable gives ``None`` or a masked value.

        Raises
        ------
        UnsuitableSolverError
            When ``fun`` returns more than one number.
        """
        result = self.fun(np.array(x, dtype=float))
        if result is None or np.ma.is_masked(result):
            return np.nan
        if np.size(result) != 1:
            raise UnsuitableSolverError(
                sentence("objective of the black box", f"{np.size(result)} numbers", "one number", "Pose a vector of numbers as Residuals.")
            )
        return float(np.asarray(result, dtype=float).reshape(()))

    def evaluate(self, x: np.ndarray) -> tuple[float, float]:
        x = np.asarray(x, dtype=float)
        worst = max(excess(x, self.lower, self.upper), self.implicit(x))
        return self.value(x), worst
