"""The box of a derivative-free search: its free coordinates, each mapped to about [0, 1]."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from optid.problems.forms import Form


@dataclass(frozen=True, eq=False)
class Box:
    """Coordinates u (d,) of the free variables: 0 at the lower bound and 1 at the upper; (x − x0)/scale where a bound is missing.

    Coordinates with ``lower == upper`` are left out; those the form marks ``log`` are logarithmic.
    """

    form: Form
    x0: np.ndarray

    @cached_property
    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """Lower and upper bounds (n,), on whole numbers for an integer form."""
        if self.form.integer:
            return np.ceil(self.form.lower), np.floor(self.form.upper)
        return self.form.lower, self.form.upper

    @cached_property
    def free(self) -> np.ndarray:
        """Indices of the free variables (d,)."""
        return np.flatnonzero(self.bounds[0] < self.bounds[1])

    @property
    def size(self) -> int:
        """Number of free variables d."""
        return self.free.size

    @cached_property
    def _log(self) -> np.ndarray:
        return np.broadcast_to(np.asarray(getattr(self.form, "log", False), dtype=bool), (self.form.size,))[self.free]

    @cached_property
    def _frame(self) -> tuple[np.ndarray, np.ndarray]:
        """Origin and width (d,) in the searched scale."""
        low, high = self.bounds[0][self.free], self.bounds[1][self.free]
        boxed = np.isfinite(low) & np.isfinite(high)
        low = np.where(boxed, low, self.x0[self.free])
        high = np.where(boxed, high, low + self.form.scales[self.free])
        return self._warp(low), self._warp(high) - self._warp(low)

    @cached_property
    def finite(self) -> bool:
        """Whether every free variable has two finite bounds."""
        low, high = self.bounds
        return bool(np.all(np.isfinite(low[self.free]) & np.isfinite(high[self.free])))

    @cached_property
    def limits(self) -> tuple[np.ndarray, np.ndarray]:
        """Bounds of u (d,): 0 and 1, or infinite."""
        origin, width = self._frame
        low, high = self.bounds[0][self.free], self.bounds[1][self.free]
        with np.errstate(divide="ignore", invalid="ignore"):
            return (
                np.where(np.isfinite(low), (self._warp(low) - origin) / width, -np.inf),
                np.where(np.isfinite(high), (self._warp(high) - origin) / width, np.inf),
            )

    @cached_property
    def step(self) -> np.ndarray:
        """Size of one whole number in u (d,); 0 for a continuous form."""
        return 1.0 / self._frame[1] if self.form.integer else np.zeros(self.size)

    def _warp(self, values: np.ndarray) -> np.ndarray:
        """Values in the searched scale."""
        return np.where(self._log, np.log(np.where(self._log & (values > 0), values, 1.0)), values)

    def to_unit(self, x: np.ndarray) -> np.ndarray:
        """u (d,) of a point x (n,)."""
        origin, width = self._frame
        return (self._warp(np.asarray(x, dtype=float)[self.free]) - origin) / width

    def to_x(self, u: np.ndarray) -> np.ndarray:
        """x (n,) of u (d,), inside the bounds to the last bit and on whole numbers for an integer form."""
        origin, width = self._frame
        values = origin + np.asarray(u, dtype=float) * width
        x = np.array(self.bounds[0], dtype=float)
        x[self.free] = np.where(self._log, np.exp(np.where(self._log, values, 0.0)), values)
        return self.form.snap(x)
