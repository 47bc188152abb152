"""Model-predictive control: by hand for one period, against another solver, and against computed torque by the same indices."""

from __future__ import annotations

import numpy as np
import pytest

import optid
from optid import DynamicModel, library
from optid.control import ComputedTorque, OuterLoop, Predictive, Reference, simulate, tracking_indices
from optid.control.valencia import valencia_law, valencia_model, valencia_reference
from optid.errors import DataError, ShapeError, SolveError
from optid.problems import PredictiveControl, PredictiveModel
from optid.simulation import Plant
from optid.trajectory import PointToPoint

LIMIT = (300.0, 100.0, 20.0, 400.0)


def test_one_period_by_hand() -> None:
    """Horizon 1, no limits: the minimum of three squares in one number, for each joint."""
    model = DynamicModel(library.planar_2r(), "viscous")
    T, weights = 0.01, (2.0, 3.0, 0.5)
    predictive = PredictiveModel(model, period=T, horizon=1, position=weights[0], speed=weights[1], effort=weights[2])
    q, dq = np.array([0.2, -0.3]), np.array([0.5, -0.1])
    wanted = [np.array([[0.21, -0.32]]), np.array([[0.4, 0.2]]), np.array([[1.0, -2.0]])]
    plan = optid.solve(PredictiveControl(predictive, q, dq, *wanted))
    e, v = (wanted[0][0] - q - T * dq) / T**2, (wanted[1][0] - dq) / T
    a = (weights[0] * e / 2 + weights[1] * v + weights[2] * wanted[2][0]) / (weights[0] / 4 + weights[1] + weights[2])
    assert plan.acceleration[0] == pytest.approx(a, rel=1e-9)
    assert plan.tau[0] == pytest.approx(model.inverse_dynamics(model.nominal_parameters(), q, dq, a), rel=1e-9)
    assert plan.q[0] == pytest.approx(q + T * dq + T**2 / 2 * a, rel=1e-12)
    assert plan.dq[0] == pytest.approx(dq + T * a, rel=1e-12)
    controller = Predictive(predictive)
    found, solved = controller.solve(predictive.parameters(q, dq, tuple(wanted)), np.zeros(2))
    assert solved
    assert found == pytest.approx(a, rel=1e-9)


def test_the_running_controller_solves_the_posed_problem() -> None:
    """The first sample of trajectory 1, where limits hold: the prepared program and the interior-point solver give the same torques."""
    predictive = PredictiveModel(valencia_model(), horizon=10, torque=LIMIT)
    reference = valencia_reference(1, hold=False)
    T, H = predictive.period, predictive.horizon
    ends, now = reference.target(np.arange(1, H + 1) * T), reference.target(np.arange(H) * T)
    q, dq = reference.target([0.0]).q[0], np.zeros(4)
    program = Predictive(predictive).start(reference, T)
    tau = program.command(0, q, dq)
    plan = optid.solve(PredictiveControl(predictive, q, dq, ends.q, ends.dq, (ends.dq - now.dq) / T), solver="ipopt")
    assert program.unsolved == 0
    assert tau == pytest.approx(plan.tau[0], abs=1e-4)
    assert program.plan.tau == pytest.approx(plan.tau, abs=1e-2)
    assert np.abs(tau) == pytest.approx([300.0, 100.0, 18.06, 400.0], abs=0.01)
    assert (np.abs(plan.tau) <= np.array(LIMIT) * (1 + 1e-9)).all()


def test_it_follows_exactly_what_can_be_followed() -> None:
    """Started on the motion without limits, one-period parabolas miss it by the next order only: 1.3e-7 rad at 1 ms."""
    model = DynamicModel(library.planar_2r(), "viscous")
    reference = Reference(PointToPoint([0.2, -0.4], [0.9, 0.5], 0.5))
    run = simulate(Plant(model), Predictive(PredictiveModel(model)), reference, duration=0.3)
    assert np.abs(run.error).max() < 2e-7


def test_against_computed_torque_by_the_same_indices() -> None:
    """Trajectory 1 from rest, 0.2 s: without limits and with the same limited drives, IAE and ISE of every joint are smaller, and those of the tool in sum."""
    model = valencia_model()
    for limit in (None, LIMIT):
        runs = [
            simulate(Plant(model, max_torque=limit), controller, valencia_reference(1, hold=False), duration=0.2)
            for controller in (valencia_law(), Predictive(PredictiveModel(model, torque=limit)))
        ]
        if limit is not None:
            assert all((np.abs(run.tau) <= np.array(limit) * (1 + 1e-12)).all() for run in runs)
        usual, predictive = (tracking_indices(run) for run in runs)
        for index in ("iae", "ise"):
            assert (getattr(predictive.joint, index) < getattr(usual.joint, index)).all(), (limit, index)
            assert getattr(predictive.cartesian, index).sum() < getattr(usual.cartesian, index).sum(), (limit, index)
        assert (np.abs(predictive.joint.peak[:2]) < np.abs(usual.joint.peak[:2])).all()


