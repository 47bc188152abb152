"""Torques of small robots with closed forms (DH conventions, prismatic joints, gravity)."""

from __future__ import annotations

from math import cos, pi, sin

import numpy as np
import pytest

from optid import DHRow, Drive, DynamicModel, Link, Robot, Transform
from optid.model import DCMotor
from optid.model.actuator import Actuator, needed_current, with_actuators

H = pi / 2


def rigid(robot: Robot) -> tuple[DynamicModel, np.ndarray]:
    model = DynamicModel(robot, friction="none")
    return model, model.nominal_parameters()


def two_link(gravity: tuple[float, float, float] = (0, -9.81, 0)) -> Robot:
    links = [Link.from_com(2, (0.5, 0, 0), (0, 0, 0)), Link.from_com(1.5, (0.4, 0, 0), (0, 0, 0))]
    return Robot.from_dh([DHRow(), DHRow(a=0.5)], "modified", gravity, links=links)


def test_pendulum_in_standard_dh() -> None:
    """C01: the link frame sits at the far end, so the centre of mass is at -a/2."""
    robot = Robot.from_dh([DHRow(a=0.8)], "standard", (0, -9.81, 0), links=[Link.from_com(3, (-0.4, 0, 0), (0, 0.16, 0.16))])
    model, pi_ = rigid(robot)
    assert model.inverse_dynamics(pi_, [0.6], [0.0], [2.0]) == pytest.approx([10.995850859], rel=1e-9)


def test_planar_arm_with_point_masses() -> None:
    """C02."""
    model, pi_ = rigid(two_link())
    assert model.inverse_dynamics(pi_, [0.3, -0.7], [0.5, -0.2], [1.1, 0.4]) == pytest.approx([23.710258645, 5.985446606], rel=1e-9)


PANDA_MDH = [(0, 0, 0.333), (0, -H, 0), (0, H, 0.316), (0.0825, H, 0), (-0.0825, -H, 0.384), (0, H, 0), (0.088, H, 0)]
PANDA_LINKS = [
    (4.970684, (0.003875, 0.002081, -0.04762), (0.70337, -0.000139, 0.006772, 0.70661, 0.019169, 0.009117)),
    (0.646926, (-0.003141, -0.02872, 0.003495), (0.007962, -0.003925, 0.010254, 0.02811, 0.000704, 0.025995)),
    (3.228604, (0.027518, 0.039252, -0.066502), (0.037242, -0.004761, -0.011396, 0.036155, -0.012805, 0.01083)),
    (3.587895, (-0.05317, 0.104419, 0.027454), (0.025853, 0.007796, -0.001332, 0.019552, 0.008641, 0.028323)),
    (1.225946, (-0.011953, 0.041065, -0.038437), (0.035549, -0.002117, -0.004037, 0.029474, 0.000229, 0.008627)),
    (1.666555, (0.060149, -0.014117, -0.010517), (0.001964, 0.000109, -0.001158, 0.004354, 0.000341, 0.005433)),
    (0.735522, (0.010517, -0.004252, 0.061597), (0.012516, -0.000428, -0.001196, 0.010027, -0.000741, 0.004815)),
]
Q0 = np.array([0.1, -0.4, 0.3, -1.9, 0.2, 1.7, 0.6])


def panda(d7: float = 0.0, shift: float = 0.0) -> Robot:
    rows = [DHRow(a=a, alpha=alpha, d=d) for a, alpha, d in PANDA_MDH]
    rows[6] = DHRow(a=0.088, alpha=H, d=d7)
    links = [Link.from_com(m, np.array(c) + (0, 0, shift * (i == 6)), inertia) for i, (m, c, inertia) in enumerate(PANDA_LINKS)]
    return Robot.from_dh(rows, "modified", (0, 0, -9.80665), links=links)


def test_panda_with_published_parameters() -> None:
    """C05 (also checked against Pinocchio by the case's author)."""
    model, pi_ = rigid(panda())
    dq, ddq = np.array([0.3, -0.5, 0.7, 0.2, -0.9, 0.4, 1.1]), np.array([1, -2, 0.5, 1.5, -1, 2, -3])
    gravity = [0, -11.2480824, -3.3369011, 18.2416021, 0.6706649, 1.7860713, -0.0099243]
    torque = [2.0359840, -17.8231065, -1.6185357, 21.2199251, 0.7502413, 2.0738459, -0.0495709]
    inertia = [0.6986925, 1.9388968, 1.1697833, 0.8005334, 0.0266710, 0.0322275, 0.0049097]
    assert model.gravity_torque(pi_, Q0) == pytest.approx(gravity, abs=6e-8)
    assert model.inverse_dynamics(pi_, Q0, dq, ddq) == pytest.approx(torque, abs=6e-8)
    assert np.diag(model.mass_matrix(pi_, Q0)) == pytest.approx(inertia, abs=6e-8)


