"""Postures that decouple axes, and the plan for a six-axis arm."""

from __future__ import annotations

import numpy as np
import pytest

import optid
from optid.errors import LimitsError, RobotError, ShapeError
from optid.flexibility.loop import FlexibleLoop
from optid.flexibility.objectives import TailRule, settled
from optid.flexibility.two_axis import set_a
from optid.library import emps, iiwa, irb140_lower_arm, kr300
from optid.model import DynamicModel
from optid.model.flexible import FlexibleModel
from optid.problems.decoupling import Decoupling, residual_coupling
from optid.problems.tuning_plan import decoupling_plan
from optid.robot import Joint, Link, Robot
from optid.trajectory import PointToPoint

RANGE = {"lower": np.radians([-185, -140, -120, -350, -122.5, -350]), "upper": np.radians([185, -5, 155, 350, 122.5, 350])}


def test_two_axes_decouple_where_the_mass_matrix_does() -> None:
    """J23 = j3 + m3 (ξ3² − l2 ξ3 sin q3) = 0: sin q3 = 146 / 150.5 for set A (gravity does not count at 1 kHz, nor the move of a millionth)."""
    problem = Decoupling(set_a().arm, 0, frequency=1e3, move=1e-6, lower=(-1.0, 0.5), upper=(1.0, 1.45), x0=(0.0, 1.0))
    result = optid.solve(problem, solver="ipopt")
    assert np.isclose(np.sin(result.posture[1]), 146 / 150.5, rtol=1e-4)
    assert result.left < 1e-4 and result.solution.success
    M = set_a().arm.mass_matrix(problem.pi, [0.0, 0.0])
    assert np.isclose(problem.coupling([0.0, 0.0])[0, 0, 1], M[0, 1] / np.sqrt(M[0, 0] * M[1, 1]), rtol=1e-5)


def test_what_is_left_is_the_largest_coupling_to_an_axis_that_stands() -> None:
    """Of (1, 3) against (2, 4); couplings between axes that move together, or stand together, do not count."""
    coupling = np.ones((4, 4))
    coupling[np.ix_([0, 2], [1, 3])] = [[0.1, 0.2], [0.4, 0.3]]
    assert residual_coupling(np.stack([coupling, 2 * coupling]), (0, 2)).tolist() == [0.4, 0.8]


@pytest.mark.parametrize("coupling", [None, [[1.0, 0.0], [-1.0, 1.0]]], ids=["own motors", "coupled motors"])
def test_an_axis_that_stands_decoupled_does_not_show_its_stiffness(coupling: list[list[float]] | None) -> None:
    """Axis 2 moves alone where J23 = 0: a Υ3 that is 10 % off changes Λ by less than a hundredth of what Υ2 does, even through motors that turn both joints;
    at the zero posture by more than a tenth."""
    loop = FlexibleLoop(FlexibleModel(set_a().robot.with_coupling(coupling), set_a().joints), backend="interpreter")
    share = []
    for q3 in (np.arcsin(146 / 150.5), 0.0):
        record = loop.simulate(PointToPoint([0.0, q3], [0.03, q3], 0.237, "ninth"), [[100, 100], [110, 100], [100, 110]])
        _, moving, standing = TailRule(settled(record)).of_record(record)
        share.append(standing / moving)
    assert share[0] < 0.01 and share[1] > 0.1


def test_a_plan_leaves_fixed_axes_alone() -> None:
    """Axis 6 stands for good: it is neither tuned nor moved, and the others are planned around it; rotors and friction of the model change nothing."""
    arm = DynamicModel(kr300(), ("viscous", "coulomb"), rotor_inertia=True)
    plan = decoupling_plan(arm, largest=2, tolerance=0.2, fixed={5: 0.3, 4: -1.0}, **RANGE)
    assert sorted(axis for stage in plan.stages for axis in stage.new) == [0, 1, 2, 3]
    assert all(np.allclose(stage.posture[4:], [-1.0, 0.3]) and not {4, 5} & set(stage.moving) for stage in plan.stages)
    bare = decoupling_plan(DynamicModel(kr300(), ()), largest=2, tolerance=0.2, fixed={5: 0.3, 4: -1.0}, **RANGE)
    assert str(bare) == str(plan)
    with pytest.raises(LimitsError, match="axes of a plan: all fixed"):
        decoupling_plan(set_a().arm, fixed={0: 0.0, 1: 0.0})


def test_postures_of_a_plan_are_improved_beyond_the_scan() -> None:
    """Set A, axis 2 alone, moves of a millionth at 1 kHz: left is what the solver leaves of J23 = 0, not what the nearest of the scanned postures does."""
    plan = decoupling_plan(set_a().arm, lower=(-1.0, 0.5), upper=(1.0, 1.45), frequency=1e3, move=1e-6)
    assert plan.stages[0].moving == (0,) and plan.stages[0].left < 1e-6
    assert np.isclose(np.sin(plan.stages[0].posture[1]), 146 / 150.5, rtol=1e-6)


