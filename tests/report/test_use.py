"""What a model may be used for follows from the stated thresholds."""

from __future__ import annotations

from dataclasses import replace

import pytest

from optid import DynamicModel
from optid.problems import IdentificationResult
from optid.report import assess
from optid.report.use import AT_NOISE, FEEDFORWARD, SIMULATION
from optid.validation import ValidationResult

from .conftest import Case


def judged(case: Case, *shares: float, fit: IdentificationResult | None = None, **changes: object) -> tuple[str, str]:
    """Level and headline when the joints are off by these shares of what a constant leaves."""
    found = assess(fit or case.fit, [off_by(case, *shares, **changes)])
    return found.level, found.headline


def off_by(case: Case, *shares: float, **changes: object) -> ValidationResult:
    joints = tuple(replace(j, rms=share * j.constant, **changes) for j, share in zip(case.validation.joints, shares, strict=True))  # type: ignore[arg-type]
    return replace(case.validation, joints=joints)


def test_levels(case: Case) -> None:
    assert case.fit.physical_report().ok and not case.fit.undetermined
    assert judged(case, SIMULATION, 0.1)[0] == "simulation"
    assert judged(case, SIMULATION + 0.01, 0.1)[0] == "feedforward"
    assert judged(case, FEEDFORWARD, FEEDFORWARD)[0] == "feedforward"
    assert judged(case, 0.2, FEEDFORWARD + 0.01) == ("some joints", "Usable for torque feedforward on shoulder; not on elbow.")
    assert judged(case, 0.6, 1.2)[0] == "none"
    assert assess(case.fit).level == "untested"


def test_nothing_is_left_to_explain_at_the_noise_floor(case: Case) -> None:
    """A joint whose error is that of one measurement is as good as it can be, whatever a constant does."""
    v = off_by(case, 0.8, 0.1)
    joint = v.joints[0]
    for floor, level in ((joint.rms / AT_NOISE, "simulation"), (joint.rms / AT_NOISE * 0.99, "some joints")):
        noisy = replace(v, joints=(replace(joint, noise_floor=floor), v.joints[1]))
        assert assess(case.fit, [noisy]).level == level


def test_joints_that_stand_are_not_off_by(case: Case) -> None:
    v = off_by(case, 0.1, 0.1)
    still = replace(v, joints=(v.joints[0], replace(v.joints[1], moving_share=0.0)))
    found = assess(case.fit, [still])
    assert found.level == "feedforward" and ("Not tested", "elbow: moves in less than 5.00% of the samples.") in found.statements
    assert assess(case.fit, [replace(v, joints=tuple(replace(j, moving_share=0.0) for j in v.joints))]).level == "untested"


def test_the_worst_trial_counts(case: Case) -> None:
    found = assess(case.fit, [off_by(case, 0.1, 0.3), replace(off_by(case, 0.4, 0.2), trial="other")])
    assert [(j.trial, pytest.approx(j.share)) for j in found.joints] == [("other", 0.4), ("task <1>", 0.3)]


def test_bodies_that_cannot_exist_are_no_simulation(case: Case) -> None:
    """The inertia of the last link turned negative: good torque, but forward dynamics would run away."""
    at = case.fit.base.names.index("Izz2")
    beta = case.fit.minimum_norm.copy()
    beta[at] = -5.0
    fit = replace(case.fit, beta=beta, minimum_norm=beta)
    found = assess(fit, [off_by(case, 0.1, 0.1)])
    assert found.level == "feedforward"
    assert not any("The robot's description" in text for _, text in found.statements)
    assert any(topic == "Not for simulation" and "Bodies that cannot exist" in text and "lower" in text for topic, text in found.statements)


def test_a_description_without_bodies_is_pointed_out(case: Case, arm: DynamicModel) -> None:
    """Where the robot's own link cannot exist, the parameters nearest to it can hardly do better."""
    links = (arm.robot.links[0], replace(arm.robot.links[1], inertia=(0.01, 0.0, 0.0, 0.3, 0.0, 9.0)))
    model = DynamicModel(replace(arm.robot, links=links), arm.friction)
    found = assess(replace(case.fit, base=replace(case.fit.base, model=model)))
    assert any("has links that cannot exist, too (lower)" in text for _, text in found.statements)
