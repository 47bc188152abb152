"""What a fit keeps of its residuals, and the covariances made of it, against sandwiches written out."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from optid import DHRow, DynamicModel, IdentificationResult, Link, Robot, Trial, identify
from optid.errors import DataError, OptidWarning, UnknownNameError
from optid.identification import identify_batch
from optid.identification.result_file import load_result, save_result
from optid.signals import Samples
from optid.statistics import ResidualStatistics, TrialResiduals

N = 3000


@pytest.fixture(scope="module")
def model() -> DynamicModel:
    links = [Link.from_com(2, (0.2, 0.01, 0), (0, 0, 0.03)), Link.from_com(1.5, (0.15, -0.02, 0), (0, 0, 0.02))]
    return DynamicModel(Robot.from_dh([DHRow(), DHRow(a=0.5)], "modified", (0.0, -9.81, 0.0), links=links), friction="viscous")


def states(count: int = N) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    t = np.arange(count) * 0.01
    w1, w2 = np.pi, 1.3 * np.pi
    q = np.column_stack([np.sin(w1 * t), 0.8 * np.cos(w2 * t)])
    dq = np.column_stack([w1 * np.cos(w1 * t), -0.8 * w2 * np.sin(w2 * t)])
    return q, dq, np.column_stack([-(w1**2) * np.sin(w1 * t), -0.8 * w2**2 * np.cos(w2 * t)])


def noise(rho: float, count: int, seed: int) -> np.ndarray:
    from scipy.signal import lfilter

    white = np.random.default_rng(seed).standard_normal((count + 300, 2))
    return np.asarray(lfilter([np.sqrt(1 - rho**2)], [1, -rho], white, axis=0)[300:] * [0.5, 0.1])


def samples(model: DynamicModel, rho: float, seed: int, count: int = N, name: str = "run") -> Samples:
    tau = model.inverse_dynamics(model.nominal_parameters(), *states(count)) + noise(rho, count, seed)
    return Samples.from_arrays(*states(count), tau, rate=100, name=name)


def test_whitening_leaves_the_sum_of_scores_as_it_is() -> None:
    """For any regressor, mask, division into blocks and into segments."""
    rng = np.random.default_rng(0)
    Y, e, use = rng.standard_normal((500, 2, 3)), noise(0.8, 500, 0), rng.random((500, 2)) < 0.9
    parts, weights = [slice(0, 130), slice(130, 500)], np.array([0.5, 2.0])
    expected = np.einsum("kjr,kj,j->r", Y * use[:, :, None], np.where(use, e, 7.0) * use, weights)

    def kept(size: int) -> ResidualStatistics:
        def blocks() -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
            return ((Y[i : i + size], np.where(use, e, np.nan)[i : i + size], use[i : i + size]) for i in range(0, 500, size))

        return ResidualStatistics.of([TrialResiduals(blocks, parts, 0.01, 2)], weights)

    whole, pieces = kept(500), kept(37)
    assert whole.orders.min() >= 1
    assert whole.scores.sum(axis=0) == pytest.approx(expected, rel=1e-10)
    assert pieces.scores == pytest.approx(whole.scores, rel=1e-9, abs=1e-9)
    assert whole.counts.tolist() == use.sum(axis=0).tolist()


def test_covariance_of_white_but_unequal_residuals_is_whites_sandwich(model: DynamicModel) -> None:
    """Noise that grows and shrinks: (WᵀW)⁻¹ Σ e² w wᵀ (WᵀW)⁻¹ of White 1980, written out, scaled for the power that the fit absorbs."""
    tau = model.inverse_dynamics(model.nominal_parameters(), *states())
    tau += noise(0.0, N, 3) * (1 + 0.9 * np.sin(0.3 * np.arange(N)))[:, None]
    fit = identify(model, Samples.from_arrays(*states(), tau, rate=100), method="ols")
    kept = fit.details.residuals
    assert kept is not None and not kept.orders.any()
    W = fit.base.regressor(*states())
    e = tau.ravel() - W @ fit.beta
    inverse = np.linalg.inv(W.T @ W)
    terms = (W * e[:, None]).reshape(N, 2, -1).sum(axis=1) @ inverse  # both joints of a sample together
    sandwich = terms.T @ terms
    scale = 1 + np.trace(W.T @ W @ sandwich) / (e @ e)
    assert fit.covariance("hac") == pytest.approx(scale * sandwich, rel=0.2, abs=0.1 * np.abs(sandwich).max())
    assert np.diag(fit.covariance("hac")) == pytest.approx(np.diag(sandwich), rel=0.2)


def test_mean_of_a_first_order_process() -> None:
    """One constant column: Var(mean) = σ² (1 + ρ) / ((1 − ρ) N), 19 times the white one for ρ = 0.9; the estimate falls short by its sampling error only."""
    robot = Robot.from_dh([DHRow()], "modified", (0.0, 0.0, 0.0), links=[Link("rod", 1.0, (0.0, 0.0, 0.0), (0, 0, 0, 0, 0, 0.1))])
    model = DynamicModel(robot, friction="offset")
    count = 100_000
    e = noise(0.9, count, 1)[:, :1]
    accelerations = np.where(np.arange(count)[:, None] % 2, 1.0, -1.0)
    fit = identify(model, Samples.from_arrays(0 * e, 0 * e, accelerations, 0.1 * accelerations + e, rate=100), method="ols")
    k = fit.base.names.index("fo1")
    assert fit.sigma[k] ** 2 == pytest.approx(0.25 / count, rel=0.05)
    for kind in ("hac", "bootstrap"):
        assert fit.covariance(kind)[k, k] == pytest.approx(19 * 0.25 / count, rel=0.15), kind
    assert fit.inflation[k] == pytest.approx(np.sqrt(19), rel=0.08)


def test_white_residuals(model: DynamicModel) -> None:
    """Kinds agree, degrees of freedom are rows − parameters, and the default is the classical interval."""
    fit = identify(model, samples(model, 0.0, 5), method="wls")
    assert fit.reliable_kind == "white"
    assert np.sqrt(np.diag(fit.covariance("hac"))) == pytest.approx(fit.sigma, rel=0.12)
    assert np.sqrt(np.diag(fit.covariance("bootstrap"))) == pytest.approx(fit.sigma, rel=0.15)
    assert fit.degrees_of_freedom == 2 * N - 8
    assert np.array_equal(fit.interval(), fit.interval(kind="white"))
    assert "warning" not in fit.summary()


def test_correlated_residuals_are_said_and_widen_the_default(model: DynamicModel) -> None:
    fit = identify(model, samples(model, 0.9, 5), method="wls")
    assert fit.reliable_kind == "hac"
    assert np.array_equal(fit.interval(), fit.interval(kind="hac"))
    with pytest.warns(
        OptidWarning, match=r"Residuals of .* are correlated in time: intervals for white ones are wrong, true ones are .* times as wide\. Use kind='hac'"
    ):
        plain = fit.interval(kind="white")
    assert ((plain[:, 1] - plain[:, 0]) < 0.5 * (fit.interval()[:, 1] - fit.interval()[:, 0])).all()
    assert "sigma is for white residuals; interval() is consistent" in fit.summary()


def test_rounding_of_an_exact_fit_is_not_noise(model: DynamicModel) -> None:
    """What a fit of noise-free torque leaves goes along with the motion, and means nothing."""
    exact = model.inverse_dynamics(model.nominal_parameters(), *states())
    fit = identify(model, Samples.from_arrays(*states(), exact, rate=100), method="ols")
    assert fit.errors().stacked < 1e-12 and (fit.details.residuals.whiteness < 1e-3).any()  # type: ignore[union-attr]
    assert fit.reliable_kind == "white" and "warning" not in fit.summary()


def test_bootstrap_over_cycles(model: DynamicModel) -> None:
    """Blocks of one period give the same spread as short blocks of whitened residuals, within their own scatter."""
    fit = identify(model, samples(model, 0.6, 7), method="wls")
    cycles = fit.bootstrap(2000, block=1.0, seed=1)
    assert cycles.shape == (2000, fit.base.rank)
    assert cycles.mean(axis=0) == pytest.approx(fit.beta, abs=0.1 * float(cycles.std(axis=0).max()))
    assert cycles.std(axis=0) == pytest.approx(np.sqrt(np.diag(fit.covariance("hac"))), rel=0.35)
    ends = fit.interval(kind="bootstrap")
    assert (ends[:, 0] < fit.beta).all() and (fit.beta < ends[:, 1]).all()


def test_filtered_torque_counts_its_independent_samples_only(model: DynamicModel) -> None:
    """White noise, torque low-passed at a tenth of Nyquist: the spread of 60 estimates is what sigma says, not a third of it."""
    from optid import Preprocessing

    q, _, _ = states()
    tau = model.inverse_dynamics(model.nominal_parameters(), *states())
    options = Preprocessing(cutoff=None, torque_cutoff=5.0, min_speed=0.0, clock="nominal")
    betas, sigmas = [], []
    for seed in range(60):
        trial = Trial(np.arange(N) * 0.01, q, tau=tau + noise(0.0, N, seed))
        fit = identify(model, trial, method="wls", preprocessing=options)
        betas.append(fit.beta)
        sigmas.append(fit.sigma)
    share = options.apply(trial).independent_share
    assert share == pytest.approx(0.09, rel=0.01)  # noise bandwidth of the filter passed twice
    assert fit.degrees_of_freedom == pytest.approx(share * fit.n_rows - fit.base.rank, abs=1)
    assert np.std(betas, axis=0) / np.mean(sigmas, axis=0) == pytest.approx(np.ones(8), abs=0.3)


def test_trials_and_batches_and_files_agree(model: DynamicModel, tmp_path: object) -> None:
    """Two trials: cells stay apart; the file gives the same covariances bit for bit."""
    both = identify(model, [samples(model, 0.7, 1, 1000, "a"), samples(model, 0.7, 2, 1500, "b")], method="wls")
    kept = both.details.residuals
    assert kept is not None and kept.trial.tolist() == [0] * 1000 + [1] * 1500 and kept.orders.shape == (2, 2)
    path = f"{tmp_path}/fit.h5"
    save_result(both, path)
    again: IdentificationResult = load_result(path)
    for kind in ("white", "hac", "bootstrap"):
        assert np.array_equal(both.covariance(kind), again.covariance(kind)), kind


def test_many_samples_fill_a_bounded_number_of_cells(model: DynamicModel) -> None:
    """20 000 samples: at most 4096 cells, and the same covariance within its scatter as from single samples."""
    fit = identify(model, samples(model, 0.5, 1, 20_000), method="ols")
    kept = fit.details.residuals
    assert kept is not None and len(kept.scores) <= 4096 and kept.cell_time == pytest.approx([0.05])
    k = fit.base.names.index("fv1")
    white = fit.covariance()[k, k]
    assert fit.covariance("hac")[k, k] == pytest.approx(white * fit.inflation[k] ** 2)
    merged = ResidualStatistics.merge([kept, kept])
    assert len(merged.scores) <= 4096 and merged.scores.sum(axis=0) == pytest.approx(2 * kept.scores.sum(axis=0), abs=1e-6)


def test_undetermined_parameters_stay_undetermined(model: DynamicModel) -> None:
    """Static poses tell no inertia: infinite variance in every kind."""
    rng = np.random.default_rng(0)
    state = (rng.standard_normal((200, 2)), np.zeros((200, 2)), np.zeros((200, 2)))
    tau = model.inverse_dynamics(model.nominal_parameters(), *state) + noise(0.0, 200, 0)
    fit = identify(model, Samples.from_arrays(*state, tau, rate=100), method="ols")
    open_ = np.isnan(fit.beta)
    assert open_.any()
    for kind in ("hac", "bootstrap"):
        assert np.isinf(np.diag(fit.covariance(kind))[open_]).all()
        assert np.isfinite(np.diag(fit.covariance(kind))[~open_]).all()
    assert np.isnan(fit.interval(kind="hac")[open_]).all()


def test_without_residuals(model: DynamicModel) -> None:
    fit = identify(model, samples(model, 0.9, 0), residuals=False)
    assert fit.reliable_kind == "white"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fit.interval()
    with pytest.raises(DataError, match="covariance of kind 'hac': no residuals kept with this fit"):
        fit.covariance("hac")
    with pytest.raises(UnknownNameError, match="kind of covariance 'hca'"):
        replace(fit).covariance("hca")


def test_batch_keeps_residuals_too(model: DynamicModel, tmp_path: object) -> None:
    from optid import Experiment, write_experiment

    paths = []
    for seed in range(2):
        tau = model.inverse_dynamics(model.nominal_parameters(), *states()) + noise(0.9, N, seed)
        paths.append(f"{tmp_path}/{seed}.h5")
        write_experiment(
            Experiment(title="x", trials=[Trial(np.arange(N) * 0.01, states()[0], tau=tau, joint_names=model.robot.joint_names, name=f"run {seed}")]), paths[-1]
        )
    found = identify_batch(paths, model).result
    assert found.details.residuals is not None and found.details.residuals.orders.shape == (2, 2)
    assert found.reliable_kind == "hac"
