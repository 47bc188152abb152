"""Elastic joints whose motors are coupled, ``q = C θ`` (wrists, parallel rods, differentials), against closed forms and the rigid model."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import casadi as ca
import numpy as np
import pytest

from optid.errors import RobotError
from optid.flexibility.feedforward import Feedforward
from optid.flexibility.gains import Gains
from optid.flexibility.inputs import input_quality
from optid.flexibility.linear import linearise
from optid.flexibility.loop import FlexibleLoop
from optid.flexibility.objectives import TailRule
from optid.flexibility.open_loop import energy, swing
from optid.flexibility.paths import MoveLimits, within
from optid.flexibility.plants import on_stand
from optid.flexibility.plots import plot_response
from optid.flexibility.session import TuningSession
from optid.flexibility.settings import TuningSettings
from optid.flexibility.simulated_robot import SimulatedRobot
from optid.flexibility.two_axis import set_a
from optid.library import kr300
from optid.model import DynamicModel
from optid.model.flexible import FlexibleModel
from optid.model.flexible_joint import ElasticJoint, MotorFriction, Spring
from optid.model.transmission import joint_torque, motor_torque
from optid.robot import Joint, Link, Robot
from optid.trajectory import PointToPoint

PARALLEL_ROD = ((1.0, 0.0), (-1.0, 1.0))
"""Motor 2 holds the forearm against the ground (C79): q3 = θ3 − θ2."""
WRIST = np.eye(6)
WRIST[4, 3], WRIST[5, 3], WRIST[5, 4] = -0.3, 0.1, -0.5
STIFFNESS = (4.6e6, 7.5e6, 4.1e6, 5e5, 5e5, 3e5)


def coupled_a() -> FlexibleModel:
    model = set_a()
    return FlexibleModel(model.robot.with_coupling(PARALLEL_ROD), model.joints)


def coupled_wrist(stiffness: tuple[float, ...] = STIFFNESS, damping: float = 1e-3) -> FlexibleModel:
    return FlexibleModel.of(kr300().with_coupling(WRIST), stiffness, damping * np.array(stiffness))


def gantry(stiffness: tuple[float, float] = (3e5, 2e5)) -> FlexibleModel:
    """Two sliding axes (units N/m, N s/m) whose belts run over both motors: x = (φ1 + φ2)/2, y = (φ1 − φ2)/2, rotors of different inertia."""
    joints = (Joint("x", "P", axis=(1, 0, 0)), Joint("y", "P", axis=(0, 1, 0)))
    links = (Link("bridge", 30.0), Link("carriage", 12.0))
    robot = Robot(joints, links, coupling=((0.5, 0.5), (0.5, -0.5)), name="gantry")
    return FlexibleModel(robot, (ElasticJoint(Spring(stiffness[0]), 0.0, 40.0, 2e-3), ElasticJoint(Spring(stiffness[1]), 0.0, 50.0, 5e-3)))


def test_power_is_the_same_on_both_sides() -> None:
    """C79: τ_θ = Cᵀ τ_q: (10, 4) N m become (6, 4), and at speeds (0.3, 0.5) the power is 3.8 W on both sides; with gears too, and of what the loop does."""
    robot = set_a().robot.with_coupling(PARALLEL_ROD)
    plain = FlexibleModel(robot, tuple(replace(joint, gear=1.0) for joint in set_a().joints))
    u = motor_torque([10.0, 4.0], plain.gears)
    assert np.allclose(u, [6, 4]) and np.allclose(joint_torque(u, plain.gears), [10, 4])
    joint_speed = plain.coupling @ [0.3, 0.5]
    assert np.allclose(joint_speed, [0.3, 0.2]) and np.isclose(u @ plain.gears @ joint_speed, 3.8) and np.isclose([10, 4] @ joint_speed, 3.8)
    loop = FlexibleLoop(coupled_a())
    record = loop.simulate(PointToPoint(np.zeros(2), np.array([0.1, -0.05]), 0.4, "ninth"), tail=0.1)
    trial = record.trial(0)
    assert trial.tau is not None and trial.dq is not None
    motor_speed = trial.dq @ (np.diag([150.0, 130.0]) @ np.linalg.inv(PARALLEL_ROD)).T
    assert np.allclose(np.sum(record.torque[0] * motor_speed, axis=1), np.sum(trial.tau * trial.dq, axis=1), rtol=1e-12, atol=1e-9)
    assert np.abs(record.torque[0]).max() > 1


def test_four_bar_transmission() -> None:
    """C77: n_a = (50, 60), n_j = (1, 2): speeds (10, 4) of the motors are (0.2, −0.0666667) at the joints, torques (0.3, −0.2) are (3, −24); power 2.2."""
    robot = set_a().robot.with_coupling(((1.0, 0.0), (-0.5, 0.5)))
    model = FlexibleModel(robot, tuple(replace(joint, gear=gear) for joint, gear in zip(set_a().joints, (50.0, 60.0), strict=True)))
    speed = np.linalg.solve(model.gears, [10, 4])
    torque = joint_torque([0.3, -0.2], model.gears)
    assert np.allclose(speed, [0.2, -0.0666667], atol=1e-7) and np.allclose(torque, [3, -24]) and np.isclose(torque @ speed, 2.2)


def test_accelerations_by_lagrange() -> None:
    """``Nᵀ Jm N θ̈ = Nᵀ (u − f(N θ̇)) + τ(Δ) + d Δ̇``, solved with the full rotor matrix, and the arm's side unchanged by the coupling."""
    model, rng = coupled_a(), np.random.default_rng(3)
    N = np.diag([150.0, 130.0]) @ np.linalg.inv(PARALLEL_ROD)
    for _ in range(5):
        x, u = rng.normal(size=8), rng.normal(size=2)
        x[2:4] = x[:2] + 5e-4 * rng.normal(size=2)
        found = model.functions["rates"](model.parameters(), x, u).full()[:, 0]
        pull = [float(j.spring.torque(d) + j.damping * r) for j, d, r in zip(model.joints, x[:2] - x[2:4], x[4:6] - x[6:], strict=True)]
        friction = np.array([float(j.friction.torque(w)) for j, w in zip(model.joints, N @ x[6:], strict=True)])
        expected = np.linalg.solve(N.T @ np.diag([0.015, 0.015]) @ N, N.T @ (u - friction) + pull)
        assert np.allclose(found[6:], expected, rtol=1e-10)
        assert np.allclose(found[:6], set_a().functions["rates"](model.parameters(), x, u).full()[:6, 0], rtol=1e-12)


