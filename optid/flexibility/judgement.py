"""Whether a recorded run was a good one, a bad one, or none at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from optid.errors import OptidError

from .objectives import measured
from .session_report import Verdict

if TYPE_CHECKING:
    from optid.experiment import Trial
    from optid.problems.flexibility import Rule

    from .settings import TuningSettings


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