def test_a_moved_frame_needs_a_moved_centre_of_mass() -> None:
    """C04: the flange offset in d7 is harmless only when the body of link 7 is described in the moved frame."""
    gravity = {}
    for name, robot in {"A": panda(), "B": panda(0.107, -0.107), "C": panda(0.107)}.items():
        model, pi_ = rigid(robot)
        gravity[name] = model.gravity_torque(pi_, Q0)
    assert gravity["B"] == pytest.approx(gravity["A"], rel=1e-12, abs=1e-12)
    assert gravity["A"][3] == pytest.approx(18.2416021, abs=6e-8)
    assert gravity["C"][3] == pytest.approx(18.3809493, abs=6e-8)


def test_alpha_turns_the_far_frame_not_the_axis() -> None:
    """C06."""
    for gravity, torque in (((0, 0, -9.81), 0.0), ((0, -9.81, 0), 4.942794085)):
        model, pi_ = rigid(Robot.from_dh([DHRow(alpha=H)], "standard", gravity, links=[Link.from_com(2, (0.1, -0.2, 0.3), (1, 2, 2.5))]))
        assert model.inverse_dynamics(pi_, [0.6], [0], [0])[0] == pytest.approx(torque, rel=1e-8, abs=1e-300)


def test_prismatic_joint_on_a_rotating_link() -> None:
    """C07: closed form of a slide along a rotating arm."""
    # z1 is the fixed rotation axis; the slide runs along the rotated x axis of link 1: turn by Ry(90 deg) = Rz(90) Rx(90) Rz(-90)
    first = DHRow(theta=0.0)
    slide = DHRow(alpha=H, theta=0.0, joint="P")
    robot = Robot.from_dh([first, slide], "modified", (0, -9.81, 0))
    turned = Transform.rot("y", H)
    joints = (robot.joints[0], type(robot.joints[1])("slide", "P", turned))
    m1, c1, izz1, m2 = 2.0, 0.25, 0.03, 1.2
    links = (Link.from_com(m1, (c1, 0, 0), (0, 0, izz1)), Link.from_com(m2, (0, 0, 0), (0.02, 0.02, 0.02)))
    model, pi_ = rigid(Robot(joints, links, (0, -9.81, 0)))
    tau = model.inverse_dynamics(pi_, [0.5, 0.35], [0.8, -0.4], [0.3, 0.6])
    assert tau == pytest.approx([7.748158138, 6.094997440], rel=1e-9)


@pytest.mark.parametrize("gravity, torque", [((0, 0, -9.81), -5.421365), ((0, 0, 9.81), 5.421365)])
def test_floor_and_ceiling(gravity: tuple[float, float, float], torque: float) -> None:
    """C16: one link about the base's y axis."""
    joint = type(two_link().joints[0])("j", "R", axis=(0, 1, 0))
    model, pi_ = rigid(Robot((joint,), (Link.from_com(2, (0.3, 0, 0), (0, 0, 0)),), gravity))
    assert model.inverse_dynamics(pi_, [0.4], [0], [0])[0] == pytest.approx(torque, rel=1e-6)


def test_wall_mount_by_orientation_or_by_gravity() -> None:
    """C16."""
    joint = type(two_link().joints[0])("j", "R", axis=(0, 1, 0))
    robot = Robot((joint,), (Link.from_com(2, (0.3, 0, 0), (0, 0, 0)),))
    turned = Transform.rot("y", H)
    for mounted in (robot.mounted(turned), robot.with_gravity(turned.R.T @ [0, 0, -9.81])):
        model, pi_ = rigid(mounted)
        assert model.inverse_dynamics(pi_, [0.4], [0], [0])[0] == pytest.approx(2.2921164, rel=1e-6)