@pytest.mark.parametrize("model", [coupled_a(), coupled_wrist()], ids=["two axes", "six axes"])
def test_energy_is_kept(model: FlexibleModel) -> None:
    """Without friction and damping the energy drifts by less than 1e-9 of what is exchanged."""
    model = model.with_joints(damping=0.0, friction=MotorFriction())
    n = model.n
    x0 = np.zeros(4 * n)
    x0[3 * n :] = 0.3 if n > 2 else 0.0
    x0[:n] = x0[n : 2 * n] = np.radians([0, -60, 60, 30, 50, 0]) if n > 2 else 0.0
    duration = 0.1 if n > 2 else 1.0
    _, states = swing(model, x0, duration, step=5e-5 if n > 2 else 1e-4)
    still = np.column_stack([states[:, : 2 * n], np.zeros((len(states), 2 * n))])
    assert np.ptp(states[:, :n], axis=0).max() > 0.01
    assert np.ptp(energy(model, states)) < 1e-9 * np.ptp(energy(model, still))


def test_stiff_joints_are_the_rigid_model_with_coupling() -> None:
    """K → 1e9 N m/rad: the feedforward is ``diag(1/η) Cᵀ`` of the rigid inverse dynamics, links and reflected rotors, within 1e-4."""
    model = coupled_wrist((1e9,) * 6, 0.0)
    robot, start = model.robot, np.radians([0, -60, 60, 30, 50, 0])
    motion = PointToPoint(start, start + 0.3, 2.0, "ninth")
    time = np.linspace(0, 2, 41)
    feedforward = Feedforward(model)
    row, p = ca.SX.sym("row", 36), ca.SX(ca.DM(model.parameters()))
    ahead = ca.Function("u", [row], [feedforward.target(p, row, ca.SX(6, 1), ca.SX.ones(6)).torque])
    found = np.array([ahead(r).full()[:, 0] for r in feedforward.reference(motion, time)])
    rigid = DynamicModel(robot, "none", rotor_inertia=True)
    tau = rigid.inverse_dynamics(rigid.nominal_parameters(), *motion.evaluate(time))
    expected = robot.motor_torque(tau) / [drive.gear for drive in robot.drives]
    assert np.allclose(found, expected, atol=1e-4 * np.abs(expected).max())
    uncoupled = kr300().motor_torque(tau) / [drive.gear for drive in robot.drives]
    assert np.abs(uncoupled - expected).max() > 0.01 * np.abs(expected).max(), "the coupling matters"


