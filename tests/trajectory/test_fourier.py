"""Fourier trajectories against closed forms and the published IRB140 table."""

from __future__ import annotations

import numpy as np
import pytest

from optid.errors import DataError, RankError, ShapeError
from optid.trajectory import Fourier, fourier_basis, irb140_g21, irb140_g21_targets


def random_fourier(n: int = 3, harmonics: int = 4, period: float | list[float] = 5.0, seed: int = 0) -> Fourier:
    rng = np.random.default_rng(seed)
    return Fourier(rng.normal(size=n), rng.normal(size=(n, harmonics)), rng.normal(size=(n, harmonics)), period)


@pytest.fixture
def c46() -> Fourier:
    return Fourier.from_velocity_form(0.1, (0.3, -0.3), (0.2, -0.1), period=10.0)


def test_velocity_form_matches_independent_numbers(c46: Fourier) -> None:
    """C46: values computed by another program."""
    q, dq, ddq = c46.evaluate([0.0, 1.7])
    np.testing.assert_allclose(q[:, 0], [-0.138732415, 0.120850476], atol=5e-10)
    np.testing.assert_allclose(dq[:, 0], [0.0, 0.396102684], atol=5e-10)
    np.testing.assert_allclose(ddq[:, 0], [0.0, 0.280997144], atol=5e-10)


@pytest.mark.parametrize("period", [5.0, [5.0, 2.5, 3.7]])
def test_derivatives_agree_with_central_differences(period: float | list[float]) -> None:
    """C46: analytic velocity, acceleration and jerk against differences with a 1e-5 s step."""
    motion, t, step = random_fourier(period=period), np.linspace(0, 7, 57), 1e-5
    for order in (1, 2, 3):
        numeric = (motion.derivative(t + step, order - 1) - motion.derivative(t - step, order - 1)) / (2 * step)
        np.testing.assert_allclose(motion.derivative(t, order), numeric, atol=1e-6 * np.abs(numeric).max())
    np.testing.assert_array_equal(motion.jerk(t), motion.derivative(t, 3))


def test_evaluate_equals_derivative() -> None:
    motion, t = random_fourier(period=[5.0, 2.5, 3.7]), np.linspace(-3, 9, 23)
    for order, value in enumerate(motion.evaluate(t)):
        np.testing.assert_array_equal(value, motion.derivative(t, order))


def test_position_repeats_exactly_even_after_many_periods() -> None:
    """C46: q(0) = q(T)."""
    motion = random_fourier()
    np.testing.assert_array_equal(motion.evaluate(5.0), motion.evaluate(0.0))
    np.testing.assert_allclose(motion.evaluate(5e6 + 1.25)[0], motion.evaluate(1.25)[0], atol=1e-8)


def test_published_table_is_four_harmonics() -> None:
    """Gonzalez 2021, Table I: a four-harmonic fit reproduces the printed targets to 0.0008 degrees."""
    time, q = irb140_g21_targets()
    residual = np.rad2deg(irb140_g21().evaluate(time)[0] - q)
    assert np.abs(residual).max() == pytest.approx(0.0008, abs=5e-5)


def test_published_trajectory_at_its_own_samples() -> None:
    """Gonzalez 2021: at the 100 samples q2 touches 0.8 of its range (above it exceeds it by 0.023 degrees), speeds are 0.7 of the limits."""
    samples = irb140_g21().sample(20.0)
    assert samples.time.shape == (100,)
    q, dq = np.rad2deg(samples.q), np.rad2deg(np.abs(samples.dq))
    np.testing.assert_allclose([q[:, 1].min(), q[:, 1].max(), q[:, 2].min()], [-72.0, 88.0, -184.0], atol=0.03)
    np.testing.assert_allclose([q[:, 0].min(), q[:, 0].max()], [-50.5, 25.0], atol=0.06)
    np.testing.assert_allclose(dq.max(axis=0), [140.06, 140.00, 182.00], atol=6e-3)
    np.testing.assert_allclose(np.abs(samples.ddq).max(axis=0), [11.875, 10.144, 10.423], atol=6e-4)


def test_coefficients_round_trip_in_the_documented_order() -> None:
    motion = random_fourier(n=2, harmonics=3)
    flat = motion.coefficients
    np.testing.assert_array_equal(flat[:7], [motion.q0[0], *motion.a[0], *motion.b[0]])
    again = Fourier.from_coefficients(flat, 3, 5.0)
    np.testing.assert_array_equal(again.matrix, motion.matrix)
    np.testing.assert_array_equal(Fourier.from_coefficients(motion.matrix, 3, 5.0).matrix, motion.matrix)


def test_basis_is_the_linear_map_of_the_coefficients() -> None:
    motion, t = random_fourier(), np.linspace(-2, 11, 41)
    for order, basis in enumerate(fourier_basis(t, 4, 5.0)):
        np.testing.assert_allclose(basis @ motion.matrix.T, motion.derivative(t, order), atol=1e-12 * 10**order)


def test_basis_of_another_period_is_a_power_of_it() -> None:
    s = np.linspace(0.0, 1.0, 11)
    for order, (one, other) in enumerate(zip(fourier_basis(s, 3, 1.0), fourier_basis(s * 7.0, 3, 7.0), strict=True)):
        np.testing.assert_allclose(other, one / 7.0**order, atol=1e-11)


