"""Arms of every kind, and two numbers computed independently: by SciPy's integrator on equations written by hand, by Pinocchio on the arm's side."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from optid.errors import DataError, RobotError, ShapeError, SolveError
from optid.flexibility.inputs import input_quality
from optid.flexibility.linear import linearise
from optid.flexibility.loop import FlexibleLoop
from optid.flexibility.open_loop import swing
from optid.flexibility.two_axis import set_a
from optid.library import kr300, panda
from optid.model.flexible import FlexibleModel
from optid.model.flexible_joint import ElasticJoint, MotorFriction, Spring
from optid.robot import Drive, Joint, Limits, Link, Robot, Transform, robot_to_urdf
from optid.trajectory import Fourier, PointToPoint


def test_against_an_integrator_of_its_own() -> None:
    """A pendulum behind a stiffening spring, a damper and a geared motor with Stribeck friction: equations by hand, DOP853 at 1e-12."""
    from scipy.integrate import solve_ivp

    load, arm, mass, gear, rotor, low, high, knee, d = 3.0, 0.4, 5.0, 80.0, 4e-4, 2e3, 8e3, 0.01, 3.0
    robot = Robot((Joint("axis", axis=(0, -1, 0)),), (Link("load", mass, (mass * arm, 0, 0), (0, 0, 0, load, 0, 0)),))
    friction = MotorFriction(0.001, 0.3, 0.4, 0.5, 0.05)
    model = FlexibleModel(robot, (ElasticJoint(Spring(low, high, knee), d, gear, rotor, friction),))

    def torque(t: float) -> float:
        return 0.8 * np.sin(9 * t) + 0.25

    def rates(t: float, x: np.ndarray) -> list[float]:
        q, theta, dq, dtheta = x
        delta, w = q - theta, gear * dtheta
        if abs(delta) < knee:
            pull = low * delta + (high - low) / (3 * knee**2) * delta**3
        else:
            pull = np.sign(delta) * (low * knee + (high - low) * knee / 3 + high * (abs(delta) - knee))
        pull += d * (dq - dtheta)
        rub = 0.001 * w + 0.3 * (0.4 + 0.6 / np.cosh(0.05 * w)) * np.tanh(0.5 * w)
        return [dq, dtheta, (-pull - mass * 9.81 * arm * np.cos(q)) / load, (gear * (torque(t) - rub) + pull) / (gear**2 * rotor)]

    time, states = swing(model, [0.3, 0.3, 0.0, 0.0], 0.6, lambda t: np.array([torque(t)]))
    exact = solve_ivp(rates, (0, 0.6), [0.3, 0.3, 0.0, 0.0], method="DOP853", rtol=1e-12, atol=1e-13, t_eval=time, max_step=1e-3).y.T
    assert np.ptp(states[:, 0]) > 0.1 and np.abs(states[:, 0] - states[:, 1]).max() > knee
    assert np.allclose(states, exact, atol=1e-8 * np.abs(exact).max())


@pytest.mark.parametrize("coupled", [False, True])
def test_against_pinocchio(coupled: bool) -> None:
    """A KR300: q̈ by the articulated-body algorithm of Pinocchio under the springs' torque; θ̈ by the rotors' equation."""
    pin = pytest.importorskip("pinocchio")
    C = np.eye(6)
    C[4, 3], C[5, 3], C[5, 4] = -0.3, 0.1, -0.5
    robot = kr300().with_coupling(C) if coupled else kr300()
    stiffness = np.array([4.6e6, 7.5e6, 4.1e6, 5e5, 5e5, 3e5])
    model = FlexibleModel.of(robot, stiffness, 1e-3 * stiffness)
    other = pin.buildModelFromXML(robot_to_urdf(kr300().with_friction(0.0, 0.0).with_limits(Limits.of(6, position=3.0))))
    other.gravity.linear = np.array(robot.gravity)
    rng = np.random.default_rng(4)
    N = np.diag([drive.gear for drive in robot.drives]) @ np.linalg.inv(robot.C)
    rotors = N.T @ np.diag([drive.rotor_inertia for drive in robot.drives]) @ N
    for _ in range(5):
        q, dq, dtheta, u = rng.normal(size=(4, 6))
        theta = q - 1e-3 * rng.normal(size=6)
        pull = stiffness * (q - theta) + 1e-3 * stiffness * (dq - dtheta)
        expected = np.r_[dq, dtheta, pin.aba(other, other.createData(), q, dq, -pull), np.linalg.solve(rotors, pull + N.T @ u)]
        found = model.functions["rates"](model.parameters(), np.r_[q, theta, dq, dtheta], u).full()[:, 0]
        assert np.allclose(found, expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max())


def seven() -> FlexibleModel:
    return FlexibleModel.of(panda().with_drives([Drive(100, 1e-4)] * 7), [14e3] * 4 + [9e3] * 3, 10.0)


def sliding() -> FlexibleModel:
    """A sliding axis, a turning one and a second sliding one: N/m and N s/m where they slide."""
    joints = (Joint("x", "P", axis=(1, 0, 0)), Joint("turn", axis=(0, 0, 1)), Joint("z", "P", axis=(0, 0, 1)))
    links = (Link("slide", 20.0), Link.from_com(5.0, (0.1, 0, 0), (0.1, 0.1, 0.1)), Link("quill", 3.0))
    robot = Robot(joints, links, tool=Transform.trans(x=0.2), drives=(Drive(200, 1e-3), Drive(50, 1e-3), Drive(300, 1e-3)))
    return FlexibleModel.of(robot, [5e5, 1e4, 2e5], [500, 10, 200])


ARMS = {
    "seven joints": seven,
    "sliding joints": sliding,
    "no gravity": lambda: replace(set_a(), robot=set_a().robot.with_gravity((0, 0, 0))),
    "gear 1": lambda: set_a().with_joints(gear=1.0, rotor_inertia=300.0),
    "negative gears": lambda: set_a().with_joints(gear=-150.0),
    "a link without mass": lambda: replace(set_a(), robot=set_a().robot.with_links([Link("arm2"), set_a().robot.links[1]])),
    "springs of nothing": lambda: set_a().with_joints(spring=Spring(1e-3)),
}


@pytest.mark.parametrize("name", ARMS)
def test_every_arm_stays_on_its_path(name: str) -> None:
    """Exact feedforward: the tool stays within 1e-7 m (acceptance 4) whatever the arm, and moves."""
    model = ARMS[name]()
    start = np.array([0, -0.5, 0, -2, 0, 1.5, 0.7]) if model.n == 7 else np.zeros(model.n)
    record = FlexibleLoop(model, backend="interpreter").simulate(PointToPoint(start, start + 0.05, 0.4, "ninth"), tail=0.1)
    assert record.tool_reference is not None and np.ptp(record.tool_reference, axis=0).max() > 0.01
    assert np.abs(record.tool[0] - record.tool_reference).max() < 1e-7


def test_negative_gears_turn_the_motors_the_other_way() -> None:
    """The same arm with gears of the other sign: torques change their sign, the motion does not."""
    motion = PointToPoint(np.zeros(2), np.full(2, 0.05), 0.3, "ninth")
    one, other = (FlexibleLoop(set_a().with_joints(gear=gear), backend="interpreter").simulate(motion, 95.0, 0.1) for gear in (150.0, -150.0))
    assert np.allclose(one.torque, -other.torque, rtol=1e-9, atol=1e-9) and np.allclose(one.q, other.q, atol=1e-12)


def test_stiff_springs_are_followed_or_refused() -> None:
    """Linear modes grow with the root of the stiffness; a simulation names the step that it would need."""
    modes = [linearise(set_a().with_joints(spring=Spring(k)), [0.0, 0.0]).antiresonances() for k in (1e9, 1e12)]
    assert np.allclose(modes[1] / modes[0], np.sqrt(1e3), rtol=1e-4)
    motion = PointToPoint(np.zeros(2), np.full(2, 0.05), 0.3, "ninth")
    with pytest.raises(SolveError, match=r"step of the flexible simulation: 0\.0001 s, expected at most"):
        FlexibleLoop(set_a().with_joints(spring=Spring(1e12)), backend="interpreter").simulate(motion)
    with pytest.raises(SolveError, match=r"1\.\d+e\+148 steps of"):
        swing(set_a().with_joints(spring=Spring(1e300)), np.zeros(8), 0.01)


def test_joints_that_move_nothing_are_named() -> None:
    """A last link without mass: no infinite acceleration, no error of linear algebra."""
    robot = set_a().robot
    empty = FlexibleModel(robot.with_links([robot.links[0], Link("arm3")]), set_a().joints)
    message = "joint 'axis3' of robot 'set A': it moves no inertia, expected links with mass"
    for use in (lambda: FlexibleLoop(empty), lambda: linearise(empty, [0.0, 0.0]), lambda: swing(empty, np.zeros(8), 0.01)):
        with pytest.raises(RobotError, match=message):
            use()
    individual = set_a().parameters({name: 0.0 for name in set_a().parameter_names if name.endswith("_2") or name in ("m2", "mx2", "Iyy2", "Ixx2", "Izz2")})
    with pytest.raises(RobotError, match=message):
        linearise(set_a(), [0.0, 0.0], individual)


def test_motions_that_do_not_fit() -> None:
    """A motion that starts in motion, one of more axes."""
    loop = FlexibleLoop(set_a(), backend="interpreter")
    swinging = Fourier([0.0, 0.0], [[0.05], [0.05]], [[0.0], [0.0]], period=1.0)
    for call in (loop.simulate, lambda motion: input_quality(loop, motion)):
        with pytest.raises(DataError, match=r"motion of a flexible arm: a speed of \[0\.314.*expected one that starts at rest"):
            call(swinging)
        with pytest.raises(ShapeError, match="motion of a flexible arm: 3 axes, expected 2"):
            call(PointToPoint(np.zeros(3), np.ones(3), 1.0))
