"""Poses, Jacobians, velocities and accelerations against closed forms, differences and Pinocchio."""

import math

import casadi as ca
import numpy as np
import pytest

from optid import library
from optid.errors import RobotError, ShapeError, UnknownNameError
from optid.kinematics import (
    acceleration,
    forward_kinematics,
    geometric_jacobian,
    jacobian,
    joint_transform,
    link_transforms,
    velocity,
)
from optid.robot import DHRow, Joint, Link, Robot, Transform

AXES = ((0, 0, 1), (0, 1, 0), (-1, 0, 0), (1, 1, 0), (0.3, -0.4, 0.5))


def random_urdf(seed, n=6):
    """A chain of revolute, continuous and prismatic joints with arbitrary axes, a fixed joint inside, a base and a tool."""
    rng = np.random.default_rng(seed)

    def numbers(scale, k=3):
        return " ".join(repr(float(x)) for x in rng.uniform(-scale, scale, k))

    parts = ['<robot name="random"><link name="l0"/>']
    kinds = rng.permutation(["revolute", "continuous", "prismatic", "revolute", "prismatic", "revolute"])[:n]
    parent = "l0"
    for i in range(n):
        if i in (0, 3):
            parts.append(f'<link name="f{i}"/><joint name="fix{i}" type="fixed"><parent link="{parent}"/><child link="f{i}"/>')
            parts.append(f'<origin xyz="{numbers(1)}" rpy="{numbers(3)}"/></joint>')
            parent = f"f{i}"
        axis = AXES[rng.integers(len(AXES))]
        parts.append(f'<link name="l{i + 1}"/><joint name="j{i + 1}" type="{kinds[i]}"><parent link="{parent}"/><child link="l{i + 1}"/>')
        parts.append(f'<origin xyz="{numbers(0.5)}" rpy="{numbers(3)}"/><axis xyz="{axis[0]} {axis[1]} {axis[2]}"/>')
        parts.append('<limit lower="-3" upper="3" velocity="9" effort="9"/></joint>')
        parent = f"l{i + 1}"
    parts.append(f'<link name="tip"/><joint name="fixtip" type="fixed"><parent link="{parent}"/><child link="tip"/>')
    parts.append(f'<origin xyz="{numbers(0.3)}" rpy="{numbers(3)}"/></joint></robot>')
    return "".join(parts)


def mixed_dh(convention, scale=1.0):
    rows = [DHRow(0.3, 0.7, 0.1, 0.2), DHRow(0.4, -math.pi / 2, 0.2, 1.0, "P"), DHRow(-0.2, 1.1, 0.3), DHRow(0.1, math.pi / 2, 0.0, -2.0)]
    scaled = [DHRow(scale * r.a, r.alpha, scale * r.d, r.theta, r.joint) for r in rows]
    return Robot.from_dh(scaled, convention, base=Transform.from_xyz_rpy((scale, 0, 0), (0.1, 0.2, 0.3)), tool=Transform.from_xyz_rpy((0, scale, 0), (1, 2, 3)))


def test_panda_flange():
    """C04."""
    robot = library.panda()
    q = np.array([np.zeros(7), [0, -math.pi / 4, 0, -3 * math.pi / 4, 0, math.pi / 2, math.pi / 4]])
    T = forward_kinematics(robot, q)
    assert T.shape == (2, 4, 4)
    np.testing.assert_allclose(T[0, :3, 3], [0.088, 0, 0.926], atol=1e-12)
    np.testing.assert_allclose(T[1, :3, 3], [0.306891, 0, 0.590282], atol=5e-7)


@pytest.mark.parametrize("convention", ["standard", "modified"])
def test_dh_product(convention):
    """The product of elementary transforms, row by row, as the conventions are defined."""
    robot = mixed_dh(convention)
    q = np.array([0.4, -0.3, 1.2, -2.0])
    T = robot.base.matrix
    for i, row in enumerate(robot.dh.rows):
        theta, d = (row.theta + q[i], row.d) if row.joint == "R" else (row.theta, row.d + q[i])
        screw = (Transform.rot("z", theta) @ Transform.trans(z=d)).matrix
        twist = (Transform.trans(x=row.a) @ Transform.rot("x", row.alpha)).matrix
        T = T @ screw @ twist if convention == "standard" else T @ twist @ screw
        np.testing.assert_allclose(forward_kinematics(robot, q, frame=i), T, atol=1e-14)
    np.testing.assert_allclose(forward_kinematics(robot, q), T @ robot.tool.matrix, atol=1e-14)