def test_pseudo_inertia_counts_the_mass_once() -> None:
    """C20."""
    links = [Link(), Link.from_com(2, (-0.5, 0, 0), (0.0025, 1 / 6, 1 / 6))]
    model, pi_ = rigid(Robot.from_dh([DHRow(alpha=H), DHRow(a=1)], "standard", (0, 0, 0), links=links))
    assert model.inverse_dynamics(pi_, [0, 0], [0, 0], [1, 0]) == pytest.approx([2 / 3, 0], rel=1e-9, abs=1e-15)


def test_mimic_joint_reduces_torque_and_regressor() -> None:
    """C30: q2 = -q1 + 0.3."""
    from dataclasses import replace

    from optid.robot import Mimic

    full = two_link()
    one = replace(full, mimic=(Mimic(joint=1, source=0, multiplier=-1.0, offset=0.3),), drives=(), limits=None)
    model, pi_ = rigid(one)
    assert model.n == 1
    assert model.inverse_dynamics(pi_, [0.6], [0.8], [1.2]) == pytest.approx([15.218949], rel=1e-6)
    big = DynamicModel(full, friction="none")
    Y = big.regressor([0.6, -0.3], [0.8, -0.8], [1.2, -1.2])
    assert model.regressor([0.6], [0.8], [1.2]) == pytest.approx(np.array([[1, -1]]) @ Y, rel=1e-12, abs=1e-14)
    assert Y @ pi_ == pytest.approx([21.129241, 5.910292], rel=1e-6)


def test_parallel_rods_measure_the_forearm_against_the_ground() -> None:
    """C79: motor 2 holds the forearm's absolute angle; C80: the closed form in absolute angles."""
    robot = two_link().with_coupling([[1, 0], [-1, 1]])
    theta, dtheta, ddtheta = np.array([0.3, -0.4]), np.array([0.5, 0.3]), np.array([1.1, 1.5])
    model, pi_ = rigid(robot)
    q, dq, ddq = (robot.joint_from_motor(x) for x in (theta, dtheta, ddtheta))
    motor = robot.motor_torque(model.inverse_dynamics(pi_, q, dq, ddq))
    m1, m2, L1, L2, g = 2.0, 1.5, 0.5, 0.4, 9.81
    D = theta[1] - theta[0]
    closed = [
        (m1 + m2) * L1**2 * 1.1 + m2 * L1 * L2 * cos(D) * 1.5 - m2 * L1 * L2 * sin(D) * 0.09 + (m1 + m2) * g * L1 * cos(0.3),
        m2 * L2**2 * 1.5 + m2 * L1 * L2 * cos(D) * 1.1 + m2 * L1 * L2 * sin(D) * 0.25 + m2 * g * L2 * cos(-0.4),
    ]
    assert motor == pytest.approx(closed, rel=1e-12)
    assert motor == pytest.approx([17.724812, 5.9854466], rel=1e-6)
    assert model.motor_regressor(theta, dtheta, ddtheta) @ pi_ == pytest.approx(motor, rel=1e-12)


def test_friction_acts_on_the_motors_of_coupled_axes() -> None:
    """C37: the motors turn although joint 2 stands still."""
    robot = two_link().with_coupling([[1, 0], [-1, 1]])
    model = DynamicModel(robot, friction="coulomb")
    pi_ = model.parameters({"fc1": 2.0, "fc2": 3.0})
    dq = robot.joint_from_motor([0.5, 0.5])
    assert dq == pytest.approx([0.5, 0.0])
    assert model.inverse_dynamics(pi_, [0.2, 0.1], dq, [0, 0]) == pytest.approx([5.0, 3.0])


def test_rotor_inertia_is_reflected_by_the_square_of_the_gear() -> None:
    """C38: J = 0.5e-4 kg m2 behind a gear of 100, link 1.2 kg m2."""
    for drive in (Drive(gear=100, rotor_inertia=0.5e-4), Drive.reflected(0.5, gear=100), Drive.reflected(0.5)):
        robot = Robot.from_dh([DHRow()], "standard", links=[Link.from_com(1, (0, 0, 0), (0, 0, 1.2))], drives=[drive])
        model = DynamicModel(robot, friction="none", rotor_inertia=True)
        assert model.mass_matrix(model.nominal_parameters(), [0.3]) == pytest.approx(np.array([[1.7]]))


