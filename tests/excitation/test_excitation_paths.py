"""C50: torque limits with friction and rotor inertia, robust ones, and the proof between the samples."""

from __future__ import annotations

from dataclasses import replace

import casadi as ca
import numpy as np
import pytest

import optid
from optid import BaseParameters, Drive, DynamicModel, Limits, Robot
from optid.errors import DataError, LimitsError, ShapeError, UnknownNameError
from optid.excitation.intervals import enclose
from optid.excitation.path_proof import prove_path
from optid.excitation.path_rows import MARGIN, PathRows
from optid.excitation.paths import Path
from optid.excitation.sampling import Sampling
from optid.excitation.torque import torque_model, torque_path
from optid.library import planar_2r
from optid.problems import Excitation
from optid.robot import Link
from optid.trajectory import Fourier


def one_joint(friction: bool = True) -> DynamicModel:
    """C50: horizontal 1R, I = 0.2, Ia = 0.3 kg m², fv = 1 N m s/rad, fc = 2 N m."""
    link = Link("arm", 0.0, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0, 0.0, 0.2))
    robot = Robot.from_dh([(0.0, 0.0, 0.0, 0.0)], "standard", links=[link], drives=[Drive.reflected(0.3)]).with_friction(1.0, 2.0)
    model = DynamicModel(robot, "none")
    return torque_model(model, (0.05,)) if friction else replace(model, sign_width=0.05)


LIMIT = Limits.of(1, position=2.0, velocity=5.0, acceleration=20.0, torque=5.0)


def torque_share(path: Path, dq: float, ddq: float) -> float:
    return float(path.values(np.zeros((1, 1)), np.full((1, 1), dq), np.full((1, 1), ddq))[0, 0, 0])


def test_torque_limit_knows_friction_and_rotor_inertia() -> None:
    """C50: at v = 1, a = 4 the torque is 0.5 · 4 + 1 + 2 = 5.0 N m, on the limit; without friction and rotor it would be 0.8."""
    model = one_joint()
    assert model.parameter_names[10:] == ("Ia1", "fv1", "fc1")
    path = torque_path(model, model.nominal_parameters(), LIMIT)
    assert torque_share(path, 1.0, 4.0) == pytest.approx(1.0, abs=1e-12)
    bare = one_joint(friction=False)
    assert 5.0 * torque_share(torque_path(bare, bare.nominal_parameters(), LIMIT), 1.0, 4.0) == pytest.approx(0.8, abs=1e-12)


def test_design_keeps_the_torque_limit() -> None:
    """C50: the base parameters are those of the bare link, the limit is that of the whole drive, and it is what the design runs into."""
    problem = Excitation(BaseParameters.of(one_joint(friction=False)), harmonics=2, period=4.0, limits=LIMIT, samples=40, criterion="d")
    assert problem.base.rank == 1
    result = optid.solve(problem, solver="ipopt", seed=0)
    assert result.converged and result.proven
    report = result.path_reports[0]
    assert report.quantity == "torque" and 1 - 3 * MARGIN < report.attained[0] <= report.bound[0] <= 1.0 + 1e-9
    free = optid.solve(replace(problem, torque=False), solver="ipopt", seed=0)
    assert free.condition_number == pytest.approx(1.0)
    assert free.quality.log_det > result.quality.log_det
    broken = prove_path(free.trajectory, problem.paths[0])
    assert not broken.proven
    assert "torque limit: joint1" in str(broken) and "above at" in str(broken)


def test_robust_torque_limit_holds_for_all_parameters_within_their_uncertainty() -> None:
    """The worst case of |Y pi| over a box of half widths delta is |Y pi| + |Y| delta, attained at a corner."""
    model = DynamicModel(planar_2r(), friction="viscous+coulomb", rotor_inertia=True, sign_width=0.1)
    limits = Limits.of(2, position=2.0, torque=[60.0, 20.0])
    pi = model.nominal_parameters()
    path = torque_path(model, pi, limits, uncertainty=0.2)
    rng = np.random.default_rng(1)
    states = tuple(rng.standard_normal((50, 2)) for _ in range(3))
    found = path.values(*states)[:, :, 0]
    Y = model.regressor(*states).reshape(50, 2, -1)
    worst = (np.abs(Y @ pi) + np.abs(Y) @ (0.2 * np.abs(pi))) / [60.0, 20.0]
    bound = np.maximum(found[:, :2], found[:, 2:])
    assert np.all(bound >= worst - 1e-12)
    assert np.all(bound <= worst + 1e-4)
    with pytest.raises(ShapeError, match="torque_uncertainty"):
        torque_path(model, pi, limits, uncertainty=[0.1, 0.2])


def test_torque_limits_need_a_robot_with_bodies() -> None:
    model = DynamicModel(Robot.from_dh([(0.0, 0.0, 0.0, 0.0), (0.5, 0.0, 0.0, 0.0)], "modified"), friction="none")
    base = BaseParameters.of(model)
    limits = Limits.of(2, position=1.0, velocity=1.0, torque=10.0)
    with pytest.raises(DataError, match="Give nominal=, or torque=False"):
        Excitation(base, 2, 2.0, limits)
    assert Excitation(base, 2, 2.0, limits, torque=False).paths == ()
    with pytest.raises(LimitsError, match="torque limits of an excitation: none"):
        Excitation(base, 2, 2.0, Limits.of(2, position=1.0), torque=True)


