"""The samples that an identification or a validation works on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.arrays import numbers
from optid.brief import brief
from optid.errors import DataError, ShapeError, sentence

from .filters import decimate

Array = NDArray[np.float64]

CHUNK = 2**14
"""Samples that one thread works on at a time."""


@dataclass(frozen=True)
class Samples:
    """Positions, their derivatives and torques at the same instants, with what may be used of them.

    Attributes
    ----------
    time : (N,) [s]
    q, dq, ddq : (N, n) [rad, rad/s, rad/s²; m for prismatic joints]
    tau : (N, n) [N m]
        Torque, filtered as the options asked.
    tau_raw : (N, n) [N m]
        Unfiltered torque at the same instants.
    use : (N, n) bool
        Whether the equation of joint j at sample k may be used; False at rest, at filled holes, ...
    rate : float [Hz]
    resting : (N, n) bool or None
        Where a joint stands: for a while it moves no faster than the selection by speed asks, and the sign of its velocity is noise.
    joint_names : n-tuple of str, or empty
    segment : (N,) int
        Number of the uninterrupted piece that the sample belongs to; nothing may be filtered or differentiated across its ends.
    decimation : int
        Factor by which torque and regressor columns are still to be decimated, alike (:meth:`decimated`).
    harmonics : int or None
        The samples are one cycle whose torque holds this many harmonics; where every sample is used, torque and regressor columns are still to be limited to
        them, alike (:meth:`in_band`). None: no cycle.
    independent_share : float
        Independent torque samples over all of them: a low-pass ties neighbours together. A covariance that takes all residuals as independent is too small by
        this factor, and N times this factor is the number of samples to count degrees of freedom with.
    tau_band : (N, n) or None [N m]
        Half width of the 95 % band of one measured torque about ``tau_raw``; known only from repeated cycles.
    noise_floor : (n,) or None [N m]
        Standard deviation of the torque over cycles.
    cutoffs : mapping str → float [Hz]
        Low-passes that were applied, of "position", "velocity", "acceleration" and "torque"; what is missing was not filtered.
    counts : mapping str → int
        Samples recorded, dropped (and why) and kept.
    notes : tuple of str
        What was done and decided, one sentence each.
    name, role : str
        Those of the trial.

    Examples
    --------
    >>> import numpy as np
    >>> from optid.signals import Samples
    >>> q = np.zeros((100, 2))
    >>> samples = Samples.from_arrays(q, q + 1, q, q, rate=50)
    >>> samples.n, samples.n_samples
    (2, 100)
    """

    time: Array
    q: Array
    dq: Array
    ddq: Array
    tau: Array
    tau_raw: Array
    use: NDArray[np.bool_]
    rate: float
    resting: NDArray[np.bool_] | None = None
    joint_names: tuple[str, ...] = ()
    segment: NDArray[np.int64] = field(default=None)  # type: ignore[arg-type]
    decimation: int = 1
    harmonics: int | None = None
    independent_share: float = 1.0
    tau_band: Array | None = None
    noise_floor: Array | None = None
    cutoffs: Mapping[str, float] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    name: str = "trial"
    role: str = "identification"

    __repr__ = brief

    def __post_init__(self) -> None:
        if self.segment is None:
            object.__setattr__(self, "segment", np.zeros(len(self.time), dtype=np.int64))
        shape = np.shape(self.q)
        if len(shape) != 2 or np.shape(self.time) != shape[:1] or np.shape(self.segment) != shape[:1]:
            raise ShapeError(sentence(f"samples of {self.name!r}", f"time {np.shape(self.time)}, q {shape}", "(N,) and (N, n)"))
        for what in ("dq", "ddq", "tau", "tau_raw", "use"):
            if np.shape(getattr(self, what)) != shape:
                raise ShapeError(sentence(f"{what} of samples {self.name!r}", f"shape {np.shape(getattr(self, what))}", f"{shape}, as q"))

    @classmethod
    def from_arrays(
        cls,
        q: ArrayLike,
        dq: ArrayLike,
        ddq: ArrayLike,
        tau: ArrayLike,
        *,
        time: ArrayLike | None = None,
        use: ArrayLike | None = None,
        rate: float = 1.0,
        name: str = "samples",
    ) -> Samples:
        """Samples from arrays (N, n) that need no preparation, such as simulated ones; ``time`` defaults to k / rate."""
        for what, given in zip(("q", "dq", "ddq", "tau"), (q, dq, ddq, tau), strict=True):
            if isinstance(given, np.ma.MaskedArray):
                raise DataError(sentence(f"{what} of samples {name!r}", "a masked array", "a plain array", "Say what to use with use=~mask."))
        arrays = [numbers(x, f"{what} of samples {name!r}").copy() for what, x in zip(("q", "dq", "ddq", "tau"), (q, dq, ddq, tau), strict=True)]
        arrays = [x[:, None] if x.ndim == 1 else x for x in arrays]
        n_samples = len(arrays[0])
        stamps = np.arange(n_samples) / rate if time is None else numbers(time, f"time of samples {name!r}").copy()
        mask = np.ones(arrays[0].shape, dtype=bool) if use is None else np.array(use, dtype=bool)
        for what, array in zip(("q", "dq", "ddq", "tau"), arrays, strict=True):
            if not np.isfinite(array).all():
                row, column = np.argwhere(~np.isfinite(array))[0]
                raise DataError(sentence(f"{what} of samples {name!r}", f"{array[row, column]} at row {row}, column {column}", "finite numbers"))
        position, velocity, acceleration, torque = arrays
        return cls(
            time=stamps,
            q=position,
            dq=velocity,
            ddq=acceleration,
            tau=torque,
            tau_raw=torque.copy(),
            use=mask,
            rate=float(rate),
            name=name,
            counts={"recorded": n_samples, "kept": n_samples},
        )

    @property
    def n(self) -> int:
        """Number of joints."""
        return int(self.q.shape[1])

    @property
    def n_samples(self) -> int:
        """Number of samples N."""
        return int(self.q.shape[0])

    @property
    def used(self) -> NDArray[np.int64]:
        """(n,) how many equations of each joint may be used."""
        return np.asarray(self.use.sum(axis=0), dtype=np.int64)

    def decimated(self, x: ArrayLike) -> Array:
        """``x`` (N, ...) decimated by :attr:`decimation`, segment by segment; unchanged when that is 1."""
        signal = np.asarray(x, dtype=float)
        if self.decimation == 1:
            return signal
        flat = signal.reshape(len(signal), -1)
        return np.concatenate([decimate(flat[part], self.decimation) for part in self.parts()]).reshape(-1, *signal.shape[1:])

    def decimated_use(self) -> NDArray[np.bool_]:
        """The mask :attr:`use` at the samples that :meth:`decimated` keeps."""
        return self.use if self.decimation == 1 else np.concatenate([self.use[part][:: self.decimation] for part in self.parts()])

    @property
    def band_limited(self) -> bool:
        """Whether the equations are to be limited to :attr:`harmonics`: the samples are a whole cycle, of which none is left out."""
        return self.harmonics is not None and bool(self.use.all())

    @property
    def n_chunks(self) -> int:
        """Number of :meth:`chunk`."""
        return 1 if self.decimation > 1 or self.band_limited else max(-(-self.n_samples // CHUNK), 1)

    def chunk(self, k: int) -> tuple[Samples, slice]:
        """The k-th of consecutive parts that can be worked on apart, and which of the equations that it gives (after decimation) belong to it."""
        if self.n_chunks == 1:
            return self, slice(None)
        rows = slice(k * CHUNK, (k + 1) * CHUNK)
        arrays = {what: getattr(self, what)[rows] for what in ("time", "q", "dq", "ddq", "tau", "tau_raw", "use", "segment")}
        return replace(self, resting=None, tau_band=None, **arrays), slice(None)

    def whole(self) -> Samples:
        """Itself: all samples are in memory."""
        return self

    def in_band(self, x: ArrayLike, count: int | None = None) -> Array:
        """``x`` (N, ...) of the cycle with its mean and its first :attr:`harmonics` harmonics only, at ``count`` equal steps of the cycle (default N).

        Filtered like this, torque and regressor keep agreeing whatever the cut-off is. ``2·harmonics + 1`` steps hold all that is left; noise that was white
        is white again in them, so that they count as that many equations, no more.
        """
        signal = np.asarray(x, dtype=float)
        if self.harmonics is None:
            return signal
        n_samples = len(signal)
        size = n_samples if count is None else count
        return np.fft.irfft(np.fft.rfft(signal, axis=0)[: self.harmonics + 1], size, axis=0) * (size / n_samples)

    def parts(self) -> list[slice]:
        """One slice for each uninterrupted segment."""
        edges = np.flatnonzero(np.diff(self.segment)) + 1
        return [slice(int(a), int(b)) for a, b in zip(np.r_[0, edges], np.r_[edges, self.n_samples], strict=True) if b > a]
