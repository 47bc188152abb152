"""What a good experiment is: functions of the singular values of the base regressor, each with a smooth stand-in.

All are written in the logarithms ``l_i = log λ_i`` of the eigenvalues of the information matrix M = WᵀW, which neither overflow nor lose digits at any power.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from optid.errors import unknown_name

Array = NDArray[np.float64]

EXACT = np.inf


@dataclass(frozen=True)
class Criterion:
    """One criterion.

    Attributes
    ----------
    name : str
    meaning : str
        What is minimised, and its source.
    largest, smallest : bool
        Whether the largest eigenvalue counts, and the smallest: log of the p-norm of λ, and of 1/λ.
    volume : bool
        Whether the product of the eigenvalues counts.
    powers : tuple of float
        Powers of the stand-ins that are minimised one after another; infinite is the criterion itself.
    spread : bool
        Whether the extreme elements of the regressor are added.

    Examples
    --------
    >>> from optid.excitation import CRITERIA
    >>> CRITERIA["condition"].name, CRITERIA["a"].meaning != ""
    ('condition', True)
    """

    name: str
    meaning: str
    largest: bool = False
    smallest: bool = False
    volume: bool = False
    powers: tuple[float, ...] = (1.0, 4.0, 32.0)
    spread: bool = False

    def value(self, logs: Array, power: float = EXACT) -> float:
        """The (stand-in of the) criterion for the logarithms (r,) of the eigenvalues; half of them, that is logarithms of singular values, are summed."""
        total = 0.0
        if self.volume:
            total -= float(logs.mean())
        if self.largest:
            total += _soft_max(logs, power)
        if self.smallest:
            total += _soft_max(-logs, power)
        return 0.5 * total

    def slope(self, logs: Array, power: float = EXACT) -> Array:
        """Derivative of :meth:`value` with respect to the logarithms (r,)."""
        total = np.zeros_like(logs)
        if self.volume:
            total -= 1.0 / len(logs)
        if self.largest:
            total += _weights(logs, power)
        if self.smallest:
            total -= _weights(-logs, power)
        return 0.5 * total

    def curvature(self, logs: Array, power: float) -> Array:
        """Second derivatives (r, r) of :meth:`value` with respect to the logarithms."""
        total = np.zeros((len(logs), len(logs)))
        for wanted, signed in ((self.largest, logs), (self.smallest, -logs)):
            if wanted:
                weights = _weights(signed, power)
                total += power * (np.diag(weights) - np.outer(weights, weights))
        return 0.5 * total


def _soft_max(logs: Array, power: float) -> float:
    """Logarithm of the p-norm."""
    top = float(logs.max())
    if np.isinf(power):
        return top
    return top + float(np.log(np.exp(power * (logs - top)).sum())) / power


def _weights(logs: Array, power: float) -> Array:
    """Derivative of the logarithm of the p-norm with respect to each logarithm."""
    if np.isinf(power):
        return np.eye(len(logs))[int(np.argmax(logs))]
    weights = np.exp(power * (logs - logs.max()))
    return np.asarray(weights / weights.sum())


CRITERIA: Mapping[str, Criterion] = MappingProxyType(
    {
        entry.name: entry
        for entry in (
            Criterion("condition", "log of the condition number s_max/s_min (Armstrong 1989; Gautier and Khalil 1992)", largest=True, smallest=True),
            Criterion("e", "-log s_min: the worst determined combination (E-optimality)", smallest=True),
            Criterion("d", "-log det(WᵀW)/(2r): the volume of the confidence region (D-optimality; Swevers et al. 1997)", volume=True, powers=(EXACT,)),
            Criterion("a", "log of trace((WᵀW)⁻¹)/2: the sum of the variances (A-optimality)", smallest=True, powers=(1.0,)),
            Criterion(
                "combined",
                "log(s_max/s_min + max|W|/min|W|): condition and scale together (Gautier and Khalil 1992)",
                largest=True,
                smallest=True,
                spread=True,
            ),
        )
    }
)


def criterion(name: str | Criterion) -> Criterion:
    """The criterion of that name (or given).

    Raises
    ------
    UnknownNameError
    """
    if isinstance(name, Criterion):
        return name
    if name not in CRITERIA:
        raise unknown_name("criterion", name, CRITERIA)
    return CRITERIA[name]