def test_enclosures_hold_all_values() -> None:
    """Every operation over random boxes: values at random points of the box lie inside, and a point box gives the value."""
    x = ca.SX.sym("x", 3)
    a, b, c = x[0], x[1], x[2]
    entries = [
        ca.sin(3 * a) * ca.cos(b - c),
        a**2 - b * c,
        ca.fabs(a) + ca.fmin(b, c) - ca.fmax(a, c),
        ca.tanh(2 * a) / (2 + b**2),
        ca.sqrt(1 + a * a) + ca.exp(b / 3),
        ca.if_else(a < b, a + c, b - c),
        ca.sign(a) * 0.5 - 2 * b,
        1 / (a + 4),
    ]
    function = ca.Function("f", [x], [ca.vertcat(*entries)])
    rng = np.random.default_rng(0)
    middle, radius = rng.uniform(-2, 2, (3, 40)), rng.uniform(0, 0.6, (3, 40))
    low, high = enclose(function, [(middle - radius, middle + radius)])
    for _ in range(200):
        point = middle + radius * rng.uniform(-1, 1, (3, 40))
        values = np.array(function.map(40)(point))
        assert np.all(values >= low - 1e-12) and np.all(values <= high + 1e-12)
    exact = np.array(function.map(40)(middle))
    found = enclose(function, [(middle, middle)])
    np.testing.assert_allclose(found[0], exact, atol=1e-12)
    np.testing.assert_allclose(found[1], exact, atol=1e-12)
    with pytest.raises(UnknownNameError, match="no interval version"):
        enclose(ca.Function("f", [x], [ca.erf(a)]), [(middle, middle)])


def test_proof_between_the_samples() -> None:
    """tau = m g l cos(q) + I ddq of q = 0.6 sin(t): its largest value is known, and lies between the samples."""
    robot = Robot.from_dh([(0.0, 0.0, 0.0, 0.0)], "standard", (0.0, -9.81, 0.0), links=[Link("arm", 1.0, (0.5, 0.0, 0.0), (0, 0, 0, 0, 0, 0.4))])
    model = DynamicModel(robot, friction="none")
    motion = Fourier([0.9], [[0.6]], [[0.0]], 2 * np.pi)
    t = np.linspace(0, 2 * np.pi, 2_000_001)
    largest = float(np.abs(9.81 * 0.5 * np.cos(0.9 + 0.6 * np.sin(t)) - 0.4 * 0.6 * np.sin(t)).max())
    for share, proven in ((1.0 + 1e-6, True), (1.0 - 1e-6, False)):
        path = torque_path(model, model.nominal_parameters(), Limits.of(1, torque=largest * share))
        report = prove_path(motion, path)
        assert report.proven is proven
        assert report.attained[0] == pytest.approx(1 / share, rel=2e-6)
        assert report.bound[0] >= report.attained[0]
    sharp = torque_path(model, model.nominal_parameters(), Limits.of(1, torque=largest * 1.5))
    assert prove_path(motion, sharp).bound[0] <= 1.0


def test_derivatives_of_path_rows() -> None:
    """Against central differences, with rest at both ends."""
    model = DynamicModel(planar_2r(), friction="viscous+coulomb", sign_width=0.1)
    limits = Limits.of(2, position=1.0, velocity=2.0, acceleration=8.0, torque=[40.0, 10.0])
    problem = Excitation(BaseParameters.of(model), harmonics=3, period=3.0, limits=limits, samples=20, rest=True)
    motion = problem.motion
    rows = PathRows.grid(problem.paths[0], Sampling(motion, motion.family.phases(7)))
    x = problem.random_start(np.random.default_rng(0))
    moves = 1e-5 * np.eye(len(x))
    difference = np.array([rows.values(x + d) - rows.values(x - d) for d in moves]).T / 2e-5
    np.testing.assert_allclose(rows.jacobian(x), difference, atol=1e-7 * np.abs(difference).max())
    weights = np.random.default_rng(1).standard_normal(len(rows))
    slopes = np.array([weights @ (rows.jacobian(x + d) - rows.jacobian(x - d)) for d in moves]) / 2e-5
    np.testing.assert_allclose(rows.hessian(x, weights), slopes, atol=1e-6 * np.abs(slopes).max())


def test_start_is_pulled_inside_the_torque_limits() -> None:
    """Starts, and points of solvers without derivatives, keep limits that are not linear."""
    model = DynamicModel(planar_2r(), friction="none")
    limits = Limits.of(2, position=1.0, velocity=20.0, acceleration=200.0, torque=[60.0, 20.0])
    problem = Excitation(BaseParameters.of(model), harmonics=3, period=2.0, limits=limits, samples=20)
    for seed in range(3):
        x = problem.random_start(np.random.default_rng(seed))
        assert prove_path(problem.motion.trajectory(x), problem.paths[0]).attained.max() <= 1.0 + 1e-6
    result = optid.solve(problem, solver="random", budget=30, seed=0, on_failure="return")
    assert result.solution.max_violation <= 1e-9
    assert result.path_reports[0].attained.max() <= 1.0 + 1e-6
