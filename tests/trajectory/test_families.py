"""The finite families: ends at rest, exactness, continuity, and their refusals."""

from __future__ import annotations

import numpy as np
import pytest

from optid.errors import DataError, LimitsError, ShapeError, UnknownNameError
from optid.robot import Limits
from optid.trajectory import BSpline, Fourier, Piecewise, PointToPoint, RampedFourier, Sampled, Sequence, Window, bspline_basis, irb140_g21, ramp_in, stopped

RNG = np.random.default_rng(5)


def test_bspline_basis_is_the_linear_map_of_the_points() -> None:
    points, t = RNG.normal(size=(3, 9)), np.linspace(0.0, 4.0, 31)
    motion = BSpline.rest_to_rest(points, 4.0)
    for order, basis in enumerate(bspline_basis(t, 9, 4.0)):
        assert basis.shape == (31, 9)
        np.testing.assert_allclose(basis @ points.T, motion.derivative(t, order), atol=1e-9 * 10**order)


@pytest.mark.parametrize(("degree", "rest"), [(5, 2), (6, 3), (7, 3)])
def test_bspline_starts_and_ends_at_rest(degree: int, rest: int) -> None:
    points = RNG.normal(size=(2, 8))
    motion = BSpline.rest_to_rest(points, 3.0, degree, rest)
    np.testing.assert_allclose(motion.evaluate([0.0, 3.0])[0], points[:, [0, -1]].T, atol=1e-13)
    for order in range(1, rest + 1):
        scale = motion.extremes(order).magnitude.max()
        np.testing.assert_allclose(motion.derivative([0.0, 3.0], order) / scale, 0.0, atol=1e-10)


@pytest.mark.parametrize(("law", "vanishing"), [("cubic", 1), ("quintic", 2), ("seventh", 3), ("ninth", 4), ("trapezoidal", 1)])
def test_point_to_point_laws(law: str, vanishing: int) -> None:
    move = PointToPoint([0.0, 1.0], [1.0, -1.0], 2.0, law)
    np.testing.assert_allclose(move.evaluate([0.0, 2.0])[0], [[0.0, 1.0], [1.0, -1.0]], atol=1e-13)
    np.testing.assert_allclose(move.evaluate(1.0)[0], [[0.5, 0.0]], atol=1e-13)
    for order in range(1, vanishing + 1):
        np.testing.assert_allclose(move.derivative([0.0, 2.0], order), 0.0, atol=1e-9)


def test_ninth_law_is_the_stated_integral() -> None:
    """p' is proportional to t⁴(1-t)⁴."""
    s = np.linspace(0.0, 1.0, 11)
    np.testing.assert_allclose(PointToPoint(0.0, 1.0, 1.0, "ninth").derivative(s, 1)[:, 0], 630 * s**4 * (1 - s) ** 4, atol=1e-12)


def test_fastest_move_reaches_one_limit_and_breaks_none() -> None:
    limits = Limits.of(2, position=3.0, velocity=[1.0, 2.0], acceleration=[5.0, 5.0], names=("a", "b"))
    for law in ("cubic", "quintic", "seventh", "ninth", "trapezoidal"):
        move = PointToPoint.fastest([0.0, 1.0], [1.0, -1.0], limits, law)
        report = move.check(limits)
        assert report.proven
        assert min(report.margins["velocity"].min(), report.margins["acceleration"].min()) < 1e-8
        assert move.joint_names == ("a", "b")
    # trapezoidal, unit move in s: v = 1, a = 2.5, so 1/v + v/a = 1.4 s
    assert PointToPoint.fastest([0.0, 1.0], [1.0, -1.0], limits, "trapezoidal").duration == pytest.approx(1.4, rel=1e-14)
    # the rule T = sqrt(9.372 |δ| / a_max) of a short ninth-degree move: 0.237 s for 0.03 rad at 5 rad/s²
    assert PointToPoint.fastest(0.0, 0.03, Limits.of(1, acceleration=5.0), "ninth").duration == pytest.approx(0.237, abs=5e-4)


