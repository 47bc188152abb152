"""Weights from residuals: per joint, between joints, against outliers; and the parameters that matter."""

from __future__ import annotations

import numpy as np
import pytest

from optid import BaseParameters, DHRow, DynamicModel, Joint, Link, Robot, Transform, identify
from optid.errors import DataError, RankError, UnknownNameError
from optid.identification.methods.generalised import residual_covariance
from optid.identification.pipeline import job_of
from optid.signals import Samples
from optid.simulation.irb140_story import irb140_base
from optid.trajectory import irb140_g21


@pytest.fixture(scope="module")
def base() -> BaseParameters:
    rng = np.random.default_rng(3)
    rows = [DHRow(a=0.4, alpha=np.pi / 2 * (i % 2)) for i in range(3)]
    links = [Link.from_com(3 - i, rng.uniform(-0.2, 0.2, 3), np.diag(rng.uniform(0.05, 0.08, 3)), f"link{i + 1}") for i in range(3)]
    return BaseParameters.of(DynamicModel(Robot.from_dh(rows, "standard", links=links).with_friction(2.0, 1.0), friction="viscous+coulomb"))


def samples(base: BaseParameters, noise: np.ndarray, seed: int = 0, use: np.ndarray | None = None) -> Samples:
    """Random states with the given torque noise (N, 3)."""
    rng = np.random.default_rng(100 + seed)
    q, dq, ddq = (rng.standard_normal(noise.shape) for _ in range(3))
    tau = base.model.inverse_dynamics(base.model.nominal_parameters(), q, dq, ddq)
    return Samples.from_arrays(q, dq, ddq, tau + noise, rate=100, use=use, name=f"run {seed}")


def test_quiet_channel_rules() -> None:
    """C58: noise 10 and 0.1 on 100 samples: standard deviation 0.5 for ordinary, at most 0.012 for weighted least squares, of whatever kind."""
    joints = tuple(Joint(f"slide{i}", "P", Transform()) for i in range(2))
    mass = BaseParameters.of(DynamicModel(Robot(joints, (Link("a"), Link("b", mass=1.0)), (0, 0, 0)), friction="none"), known=["m1"])
    ddq = np.tile([1.0, 0.0], (100, 1))
    found: dict[str, list[float]] = {"ols": [], "wls": [], "gls": [], "huber": []}
    for seed in range(60):
        noise = np.random.default_rng(seed).standard_normal((100, 2)) * [10, 0.1]
        data = Samples.from_arrays(0 * ddq, 0 * ddq, ddq, ddq[:, :1] + noise, rate=1)
        for method, values in found.items():
            values.append(identify(mass, data, method=method, residuals=False).beta[0])
    assert np.std(found["ols"]) == pytest.approx(0.5, rel=0.25)
    for method in ("wls", "gls", "huber"):
        assert np.std(found[method]) <= 0.012, method


def test_noise_free_results_do_not_depend_on_weights(base: BaseParameters) -> None:
    """C58, last clause."""
    truth = base.beta(base.model.nominal_parameters())
    for method in ("ols", "wls", "gls", "huber"):
        assert identify(base, samples(base, np.zeros((60, 3))), method=method, residuals=False).beta == pytest.approx(truth, rel=1e-7, abs=1e-9)


# -- covariance between joints ----------------------------------------------------------------------------------------------------------------------------

SIGMA = np.array([[1.0, 0.95, 0.0], [0.95, 1.0, 0.0], [0.0, 0.0, 0.04]])


def correlated(count: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).multivariate_normal(np.zeros(3), SIGMA, count)