@pytest.mark.parametrize("which", ["two axes", pytest.param("six axes", marks=pytest.mark.slow)])
def test_exact_feedforward_keeps_the_tool_on_its_path(which: str) -> None:
    """Tool error below 1e-7 m, 1e-11 indeed, at Υ = 100 %; a wrong Υ shows."""
    model = coupled_a() if which == "two axes" else coupled_wrist()
    start = np.zeros(2) if model.n == 2 else np.radians([0, -60, 60, 30, 50, 0])
    motion = PointToPoint(start, start + (0.1 if model.n == 2 else 0.02), 0.4 if model.n == 2 else 0.2, "ninth")
    record = FlexibleLoop(model).simulate(motion, [[100.0] * model.n, [90.0, *[100.0] * (model.n - 1)]], tail=0.1)
    assert record.tool_reference is not None
    assert np.abs(record.tool[0] - record.tool_reference).max() < 1e-11
    assert np.abs(record.tool[1] - record.tool_reference).max() > 1e-5


def test_poles_of_coupled_masses() -> None:
    """Two masses on coupled rotors: ω² are the eigenvalues of ``(M⁻¹ + (Nᵀ Jm N)⁻¹) K``, by the formula of a 2 × 2 matrix. M = diag(42, 12) kg."""
    model = gantry()
    linear = linearise(model, [0.0, 0.0])
    # C⁻¹ = [[1, 1], [1, −1]]; rotors seen from φ: 40² · 2e-3 = 3.2 and 50² · 5e-3 = 12.5 kg
    total, difference = 3.2 + 12.5, 3.2 - 12.5
    assert np.allclose(linear.M, [[42, 0, 0, 0], [0, 12, 0, 0], [0, 0, total, difference], [0, 0, difference, total]])
    inverse = np.array([[total, -difference], [-difference, total]]) / (total**2 - difference**2)
    A = (np.diag([1 / 42, 1 / 12]) + inverse) @ np.diag([3e5, 2e5])
    root = np.sqrt(np.trace(A) ** 2 / 4 - np.linalg.det(A))
    expected = np.sqrt(np.trace(A) / 2 + np.array([-root, root]))
    assert np.allclose(2 * np.pi * linear.resonances(), expected, rtol=1e-12)
    poles = linear.poles()
    assert np.array_equal(poles[:4], np.zeros(4)) and np.allclose(np.sort(np.abs(poles[4:].imag))[::2], expected, rtol=1e-10)
    assert np.allclose(2 * np.pi * linear.antiresonances(), np.sqrt([3e5 / 42, 2e5 / 12]), rtol=1e-12)


def test_held_motors_are_zeros_of_the_others_response() -> None:
    """The motor that pushes stands still at the antiresonances for it held, although it turns both joints."""
    linear = linearise(gantry(), [0.0, 0.0])
    held = linear.antiresonances([0])
    response = linear.response([*held, held[-1] / 3])
    own = np.einsum("i,fi->f", np.linalg.inv(linear.coupling)[0], response[:, 2:, 0])
    assert len(held) == 2 and np.all(np.abs(own[:-1]) < 1e-8 * abs(own[-1]))


def test_plotted_response_is_that_of_each_motor() -> None:
    """A motor's own speed over its own torque, ``s N (…)⁻¹ Nᵀ`` on the diagonal: far above all modes 1 / (Jm ω) of the rotor alone."""
    figure = plot_response(linearise(gantry(), [0.0, 0.0]), [5.0, 2e4], ("first", "second"))
    curves = {line.get_label(): line.get_ydata()[-1] for line in figure.axes[0].lines if len(line.get_ydata())}
    assert np.isclose(curves["first"], 1 / (2e-3 * 2 * np.pi * 2e4), rtol=1e-3) and np.isclose(curves["second"], 1 / (5e-3 * 2 * np.pi * 2e4), rtol=1e-3)


def test_feedback_is_diagonal_in_the_motors() -> None:
    """The linearised loop has the poles of the simulated one; its references pass unchanged at low frequency without gravity."""
    model = gantry()
    loop = FlexibleLoop(model.with_joints(damping=50.0))
    row = loop.feedforward.reference(PointToPoint(np.zeros(2), np.ones(2), 1.0, "ninth"), [0.0])[0]
    poles = linearise(loop.plant, [0.0, 0.0]).with_feedback(loop.gains).poles()
    found = loop.poles(row)
    assert all(np.min(np.abs(found - pole)) < 1e-6 * abs(pole) for pole in poles)
    slow = linearise(loop.plant, [0.0, 0.0]).with_feedback(loop.gains).tracking([1e-4])[0, 2:]
    assert np.allclose(slow, np.eye(2), atol=1e-4)
    steady = replace(loop, gains=Gains(loop.gains.kp, loop.gains.kd, (0.0, 10 * loop.gains.kp[1])))
    assert steady.poles(row).real.max() < 1e-9