@pytest.mark.parametrize(
    ("end", "limits", "law", "message"),
    [
        (4.0, Limits.of(1, position=3.0, velocity=1.0, names=("elbow",)), "quintic", r"end of a move, elbow: 4, expected -3 ... 3"),
        (
            1.0,
            Limits.of(1, velocity=0.0, names=("elbow",)),
            "quintic",
            "velocity limit of elbow: 0, expected a number above zero, because the joint has to move",
        ),
        (0.0, Limits.of(1, velocity=1.0), "quintic", "a fastest move: equal start and end"),
        (1.0, Limits.of(1), "quintic", "a fastest move: no finite limit"),
        (1.0, Limits.of(1, velocity=1.0), "trapezoidal", "a trapezoidal move: acceleration limit inf"),
        (1.0, Limits.of(2, velocity=1.0), "quintic", "limits of a move: 2 joints, expected 1"),
    ],
)
def test_impossible_moves_are_refused(end: float, limits: Limits, law: str, message: str) -> None:
    """C45 (b): the joint and the limit are named."""
    with pytest.raises(LimitsError, match=message):
        PointToPoint.fastest(0.0, end, limits, law)


def test_unknown_law_gets_a_suggestion() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'quintic'"):
        PointToPoint(0.0, 1.0, 1.0, "quintik")


@pytest.mark.parametrize("continuity", [2, 3])
def test_ramped_fourier_is_continuous_and_at_rest_at_both_ends(continuity: int) -> None:
    motion = Fourier(RNG.normal(size=3), RNG.normal(size=(3, 4)), RNG.normal(size=(3, 4)), 5.0, cycles=2)
    whole = RampedFourier(motion, 0.8, continuity=continuity)
    assert whole.duration == pytest.approx(11.6)
    assert whole.steady == (0.8, pytest.approx(10.8))
    t = np.linspace(0.0, 10.0, 37)
    np.testing.assert_allclose(whole.evaluate(0.8 + t)[1], motion.evaluate(t)[1], atol=1e-11)
    for order in range(continuity + 1):
        for at in whole.steady:
            np.testing.assert_allclose(whole.derivative(at - 1e-9, order), whole.derivative(at + 1e-9, order), atol=2e-5)
        if order:
            np.testing.assert_allclose(whole.derivative([0.0, whole.duration], order), 0.0, atol=1e-9)


@pytest.mark.parametrize("continuity", [2, 3])
def test_natural_ramp_never_turns_back_more_than_the_motion_asks(continuity: int) -> None:
    """With the natural posture the velocity has one degree less than Hermite interpolation of the posture would need."""
    motion = irb140_g21()
    ramp = ramp_in(motion, 0.5, continuity=continuity)
    np.testing.assert_allclose(ramp.powers[0, :, -1], 0.0, atol=1e-12)
    assert np.abs(ramp_in(motion, 0.5, start=np.zeros(3), continuity=continuity).powers[0, :, -1]).min() > 0.1


def test_a_stop_follows_the_motion_and_then_stands() -> None:
    motion = irb140_g21()
    stop = stopped(motion, 1.3, 0.4)
    np.testing.assert_allclose(stop.evaluate([0.4, 1.2])[0], motion.evaluate([0.4, 1.2])[0], atol=1e-13)
    end = stop.evaluate([1.7, 5.0])
    np.testing.assert_allclose(end[0][0], end[0][1], atol=1e-12)
    np.testing.assert_allclose(end[1], 0.0, atol=1e-9)


def test_sampled_reproduces_samples_and_derivatives() -> None:
    motion = irb140_g21()
    t = np.arange(501) / 100
    spline = Sampled(t + 7.0, motion.evaluate(t)[0], joint_names=("a", "b", "c"))
    assert spline.duration == pytest.approx(5.0)
    inside = np.linspace(0.5, 4.5, 101)
    for order, tolerance in enumerate((1e-10, 1e-8, 1e-6)):
        np.testing.assert_allclose(spline.derivative(inside, order), motion.derivative(inside, order), atol=tolerance)


@pytest.mark.parametrize(("count", "degree"), [(2, 1), (4, 3), (6, 5)])
def test_few_samples_lower_the_degree(count: int, degree: int) -> None:
    assert Sampled(np.arange(count), np.arange(count) ** 2.0).pieces.degree == degree


