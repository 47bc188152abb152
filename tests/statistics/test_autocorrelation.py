"""Autocovariances, autoregressive models and the test of whiteness, against definitions and against numpy."""

from __future__ import annotations

import numpy as np
import pytest

from optid.errors import DataError
from optid.statistics import AutoregressiveModel, autocovariance, ljung_box


def autoregressive(coefficients: list[float], count: int, seed: int) -> np.ndarray:
    rng, p = np.random.default_rng(seed), len(coefficients)
    x = np.zeros(count + 500)
    for k in range(p, len(x)):
        x[k] = np.dot(coefficients, x[k - p : k][::-1]) + rng.standard_normal()
    return x[500:]


def test_autocovariance_is_the_sum_of_products_inside_segments() -> None:
    x = np.random.default_rng(0).standard_normal(40)
    assert autocovariance(x, 6) == pytest.approx(np.correlate(x, x, "full")[39:46])
    halves = autocovariance(x[:15], 6) + autocovariance(x[15:], 6)
    assert autocovariance(x, 6, [slice(0, 15), slice(15, 40)]) == pytest.approx(halves)
    assert autocovariance(x[:3], 6)[3:].tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize("coefficients", [[0.9], [0.5, -0.3], [1.2, -0.5, 0.1, 0.05]])
def test_levinson_solves_the_yule_walker_equations(coefficients: list[float]) -> None:
    """At the chosen order the coefficients solve the Toeplitz system that numpy solves directly."""
    x = autoregressive(coefficients, 3000, 1)
    c = autocovariance(x, 12)
    model = AutoregressiveModel.fit(c, len(x))
    p = model.order
    toeplitz = c[np.abs(np.subtract.outer(np.arange(p), np.arange(p)))]
    assert model.coefficients == pytest.approx(np.linalg.solve(toeplitz, c[1 : p + 1]), rel=1e-9)
    assert model.variance == pytest.approx((c[0] - model.coefficients @ c[1 : p + 1]) / len(x), rel=1e-9)
    assert model.variance == pytest.approx(1.0, rel=0.1)
    assert len(coefficients) - 2 <= p <= len(coefficients)


def test_white_noise_needs_no_model() -> None:
    orders = [AutoregressiveModel.fit(autocovariance(np.random.default_rng(k).standard_normal(1000), 20), 1000).order for k in range(50)]
    assert np.mean(np.array(orders) == 0) >= 0.9


def test_nothing_to_model() -> None:
    """Zero residuals, and a pure sine whose higher orders would be rounding."""
    assert AutoregressiveModel.fit(np.zeros(5), 100).order == 0
    sine = np.sin(0.1 * np.arange(5000))
    model = AutoregressiveModel.fit(autocovariance(sine, 30), 5000)
    assert np.abs(np.roots(model.polynomial)).max() < 1


def test_ljung_box() -> None:
    """The statistic by hand; under whiteness p-values are uniform; an AR(1) of 0.2 is found in 1000 samples."""
    from scipy.stats import chi2

    statistic, p = ljung_box([1.0, 0.2, -0.1], 50, 2)
    assert statistic == pytest.approx(50 * 52 * (0.04 / 49 + 0.01 / 48))
    assert p == pytest.approx(chi2.sf(statistic, 2))

    def p_value(x: np.ndarray) -> float:
        c = autocovariance(x, 20)
        return ljung_box(c / c[0], len(x))[1]

    white = np.array([p_value(np.random.default_rng(k).standard_normal(1000)) for k in range(300)])
    assert 0.02 < np.mean(white < 0.05) < 0.09
    assert p_value(autoregressive([0.2], 1000, 0)) < 1e-3


def test_ljung_box_needs_lags() -> None:
    with pytest.raises(DataError, match="3 lags of 3 samples, expected at least one lag"):
        ljung_box([1.0, 0.1, 0.1, 0.1, 0.1], 3, 3)
