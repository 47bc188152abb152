"""The robot description itself: DH rows, bodies, couplings, mimic joints, hostile values."""

import math
import re
from dataclasses import replace

import numpy as np
import pytest

from optid.errors import LimitsError, RobotError
from optid.robot import DHRow, DHTable, Drive, Joint, Limits, Link, Mimic, Robot, Transform
from optid.robot.link import inertia_matrix

TENSOR = [[1, 0.1, 0.2], [0.1, 2, 0.3], [0.2, 0.3, 2.5]]


@pytest.mark.parametrize("given", [TENSOR, (1, 0.1, 0.2, 2, 0.3, 2.5)])
def test_tensor_comes_back_through_each_constructor(given):
    """C13."""
    np.testing.assert_allclose(Link.from_com(2.0, (0.1, 0.2, 0.3), given).inertia_about_com, TENSOR, atol=1e-15)
    np.testing.assert_array_equal(Link(mass=2.0, inertia=given).inertia_about_origin, TENSOR)
    np.testing.assert_array_equal(Link.from_parameters([2, 0, 0, 0, 1, 0.1, 0.2, 2, 0.3, 2.5]).inertia_about_origin, TENSOR)
    np.testing.assert_array_equal(inertia_matrix(Link(inertia=given).parameters[4:]), TENSOR)


def test_body_placed_in_its_parent():
    """A point mass and a dumbbell, moved and turned, by hand."""
    frame = Transform.from_xyz_rpy((1, 2, 3), (0, 0, math.pi / 2))
    point = Link.from_com(2.0, (0.5, 0, 0), (0, 0, 0)).placed(frame)
    assert point.first_moment == (2.0, 5.0, 6.0)
    np.testing.assert_allclose(point.inertia_about_com, np.zeros((3, 3)), atol=1e-14)
    rod = Link.from_com(0.0, (0, 0, 0), (0, 1, 1)).placed(frame)
    np.testing.assert_array_equal(rod.inertia, [1, 0, 0, 0, 0, 1])


def test_coupling_four_bar():
    """C77: v_j = C v_a with the efforts by the transpose, power 2.2 on both sides."""
    na, nj = (50, 60), (1, 2)
    C = [[1 / (nj[0] * na[0]), 0], [-1 / (nj[0] * na[0] * nj[1]), 1 / (na[1] * nj[1])]]
    robot = Robot((Joint("a"), Joint("b")), (Link(), Link()), coupling=C)
    speed = robot.joint_from_motor([10, 4])
    np.testing.assert_allclose(speed, [0.2, -0.0666667], atol=1e-7)
    tau = robot.joint_torque([0.3, -0.2])
    np.testing.assert_allclose(tau, [3, -24], rtol=1e-12)
    assert tau @ speed == pytest.approx(2.2)


def test_coupling_differential():
    """C78: velocity uses T, torque its transpose, and the power is the same on both sides."""
    T = [[0.5, -0.5, 0], [0.5, 0.5, 0], [0.275, 0.275, 0.55]]
    robot = Robot((Joint("a"), Joint("b"), Joint("c")), (Link(),) * 3, coupling=T)
    np.testing.assert_allclose(robot.joint_from_motor([0.1, 0.3, -0.2]), [-0.1, 0.2, 0], atol=1e-15)
    np.testing.assert_allclose(robot.motor_torque([10, -4, 6]), [4.65, -5.35, 3.3], rtol=1e-14)
    np.testing.assert_allclose(robot.motor_from_joint(robot.joint_from_motor([[0.1, 0.3, -0.2]])), [[0.1, 0.3, -0.2]], rtol=1e-14)
    assert robot.motor_torque([10, -4, 6]) @ [0.1, 0.3, -0.2] == pytest.approx(-1.8, rel=1e-13)
    assert np.array([10, -4, 6]) @ robot.joint_from_motor([0.1, 0.3, -0.2]) == pytest.approx(-1.8, rel=1e-13)


def test_gear_ratio_of_one_motor_acts_on_both_maps():
    """C78: 0.667 of the second motor scales its joint's velocity and its own torque, and nothing of the others."""
    robot = Robot((Joint("a"), Joint("b"), Joint("c")), (Link(),) * 3, coupling=np.diag([1, 0.667, 1]))
    np.testing.assert_allclose(robot.joint_from_motor([0.1, 0.3, -0.2]), [0.1, 0.2001, -0.2], rtol=1e-14)
    np.testing.assert_allclose(robot.motor_torque([10, -4, 6]), [10, -2.668, 6], rtol=1e-14)


