"""Whether motors are strong enough for a motion: peak torque against the largest one, RMS and time above the rated one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.errors import DataError, ShapeError, sentence, unknown_name

from .arrays import numbers

Array = NDArray[np.float64]


@dataclass(frozen=True)
class AxisBudget:
    """One axis.

    Attributes
    ----------
    name : str
    peak : float [N m]
        Torque of largest magnitude, with its sign.
    peak_time : float [s]
    rms : float [N m]
        Over the whole time: what heats the motor.
    above_rated : float
        Share of the time in which the magnitude exceeds the rated torque; NaN without a rated torque.
    maximum, rated : float [N m]
        Infinite where they were not given.
    allowed : float
        Allowed share above rated; 1 where it was not given.
    """

    name: str
    peak: float
    peak_time: float
    rms: float
    above_rated: float
    maximum: float
    rated: float
    allowed: float

    @property
    def faults(self) -> tuple[str, ...]:
        """What is wrong, one phrase each; empty when the motor is strong enough."""
        found = []
        if abs(self.peak) > self.maximum:
            found.append(f"peak {self.peak:.4g} at {self.peak_time:.4g} s exceeds the maximum {self.maximum:.4g}")
        if self.rms > self.rated:
            found.append(f"rms {self.rms:.4g} exceeds the rated {self.rated:.4g}")
        if self.above_rated > self.allowed:
            found.append(f"above rated for {self.above_rated:.1%} of the time, allowed {self.allowed:.1%}")
        return tuple(found)

    @property
    def passed(self) -> bool:
        """Whether nothing is wrong."""
        return not self.faults


@dataclass(frozen=True)
class TorqueBudget:
    """All axes of one motion."""

    axes: tuple[AxisBudget, ...]

    @property
    def passed(self) -> bool:
        """Whether every motor is strong enough."""
        return all(axis.passed for axis in self.axes)

    def __getitem__(self, name: str) -> AxisBudget:
        for axis in self.axes:
            if axis.name == name:
                return axis
        raise unknown_name("axis", name, [axis.name for axis in self.axes])

    def table(self) -> str:
        """A readable table with the faults below."""
        width = max(len(axis.name) for axis in self.axes)
        lines = [f"{'axis':<{width}} {'peak':>10} {'at [s]':>8} {'of max.':>8} {'rms':>10} {'of rated':>8} {'above rated':>11}"]
        for axis in self.axes:
            of_max = f"{abs(axis.peak) / axis.maximum:.0%}" if np.isfinite(axis.maximum) else "-"
            of_rated = f"{axis.rms / axis.rated:.0%}" if np.isfinite(axis.rated) else "-"
            share = "-" if np.isnan(axis.above_rated) else f"{axis.above_rated:.1%}"
            lines.append(f"{axis.name:<{width}} {axis.peak:>10.4g} {axis.peak_time:>8.3f} {of_max:>8} {axis.rms:>10.4g} {of_rated:>8} {share:>11}")
        lines += [f"{axis.name}: {fault}" for axis in self.axes for fault in axis.faults]
        return "\n".join(lines)


def torque_budget(
    time: ArrayLike,
    tau: ArrayLike,
    *,
    maximum: ArrayLike | None = None,
    rated: ArrayLike | None = None,
    allowed: ArrayLike = 1.0,
    names: Sequence[str] = (),
) -> TorqueBudget:
    """Check torques of a motion against what the motors can give (P–Z).

    Parameters
    ----------
    time : (N,) [s]
        Increasing; steps need not be equal.
    tau : (N, n) [N m]
        Torques of the motors, or of the joints where ``maximum`` and ``rated`` are given for the joints.
    maximum, rated : scalar or (n,), optional [N m]
        Largest and rated torque, magnitudes.
    allowed : scalar or (n,)
        Share of the time that an axis may spend above its rated torque, from 0 to 1.
    names : n names, optional
    """
    t, torque = numbers(time, "times of a budget"), numbers(tau, "torques of a budget")
    torque = torque[:, None] if torque.ndim == 1 else torque
    if t.ndim != 1 or torque.ndim != 2 or len(t) != len(torque) or len(t) < 2:
        raise ShapeError(sentence("torques of a budget", f"time {t.shape}, tau {torque.shape}", "(N,) and (N, n) of at least two samples"))
    if not (np.diff(t) > 0).all() or not np.isfinite(torque).all():
        raise DataError(sentence("torques of a budget", "times that do not increase, or NaN", "finite torques at increasing times"))
    n = torque.shape[1]
    limits = []
    for what, value, default in (("maximum", maximum, np.inf), ("rated", rated, np.inf), ("allowed", allowed, 1.0)):
        array = numbers(default if value is None else value, f"{what} of a torque budget")
        if array.shape not in ((), (n,)) or np.isnan(array).any() or (array < 0).any():
            raise DataError(sentence(f"{what} of a torque budget", array.tolist(), f"a magnitude, or {n}: one an axis"))
        limits.append(np.broadcast_to(array, (n,)))
    labels = tuple(names) or tuple(f"axis {j + 1}" for j in range(n))
    if len(labels) != n:
        raise ShapeError(sentence("names of a torque budget", f"{len(labels)}", f"{n}, one an axis"))
    steps = np.diff(t)
    weight = np.concatenate([[steps[0] / 2], (steps[1:] + steps[:-1]) / 2, [steps[-1] / 2]]) / (t[-1] - t[0])
    size = np.abs(torque)
    at = size.argmax(axis=0)
    axes = []
    for j in range(n):
        top, usual, share = (float(limit[j]) for limit in limits)
        above = float(weight @ (size[:, j] > usual)) if np.isfinite(usual) else float("nan")
        rms = float(np.sqrt(weight @ torque[:, j] ** 2))
        axes.append(AxisBudget(labels[j], float(torque[at[j], j]), float(t[at[j]]), rms, above, top, usual, share))
    return TorqueBudget(tuple(axes))