@pytest.mark.parametrize("seed", range(5))
def test_random_urdf_against_pinocchio(seed):
    """Pose, Jacobian, velocity and acceleration of the tip; Pinocchio expands a continuous joint to (cos, sin)."""
    pin = pytest.importorskip("pinocchio")
    text = random_urdf(seed)
    robot = Robot.from_urdf(text)
    model = pin.buildModelFromXML(text)
    data = model.createData()
    tip = model.getFrameId("tip")
    rng = np.random.default_rng(100 + seed)
    for _ in range(3):
        q, dq, ddq = rng.normal(size=(3, robot.n))
        wide = []
        for i, name in enumerate(robot.joint_names):
            double = model.joints[model.getJointId(name)].nq == 2
            wide += [math.cos(q[i]), math.sin(q[i])] if double else [q[i]]
        pin.forwardKinematics(model, data, np.array(wide), dq, ddq)
        pin.updateFramePlacements(model, data)
        np.testing.assert_allclose(forward_kinematics(robot, q), data.oMf[tip].homogeneous, atol=1e-12)
        J = pin.computeFrameJacobian(model, data, np.array(wide), tip, pin.LOCAL_WORLD_ALIGNED)
        np.testing.assert_allclose(jacobian(robot, q), J, atol=1e-12)
        v = pin.getFrameVelocity(model, data, tip, pin.LOCAL_WORLD_ALIGNED).vector
        np.testing.assert_allclose(velocity(robot, q, dq), v, atol=1e-12)
        a = pin.getFrameClassicalAcceleration(model, data, tip, pin.LOCAL_WORLD_ALIGNED).vector
        np.testing.assert_allclose(acceleration(robot, q, dq, ddq), a, atol=1e-10)


@pytest.mark.parametrize("scale", [1.0, 1e-3])
@pytest.mark.parametrize("frame", [None, 0, 2])
def test_jacobian_against_differences(scale, frame):
    """Central differences of pose and velocity, also for an arm of millimetres."""
    robot = mixed_dh("standard", scale)
    rng = np.random.default_rng(1)
    q, dq, ddq = rng.normal(size=(3, 4))
    q[1], dq[1], ddq[1] = scale * np.array([q[1], dq[1], ddq[1]])
    h = 1e-5
    T, ahead, back = forward_kinematics(robot, np.array([q, q + h * dq, q - h * dq]), frame)
    rate = (ahead - back) / (2 * h)
    spin = rate[:3, :3] @ T[:3, :3].T
    expected = np.array([*rate[:3, 3], spin[2, 1], spin[0, 2], spin[1, 0]])
    np.testing.assert_allclose(jacobian(robot, q, frame) @ dq, expected, rtol=1e-8, atol=1e-9 * scale)
    np.testing.assert_allclose(velocity(robot, q, dq, frame), expected, rtol=1e-8, atol=1e-9 * scale)
    step = h * dq + h**2 / 2 * ddq, -h * dq + h**2 / 2 * ddq
    v1, v0 = velocity(robot, np.array([q + step[0], q + step[1]]), np.array([dq + h * ddq, dq - h * ddq]), frame)
    np.testing.assert_allclose(acceleration(robot, q, dq, ddq, frame), (v1 - v0) / (2 * h), rtol=1e-7, atol=1e-8 * scale)


