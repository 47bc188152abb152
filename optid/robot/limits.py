"""Motion and torque limits of the joints."""

from __future__ import annotations

from dataclasses import dataclass, replace
from numbers import Integral

import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.arrays import is_real, numbers
from optid.errors import LimitsError, ShapeError, sentence

Bounds = tuple[float, ...]


def _real(values: ArrayLike, what: str) -> NDArray[np.float64]:
    try:
        return numbers(values, what)
    except ShapeError as error:
        raise LimitsError(str(error)) from None


def _floats(values: ArrayLike, n: int, what: str) -> Bounds:
    array = _real(values, f"{what} limits")
    array = np.broadcast_to(array, (n,)) if array.ndim == 0 else array
    if array.shape != (n,):
        raise LimitsError(sentence(f"{what} limits", f"{array.size} values", f"{n}, one per joint"))
    if np.isnan(array).any():
        raise LimitsError(sentence(f"{what} limits", "NaN", "numbers; use inf for no limit"))
    return tuple(float(x) for x in array)


@dataclass(frozen=True)
class Limits:
    """Limits of n joints; ``inf`` where there is none.

    Attributes
    ----------
    lower, upper : n-tuples [rad or m]
    velocity, acceleration : n-tuples [rad/s, rad/s² or m/s, m/s²]
        Largest magnitudes.
    torque : n-tuple [N m or N]
        Largest magnitude of the joint-side drive torque.
    names : n-tuple of str
        Joint names, for messages.

    Examples
    --------
    >>> from optid import Limits
    >>> limits = Limits.of(2, position=1.5, velocity=(3.0, 4.0))
    >>> limits.scaled(position=0.8, velocity=0.5).velocity
    (1.5, 2.0)
    """

    lower: Bounds
    upper: Bounds
    velocity: Bounds
    acceleration: Bounds
    torque: Bounds
    names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        n = int(np.size(self.lower))
        names = tuple(self.names) or tuple(f"joint {i + 1}" for i in range(n))
        if len(names) != n:
            raise LimitsError(sentence("names of limits", f"{len(names)} names", f"{n}, one per joint"))
        object.__setattr__(self, "names", names)
        for what in ("lower", "upper", "velocity", "acceleration", "torque"):
            object.__setattr__(self, what, _floats(getattr(self, what), n, what))
        for j, name in enumerate(names):
            if self.lower[j] > self.upper[j]:
                raise LimitsError(sentence(f"position limits of {name!r}", f"lower {self.lower[j]:g} > upper {self.upper[j]:g}", "lower <= upper"))
            for what in ("velocity", "acceleration", "torque"):
                if getattr(self, what)[j] < 0:
                    raise LimitsError(sentence(f"{what} limit of {name!r}", f"{getattr(self, what)[j]:g}", "a magnitude >= 0"))

    @classmethod
    def of(
        cls,
        n: int,
        position: ArrayLike | None = None,
        velocity: ArrayLike = np.inf,
        acceleration: ArrayLike = np.inf,
        torque: ArrayLike = np.inf,
        lower: ArrayLike | None = None,
        upper: ArrayLike | None = None,
        names: tuple[str, ...] = (),
    ) -> Limits:
        """Limits of n joints from scalars or sequences.

        ``position`` is a magnitude (symmetric range) or pairs (n, 2) of lower and upper; ``lower`` and ``upper`` override it.
        """
        if isinstance(n, bool) or not isinstance(n, Integral) or n < 0:
            raise LimitsError(sentence("number of joints of limits", repr(n), "a whole number"))
        low: ArrayLike = -np.inf
        up: ArrayLike = np.inf
        if position is not None:
            array = _real(position, "position limits")
            if array.ndim > 1 and array.shape != (n, 2):
                raise LimitsError(sentence("position limits", f"shape {array.shape}", f"a magnitude, ({n},) magnitudes, or ({n}, 2) lower and upper"))
            low, up = (array[:, 0], array[:, 1]) if array.ndim == 2 else (-np.abs(array), np.abs(array))
        low = low if lower is None else lower
        up = up if upper is None else upper
        return cls(
            _floats(low, n, "lower"),
            _floats(up, n, "upper"),
            _floats(velocity, n, "velocity"),
            _floats(acceleration, n, "acceleration"),
            _floats(torque, n, "torque"),
            names,
        )

    @property
    def n(self) -> int:
        """Number of joints."""
        return len(self.lower)

    @property
    def position(self) -> NDArray[np.float64]:
        """Lower and upper position limits (n, 2)."""
        return np.column_stack([self.lower, self.upper])

    def scaled(self, position: float = 1.0, velocity: float = 1.0, acceleration: float = 1.0, torque: float = 1.0) -> Limits:
        """Limits times a fraction of each kind, never outside the original ones.

        A position bound is multiplied where that moves it towards zero (lower < 0, upper > 0); a joint whose range does not contain zero is scaled about the
        middle of its range.
        """
        for what, factor in (("position", position), ("velocity", velocity), ("acceleration", acceleration), ("torque", torque)):
            if not is_real(factor) or not 0 < factor <= 1:
                raise LimitsError(sentence(f"{what} fraction", str(factor) if isinstance(factor, float) else repr(factor), "a number in (0, 1]"))
        lower, upper = [], []
        for low, up in zip(self.lower, self.upper, strict=True):
            if low <= 0.0 <= up:
                lower.append(position * low if low < 0 else low)
                upper.append(position * up if up > 0 else up)
            else:
                middle, half = (low + up) / 2, (up - low) / 2 * position
                lower.append(max(low, middle - half))
                upper.append(min(up, middle + half))
        return replace(
            self,
            lower=tuple(lower),
            upper=tuple(upper),
            velocity=tuple(velocity * x for x in self.velocity),
            acceleration=tuple(acceleration * x for x in self.acceleration),
            torque=tuple(torque * x for x in self.torque),
        )
