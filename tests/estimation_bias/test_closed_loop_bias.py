"""Encoder noise in a closed loop: it enters the regressor through two derivatives and the torque through the controller."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

from optid import IdentificationResult, Preprocessing, Trial, identify
from optid.errors import RankError, ShapeError
from optid.kernels import JointFactors
from optid.problems.closed_loop import ClosedLoop, CommandedMotion
from optid.problems.instrumental import InstrumentalVariables
from optid.signals import Samples
from optid.simulation import Plant
from optid.simulation.irb140_story import irb140_base
from optid.solvers import solve
from optid.trajectory import irb140_g21

KP, KV = np.array([4000.0, 4000.0, 2000.0]), np.array([160.0, 160.0, 80.0])
ENCODER = 2 * np.pi / 65536 / np.sqrt(12)
"""Standard deviation of the rounding of 65536 counts a turn [rad]."""
COUNT, PERIOD = 10_000, 1e-3
OPTIONS = Preprocessing(cutoff=30, min_speed=0.0, clock="nominal", decimate=10)
MOTION = irb140_g21()
BASE = irb140_base()
TRUTH = BASE.beta(BASE.model.nominal_parameters())


@cache
def recording(noise: float, seed: int = 0) -> Trial:
    """Two cycles of 5 s under a sampled controller that reads noisy positions and their differences; the torque is the mean over the sample about its stamp."""
    rng = np.random.default_rng(seed)
    plant = Plant(BASE.model, step=PERIOD)
    time = np.arange(COUNT) * PERIOD
    wanted, speed = (MOTION.derivative(time, order) for order in range(2))
    state = plant.state(wanted[0], speed[0])
    q, u = np.zeros((COUNT, 3)), np.zeros((COUNT, 3))
    for k in range(COUNT):
        q[k] = state.q + noise * rng.standard_normal(3)
        seen = (q[k] - q[k - 1]) / PERIOD if k else state.dq
        u[k] = KP * (wanted[k] - q[k]) + KV * (speed[k] - seen)
        state = plant.advance(state, u[k], PERIOD)
    tau = u.copy()
    tau[1:] = (u[1:] + u[:-1]) / 2
    return Trial(time, q, tau=tau + rng.standard_normal((COUNT, 3)) * [0.5, 0.5, 0.25], joint_names=BASE.model.robot.joint_names, name="run")


def law(q: Any, dq: Any, r: Any) -> Any:
    return KP * (r[:3] - q) + KV * (r[3:] - dq)


LOOP = ClosedLoop(law, lambda time: np.hstack([MOTION.derivative(time, 0), MOTION.derivative(time, 1)]))


def deviations(fit: IdentificationResult) -> np.ndarray:
    """Estimate minus truth, in the standard deviations of its own interval."""
    return np.asarray((fit.beta - TRUTH) / np.sqrt(np.diag(fit.covariance(fit.reliable_kind))))


@pytest.mark.parametrize("seed", [0, 1])
def test_least_squares_is_biased_beyond_its_interval_and_instruments_are_not(seed: int) -> None:
    """10 × encoder noise, 18 parameters: least squares is off by 3.5 standard deviations rms, 7 and more at worst; instruments stay below 1 and 2.5."""
    ls = deviations(identify(BASE, recording(10 * ENCODER, seed), preprocessing=OPTIONS))
    iv = deviations(identify(BASE, recording(10 * ENCODER, seed), method="iv", loop=LOOP, preprocessing=OPTIONS))
    assert np.sqrt(np.mean(ls**2)) > 3 and np.abs(ls).max() > 6
    assert np.sqrt(np.mean(iv**2)) < 1.3 and np.abs(iv).max() < 2.5


def test_wanted_motion_as_instruments() -> None:
    """No controller needed: the commanded trajectory serves as well."""
    iv = deviations(identify(BASE, recording(10 * ENCODER), method="iv", loop=CommandedMotion(MOTION), preprocessing=OPTIONS))
    assert np.sqrt(np.mean(iv**2)) < 1.3 and np.abs(iv).max() < 2.5


def test_many_blocks_give_the_estimate_written_out() -> None:
    """Undecimated, ten blocks: (ZᵀW)⁻¹ Zᵀτ formed at once; least squares lies 0.26 away. The scores of the fit add up to zero."""
    options = Preprocessing(cutoff=30, min_speed=0.0, clock="nominal")
    trial = recording(10 * ENCODER)
    samples = options.apply(trial)
    fit = identify(BASE, trial, method="iv", loop=CommandedMotion(MOTION), preprocessing=options, weighting="none")
    Z = BASE.regressor(*(MOTION.derivative(samples.time, order) for order in range(3)))
    W = BASE.regressor(samples.q, samples.dq, samples.ddq)
    t = (samples.tau - BASE.model.inverse_dynamics(BASE.known_parameters(), samples.q, samples.dq, samples.ddq)).ravel()
    expected = np.linalg.solve(Z.T @ W, Z.T @ t)
    assert fit.beta == pytest.approx(expected, abs=1e-9)
    assert np.abs(np.linalg.lstsq(W, t, rcond=None)[0] - expected).max() > 0.1
    kept = fit.details.residuals
    assert kept is not None and np.abs(kept.scores.sum(axis=0)).max() < 1e-8 * np.abs(kept.scores).max()


def test_at_the_encoders_own_noise_all_agree() -> None:
    for method, options in (("wls", {}), ("iv", {"loop": LOOP})):
        z = deviations(identify(BASE, recording(ENCODER), method=method, preprocessing=OPTIONS, **options))
        assert np.sqrt(np.mean(z**2)) < 1.6, method


def test_unstable_start_falls_back_on_the_prior() -> None:
    """30 × encoder noise, 100 Hz: the loop of least squares runs away; instruments begin at the robot's own parameters then."""
    wide = Preprocessing(cutoff=100, min_speed=0.0, clock="nominal", decimate=10)
    fit = identify(BASE, recording(30 * ENCODER), method="iv", loop=LOOP, preprocessing=wide)
    assert any("unstable; the first simulation used the prior" in note for note in fit.notes)
    z = deviations(fit)
    assert np.sqrt(np.mean(z**2)) < 1.5


