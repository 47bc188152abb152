"""The simulated IRB140 experiment and what comes out of it, beside its source and its truth."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from optid.identification import identify
from optid.kinematics import forward_kinematics
from optid.regressor import BaseParameters
from optid.signals import PeriodicOptions, Preprocessing
from optid.simulation import Clock, simulate_recording
from optid.simulation.irb140 import CUTOFFS, inverted_u, irb140_excitation, irb140_experiment, irb140_model
from optid.simulation.irb140_story import fit_cycle, irb140_base, irb140_story, preprocessing
from optid.trajectory import Fourier, irb140_g21

# Table II of P. S. Gonzalez, elektron 5(2), 2021: what the simulated robot's base parameters are
TABLE_2 = {
    "Iyy1 + Iyy2 + Iyy3 + 0.14*mx1": 6.2672,
    "fc1": 0.45214,
    "Ixx2 - Iyy2": -2.1315,
    "Izz2": 1.9237,
    "Ixy2": 0.10048,
    "Ixz2 - 0.36*mz2 - 0.36*mz3": 0.34712,
    "Iyz2": 0.18018,
    "mx2": -8.1397,
    "my2": -0.40546,
    "fc2": 0.40672,
    "Ixx3 - Iyy3": -3.3542,
    "Izz3": 4.0412,
    "Ixy3": -0.62208,
    "Ixz3 - 0.38*mz3": -0.29632,
    "Iyz3": 0.17383,
    "mx3": -9.6518,
    "my3": -2.2081,
    "fc3": 0.28581,
}


@pytest.fixture(scope="module")
def base() -> BaseParameters:
    return irb140_base()


def test_truth_is_the_published_table(base: BaseParameters) -> None:
    truth = base.beta(base.model.nominal_parameters())
    assert dict(zip(base.formulas, truth, strict=True)) == pytest.approx(TABLE_2, abs=1e-12)


def test_cycle_runs_the_printed_trajectory_slower() -> None:
    """504 samples of 10 ms in place of 500 (G21): the printed path at t/1.008, seven times, from rest to rest."""
    motion, printed = irb140_excitation(), irb140_g21()
    t = np.linspace(0.0, 5.0, 11)
    for cycle in (0, 3, 6):
        assert motion.derivative(1.0 + 5.04 * cycle + 1.008 * t) == pytest.approx(printed.derivative(t), abs=1e-9)
    assert motion.duration == pytest.approx(2 * 1.0 + 7 * 5.04)
    assert np.abs(motion.derivative([0.0, motion.duration], 1)).max() < 1e-9


def test_inverted_u_goes_straight_and_stays_in_the_limits() -> None:
    """Up 0.35 m, across 0.5 m, down: on the legs the other two coordinates do not change."""
    robot = irb140_model().robot
    motion = inverted_u(robot, cycles=1)
    leg = 1.6 * 1.008
    at = forward_kinematics(robot, motion.derivative(leg * np.array([0, 1, 2, 3, 4, 5, 6.0])))[:, :3, 3]
    low_right, high_right, high_left, low_left = (0.55, -0.25, 0.35), (0.55, -0.25, 0.7), (0.55, 0.25, 0.7), (0.55, 0.25, 0.35)
    assert at == pytest.approx(np.array([low_right, high_right, high_left, low_left, high_left, high_right, low_right]), abs=1e-9)
    up = forward_kinematics(robot, motion.derivative(np.linspace(0, leg, 50)))[:, :3, 3]
    assert np.ptp(up[:, :2], axis=0) == pytest.approx([0, 0], abs=1e-6)
    motion.check_or_raise(robot.limits)


def test_same_seed_same_bits() -> None:
    first, second, other = irb140_experiment(3), irb140_experiment(3), irb140_experiment(4)
    assert first == second
    assert not np.array_equal(first["excitation"].tau, other["excitation"].tau)


def test_sampling_is_that_of_the_source() -> None:
    steps = 1e3 * np.diff(irb140_experiment(0)["excitation"].time)
    assert steps.mean() == pytest.approx(51.5, abs=0.1) and steps.std() == pytest.approx(0.5, abs=0.05)
    assert steps.min() >= 49.5 and steps.max() <= 53.5


def test_period_is_found_and_weights_come_from_the_cycles(base: BaseParameters) -> None:
    """Seven cycles, five averaged, 504 samples of 10 ms (nominally 500); noise near the 0.5, 0.5, 0.25 N m put in (interpolation smooths a little)."""
    samples = preprocessing(2.4, 4.8).apply(irb140_experiment(0)["excitation"])
    assert len(samples.time) == 504 and samples.harmonics == 24
    assert any("5 of 7 cycles" in note for note in samples.notes)
    assert samples.noise_floor == pytest.approx([0.48, 0.48, 0.24], rel=0.05)
    fit = fit_cycle(base, samples, preprocessing(2.4, 4.8))
    assert fit.n_rows == 3 * (2 * 24 + 1)


@pytest.mark.parametrize("cutoffs", [*CUTOFFS, (1.2, 0.8)])
def test_torque_and_regressor_limited_alike_lose_nothing(base: BaseParameters, cutoffs: tuple[float, float]) -> None:
    """Without noise the truth comes back to 1e-9 for every cut-off that keeps the four harmonics of the motion, also one that takes most of the torque away."""
    model = base.model
    printed = irb140_g21()
    motion = Fourier(printed.q0, printed.a, printed.b, printed.period, cycles=4)
    trial = simulate_recording(model, model.nominal_parameters(), motion, clock=Clock(0.01), period=5.0)
    options = Preprocessing(periodic=PeriodicOptions(search=0, position_cutoff=cutoffs[0], torque_cutoff=cutoffs[1]), min_speed=0)
    fit = identify(base, trial, preprocessing=options, method="ols")
    truth = base.beta(model.nominal_parameters())
    assert fit.beta == pytest.approx(truth, abs=1e-7)
    assert fit.n_rows == 3 * (2 * int(5 * cutoffs[1]) + 1)


def test_without_a_common_limit_a_low_cutoff_would_bias(base: BaseParameters) -> None:
    """The same data with its slow samples left out cannot be limited alike: the cut torque no longer fits the uncut regressor."""
    model = base.model
    printed = irb140_g21()
    motion = Fourier(printed.q0, printed.a, printed.b, printed.period, cycles=4)
    trial = simulate_recording(model, model.nominal_parameters(), motion, clock=Clock(0.01), period=5.0)
    options = Preprocessing(periodic=PeriodicOptions(search=0, position_cutoff=1.2, torque_cutoff=2.4), min_speed=0.03)
    fit = identify(base, trial, preprocessing=options, method="ols")
    assert np.abs(fit.beta - base.beta(model.nominal_parameters())).max() > 1e-2


def coverage(base: BaseParameters, seeds: int) -> np.ndarray:
    """Share of true values inside their 95 % intervals, for both pairs of cut-offs (2,)."""
    model = base.model
    truth = base.beta(model.nominal_parameters())
    inside = np.zeros((seeds, len(CUTOFFS), base.rank), dtype=bool)
    for seed in range(seeds):
        trial = irb140_experiment(seed)["excitation"]
        for k, cutoffs in enumerate(CUTOFFS):
            options = preprocessing(*cutoffs)
            ends = fit_cycle(base, options.apply(trial), options).interval()
            inside[seed, k] = (ends[:, 0] <= truth) & (truth <= ends[:, 1])
    return inside.mean(axis=(0, 2))


def test_intervals_cover_the_truth(base: BaseParameters) -> None:
    """Ten seeds, 180 intervals: 95 % within four binomial standard deviations (1.6 % each, if they were independent)."""
    assert coverage(base, 10) == pytest.approx([0.95, 0.95], abs=0.065)


@pytest.mark.slow
def test_intervals_cover_the_truth_over_100_seeds(base: BaseParameters, record_property: Callable[[str, object], None]) -> None:
    """1800 intervals for each pair of cut-offs: 95 % within four binomial standard deviations (0.51 % each)."""
    found = coverage(base, 100)
    for (position, torque), share in zip(CUTOFFS, found, strict=True):
        record_property(f"coverage at {position:g} / {torque:g} Hz", f"{share:.4f}")
    assert found == pytest.approx([0.95, 0.95], abs=0.021)


def test_story_predicts_the_other_motion() -> None:
    """The prediction of the inverted U errs by less than the noise of one measurement, with the true motion by hundredths of N m."""
    story = irb140_story(0)
    assert story.period == pytest.approx(5.04, abs=0.002)
    first, second = story.chapters
    for chapter in story.chapters:
        assert chapter.inside.sum() >= 14
        assert chapter.true_error < 0.05
    assert [j.rms < 1.0 * j.noise_floor for j in first.validation.joints if j.noise_floor is not None] == [True, True, True]
    assert first.validation.errors.stacked < 0.012 < 0.03 < second.validation.errors.stacked
    assert first.training.errors.stacked < 0.004
