"""Plants with a soft stand or a bending link: the stiff limit is the arm itself, soft ones have the modes of their closed form and ask for another Υ."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from optid.errors import DataError, RobotError, UnknownNameError
from optid.flexibility.linear import linearise
from optid.flexibility.loop import FlexibleLoop
from optid.flexibility.objectives import TailRule
from optid.flexibility.plants import on_stand, with_bending_link
from optid.flexibility.surfaces import experiment
from optid.flexibility.two_axis import set_a
from optid.kinematics import forward_kinematics
from optid.library import kr300
from optid.model.flexible import FlexibleModel
from optid.model.flexible_joint import ElasticJoint, Spring
from optid.robot import Joint, Link, Robot
from optid.robot.robot import Mimic

SIX = FlexibleModel.of(kr300(), [4.6e6, 7.5e6, 4.1e6, 5e5, 5e5, 3e5])


@pytest.mark.parametrize("joint", [*kr300().joint_names, None])
def test_unbent_it_is_the_same_arm(joint: str | None) -> None:
    """Of a KR300 in standard DH (link frames at the far ends): tool, mass matrix and gravity with the new joint at zero are those of the arm."""
    plant = on_stand(SIX, 1e9) if joint is None else with_bending_link(SIX, joint, 1e9)
    at = 0 if joint is None else SIX.robot.joint_names.index(joint) + 1
    assert plant.n == 7 and plant.m == 6 and not plant.joints[at].driven
    q = np.random.default_rng(1).uniform(-1, 1, (5, 6))
    unbent = np.insert(q, at, 0.0, axis=1)
    assert np.allclose(forward_kinematics(plant.robot, unbent), forward_kinematics(SIX.robot, q), atol=1e-12)
    rest = np.delete(np.arange(7), at)
    pi, own = plant.arm.nominal_parameters(), SIX.arm.nominal_parameters()
    assert np.allclose(plant.arm.mass_matrix(pi, unbent)[:, rest][:, :, rest], SIX.arm.mass_matrix(own, q), rtol=1e-10, atol=1e-8)
    assert np.allclose(plant.arm.gravity_torque(pi, unbent)[:, rest], SIX.arm.gravity_torque(own, q), atol=1e-8)


def test_modes_of_a_bending_link() -> None:
    """A link of J = 0.5 kg m² whose root holds 20 %, bending about its own axis: the two masses 0.1 and 0.4 behind springs 300 and 600 N m/rad, by hand."""
    robot = Robot((Joint("axis"),), (Link("arm", inertia=(0, 0, 0, 0, 0, 0.5)),), gravity=(0, 0, 0))
    model = FlexibleModel(robot, (ElasticJoint(Spring(300.0), 0.0, 20.0, 1e-4),))
    linear = linearise(with_bending_link(model, "axis", 600.0, axis=(0, 0, 1), root=0.2), [0.0, 0.0])
    K = np.array([[300 + 600, -600], [-600, 600]])
    omega = np.sqrt(np.linalg.eigvals(np.diag([1 / 0.1, 1 / 0.4]) @ K))
    assert np.allclose(2 * np.pi * linear.antiresonances(), np.sort(omega), rtol=1e-10)


def test_a_bending_link_is_compensated_by_a_softer_model(loop_a: FlexibleLoop) -> None:
    """A09 as far as known: elasticity that the controller does not model moves the best Υ below 100 % and leaves little of Λ; a stiff link changes nothing."""
    motion, rule = experiment(loop_a, "stretched", "++", "short"), TailRule(0.25, 60.0)
    soft = FlexibleLoop(with_bending_link(loop_a.plant, "axis2", 1e7, 1e4, root=0.2), loop_a.nominal)
    upsilon = np.array([[u, 100.0] for u in range(84, 106, 2)])
    values = rule.of_record(soft.simulate(motion, upsilon))
    assert 86 < upsilon[np.argmin(values), 0] < 100 and values.min() < 0.5 * values[upsilon[:, 0] == 100][0]


def test_couplings_and_followers_keep_their_joints() -> None:
    """New joints stay out of the coupling; a mimic joint goes on following its source."""
    arm = set_a()
    coupled = FlexibleModel(arm.robot.with_coupling([[1, 0], [-1, 1]]), arm.joints)
    bent = with_bending_link(coupled, "axis2", 1e7)
    assert np.array_equal(bent.robot.C, [[1, 0, 0], [0, 1, 0], [-1, 0, 1]]) and np.array_equal(bent.coupling, coupled.coupling)
    links = tuple(Link.from_com(3.0, (0.1, 0, 0), (0.1, 0.1, 0.1)) for _ in range(3))
    robot = Robot(tuple(Joint(name, axis=(0, 1, 0)) for name in "abc"), links, mimic=(Mimic(2, 1, -1.0),))
    follower = FlexibleModel(robot, (ElasticJoint.passive(1.0), ElasticJoint.passive(1.0)))
    assert on_stand(follower, 1e6).robot.mimic == (Mimic(3, 2, -1.0),)
    assert with_bending_link(follower, "b", 1e6).robot.mimic == (Mimic(3, 1, -1.0),)
    assert with_bending_link(follower, "b", 1e6).robot.joint_names == ("a", "b", "b_bend")
    both = with_bending_link(on_stand(arm, 1e7), "axis3", 1e7)
    assert both.robot.joint_names == ("stand", "axis2", "axis3", "axis3_bend") and both.driven == [1, 2]


def test_messages() -> None:
    arm = set_a()
    with pytest.raises(UnknownNameError, match="joint of a bending link 'axis4': unknown name"):
        with_bending_link(arm, "axis4", 1e6)
    with pytest.raises(DataError, match=r"root of a bending link: 1\.0, expected a share between 0 and 1"):
        with_bending_link(arm, "axis3", 1e6, root=1.0)
    with pytest.raises(RobotError, match="the joint name 'stand' twice"):
        on_stand(on_stand(arm, 1e6), 1e6)
    with pytest.raises(RobotError, match="stiffness low of a spring: 0"):
        on_stand(arm, 0.0)
    with pytest.raises(DataError, match="inertia of a stand: nan"):
        on_stand(arm, 1e6, inertia=float("nan"))
    with pytest.raises(RobotError, match="axis of a stand"):
        on_stand(arm, 1e6, axis=(0, 1))
    with pytest.raises(DataError, match="arm on a stand: a Robot"):
        on_stand(replace(arm).robot, 1e6)  # type: ignore[arg-type]