def test_hermite_meets_states() -> None:
    motion, t = irb140_g21(), np.array([0.0, 0.4, 1.0])
    pieces = Piecewise.hermite(t, motion.evaluate(t))
    assert pieces.degree == 5
    for order in range(3):
        np.testing.assert_allclose(pieces.derivative(t, order), motion.derivative(t, order), atol=1e-11)


def test_windows_and_sequences_give_the_whole_again() -> None:
    motion = irb140_g21()
    whole = Sequence((Window(motion, 0.0, 2.0), Window(motion, 2.0, 5.0)))
    t = np.linspace(0.0, 5.0, 77)
    for order in range(4):
        np.testing.assert_allclose(whole.derivative(t, order), motion.derivative(t, order), atol=1e-12)
        np.testing.assert_allclose(whole.extremes(order).maximum, motion.extremes(order).maximum, rtol=1e-12)


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (
            lambda: Sequence((PointToPoint(0.0, 1.0, 1.0), PointToPoint(0.0, 1.0, 1.0))),
            DataError,
            "joint 1 at 1 s: a position jump of -1, expected a continuous position",
        ),
        (lambda: Sequence((irb140_g21(), PointToPoint(irb140_g21().evaluate(0.0)[0][0], np.zeros(3), 1.0))), DataError, "a velocity jump of"),
        (lambda: Sequence(()), ShapeError, "a sequence of trajectories: no part"),
        (lambda: Sequence((irb140_g21(), PointToPoint(0.0, 1.0, 1.0))), ShapeError, "joints 1, expected 3"),
        (lambda: Sampled([0.0], [1.0]), DataError, "times of a trajectory: 1 of them, expected two at least"),
        (lambda: Sampled([], np.zeros((0, 2))), DataError, "times of a trajectory: 0 of them"),
        (lambda: Sampled([0.0, 1.0, 1.0], np.zeros(3)), DataError, r"1 s after 1 s \(index 2\), expected increasing times"),
        (lambda: Sampled([0.0, 1.0], [np.nan, 0.0]), DataError, "positions of a trajectory: 1 of 2 not finite"),
        (lambda: Sampled([0.0, 1.0], np.zeros((3, 2))), ShapeError, r"shape \(3, 2\), expected \(2, n\), samples by joints"),
        (lambda: BSpline.rest_to_rest(np.zeros((1, 1)), 1.0), ShapeError, "control points of a B-spline: 5 points, expected 6 at least for degree 5"),
        (lambda: BSpline(np.zeros(12), np.zeros((1, 6))), DataError, "knots of a B-spline"),
        (lambda: bspline_basis([1.2], 8, 1.0), DataError, r"times of a B-spline basis: 1.2 ... 1.2 s, expected 0 ... 1 s"),
        (lambda: RampedFourier(irb140_g21(), 0.0), DataError, "duration of a ramp: 0.0, expected one number above zero"),
        (lambda: RampedFourier(irb140_g21(), 1.0, continuity=4), DataError, r"continuity of a ramp: 4, expected 2 \(acceleration\) or 3 \(jerk\)"),
        (lambda: Window(irb140_g21(), 2.0, 2.0), DataError, "window of a trajectory: 2 ... 2 s, expected a length above zero"),
        (lambda: PointToPoint(0.0, 1.0, 1.0, "trapezoidal", ramp=0.6), DataError, "ramp of a trapezoidal move: 0.6"),
        (
            lambda: stopped(irb140_g21(), 1.3, 0.4).evaluate(-1.0),
            DataError,
            r"time of a trajectory: -1 s, expected 0 ... 1.7 s, because the motion is not at rest there",
        ),
        (lambda: irb140_g21().derivative(0.0, -1), DataError, "order of a derivative: -1, expected a whole number, 0 or more"),
        (lambda: stopped(irb140_g21(), 1.3, 0.4).extremes(1.5), DataError, "order of a derivative: 1.5"),
        (lambda: irb140_g21().sample(0.0), DataError, "rate: 0.0, expected one number above zero"),
        (lambda: irb140_g21().evaluate([0.0, np.inf]), DataError, "time: 1 of 2 not finite"),
    ],
)
def test_wrong_input_is_named(make: object, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        make()  # type: ignore[operator]
