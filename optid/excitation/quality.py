"""How well an experiment determines the parameters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.brief import brief
from optid.regressor import BaseParameters

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Quality:
    """Figures of a stacked base regressor, weighted by the torque noise.

    Attributes
    ----------
    names : r-tuple of str
        Formulas of the base parameters.
    triangle : (k, r)
        Any matrix with ``triangleᵀ triangle`` = information.
    nominal : (r,)
        Values the predicted errors are compared with; NaN where unknown.
    noise : (n,) [N m, N]
        Standard deviations of the torque noise behind the weights.

    Examples
    --------
    >>> import numpy as np
    >>> from optid.excitation import Quality
    >>> quality = Quality(("a", "b"), np.diag([10.0, 2.0]), np.array([1.0, 1.0]), (1.0,))
    >>> quality.condition_number, quality.sigma.tolist()
    (5.0, [0.1, 0.5])
    """

    names: tuple[str, ...]
    triangle: Array
    nominal: Array
    noise: tuple[float, ...]

    __repr__ = brief

    @classmethod
    def of(cls, base: BaseParameters, stacked: Array, noise: Sequence[float], nominal: ArrayLike | None = None) -> Quality:
        """From the weighted stacked regressor (N·n, r) with any earlier information below it."""
        values = np.full(base.rank, np.nan) if nominal is None else np.asarray(nominal, dtype=float)
        return cls(base.formulas, np.asarray(np.linalg.qr(stacked, mode="r")) if len(stacked) > base.rank else stacked, values, tuple(noise))

    @cached_property
    def singular_values(self) -> Array:
        """Of the weighted regressor (r,), descending."""
        return np.asarray(np.linalg.svd(self.triangle, compute_uv=False))

    @property
    def condition_number(self) -> float:
        """Largest over smallest singular value; infinite when rank is lost."""
        return _ratio(self.singular_values, self.triangle.shape)

    @cached_property
    def scaled_condition_number(self) -> float:
        """Condition number after every column is scaled to unit norm."""
        norms = np.linalg.norm(self.triangle, axis=0)
        if not np.all(norms > 0):
            return float("inf")
        return _ratio(np.linalg.svd(self.triangle / norms, compute_uv=False), self.triangle.shape)

    @property
    def smallest_singular_value(self) -> float:
        """The worst determined combination: its standard deviation is the inverse of this."""
        s = self.singular_values
        return float(s[-1]) if len(self.triangle) >= self.triangle.shape[1] else 0.0

    @property
    def log_det(self) -> float:
        """Logarithm of det(WᵀW)."""
        if np.isinf(self.condition_number):
            return float("-inf")
        return float(2 * np.log(self.singular_values).sum())

    @property
    def information(self) -> Array:
        """WᵀW (r, r), the inverse of the covariance of the estimates."""
        return np.asarray(self.triangle.T @ self.triangle)

    @cached_property
    def covariance(self) -> Array:
        """Predicted covariance (r, r) of the estimates; infinite entries when rank is lost."""
        if np.isinf(self.condition_number):
            return np.full((self.triangle.shape[1],) * 2, np.inf)
        _, s, Vt = np.linalg.svd(self.triangle, full_matrices=False)
        return np.asarray((Vt.T / s**2) @ Vt)

    @property
    def sigma(self) -> Array:
        """Predicted standard deviation (r,) of every base parameter."""
        return np.asarray(np.sqrt(np.diag(self.covariance)))

    @property
    def relative_sigma(self) -> Array:
        """:attr:`sigma` over the magnitude of the nominal value (r,); NaN where that is unknown, infinite where it is zero."""
        with np.errstate(divide="ignore"):
            return np.asarray(self.sigma / np.abs(self.nominal))

    def __str__(self) -> str:
        return (
            f"cond {self.condition_number:.5g}, column-scaled cond {self.scaled_condition_number:.5g}, s_min {self.smallest_singular_value:.4g}, "
            f"log det {self.log_det:.6g}, {len(self.names)} base parameters"
        )

    def table(self) -> str:
        """Text table: base parameter, nominal value, predicted sigma, relative sigma [%]."""
        width = max(len(name) for name in self.names)
        lines = [f"{'base parameter':{width}}  {'nominal':>11}  {'sigma':>11}  {'sigma %':>9}"]
        for name, value, sigma, relative in zip(self.names, self.nominal, self.sigma, self.relative_sigma, strict=True):
            lines.append(f"{name:{width}}  {value:11.5g}  {sigma:11.4g}  {100 * relative:9.3g}")
        return "\n".join(lines)


def _ratio(s: Array, shape: tuple[int, ...]) -> float:
    """Condition number from singular values, infinite below working precision."""
    if shape[0] < shape[1] or not s[-1] > max(shape) * np.finfo(float).eps * s[0]:
        return float("inf")
    return float(s[0] / s[-1])
