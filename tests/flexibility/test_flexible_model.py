"""Elastic joints: laws, closed forms, energy, linear modes."""

from __future__ import annotations

from dataclasses import replace

import casadi as ca
import numpy as np
import pytest

from optid.errors import RobotError, ShapeError, SolveError, UnknownNameError
from optid.flexibility.gains import Gains
from optid.flexibility.linear import linearise
from optid.flexibility.open_loop import energy, fastest, swing
from optid.flexibility.plants import on_stand
from optid.flexibility.two_axis import POSTURES, set_a, set_b
from optid.library import kr300
from optid.model.flexible import FlexibleModel
from optid.model.flexible_joint import ElasticJoint, MotorFriction, Spring, spring_torque
from optid.robot import Drive, Joint, Link, Robot

SPRINGS = [Spring(0.9e6, 1.5e6, 3e-4), Spring(16.7, 100.0, 0.064), Spring(100.0, 40.0, 0.02), Spring(50.0, 50.0, 0.1), Spring(3e5)]


@pytest.mark.parametrize("spring", SPRINGS)
def test_spring_is_smooth_and_invertible(spring: Spring) -> None:
    """A09 (3.55): value and slope are continuous at the knee, where the slope is k_high; energy is the integral; the inverse is exact."""
    knee = spring.knee
    near = np.array([knee * (1 - 1e-9), knee * (1 + 1e-9)])
    assert np.allclose(spring.torque(near), knee * (2 * spring.low + spring.high) / 3, rtol=1e-8)
    assert np.allclose(spring.slope(near), spring.high, rtol=1e-7)
    scale = max(knee, 1e-3)
    delta = np.concatenate([np.linspace(-3, 3, 241) * scale, [knee, -knee, 0.0]])
    assert np.allclose(spring.deflection(spring.torque(delta)), delta, rtol=1e-12, atol=1e-12 * scale)
    assert np.allclose(spring.torque(-delta), -spring.torque(delta), rtol=1e-14)
    fine = np.linspace(0, 3 * scale, 20001)
    work = np.concatenate([[0.0], np.cumsum(np.diff(fine) * (spring.torque(fine[1:]) + spring.torque(fine[:-1])) / 2)])
    assert np.allclose(spring.energy(fine), work, rtol=1e-6, atol=1e-9 * work[-1])
    x = ca.SX.sym("x")
    by_casadi = ca.Function("slope", [x], [ca.jacobian(spring_torque(x, *spring.values), x)])
    assert np.allclose([float(by_casadi(v)) for v in (0.0, 2 * scale)], [float(spring.slope(v)) for v in (0.0, 2 * scale)])
    if knee:
        assert spring.slope(0.0) == spring.low
        assert np.isclose(spring.torque(0.5 * knee), spring.low * 0.5 * knee + (spring.high - spring.low) / (3 * knee**2) * (0.5 * knee) ** 3)


def test_friction_law_uses_the_hyperbolic_secant() -> None:
    """A09 (3.53) with the numbers of Wernholt & Gunnarsson 2006: Fv w + (Fc + Fcs sech(3.24 w)) tanh(0.8 w), 1.73 N m at 100 rad/s."""
    friction = MotorFriction(
        0.00986346744839, 0.74302635727901 + 3.98628540790595, 0.74302635727901 / (0.74302635727901 + 3.98628540790595), 0.79943497, 3.24015075
    )
    w = np.array([-400.0, -2.0, 0.0, 0.3, 100.0])
    with np.errstate(over="ignore"):
        expected = 0.00986346744839 * w + (0.74302635727901 + 3.98628540790595 / np.cosh(3.24015075 * w)) * np.tanh(0.79943497 * w)
    assert np.allclose(friction.torque(w), expected, rtol=1e-9, atol=1e-15)
    assert np.isclose(friction.torque(100.0), 1.73, atol=0.005)
    assert np.isfinite(friction.torque(1e6))


