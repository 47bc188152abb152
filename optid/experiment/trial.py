"""A trial: the recorded signals of one motion, SI units, joints in a stated order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.arrays import numbers
from optid.brief import brief
from optid.errors import DataError, ShapeError, UnknownNameError, sentence

from .equality import same

Array = NDArray[np.float64]
SIGNALS = ("q", "dq", "ddq", "tau", "current")
ROLES = ("identification", "validation")


def good_period(period: object) -> bool:
    """Whether it is a positive number of seconds, or None for no period."""
    return period is None or (isinstance(period, (int, float, np.number)) and not isinstance(period, bool) and bool(0 < period < np.inf))


@dataclass(frozen=True, eq=False)
class Trial:
    """Signals of one recording.

    Attributes
    ----------
    time : (N,) [s]
    q, dq, ddq : (N, n) or None [rad, rad/s, rad/s²; m for prismatic joints]
    tau : (N, n) or None [N m; N for prismatic joints]
        Joint-side torque.
    current : (N, n) or None [A]
    joint_names : n-tuple of str, empty when the recording does not say
    valid : (N,) bool
        False where a sample must not be used.
    role : "identification" or "validation"
    sources : mapping signal → "measured", "commanded" or "derived"
    period : float or None [s]
        Nominal period of a periodic motion.
    attributes : mapping
        Free notes (str, numbers, None, nested mappings).

    Examples
    --------
    >>> from optid import Trial
    >>> trial = Trial([0.0, 0.1, 0.2], [[0.0], [0.1], [0.3]], tau=[[1.0], [2.0], [3.0]], joint_names=("swing",), name="monday")
    >>> trial.n_samples, trial.joint_names
    (3, ('swing',))
    """

    time: Array
    q: Array
    dq: Array | None = None
    ddq: Array | None = None
    tau: Array | None = None
    current: Array | None = None
    joint_names: tuple[str, ...] = ()
    valid: NDArray[np.bool_] = field(default=None)  # type: ignore[arg-type]
    role: str = "identification"
    sources: Mapping[str, str] = field(default_factory=dict)
    period: float | None = None
    name: str = "trial"
    attributes: Mapping[str, Any] = field(default_factory=dict)

    __repr__ = brief

    def __post_init__(self) -> None:
        put = object.__setattr__
        for what in ("time", *SIGNALS):
            if isinstance(getattr(self, what), np.ma.MaskedArray):
                hint = "Fill the masked entries: array.filled(numpy.nan)."
                raise DataError(sentence(f"{what} of trial {self.name!r}", "a masked array", "a plain array", hint))
        put(self, "time", self._real("time"))
        if self.time.ndim != 1:
            raise ShapeError(sentence(f"time of trial {self.name!r}", f"shape {self.time.shape}", "(N,)"))
        q = self._real("q")
        put(self, "q", q[:, None] if q.ndim == 1 else q)
        shape = (len(self.time), self.q.shape[1] if self.q.ndim == 2 else -1)
        for what in SIGNALS:
            if getattr(self, what) is None:
                continue
            array = self._real(what)
            array = array[:, None] if array.ndim == 1 else array
            if array.shape != shape:
                raise ShapeError(sentence(f"{what} of trial {self.name!r}", f"shape {array.shape}", f"{shape}, samples by joints"))
            put(self, what, array)
        put(self, "joint_names", tuple(str(x) for x in self.joint_names))
        if self.joint_names and len(self.joint_names) != self.n:
            raise ShapeError(sentence(f"joint names of trial {self.name!r}", f"{len(self.joint_names)} names", f"{self.n}, one per column"))
        valid = np.ones(len(self.time), dtype=bool) if self.valid is None else np.array(self.valid, dtype=bool)
        if valid.shape != self.time.shape:
            raise ShapeError(sentence(f"valid of trial {self.name!r}", f"shape {valid.shape}", f"{self.time.shape}"))
        put(self, "valid", valid)
        if self.role not in ROLES:
            raise DataError(sentence(f"role of trial {self.name!r}", repr(self.role), " or ".join(map(repr, ROLES))))
        if not good_period(self.period):
            raise DataError(sentence(f"period of trial {self.name!r}", repr(self.period), "a positive number [s], or None"))

    def _real(self, what: str) -> Array:
        return numbers(getattr(self, what), f"{what} of trial {self.name!r}").copy()

    @property
    def n(self) -> int:
        """Number of joints."""
        return int(self.q.shape[1])

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return int(self.q.shape[0])

    def reordered(self, joint_names: Sequence[str]) -> Trial:
        """The same trial with its columns in the order of ``joint_names``.

        Raises
        ------
        UnknownNameError
            When a name is missing or unknown.
        """
        if not self.joint_names:
            raise UnknownNameError(
                sentence(f"trial {self.name!r}", "no joint names", "names to reorder by", "Give joint_names= when you make or import the trial.")
            )
        missing = [x for x in joint_names if x not in self.joint_names]
        unknown = [x for x in self.joint_names if x not in joint_names]
        if missing or unknown:
            raise UnknownNameError(
                sentence(
                    f"joint names of trial {self.name!r}",
                    f"{', '.join(self.joint_names)} (missing: {', '.join(missing) or 'none'}; unknown: {', '.join(unknown) or 'none'})",
                    ", ".join(joint_names),
                )
            )
        order = [self.joint_names.index(x) for x in joint_names]
        changed: dict[str, Any] = {what: getattr(self, what)[:, order] for what in SIGNALS if getattr(self, what) is not None}
        return replace(self, joint_names=tuple(joint_names), **changed)

    def window(self, start: int | None = None, stop: int | None = None) -> Trial:
        """Samples ``start:stop`` (Python slice) of every signal."""
        return self.select(slice(start, stop))

    def select(self, index: slice | NDArray[Any]) -> Trial:
        """The samples picked by a slice, a mask or an index array."""
        changed: dict[str, Any] = {what: getattr(self, what)[index] for what in SIGNALS if getattr(self, what) is not None}
        return replace(self, time=self.time[index], valid=self.valid[index], **changed)

    def with_torque_from_current(self, gains: ArrayLike) -> Trial:
        """The same trial with ``tau = gain · current`` (gains (n,) [N m/A], joint side)."""
        if self.current is None:
            raise DataError(sentence(f"trial {self.name!r}", "no current", "a current signal to turn into torque"))
        gain = numbers(gains, f"current gains for trial {self.name!r}")
        if gain.shape != (self.n,):
            raise ShapeError(sentence(f"current gains for trial {self.name!r}", f"shape {gain.shape}", f"({self.n},)"))
        return replace(self, tau=self.current * gain, sources={**self.sources, "tau": "derived"})

    def masked(self) -> Trial:
        """The same trial with ``valid`` False at every sample that holds a NaN or an infinite number."""
        valid = self.valid & np.isfinite(self.time)
        for what in SIGNALS:
            if getattr(self, what) is not None:
                valid = valid & np.isfinite(getattr(self, what)).all(axis=1)
        return replace(self, valid=valid)

    def __eq__(self, other: object) -> bool:
        return same(self, other) if isinstance(other, Trial) else NotImplemented

    __hash__ = None  # type: ignore[assignment]