def test_coupling_parallel_rod():
    """C79."""
    robot = Robot((Joint("a"), Joint("b")), (Link(), Link())).with_coupling([[1, 0], [-1, 1]])
    np.testing.assert_allclose(robot.joint_from_motor([0.3, 0.5]), [0.3, 0.2], rtol=1e-14)
    np.testing.assert_array_equal(robot.motor_torque([10, 4]), [6, 4])
    assert robot.motor_torque([10, 4]) @ [0.3, 0.5] == pytest.approx(3.8)


@pytest.mark.parametrize("rpy", [(0.1, 0.2, 0.3), (3.0, -1.2, -3.0), (0.3, math.pi / 2, 0.5), (0.3, -math.pi / 2 + 1e-9, 0.5), (math.pi, 0, math.pi / 2)])
def test_rpy_describes_the_rotation(rpy):
    """Also at and next to the gimbal's lock, where only roll minus yaw is determined."""
    R = Transform.from_xyz_rpy((0, 0, 0), rpy).R
    np.testing.assert_allclose(Transform.from_xyz_rpy((0, 0, 0), Transform.of(R).rpy).R, R, atol=4e-16)


def test_quarter_turns_come_back_exactly():
    for axis in "xyz":
        for k in range(-3, 5):
            pose = Transform.rot(axis, k * math.pi / 2)
            assert set(np.abs(pose.R).ravel()) == {0.0, 1.0}
            assert Transform.from_xyz_rpy((0, 0, 0), pose.rpy) == pose


def test_unit_axes_keep_their_digits():
    axis = Joint("j", axis=(1, 1, 0)).axis
    assert Joint("j", axis=axis).axis == axis
    assert Joint("j", axis=(0, 0, -5)).axis == (0.0, 0.0, -1.0)


def test_with_friction():
    robot = Robot((Joint("a"), Joint("b")), (Link(), Link())).with_friction(viscous=[1, 2], coulomb=3)
    assert [(j.viscous, j.coulomb) for j in robot.joints] == [(1.0, 3.0), (2.0, 3.0)]
    with pytest.raises(RobotError, match=r"viscous friction of robot 'robot': shape \(3,\), expected a scalar or \(2,\)"):
        robot.with_friction(viscous=[1, 2, 3])


def test_dh_table_survives_changes_of_anything_but_the_joints():
    robot = Robot.from_dh([(0.1, 0.2, 0.3, 0.4)], "modified")
    assert robot.dh == DHTable("modified", (DHRow(0.1, 0.2, 0.3, 0.4),))
    assert robot.dh.joints(["joint1"]) == robot.joints
    assert replace(robot, name="x").dh == robot.dh
    assert robot == replace(robot, dh=None)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Robot.from_dh([(1, 2, 3, 4, "R", 6)], "standard"), "DH row: 6 values"),
        (lambda: Robot.from_dh([(1.0,)], "craig"), "DH convention: 'craig'"),
        (lambda: Robot.from_dh([(1.0, 90.0)], "standard"), "angle of a DH row"),
        (lambda: Robot.from_dh([(math.nan,)], "standard"), "a of a DH row: nan"),
        (lambda: Robot.from_dh([], "standard"), "no joint"),
        (lambda: Robot((Joint("a"),), (Link(),), mimic=(Mimic(1, 0),)), "mimic of robot"),
        (lambda: Robot((Joint("a"), Joint("b")), (Link(), Link()), mimic=(Mimic(1, 1),)), "mimic of robot"),
        (lambda: Robot((Joint("a"), Joint("b")), (Link(), Link()), mimic=(Mimic(0, 1), Mimic(1, 0))), "mimic of robot"),
        (lambda: Robot((Joint("a"), Joint("b")), (Link(), Link()), coupling=[[1, 2], [2, 4]]), "a singular matrix"),
        (lambda: Link("x", math.inf), "mass of link 'x'"),
        (lambda: Link("x", inertia=[[1, 2, 3], [0, 1, 0], [0, 0, 1]]), "expected a symmetric matrix"),
        (lambda: Joint("j", axis=(0, 0, 0)), "axis of joint 'j': zero length"),
        (lambda: Joint("j", "revolute"), "kind of joint 'j'"),
        (lambda: Transform.of(np.eye(3)[[1, 0, 2]]), "right-handed"),
    ],
)
def test_wrong_values_are_named(make, message):
    with pytest.raises(RobotError, match=message):
        make()