@pytest.mark.parametrize("model", [set_a(), set_b()], ids=["A", "B"])
def test_two_axis_closed_forms(model: FlexibleModel) -> None:
    """A09 (3.49) to (3.54), signs as re-derived: mass matrix, Coriolis, gravity, springs, dampers and friction."""
    rng = np.random.default_rng(1)
    arm2, arm3 = model.robot.links
    l2, g = model.robot.joints[1].before.p[2], 9.81
    m2, m3, x2, x3 = arm2.mass, arm3.mass, arm2.first_moment[2] / arm2.mass, arm3.first_moment[0] / arm3.mass
    j2, j3 = arm2.inertia_about_com[1, 1], arm3.inertia_about_com[1, 1]  # type: ignore[index]
    for _ in range(20):
        x, u = rng.normal(size=8) * np.r_[np.ones(2), np.ones(2), 3 * np.ones(4)], rng.normal(size=2)
        x[2:4] = x[:2] + 5e-4 * rng.normal(size=2)
        q2, q3 = x[:2]
        dq2, dq3 = x[4:6]
        s3 = np.sin(q3)
        J23 = j3 + m3 * (x3**2 - l2 * x3 * s3)
        M = np.array([[j2 + m2 * x2**2 + j3 + m3 * (l2**2 + x3**2 - 2 * l2 * x3 * s3), J23], [J23, j3 + m3 * x3**2]])
        h = m3 * l2 * x3 * np.cos(q3)
        C = np.array([-h * (2 * dq2 * dq3 + dq3**2), h * dq2**2])
        c23 = np.cos(q2 + q3)
        G = -g * np.array([m2 * x2 * np.sin(q2) + m3 * (l2 * np.sin(q2) + x3 * c23), m3 * x3 * c23])
        delta, rate = x[:2] - x[2:4], x[4:6] - x[6:]
        pull = np.array([float(j.spring.torque(d) + j.damping * r) for j, d, r in zip(model.joints, delta, rate, strict=True)])
        eta, jm = (np.array([getattr(j, what) for j in model.joints]) for what in ("gear", "rotor_inertia"))
        f = np.array([float(j.friction.torque(j.gear * w)) for j, w in zip(model.joints, x[6:], strict=True)])
        expected = np.r_[x[4:], np.linalg.solve(M, -C - G - pull), (eta * (u - f) + pull) / (jm * eta**2)]
        found = model.functions["rates"](model.parameters(), x, u).full()[:, 0]
        assert np.allclose(found, expected, rtol=1e-11, atol=1e-9 * np.abs(expected).max())


def bare(model: FlexibleModel) -> FlexibleModel:
    return model.with_joints(damping=0.0, friction=MotorFriction())


@pytest.mark.parametrize("name", ["A", "three"])
def test_energy_is_kept(name: str) -> None:
    """Acceptance 1: without friction and damping the energy drifts by less than 1e-9 over 1 s of free swing."""
    if name == "A":
        model = bare(set_a())
        x0 = np.r_[POSTURES["zero"], POSTURES["zero"], np.zeros(4)]
        step = 1e-4
    else:
        links = [Link.from_com(m, c, (0.3, 0.2, 0.4, 0.05, 0.3, 0.5)) for m, c in ((20, (0.1, 0, 0.2)), (15, (-0.2, 0.05, 0)), (5, (0, 0.1, 0.1)))]
        robot = Robot.from_dh([(0.1, np.pi / 2, 0.4, 0), (0.5, 0, 0.1, 0), (0.05, -np.pi / 2, 0, 0)], "standard", links=links)
        joints = (ElasticJoint(Spring(3e3, 6e3, 2e-3), 0.0, 60, 2e-4), ElasticJoint(Spring(4e3), 0.0, 100, 2e-4), ElasticJoint.passive(500.0))
        model = FlexibleModel(robot, joints)
        x0 = np.r_[0.1, 0.3, -0.02, 0.1, 0.3, np.zeros(5)]
        step = 5e-5
    _, states = swing(model, x0, 1.0 if name == "A" else 0.4, step=step)
    e = energy(model, states)
    swung = np.ptp(energy(model, np.column_stack([states[:, : model.n + model.m], np.zeros((len(states), model.n + model.m))])))
    assert np.ptp(states[:, : model.n], axis=0).max() > 0.01
    assert np.ptp(e) < 1e-9 * swung


def one_joint(load: float, stiffness: float, rotor: float, damping: float = 0.0, gravity_torque: float = 0.0, gear: float = 1.0) -> FlexibleModel:
    """Two masses and a spring; with gravity the load hangs 1 m out, horizontally at q = 0."""
    mass = gravity_torque / 9.81
    link = Link("load", mass, (mass, 0, 0), (0, 0, 0, load, 0, 0))
    robot = Robot((Joint("axis", axis=(0, -1, 0)),), (link,), name="two masses")
    return FlexibleModel(robot, (ElasticJoint(Spring(stiffness), damping, gear, rotor / gear**2),))


