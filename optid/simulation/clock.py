"""When a recorder takes its samples."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from optid.errors import DataError, sentence

Array = NDArray[np.float64]

ROUNDING = 1e-6
"""Part of a step by which a sum of steps may miss an instant that it means."""


@dataclass(frozen=True)
class Clock:
    """A recorder whose steps vary.

    Attributes
    ----------
    step : float [s]
        Mean time between samples.
    jitter : float [s]
        Standard deviation of a step about it.
    largest : float or None [s]
        No step deviates more than this. None: three standard deviations.

    Notes
    -----
    The steps vary, not the instants about a grid: as of a program that waits a fixed time after each sample, so that deviations add up.

    Examples
    --------
    >>> import numpy as np
    >>> from optid.simulation import Clock
    >>> Clock(0.01).step
    0.01
    """

    step: float
    jitter: float = 0.0
    largest: float | None = None

    def __post_init__(self) -> None:
        if not 0 < self.step < np.inf:
            raise DataError(sentence("step of a clock", self.step, "a positive number of seconds"))
        if not 0 <= self.bound < self.step or not 0 <= self.jitter < np.inf:
            raise DataError(sentence("jitter of a clock", f"{self.jitter} s, at most {self.bound} s", f"from 0 to less than the step, {self.step} s"))

    @property
    def bound(self) -> float:
        """Largest deviation of a step [s]."""
        return 3 * self.jitter if self.largest is None else self.largest

    def stamps(self, duration: float, rng: np.random.Generator) -> Array:
        """True instants (N,) of the samples in ``0 … duration`` [s], the first at 0."""
        if not 0 <= duration < np.inf:
            raise DataError(sentence("duration of a recording", duration, "a number of seconds, 0 or more"))
        count = int(np.floor(duration / (self.step - self.bound))) + 1
        steps = self.step + np.clip(self.jitter * rng.standard_normal(count), -self.bound, self.bound)
        time: Array = np.concatenate([[0.0], np.cumsum(steps)])
        return time[time <= duration + ROUNDING * self.step]
