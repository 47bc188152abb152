"""The proof against limits and the sentences of its refusals."""

from __future__ import annotations

import numpy as np
import pytest

from optid.errors import LimitsError
from optid.robot import Limits
from optid.trajectory import Fourier, PointToPoint, RampedFourier, irb140_g21, stopped

# Gonzalez 2021: 0.8 of the IRB140's ranges and 0.7 of its speeds; accelerations as the published optimum reaches at its samples.
G21_LIMITS = Limits.of(
    3,
    lower=np.deg2rad([-144.0, -72.0, -184.0]),
    upper=np.deg2rad([144.0, 88.0, 40.0]),
    velocity=np.deg2rad([140.0, 140.0, 182.0]),
    acceleration=[11.875, 10.144, 10.423],
)


def test_published_optimum_breaks_its_limits_between_samples() -> None:
    report = irb140_g21().check(G21_LIMITS)
    assert not report.proven and not report
    excess = {(v.index, v.quantity, v.limit > 0): v for v in report.violations}
    assert np.rad2deg(excess[1, "position", True].amount) == pytest.approx(0.136, abs=6e-4)
    assert np.rad2deg(excess[1, "position", False].amount) == pytest.approx(0.069, abs=6e-4)
    assert np.rad2deg(excess[2, "position", False].amount) == pytest.approx(0.081, abs=6e-4)
    assert np.rad2deg(excess[0, "velocity", True].amount) == pytest.approx(0.96, abs=6e-3)
    assert excess[1, "acceleration", True].amount == pytest.approx(0.017, abs=6e-4)
    assert excess[2, "acceleration", True].amount == pytest.approx(0.016, abs=6e-4)
    worst = excess[1, "position", True]
    assert irb140_g21().evaluate(worst.time)[0][0, 1] == pytest.approx(worst.value, abs=1e-12)


def test_refusal_names_joint_quantity_time_and_amount() -> None:
    with pytest.raises(LimitsError, match=r"joint 2: position 1\.5382715 at 0\.123389 s is 0\.00238 above the limit 1\.5358897"):
        irb140_g21().check_or_raise(G21_LIMITS)


def test_margins_are_the_distances_to_the_limits() -> None:
    motion = Fourier(0.5, [3.0], [4.0], 2 * np.pi, joint_names=("shoulder",))
    report = motion.check(Limits.of(1, lower=-6.0, upper=6.0, velocity=7.0), jerk=5.5)
    assert report.proven
    assert {k: float(v[0]) for k, v in report.margins.items()} == pytest.approx(
        {"position": 0.5, "velocity": 2.0, "acceleration": np.inf, "jerk": 0.5}, abs=1e-10
    )
    assert str(report).startswith("inside the limits at every instant; least margins: position 0.5, velocity 2")


def test_jerk_is_checked_on_request() -> None:
    motion = Fourier(0.0, [1.0], [0.0], 2 * np.pi)
    (broken,) = motion.check(Limits.of(1, position=2.0), jerk=[0.9]).violations[:1]
    assert (broken.quantity, broken.amount) == ("jerk", pytest.approx(0.1))
    step = PointToPoint(0.0, 1.0, 1.0, "trapezoidal").check(Limits.of(1), jerk=1e9)
    assert not step.proven and step.violations[0].amount == np.inf


def test_a_limit_touched_exactly_counts_as_kept() -> None:
    motion = PointToPoint(0.0, 1.0, 2.0, "ninth")
    assert motion.check(Limits.of(1, lower=0.0, upper=1.0)).proven
    assert motion.check(Limits.of(1, lower=0.0, upper=1.0 - 1e-6)).violations[0].amount == pytest.approx(1e-6, rel=1e-3)


def test_one_joint_without_a_limit_is_no_violation() -> None:
    motion = Fourier([0.0, 0.0], [[1.0], [50.0]], [[0.0], [0.0]], 1.0)
    assert motion.check(Limits.of(2, lower=[-2.0, -np.inf], upper=[2.0, np.inf])).proven


def test_standing_still_keeps_zero_limits() -> None:
    still = Fourier([0.3], np.zeros((1, 2)), np.zeros((1, 2)), 1.0)
    assert still.check(Limits.of(1, lower=0.3, upper=0.3, velocity=0.0, acceleration=0.0)).proven


def test_rest_at_both_ends_on_request() -> None:
    """C46: a start velocity jerks the arm; a ramp removes it."""
    motion = Fourier.from_velocity_form(0.1, (0.3, -0.3), (0.2, -0.2), period=10.0)
    limits = Limits.of(1)
    assert motion.check(limits).proven
    report = motion.check(limits, rest=True)
    assert [v.quantity for v in report.violations] == ["start acceleration", "end acceleration"]
    assert report.violations[0].value == pytest.approx(0.2 * 0.2 * np.pi - 0.2 * 0.4 * np.pi)
    assert motion.at_rest().check(limits, rest=True).proven
    assert RampedFourier(motion, 1.0).check(limits, rest=True).proven


def test_ramps_are_checked_too() -> None:
    """A motion inside its limits, whose ramps from a far posture are not."""
    motion = Fourier([0.0], [[0.0, 0.1]], [[0.0, 0.1]], 5.0)
    limits = Limits.of(1, position=3.0, velocity=1.0, acceleration=2.0)
    assert motion.check(limits).proven
    assert RampedFourier(motion, 1.0).check(limits).proven
    report = RampedFourier(motion, 1.0, start=[2.5]).check(limits)
    assert {v.quantity for v in report.violations} == {"velocity", "acceleration"}
    assert all(v.time < 1.0 for v in report.violations)


def test_a_stop_is_checked_too() -> None:
    """Braking within 0.05 s needs an acceleration that the motion itself never had."""
    motion = irb140_g21()
    limits = Limits.of(3, acceleration=12.0)
    assert motion.check(limits).proven
    assert stopped(motion, 1.3, 1.0).check(Limits.of(3, acceleration=12.0)).proven
    worst = max(stopped(motion, 1.3, 0.05).check(limits).violations, key=lambda v: v.amount)
    assert worst.quantity == "acceleration" and 1.3 < worst.time < 1.35


def test_wrong_limits_are_named() -> None:
    motion = irb140_g21()
    with pytest.raises(LimitsError, match="limits of a trajectory: 2 joints, expected 3"):
        motion.check(Limits.of(2))
    named = Fourier([0.0, 0.0], [[1.0], [2.0]], [[0.0], [0.0]], 1.0, joint_names=("a", "b"))
    with pytest.raises(LimitsError, match="joints in the order b, a, expected the order a, b"):
        named.check(Limits.of(2, names=("b", "a")))
    with pytest.raises(LimitsError, match="tolerance of a check: nan, expected a number >= 0"):
        motion.check(Limits.of(3), tolerance=float("nan"))
