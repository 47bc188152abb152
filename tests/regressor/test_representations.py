"""One arm, several descriptions: the numbers of base parameters and the torques must not depend on them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from optid import BaseParameters, DHRow, DynamicModel, Link, Robot, identify, library
from optid.robot import Joint, robot_to_urdf
from optid.signals import Samples


def states(n: int, N: int, seed: int) -> list[np.ndarray]:
    return [np.random.default_rng(seed + k).standard_normal((N, n)) for k in range(3)]


def test_modified_dh_and_urdf_identify_the_same_torque() -> None:
    """C27: equal dimension, and after identification equal torques on fresh states, although single parameters may differ."""
    robot = library.panda()
    other = Robot.from_urdf(robot_to_urdf(robot))
    other = other.with_gravity(robot.gravity)
    models = [DynamicModel(r, friction="none") for r in (robot, other)]
    bases = [BaseParameters.of(m) for m in models]
    assert [b.rank for b in bases] == [43, 43]
    train, fresh = states(7, 60, 1), states(7, 20, 9)
    truth = models[0].nominal_parameters()
    samples = Samples.from_arrays(*train, models[0].inverse_dynamics(truth, *train))
    predicted = [identify(b, samples, method="ols").predict(*fresh) for b in bases]
    expected = models[0].inverse_dynamics(truth, *fresh)
    for torque in predicted:
        assert torque == pytest.approx(expected, rel=1e-6, abs=1e-6)


def test_frame_only_link_leaves_the_count_alone() -> None:
    """C33: a massless link on a rigid, locked frame in a chain of three; and with all bodies zero."""
    rows = [DHRow(a=0.3, alpha=0.4), DHRow(a=0.2, d=0.1), DHRow(a=0.1, alpha=1.0)]
    robot = Robot.from_dh(rows, "standard", links=[Link.from_com(1, (0.1, 0, 0), (0.1, 0.2, 0.2)), Link(), Link.from_com(1, (0, 0.1, 0), (0.1, 0.1, 0.1))])
    bare = robot.with_links([Link(), Link(), Link()])
    counts = {BaseParameters.of(DynamicModel(r, friction="none")).rank for r in (robot, bare)}
    assert len(counts) == 1
    assert robot.links[1].com is None


def test_two_constructions_are_equal() -> None:
    """C31: the Panda's regressor built twice gives the same bits."""
    q, dq, ddq = states(7, 50, 0)
    first, second = (DynamicModel(library.panda()).regressor(q, dq, ddq) for _ in range(2))
    assert np.array_equal(first, second)


def test_motor_and_joint_coordinates_give_the_same_base_parameters() -> None:
    """C79: regressing motor torques on Cᵀ Y(Cθ, …) or joint torques on Y finds one beta."""
    links = [Link.from_com(2, (0.2, 0.01, 0), (0, 0, 0.03)), Link.from_com(1.5, (0.15, -0.02, 0), (0, 0, 0.02))]
    robot = Robot.from_dh([DHRow(), DHRow(a=0.5)], "modified", (0, -9.81, 0), links=links, coupling=[[1, 0], [-1, 1]])
    model = DynamicModel(robot, friction="none")
    base = BaseParameters.of(model)
    theta = states(2, 50, 3)
    joint = [robot.joint_from_motor(x) for x in theta]
    tau = model.inverse_dynamics(model.nominal_parameters(), *joint)
    motor = np.linalg.lstsq(model.motor_regressor(*theta)[:, list(base.independent)], robot.motor_torque(tau).ravel(), rcond=None)[0]
    assert identify(base, Samples.from_arrays(*joint, tau)).beta == pytest.approx(motor, rel=1e-9)
    assert motor == pytest.approx([1.15, 0.02, 0.4852, 0.225, -0.03, 0.05435], rel=1e-9)


def test_locked_joint_and_mimic_keep_the_count_of_what_moves() -> None:
    """A follower adds its body to the coordinate it follows: a planar pair geared 1:-1 has the rank of its reduced regressor."""
    from optid.robot import Mimic

    robot = Robot.from_dh([DHRow(), DHRow(a=0.5)], "modified", (0, -9.81, 0))
    geared = replace(robot, mimic=(Mimic(1, 0, -1.0),), drives=(), limits=None)
    model = DynamicModel(geared, friction="none")
    base = BaseParameters.of(model)
    q, dq, ddq = states(1, 400, 2)
    assert base.rank == np.linalg.matrix_rank(model.regressor(q, dq, ddq))
    assert isinstance(geared.joints[1], Joint) and geared.n == 1
