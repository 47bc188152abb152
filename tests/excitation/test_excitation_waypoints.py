"""Way-points as variables of a design: moves between them, at rest at each, with limits that hold exactly."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import optid
from optid import BaseParameters, DynamicModel, Limits
from optid.errors import DataError, LimitsError, ShapeError
from optid.excitation import PointToPointFamily
from optid.library import planar_2r
from optid.problems import Excitation
from optid.trajectory import BSpline, Fourier, Sequence, from_mapping

LIMITS = Limits.of(2, position=1.0, velocity=3.0, acceleration=20.0)


def waypoint_problem(**options: object) -> Excitation:
    """Nine way-points of a planar 2R in 3 s: too short to reach every one within the limits of speed and acceleration."""
    base = BaseParameters.of(DynamicModel(planar_2r(), friction="none"))
    return Excitation(base, harmonics=4, period=3.0, limits=LIMITS, samples=80, family="point_to_point", **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("law", ["quintic", "seventh", "ninth"])
def test_basis_gives_the_moves(law: str) -> None:
    """Position and three derivatives, against the trajectory's own; unequal moves."""
    family = PointToPointFamily(2, 5, law, (1.0, 2.0, 0.5, 1.5))
    C = np.random.default_rng(0).standard_normal((2, 5))
    phase = np.linspace(0, 1, 61)
    for order in range(3):
        values = np.einsum("jNm,jm->Nj", family.basis(phase, order), C) / 3.0**order
        np.testing.assert_allclose(values, family.trajectory(C, 3.0).derivative(3.0 * phase, order), atol=1e-9 * 10**order)
    np.testing.assert_array_equal(family.coefficients_of(family.trajectory(C, 3.0)), C)
    assert family.coefficients_of(Fourier([0.0, 0.0], [[1.0], [1.0]], [[0.0], [0.0]], 1.0)) is None


@pytest.mark.parametrize("law", ["quintic", "seventh", "ninth"])
def test_instants_hold_the_largest_values(law: str) -> None:
    """The extremes of the whole motion are attained at the family's instants, for every derivative that is limited."""
    family = PointToPointFamily(2, 5, law, (1.0, 2.0, 0.5, 1.5))
    C = np.random.default_rng(1).standard_normal((2, 5))
    motion = family.trajectory(C, 3.0)
    for order in range(4):
        values = np.einsum("jNm,jm->Nj", family.basis(family.instants(order), order), C) / 3.0**order
        np.testing.assert_allclose(np.abs(values).max(axis=0), motion.extremes(order).magnitude, rtol=1e-9)


def test_design_of_waypoints_runs_exactly_into_its_limits() -> None:
    """Proven, at rest at both ends; no instant had to be added to the first ones, and the limits are reached, to the tolerance of the solver."""
    problem = waypoint_problem(criterion="d")
    result = optid.solve(problem, solver="ipopt", seed=0)
    assert result.converged and result.proven
    assert isinstance(result.trajectory, Sequence) and result.coefficients.shape == (2, 9)
    _, dq, ddq = result.trajectory.evaluate([0.0, 3.0])
    np.testing.assert_allclose(dq, 0.0, atol=1e-12)
    np.testing.assert_allclose(ddq, 0.0, atol=1e-12)
    margins = result.checks[0].margins
    assert min(margins["velocity"].min() / 3.0, margins["acceleration"].min() / 20.0) == pytest.approx(0.0, abs=1e-3)
    rows = problem.stage.groups[0][1]
    assert rows.blind(result.x) < 1e-4
    assert from_mapping(result.to_design()["trajectory_1"]) == result.trajectory


def test_start_posture_is_the_first_waypoint() -> None:
    result = optid.solve(waypoint_problem(start=[0.1, 0.2], rest=True), solver="ipopt", seed=0)
    assert result.converged and result.proven
    np.testing.assert_allclose(result.coefficients[:, 0], [0.1, 0.2], atol=1e-12)


def test_timing_that_fits_the_moves() -> None:
    """Every move the fastest one: each touches a limit, none breaks one, and the whole is shorter than with equal shares."""
    points = np.array([[0.0, 0.8, -0.8, 0.1, 0.9], [0.5, -0.5, -0.4, -0.9, 1.0]])
    family, duration = PointToPointFamily(2, 5).timed(points, LIMITS)
    motion = family.trajectory(points, duration)
    assert motion.check(LIMITS).proven
    for part in motion.parts:
        reached = [part.extremes(order).magnitude / limit for order, limit in ((1, 3.0), (2, 20.0))]
        assert np.max(reached) == pytest.approx(1.0, rel=1e-9)
    equal = PointToPointFamily(2, 5).trajectory(points, duration)
    assert not equal.check(LIMITS).proven
    timed = replace(waypoint_problem(), family=family, initial=points, period=duration)
    assert timed.motion.excess(timed.form().x0) == 0.0
    with pytest.raises(LimitsError, match="way-points 2 and 3 at the same posture"):
        PointToPointFamily(2, 3).timed([[0.0, 0.5, 0.5], [0.0, 0.1, 0.1]], LIMITS)


def test_duration_of_waypoints_as_a_variable() -> None:
    """More time is used where it helps, and the limits hold for the duration found."""
    result = optid.solve(waypoint_problem(criterion="d", period_range=(2.0, 4.0)), solver="ipopt", seed=0)
    assert result.converged and result.proven
    assert 2.0 <= result.trajectory.duration <= 4.0


def test_families_by_name() -> None:
    """As many coefficients a joint as four harmonics have; other harmonics make another family."""
    problem = waypoint_problem()
    assert problem.motion.family.m == 9
    assert replace(problem, harmonics=2).motion.family.m == 5
    spline = replace(problem, family="bspline").motion
    assert spline.family.m == 9 and isinstance(spline.trajectory(spline.bounds[0]), BSpline)
    with pytest.raises(ValueError, match="Did you mean 'bspline'"):
        replace(problem, family="b-spline")
    with pytest.raises(ShapeError, match="2 periods, expected one: all joints move"):
        replace(problem, period=[1.0, 2.0])
    with pytest.raises(ShapeError, match="3 joints, expected 2"):
        replace(problem, family=PointToPointFamily(3, 4))


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: PointToPointFamily(2, 1), DataError, "way-points of a family: 1, expected a whole number, two or more"),
        (lambda: PointToPointFamily(2, 3, "quintik"), ValueError, "Did you mean 'quintic'"),
        (lambda: PointToPointFamily(2, 3, shares=(1.0, 0.0)), ShapeError, "2 positive numbers"),
        (lambda: PointToPointFamily(2, 3).timed(np.zeros((2, 2)), LIMITS), ShapeError, r"shape \(2, 2\), expected \(2, 3\)"),
    ],
)
def test_wrong_families_are_named(make: object, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        make()  # type: ignore[operator]
