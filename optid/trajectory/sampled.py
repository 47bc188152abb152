"""A trajectory through given samples."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from optid.errors import DataError, sentence

from .arrays import Array, names
from .piecewise import Piecewise, PiecewiseBacked, knots


@dataclass(frozen=True, eq=False, repr=False)
class Sampled(PiecewiseBacked):
    """The interpolating spline through positions q at given times; its derivatives are the spline's.

    Parameters
    ----------
    time : (N,) [s]
        Increasing; the trajectory's clock starts at the first one.
    q : (N, n) [rad or m]
    degree : int
        1, 3 or 5; lowered to what the number of samples allows.
    joint_names : n-tuple of str, optional

    Examples
    --------
    >>> import numpy as np
    >>> from optid.trajectory import Sampled
    >>> t = np.linspace(0, 1, 21)
    >>> motion = Sampled(t, np.sin(t)[:, None])
    >>> bool(abs(motion.derivative([0.5], 1)[0, 0] - np.cos(0.5)) < 1e-6)
    True
    """

    kind: ClassVar[str] = "sampled"

    time: Array
    q: Array
    degree: int = 5
    joint_names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        time, q = knots(self.time, self.q)
        if self.degree not in (1, 3, 5):
            raise DataError(sentence("degree of a sampled trajectory", self.degree, "1, 3 or 5"))
        object.__setattr__(self, "time", time)
        object.__setattr__(self, "q", q)
        object.__setattr__(self, "joint_names", names(self.joint_names, q.shape[1]))

    @property
    def n(self) -> int:
        """Number of joints."""
        return int(self.q.shape[1])

    @property
    def duration(self) -> float:
        """Length [s]."""
        return float(self.time[-1])

    @cached_property
    def pieces(self) -> Piecewise:
        """The motion as polynomial pieces."""
        from scipy.interpolate import make_interp_spline

        degree = max(d for d in (1, 3, 5) if d <= min(self.degree, len(self.time) - 1))
        return Piecewise.from_spline(make_interp_spline(self.time, self.q, degree), self.joint_names)
