"""Prediction bands hold what they claim; the spread over trials shows what intervals of one trial cannot."""

from __future__ import annotations

import numpy as np
import pytest

from optid import DHRow, DynamicModel, Link, Robot, identify
from optid.errors import DataError
from optid.identification.spread import spread
from optid.signals import Samples

N = 400


@pytest.fixture(scope="module")
def model() -> DynamicModel:
    links = [Link.from_com(2, (0.2, 0.01, 0), (0, 0, 0.03)), Link.from_com(1.5, (0.15, -0.02, 0), (0, 0, 0.02))]
    robot = Robot.from_dh([DHRow(), DHRow(a=0.5)], "modified", (0.0, -9.81, 0.0), links=links).with_friction(viscous=[0.5, 0.2])
    return DynamicModel(robot, friction="viscous")


def states(pace: float = 1.0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    t = np.arange(N) * 0.02
    w = pace * np.array([np.pi, 1.3 * np.pi])
    q, dq, ddq = np.sin(w * t[:, None]), w * np.cos(w * t[:, None]), -(w**2) * np.sin(w * t[:, None])
    return q * [1, 0.8], dq * [1, 0.8], ddq * [1, 0.8]


def samples(model: DynamicModel, pace: float, seed: int, cubic: float = 0.0) -> Samples:
    state = states(pace)
    tau = model.inverse_dynamics(model.nominal_parameters(), *state) + cubic * state[1] ** 3
    tau += np.random.default_rng(seed).standard_normal(tau.shape) * [0.5, 0.2]
    return Samples.from_arrays(*state, tau, rate=50, name=f"{pace:g} x")


def test_prediction_band_holds_new_measurements(model: DynamicModel) -> None:
    """95 % of further torques lie inside; the band without noise holds 95 % of the true torques over many fits."""
    fit = identify(model, samples(model, 1.0, 0))
    state = states(0.7)
    truth = model.inverse_dynamics(model.nominal_parameters(), *state)
    band = fit.prediction_band(*state)
    noise = np.random.default_rng(5).standard_normal(truth.shape) * [0.5, 0.2]
    assert np.mean(np.abs(truth + noise - fit.predict(*state)) <= band) == pytest.approx(0.95, abs=0.03)
    inside = []
    for seed in range(60):
        other = identify(model, samples(model, 1.0, 100 + seed))
        inside.append(np.abs(truth - other.predict(*state)) <= other.prediction_band(*state, noise=False))
    assert np.mean(inside) == pytest.approx(0.95, abs=0.04)
    Y = fit.base.regressor(*(x[:1] for x in state))
    width = np.sqrt(np.diag(Y @ fit.covariance() @ Y.T)) * 1.963
    assert fit.prediction_band(*(x[:1] for x in state), kind="white", noise=False)[0] == pytest.approx(width, rel=1e-3)
    assert fit.prediction_band(*(x[:0] for x in state)).shape == (0, 2)


def test_spread_of_an_exact_model_is_what_intervals_say(model: DynamicModel) -> None:
    found = spread(model, [samples(model, pace, seed) for seed, pace in enumerate((0.6, 0.8, 1.0, 1.2, 1.4, 1.6))])
    assert np.median(found.ratio) == pytest.approx(1.0, abs=0.35)
    assert found.betas.shape == (6, 8) and "6 trials; ratio: median" in found.summary()


def test_spread_shows_what_the_model_leaves_out(model: DynamicModel) -> None:
    """Cubic friction in the data and none in the model: viscous friction of fast and slow motions differ by far more than each one's interval."""
    found = spread(model, [samples(model, pace, seed, cubic=0.05) for seed, pace in enumerate((0.5, 1.0, 1.5))], method="wls")
    k = found.fits[0].base.names.index("fv1")
    assert found.ratio[k] > 5
    assert found.observed[k] == pytest.approx(np.std([fit.beta[k] for fit in found.fits], ddof=1))


def test_one_trial_has_no_spread(model: DynamicModel) -> None:
    with pytest.raises(DataError, match="spread over training motions: 1 trials, expected two or more"):
        spread(model, samples(model, 1.0, 0))
