"""One line that says how good a model is, and for what."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from .units import percent, torque_unit

if TYPE_CHECKING:
    from optid.problems import IdentificationResult
    from optid.robot import Robot
    from optid.validation import JointScore, ValidationResult

NO_BETTER = 0.9
"""A joint whose error is above this part of a constant's is called no better than a constant."""


def verdict(fit: IdentificationResult, validations: Sequence[ValidationResult] = ()) -> str:
    """The verdict with its scope: which joints and motion, error beside the noise floor and beside a constant, and what is undetermined.

    Examples
    --------
    >>> from optid import validate
    >>> from optid.report import verdict
    >>> from optid.testing import example_fit, example_samples
    >>> fit = example_fit()
    >>> "joint" in verdict(fit, [validate(fit, example_samples())])
    True
    """
    parts = [_validated(v, v.trial in fit.trials, fit.base.model.robot) for v in validations] or [_trained(fit)]
    return " ".join([*parts, _determined(fit)])


def _validated(v: ValidationResult, same_name: bool, robot: Robot) -> str:
    seconds = float(v.time[-1] - v.time[0]) if len(v.time) else 0.0
    joints = f"{len(v.joints)} joint{'s' if len(v.joints) > 1 else ''}"
    use = "the fit used a trial of that name" if same_name else "not used for the fit"
    against = [j.rms / j.constant if j.constant > 0 else 0.0 for j in v.joints]
    worst = against.index(max(against))
    text = f"On {v.trial!r} ({joints}, {seconds:.3g} s, {use}) the predicted torque is off by {percent(v.errors.stacked)} of its size"
    text += f"; worst {v.joints[worst].name}: {_beside(v.joints[worst], torque_unit(robot, worst))}."
    poor = [j.name for j, share in zip(v.joints, against, strict=True) if share > NO_BETTER]
    if poor:
        text += f" No better than a constant there: {', '.join(poor)}."
    still = [j.name for j in v.joints if j.moving_share == 0]
    if still:
        text += f" Never moving there, so not tested: {', '.join(still)}."
    return text


def _beside(j: JointScore, unit: str) -> str:
    floor = "noise floor not known (no cycles)" if j.noise_floor is None else f"noise of one measurement {j.noise_floor:.3g} {unit}"
    return f"{j.rms:.3g} {unit} rms, a constant {j.constant:.3g} {unit}, {floor}"


def _trained(fit: IdentificationResult) -> str:
    data = ", ".join(fit.trials) or "samples"
    return f"Not validated: on its own data ({data}) the predicted torque is off by {percent(fit.errors().stacked)} of its size, no measure of other motion."


def _determined(fit: IdentificationResult) -> str:
    r, good = fit.base.rank, int(fit.determinacy.determined.sum())
    if good == r:
        return f"All {r} base parameters are determined."
    lost = [formula for formula, ok in zip(fit.formulas, fit.determinacy.determined, strict=True) if not ok]
    shown = ", ".join(lost[:4]) + (f" and {len(lost) - 4} more" if len(lost) > 4 else "")
    return f"{good} of {r} base parameters are determined; undetermined: {shown}."