def test_known_parameters_are_the_robots_own_unless_said() -> None:
    """As for torques: masses, rotors and viscous friction that were not estimated belong to the robot that is simulated."""
    time = np.arange(200) * PERIOD
    wanted = Samples.from_arrays(*(MOTION.derivative(time, order) for order in range(3)), np.zeros((200, 3)), rate=1 / PERIOD)
    plain, told = LOOP.motion(BASE, TRUTH, wanted), LOOP.motion(BASE, TRUTH, wanted, BASE.known_parameters())
    assert BASE.known and np.array_equal(plain.q, told.q) and np.array_equal(plain.tau, told.tau)
    assert np.abs(plain.q - wanted.q).max() < 0.05


# -- the problem itself -----------------------------------------------------------------------------------------------------------------------------------


def errors_in_variables(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Clean columns, noisy columns, targets (per joint) and their weights for the three joints of the arm."""
    rng = np.random.default_rng(seed)
    clean = rng.standard_normal((600, 3, BASE.rank))
    weights = np.array([1.0, 4.0, 0.25])
    tau = clean @ TRUTH + rng.standard_normal((600, 3)) / np.sqrt(weights)
    return clean, clean + 0.5 * rng.standard_normal(clean.shape), tau, weights


def test_the_estimate_and_its_covariance_in_closed_form() -> None:
    """(ZᵀwW)⁻¹ Zᵀwτ and σ² (ZᵀwW)⁻¹ ZᵀwZ (WᵀwZ)⁻¹, formed directly."""
    Z, W, tau, weights = errors_in_variables(0)
    factors = JointFactors.empty(3, 2 * BASE.rank, 2).update(np.concatenate([Z, W], axis=2), np.stack([tau, tau], axis=2))
    fit = solve(InstrumentalVariables(BASE, factors, weights))
    root = np.tile(np.sqrt(weights), 600)[:, None]
    z, w, t = Z.reshape(-1, BASE.rank) * root, W.reshape(-1, BASE.rank) * root, tau.ravel() * root[:, 0]
    expected = np.linalg.solve(z.T @ w, z.T @ t)
    assert fit.beta == pytest.approx(expected, rel=1e-9)
    variance = np.sum((t - w @ expected) ** 2) / (1800 - BASE.rank)
    inverse = np.linalg.inv(z.T @ w)
    assert fit.covariance() == pytest.approx(variance * inverse @ z.T @ z @ inverse.T, rel=1e-8)
    assert fit.noise_variance == pytest.approx(variance)
    biased = np.linalg.lstsq(w, t, rcond=None)[0]
    assert np.linalg.norm(biased - TRUTH) > 2 * np.linalg.norm(fit.beta - TRUTH)


def test_the_instruments_may_be_the_regressor() -> None:
    """Then it is least squares."""
    _, W, tau, weights = errors_in_variables(1)
    factors = JointFactors.empty(3, 2 * BASE.rank, 2).update(np.concatenate([W, W], axis=2), np.stack([tau, tau], axis=2))
    fit = solve(InstrumentalVariables(BASE, factors, weights))
    root = np.tile(np.sqrt(weights), 600)
    assert fit.beta == pytest.approx(np.linalg.lstsq(W.reshape(-1, BASE.rank) * root[:, None], tau.ravel() * root, rcond=None)[0], rel=1e-9)


def test_weak_instruments_leave_parameters_undetermined() -> None:
    Z, W, tau, _ = errors_in_variables(2)
    Z[:, :, 3] = 0.0
    factors = JointFactors.empty(3, 2 * BASE.rank, 2).update(np.concatenate([Z, W], axis=2), np.stack([tau, tau], axis=2))
    fit = solve(InstrumentalVariables(BASE, factors))
    assert fit.determinacy.rank == BASE.rank - 1 and np.isnan(fit.beta).any()


def test_wrong_sizes() -> None:
    with pytest.raises(ShapeError, match="factors of instruments and regressor: 3 joints, 18 columns, expected 3 joints, 36 columns"):
        InstrumentalVariables(BASE, JointFactors.empty(3, BASE.rank, 2))
    with pytest.raises(RankError, match="instrumental variables: 0 rows, expected at least 18"):
        InstrumentalVariables(BASE, JointFactors.empty(3, 2 * BASE.rank, 2))


@pytest.mark.parametrize("method", ["iv", "didim"])
def test_a_file_keeps_equations_and_residuals(method: str, tmp_path: Any) -> None:
    """Saved and loaded, every kind of covariance is the same bit for bit: it belongs to the method's own equations, not to the data's triangles."""
    from optid.identification.result_file import load_result, save_result

    fit = identify(BASE, recording(ENCODER), method=method, loop=LOOP, preprocessing=OPTIONS)
    save_result(fit, tmp_path / "fit.h5")
    again = load_result(tmp_path / "fit.h5")
    for kind in ("white", "hac", "bootstrap"):
        assert np.array_equal(fit.covariance(kind), again.covariance(kind)), kind
    assert again.method == method and again.degrees_of_freedom == fit.degrees_of_freedom