def test_fit_recovers_a_trajectory_from_irregular_times() -> None:
    motion = random_fourier(n=7, harmonics=5)
    t = np.sort(np.random.default_rng(1).uniform(0, 12, 200))
    np.testing.assert_allclose(Fourier.fit(t, motion.evaluate(t)[0], 5, 5.0).matrix, motion.matrix, atol=1e-12)


@pytest.mark.parametrize("count", [8, 4])
def test_fit_refuses_times_that_cannot_tell_the_harmonics_apart(count: int) -> None:
    t = np.arange(count) * 5.0 / count
    with pytest.raises(RankError, match=f"fit of 4 harmonics: rank {count} from {count} times, expected rank 9"):
        Fourier.fit(t, np.sin(t), 4, 5.0)


def test_rest_constraints_and_nearest_resting_trajectory() -> None:
    """C46: rest at both ends to 1e-8."""
    motion = random_fourier(harmonics=5)
    rest = motion.at_rest()
    R = Fourier.rest_constraints(5, 5.0)
    np.testing.assert_allclose(R @ motion.matrix.T, [motion.derivative(0.0, 1)[0], motion.derivative(0.0, 2)[0]], rtol=1e-12)
    np.testing.assert_allclose(R @ rest.matrix.T, 0.0, atol=1e-12)
    for t in (0.0, 5.0, 15.0):
        _, dq, ddq = rest.evaluate(t)
        np.testing.assert_allclose([dq, ddq], 0.0, atol=1e-12)
    # the change is orthogonal to the space of resting coefficients, so it is the least one
    change = motion.matrix - rest.matrix
    null = np.linalg.svd(R)[2][2:]
    np.testing.assert_allclose(null @ change.T, 0.0, atol=1e-13)


def test_shifted_starts_elsewhere_in_the_same_motion() -> None:
    motion, t = random_fourier(period=[5.0, 4.0, 3.0]), np.linspace(0, 5, 17)
    np.testing.assert_allclose(motion.shifted(1.3).evaluate(t)[1], motion.evaluate(t + 1.3)[1], atol=1e-12)


def test_samples_leave_out_the_repeated_end() -> None:
    time, q, dq, ddq = random_fourier().sample(10.0)
    np.testing.assert_allclose(time, np.arange(50) / 10)
    assert q.shape == dq.shape == ddq.shape == (50, 3)
    assert len(random_fourier(period=[5.0, 3.0, 2.0]).sample(10.0).time) == 51


def test_a_million_samples() -> None:
    motion = random_fourier(n=7, harmonics=5)
    samples = motion.sample(200_000.0)
    assert samples.q.shape == (1_000_000, 7)
    np.testing.assert_allclose(samples.ddq[-1], motion.derivative(samples.time[-1], 2)[0], rtol=1e-12)


def test_periods_decide_whether_the_whole_repeats() -> None:
    assert random_fourier(period=[6.0, 3.0, 2.0]).periodic
    assert not random_fourier(period=[5.0, 3.0, 2.0]).periodic
    assert random_fourier(period=[6.0, 3.0, 2.0]).duration == 6.0


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (
            (np.zeros(2), np.zeros((3, 4)), np.zeros((3, 4)), 5.0),
            ShapeError,
            r"a of a Fourier trajectory: shape \(3, 4\), expected \(2, H\), joints by harmonics",
        ),
        ((np.zeros(2), np.zeros((2, 4)), np.zeros((2, 3)), 5.0), ShapeError, r"shapes \(2, 4\) and \(2, 3\), expected equal shapes"),
        ((np.zeros(2), np.full((2, 4), np.nan), np.zeros((2, 4)), 5.0), DataError, "a of a Fourier trajectory: 8 of 8 not finite"),
        ((np.zeros(2), np.zeros((2, 4)), np.zeros((2, 4)), 0.0), DataError, "period of a Fourier trajectory: 0.0, expected one number above zero"),
        ((np.zeros(2), np.zeros((2, 4)), np.zeros((2, 4)), [5.0, -1.0]), DataError, "period of a Fourier trajectory: -1.0"),
        ((np.zeros(2), np.zeros((2, 4)), np.zeros((2, 4)), [5.0, 1.0, 2.0]), ShapeError, r"period of a Fourier trajectory: shape \(3,\), expected \(2,\)"),
        (([], np.zeros((0, 4)), np.zeros((0, 4)), 5.0), ShapeError, r"q0 of a Fourier trajectory: shape \(0,\)"),
        (("x", np.zeros((1, 4)), np.zeros((1, 4)), 5.0), DataError, "q0 of a Fourier trajectory: str, expected numbers"),
        ((0.0, [1.0], [1.0], 5.0, ("a", "b")), ShapeError, "joint names of a trajectory: 2 names, expected 1"),
        ((0.0, [1.0], [1.0], 5.0, ("a",), 0), DataError, "cycles of a Fourier trajectory: 0, expected a whole number, 1 or more"),
    ],
)
def test_wrong_input_is_named(arguments: tuple, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        Fourier(*arguments)


def test_wrong_coefficient_count_is_named() -> None:
    with pytest.raises(ShapeError, match=r"shape \(10,\), expected \(n \* 9,\) or \(n, 9\) for 4 harmonics"):
        Fourier.from_coefficients(np.zeros(10), 4, 5.0)
