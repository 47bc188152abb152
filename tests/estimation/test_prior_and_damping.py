"""Least squares pulled towards a prior, and how strongly."""

from __future__ import annotations

import numpy as np
import pytest

from optid import BaseParameters, DHRow, DynamicModel, Link, Robot, identify
from optid.errors import DataError, UnknownNameError
from optid.problems import Prior
from optid.signals import Samples
from optid.statistics.damping import DampingPath, by_allowance, by_gcv, by_held_out, by_l_curve


def one_sample() -> tuple[BaseParameters, Samples]:
    """C56: A = [[1, 1]], b = [2]: a wheel at speed 1 shows the sum of viscous and Coulomb friction."""
    model = DynamicModel(Robot.from_dh([DHRow()], "standard", (0, 0, 0)), friction="viscous+coulomb")
    base = BaseParameters.of(model, known=["Izz1"])
    assert base.names == ("fv1", "fc1")
    return base, Samples.from_arrays([[0.3]], [[1.0]], [[0.0]], [[2.0]])


@pytest.mark.parametrize(
    "prior, damping, expected",
    [
        ((0.0, 0.0), 1e-5, (1.0, 1.0)),
        ((3.0, 0.0), 1e-5, (2.5, -0.5)),
        ((3.0, 0.0), 1.0, (8 / 3, -1 / 3)),
        ((3.0, 0.0), 1e5, (3.0, 0.0)),
    ],
)
def test_textbook_numbers(prior: tuple[float, float], damping: float, expected: tuple[float, float]) -> None:
    """C56: λ → 0 towards zero (1, 1), towards (3, 0) (2.5, −0.5), λ = 1 (8/3, −1/3), λ → ∞ the prior."""
    base, samples = one_sample()
    fit = identify(
        base, samples, method="damped", damping=damping, scale="unit", weighting="none", prior={"fv1": prior[0], "fc1": prior[1]}, known={"Izz1": 0.0}
    )
    assert fit.beta == pytest.approx(expected, abs=1e-7)


def test_more_damping_moves_monotonically_to_the_prior() -> None:
    """C56, last sentence."""
    base, samples = one_sample()
    options = {"method": "damped", "scale": "unit", "weighting": "none", "prior": {"fv1": 3.0, "fc1": 0.0}}
    distance = [np.linalg.norm(identify(base, samples, damping=x, **options).beta - [3, 0]) for x in np.logspace(-3, 3, 13)]
    assert (np.diff(distance) < 0).all()


def arm(n: int = 3) -> DynamicModel:
    rng = np.random.default_rng(3)
    rows = [DHRow(a=0.4, alpha=np.pi / 2 * (i % 2)) for i in range(n)]
    links = [Link.from_com(3 - i, rng.uniform(-0.2, 0.2, 3), np.diag(rng.uniform(0.05, 0.08, 3)), f"link{i + 1}") for i in range(n)]
    return DynamicModel(Robot.from_dh(rows, "standard", links=links).with_friction(2.0, 1.0), friction="viscous+coulomb")


def noisy(model: DynamicModel, count: int = 200, noise: float = 0.5, seed: int = 0, reach: float = 1.0) -> Samples:
    rng = np.random.default_rng(seed)
    q, dq, ddq = (reach * rng.standard_normal((count, model.n)) for _ in range(3))
    tau = model.inverse_dynamics(model.nominal_parameters(), q, dq, ddq)
    return Samples.from_arrays(q, dq, ddq, tau + noise * rng.standard_normal(tau.shape), rate=100, name=f"seed {seed}")


