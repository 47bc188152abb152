"""C45: limits are kept at every instant, impossible ones are refused before any solve, the best motion inside them is kept."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import optid
from optid import BaseParameters, DynamicModel, Limits
from optid.errors import DataError, LimitsError, ShapeError, SolveError
from optid.excitation.family import FourierFamily
from optid.excitation.motion import Motion
from optid.excitation.rows import Rows
from optid.library import planar_2r, ur10e
from optid.problems import Excitation
from optid.trajectory import Fourier, from_mapping
from optid.trajectory.export import to_csv

UNLIMITED = (np.inf, np.inf)


def two_links(**limits: object) -> Excitation:
    """A small design: planar 2R without friction, two harmonics of 2 s."""
    model = DynamicModel(planar_2r(), friction="none")
    given: dict[str, object] = {"position": 1.0, "velocity": 3.0, "acceleration": 20.0, **limits}
    return Excitation(BaseParameters.of(model), harmonics=2, period=2.0, limits=Limits.of(2, **given), samples=40)  # type: ignore[arg-type]


def test_one_iteration_is_marked_as_not_converged() -> None:
    """C45 (a)."""
    with pytest.raises(SolveError, match="status budget"):
        optid.solve(two_links(), solver="ipopt", budget=1)
    result = optid.solve(two_links(), solver="ipopt", budget=1, on_failure="return")
    assert not result.converged
    assert result.solution.status == "budget"
    with pytest.raises(LimitsError, match=r"status budget .*say override=True"):
        result.export(to_csv)
    assert len(result.export(to_csv, override=True, rate=50.0).text.splitlines()) > 100


def test_impossible_limits_are_refused_before_any_solve() -> None:
    """C45 (b)."""
    with pytest.raises(LimitsError, match=r"'joint 2'.*lower 2 > upper 1"):
        two_links(position=np.array([[-1.0, 1.0], [2.0, 1.0]]))
    with pytest.raises(LimitsError, match="velocity limit of 'joint1': 0, expected a number above 0"):
        two_links(velocity=[0.0, 1.0])
    with pytest.raises(LimitsError, match=r"position limits of 'joint2': 1 \.\.\. 1"):
        two_links(position=np.array([[-1.0, 1.0], [1.0, 1.0]]))
    with pytest.raises(LimitsError, match="limits of 'joint1': no range"):
        two_links(position=None, velocity=[np.inf, 1.0], acceleration=np.inf)
    base = two_links().base
    with pytest.raises(LimitsError, match=r"start posture of 'joint2': 1\.5, expected within -1 \.\.\. 1"):
        Excitation(base, 2, 2.0, Limits.of(2, position=1.0, velocity=1.0), start=[0.0, 1.5])
    with pytest.raises(LimitsError, match="3 joints, expected 2"):
        Excitation(base, 2, 2.0, Limits.of(3, position=1.0))
    with pytest.raises(LimitsError, match="jerk limit of 'joint2': 0"):
        Excitation(base, 2, 2.0, Limits.of(2, position=1.0), jerk=[1.0, 0.0])


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"harmonics": 0}, DataError, "harmonics of an excitation: 0"),
        ({"period": -1.0}, DataError, "period of an excitation"),
        ({"period": [1.0, 2.0, 3.0]}, DataError, "period of an excitation"),
        ({"samples": 1}, DataError, "samples of an excitation: 1, expected at least 3"),
        ({"noise": 0.0}, ShapeError, "noise: 0.0, expected one positive"),
        ({"criterion": "conditon"}, ValueError, "Did you mean 'condition'"),
        ({"column_scaling": [1.0]}, ShapeError, "column_scaling"),
        ({"column_scaling": [0.0] * 6}, DataError, "column_scaling of an excitation: .*, expected factors above 0"),
        ({"harmonics": "four"}, DataError, "harmonics of an excitation: 'four', expected a whole number, 1 or more"),
        ({"harmonics": None}, DataError, "harmonics of an excitation: None"),
        ({"samples": np.nan}, DataError, "samples of an excitation: nan"),
        ({"samples": 40.5}, DataError, "samples of an excitation: 40.5, expected a whole number"),
        ({"trajectories": "two"}, DataError, "trajectories of an excitation: 'two'"),
        ({"period": "5"}, ShapeError, "period of an excitation: '5', expected real numbers"),
        ({"noise": "loud"}, ShapeError, "noise of an excitation: 'loud', expected real numbers"),
        ({"start": "home"}, ShapeError, "start of an excitation: 'home', expected real numbers"),
        ({"nominal": "urdf"}, ShapeError, "nominal of an excitation: 'urdf', expected real numbers"),
        ({"information": "first.h5"}, ShapeError, "information of an excitation: 'first.h5', expected real numbers"),
        ({"initial": "start"}, ShapeError, "initial motion: 'start', expected real numbers"),
        ({"rest": "no"}, DataError, "rest of an excitation: 'no', expected True or False"),
        ({"limits": {"position": 1.0}}, DataError, "limits of an excitation: a dict, expected a Limits or a NoneType. Make them"),
        ({"base": "robot.urdf"}, DataError, "base of an excitation: 'robot.urdf', expected a BaseParameters"),
        ({"regions": "box"}, DataError, "regions of an excitation: 'box'"),
        ({"regions": (3,)}, DataError, "region of an excitation: 3, expected a KeepIn, KeepOut or SelfCollision"),
        ({"torque_uncertainty": 0.1}, LimitsError, "torque_uncertainty of an excitation: no torque limits"),
        ({"limits": Limits.of(2, position=1.0, torque=[1.0, 0.0])}, LimitsError, "torque limit of 'joint2': 0, expected a number above 0"),
    ],
)
def test_wrong_arguments(change: dict[str, object], error: type[Exception], message: str) -> None:
    problem = two_links()
    with pytest.raises(error, match=message):
        replace(problem, **change)  # type: ignore[arg-type]


def test_default_starts_are_usable_and_every_result_is_feasible() -> None:
    """C45 (c): six joints, five harmonics, |v| <= pi, |a| <= 10, |q| <= pi/2, five seeds; interrupted early, the best feasible motion is kept."""
    base = BaseParameters.of(DynamicModel(ur10e(), friction="none"))
    limits = Limits.of(6, position=np.pi / 2, velocity=np.pi, acceleration=10.0)
    problem = Excitation(base, harmonics=5, period=10.0, limits=limits, samples=60)
    for seed in range(5):
        start = problem.random_start(np.random.default_rng(seed))
        assert problem.motion.trajectory(start).check(limits)
        result = optid.solve(problem, solver="ipopt", seed=seed, budget=4, on_failure="return")
        assert result.proven
        assert result.solution.max_violation == 0.0
        first = problem.form().evaluate(np.array(result.solution.history[0].x))[0]
        assert result.solution.fun < first


@pytest.mark.parametrize("rest", [False, True])
def test_motions_are_shrunk_inside_their_limits_at_every_instant(rest: bool) -> None:
    """A motion that breaks position, velocity or acceleration touches the limit afterwards; a joint inside its limits is left alone."""
    limits = Limits.of(3, lower=[-1.0, 0.5, -3.0], upper=[2.0, 1.5, 3.0], velocity=[1.0, 2.0, 3.0], acceleration=[3.0, 5.0, 100.0])
    motion = Motion(FourierFamily(3, 4), (5.0, 5.0), limits, (np.inf,) * 3, rest)
    rng = np.random.default_rng(5)
    x = rng.standard_normal(motion.size) * (1.0 if rest else motion.scales)
    x[motion.blocks[2]] *= 0.01
    inside = motion.inside(x)
    report = motion.trajectory(inside).check(limits, rest=rest)
    assert report.proven
    least = np.min([report.margins[what] for what in ("position", "velocity", "acceleration")], axis=0)
    assert np.all(least[:2] < 1e-9)
    np.testing.assert_allclose(motion.coefficients(inside)[0][2], motion.coefficients(x)[0][2], atol=1e-14)
    assert motion.excess(inside) == 0.0
    assert motion.excess(x) > 0.0
    np.testing.assert_allclose(motion.nearly_inside(x), inside, atol=2e-3 * np.abs(x).max())


def test_rows_follow_the_motion_between_the_instants() -> None:
    """The third harmonic sampled eight times a cycle, its peak halfway between: the missed extremes become rows, and then none is missed."""
    limits = Limits.of(1, position=1.0, velocity=1e3, acceleration=1e6)
    motion = Motion(FourierFamily(1, 3), (1.0, 1.0), limits, UNLIMITED[:1])
    x = motion.vector(np.array([[0.0, 0.0, 0.0, 2.0 * np.sin(np.pi / 8), 0.0, 0.0, 2.0 * np.cos(np.pi / 8)]]), 1.0)
    rows = Rows.grid(motion)
    assert len(rows) == 3 * 24
    A, a0 = rows.matrix()
    q = motion.trajectory(x).derivative(rows.phase[rows.order == 0])[:, 0]
    np.testing.assert_allclose((A @ x + a0)[rows.order == 0], q, atol=1e-12)
    assert rows.blind(motion.inside(x)) == pytest.approx(1 - np.cos(np.pi / 8), rel=1e-3)
    more = rows.with_extremes(motion.inside(x))
    assert len(more) > len(rows)
    assert more.blind(motion.inside(x)) < 1e-4
    assert len(more.with_extremes(motion.inside(x))) == len(more)


def test_velocity_form_of_the_literature() -> None:
    """C46: q = q0 + sum a/(wl) sin(wlt) - b/(wl) cos(wlt), w = 0.2 pi."""
    motion = Fourier.from_velocity_form([0.1], [[0.3, -0.3]], [[0.2, -0.1]], 10.0)
    q, dq, ddq = (x[:, 0] for x in motion.evaluate([0.0, 1.7]))
    np.testing.assert_allclose(q, [-0.138732415, 0.120850476], atol=1e-9)
    np.testing.assert_allclose(dq, [0.0, 0.396102684], atol=1e-9)
    np.testing.assert_allclose(ddq, [0.0, 0.280997144], atol=1e-9)


def test_rest_at_both_ends_and_a_start_posture() -> None:
    """C46: velocity and acceleration are zero at both ends of any designed motion, and it ends where it starts."""
    problem = replace(two_links(), harmonics=4, rest=True, start=[0.3, -0.2], criterion="d")
    result = optid.solve(problem, solver="ipopt", seed=0)
    assert result.converged and result.proven
    q, dq, ddq = result.trajectory.evaluate([0.0, 2.0])
    np.testing.assert_allclose(dq, 0.0, atol=1e-8)
    np.testing.assert_allclose(ddq, 0.0, atol=1e-8)
    np.testing.assert_allclose(q, [[0.3, -0.2]] * 2, atol=1e-12)
    with pytest.raises(LimitsError, match="coefficients of 'joint1': 3, expected more than the"):
        replace(two_links(), harmonics=1, rest=True, start=[0.3, -0.2])


def test_designed_motion_is_kept_with_its_experiment() -> None:
    """The mapping for an experiment file gives the motion again, and says how it was found."""
    result = optid.solve(replace(two_links(), criterion="d"), solver="ipopt", seed=3)
    kept = result.to_design()
    assert from_mapping(kept["trajectory_1"]) == result.trajectory
    assert (kept["period"], kept["harmonics"], kept["criterion"], kept["seed"], kept["proven"]) == (2.0, 2, "d", 3, True)


def test_one_period_a_joint() -> None:
    """The duration is the longest period; every joint keeps its own."""
    problem = replace(two_links(), period=[2.0, 1.0], criterion="d")
    result = optid.solve(problem, solver="ipopt", seed=0)
    assert result.proven and result.trajectory.duration == 2.0
    q = result.trajectory.derivative([0.25, 1.25])
    assert q[0, 1] == pytest.approx(q[1, 1], abs=1e-12)
    assert abs(q[0, 0] - q[1, 0]) > 1e-3


@pytest.mark.parametrize("family", ["fourier", "bspline", "point_to_point"])
def test_one_joint_and_a_slide(family: str) -> None:
    """One revolute joint; and one with a slide behind it, whose limits are metres: proven after a few iterations."""
    from optid import DHRow, Robot

    rows = [DHRow(), DHRow(a=0.5, joint="P", alpha=np.pi / 2)]
    for count, limits in ((1, Limits.of(1, position=1.0, velocity=2.0, acceleration=10.0)), (2, Limits.of(2, position=[1.0, 0.3], velocity=[2.0, 0.5]))):
        robot = Robot.from_dh(rows[:count], "modified", (0.0, -9.81, 0.0))
        base = BaseParameters.of(DynamicModel(robot, friction="viscous+coulomb", sign_width=0.1))  # type: ignore[arg-type]
        result = optid.solve(Excitation(base, 4, 2.0, limits, samples=40, family=family), solver="ipopt", seed=0, budget=5, on_failure="return")
        assert result.proven and np.isfinite(result.condition_number)


def test_a_motion_too_fast_for_its_limits_stands_nearly_still() -> None:
    """A period of a microsecond leaves nothing to move: the condition number says so, and the limits hold."""
    result = optid.solve(replace(two_links(), period=1e-6), solver="ipopt", seed=0, budget=3, on_failure="return")
    assert result.proven and result.condition_number > 1e9