def test_shared_noise_is_seen_through(base: BaseParameters) -> None:
    """Against dense generalised least squares with the covariance that the fit ended with.

    Over 60 runs the spread is √(1 − 0.95²) = 0.31 of that of per-joint weights for what the two joints alone show, and never more.
    """
    data = samples(base, correlated(400, 0))
    fit = identify(base, data, method="gls", residuals=False)
    covariance = residual_covariance(job_of(base, data), fit.beta)
    Y = base.regressor(data.q, data.dq, data.ddq).reshape(400, 3, -1)
    weight = np.linalg.inv(covariance)
    normal = np.einsum("kir,ij,kjs->rs", Y, weight, Y)
    beta = np.linalg.solve(normal, np.einsum("kir,ij,kj->r", Y, weight, data.tau))
    assert fit.beta == pytest.approx(beta, rel=1e-3, abs=1e-4)
    assert fit.sigma == pytest.approx(np.sqrt(np.diag(np.linalg.inv(normal))), rel=0.03)
    assert covariance == pytest.approx(SIGMA, abs=0.15)
    assert any("joint1 and joint2 are correlated most, by 0.9" in note for note in fit.notes)
    truth = base.beta(base.model.nominal_parameters())
    errors = {"wls": [], "gls": []}
    for seed in range(60):
        run = samples(base, correlated(100, seed), seed)
        for method, values in errors.items():
            values.append(identify(base, run, method=method, residuals=False).beta - truth)
    ratio = np.std(errors["gls"], axis=0) / np.std(errors["wls"], axis=0)
    alone = [base.names.index(name) for name in ("fv1", "fv2", "fc1", "fc2")]
    assert ratio[alone] == pytest.approx(np.sqrt(1 - 0.95**2), abs=0.06)
    assert (ratio < 1.05).all()


def test_covariance_with_joints_left_out(base: BaseParameters) -> None:
    """Samples in which a joint stands use the covariance of the others: dense solution sample by sample."""
    use = np.random.default_rng(7).random((300, 3)) > 0.2
    data = samples(base, correlated(300, 1), use=use)
    fit = identify(base, data, method="gls", residuals=False)
    covariance = residual_covariance(job_of(base, data), fit.beta)
    Y = base.regressor(data.q, data.dq, data.ddq).reshape(300, 3, -1)
    normal, right = np.zeros((base.rank, base.rank)), np.zeros(base.rank)
    for k in range(300):
        u = np.flatnonzero(use[k])
        if u.size:
            weight = np.linalg.inv(covariance[np.ix_(u, u)])
            normal += Y[k, u].T @ weight @ Y[k, u]
            right += Y[k, u].T @ weight @ data.tau[k, u]
    assert fit.beta == pytest.approx(np.linalg.solve(normal, right), rel=1e-3, abs=1e-4)
    with pytest.raises(DataError, match=r"torque covariance: 0 samples that all joints use, expected at least"):
        identify(base, samples(base, correlated(60, 1), use=np.tile(np.eye(3, dtype=bool), (20, 1))), method="gls")


# -- outliers ---------------------------------------------------------------------------------------------------------------------------------------------


def spoiled(base: BaseParameters, count: int = 300) -> tuple[Samples, np.ndarray]:
    """Noise 0.2, and 4 % of the torque samples off by 20 to 40 N m in one direction."""
    rng = np.random.default_rng(1)
    noise = 0.2 * rng.standard_normal((count, 3))
    outlier = rng.random((count, 3)) < 0.04
    return samples(base, noise + outlier * rng.uniform(20, 40, (count, 3))), outlier


def test_outliers_are_dropped_and_listed(base: BaseParameters) -> None:
    """All of them by trial, time and joint; the estimate is nearly that of the good samples alone, ordinary least squares is not."""
    data, outlier = spoiled(base)
    fit = identify(base, data, method="huber")
    listed = {(round(d.time * 100), d.joint) for d in fit.details.dropped}
    assert listed == {(int(k), f"joint{j + 1}") for k, j in np.argwhere(outlier)}
    assert all(d.trial == "run 0" and d.residual > 6 for d in fit.details.dropped)
    clean = identify(base, Samples.from_arrays(data.q, data.dq, data.ddq, data.tau, rate=100, use=~outlier), method="wls")
    plain = identify(base, data)
    assert (np.abs(fit.beta - clean.beta) < clean.sigma).all()
    assert np.abs((plain.beta - clean.beta) / clean.sigma).max() > 5
    assert fit.sigma == pytest.approx(clean.sigma, rel=0.15)
    assert any(f"{outlier.sum()} of 900 torque samples lie beyond 6 standard deviations and were left out" in note for note in fit.notes)