def test_mimic_joint_moves_with_its_source():
    """x = cos q + cos(q + 2 q + 0.3), by hand."""
    text = """<robot name="m"><link name="a"/><link name="b"/><link name="c"/><link name="t"/>
    <joint name="j" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/></joint>
    <joint name="k" type="continuous"><parent link="b"/><child link="c"/><axis xyz="0 0 1"/><origin xyz="1 0 0"/>
    <mimic joint="j" multiplier="2" offset="0.3"/></joint>
    <joint name="e" type="fixed"><parent link="c"/><child link="t"/><origin xyz="1 0 0"/></joint></robot>"""
    robot = Robot.from_urdf(text)
    q = 0.4
    np.testing.assert_allclose(forward_kinematics(robot, [q])[:2, 3], [math.cos(q) + math.cos(3 * q + 0.3), math.sin(q) + math.sin(3 * q + 0.3)], atol=1e-15)
    expected = [-math.sin(q) - 3 * math.sin(3 * q + 0.3), math.cos(q) + 3 * math.cos(3 * q + 0.3), 0, 0, 0, 3]
    np.testing.assert_allclose(jacobian(robot, [q])[:, 0], expected, atol=1e-15)


def test_quarter_turns_leave_no_rounding():
    """Structural zeros: a UR arm's first frames, and the SCARA's flat Jacobian."""
    q = ca.SX.sym("q", 6)
    R, p = link_transforms(library.ur10e(), q)[0]
    assert R.nnz() == 5
    assert p.nnz() == 1
    J = geometric_jacobian(library.scara(), ca.SX.sym("q", 4))
    assert J[:, 3].nnz() == 1
    assert J[3:5, :].nnz() == 0
    R, p = joint_transform(Joint("j", "P", Transform.rot("x", math.pi / 2), (0, 0, -1), Transform.rot("y", math.pi)), q[0])
    assert (R.nnz(), p.nnz()) == (3, 1)


@pytest.mark.parametrize("axis", AXES)
def test_joint_transform_about_any_axis(axis):
    """The rotation keeps its axis, has trace 1 + 2 cos q and turns the right way."""
    q = 0.7
    x = ca.SX.sym("x")
    R, _ = joint_transform(Joint("j", axis=axis), x)
    value = ca.Function("R", [x], [R])(q).full()
    unit = np.array(axis) / np.linalg.norm(axis)
    np.testing.assert_allclose(value @ unit, unit, atol=1e-15)
    np.testing.assert_allclose(value @ value.T, np.eye(3), atol=1e-15)
    assert np.trace(value) == pytest.approx(1 + 2 * math.cos(q))
    skew = (value - value.T) / 2
    np.testing.assert_allclose([skew[2, 1], skew[0, 2], skew[1, 0]], math.sin(q) * unit, atol=1e-15)


def test_inputs_of_every_kind():
    """C86: lists, tuples, DM and arrays agree; SX gives SX; one joint; NaN stays in its row; empty stays empty."""
    robot = mixed_dh("standard")
    q = [0.1, 0.2, 0.3, 0.4]
    T = forward_kinematics(robot, np.array(q))
    for same in (q, tuple(q), ca.DM(q)):
        np.testing.assert_array_equal(forward_kinematics(robot, same), T)
    x = ca.SX.sym("x", 4)
    expression = forward_kinematics(robot, x)
    assert isinstance(expression, ca.SX)
    np.testing.assert_allclose(ca.Function("f", [x], [expression])(q).full(), T, atol=1e-15)
    assert forward_kinematics(robot, np.empty((0, 4))).shape == (0, 4, 4)
    both = forward_kinematics(robot, np.array([[np.nan] * 4, q]))
    assert np.isnan(both[0]).any()
    np.testing.assert_array_equal(both[1], T)
    one = library.emps()
    assert forward_kinematics(one, [0.3])[0, 3] == 0.3
    np.testing.assert_array_equal(jacobian(one, [[0.3], [0.4]]), np.tile(np.eye(6)[:, :1], (2, 1, 1)))


def test_wrong_width_and_frames():
    robot = Robot((Joint("j"),), (Link("arm"),))
    with pytest.raises(ShapeError, match=r"q: shape \(2,\), expected \(N, 1\) or \(1,\)"):
        forward_kinematics(robot, [1.0, 2.0])
    with pytest.raises(RobotError, match=r"frame: 1, expected a link index 0 ... 0"):
        forward_kinematics(robot, [1.0], frame=1)
    with pytest.raises(UnknownNameError, match="Did you mean 'arm'"):
        jacobian(robot, [1.0], frame="arms")
    np.testing.assert_array_equal(forward_kinematics(robot, [1.0], frame="arm"), forward_kinematics(robot, [1.0]))