def test_rest_and_integral_action_of_coupled_motors() -> None:
    """With a wrong Υ each motor stands beside its own reference by what is not balanced over kp, ``C⁻ᵀ kp C⁻¹ (θ* − θ) = Nᵀ (u − u_ffw)``; integral action on
    one motor takes away that motor's error alone."""
    loop = FlexibleLoop(coupled_a(), backend="interpreter")
    own = np.linalg.inv(PARALLEL_ROD)
    motion = PointToPoint(np.array([0.0, -0.6]), np.array([0.05, -0.55]), 0.3, "ninth")
    for ki in ((0.0, 0.0), (0.0, 1e6)):
        record = replace(loop, gains=Gains(loop.gains.kp, loop.gains.kd, ki)).simulate(motion, [[90.0, 110.0]], tail=0.05)
        error = own @ (record.motor_reference[0, 0] - record.motor[0, 0])
        assert np.abs(record.motor[0, 1] - record.motor[0, 0]).max() < 1e-7, "it starts at rest"
        assert (abs(error[1]) < 1e-14) == (ki[1] > 0) and abs(error[0]) > 1e-7
        if ki == (0.0, 0.0):
            balance = joint_torque(record.torque[0, 0] - record.feedforward[0, 0], loop.gears)
            assert np.allclose(own.T @ (np.array(loop.gains.kp) * error), balance, rtol=1e-9)


def test_batch_objective_and_best_input_of_coupled_motors(tmp_path: Path) -> None:
    """A recorded run is judged like the simulated one, through the file of a tuning as well, and the linear prediction of Λ holds."""
    loop = FlexibleLoop(coupled_a())
    motion = PointToPoint(np.array([0.0, -0.6]), np.array([0.03, -0.57]), 0.237, "ninth")
    rule = TailRule(0.27, 60.0)
    record = loop.simulate(motion, [[95.0, 105.0]])
    direct = rule.of_record(record)[0]
    assert np.isclose(rule.of_trial(record.trial(0))[0], direct, rtol=1e-12) and direct > 0.1
    session = TuningSession.create(tmp_path / "coupled.h5", TuningSettings(rule, gears=loop.gears, start=(95.0, 105.0), budget=2))
    request = session.ask()
    assert request is not None
    verdict = session.tell(request.number, SimulatedRobot(loop, motion).run(request.upsilon, request.number))
    assert np.isclose(verdict.value, direct, rtol=1e-9)
    assert np.array_equal(TuningSession.load(tmp_path / "coupled.h5").settings.gears, loop.gears)
    tails = loop.simulate(motion, [[100, 100], [101, 100], [100, 101]], tail=0.7)
    after = (tails.torque[1:] - tails.torque[0])[:, tails.time >= motion.duration + 0.05]
    after = after - after[:, -1:]
    simulated = np.einsum("ikn,jkn->ij", after, after) / loop.rate
    ratio = np.sqrt(np.diag(input_quality(loop, motion).curvature) / np.diag(simulated))
    assert np.all((ratio > 0.5) & (ratio < 2))


def test_gears_of_coupled_motors_bear_what_their_motors_hold() -> None:
    """C79: the torque through the gears is ``Cᵀ τ``; that of the first is τ1 − τ2, and binds although τ1 is larger."""
    loop = FlexibleLoop(coupled_a(), backend="interpreter")
    motion, _ = within(loop, lambda span: PointToPoint(np.zeros(2), np.array([0.1, 0.05]), span, "ninth"), MoveLimits(gear_torque=(2000.0, 1e9)))
    torque = loop.feedforward.reference(motion, np.linspace(0, motion.duration, 2000))[:, 6:8]
    assert 0.99 < np.abs(torque[:, 0] - torque[:, 1]).max() / 2000 < 1.001
    assert np.abs(torque[:, 0]).max() > 2100


def test_joints_without_a_motor_stay_out_of_the_coupling() -> None:
    """A soft stand below coupled axes is allowed, one inside the coupling makes no sense; the controller has to know the plant's coupling."""
    arm = coupled_a()
    plant = on_stand(arm, 1e12, 1e4, inertia=50.0)
    assert np.array_equal(plant.coupling, PARALLEL_ROD)
    assert np.allclose(linearise(plant, np.zeros(3)).poles()[:8], linearise(arm, np.zeros(2)).poles(), rtol=1e-4, atol=1e-3)
    whole = plant.robot.C
    whole[0, 1] = 0.2
    with pytest.raises(RobotError, match=r"^coupling of robot 'set A': joint 'stand', which has no motor, among the coupled ones, expected a 1"):
        FlexibleModel(plant.robot.with_coupling(whole), plant.joints)
    with pytest.raises(RobotError, match=r"^model of the controller: coupling \[\[1\.0, 0\.0\], \[0\.0, 1\.0\]\], expected that of the plant's motors"):
        FlexibleLoop(coupled_a(), set_a())
