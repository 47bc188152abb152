"""Torques of robots read from URDF: values computed independently (theme 1 of the cases), and Pinocchio on random chains."""

import math

import numpy as np
import pytest

from optid import library
from optid.model import DynamicModel
from optid.robot import Joint, Link, Robot, Transform, robot_to_urdf

QUARTER = repr(math.pi / 2)
NO_GRAVITY = (0.0, 0.0, 0.0)


def torque(robot, q, dq, ddq, **terms):
    model = DynamicModel(robot, **{"friction": (), **terms})
    return model.inverse_dynamics(model.nominal_parameters(), np.atleast_1d(q), np.atleast_1d(dq), np.atleast_1d(ddq))


def one_axis(axis, inertial, extra="", kind="continuous", **options):
    text = f'''<robot name="one"><link name="base"/><link name="arm">{inertial}</link><joint name="j" type="{kind}"><parent link="base"/><child link="arm"/>
    <axis xyz="{axis}"/>{extra}</joint></robot>'''
    return Robot.from_urdf(text, **options)


def two_links(tool=True):
    flange = f"""<link name="flange"><inertial><mass value=".5"/><inertia ixx="1e-4" ixy="0" ixz="0" iyy="1e-4" iyz="0" izz="1e-4"/></inertial></link>
    <link name="tool"><inertial><mass value=".8"/><inertia ixx=".001" ixy="0" ixz="0" iyy=".002" iyz="0" izz=".003"/></inertial></link>
    <joint name="f1" type="fixed"><parent link="l2"/><child link="flange"/><origin xyz=".3 0 0" rpy="0 0 {QUARTER}"/></joint>
    <joint name="f2" type="fixed"><parent link="flange"/><child link="tool"/><origin xyz="0 -.1 0"/></joint>"""
    return Robot.from_urdf(f"""<robot name="c08"><link name="world"/><link name="base"/>
    <link name="l1"><inertial><origin xyz=".2 0 0"/><mass value="2"/><inertia ixx=".001" ixy="0" ixz="0" iyy=".02" iyz="0" izz=".02"/></inertial></link>
    <link name="l2"><inertial><origin xyz=".15 0 0"/><mass value="1"/><inertia ixx=".0005" ixy="0" ixz="0" iyy=".008" iyz="0" izz=".008"/></inertial></link>
    <joint name="mount" type="fixed"><parent link="world"/><child link="base"/><origin xyz="0 0 .5"/></joint>
    <joint name="j1" type="continuous"><parent link="base"/><child link="l1"/><origin xyz="0 0 .1"/><axis xyz="0 1 0"/></joint>
    <joint name="j2" type="continuous"><parent link="l1"/><child link="l2"/><origin xyz=".4 0 0"/><axis xyz="0 1 0"/></joint>
    {flange if tool else ""}</robot>""")


def test_flange_and_tool_behind_fixed_joints_weigh():
    """C08."""
    np.testing.assert_allclose(torque(two_links(), [0, 0], [0, 0], [0, 0]), [-19.0314, -6.0822], rtol=1e-6)
    np.testing.assert_allclose(torque(two_links(tool=False), [0, 0], [0, 0], [0, 0]), [-9.3195, -1.4715], rtol=1e-6)
    np.testing.assert_allclose(torque(two_links(), [0.4, -0.9], [1.1, -0.6], [2, 0.5]), [-15.3099134, -4.7528749], rtol=1e-6)


def test_turned_inertial_frame():
    """C09: 2, not 1."""
    inertial = f'<inertial><origin rpy="0 0 {QUARTER}"/><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="2" iyz="0" izz="2.5"/></inertial>'
    assert torque(one_axis("1 0 0", inertial, gravity=NO_GRAVITY), 0.3, 0, 1) == pytest.approx([2.0], rel=1e-14)


def test_inertial_without_origin_and_link_without_inertial():
    """C11 a and b."""
    inertial = '<inertial><mass value="1"/><inertia ixx=".3" ixy="0" ixz="0" iyy=".3" iyz="0" izz=".3"/></inertial>'
    assert torque(one_axis("1 0 0", inertial), 0.3, 0, 2) == pytest.approx([0.6], rel=1e-14)
    assert torque(one_axis("1 0 0", ""), 0.3, 1.0, 2.0)[0] == 0.0


def test_skew_axis_that_is_not_of_unit_length():
    """C12: 0.6; a sign slip gives 0.4, a missing normalisation 1.2."""
    inertial = '<inertial><mass value="1"/><inertia ixx=".4" ixy=".1" ixz="0" iyy=".6" iyz="0" izz=".7"/></inertial>'
    assert torque(one_axis("1 1 0", inertial, gravity=NO_GRAVITY), 0.3, 0, 1) == pytest.approx([0.6], rel=1e-14)


