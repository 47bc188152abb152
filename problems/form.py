"""What all forms share."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from optid.errors import LimitsError, ShapeError, UnsuitableSolverError, sentence

from .checks import bounds, named, vector

if TYPE_CHECKING:
    from optid.solvers.solution import Solution

Start = Callable[[np.random.Generator], Any]


class Form:
    """What all forms share: names, scales, bounds, a start, and the value and violation of any point.

    Examples
    --------
    >>> from optid.problems import BlackBox, Form
    >>> form = BlackBox(lambda x: float(x[0] ** 2), lower=[-1], upper=[1])
    >>> isinstance(form, Form), form.evaluate([0.5])
    (True, (0.25, 0.0))
    """

    names: tuple[str, ...]
    lower: np.ndarray
    upper: np.ndarray
    scales: np.ndarray
    x0: np.ndarray | None
    start: Start | None
    integer: bool = False

    @property
    def size(self) -> int:
        """Number of variables."""
        return len(self.names)

    @property
    def needs(self) -> frozenset[str]:
        """Solver features without which the problem cannot be taken."""
        raise NotImplementedError

    def evaluate(self, x: np.ndarray) -> tuple[float, float]:
        """Return the objective and the largest violation of any constraint at ``x`` (n,)."""
        raise NotImplementedError

    def form(self) -> Form:
        """A form is a problem whose form is itself."""
        return self

    def interpret(self, solution: Solution) -> Any:
        """A form's result is the solution."""
        return solution

    def settle(self, x: np.ndarray) -> np.ndarray:
        """The point that is kept instead of an answer ``x``; a problem that knows a better one near it says so."""
        return x

    def following(self, x: np.ndarray) -> Form | None:
        """The form to be solved next, from the answer ``x``; None when this one was the last of its sequence."""
        return None

    def start_point(self, rng: np.random.Generator, index: int = 0) -> np.ndarray:
        """Start of multistart run ``index`` (n,), inside the bounds.

        Run 0 begins at ``x0`` when there is one. Later runs, and run 0 without ``x0``, ask ``start(rng)``; without it they draw uniformly between
        finite bounds and normally, with the scale as standard deviation, around ``x0`` (or zero) in the other coordinates.
        """
        if index == 0 and self.x0 is not None:
            return np.clip(self.x0, self.lower, self.upper)
        if self.start is not None:
            drawn = vector(self.start(rng), self.size, "start(rng)")
            if not np.all(np.isfinite(drawn)):
                raise ShapeError(sentence("start(rng)", np.array2string(drawn, threshold=8), "finite numbers"))
            return np.clip(drawn, self.lower, self.upper)
        centre = np.zeros(self.size) if self.x0 is None else self.x0
        finite = np.isfinite(self.lower) & np.isfinite(self.upper)
        low, high = np.where(finite, self.lower, 0.0), np.where(finite, self.upper, 1.0)
        uniform = low + rng.random(self.size) * (high - low)
        spread = self.scales * rng.standard_normal(self.size)
        if index == 0:
            uniform, spread = 0.5 * (low + high), 0.0 * spread
        return np.clip(np.where(finite, uniform, centre + spread), self.lower, self.upper)

    def _functions(self, what: str, needed: tuple[str, ...], optional: tuple[str, ...]) -> None:
        """Check that what is called can be called."""
        for name in (*needed, *optional):
            value = getattr(self, name)
            if not callable(value) and (value is not None or name in needed):
                raise UnsuitableSolverError(sentence(f"{name} of {what}", repr(value), "a function of x"))

    def _settle(self, size: int) -> None:
        """Check and complete the shared fields of a frozen form of ``size`` variables."""
        names = named(self.names, size)
        if len(set(names)) < size:
            raise ShapeError(sentence("names", next(name for name in names if names.count(name) > 1) + " twice", "different names"))
        low, high = bounds(self.lower, self.upper, names)
        scales = vector(self.scales, size, "scales", fill=1.0)
        if not np.all(np.isfinite(scales) & (scales > 0)):
            i = int(np.flatnonzero(~(np.isfinite(scales) & (scales > 0)))[0])
            raise ShapeError(sentence(f"scale of {names[i]!r}", scales[i], "a finite positive number"))
        x0 = None if self.x0 is None else vector(self.x0, size, "x0")
        if x0 is not None and not np.all(np.isfinite(x0)):
            raise ShapeError(sentence("x0", f"{x0[~np.isfinite(x0)][0]} for {names[int(np.flatnonzero(~np.isfinite(x0))[0])]!r}", "finite numbers"))
        for key, value in {"names": names, "lower": low, "upper": high, "scales": scales, "x0": x0}.items():
            object.__setattr__(self, key, value)

    def _settle_start(self) -> None:
        """Check that a start that is given lies inside the bounds."""
        outside = np.zeros(0, dtype=int) if self.x0 is None else np.flatnonzero((self.x0 < self.lower) | (self.x0 > self.upper))
        if self.x0 is not None and outside.size:
            i = int(outside[0])
            raise LimitsError(sentence(f"start x0 of {self.names[i]!r}", f"{self.x0[i]:g}", f"a value in [{self.lower[i]:g}, {self.upper[i]:g}]"))

    def _settle_grid(self) -> None:
        """Check that whole numbers fit between the bounds of an integer form."""
        empty = np.flatnonzero(np.ceil(self.lower) > np.floor(self.upper))
        if self.integer and empty.size:
            i = int(empty[0])
            raise LimitsError(sentence(f"integer bounds of {self.names[i]!r}", f"[{self.lower[i]:g}, {self.upper[i]:g}]", "a whole number in between"))

    def snap(self, x: np.ndarray) -> np.ndarray:
        """The nearest point that may be evaluated: inside the bounds, on whole numbers for an integer form."""
        if not self.integer:
            return np.clip(x, self.lower, self.upper)
        return np.clip(np.rint(x), np.ceil(self.lower), np.floor(self.upper))

    @property
    def bounded(self) -> bool:
        """Whether any bound is finite."""
        return bool(np.any(np.isfinite(self.lower)) or np.any(np.isfinite(self.upper)))
