"""Closed-form inverse kinematics against the forward ones, over whole workspaces and at their edges."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from optid import Limits, Robot, Transform, library
from optid.errors import DataError, LimitsError, RobotError, SingularError, UnknownNameError, UnreachableError
from optid.kinematics import ScaraInverse, forward_kinematics, inverse_two_axis, two_axis_position


def wall_mounted() -> Robot:
    """The textbook SCARA (its slide and wrist point the other way) on a wall, with a tool off the wrist's axis."""
    return replace(
        library.scara(), base=Transform.from_xyz_rpy((0.3, -0.2, 1.0), (0.4, 1.1, -0.7)), tool=Transform.from_xyz_rpy((0.05, 0.02, 0.1), (0, 0, 0.6))
    )


ARMS = {"er14": library.scara_er14, "v08": library.scara_v08, "textbook": library.scara, "wall": wall_mounted}


def postures(robot: Robot, N: int, seed: int = 0) -> np.ndarray:
    limits = robot.limits
    low, high = (np.where(np.isfinite(x), x, default) for x, default in ((limits.lower, -3.1), (limits.upper, 3.1)))
    q = np.random.default_rng(seed).uniform(low, high, (N, 4))
    slide = next(i for i, joint in enumerate(robot.joints) if not joint.revolute)
    q[:, slide] *= 0.1
    return q


@pytest.mark.parametrize("name", ARMS)
def test_scara_round_trip_over_the_whole_workspace(name: str) -> None:
    """Pose → posture → pose for both elbows everywhere; posture → pose → posture wherever the elbow is bent by more than 0.6°."""
    robot = ARMS[name]()
    solver = ScaraInverse.of(robot)
    q = postures(robot, 4000)
    T = forward_kinematics(robot, q)
    position, roll = T[:, :3, 3], solver.roll(q)
    assert solver.position(q) == pytest.approx(position, abs=1e-14)
    for elbow in (1, -1):
        found = solver.solve(position, roll, elbow, limits=False)
        again = forward_kinematics(robot, found)
        assert np.abs(again - T).max() < 1e-12
        bent = (solver.elbow(q) == elbow) & (np.abs(solver.sine(q)) > 0.01)
        assert bent.sum() > 1000
        back = solver.solve(position[bent], roll[bent], elbow, near=q[bent])
        assert np.abs(back - q[bent]).max() < 1e-12


@pytest.mark.parametrize("name", ARMS)
def test_scara_edges_of_the_workspace(name: str) -> None:
    """Stretched and folded postures are reached exactly, and both elbows are one there."""
    solver = ScaraInverse.of(ARMS[name]())
    slide = 2 if name != "v08" else 3
    for second in (0.0, np.pi):
        q = np.zeros((5, 4))
        q[:, 0] = np.linspace(-2, 2, 5)
        q[:, solver.revolute[1]] = second
        q[:, slide] = 0.03
        position, roll = solver.position(q), solver.roll(q)
        assert np.abs(solver.sine(q)).max() < 1e-12
        assert (solver.elbow(q) == 0).all()
        up, down = (solver.solve(position, roll, elbow, limits=False) for elbow in (1, -1))
        for found in (up, down):
            assert np.abs(solver.position(found) - position).max() < 1e-12


def test_scara_er14_by_hand() -> None:
    """Links 270 and 230 mm; a right angle at the elbow puts the wrist at √(270² + 230²); roll = q1 + q2 + q4; z = 222.05 mm − q3."""
    solver = ScaraInverse.of(library.scara_er14())
    q = solver.solve([0.27, 0.23, 0.2], roll=np.pi / 3, elbow=1)
    assert q == pytest.approx([0.0, np.pi / 2, 0.02205, np.pi / 3 - np.pi / 2], abs=1e-12)
    q = solver.solve([0.27, -0.23, 0.2], roll=0.0, elbow=-1)
    assert q == pytest.approx([0.0, -np.pi / 2, 0.02205, np.pi / 2], abs=1e-12)
    assert solver.reach == pytest.approx((0.04, 0.5))


def test_full_turns_of_the_wrist_are_chosen() -> None:
    """q4 has ±527°: the turn nearest to ``near``, inside the range."""
    solver = ScaraInverse.of(library.scara_er14())
    free = solver.solve([0.3, 0.2, 0.1], roll=0.3, elbow=1)
    for turns in (-1, 0, 1):
        wish = free + [0, 0, 0, 2 * np.pi * turns + 0.5]
        assert solver.solve([0.3, 0.2, 0.1], 0.3, 1, near=wish)[3] == pytest.approx(free[3] + 2 * np.pi * turns)
    far = solver.solve([0.3, 0.2, 0.1], 0.3, 1, near=free + [0, 0, 0, 100.0])[3]
    assert abs(far) <= np.radians(527)
    assert far + 2 * np.pi > np.radians(527)