def test_estimate_solves_hubers_equations(base: BaseParameters) -> None:
    """Σ ψ(r/σ)/σ Y = 0, ψ clipped at 1.345, σ by the median: to 1e-3 of the sum of sizes; nothing is left out when reject is infinite."""
    data, _ = spoiled(base)
    fit = identify(base, data, method="huber", reject=np.inf)
    assert fit.details.dropped == ()
    Y = base.regressor(data.q, data.dq, data.ddq).reshape(-1, 3, base.rank)
    r = data.tau - Y @ fit.beta
    sigma = 1.4826 * np.median(np.abs(r), axis=0)
    psi = np.clip(r / sigma, -1.345, 1.345) / sigma
    scores = np.einsum("kj,kjr->r", psi, Y)
    assert (np.abs(scores) < 1e-3 * np.einsum("kj,kjr->r", np.abs(psi), np.abs(Y))).all()


def test_normal_noise_costs_five_percent(base: BaseParameters) -> None:
    """Efficiency 0.95: over 60 runs the spread is that of the reported sigma (10 %), which is 1.03 times that of least squares (3 %)."""
    errors, sigmas, plain = [], [], []
    truth = base.beta(base.model.nominal_parameters())
    for seed in range(60):
        data = samples(base, 0.5 * np.random.default_rng(seed).standard_normal((150, 3)), seed)
        fit = identify(base, data, method="huber", residuals=False)
        errors.append((fit.beta - truth) / fit.sigma)
        sigmas.append(fit.sigma)
        plain.append(identify(base, data, residuals=False).sigma)
    assert np.sqrt(np.mean(np.square(errors))) == pytest.approx(1.0, abs=0.1)
    assert np.mean(np.array(sigmas) / np.array(plain)) == pytest.approx(1.03, abs=0.05)


def test_options_of_the_robust_fit(base: BaseParameters) -> None:
    data = samples(base, np.zeros((20, 3)))
    with pytest.raises(DataError, match=r"reject of the robust fit: 1.0, expected more standard deviations than the threshold, 1.345"):
        identify(base, data, method="huber", reject=1.0)
    with pytest.raises(DataError, match=r"threshold of the robust fit: 0"):
        identify(base, data, method="huber", threshold=0)


# -- essential parameters ---------------------------------------------------------------------------------------------------------------------------------


def test_parameters_that_are_zero_are_taken_out(base: BaseParameters) -> None:
    """Truth with six zeros among 17: in 50 runs they go in 95 % of the cases and no other does; what stays is the reduced least squares solution (1e-8)."""
    model = base.model
    truth = base.beta(model.nominal_parameters())
    size = np.sqrt(np.diag(np.linalg.inv(np.einsum("kjr,kjs->rs", *[_regressor(base)] * 2))))
    zero = [k for k in range(base.rank) if base.names[k] in ("Ixy2", "Ixz2", "Iyz2", "Ixy3", "fv3", "fc1")]
    truth[zero] = 0.0
    others = [k for k in range(base.rank) if k not in zero]
    truth[others] = np.sign(truth[others]) * np.maximum(np.abs(truth[others]), 8 * size[others])
    kept = []
    for seed in range(50):
        data = samples(base, np.zeros((200, 3)), 0)
        tau = (base.regressor(data.q, data.dq, data.ddq) @ truth).reshape(-1, 3) + np.random.default_rng(seed).standard_normal((200, 3))
        run = Samples.from_arrays(data.q, data.dq, data.ddq, tau, rate=100)
        fit = identify(base, run, method="essential", residuals=False)
        assert (fit.beta[others] != 0).all()
        kept.append(np.count_nonzero(fit.beta[zero]))
    assert np.mean(np.array(kept) > 0) <= 0.12
    assert len(fit.details.removed) == len(zero) - kept[-1]
    stay = np.flatnonzero(fit.beta)
    A, b = fit.factors.stacked(fit.weights)
    assert fit.beta[stay] == pytest.approx(np.linalg.lstsq(A[:, stay], b, rcond=None)[0], rel=1e-8)
    assert (fit.sigma[zero] == 0).all() or kept[-1]
    assert fit.degrees_of_freedom == 600 - len(stay)
    assert any(f"{len(stay)} of {base.rank} parameters are essential (partial F tests, together at 0.95" in note for note in fit.notes)


