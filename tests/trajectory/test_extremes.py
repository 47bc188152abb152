"""Extremes in continuous time against closed forms, published amounts and dense grids."""

from __future__ import annotations

import numpy as np
import pytest

from optid.errors import DataError
from optid.trajectory import BSpline, Fourier, Piecewise, PointToPoint, RampedFourier, Sampled, Sequence, Trajectory, Window, irb140_g21, stopped

RNG = np.random.default_rng(3)
FOURIER = Fourier(RNG.normal(size=3), RNG.normal(size=(3, 4)), RNG.normal(size=(3, 4)), [5.0, 4.0, 2.5])
FAMILIES = {
    "fourier": FOURIER,
    "ramped": RampedFourier(FOURIER, 0.7),
    "ramped from a given posture": RampedFourier(FOURIER, 0.7, start=np.zeros(3), continuity=3),
    "stopped": stopped(FOURIER, 3.3, 0.4),
    "window": Window(FOURIER, 1.1, 2.7),
    "bspline": BSpline.rest_to_rest(RNG.normal(size=(2, 12)), 10.0),
    "ninth": PointToPoint([0.0, 1.0], [1.0, -1.0], 2.0, "ninth"),
    "sampled": Sampled(np.cumsum(RNG.uniform(0.02, 0.2, 80)), RNG.normal(size=(80, 2)).cumsum(axis=0)),
    "linear": Piecewise.linear([0.0, 1.0, 1.5], [[0.0], [2.0], [-1.0]]),
}


def assert_extreme(motion: Trajectory, order: int, start: float = 0.0, stop: float | None = None) -> None:
    """No sample lies outside, the extremes are attained where they say, and the proven bounds are tight."""
    found = motion.extremes(order, start, stop)
    values = motion.derivative(np.linspace(start, motion.duration if stop is None else stop, 5001), order)
    scale = np.abs(values).max(axis=0) + 1e-300
    assert np.all(values <= found.upper) and np.all(values >= found.lower)
    for what, at, bound in ((found.maximum, found.at_maximum, found.upper), (found.minimum, found.at_minimum, found.lower)):
        finite = np.isfinite(what)
        what, bound = np.where(finite, what, 0.0), np.where(finite, bound, 0.0)
        attained = np.array([motion.derivative(t, order)[0, j] for j, t in enumerate(at)])
        before = np.array([motion.derivative(max(0.0, t - 1e-12), order)[0, j] for j, t in enumerate(at)])
        assert np.all(~finite | (np.minimum(np.abs(attained - what), np.abs(before - what)) <= 1e-9 * scale))
        assert np.all(~finite | (np.abs(bound - what) <= 1e-9 * scale))


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("order", range(4))
def test_extremes_hold_and_are_attained(family: str, order: int) -> None:
    assert_extreme(FAMILIES[family], order)


@pytest.mark.parametrize("family", ["fourier", "ramped", "bspline", "sampled"])
def test_extremes_of_a_part(family: str) -> None:
    for order in range(3):
        assert_extreme(FAMILIES[family], order, 0.31, 1.77)


def test_published_optimum_between_its_samples() -> None:
    """Gonzalez 2021, Table I: positions [deg], speeds [deg/s] and accelerations [rad/s²] that 100 samples do not show."""
    motion = irb140_g21()
    position, velocity, acceleration = (motion.extremes(order) for order in range(3))
    assert np.rad2deg(position.maximum[1]) == pytest.approx(88.136, abs=6e-4)
    assert np.rad2deg(position.minimum[1]) == pytest.approx(-72.069, abs=6e-4)
    assert np.rad2deg(position.minimum[2]) == pytest.approx(-184.081, abs=6e-4)
    np.testing.assert_allclose(np.rad2deg(velocity.magnitude), [140.96, 140.58, 182.51], atol=6e-3)
    np.testing.assert_allclose(acceleration.magnitude, [11.876, 10.161, 10.439], atol=6e-4)


def test_single_sine_has_its_amplitudes() -> None:
    motion = Fourier(0.5, [0.0, 3.0], [0.0, 4.0], 2 * np.pi)
    for order in range(4):
        found = motion.extremes(order)
        assert found.maximum[0] == pytest.approx((0.5 if order == 0 else 0.0) + 5.0 * 2**order, rel=1e-14)
        assert found.minimum[0] == pytest.approx((0.5 if order == 0 else 0.0) - 5.0 * 2**order, rel=1e-14)


