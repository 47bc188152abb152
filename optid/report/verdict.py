"""One line that says how good a model is, and for what."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from optid.problems import IdentificationResult
    from optid.validation import JointScore, ValidationResult

NO_BETTER = 0.9
"""A joint whose error is above this part of a constant's is called no better than a constant."""


def verdict(fit: IdentificationResult, validations: Sequence[ValidationResult] = ()) -> str:
    """The verdict with its scope: which joints and motion, error beside the noise floor and beside a constant, and what is undetermined."""
    parts = [_validated(v, v.trial in fit.trials) for v in validations] or [_trained(fit)]
    return " ".join([*parts, _determined(fit)])


def _validated(v: ValidationResult, same_name: bool) -> str:
    seconds = float(v.time[-1] - v.time[0]) if len(v.time) else 0.0
    worst = max(v.joints, key=lambda j: j.rms / j.constant if j.constant > 0 else 0.0)
    joints = f"{len(v.joints)} joint{'s' if len(v.joints) > 1 else ''}"
    use = "the fit used a trial of that name" if same_name else "not used for the fit"
    text = (
        f"On {v.trial!r} ({joints}, {seconds:.3g} s, {use}) the model misses the torque by {v.errors.stacked:.2%} of its size; {_joint(worst, len(v.joints))}."
    )
    poor = [j.name for j in v.joints if j.rms > NO_BETTER * j.constant]
    if poor:
        text += f" No better than a constant there: {', '.join(poor)}."
    still = [j.name for j in v.joints if j.moving_share == 0]
    if still:
        text += f" Never moving there, so not tested: {', '.join(still)}."
    return text


def _joint(j: JointScore, n: int) -> str:
    which = f"the worst joint beside a constant, {j.name}," if n > 1 else f"{j.name}"
    floor = f"the noise floor is {j.noise_floor:.3g}" if j.noise_floor is not None else "the noise floor is not known (no cycles)"
    return f"{which} has {j.rms:.3g} rms where a constant has {j.constant:.3g} and {floor}"


def _trained(fit: IdentificationResult) -> str:
    data = ", ".join(fit.trials) or "samples"
    return f"Not validated: on its own data ({data}) the model misses the torque by {fit.errors().stacked:.2%} of its size, which says little of other motion."


def _determined(fit: IdentificationResult) -> str:
    r, good = fit.base.rank, int(fit.determinacy.determined.sum())
    if good == r:
        return f"All {r} base parameters are determined."
    lost = [formula for formula, ok in zip(fit.formulas, fit.determinacy.determined, strict=True) if not ok]
    shown = ", ".join(lost[:4]) + (f" and {len(lost) - 4} more" if len(lost) > 4 else "")
    return f"{good} of {r} base parameters are determined; undetermined: {shown}."
