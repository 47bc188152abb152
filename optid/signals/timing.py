"""Time stamps: what they are worth, and how samples get onto a uniform grid.

Stamps with jitter come in two kinds, and no program can tell them apart: either the *sampling* was irregular and the stamps say so truly (resample from
them), or an exact clock was read late (replace the stamps by uniform ones, ``nominal``). Both are offered; a spread above 1 % is reported.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.errors import DataError, ShapeError, sentence

from .filters import columnwise

Array = NDArray[np.float64]
GAP_FACTOR = 10.0  # a step longer than this many median steps is a gap unless the caller says otherwise
UNIFORM_SPREAD = 0.01  # relative spread of the steps up to which samples count as uniform
INTERPOLATIONS = ("cubic", "pchip", "linear")


@dataclass(frozen=True)
class TimingReport:
    """What the time stamps of a recording look like.

    Attributes
    ----------
    n : int
        Number of stamps.
    median_step : float [s]
        Median of the positive steps.
    mean_rate : float [Hz]
        Steps over time, gaps left out.
    spread : float
        Standard deviation of the steps over their median, gaps and duplicates left out ("jitter").
    shortest, longest : float [s]
        Extreme steps, duplicates left out.
    duplicates, backward, gaps : int
        Steps that are zero, negative, longer than ``gap_length``.
    gap_length : float [s]

    Examples
    --------
    >>> import numpy as np
    >>> from optid.signals import TimingReport
    >>> report = TimingReport.of(np.delete(np.arange(100) * 0.01, slice(50, 60)))
    >>> report.gaps, round(report.median_step, 6)
    (1, 0.01)
    """

    n: int
    median_step: float
    mean_rate: float
    spread: float
    shortest: float
    longest: float
    duplicates: int
    backward: int
    gaps: int
    gap_length: float

    @property
    def uniform(self) -> bool:
        """Whether the steps spread by at most 1 %."""
        return self.spread <= UNIFORM_SPREAD

    def __str__(self) -> str:
        return (
            f"{self.n} stamps, median step {self.median_step * 1e3:.6g} ms ({self.shortest * 1e3:.4g} to {self.longest * 1e3:.4g} ms), "
            f"spread {self.spread:.2%}, "
            f"{self.duplicates} duplicates, {self.backward} backward, {self.gaps} gaps"
        )

    @classmethod
    def of(cls, time: ArrayLike, max_gap: float | None = None) -> TimingReport:
        """Look at stamps (N,) [s]; ``max_gap`` [s] defaults to ten median steps.

        Raises
        ------
        DataError
            For fewer than two stamps, stamps that are not finite, or no step forward at all.
        """
        stamps = np.asarray(time, dtype=float)
        if stamps.ndim != 1:
            raise ShapeError(sentence("time stamps", f"shape {stamps.shape}", "(N,)"))
        if len(stamps) < 2:
            raise DataError(sentence("time stamps", f"{len(stamps)} of them", "at least two"))
        if not np.isfinite(stamps).all():
            row = int(np.flatnonzero(~np.isfinite(stamps))[0])
            raise DataError(sentence(f"time stamp at row {row}", stamps[row], "a finite number"))
        steps = np.diff(stamps)
        forward = steps[steps > 0]
        if not len(forward):
            raise DataError(sentence("time stamps", "none is later than the one before", "increasing times in seconds"))
        median = float(np.median(forward))
        gap_length = GAP_FACTOR * median if max_gap is None else float(max_gap)
        inside = forward[forward <= gap_length]
        if not len(inside):
            raise DataError(sentence("largest gap to bridge", f"{gap_length:g} s", f"at least the shortest step, {forward.min():g} s"))
        return cls(
            n=len(stamps),
            median_step=median,
            mean_rate=float(len(inside) / inside.sum()),
            spread=float(inside.std() / median),
            shortest=float(forward.min()),
            longest=float(forward.max()),
            duplicates=int((steps == 0).sum()),
            backward=int((steps < 0).sum()),
            gaps=int((forward > gap_length).sum()),
            gap_length=gap_length,
        )


def increasing(time: ArrayLike) -> NDArray[np.bool_]:
    """(N,) mask that keeps the first of equal stamps.

    Raises
    ------
    DataError
        At the first stamp that goes back, named by row.
    """
    stamps = np.asarray(time, dtype=float)
    steps = np.diff(stamps)
    if (steps < 0).any():
        row = int(np.flatnonzero(steps < 0)[0]) + 1
        raise DataError(
            sentence(
                f"time stamps at row {row}",
                f"{stamps[row]:.9g} s after {stamps[row - 1]:.9g} s",
                "increasing times",
                "Sort or cut the recording before using it.",
            )
        )
    return np.r_[True, steps > 0][: len(stamps)]


def segments(time: ArrayLike, gap_length: float) -> list[slice]:
    """Uninterrupted pieces of increasing stamps: slices between steps longer than ``gap_length`` [s].

    Examples
    --------
    >>> from optid.signals import segments
    >>> segments([0.0, 0.1, 0.2, 1.0, 1.1], gap_length=0.5)
    [slice(0, 3, None), slice(3, 5, None)]
    """
    stamps = np.asarray(time, dtype=float)
    edges = np.flatnonzero(np.diff(stamps) > gap_length) + 1
    return [slice(int(a), int(b)) for a, b in zip(np.r_[0, edges], np.r_[edges, len(stamps)], strict=True) if b > a]


def tidy_rate(step: float) -> float:
    """The rate [Hz] of a step [s], rounded to three significant digits when that changes it by less than 0.5 % (100.07 Hz becomes 100 Hz)."""
    rate = 1 / step
    rounded = float(f"{rate:.3g}")
    return rounded if abs(rounded / rate - 1) < 0.005 else rate


def interpolate(time: ArrayLike, x: ArrayLike, at: ArrayLike, method: str = "cubic") -> Array:
    """Values of the columns of ``x`` (N, n), given at increasing stamps, at other instants.

    Parameters
    ----------
    time : (N,) [s], increasing
    x : (N,) or (N, n)
    at : (M,) [s], inside the stamps (ends are not extrapolated)
    method : "cubic", "pchip" or "linear"
        Cubic spline (twice differentiable, for smooth motion; the default), PCHIP (never overshoots, flattens peaks), straight lines (a low-pass that depends
        on where the instants fall). Too few samples for one method fall back to the next.

    Raises
    ------
    DataError
        When an instant lies outside the stamps, or stamps do not increase.

    Examples
    --------
    >>> import numpy as np
    >>> from optid.signals import interpolate
    >>> t = np.linspace(0, 1, 6)
    >>> interpolate(t, (t**3)[:, None], [0.5]).round(12)
    array([[0.125]])
    """
    stamps, instants = np.asarray(time, dtype=float), np.asarray(at, dtype=float)
    signal = np.asarray(x, dtype=float)
    if method not in INTERPOLATIONS:
        raise DataError(sentence("interpolation", repr(method), " or ".join(map(repr, INTERPOLATIONS))))
    if not increasing(stamps).all():
        raise DataError(sentence("stamps to interpolate between", "equal ones", "increasing times", "Drop duplicates first."))
    if len(instants) and (len(stamps) == 0 or instants.min() < stamps[0] or instants.max() > stamps[-1]):
        raise DataError(sentence("instants to interpolate at", "some outside the recording", "all between its first and last stamp"))
    return columnwise(lambda column: _interpolator(stamps, column, method, instants), signal)


def _interpolator(time: Array, x: Array, method: str, at: Array) -> Array:
    from scipy.interpolate import CubicSpline, PchipInterpolator

    if method == "cubic" and len(time) >= 4:
        return np.asarray(CubicSpline(time, x)(at))
    if method == "pchip" and len(time) >= 3:
        return np.asarray(PchipInterpolator(time, x)(at))
    return np.interp(at, time, x)


def uniform_grid(time: ArrayLike, rate: float) -> Array:
    """Instants ``first + k / rate`` up to the last stamp."""
    stamps = np.asarray(time, dtype=float)
    steps = int(np.floor((stamps[-1] - stamps[0]) * rate * (1 + 1e-12) + 1e-9))
    return np.minimum(stamps[0] + np.arange(steps + 1) / rate, stamps[-1])