def test_a_plan_says_only_what_matters() -> None:
    """Coupling never depends on where the first axis of an upright arm stands: there it stays at zero, like the depth of a quill."""
    plan = decoupling_plan(DynamicModel(kr300(), ()), largest=2, tolerance=0.2, **RANGE)
    assert all(stage.posture[0] == 0 for stage in plan.stages)
    lower = decoupling_plan(DynamicModel(irb140_lower_arm(), ()))
    assert all(stage.posture[0] == 0 for stage in lower.stages) and lower.decoupled


def test_sliding_axes_and_narrow_ranges() -> None:
    """Places of sliding axes are in metres; a stage that moves all axes starts inside the range."""
    joints, links = (Joint("x", "P", axis=(1, 0, 0)), Joint("y", "P", axis=(0, 1, 0))), (Link("bridge", 30.0), Link("carriage", 12.0))
    plan = decoupling_plan(DynamicModel(Robot(joints, links), ()), lower=0.5, upper=0.8)
    assert plan.decoupled and str(plan).startswith("1. tune x: move x at x 0.500 m, y 0.500 m; coupling left 0.000\n2. tune y")
    both = decoupling_plan(set_a().arm, tolerance=1e-6, lower=0.5, upper=0.8)
    assert all(np.all((stage.posture >= 0.5) & (stage.posture <= 0.7 + 1e-9)) for stage in both.stages)


def test_gravity_couples_slow_vibrations() -> None:
    """∂G3/∂q2 = m3 ξ3 g sin(q2 + q3) against ω² √(J22 J33), by hand at one posture."""
    problem = Decoupling(set_a().arm, 0, frequency=0.5, move=0.0)
    q = np.array([0.2, 0.5])
    M = set_a().arm.mass_matrix(problem.pi, q)
    turned = 350 * 0.40 * 9.81 * np.sin(0.7) / (np.pi) ** 2
    assert np.isclose(problem.coupling(q)[0, 0, 1] ** 2, (M[0, 1] ** 2 + turned**2) / (M[0, 0] * M[1, 1]), rtol=1e-10)


def test_plan_of_a_six_axis_arm() -> None:
    """A09 splits six axes into {2,3}, {1}, {1,4}, {1,5}, {1,4,6}: the plan found from the model is at least as fine, and its coupling is checked anew."""
    arm = DynamicModel(kr300(), ())
    plan = decoupling_plan(arm, tolerance=0.05, **RANGE)
    assert plan.decoupled and max(len(stage.moving) for stage in plan.stages) <= 3
    assert sorted(axis for stage in plan.stages for axis in stage.new) == list(range(6))
    allowed = {0: 1, 1: 2, 2: 2, 3: 2, 4: 2, 5: 3}
    for stage in plan.stages:
        assert all(len(stage.moving) <= allowed[axis] for axis in stage.new)
        assert np.all((stage.posture >= RANGE["lower"] - 1e-9) & (stage.posture <= RANGE["upper"] + 1e-9))
        for share in (0.0, 1.0):
            q = stage.posture + 0.1 * share * np.isin(np.arange(6), stage.moving)
            M = arm.mass_matrix(arm.nominal_parameters(), q)
            assert residual_coupling(np.abs(M) / np.sqrt(np.outer(np.diag(M), np.diag(M))), stage.moving) <= stage.left + 1e-9
    assert "1. tune joint" in str(plan) and "coupling left 0.0" in str(plan)
    worst = Decoupling(arm, 5, **RANGE).coupling(np.radians([0, -90, 90, 0, 0, 0]))[0]
    assert residual_coupling(worst, (5,)) > 0.1, "not every posture does it"


def test_axes_that_cannot_be_decoupled_are_marked() -> None:
    """Two parallel links of which one carries all the mass far out: the coupling stays, and the plan says so."""
    links = [Link.from_com(0.1, (0.5, 0, 0), (0.01,) * 3), Link.from_com(5.0, (0.05, 0, 0), (0.5,) * 3)]
    robot = Robot.from_dh([(1.0, 0, 0, 0), (1.0, 0, 0, 0), (0, 0, 0, 0)], "standard", links=[*links, Link.from_com(1.0, (0, 0, 0), (0.01, 0.01, 0.01))])
    plan = decoupling_plan(DynamicModel(robot, ()), largest=1, tolerance=1e-3)
    assert not plan.decoupled and "(coupled)" in str(plan)
    assert len(plan.stages) == 3
    one = Robot.from_dh([(1.0, 0, 0, 0)], "standard", links=links[:1])
    assert decoupling_plan(DynamicModel(one, ())).stages[0].moving == (0,)


def test_messages() -> None:
    arm = DynamicModel(kr300(), ())
    with pytest.raises(ShapeError, match="axes to decouple"):
        Decoupling(arm, range(6))
    with pytest.raises(RobotError, match="one axis, expected two at least to decouple"):
        Decoupling(DynamicModel(emps(), ()), 0)
    with pytest.raises(LimitsError, match=r"fixed place of joint5: 3, expected -2\.138 to 2\.138, its range"):
        Decoupling(arm, 0, fixed={4: 3.0}, **RANGE)
    with pytest.raises(LimitsError, match="room for the move"):
        Decoupling(arm, 0, lower=0.0, upper=0.05)
    with pytest.raises(RobotError, match="it moves no inertia"):
        Decoupling(DynamicModel(iiwa(), ()), 0)
