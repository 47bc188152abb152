"""Error bounds, information criteria, F-test and intervals, against attacks on the bounds and values worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from optid.errors import DataError, ShapeError
from optid.statistics.bounds import error_bounds
from optid.statistics.comparison import Criteria, f_test
from optid.statistics.intervals import quantile, t_interval, variance_interval


def test_square_bounds_are_reached() -> None:
    """Φ = diag(10, 0.1), torque along the strong and its error along the weak direction: the relative error is κ times the torque's."""
    bounds = error_bounds(np.diag([10.0, 0.1]), [1.0, 0.0], torque_error=1e-3, regressor_error=1e-3)
    assert bounds.condition_number == pytest.approx(100)
    moved = np.linalg.solve(np.diag([10.0, 0.1]), [1.0, 1e-3]) - [0.1, 0.0]
    assert np.linalg.norm(moved) / 0.1 == pytest.approx(bounds.square_torque)
    assert bounds.square_torque == pytest.approx(0.1)
    assert bounds.square_regressor == pytest.approx(0.01)
    assert bounds.largest_deviation == pytest.approx(10.0)


def test_square_bound_fails_for_least_squares_and_the_other_holds() -> None:
    """A residual far larger than the fitted part tilts the estimate by κ² ‖δΦ‖ ‖r‖ / (‖Φ‖² ‖p‖): G21's eq. 24 is broken 40 times, Wedin's bound is not."""
    A = np.array([[1.0, 0.0], [0.0, 0.01], [0.0, 0.0]])
    b = np.array([1.0, 0.0, 2.0])
    change = np.zeros((3, 2))
    change[2, 1] = 1e-4
    bounds = error_bounds(A, b, regressor_error=1e-4)
    x, moved = (np.linalg.lstsq(m, b, rcond=None)[0] for m in (A, A + change))
    error = np.linalg.norm(moved - x) / np.linalg.norm(x)
    assert error > 40 * bounds.square_regressor
    assert error <= bounds.least_squares < 2 * error


@pytest.mark.parametrize("seed", range(20))
def test_no_random_error_breaks_the_least_squares_bound(seed: int) -> None:
    rng = np.random.default_rng(seed)
    A = rng.standard_normal((40, 5)) * 10.0 ** rng.uniform(-2, 2, 5)
    b = A @ rng.standard_normal(5) + rng.standard_normal(40)
    E, f = 1e-4 * rng.standard_normal(A.shape) * np.linalg.norm(A, axis=0), 1e-2 * rng.standard_normal(40)
    bounds = error_bounds(A, b, float(np.linalg.norm(f)), float(np.linalg.norm(E, 2)))
    x, moved = np.linalg.lstsq(A, b, rcond=None)[0], np.linalg.lstsq(A + E, b + f, rcond=None)[0]
    assert np.linalg.norm(moved - x) / np.linalg.norm(x) <= bounds.least_squares


def test_triangles_give_the_same_bounds_and_large_errors_none() -> None:
    rng = np.random.default_rng(0)
    A, b = rng.standard_normal((30, 3)), rng.standard_normal(30)
    R = np.linalg.qr(np.column_stack([A, b]), mode="r")
    one, two = error_bounds(A, b, 0.1, 0.01), error_bounds(R[:, :3], R[:, 3], 0.1, 0.01)
    assert one.least_squares == pytest.approx(two.least_squares)
    assert error_bounds(A, b, regressor_error=100.0).least_squares == np.inf
    assert error_bounds(np.zeros((4, 2)), np.ones(4)).condition_number == np.inf
    with pytest.raises(ShapeError, match="with m >= p"):
        error_bounds(A[:2], b[:2])
    with pytest.raises(DataError, match="norms of errors"):
        error_bounds(A, b, torque_error=-1.0)


def test_information_criteria_by_hand() -> None:
    found = Criteria.of(rss=8.0, count=20, parameters=3)
    fit = 20 * np.log(0.4)
    assert [found.aic, found.bic] == pytest.approx([fit + 6, fit + 3 * np.log(20)])
    assert found.aicc == pytest.approx(fit + 6 + 24 / 16)
    with pytest.raises(DataError, match="expected more samples than parameters"):
        Criteria.of(1.0, 4, 3)


def test_f_test() -> None:
    """Against scipy's F distribution, and as a share of cases without anything to find."""
    from scipy.stats import f

    assert f_test(12.0, 10.0, 2, 50) == pytest.approx(f.sf(1.0 / 0.2, 2, 50))
    assert f_test(10.0, 10.0, 1, 5) == 1.0
    assert f_test(0.0, 0.0, 1, 5) == 1.0 and f_test(1.0, 0.0, 1, 5) == 0.0
    with pytest.raises(DataError, match="F-test"):
        f_test(1.0, 1.0, 0, 5)


def test_intervals() -> None:
    """Student's t and χ² from tables: t_{0.975, 10} = 2.2281; 10·s²/20.483 and 10·s²/3.247 for ten degrees of freedom."""
    assert quantile(10) == pytest.approx(2.2281, abs=1e-4)
    assert t_interval([1.0], [0.5], 10)[0] == pytest.approx([1 - 1.11405, 1 + 1.11405], abs=1e-4)
    assert np.isnan(t_interval([1.0], [0.5], 0)).all()
    assert variance_interval(2.0, 10) == pytest.approx((20 / 20.483, 20 / 3.247), rel=1e-3)