def test_sigmas_of_standard_parameters_are_kept_exactly() -> None:
    """The base-parameter form gives what the maximum of the posterior over all standard parameters gives (solved directly, p unknowns)."""
    model = arm()
    base = BaseParameters.of(model)
    samples = noisy(model, 30)
    prior = Prior.of(model, {"m3": (0.8, 0.1), "mx2": (0.1, 0.05)}, relative=0.3)
    prior = Prior(model, prior.values, np.where(np.isinf(prior.sigmas), 0.1, prior.sigmas))
    fit = identify(base, samples, method="damped", prior=prior, weighting="none")
    W = model.regressor(samples.q, samples.dq, samples.ddq)
    stack = np.vstack([W, np.diag(1 / prior.sigmas)])
    direct = np.linalg.lstsq(stack, np.concatenate([samples.tau.ravel(), prior.values / prior.sigmas]), rcond=None)[0]
    assert fit.details.damping == 1.0
    assert fit.beta == pytest.approx(base.beta(direct), rel=1e-7, abs=1e-9)
    covariance = np.linalg.inv(stack.T @ stack)
    assert fit.covariance() / fit.noise_variance == pytest.approx(base.matrix @ covariance @ base.matrix.T, rel=1e-5, abs=1e-9)


def test_parameters_without_belief_are_left_alone() -> None:
    """An infinite sigma gives no pull: with only friction believed, inertia comes out as from the friction known up to its sigma."""
    model = arm()
    base = BaseParameters.of(model)
    samples = noisy(model)
    sigmas = np.full(model.p, np.inf)
    for j in (1, 2, 3):
        sigmas[model.index(f"fv{j}")] = 1e-9
    fit = identify(base, samples, method="damped", prior=Prior(model, model.nominal_parameters(), sigmas), weighting="none")
    known = identify(BaseParameters.of(model, known=["fv1", "fv2", "fv3"]), samples, method="ols", known={f"fv{j}": 2.0 for j in (1, 2, 3)})
    for name in known.base.names:
        assert fit.value(name) == pytest.approx(known.value(name), rel=1e-5)
    assert fit.value("fv2") == pytest.approx(2.0, abs=1e-6)


def path(seed: int = 0, rows: int = 40, size: int = 8, prior: float = 0.8) -> DampingPath:
    rng = np.random.default_rng(seed)
    A = rng.standard_normal((rows, size)) * np.logspace(0, -2, size)
    b = A @ np.ones(size) + 0.3 * rng.standard_normal(rows)
    return DampingPath(A, b, np.eye(size), np.full(size, prior), rows)


def test_path_is_the_damped_solution() -> None:
    """Closed form (AᵀA + λ²)⁻¹(Aᵀb + λ² x₀), its residual and the trace of its hat matrix."""
    p = path()
    for damping in (0.01, 0.5, 10.0):
        H = p.A.T @ p.A + damping**2 * np.eye(8)
        x = np.linalg.solve(H, p.A.T @ p.b + damping**2 * p.d)
        point = p.at(damping)
        assert point.x == pytest.approx(x, rel=1e-7)
        assert point.residual**2 == pytest.approx(np.sum((p.A @ x - p.b) ** 2), rel=1e-7)
        assert point.n_effective == pytest.approx(np.trace(p.A @ np.linalg.solve(H, p.A.T)), rel=1e-7)


def test_gcv_is_the_least_leave_one_out_like_score() -> None:
    """Minimum of N‖(I − H)b‖²/tr(I − H)² found by brute force on dense matrices."""
    p = path()
    grid = np.geomspace(1e-3, 1e2, 4000)

    def score(damping: float) -> float:
        inverse = np.linalg.inv(p.A.T @ p.A + damping**2 * np.eye(8))
        hat = p.A @ inverse @ p.A.T
        x = inverse @ (p.A.T @ p.b + damping**2 * p.d)
        return float(np.sum((p.A @ x - p.b) ** 2) / np.trace(np.eye(40) - hat) ** 2)

    best = grid[np.argmin([score(x) for x in grid])]
    assert score(by_gcv(p)) == pytest.approx(score(best), rel=1e-4)


def test_allowance_is_used_up() -> None:
    p = path()
    alone = np.linalg.norm(p.A @ np.linalg.lstsq(p.A, p.b, rcond=None)[0] - p.b)
    assert p.at(by_allowance(p, 1.1)).residual == pytest.approx(1.1 * alone, rel=1e-6)


