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


def arm_with_frame(kind: str | None) -> Robot:
    """Three joints about y, x, z (none along gravity or each other); between the first two a link without a body, fixed or turning about y, or none."""
    body = '<inertial><origin xyz=".1 .05 .02"/><mass value="2"/><inertia ixx=".1" iyy=".12" izz=".13"/></inertial>'
    frame = f"""<link name="frame"/><joint name="jf" type="{kind}"><parent link="l1"/><child link="frame"/><origin xyz=".2 0 0"/><axis xyz="0 1 0"/></joint>
    <joint name="j2" type="continuous"><parent link="frame"/><child link="l2"/><origin xyz=".2 0 0"/><axis xyz="1 0 0"/></joint>"""
    plain = '<joint name="j2" type="continuous"><parent link="l1"/><child link="l2"/><origin xyz=".4 0 0"/><axis xyz="1 0 0"/></joint>'
    return Robot.from_urdf(f"""<robot name="arm"><link name="base"/><link name="l1">{body}</link><link name="l2">{body}</link><link name="l3">{body}</link>
    <joint name="j1" type="continuous"><parent link="base"/><child link="l1"/><origin xyz="0 0 .3"/><axis xyz="0 1 0"/></joint>
    {plain if kind is None else frame}
    <joint name="j3" type="continuous"><parent link="l2"/><child link="l3"/><origin xyz=".1 0 0"/><axis xyz="0 0 1"/></joint></robot>""")


def test_fixed_frame_leaves_count_and_torque_alone() -> None:
    """C33: 3 + 7 + 7 base parameters with and without a fixed link that has no body, and equal torque."""
    models = [DynamicModel(arm_with_frame(kind), friction="none") for kind in (None, "fixed")]
    assert [BaseParameters.of(m).rank for m in models] == [17, 17]
    torque = [m.inverse_dynamics(m.nominal_parameters(), *states(3, 20, 4)) for m in models]
    assert np.abs(torque[0]).max() > 10
    assert torque[1] == pytest.approx(torque[0], rel=1e-12, abs=1e-12)


def test_moving_frame_stays_finite() -> None:
    """C33: a moving link without a body, parallel to the first: 3 + 3 + 7 + 7 base parameters, finite torque, an undefined centre of mass."""
    robot = arm_with_frame("continuous")
    model = DynamicModel(robot, friction="none")
    base = BaseParameters.of(model)
    state = states(4, 400, 5)
    assert base.rank == base.svd_rank == np.linalg.matrix_rank(model.regressor(*state)) == 20
    assert np.isfinite(base.matrix).all()
    tau = model.inverse_dynamics(model.nominal_parameters(), *state)
    assert np.isfinite(tau).all()
    assert base.torque(base.beta(model.nominal_parameters()), *state) == pytest.approx(tau, rel=1e-9, abs=1e-9)
    assert [link.com is None for link in robot.links] == [False, True, False, False]
    assert [link.inertia_about_com is None for link in robot.links] == [False, True, False, False]


def test_two_constructions_are_equal() -> None:
    """C31: the Panda's regressor built twice gives the same bits."""
    q, dq, ddq = states(7, 50, 0)
    first, second = (DynamicModel(library.panda()).regressor(q, dq, ddq) for _ in range(2))
    assert np.array_equal(first, second)


def test_regressor_of_many_states() -> None:
    """C31: the Panda's regressor on 10 000 states: finite, stacked state by state, each block that of its state alone."""
    model = DynamicModel(library.panda())
    q, dq, ddq = states(7, 10_000, 2)
    W = model.regressor(q, dq, ddq)
    assert W.shape == (70_000, model.p) == (70_000, 91)
    assert np.isfinite(W).all()
    for k in (0, 1, 4_999, 9_998, 9_999):
        alone = model.regressor(q[k], dq[k], ddq[k])
        assert W[7 * k : 7 * k + 7] == pytest.approx(alone, rel=1e-12, abs=1e-12)


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