def test_correlated_noise_makes_no_parameter_essential() -> None:
    """First-order noise of ρ = 0.9 on a smooth motion, six parameters zero: by plain t values one passes the same limit in nineteen runs of twenty; by
    the long-run noise one survives in a tenth at most (a twentieth is meant), and those of 30 standard deviations always do."""
    from scipy.signal import lfilter
    from scipy.stats import f

    arm, motion, count = irb140_base(), irb140_g21(), 1500
    state = [motion.derivative(np.arange(count) / 100 % 5.0, order) for order in range(3)]
    W = arm.regressor(*state)
    size = 5 * np.sqrt(np.diag(np.linalg.inv(W.T @ W)))
    zero = list(range(3, 9))
    truth = 30 * size
    truth[zero] = 0.0
    limit = np.sqrt(f.ppf(1 - 0.05 / arm.rank, 1, 3 * count))
    plain, kept = [], []
    for seed in range(40):
        white = np.random.default_rng(seed).standard_normal((count + 200, 3))
        tau = (W @ truth).reshape(-1, 3) + lfilter([np.sqrt(1 - 0.81)], [1, -0.9], white, axis=0)[200:]
        tau += arm.model.inverse_dynamics(arm.known_parameters(), *state)
        data = Samples.from_arrays(*state, tau, rate=100)
        fit = identify(arm, data, method="essential", residuals=False)
        assert (np.delete(fit.beta, zero) != 0).all()
        kept.append((fit.beta[zero] != 0).any())
        full = identify(arm, data, residuals=False)
        plain.append((np.abs(full.beta / full.sigma)[zero] > limit).any())
    assert np.mean(plain) > 0.9 and np.mean(kept) <= 0.1


def _regressor(base: BaseParameters) -> np.ndarray:
    data = samples(base, np.zeros((200, 3)), 0)
    return base.regressor(data.q, data.dq, data.ddq).reshape(200, 3, -1)


def test_parameters_to_keep(base: BaseParameters) -> None:
    data = samples(base, 50 * np.random.default_rng(0).standard_normal((100, 3)))
    fit = identify(base, data, method="essential", keep=("fc1", "Ixy3"))
    assert {"fc1", "Ixy3"}.isdisjoint(fit.details.removed) and fit.details.removed
    with pytest.raises(UnknownNameError, match=r"parameter to keep 'fc9'"):
        identify(base, data, method="essential", keep=("fc9",))


def test_torque_that_is_nothing(base: BaseParameters) -> None:
    """A dead sensor: zeros for all parameters from every weighting, and one essential parameter at most."""
    rng = np.random.default_rng(0)
    dead = Samples.from_arrays(*(rng.standard_normal((40, 3)) for _ in range(3)), np.zeros((40, 3)), rate=100)
    for method in ("wls", "gls", "huber", "essential"):
        assert identify(base, dead, method=method, residuals=False).beta == pytest.approx(np.zeros(base.rank), abs=1e-12), method
    assert len(identify(base, dead, method="essential").details.removed) == base.rank - 1


def test_no_samples_are_refused(base: BaseParameters) -> None:
    """A prior alone is no fit."""
    with pytest.raises(RankError, match=r"identification: 0 rows of rank 0"):
        identify(base, samples(base, np.zeros((0, 3))), method="damped", damping=1.0, weighting="none")