def test_what_a_scara_cannot_reach_is_named() -> None:
    solver = ScaraInverse.of(library.scara_er14())
    with pytest.raises(UnreachableError, match=r"target 1 of SCARA 'SCARA-ER 14': 0\.509902 m from its first axis, expected 0\.04 … 0\.5 m\. 1 of 2"):
        solver.solve([[0.3, 0.1, 0.1], [0.5, 0.1, 0.1]])
    with pytest.raises(UnreachableError, match=r"0\.03 m from its first axis"):
        solver.solve([0.03, 0.0, 0.1])
    with pytest.raises(LimitsError, match=r"joint2 at target 0: 2\.\d+, expected -1\.90241 … 1\.90241\. Try the other elbow"):
        solver.solve([0.1, 0.1, 0.1], elbow=1)
    assert solver.solve([0.1, 0.1, 0.1], elbow=1, limits=False)[1] > np.radians(109)
    for hole in (np.nan, np.inf):
        with pytest.raises(DataError, match=r"target 1 of SCARA 'SCARA-ER 14': NaN or infinite"):
            solver.solve([[0.3, 0.1, 0.1], [0.3, 0.1, hole]])
    assert solver.solve(np.zeros((0, 3))).shape == (0, 4)
    with pytest.raises(DataError, match=r"\+1 or -1"):
        solver.solve([0.3, 0.1, 0.1], elbow=0)


def test_targets_on_the_first_axis_need_a_wish() -> None:
    """Equal links fold onto the first axis, where any first angle does."""
    rows = [(0.3,), (0.3,), (0, 0, 0, 0, "P"), ()]
    solver = ScaraInverse.of(Robot.from_dh([tuple(r) if r else (0.0,) for r in rows], "standard", name="equal"))
    with pytest.raises(SingularError, match="on its first axis, where any first angle does"):
        solver.solve([0.0, 0.0, 0.1])
    q = solver.solve([0.0, 0.0, 0.1], near=[0.7, 3.0, 0.0, 0.0])
    assert q[0] == pytest.approx(0.7)
    assert np.abs(solver.position(q) - [0, 0, 0.1]).max() < 1e-12


def test_other_arms_are_refused() -> None:
    with pytest.raises(RobotError, match=r"joints R-R, expected three revolute joints and one slide"):
        ScaraInverse.of(library.planar_2r())
    tilted = Robot.from_dh([(0.3,), (0.3, 0.2), (0, 0, 0, 0, "P"), (0.0,)], "standard")
    with pytest.raises(RobotError, match="expected parallel axes"):
        ScaraInverse.of(tilted)


def test_limits_with_one_open_end() -> None:
    limits = Limits.of(4, lower=[-np.inf, -2.0, -1.0, 0.0], upper=[np.inf, 2.0, 1.0, np.inf])
    solver = ScaraInverse.of(library.scara_er14().with_limits(limits))
    q = solver.solve([0.3, 0.2, 0.1], roll=-1.0, elbow=1)
    assert 0 <= q[3] < 2 * np.pi
    assert solver.roll(q) == pytest.approx(2 * np.pi - 1.0)


@pytest.mark.parametrize("elbow", ["up", "down"])
def test_two_axis_arm_round_trip(elbow: str) -> None:
    """A09, eq. 3.43: over the whole workspace, edges included; and by hand where both links are at right angles."""
    l2, l3 = 0.7, 0.9
    rng = np.random.default_rng(0)
    q = np.stack([rng.uniform(-np.pi, np.pi, 5000), -np.pi / 2 + (1 if elbow == "up" else -1) * rng.uniform(0, np.pi, 5000)], axis=1)
    q[:4, 1] = [-np.pi / 2, np.pi / 2, -np.pi / 2, np.pi / 2]
    position = two_axis_position(l2, l3, q)
    found = inverse_two_axis(l2, l3, position, elbow)
    assert np.abs(two_axis_position(l2, l3, found) - position).max() < 1e-12
    bent = np.abs(np.cos(q[:, 1])) > 0.01
    assert np.abs(np.angle(np.exp(1j * (found - q)[bent]))).max() < 1e-12
    assert inverse_two_axis(l2, l3, [0.9, 0.7], "up") == pytest.approx([0.0, 0.0], abs=1e-14)


def test_two_axis_arm_elbow_up_is_above() -> None:
    """For a target in front the elbow lies above, or below, the line to it."""
    for elbow, side in (("up", 1), ("down", -1)):
        q = inverse_two_axis(0.5, 0.5, [0.8, 0.1], elbow)
        corner = np.array([0.5 * np.sin(q[0]), 0.5 * np.cos(q[0])])
        assert side * (corner[1] - corner[0] * 0.1 / 0.8) > 0.1
    with pytest.raises(UnreachableError, match="two-axis arm"):
        inverse_two_axis(0.5, 0.5, [0.8, 0.8])
    with pytest.raises(UnknownNameError, match="Did you mean 'up'"):
        inverse_two_axis(0.5, 0.5, [0.8, 0.1], "upp")
