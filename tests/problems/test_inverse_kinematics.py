"""Numerical inverse kinematics as a posed problem: round trips, limits, redundancy, what is out of reach."""

from __future__ import annotations

import numpy as np
import pytest

import optid
from optid import Limits, Robot, library
from optid.errors import DataError, ShapeError, UnreachableError
from optid.kinematics import ScaraInverse, forward_kinematics
from optid.problems import InverseKinematics


@pytest.mark.parametrize("name", ["ur5", "puma560", "panda", "irb140_lower_arm"])
def test_round_trips_to_rounding(name: str) -> None:
    """Ten reachable poses of arms with 3, 6 and 7 joints, started 0.2 rad beside the posture that made them; by position alone for three joints."""
    robot: Robot = getattr(library, name)()
    rng = np.random.default_rng(4)
    low, high = np.clip(robot.limits.lower, -2, 2), np.clip(robot.limits.upper, -2, 2)
    for _ in range(10):
        q = rng.uniform(low, high)
        T = forward_kinematics(robot, q)
        target = T[:3, 3] if robot.n == 3 else T
        found = optid.solve(InverseKinematics(robot, target, near=np.clip(q + rng.uniform(-0.2, 0.2, robot.n), low, high)))
        assert found.reached
        assert found.position_error < 1e-12
        assert np.abs(forward_kinematics(robot, found.q) - T)[: 3 if robot.n == 3 else 4, 3].max() < 1e-12
        assert (found.q >= robot.limits.lower).all()
        assert (found.q <= robot.limits.upper).all()
        if robot.n > 3:
            assert np.abs(forward_kinematics(robot, found.q) - T).max() < 1e-11


def test_agrees_with_the_closed_form_of_a_scara() -> None:
    robot = library.scara_er14()
    exact = ScaraInverse.of(robot).solve([0.25, 0.3, 0.1], roll=0.4, elbow=-1)
    T = forward_kinematics(robot, exact)
    found = optid.solve(InverseKinematics(robot, T, near=exact + [0.2, -0.2, 0.01, 0.1]))
    assert found.q == pytest.approx(exact, abs=1e-12)
    heading = optid.solve(InverseKinematics(robot, T, axes=("x", "y", "z", "rz"), near=exact + [0.2, -0.2, 0.01, 0.1]))
    assert heading.q == pytest.approx(exact, abs=1e-12)
    assert heading.angle_error < 1e-12


def test_limits_decide_the_branch() -> None:
    """A planar arm reaches (0.5, 0.4) with elbows at ±; a limit on the sign of the second joint leaves one, even when the search starts on the other side."""
    robot = library.planar_2r()
    arm = Robot.from_dh([(0.0,), (0.5,)], "modified", tool=optid.Transform.trans(x=0.4), limits=Limits.of(2, lower=[-3, -2.5], upper=[3, -0.1]))
    assert robot.n == 2
    found = optid.solve(InverseKinematics(arm, [0.5, 0.4, 0.0], near=[0.0, -2.0]), starts=3)
    bend = np.arccos((0.5**2 + 0.4**2 - 0.5**2 - 0.4**2) / (2 * 0.5 * 0.4))
    assert found.q[1] == pytest.approx(-bend, abs=1e-12)
    assert found.at_limits == ()
    assert not found.singular


def test_out_of_reach_is_an_error_or_the_nearest_posture() -> None:
    """One metre away an arm of 0.9 m misses by 0.1 m, stretched and so singular; a joint limit that stands in the way is named."""
    arm = Robot.from_dh([(0.0,), (0.5,)], "modified", tool=optid.Transform.trans(x=0.4), limits=Limits.of(2, lower=[-3, -2.5], upper=[3, 2.5]))
    with pytest.raises(UnreachableError, match=r"missed by 0\.1 m and 0 rad at best, expected a target in reach"):
        optid.solve(InverseKinematics(arm, [0.6, 0.8, 0.0], near=[0.5, 0.5]))
    near = optid.solve(InverseKinematics(arm, [0.6, 0.8, 0.0], near=[0.5, 0.5], nearest=True))
    assert not near.reached
    assert near.position_error == pytest.approx(0.1, abs=1e-9)
    assert near.q == pytest.approx([np.arctan2(0.8, 0.6), 0.0], abs=1e-4)
    bound = arm.with_limits(Limits.of(2, lower=[0.0, 0.5], upper=[1.0, 2.5]))
    with pytest.raises(UnreachableError, match=r"at the limit of joint"):
        optid.solve(InverseKinematics(bound, [0.6, -0.5, 0.0]))


def test_singular_postures_are_named() -> None:
    arm = Robot.from_dh([(0.0,), (0.5,)], "modified", tool=optid.Transform.trans(x=0.4))
    found = optid.solve(InverseKinematics(arm, [0.9, 0.0, 0.0], axes=("x", "y"), near=[0.1, -0.1], tolerance=1e-7, nearest=True))
    assert found.manipulability < 1e-3
    bent = optid.solve(InverseKinematics(arm, [0.5, 0.4, 0.0], axes=("x", "y"), near=[0.1, 1.0]))
    assert bent.manipulability > 0.1


def test_wrong_targets_are_named() -> None:
    arm = library.ur5()
    with pytest.raises(ShapeError, match=r"a finite pose \(4, 4\) or position \(3,\)"):
        InverseKinematics(arm, [0.1, 0.2])
    with pytest.raises(ShapeError, match="finite pose"):
        InverseKinematics(arm, [0.1, 0.2, np.nan])
    with pytest.raises(DataError, match="orthonormal"):
        InverseKinematics(arm, np.diag([1.0, 1.0, 2.0, 1.0]))
    with pytest.raises(DataError, match="rz alone"):
        InverseKinematics(arm, np.eye(4), axes=("x", "rx"))
    with pytest.raises(ShapeError, match=r"\(6,\) finite joint positions"):
        InverseKinematics(arm, np.eye(4), near=[0.0] * 5)
