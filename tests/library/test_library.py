"""The robots of the library against their sources."""

import math
from pathlib import Path

import numpy as np
import pytest

from optid import library
from optid.kinematics import forward_kinematics
from optid.model import DynamicModel
from optid.regressor import BaseParameters
from optid.robot import Robot, check_link, robot_from_toml, robot_to_toml, robot_to_urdf

ROBOTS = library.__all__
DATA = Path(__file__).resolve().parents[2] / "../shared/data"
URDF = {"tx40": "tx40/tx40_mdh_modified.urdf", "lwr4": "lwr4/kuka_lwr4.urdf", "panda": "panda/panda_no_gripper.urdf"}


@pytest.mark.parametrize("name", ROBOTS)
def test_every_robot_is_saved_exactly(name):
    robot = getattr(library, name)()
    assert robot_from_toml(robot_to_toml(robot)) == robot


@pytest.mark.parametrize("name", [n for n in ROBOTS if n != "irb140_lower_arm"])
def test_bodies_can_exist(name):
    assert [fault for link in getattr(library, name)().links for fault in check_link(link)] == []


@pytest.mark.parametrize("name", ROBOTS)
def test_urdf_of_every_robot_moves_alike(name):
    """The URDF has its frames elsewhere (on the joints); the tool goes the same way."""
    robot = getattr(library, name)()
    if any(check_link(link) for link in robot.links):
        robot = robot.with_links([type(link)(link.name) for link in robot.links])
    q = np.random.default_rng(0).normal(size=(4, robot.n))
    again = Robot.from_urdf(robot_to_urdf(robot), tip="tool")
    assert again.joint_names == robot.joint_names
    np.testing.assert_allclose(forward_kinematics(again, q), forward_kinematics(robot, q), atol=1e-14)


@pytest.mark.parametrize("name", URDF)
def test_frames_of_the_robots_urdf(name):
    """Frame by frame, up to the pose of the base; the TX40 of the library counts joints 2 and 3 from the controller's zero."""
    path = DATA / URDF[name]
    if not path.exists():
        pytest.skip("the public robot descriptions are not beside the checkout")
    described, robot = Robot.from_urdf(path), getattr(library, name)()
    q = np.random.default_rng(0).normal(size=(3, robot.n))
    offset = np.radians([0, -90, 90, 0, 0, 0]) if name == "tx40" else 0.0
    base = described.base.inverse().matrix
    for i in range(robot.n_links):
        np.testing.assert_allclose(base @ forward_kinematics(described, q + offset, i), forward_kinematics(robot, q, i), atol=1e-14)


def test_irb140_limits_and_reach():
    """Gonzalez 2021: ranges and speeds; at q = (0, 90°, −180°) the arm is stretched forward and its lengths add up."""
    robot = library.irb140_lower_arm()
    np.testing.assert_allclose(np.degrees(robot.limits.position), [[-180, 180], [-90, 110], [-230, 50]])
    np.testing.assert_allclose(np.degrees(robot.limits.velocity), [200, 200, 260])
    assert robot.limits.acceleration == (11.875, 10.144, 10.423)
    stretched = forward_kinematics(robot, [0, math.pi / 2, -math.pi])
    np.testing.assert_allclose(stretched[:3, 3], [0.07 + 0.36 + 0.38, 0, 0.352], atol=1e-15)


def test_scara_er14_closed_form():
    """Derived by hand from the rows: x, y of a planar 2R, z = 0.22205 − q3, roll = q1 + q2 + q4."""
    q = np.array([0.3, -0.8, 0.05, 1.1])
    T = forward_kinematics(library.scara_er14(), q)
    position = [0.27 * math.cos(0.3) + 0.23 * math.cos(-0.5), 0.27 * math.sin(0.3) + 0.23 * math.sin(-0.5), 0.765 - 0.315 - 0.04 - 0.18795 - 0.05]
    np.testing.assert_allclose(T[:3, 3], position, atol=1e-15)
    assert math.atan2(T[1, 0], T[0, 0]) == pytest.approx(0.3 - 0.8 + 1.1)
    np.testing.assert_allclose(np.degrees(library.scara_er14().limits.upper), [144, 109, np.inf, 527])


def test_scara_v08_position_and_slide():
    """Valencia 2008: x, y, z formulas, −17.658 N at rest, and 1.8 + 0.045 kg when accelerating."""
    robot = library.scara_v08()
    q = np.array([0.3, -0.8, 1.2, 0.15])
    np.testing.assert_allclose(
        forward_kinematics(robot, q)[:3, 3], [0.5 * math.cos(0.3) + 0.3 * math.cos(-0.5), 0.5 * math.sin(0.3) + 0.3 * math.sin(-0.5), 0.15], atol=1e-15
    )
    model = DynamicModel(robot, friction=(), rotor_inertia=True)
    pi = model.nominal_parameters()
    rest = model.inverse_dynamics(pi, q, np.zeros(4), np.zeros(4))
    np.testing.assert_allclose(rest, [0, 0, 0, -17.658], atol=1e-12)
    assert model.inverse_dynamics(pi, q, np.zeros(4), [0, 0, 0, 2])[3] == pytest.approx(-17.658 + 2 * 1.845)


