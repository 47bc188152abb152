"""Whether a recorded run was a good one, a bad one, or none at all."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np

from optid.errors import DataWarning, OptidError, sentence

from .objectives import measured
from .session_report import Verdict

if TYPE_CHECKING:
    from optid.experiment import Trial
    from optid.problems.flexibility import Rule

    from .settings import TuningSettings

STILL, LEAST_TRAVEL = 0.05, 1e-3
"""Part of an axis's travel that vibration may amount to, and travel below which nothing is said [rad]."""


def judged(trial: Trial, rule: Rule, settings: TuningSettings, first: float | None) -> Verdict:
    """The verdict on a run.

    Parameters
    ----------
    first : float or None
        Value of the first run; None for the first run itself.
    """
    if "failed" in trial.attributes:
        return Verdict(np.nan, str(trial.attributes["failed"]))
    if not trial.valid.all():
        return Verdict(np.nan, f"{int((~trial.valid).sum())} samples are not finite")
    limits = settings.limits
    try:
        with np.errstate(over="ignore"):
            value = float(rule.of_trial(trial)[0])
        torque = measured(trial, "torque") if trial.tau is not None or limits.max_torque is not None else None
    except OptidError as error:
        return Verdict(np.nan, str(error))
    if not np.isfinite(value):
        return Verdict(np.nan, f"the objective is {value}")
    if torque is not None and np.all(np.ptp(torque, axis=0) == 0):
        return Verdict(np.nan, "the torque never changes: the robot did not move, or the log is frozen")
    if torque is not None and limits.max_torque is not None:
        peak = np.abs(torque).max(axis=0)
        limit = np.broadcast_to(limits.max_torque, peak.shape)
        over = np.flatnonzero(peak > limit)
        if over.size:
            worst = over[np.argmax(peak[over] / limit[over])]
            return Verdict(value, f"motor torque of {settings.names[worst]} is {peak[worst]:.4g} N m, more than {limit[worst]:g}")
    if first is not None and value > limits.max_ratio * first:
        return Verdict(value, f"the objective is {value / first:.3g} times that of the first run, more than {limits.max_ratio:g}")
    return Verdict(value)


def warn_of_a_tail_in_the_move(trial: Trial, rule: Rule) -> None:
    """Warn where a robot still moves when its vibration is said to be all that is left.

    Warns
    -----
    DataWarning
        An angle at T is by more than :data:`STILL` of its travel away from where it ends.
    """
    start, clock = getattr(rule, "start", None), trial.time - trial.time[:1]
    if start is None or not trial.n_samples or start > clock[-1]:
        return
    travel = np.ptp(trial.q, axis=0)
    left = np.abs(trial.q[np.searchsorted(clock, start)] - trial.q[-1])
    far = np.flatnonzero((left > STILL * travel) & (travel > LEAST_TRAVEL))
    if far.size:
        name = trial.joint_names[far[0]] if trial.joint_names else f"axis {far[0]}"
        found = f"{left[far[0]]:.3g} rad from where it ends, after {travel[far[0]]:.3g} rad of travel"
        hint = "T counts from the first sample of the recording, and lies after the move."
        warnings.warn(sentence(f"{name} at T = {start:g} s", found, "a robot that stands still", hint), DataWarning, stacklevel=3)