def test_two_masses() -> None:
    """C83: antiresonance √(K/Jl) = 50, resonance √(K(1/Jm + 1/Jl)) = 111.8034 rad/s, poles on or left of the axis, the rigid ones exactly 0."""
    linear = linearise(one_joint(0.08, 200.0, 0.02), [0.0])
    assert np.allclose(2 * np.pi * linear.antiresonances(), 50.0, rtol=1e-12)
    assert np.allclose(2 * np.pi * linear.resonances(), 111.80339887, rtol=1e-9)
    poles = linear.poles()
    assert np.array_equal(poles[:2], [0, 0])
    assert np.allclose(np.sort(poles[2:].imag), [-111.80339887, 111.80339887]) and np.abs(poles.real).max() < 1e-9
    damped = linearise(one_joint(0.08, 200.0, 0.02, damping=0.4), [0.0]).poles()
    assert np.all(np.abs(damped[:2]) < 1e-6) and damped.real.max() < 1e-9
    assert np.allclose(np.sort_complex(damped[2:]), [-12.5 - 111.10243j, -12.5 + 111.10243j], atol=1e-5)
    swapped = linearise(one_joint(0.02, 200.0, 0.08), [0.0])
    assert np.isclose(2 * np.pi * swapped.antiresonances()[0], 100.0)
    dip = linear.response([50 / 2 / np.pi, 5.0])
    assert abs(dip[0, 1, 0]) < 1e-10 * abs(dip[1, 1, 0]), "the motor stands still at the antiresonance"
    s = 2j * np.pi * 5.0
    assert np.isclose(dip[1, 0, 0], 200 / (s**2 * (0.02 * 0.08 * s**2 + 200 * 0.1)))


def test_response_of_the_closed_loop() -> None:
    """Two masses under PD control of the motor: ``y/θ* = (kp + kd s) (Jl s² + d s + K, d s + K) / (P_l P_m − (d s + K)²)``, P the impedances of both sides."""
    model, kp, kd = one_joint(0.08, 200.0, 0.02, damping=0.4, gear=10.0), 30.0, 0.5
    closed = linearise(model, [0.0]).with_feedback(Gains((kp,), (kd,), (0.0,)))
    frequencies = np.array([0.5, 3.0, 8.0, 17.8, 60.0])
    s = 2j * np.pi * frequencies
    spring, drive = 0.4 * s + 200.0, kp + kd * s
    motor_side, link_side = 0.02 * s**2 + spring + drive, 0.08 * s**2 + spring
    common = link_side * motor_side - spring**2
    assert np.allclose(closed.tracking(frequencies)[:, :, 0], (drive / common)[:, None] * np.column_stack([spring, link_side]), rtol=1e-12)
    assert np.allclose(closed.response(frequencies)[:, :, 0], (10.0 / common)[:, None] * np.column_stack([spring, link_side]), rtol=1e-12)


def test_a_bending_link_is_one_more_spring() -> None:
    """A joint without motor behind one with: with (nearly) nothing between them, springs in series, 1/K = 1/K1 + 1/K2; antiresonance √(K/J)."""
    links = (Link("root", inertia=(0, 0, 0, 0, 0, 1e-9)), Link("tip", inertia=(0, 0, 0, 0, 0, 0.5)))
    robot = Robot((Joint("axis"), Joint("bend")), links, gravity=(0, 0, 0))
    model = FlexibleModel(robot, (ElasticJoint(Spring(300.0), 0.0, 20.0, 1e-4), ElasticJoint.passive(600.0)))
    linear = linearise(model, [0.0, 0.0])
    series = 1 / (1 / 300 + 1 / 600)
    assert np.isclose(2 * np.pi * linear.antiresonances()[0], np.sqrt(series / 0.5), rtol=1e-6)
    assert np.isclose(2 * np.pi * linear.resonances()[0], np.sqrt(series * (1 / 0.5 + 1 / (20**2 * 1e-4))), rtol=1e-6)


def test_sag_under_gravity() -> None:
    """C83: K = 5000 N m/rad and a gravity torque of 10 N m: the motor stands 0.002 rad above the arm."""
    linear = linearise(one_joint(0.5, 5000.0, 0.02, gravity_torque=10.0), [0.0])
    assert np.allclose(-linear.deflection, 0.002, rtol=1e-12)


def test_gravity_stiffens_what_hangs() -> None:
    """A pendulum on a soft spring, its motor held: √((K + m g l)/J) hanging, √((K − m g l)/J) upright."""
    pendulum = one_joint(0.5, 30.0, 0.02, gravity_torque=10.0)
    for q, stiffness in ((-np.pi / 2, 40.0), (0.0, 30.0), (np.pi / 2, 20.0)):
        assert np.allclose(2 * np.pi * linearise(pendulum, [q]).antiresonances(), np.sqrt(stiffness / 0.5), rtol=1e-9)


def test_light_rotor_behind_a_stiff_spring() -> None:
    """C82: the default step follows a mode of 1.005e4 rad/s with less than 1 % of energy drift; a step that cannot raises."""
    model = one_joint(0.1, 1e5, 1e-3)
    x0 = np.array([0.001, 0.0, 0.0, 0.0])
    assert np.isclose(fastest(model, x0), 1.005e4, rtol=1e-3)
    _, states = swing(model, x0, 0.1)
    e = energy(model, states)
    assert np.ptp(e) < 0.01 * e[0]
    assert swing(model, x0, 1e-15)[0].tolist() == [0.0, 1e-15]
    with pytest.raises(SolveError, match="not finite"):
        swing(model, x0, 2.0, step=1e-3)