def test_limits_of_the_robot_are_the_default() -> None:
    """A mass of 95 kg with 50 N needs 2 √(x m / F) for a move of x: the plan brakes in time, computed torque with the same drive runs past."""
    robot = library.emps()
    robot = robot.with_limits(optid.Limits.of(1, torque=50.0)).with_friction(0.0, 0.0)
    model = DynamicModel(robot, "none")
    goal = Reference(PointToPoint([0.0], [0.1], 0.02))
    mass = float(model.mass_matrix(model.nominal_parameters(), [0.0])[0, 0])
    fastest = 2 * np.sqrt(0.1 * mass / 50.0)
    predictive = Predictive(PredictiveModel(model, period=0.02, horizon=60, effort=1e-4))
    run = simulate(Plant(model, max_torque=50.0), predictive, goal, period=0.02, duration=1.5 * fastest)
    assert run.q.max() < 0.107
    assert abs(run.error[-1, 0]) < 1e-3
    plain = simulate(Plant(model, max_torque=50.0), ComputedTorque(model, OuterLoop.pd(400.0)), goal, duration=1.5 * fastest)
    assert plain.q.max() > 0.13


def test_wrong_controllers_are_named() -> None:
    model = DynamicModel(library.planar_2r(), "viscous")
    with pytest.raises(DataError, match="a whole number of periods, 1 or more"):
        PredictiveModel(model, horizon=0)
    with pytest.raises(DataError, match="positive weights: they make the answer unique"):
        PredictiveModel(model, effort=0.0)
    with pytest.raises(DataError, match="speed of a predictive controller"):
        PredictiveModel(model, speed=[1.0, 2.0, 3.0])
    with pytest.raises(ShapeError, match=r"\(2,\) twice and \(10, 2\) three times"):
        PredictiveModel(model).parameters([0.0], [0.0, 0.0], (np.zeros((10, 2)),) * 3)
    with pytest.raises(SolveError, match=r"period of a predictive controller: 0\.01 s, expected 0\.001 s"):
        Predictive(PredictiveModel(model)).start(Reference(PointToPoint([0.0, 0.0], [1.0, 1.0], 1.0)), 0.01)
    with pytest.raises(DataError, match="max_torque of a plant"):
        Plant(model, max_torque=-1.0)


def test_an_active_set_method_with_exact_hessian_finds_the_same_plan() -> None:
    """CasADi's convexification gives up on this Hessian of 40 accelerations; the plan is the interior-point method's all the same."""
    predictive = PredictiveModel(valencia_model(), horizon=10, torque=LIMIT)
    reference = valencia_reference(1, hold=False)
    T, H = predictive.period, predictive.horizon
    ends, now = reference.target(np.arange(1, H + 1) * T), reference.target(np.arange(H) * T)
    problem = PredictiveControl(predictive, reference.target([0.0]).q[0], np.zeros(4), ends.q, ends.dq, (ends.dq - now.dq) / T)
    plans = [optid.solve(problem, solver=solver, **options) for solver, options in (("ipopt", {}), ("sqp", {"hessian": "exact"}))]
    assert plans[1].tau == pytest.approx(plans[0].tau, abs=1e-3)
    assert plans[1].solution.fun == pytest.approx(0.66311122, abs=1e-8)


def test_samples_without_a_solution_are_counted() -> None:
    """One iteration a sample cannot settle the limits: the count is that of the controller run again on the same states; ten leave none, a law has none."""
    model = valencia_model()
    hurried = Predictive(PredictiveModel(model, torque=LIMIT), iterations=1)
    reference = valencia_reference(1, hold=False)
    run = simulate(Plant(model, max_torque=LIMIT), hurried, reference, duration=0.02)
    program = hurried.start(reference, 1e-3)
    for k in range(21):
        program.command(k, run.q[k], run.dq[k])
    assert run.unsolved == program.unsolved > 0
    assert simulate(Plant(model, max_torque=LIMIT), Predictive(PredictiveModel(model, torque=LIMIT)), reference, duration=0.02).unsolved == 0
    assert simulate(Plant(model), valencia_law(), reference, duration=0.002).unsolved is None