MISUSE = {
    "no number": (lambda: DHRow(a=None), "a of a DH row: None, expected a finite number"),
    "a list": (lambda: DHRow(a=[1, 2]), r"a of a DH row: \[1, 2\], expected a finite number"),
    "complex": (lambda: DHRow(d=1j), "d of a DH row: 1j, expected a finite number"),
    "no row": (lambda: Robot.from_dh([None], "standard"), 'DH row: None, expected a, alpha, d, theta and "R" or "P"'),
    "no rows": (lambda: Robot.from_dh(None, "standard"), "rows: None, expected one DH row per joint"),
    "text": (lambda: Robot.from_dh(["abc"], "standard"), "DH row: 'abc', expected a, alpha"),
    "gravity": (lambda: Robot.from_dh([DHRow()], "standard", gravity="down"), "gravity: 'down', expected three finite numbers"),
}


NUMBERS = {
    "gear": (lambda x: Drive(gear=x), "gear of a drive: {}, expected a finite number"),
    "rotor inertia": (lambda x: Drive(rotor_inertia=x), "rotor inertia of a drive: {}, expected a finite number"),
    "torque constant": (lambda x: Drive(torque_constant=x), "torque constant of a drive: {}, expected a finite number"),
    "current gain": (lambda x: Drive(current_gain=x), "current gain of a drive: {}, expected a finite number"),
    "reflected": (Drive.reflected, "reflected rotor inertia of a drive: {}, expected a finite number [kg m²]"),
    "gear of a reflected one": (lambda x: Drive.reflected(1.0, gear=x), "gear of a drive: {}, expected a finite number"),
    "viscous": (lambda x: Joint("j", viscous=x), "viscous friction of joint 'j': {}, expected a finite number"),
    "coulomb": (lambda x: Joint("j", coulomb=x), "coulomb friction of joint 'j': {}, expected a finite number"),
    "mass": (lambda x: Link("x", x), "mass of link 'x': {}, expected a finite number [kg]"),
    "mass with a centre": (lambda x: Link.from_com(x, (0, 0, 0), (1, 1, 1), "x"), "mass of link 'x': {}, expected a finite number [kg]"),
    "position share": (lambda x: Limits.of(1).scaled(position=x), "position fraction: {}, expected a number in (0, 1]"),
    "velocity share": (lambda x: Limits.of(1).scaled(velocity=x), "velocity fraction: {}, expected a number in (0, 1]"),
}


@pytest.mark.parametrize("value", ["fast", 1j, math.nan, [1.0, 2.0]])
@pytest.mark.parametrize("case", NUMBERS)
def test_no_finite_number_is_named(case, value):
    call, message = NUMBERS[case]
    with pytest.raises((RobotError, LimitsError), match=f"^{re.escape(message.format(value if isinstance(value, float) else repr(value)))}.$"):
        call(value)


@pytest.mark.parametrize("value, found", [("fast", "'fast'"), ([1, 2j], "entries of type complex128"), (None, "None")])
@pytest.mark.parametrize("what", ["velocity", "acceleration", "torque", "position", "lower", "upper"])
def test_limits_of_no_numbers_are_named(what, value, found):
    if value is None and what in ("position", "lower", "upper"):
        assert Limits.of(2, **{what: value}) == Limits.of(2)  # not given
        return
    with pytest.raises(LimitsError, match=f"^{what} limits: {found}, expected real numbers.$"):
        Limits.of(2, **{what: value})


ARRAYS = {
    "position": (lambda: Limits.of(2, position=np.ones((2, 3))), LimitsError, r"position limits: shape \(2, 3\), expected a magnitude"),
    "count": (lambda: Limits.of("two"), LimitsError, "number of joints of limits: 'two', expected a whole number"),
    "names": (lambda: Limits.of(2, names=("a",)), LimitsError, "names of limits: 1 names, expected 2, one per joint"),
    "inertia": (lambda: Link("x", inertia="big"), RobotError, "inertia of link 'x': 'big', expected real numbers"),
    "parameters": (lambda: Link.from_parameters([1j] * 10, "x"), RobotError, "parameters of link 'x': entries of type complex128, expected real numbers"),
    "friction": (lambda: Robot.from_dh([DHRow()], "standard").with_friction("high"), RobotError, "viscous friction of robot 'robot': 'high', expected real"),
    "before": (lambda: Joint("j", before=np.eye(4)), RobotError, "transform before the motion of joint 'j': .*, expected a Transform"),
}


@pytest.mark.parametrize("case", ARRAYS)
def test_no_array_of_the_kind_is_named(case):
    call, error, message = ARRAYS[case]
    with pytest.raises(error, match=f"(?s)^{message}"):
        call()


@pytest.mark.parametrize("case", MISUSE)
def test_misuse_is_named(case):
    call, message = MISUSE[case]
    with pytest.raises(RobotError, match=message):
        call()