@pytest.mark.parametrize(
    ("posture", "locked", "free"),
    [("folded", (9.89, 11.21), (13.74, 14.74)), ("zero", (7.17, 13.60), (12.36, 16.31)), ("stretched", (5.77, 20.15), (11.67, 22.04))],
)
def test_modes_of_set_a(posture: str, locked: tuple[float, float], free: tuple[float, float]) -> None:
    """Modes [Hz] with k_high, as an independent prototype found them (it left gravity's small stiffness out)."""
    model = set_a()
    straight = replace(model, joints=tuple(replace(j, spring=Spring(j.spring.high)) for j in model.joints))
    linear = linearise(straight, POSTURES[posture])
    assert np.allclose(linear.antiresonances(), locked, rtol=3e-3)
    assert np.allclose(linear.resonances()[-2:], free, rtol=3e-3)


def test_a_stiff_stand_is_no_stand() -> None:
    """A joint without motor and with a stiff spring leaves the modes of the arm alone; a soft one lowers them."""
    arm = set_a()

    def modes(stiffness: float) -> np.ndarray:
        model = on_stand(arm, stiffness)
        assert model.driven == [1, 2] and model.size == 10
        return linearise(model, [0.0, 0.0, 0.0]).antiresonances()[:2]

    reference = linearise(arm, [0.0, 0.0]).antiresonances()
    assert np.allclose(modes(1e12), reference, rtol=1e-5)
    assert np.all(modes(5e6) < 0.99 * reference) and modes(5e6)[0] < 0.92 * reference[0]


def test_individuals_differ_by_named_factors() -> None:
    model = set_a()
    p, other = model.parameters(), model.parameters({"khigh": 0.9, "m2": 1.1})
    changed = [name for name, a, b in zip(model.parameter_names, p, other, strict=True) if a != b]
    assert changed == ["m2", "khigh1", "khigh2"]
    with pytest.raises(ValueError, match="parameter 'stiffness': unknown name"):
        model.parameters({"stiffness": 2})


def test_messages() -> None:
    arm = set_a()
    with pytest.raises(RobotError, match="elastic joints of robot 'set A': 1, expected 2"):
        FlexibleModel(arm.robot, arm.joints[:1])
    with pytest.raises(RobotError, match="stiffness low of a spring: 0"):
        Spring(0.0)
    with pytest.raises(RobotError, match="rotor inertia of an elastic joint: 0"):
        ElasticJoint(Spring(1.0))
    with pytest.raises(ShapeError, match="8 finite numbers"):
        swing(arm, np.full(8, np.nan), 0.1)
    with pytest.raises(ShapeError, match="posture"):
        linearise(arm, [0.0])


def test_model_of_a_robot_with_drives() -> None:
    """Gears and rotor inertias are those of the robot's drives, joint by joint; a drive without a rotor is named, and a joint may have none."""
    robot = kr300()
    model = FlexibleModel.of(robot, 1e6, damping=[100.0] * 6, friction=MotorFriction(0.01))
    assert [(joint.gear, joint.rotor_inertia) for joint in model.joints] == [(drive.gear, drive.rotor_inertia) for drive in robot.drives]
    assert model.joints[3] == ElasticJoint(Spring(1e6), 100.0, robot.drives[3].gear, robot.drives[3].rotor_inertia, MotorFriction(0.01))
    springs = [Spring(1e5, 2e5, 1e-3), *[Spring(1e6)] * 5]
    assert FlexibleModel.of(robot, springs).joints[0].spring == springs[0]
    assert all(joint.spring == springs[0] for joint in FlexibleModel.of(robot, springs[0]).joints)
    bare = robot.with_drives((*robot.drives[:5], Drive()))
    with pytest.raises(RobotError, match=r"^drive of joint 'joint6': rotor inertia 0 kg m², expected one above 0\. Give the robot its drives"):
        FlexibleModel.of(bare, 1e6)
    passive = FlexibleModel.of(bare, 1e6, passive=["joint6"])
    assert passive.driven == [0, 1, 2, 3, 4] and passive.joints[5].damping == 0
    with pytest.raises(UnknownNameError, match="Did you mean 'joint6'"):
        FlexibleModel.of(bare, 1e6, passive="joint")
    with pytest.raises(ShapeError, match="stiffness of a flexible model"):
        FlexibleModel.of(robot, [1e6, 1e6])


def test_model_travels_to_workers() -> None:
    """C87: the model pickles although CasADi symbols do not."""
    import pickle

    model = set_a()
    x = np.arange(8) * 0.01
    there = pickle.loads(pickle.dumps(model))
    assert np.array_equal(there.functions["rates"](there.parameters(), x, 1.0).full(), model.functions["rates"](model.parameters(), x, ca.DM([1, 1])).full())
