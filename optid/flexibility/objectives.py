"""What a tuning minimises: Λ, from the motor torque after the move, and Ω, from the path of the tool (Axelsson 2009, eqs. 4.1 and 4.2)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.arrays import finite, numbers
from optid.brief import brief
from optid.errors import DataError, ShapeError, sentence, unknown_name
from optid.experiment import Trial
from optid.model.arguments import instance, not_negative, positive, real
from optid.model.transmission import motor_torque
from optid.signals.filters import lowpass

from .record import LoopRecord

Array = NDArray[np.float64]

NORMS = ("L1", "L2", "Linf")
SOURCES = ("torque", "tool", "acceleration")


def settled(record: LoopRecord, share: float = 0.01, guard: float = 0.01) -> float:
    """T [s]: from here on the torque feedforward of every run is constant.

    The later of the motion's end and of the last time at which a feedforward is further from its final value than ``share`` of its swing, plus ``guard`` [s].
    The end of the motion alone would be too early: damper and friction go on to move the feedforward for some hundredths of a second, and a window that
    contains this hides the minimum of Λ.

    Parameters
    ----------
    share : float
        Between 0 and 1.
    guard : float [s]

    Examples
    --------
    >>> from optid.flexibility import FlexibleLoop, set_a, settled
    >>> from optid.flexibility.surfaces import experiment
    >>> loop = FlexibleLoop(set_a())
    >>> motion = experiment(loop, "zero", "++", "short")
    >>> motion.duration < settled(loop.simulate(motion, [[100, 100]])) < motion.duration + 0.2
    True
    """
    instance(record, LoopRecord, "record of a tuning run")
    not_negative(guard, "guard after the feedforward", "a finite time >= 0 [s]")
    if not 0 < real(share, "share of the feedforward's swing") < 1:
        raise DataError(sentence("share of the feedforward's swing", share, "a number between 0 and 1"))
    u = record.feedforward
    away = np.abs(u - u[:, -1:, :])
    moving = (away > share * np.ptp(u, axis=1, keepdims=True)).any(axis=(0, 2))
    last = float(record.time[np.flatnonzero(moving)[-1]]) if moving.any() else 0.0
    return max(last, record.duration) + guard


@dataclass(frozen=True)
class TailRule:
    """The rule by which a record becomes the residual oscillation, and that a number: Λ when it is the motors' torque.

    Attributes
    ----------
    start : float [s]
        T, see :func:`settled`; the record before it is cut off first, so that the motion does not leak through the filter.
    cutoff : float [Hz]
        Of the zero-phase low-pass (Butterworth of order 4), after the straight line through the rest has been taken away.
    norm : "L1", "L2" or "Linf"
        L1 and L2 are means over the samples (sum of magnitudes, root of squares), so that records of different length compare; Linf is the largest.
    of : "torque", "tool" or "acceleration"
        Motor torques, or what a laser tracker or an accelerometer at the tool has seen (attributes ``tool`` and ``acceleration`` (N, k) of a trial).

    Examples
    --------
    >>> from optid.flexibility import TailRule
    >>> TailRule(start=0.3).norm
    'L2'
    """

    start: float
    cutoff: float = 60.0
    norm: str = "L2"
    of: str = "torque"

    def __post_init__(self) -> None:
        not_negative(self.start, "start of a tail", "a finite time >= 0 [s]")
        positive(self.cutoff, "cutoff of a tail", "a frequency above 0 [Hz]")
        if self.of not in SOURCES:
            raise unknown_name("signal of a tail", self.of, SOURCES)
        if self.norm not in NORMS:
            raise unknown_name("norm", self.norm, NORMS)

    @property
    def unit(self) -> str:
        """Of the value."""
        return {"torque": "N m", "tool": "m", "acceleration": "m/s²"}[self.of]

    @property
    def label(self) -> str:
        """What the value is, with its unit."""
        return f"{'Λ' if self.of == 'torque' else 'vibration of the tool'} [{self.unit}]"

    def signal(self, time: ArrayLike, torque: ArrayLike) -> Array:
        """Filtered tails (..., K, n) of torques (..., N, n).

        Raises
        ------
        DataError
            The record ends too soon after T, its clock is not steady, or it holds NaN.
        """
        t, tau = numbers(time, "time of a tuning run"), numbers(torque, "signal of a tuning run")
        if t.ndim != 1 or tau.ndim < 2 or tau.shape[-2] != len(t) or not tau.shape[-1]:
            raise ShapeError(sentence("signal of a tuning run", f"shape {tau.shape} at times of shape {t.shape}", "(..., N, n) at times (N,)"))
        keep = np.flatnonzero(t >= self.start - 1e-9)
        if len(keep) < 30:
            raise DataError(sentence("record of a tuning run", f"{len(keep)} samples after {self.start:.4g} s", "30 at least", "Record longer after the move."))
        steps = np.diff(t[keep])
        if not steps.min() > 0 or np.ptp(steps) > 0.02 * np.mean(steps):
            raise DataError(sentence("record of a tuning run", f"steps of {steps.min():.3g} to {steps.max():.3g} s", "a steady clock", "Resample it first."))
        part = np.moveaxis(tau[..., keep, :], -2, 0)
        flat = part.reshape(len(keep), -1)
        line = np.column_stack([np.ones(len(keep)), np.linspace(-1, 1, len(keep))])
        flat = flat - line @ np.linalg.lstsq(line, flat, rcond=None)[0]
        smooth = lowpass(flat, self.cutoff, 1 / float(np.mean(steps)))
        return np.moveaxis(smooth.reshape(part.shape), 0, -2)

    def value(self, signal: ArrayLike) -> Array:
        """Λ (...) of tails (..., K, n): the norm over time, averaged over the axes [N m]."""
        r = numbers(signal, "tail of a tuning run")
        if r.ndim < 2 or 0 in r.shape[-2:]:
            raise ShapeError(sentence("tail of a tuning run", f"shape {r.shape}", "(..., K, n)"))
        if self.norm == "L1":
            each = np.mean(np.abs(r), axis=-2)
        elif self.norm == "L2":
            each = np.sqrt(np.mean(r**2, axis=-2))
        else:
            each = np.max(np.abs(r), axis=-2)
        return np.asarray(each.mean(axis=-1))

    def of_record(self, record: LoopRecord) -> Array:
        """The value (B,) of simulated runs, from torques or the tool."""
        instance(record, LoopRecord, "record of a tuning run")
        if self.of == "acceleration":
            raise DataError(sentence("tail of a simulated record", "acceleration", "torque or tool"))
        return self.value(self.signal(record.time, record.torque if self.of == "torque" else record.tool))

    def of_trial(self, trial: Trial) -> tuple[float, Array]:
        """The value and the tails (K, n) of a recorded run.

        Parameters
        ----------
        trial : Trial
            ``tau`` is the torque on the arm side; the attribute ``gears`` (n,), or (n, n), brings it to the motors (1 when there is none)
            by :func:`~optid.model.transmission.motor_torque`.
        """
        seen = measured(trial, self.of)
        signal = self.signal(trial.time - trial.time[:1], seen)
        return float(self.value(signal)), signal


def measured(trial: Trial, what: str) -> Array:
    """Motor torques, or the position or acceleration of the tool, (N, k), that a trial holds.

    Raises
    ------
    DataError
        When it does not.
    """
    instance(trial, Trial, "recording of a tuning run")
    if what == "torque" and trial.tau is not None:
        return motor_torque(trial.tau, _gears(trial))
    value = None if what == "torque" else trial.attributes.get(what)
    array = np.zeros((0, 0)) if value is None else _numbers(value, f"{what} of trial {trial.name!r}")
    if array.ndim != 2 or len(array) != trial.n_samples or not array.shape[1]:
        found = f"no {what}" if value is None else f"{what} of shape {array.shape}"
        raise DataError(sentence(f"trial {trial.name!r}", found, f"{what} with {trial.n_samples} rows"))
    return array


def _numbers(value: object, what: str) -> Array:
    """Numbers in a recording, which is at fault where they are none."""
    try:
        return numbers(value, what)
    except ShapeError as error:
        raise DataError(str(error)) from None


def _gears(trial: Trial) -> Array:
    """Gears of a trial (n,) or (n, n), of which none is zero."""
    gears = _numbers(trial.attributes.get("gears", np.ones(trial.n)), f"gears of trial {trial.name!r}")
    if gears.ndim == 0:
        gears = np.full(trial.n, float(gears))
    square = gears if gears.ndim == 2 else np.diag(gears)
    if square.shape != (trial.n, trial.n) or not np.isfinite(square).all() or np.linalg.matrix_rank(square) < trial.n:
        shown = np.array2string(gears, threshold=8)
        raise DataError(sentence(f"gears of trial {trial.name!r}", shown, f"{trial.n} finite numbers other than 0, or an invertible matrix"))
    return gears


@dataclass(frozen=True, eq=False)
class PathRule:
    """Ω of a recorded run whose attribute ``tool`` (N, k) holds the measured path of the tool, e.g. from a laser tracker.

    Attributes
    ----------
    time : (R,) [s]
    reference : (R, k) [m]
        The path wanted, in the axes of the measurement; straight lines in between.
    start : float or None [s]
    detrend : bool
        See :func:`path_error`.

    Examples
    --------
    >>> import numpy as np
    >>> from optid.flexibility import PathRule
    >>> PathRule(np.array([0.0, 0.1]), np.zeros((2, 2))).detrend
    False
    """

    time: Array
    reference: Array
    start: float | None = None
    detrend: bool = False

    __repr__ = brief

    def __post_init__(self) -> None:
        time = finite(self.time, (None,), "time of a path")
        reference = finite(self.reference, (len(time), None), "reference of a path")
        if not reference.size or np.any(np.diff(time) <= 0):
            raise DataError(sentence("reference of a path", f"{len(time)} times, {reference.shape[1]} coordinates", "one of each at least, at times that rise"))
        if self.start is not None:
            not_negative(self.start, "start of a path", "a finite time >= 0 [s], or None")
        object.__setattr__(self, "time", time)
        object.__setattr__(self, "reference", reference)

    @property
    def unit(self) -> str:
        """Of the value."""
        return "m"

    @property
    def label(self) -> str:
        """What the value is, with its unit."""
        return f"Ω [{self.unit}]"

    def of_trial(self, trial: Trial) -> tuple[float, Array]:
        """Ω [m] and the errors (K, k).

        Raises
        ------
        DataError
            The trial has no path of the tool, one of other coordinates, one that ends before the window, or NaN in it.
        """
        tool = measured(trial, "tool")
        clock = trial.time - trial.time[:1]
        wanted = np.column_stack([np.interp(clock, self.time, column) for column in self.reference.T])
        if tool.shape != wanted.shape:
            raise DataError(sentence(f"tool of trial {trial.name!r}", f"shape {tool.shape}", f"{wanted.shape}, like the reference"))
        if not np.isfinite(tool).all():
            raise DataError(
                sentence(f"tool of trial {trial.name!r}", f"{int((~np.isfinite(tool).all(axis=1)).sum())} rows that are not finite", "finite numbers")
            )
        keep = slice(None) if self.start is None else clock >= self.start - 1e-9
        return float(path_error(clock, tool, wanted, self.start, self.detrend)), (tool - wanted)[keep]


def tool_error(record: LoopRecord, start: float | None = None, detrend: bool = False) -> Array:
    """Ω (B,) [m]: root of the mean squared distance of the tool from its reference.

    Parameters
    ----------
    start : float, optional [s]
        Look at the record from here on only.
    detrend : bool
        Take a straight line away: without it Ω holds the sag that a wrong Υ leaves under gravity.

    Examples
    --------
    >>> from optid.flexibility import FlexibleLoop, set_a, tool_error
    >>> from optid.flexibility.surfaces import experiment
    >>> loop = FlexibleLoop(set_a())
    >>> record = loop.simulate(experiment(loop, "zero", "++", "short"), [[100, 100], [90, 90]])
    >>> bool(tool_error(record)[0] < tool_error(record)[1])  # the right stiffness follows the path better
    True
    """
    instance(record, LoopRecord, "record of a tuning run")
    if record.tool_reference is None:
        raise DataError(sentence("record of a tuning run", "no reference of the tool", "one", "Simulate with reference_tool=True."))
    return path_error(record.time, record.tool, record.tool_reference, start, detrend)


def path_error(time: ArrayLike, tool: ArrayLike, reference: ArrayLike, start: float | None = None, detrend: bool = False) -> Array:
    """Ω (...) [m] of measured paths (..., N, k) against their reference (N, k), e.g. from a laser tracker."""
    t, path, wanted = numbers(time, "time of a path"), numbers(tool, "path of the tool"), numbers(reference, "reference of a path")
    if wanted.ndim != 2 or t.shape != wanted.shape[:1] or path.shape[-2:] != wanted.shape or not wanted.shape[1]:
        found = f"shape {path.shape} at times of shape {t.shape}, with a reference of shape {wanted.shape}"
        raise ShapeError(sentence("path of the tool", found, "(..., N, k) at times (N,), with a reference (N, k)"))
    error = path - wanted
    if start is not None:
        error = error[..., t >= not_negative(start, "start of a path", "a finite time >= 0 [s], or None") - 1e-9, :]
    count = error.shape[-2]
    if count < (3 if detrend else 1):
        raise DataError(sentence("path of the tool", f"{count} samples" + (f" after {start:g} s" if start is not None else ""), "more"))
    if detrend:
        line = np.column_stack([np.ones(count), np.linspace(-1, 1, count)])
        error = error - line @ (np.linalg.pinv(line) @ error)
    return np.asarray(np.sqrt(np.mean(np.sum(error**2, axis=-1), axis=-1)))