@pytest.mark.parametrize("name", ["m1", "mx1", "my1", "mz1", "Ixx1", "Ixy1", "Ixz1", "Iyy1", "Iyz1", "Izz1"])
def test_a_named_parameter_moves_the_torque_by_its_column(name):
    """C13, about an axis that sees every element of the tensor."""
    inertial = '<inertial><origin xyz=".1 .2 .3"/><mass value="2"/><inertia ixx="1" ixy=".1" ixz=".2" iyy="2" iyz=".3" izz="2.5"/></inertial>'
    model = DynamicModel(one_axis("1 2 3", inertial), friction=())
    pi = model.nominal_parameters()
    moved = model.parameters({name: pi[model.index(name)] + 1e-3}, default=pi)
    state = np.array([0.4]), np.array([0.7]), np.array([-1.3])
    change = model.inverse_dynamics(moved, *state) - model.inverse_dynamics(pi, *state)
    np.testing.assert_allclose(change, 1e-3 * model.regressor(*state)[:, model.index(name)], atol=1e-14)


def test_continuous_joint_is_periodic():
    """C14."""
    inertial = '<inertial><origin xyz=".1 .2 .3"/><mass value="2"/><inertia ixx="1" ixy=".1" ixz=".2" iyy="2" iyz=".3" izz="2.5"/></inertial>'
    robot = one_axis("0 1 0", inertial)
    np.testing.assert_allclose(torque(robot, 0.7 + 4 * math.pi, 1, 2), torque(robot, 0.7, 1, 2), atol=1e-9)


def test_mounting():
    """C16: floor, wall (base turned by 90° about y, or gravity turned the other way) and ceiling; a controller's "up" vector is the negative of gravity."""
    robot = Robot((Joint("j", axis=(0, 1, 0)),), (Link.from_com(2, (0.3, 0, 0), (0, 0, 0)),))
    state = 0.4, 0.0, 0.0
    assert torque(robot, *state) == pytest.approx([-5.421365], rel=1e-6)
    wall = Transform.rot("y", math.pi / 2)
    assert torque(robot.mounted(wall), *state) == pytest.approx([2.2921164], rel=1e-6)
    assert torque(robot.with_gravity((9.81, 0, 0)), *state) == pytest.approx([2.2921164], rel=1e-6)
    assert torque(robot.with_gravity((0, 0, 9.81)), *state) == pytest.approx([5.421365], rel=1e-6)
    tilted = Robot(robot.joints, robot.links, robot.gravity, base=wall)
    assert torque(tilted, *state) == pytest.approx([2.2921164], rel=1e-6)


def test_dynamics_element_gives_nominal_friction():
    """C18: +3.4 at dq = 2, −3.4 at −2, nothing at rest."""
    inertial = '<inertial><mass value="1"/><inertia ixx=".3" iyy=".3" izz=".3"/></inertial>'
    robot = one_axis("0 0 1", inertial, extra='<dynamics damping="1.5" friction="0.4"/>')
    plain = torque(robot, [0.1], [2.0], [1.0])
    for speed, friction in ((2.0, 3.4), (-2.0, -3.4), (0.0, 0.0)):
        got = torque(robot, [0.1], [speed], [1.0], friction=("viscous", "coulomb"))
        np.testing.assert_allclose(got - plain, [friction], atol=1e-14)


def test_frame_without_body_changes_nothing():
    """C33: a bare link between two bodies of a 3R chain."""
    body = Link.from_com(1.5, (0.1, 0.2, 0.3), (0.02, 0.03, 0.04), "body")
    joints = tuple(Joint(f"j{i}", before=Transform.trans(x=0.4) @ Transform.rot("x", 0.5), axis=(0, 0, 1)) for i in range(3))
    robot = Robot(joints, (body, Link("frame"), body))
    model = DynamicModel(robot, friction=())
    tau = model.inverse_dynamics(model.nominal_parameters(), [0.1, 0.2, 0.3], [1, 2, 3], [4, 5, 6])
    assert np.isfinite(tau).all()
    lumped = Robot.from_urdf(robot_to_urdf(robot), locked={"j1": 0.2})
    # holding joint 2 still with the others moving: two joints, the same torques
    free = model.inverse_dynamics(model.nominal_parameters(), [0.1, 0.2, 0.3], [1, 0, 3], [4, 0, 6])
    np.testing.assert_allclose(torque(lumped, [0.1, 0.3], [1, 3], [4, 6]), free[[0, 2]], rtol=1e-12)


