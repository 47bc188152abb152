"""Total least squares against its closed form, and against the bias of least squares on noisy positions."""

from __future__ import annotations

import numpy as np
import pytest

from optid import BaseParameters, DynamicModel, Preprocessing, Trial, identify, library
from optid.errors import DataError, RankError, ShapeError
from optid.identification.methods.total_least_squares import row_noise
from optid.kernels import JointFactors
from optid.problems.total_least_squares import TotalLeastSquares
from optid.signals import Samples
from optid.simulation.irb140_story import irb140_base
from optid.solvers import solve
from optid.statistics.encoder import motion_noise
from optid.trajectory import irb140_g21

BASE = irb140_base()
NOMINAL = BASE.model.nominal_parameters()
TRUTH = BASE.beta(NOMINAL)
TIME = np.arange(5000) * 2e-3
STATE = tuple(irb140_g21().derivative(TIME, order) for order in range(3))
TORQUE = BASE.model.inverse_dynamics(NOMINAL, *STATE)
NOISE = np.array([0.5, 0.5, 0.25])
OPTIONS = Preprocessing(cutoff=30.0, min_speed=0.0, clock="nominal")


def recording(sigma: float, seed: int) -> Trial:
    rng = np.random.default_rng(seed)
    q = STATE[0] + sigma * rng.standard_normal(TORQUE.shape)
    return Trial(TIME, q, tau=TORQUE + NOISE * rng.standard_normal(TORQUE.shape), joint_names=BASE.model.robot.joint_names)


@pytest.mark.parametrize("seed", range(4))
def test_bias_of_least_squares_and_none_here(seed: int) -> None:
    """1e-4 rad on every position at 500 Hz, 30 Hz: least squares is 4 to 5 standard deviations off rms; total least squares less than 1.3."""
    trial = recording(1e-4, seed)
    ls = identify(BASE, trial, preprocessing=OPTIONS)
    tls = identify(BASE, trial, method="tls", position_sigma=1e-4, torque_sigma=NOISE, preprocessing=OPTIONS)
    z = [(fit.beta - TRUTH) / np.sqrt(np.diag(fit.covariance("hac"))) for fit in (ls, tls)]
    assert np.sqrt(np.mean(z[0] ** 2)) > 4
    assert np.sqrt(np.mean(z[1] ** 2)) < 1.3 and np.abs(z[1]).max() < 3
    assert np.linalg.norm(tls.beta - TRUTH) < 0.3 * np.linalg.norm(ls.beta - TRUTH)


def test_torque_noise_from_the_residuals() -> None:
    fit = identify(BASE, recording(1e-4, 0), method="tls", position_sigma=1e-4, preprocessing=OPTIONS)
    assert np.linalg.norm(fit.beta - TRUTH) < 0.1
    assert fit.method == "tls"


def test_smallest_generalised_eigenvector() -> None:
    """Against scipy: (β, −1) belongs to the smallest eigenvalue of the pencil (Mᵀ M, C) with M = [W, τ]."""
    from scipy.linalg import eigh

    rng = np.random.default_rng(1)
    W = rng.standard_normal((800, 3, BASE.rank)) * np.geomspace(1, 100, BASE.rank)
    root = 0.1 * rng.standard_normal((3, BASE.rank + 1, BASE.rank + 1)) * np.append(np.geomspace(1, 100, BASE.rank), 1.0)
    noise = np.einsum("jab,jac->jbc", root, root) * 800
    tau = W @ TRUTH + rng.standard_normal((800, 3))
    variances = np.array([0.5, 1.0, 2.0])
    factors = JointFactors.empty(3, BASE.rank, 2).update(W, np.stack([tau, tau], axis=2))
    fit = solve(TotalLeastSquares(BASE, factors, noise, variances))
    M = np.concatenate([W, tau[:, :, None]], axis=2)
    gram = np.einsum("kjr,j,kjs->rs", M, 1 / variances, M)
    total = np.tensordot(1 / variances, noise, 1)
    total[-1, -1] += 2400
    v = eigh(gram, total)[1][:, 0]
    assert fit.beta == pytest.approx(-v[:-1] / v[-1], rel=1e-5)