def test_l_curve_finds_the_corner() -> None:
    """Slope −1 of log distance over log residual."""
    p = path(1, 60, 12, -1.0)
    damping = by_l_curve(p)
    before, after = p.at(damping * 0.999), p.at(damping * 1.001)
    slope = np.log(after.distance / before.distance) / np.log(after.residual / before.residual)
    assert slope == pytest.approx(-1, abs=0.01)


def test_held_out_equations_choose_the_best_predictor() -> None:
    train, test = path(0), path(5)
    damping = by_held_out([train], [(test.A, test.b)])

    def error(x: float) -> float:
        return float(np.sum((test.A @ train.at(x).x - test.b) ** 2))

    assert error(damping) <= min(error(float(x)) for x in np.geomspace(1e-3, 1e3, 200)) * (1 + 1e-6)


@pytest.mark.parametrize("damping", ["allowance", "gcv", "l-curve", "trials"])
def test_a_good_prior_helps_where_motion_is_poor(damping: str) -> None:
    """Small motions, much noise: each choice brings the base parameters nearer to the truth than least squares does."""
    model = arm()
    base = BaseParameters.of(model)
    truth = base.beta(model.nominal_parameters())
    trials = [noisy(model, 80, 2.0, seed, 0.3) for seed in (1, 2, 3)]
    plain = identify(base, trials)
    fit = identify(base, trials, method="damped", damping=damping, prior=model.nominal_parameters() * 1.1)
    assert np.linalg.norm(fit.beta - truth) < 0.7 * np.linalg.norm(plain.beta - truth)
    assert any("λ = " in note for note in fit.notes)


def test_noise_free_data_are_not_pulled() -> None:
    """1e-8: the allowance of nothing is nothing."""
    model = arm()
    base = BaseParameters.of(model)
    fit = identify(base, noisy(model, noise=0.0), method="damped", prior=model.nominal_parameters() * 1.5)
    assert fit.beta == pytest.approx(base.beta(model.nominal_parameters()), rel=1e-6)


def test_what_the_prior_alone_holds_is_named() -> None:
    model = arm()
    q = np.zeros((40, 3))
    speed = np.random.default_rng(0).standard_normal((40, 3)) * [1, 0, 0]
    tau = model.inverse_dynamics(model.nominal_parameters(), q, speed, q) + 0.01 * np.random.default_rng(1).standard_normal((40, 3))
    fit = identify(model, Samples.from_arrays(q, speed, q, tau), method="damped", damping=1.0)
    note = next(text for text in fit.notes if "come mostly from it" in text)
    assert "fc3" in note and "fv1" not in note
    assert np.isfinite(fit.beta).all()


def test_errors_name_what_is_wrong() -> None:
    model = arm()
    samples = noisy(model)
    with pytest.raises(UnknownNameError, match=r"way to choose the damping 'gvc'.*Did you mean 'gcv'"):
        identify(model, samples, method="damped", damping="gvc")
    with pytest.raises(UnknownNameError, match=r"option of method 'damped' 'lambda'"):
        identify(model, samples, method="damped", **{"lambda": 1.0})
    with pytest.raises(UnknownNameError, match=r"method 'dampd'.*Did you mean 'damped'"):
        identify(model, samples, method="dampd")
    with pytest.raises(DataError, match=r"damping 'trials': 1 trial, expected at least two"):
        identify(model, samples, method="damped", damping="trials")
    with pytest.raises(DataError, match=r"damping: -1, expected a finite number >= 0"):
        identify(model, samples, method="damped", damping=-1)
    with pytest.raises(UnknownNameError, match=r"parameter 'm9'"):
        identify(model, samples, method="damped", prior={"m9": 1.0})
    with pytest.raises(DataError, match=r"sigma of the prior of m1: 0.*Fix a parameter with known="):
        identify(model, samples, method="damped", prior={"m1": (1.0, 0.0)})
    empty = DynamicModel(Robot.from_dh([DHRow(a=0.4)], "standard"), friction="none")
    with pytest.raises(DataError, match=r"no body, friction or rotor"):
        identify(empty, noisy(empty), method="damped")