def random_chain(seed, n):
    """Revolute, continuous and prismatic joints about arbitrary axes, bodies with turned inertial frames, some massless, some behind fixed joints."""
    rng = np.random.default_rng(seed)

    def three(scale):
        return " ".join(repr(float(x)) for x in rng.uniform(-scale, scale, 3))

    def body():
        if rng.random() < 0.2:
            return ""
        points = rng.normal(size=(6, 3)) * 0.1
        masses = rng.uniform(0.1, 1, 6)
        centre = masses @ points / masses.sum()
        spread = (points - centre).T @ ((points - centre) * masses[:, None])
        I = np.trace(spread) * np.eye(3) - spread
        keys = {"ixx": (0, 0), "ixy": (0, 1), "ixz": (0, 2), "iyy": (1, 1), "iyz": (1, 2), "izz": (2, 2)}
        tensor = " ".join(f'{key}="{float(I[at])!r}"' for key, at in keys.items())
        return f'<inertial><origin xyz="{three(0.2)}" rpy="{three(3)}"/><mass value="{float(masses.sum())!r}"/><inertia {tensor}/></inertial>'

    text, parent = f'<robot name="r"><link name="l0">{body()}</link>', "l0"
    for i in range(1, n + 1):
        kind = ("revolute", "continuous", "prismatic")[rng.integers(3)]
        axis = ("0 0 1", "0 -1 0", "1 0 0", "1 1 0", three(1))[rng.integers(5)]
        text += f'<link name="l{i}">{body()}</link><joint name="j{i}" type="{kind}"><parent link="{parent}"/><child link="l{i}"/>'
        text += f'<origin xyz="{three(0.5)}" rpy="{three(3)}"/><axis xyz="{axis}"/><limit lower="-3" upper="3" velocity="9" effort="9"/></joint>'
        text += f'<link name="f{i}">{body()}</link><joint name="f{i}" type="fixed"><parent link="l{i}"/><child link="f{i}"/>'
        text += f'<origin xyz="{three(0.2)}" rpy="{three(3)}"/></joint>'
        parent = (f"l{i}", f"f{i}")[rng.integers(2)]
    return text + "</robot>"


@pytest.mark.parametrize("n", range(1, 8))
def test_random_chains_against_pinocchio(n):
    """Regressor times parameters = inverse dynamics = Pinocchio to 1e-10, under arbitrary gravity; so does the robot written to URDF and read again."""
    pin = pytest.importorskip("pinocchio")
    text = random_chain(n, n)
    rng = np.random.default_rng(50 + n)
    gravity = rng.normal(size=3) * 6
    robot = Robot.from_urdf(text, gravity=gravity)
    pin_model = pin.buildModelFromXML(text)
    pin_model.gravity.linear = gravity
    data = pin_model.createData()
    model = DynamicModel(robot, friction=())
    pi = model.nominal_parameters()
    again = DynamicModel(Robot.from_urdf(robot_to_urdf(robot), gravity=gravity), friction=())
    for _ in range(5):
        q, dq, ddq = rng.normal(size=(3, n))
        wide = []
        for i in range(n):
            double = pin_model.joints[pin_model.getJointId(f"j{i + 1}")].nq == 2
            wide += [math.cos(q[i]), math.sin(q[i])] if double else [q[i]]
        expected = pin.rnea(pin_model, data, np.array(wide), dq, ddq)
        tolerance = 1e-10 * max(1.0, float(np.abs(expected).max()))
        np.testing.assert_allclose(model.inverse_dynamics(pi, q, dq, ddq), expected, rtol=0, atol=tolerance)
        np.testing.assert_allclose(model.regressor(q, dq, ddq) @ pi, expected, rtol=0, atol=tolerance)
        np.testing.assert_allclose(again.inverse_dynamics(again.nominal_parameters(), q, dq, ddq), expected, rtol=0, atol=tolerance)


@pytest.mark.parametrize("name", ["panda", "ur10e", "scara_v08", "kr300", "emps", "planar_2r"])
def test_dh_robot_written_to_urdf_needs_the_same_torque(name):
    """Standard and modified DH against their URDF, whose link frames differ."""
    robot = getattr(library, name)()
    again = Robot.from_urdf(robot_to_urdf(robot), gravity=robot.gravity)
    q, dq, ddq = np.random.default_rng(3).normal(size=(3, 5, robot.n))
    expected = torque(robot, q, dq, ddq, friction=("viscous", "coulomb"))
    np.testing.assert_allclose(torque(again, q, dq, ddq, friction=("viscous", "coulomb")), expected, rtol=1e-11, atol=1e-9)