def test_flat_top_and_double_root() -> None:
    """cos φ - cos(2φ)/4 has a maximum of fourth order, 3/4 at 0 (a triple root of the derivative), and its minimum, -5/4, at π."""
    found = Fourier(0.0, [0.0, 0.0], [1.0, -0.25], 2 * np.pi).extremes()
    assert found.maximum[0] == pytest.approx(0.75, abs=1e-14)
    assert found.minimum[0] == pytest.approx(-1.25, abs=1e-14)
    assert found.upper[0] - found.maximum[0] < 1e-12


def test_vanishing_coefficients() -> None:
    still = Fourier([0.3, 0.0], np.zeros((2, 3)), np.zeros((2, 3)), 1.0)
    for found in (still.extremes(), Fourier([0.3, 0.0], np.zeros((2, 0)), np.zeros((2, 0)), 1.0).extremes()):
        np.testing.assert_array_equal(found.maximum, [0.3, 0.0])
        np.testing.assert_array_equal(found.minimum, [0.3, 0.0])
    np.testing.assert_array_equal(still.extremes(2).magnitude, 0.0)
    tiny = Fourier(0.0, [1.0, 0.0, 1e-300], [0.0, 0.0, 0.0], 1.0).extremes()
    assert tiny.maximum[0] == pytest.approx(1.0, rel=1e-14)


@pytest.mark.parametrize(("scale", "period"), [(1.0, 1.0), (1e-9, 1e-3), (1e9, 1e4)])
@pytest.mark.parametrize("harmonics", range(1, 9))
def test_no_sample_beats_the_proof(harmonics: int, scale: float, period: float) -> None:
    rng = np.random.default_rng(harmonics)
    motion = Fourier(rng.normal(size=3) * scale, rng.normal(size=(3, harmonics)) * scale, rng.normal(size=(3, harmonics)) * scale, period)
    for order in range(4):
        assert_extreme(motion, order)


@pytest.mark.parametrize(
    ("law", "speed", "acceleration"), [("quintic", 1.875, 10 / np.sqrt(3)), ("seventh", 35 / 16, 84 * np.sqrt(5) / 25), ("ninth", 315 / 128, 9.371976)]
)
def test_peaks_of_the_point_to_point_laws(law: str, speed: float, acceleration: float) -> None:
    """The ninth-degree law p' ∝ t⁴(1-t)⁴ has max |p''| = 9.371976; the others in closed form."""
    unit = PointToPoint(0.0, 1.0, 1.0, law)
    assert unit.extremes(1).magnitude[0] == pytest.approx(speed, rel=1e-9)
    assert unit.extremes(2).magnitude[0] == pytest.approx(acceleration, rel=1e-6)


def test_jumps_make_the_derivatives_above_infinite() -> None:
    trapezoid = PointToPoint([0.0, 1.0], [1.0, 1.0], 2.0, "trapezoidal")
    jerk = trapezoid.extremes(3)
    assert jerk.minimum[0] == -np.inf and jerk.at_minimum[0] == 0.5
    assert jerk.minimum[1] == jerk.maximum[1] == 0.0
    corner = Piecewise.linear([0.0, 1.0, 2.0], [0.0, 1.0, 0.0])
    assert corner.extremes(1).maximum[0] == 1.0
    assert corner.extremes(2).minimum[0] == -np.inf and corner.extremes(2).maximum[0] == 0.0
    assert corner.extremes(3).minimum[0] == -np.inf and corner.extremes(3).maximum[0] == np.inf


def test_extremes_of_a_long_recording() -> None:
    """10^5 samples, seven joints: the maximum lies between two samples."""
    t = np.arange(100_000) * 1e-3
    motion = Sampled(t, np.sin(t[:, None] + 1e-4 * np.arange(7)), degree=3)
    found = motion.extremes(0, 0.0, 3.0)
    np.testing.assert_allclose(found.maximum, 1.0, atol=1e-12)
    np.testing.assert_allclose(found.at_maximum, np.pi / 2 - 1e-4 * np.arange(7), atol=1e-6)


def test_an_interval_outside_the_motion_is_named() -> None:
    with pytest.raises(DataError, match=r"time interval of a trajectory: 2 ... 11 s, expected inside 0 ... 10 s"):
        FAMILIES["bspline"].extremes(0, 2.0, 11.0)


def test_extremes_of_a_sequence_take_every_part() -> None:
    up, down = PointToPoint(0.0, 1.0, 1.0), PointToPoint(1.0, -2.0, 3.0)
    found = Sequence((up, down)).extremes()
    assert (found.maximum[0], found.minimum[0], found.at_minimum[0]) == (1.0, -2.0, 4.0)
