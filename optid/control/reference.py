"""What a controller is told to follow, with its discretisation made explicit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.errors import DataError, sentence, unknown_name
from optid.model.arguments import found, positive, real

from .motion import Motion

Array = NDArray[np.float64]

DERIVATIVES = ("exact", "backward")


class Target(NamedTuple):
    """Wanted position, speed and acceleration, (n,) or (N, n) [rad, rad/s, rad/s²].

    Examples
    --------
    >>> from optid.control import Reference
    >>> from optid.trajectory import PointToPoint
    >>> Reference(PointToPoint([0.0], [1.0], 1.0)).wanted([0.5]).dq.round(12).ravel().tolist()  # 1.875, the middle of the law
    [1.875]
    """

    q: Array
    dq: Array
    ddq: Array


@dataclass(frozen=True, eq=False)
class Reference:
    """A motion as the controller sees it.

    Parameters
    ----------
    motion : Motion
        The motion that is wanted. Errors are measured against it, at every instant.
    hold : float [s] or None
        The controller sees samples of the motion, each held this long. None: it sees the motion itself.
    derivatives : "exact" or "backward"
        Held samples carry the motion's own derivatives, or backward differences of the samples: speed ``(q_k − q_{k−1}) / hold`` and the same difference of
        the speeds for the acceleration, both 0 at the first sample.
    lead : float [s]
        Simulated time t = 0 is time ``lead`` of the motion. (V08 advances its clock before the first sample: 1 ms.)

    Examples
    --------
    >>> from optid.control import Reference
    >>> from optid.trajectory import PointToPoint
    >>> reference = Reference(PointToPoint([0.0], [1.0], 1.0))
    >>> reference.wanted([0.5]).q.round(12).ravel().tolist()
    [0.5]
    """

    motion: Motion
    hold: float | None = None
    derivatives: str = "exact"
    lead: float = 0.0

    def __post_init__(self) -> None:
        if not callable(getattr(self.motion, "evaluate", None)):
            raise DataError(
                sentence("motion of a reference", found(self.motion), "a trajectory or a motion", "ExpressionMotion makes one of a function of time.")
            )
        if self.derivatives not in DERIVATIVES:
            raise unknown_name("derivatives of a reference", self.derivatives, DERIVATIVES)
        if self.hold is not None:
            positive(self.hold, "hold of a reference", "a positive number of seconds, or None")
        if self.derivatives == "backward" and self.hold is None:
            raise DataError(sentence("reference with backward differences", "no hold", "the sampling time of the differences"))
        if not 0 <= real(self.lead, "lead of a reference", "a number of seconds") < self.motion.duration:
            raise DataError(sentence("lead of a reference", self.lead, f"0 … {self.motion.duration:g} s, inside the motion"))

    @property
    def n(self) -> int:
        """Number of joints."""
        return self.motion.n

    @property
    def duration(self) -> float:
        """Simulated time that the motion lasts [s]."""
        return self.motion.duration - self.lead

    def wanted(self, t: ArrayLike) -> Target:
        """The motion itself at simulated times t (N,); its last instant is held after the end, at rest."""
        times = np.asarray(t, dtype=float).reshape(-1)
        inside = np.minimum(times, self.duration)
        q, dq, ddq = (np.array(x, dtype=float) for x in self.motion.evaluate(inside + self.lead))
        over = times > self.duration * (1 + 1e-12)
        dq[over], ddq[over] = 0.0, 0.0
        return Target(q, dq, ddq)

    def target(self, t: ArrayLike) -> Target:
        """What the controller sees at simulated times t (N,)."""
        times = np.asarray(t, dtype=float).reshape(-1)
        if self.hold is None:
            return self.wanted(times)
        index = np.floor(times / self.hold + 1e-9)
        seen = self.wanted(index * self.hold)
        if self.derivatives == "exact":
            return seen
        before, earlier = (self.wanted(np.maximum(index - k, 0) * self.hold).q for k in (1, 2))
        dq = (seen.q - before) / self.hold
        last = (before - earlier) / self.hold
        ddq = (dq - last) / self.hold
        ddq[index < 1] = 0.0
        return Target(seen.q, dq, ddq)

    def edges(self, start: float, stop: float) -> Array:
        """Instants in (start, stop) at which what the controller sees jumps."""
        if self.hold is None:
            return np.zeros(0)
        first, last = np.floor(start / self.hold + 1e-9) + 1, np.ceil(stop / self.hold - 1e-9)
        return np.arange(first, last) * self.hold