def test_without_noise_in_the_regressor_it_is_weighted_least_squares() -> None:
    samples = Samples.from_arrays(*STATE, TORQUE + np.random.default_rng(0).standard_normal(TORQUE.shape) * NOISE, rate=500)
    tls = identify(BASE, samples, method="tls", noise=np.zeros((3, 3, 3)), torque_sigma=NOISE)
    W, t = BASE.regressor(*STATE), samples.tau - BASE.model.inverse_dynamics(BASE.known_parameters(), *STATE)
    root = np.tile(1 / NOISE, len(TIME))
    expected = np.linalg.lstsq(W * root[:, None], t.ravel() * root, rcond=None)[0]
    assert tls.beta == pytest.approx(expected, rel=1e-6, abs=1e-7)
    assert np.sqrt(np.diag(tls.covariance("hac"))) == pytest.approx(tls.sigma, rel=0.12)


def test_noise_of_rows_is_what_noisy_motion_does_to_them() -> None:
    """Known parameters move the torque that is fitted: without them the noise of the rows would be seven times too large along the truth."""
    sigma = 1e-4
    trials = [OPTIONS.apply(recording(sigma, seed)) for seed in range(6)]
    samples = trials[0]
    index = np.round(samples.time * 500).astype(int)
    covariance = motion_noise(np.full(3, sigma), 500, 30.0)
    known = BASE.known_parameters()
    expected = row_noise(BASE, samples, covariance, known)
    clean = [x[index] for x in STATE]
    v, seen = np.append(TRUTH, -1.0), np.zeros(3)
    for noisy in ((s.q, s.dq, s.ddq) for s in trials):
        rows = BASE.kernel(*noisy) - BASE.kernel(*clean)
        torque = BASE.model.inverse_dynamics(known, *clean) - BASE.model.inverse_dynamics(known, *noisy)
        seen += ((rows @ TRUTH - torque) ** 2).sum(axis=0) / len(trials)
    assert np.einsum("jrs,r,s->j", expected, v, v) == pytest.approx(seen, rel=0.1)
    assert (np.einsum("jrs,r,s->j", row_noise(BASE, samples, covariance), v, v) > 3 * seen).any()


def test_refusals() -> None:
    trial = recording(1e-4, 0)
    with pytest.raises(DataError, match="method 'tls': no noise of the encoders, expected a standard deviation of the positions"):
        identify(BASE, trial, method="tls", preprocessing=OPTIONS)
    with pytest.raises(DataError, match="method 'tls': cutoff='auto' with 'central' derivatives, expected cutoff in Hz"):
        identify(BASE, trial, method="tls", position_sigma=1e-4, preprocessing=Preprocessing(min_speed=0.0))
    with pytest.raises(DataError, match="decimated or averaged equations, expected every sample as it is"):
        identify(BASE, trial, method="tls", position_sigma=1e-4, preprocessing=Preprocessing(cutoff=30.0, decimate=5, min_speed=0.0))
    with pytest.raises(ShapeError, match=r"noise of \(q, dq, ddq\): shape \(3,\)"):
        identify(BASE, trial, method="tls", noise=np.zeros(3), preprocessing=OPTIONS)
    factors = JointFactors.empty(3, BASE.rank, 2)
    with pytest.raises(ShapeError, match="noise of total least squares: shapes"):
        TotalLeastSquares(BASE, factors, np.zeros((3, 2, 2)), np.ones(3))
    with pytest.raises(RankError, match="total least squares: rank 0"):
        TotalLeastSquares(BASE, factors, np.zeros((3, 19, 19)), np.ones(3))


@pytest.mark.parametrize("constant", [True, False])
def test_torque_that_fits_exactly_gives_its_parameters(constant: bool) -> None:
    """The quotient is zero at the truth: a torque of 1 N m everywhere is friction offset and nothing else; simulated torque is its own model's."""
    model = DynamicModel(library.planar_2r(), friction="viscous+coulomb+offset")
    base = BaseParameters.of(model)
    pi = model.nominal_parameters()
    if constant:
        pi = np.array([float(name.startswith("fo")) for name in model.parameter_names])
    state = np.random.default_rng(0).standard_normal((3, 500, 2))
    samples = Samples.from_arrays(*state, model.inverse_dynamics(pi, *state), rate=100)
    fit = identify(base, samples, method="tls", noise=np.tile(np.diag([1e-10, 1e-6, 1e-2]), (2, 1, 1)))
    assert base.beta(pi).any()
    np.testing.assert_allclose(fit.beta, base.beta(pi), atol=1e-10)
    assert np.isfinite(fit.sigma).all()
