"""What a tuning minimises: Λ, from the motor torque after the move, and Ω, from the path of the tool (Axelsson 2009, eqs. 4.1 and 4.2)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.errors import DataError, sentence, unknown_name
from optid.experiment import Trial
from optid.signals.filters import lowpass

from .record import LoopRecord

Array = NDArray[np.float64]

NORMS = ("L1", "L2", "Linf")


def settled(record: LoopRecord, share: float = 0.01, guard: float = 0.01) -> float:
    """T [s]: from here on the torque feedforward of every run is constant.

    The later of the motion's end and of the last time at which a feedforward is further from its final value than ``share`` of its swing, plus ``guard`` [s].
    The end of the motion alone would be too early: damper and friction go on to move the feedforward for some hundredths of a second, and a window that
    contains this hides the minimum of Λ.
    """
    u = record.feedforward
    away = np.abs(u - u[:, -1:, :])
    moving = (away > share * np.ptp(u, axis=1, keepdims=True)).any(axis=(0, 2))
    last = float(record.time[np.flatnonzero(moving)[-1]]) if moving.any() else 0.0
    return max(last, record.duration) + guard


@dataclass(frozen=True)
class TorqueTail:
    """The rule by which a recorded motor torque becomes the residual oscillation, and that a number.

    Attributes
    ----------
    start : float [s]
        T, see :func:`settled`; the record before it is cut off first, so that the motion does not leak through the filter.
    cutoff : float [Hz]
        Of the zero-phase low-pass (Butterworth of order 4), after the straight line through the rest has been taken away.
    norm : "L1", "L2" or "Linf"
        L1 and L2 are means over the samples (sum of magnitudes, root of squares), so that records of different length compare; Linf is the largest.
    """

    start: float
    cutoff: float = 60.0
    norm: str = "L2"

    def __post_init__(self) -> None:
        if self.norm not in NORMS:
            raise unknown_name("norm", self.norm, NORMS)

    def signal(self, time: ArrayLike, torque: ArrayLike) -> Array:
        """Filtered tails (..., K, n) of torques (..., N, n).

        Raises
        ------
        DataError
            The record ends too soon after T, its clock is not steady, or it holds NaN.
        """
        t, tau = np.asarray(time, dtype=float), np.asarray(torque, dtype=float)
        keep = np.flatnonzero(t >= self.start - 1e-9)
        if len(keep) < 30:
            raise DataError(sentence("record of a tuning run", f"{len(keep)} samples after {self.start:.4g} s", "30 at least", "Record longer after the move."))
        steps = np.diff(t[keep])
        if np.ptp(steps) > 0.02 * np.mean(steps):
            raise DataError(sentence("record of a tuning run", f"steps of {steps.min():.3g} to {steps.max():.3g} s", "a steady clock", "Resample it first."))
        part = np.moveaxis(tau[..., keep, :], -2, 0)
        flat = part.reshape(len(keep), -1)
        line = np.column_stack([np.ones(len(keep)), np.linspace(-1, 1, len(keep))])
        flat = flat - line @ np.linalg.lstsq(line, flat, rcond=None)[0]
        smooth = lowpass(flat, self.cutoff, 1 / float(np.mean(steps)))
        return np.moveaxis(smooth.reshape(part.shape), 0, -2)

    def value(self, signal: ArrayLike) -> Array:
        """Λ (...) of tails (..., K, n): the norm over time, averaged over the axes [N m]."""
        r = np.asarray(signal, dtype=float)
        if self.norm == "L1":
            each = np.mean(np.abs(r), axis=-2)
        elif self.norm == "L2":
            each = np.sqrt(np.mean(r**2, axis=-2))
        else:
            each = np.max(np.abs(r), axis=-2)
        return np.asarray(each.mean(axis=-1))

    def of_record(self, record: LoopRecord) -> Array:
        """Λ (B,) of simulated runs."""
        return self.value(self.signal(record.time, record.torque))

    def of_trial(self, trial: Trial, axes: ArrayLike | None = None) -> tuple[float, Array]:
        """Λ and the tails (K, n), motor side, of a recorded run.

        Parameters
        ----------
        trial : Trial
            ``tau`` is the torque on the arm side; the attribute ``gears`` (n,) brings it to the motors (1 when there is none).
        axes : indices, optional
            Columns to look at; all by default.
        """
        if trial.tau is None:
            raise DataError(sentence(f"trial {trial.name!r}", "no torque", "the torque of the motors"))
        columns = np.arange(trial.n) if axes is None else np.asarray(axes, dtype=int)
        gears = np.asarray(trial.attributes.get("gears", np.ones(trial.n)), dtype=float)
        signal = self.signal(trial.time - trial.time[0], (trial.tau / gears)[:, columns])
        return float(self.value(signal)), signal


def tool_error(record: LoopRecord, start: float | None = None, detrend: bool = False) -> Array:
    """Ω (B,) [m]: root of the mean squared distance of the tool from its reference.

    Parameters
    ----------
    start : float, optional [s]
        Look at the record from here on only.
    detrend : bool
        Take a straight line away: without it Ω holds the sag that a wrong Υ leaves under gravity.
    """
    if record.tool_reference is None:
        raise DataError(sentence("record of a tuning run", "no reference of the tool", "one", "Simulate with reference_tool=True."))
    return path_error(record.time, record.tool, record.tool_reference, start, detrend)


def path_error(time: ArrayLike, tool: ArrayLike, reference: ArrayLike, start: float | None = None, detrend: bool = False) -> Array:
    """Ω (...) [m] of measured paths (..., N, k) against their reference (N, k), e.g. from a laser tracker."""
    t = np.asarray(time, dtype=float)
    error = np.asarray(tool, dtype=float) - np.asarray(reference, dtype=float)
    if start is not None:
        error = error[..., t >= start - 1e-9, :]
    if detrend:
        count = error.shape[-2]
        line = np.column_stack([np.ones(count), np.linspace(-1, 1, count)])
        error = error - line @ (np.linalg.pinv(line) @ error)
    return np.asarray(np.sqrt(np.mean(np.sum(error**2, axis=-1), axis=-1)))