def test_inertia_seen_by_the_motor() -> None:
    """C38: 1.7e-4 kg m2 on the motor's side: so many ampere at 1 N m/A turn the shaft faster by 1 rad/s in a second."""
    actuator = Actuator(DCMotor(L=0.0, R=1.0, kt=1.0, J=0.5e-4, B=0.0), gear=100)
    robot = Robot.from_dh([DHRow()], "standard", links=[Link.from_com(1, (0, 0, 0), (0, 0, 1.2))])
    model, values = with_actuators(DynamicModel(robot, friction="viscous", rotor_inertia=True), [actuator])
    assert needed_current([actuator], model.inverse_dynamics(values, [0.3], [0], [1 / 100])) == pytest.approx([1.7e-4])


def test_rotor_inertia_changes_only_the_diagonal_of_the_mass_matrix() -> None:
    """C38."""
    robot = two_link().with_drives([Drive(gear=50, rotor_inertia=1e-4), Drive(gear=80, rotor_inertia=2e-4)])
    with_rotor = DynamicModel(robot, friction="none", rotor_inertia=True)
    without = DynamicModel(robot, friction="none")
    q = [0.4, 0.9]
    change = with_rotor.mass_matrix(with_rotor.nominal_parameters(), q) - without.mass_matrix(without.nominal_parameters(), q)
    assert change == pytest.approx(np.diag([0.25, 1.28]), abs=1e-14)


def test_rotor_inertia_enters_once() -> None:
    """C39."""
    robot = Robot.from_dh([DHRow()], "standard", links=[Link.from_com(1, (0, 0, 0), (0, 0, 0.2))], drives=[Drive.reflected(0.5)])
    model = DynamicModel(robot, friction="none", rotor_inertia=True)
    pi_ = model.nominal_parameters()
    assert model.inverse_dynamics(pi_, [0.1], [0], [1]) == pytest.approx([0.7])
    assert model.regressor([0.1], [0], [1]) @ pi_ == pytest.approx([0.7])


@pytest.mark.parametrize("friction, count", [("none", 20), ("viscous", 22), ("viscous+coulomb", 24), ("viscous+coulomb+offset", 26)])
def test_friction_terms_count(friction: str, count: int) -> None:
    """C34."""
    assert DynamicModel(two_link(), friction=friction).p == count


def test_friction_block_is_diagonal() -> None:
    """C34: columns fv1, fv2, fc1, fc2 at dq = (0.5, -2)."""
    model = DynamicModel(two_link(), friction="viscous+coulomb")
    Y = model.regressor([0.1, 0.2], [0.5, -2.0], [0, 0])
    assert model.parameter_names[20:] == ("fv1", "fv2", "fc1", "fc2")
    assert Y[:, 20:].tolist() == [[0.5, 0, 1, 0], [0, -2, 0, -1]]


@pytest.mark.parametrize("width", [0.0, 1e-320, 2.2e-16])
def test_vanishing_smoothing_width_stays_finite(width: float) -> None:
    """C36: sign(0) contributes 0; a width of 0 or eps gives no NaN."""
    model = DynamicModel(two_link(), friction="coulomb", sign_width=width)
    Y = model.regressor([0.1, 0.2], [0.0, -2.0], [0, 0])[:, 20:]
    assert Y.tolist() == [[0, 0], [0, -1]]


def test_massless_link_changes_nothing() -> None:
    """C33: a frame without mass in a chain of three gives no NaN."""
    model = DynamicModel(panda(), friction="none")
    pi_ = model.nominal_parameters()
    pi_[20:30] = 0.0
    tau = model.inverse_dynamics(pi_, Q0, Q0, Q0)
    assert np.isfinite(tau).all() and np.isfinite(model.regressor(Q0, Q0, Q0)).all()


def test_user_columns_join_the_model() -> None:
    """A counterbalance column c·sin(q2) on axis 2."""
    import casadi as ca

    model = DynamicModel(two_link(), friction="none").with_torque_basis(["kc"], lambda q, dq, ddq: ca.vertcat(0, ca.sin(q[1])))
    pi_ = model.parameters({"kc": 3.0})
    assert model.inverse_dynamics(pi_, [0.1, 0.5], [0, 0], [0, 0]) == pytest.approx([0, 3 * sin(0.5)])
    with pytest.raises(ValueError, match="twice"):
        model.with_torque_basis(["kc"], lambda q, dq, ddq: ca.vertcat(0, q[1]))