def test_scara_v08_base_parameters():
    """The published base parameters appear in M(q): M33 = ZZ3R + IA3; M22 and M11 by hand with the wrist mass m4 behind both links."""
    model = DynamicModel(library.scara_v08(), friction=(), rotor_inertia=True)
    q = np.array([0.4, 0.7, -1.1, 0.2])
    M = model.mass_matrix(model.nominal_parameters(), q)
    c2, s2, c3, s3 = math.cos(q[1]), math.sin(q[1]), math.cos(q[2]), math.sin(q[2])
    zz1, zz2, zz3, mx2, my2, mx3, my3, m4 = 3.38, 0.063, 0.1, 0.242, 0.001, 0.2, 0.1, 1.8
    wrist = 2 * 0.3 * (mx3 * c3 - my3 * s3)
    m22 = zz2 + zz3 + m4 * 0.09 + wrist
    c23, s23 = math.cos(q[1] + q[2]), math.sin(q[1] + q[2])
    m11 = zz1 + m22 + m4 * 0.25 + 2 * 0.5 * (mx2 * c2 - my2 * s2 + m4 * 0.3 * c2 + mx3 * c23 - my3 * s23)
    np.testing.assert_allclose(np.diag(M), [m11, m22, zz3, m4 + 0.045], rtol=1e-13)


def test_planar_2r_gravity_by_plane():
    vertical = DynamicModel(library.planar_2r(), friction=())
    flat = DynamicModel(library.planar_2r(vertical=False), friction=())
    pi = vertical.nominal_parameters()
    np.testing.assert_allclose(vertical.gravity_torque(pi, np.zeros(2)), 9.81 * np.array([2 * 0.2 + 1.5 * 0.65, 1.5 * 0.15]), rtol=1e-14)
    np.testing.assert_array_equal(flat.gravity_torque(pi, np.array([0.3, 0.4])), [0, 0])


def test_panda_gravity():
    """C05 (g = 9.80665)."""
    model = DynamicModel(library.panda().with_gravity((0, 0, -9.80665)), friction=())
    q0 = np.array([0.1, -0.4, 0.3, -1.9, 0.2, 1.7, 0.6])
    published = [0, -11.2480824, -3.3369011, 18.2416021, 0.6706649, 1.7860713, -0.0099243]
    np.testing.assert_allclose(model.gravity_torque(model.nominal_parameters(), q0), published, atol=5e-8)


def test_emps_force():
    """Published estimates: M ddq + Fv dq + Fc sign(dq), no gravity along the axis."""
    model = DynamicModel(library.emps(), friction=("viscous", "coulomb"))
    force = model.inverse_dynamics(model.nominal_parameters(), [0.1], [-0.2], [0.5])
    assert force[0] == pytest.approx(95.1089 * 0.5 - 203.5034 * 0.2 - 20.3935)
    assert library.emps().drives[0].gain == 35.15065


def test_tx40_wrist_coupling():
    """Motor angles N q with N = diag(32, 32, 45, −48, 45, 32) and N[6, 5] = 32; motor torque by the transpose, power kept."""
    robot = library.tx40()
    q = np.array([0.1, -0.2, 0.3, 0.4, -0.5, 0.6])
    motors = np.array([3.2, -6.4, 13.5, -19.2, -22.5, 32 * (0.6 - 0.5)])
    np.testing.assert_allclose(robot.motor_from_joint(q), motors, rtol=1e-14)
    np.testing.assert_allclose(robot.joint_from_motor(motors), q, rtol=1e-14)
    tau_motor = np.array([1.0, 2, 3, 4, 5, 6])
    tau = robot.joint_torque(tau_motor)
    np.testing.assert_allclose(tau, [32, 64, 135, -192, 45 * 5 + 32 * 6, 192], rtol=1e-14)
    assert tau @ q == pytest.approx(tau_motor @ motors)


def test_kr300_stands_on_the_floor():
    """Base turned by 180° about x: the shoulder is 0.675 m above the floor; drives and friction on the joint side."""
    robot = library.kr300()
    np.testing.assert_allclose(forward_kinematics(robot, np.zeros(6), frame=0)[:3, 3], [0.35, 0, 0.675], atol=1e-15)
    model = DynamicModel(robot, friction=("viscous", "coulomb"), rotor_inertia=True)
    named = dict(zip(model.parameter_names, model.nominal_parameters(), strict=True))
    assert named["Ia1"] == pytest.approx(0.00923 * 256.857142857**2)
    assert named["fc2"] == pytest.approx(1.832264957 * 267.428571429)
    assert named["fv3"] == pytest.approx(0.08398663 * 252.333333333**2)


def test_irb140_base_parameters_are_the_published_estimates():
    """Gonzalez 2021, Table II, in the published groupings (masses, rotor inertias and viscous friction known)."""
    model = DynamicModel(library.irb140_lower_arm(), friction=("viscous", "coulomb"), rotor_inertia=True)
    known = [name for name in model.parameter_names if name in ("m1", "m2", "m3") or name.startswith(("Ia", "fv"))]
    base = BaseParameters.of(model, known=known)
    values = dict(zip(base.formulas, base.matrix @ model.nominal_parameters(), strict=True))
    assert values == pytest.approx(
        {
            "Iyy1 + Iyy2 + Iyy3 + 0.14*mx1": 6.2672,
            "Ixx2 - Iyy2": -2.1315,
            "Izz2": 1.9237,
            "Ixy2": 0.10048,
            "Ixz2 - 0.36*mz2 - 0.36*mz3": 0.34712,
            "Iyz2": 0.18018,
            "mx2": -8.1397,
            "my2": -0.40546,
            "Ixx3 - Iyy3": -3.3542,
            "Izz3": 4.0412,
            "Ixy3": -0.62208,
            "Ixz3 - 0.38*mz3": -0.29632,
            "Iyz3": 0.17383,
            "mx3": -9.6518,
            "my3": -2.2081,
            "fc1": 0.45214,
            "fc2": 0.40672,
            "fc3": 0.28581,
        },
        rel=1e-9,
    )
