"""The periodic route of G21: cycles as realisations."""

import numpy as np
import pytest

from optid.errors import DataError
from optid.experiment.trial import Trial
from optid.signals import PeriodicOptions, Preprocessing, average_cycles, pooled_variance

PERIOD, OMEGA = 5.04, 2 * np.pi / 5.04
pytestmark = pytest.mark.filterwarnings("ignore:Time stamps spread")


def position(time):
    return np.stack([0.5 * np.sin(OMEGA * time) + 0.2 * np.cos(4 * OMEGA * time), 1.0 + 0.4 * np.cos(2 * OMEGA * time + 0.5)], axis=1)


def velocity(time):
    return np.stack([0.5 * OMEGA * np.cos(OMEGA * time) - 0.8 * OMEGA * np.sin(4 * OMEGA * time), -0.8 * OMEGA * np.sin(2 * OMEGA * time + 0.5)], axis=1)


def acceleration(time):
    return np.stack(
        [-0.5 * OMEGA**2 * np.sin(OMEGA * time) - 3.2 * OMEGA**2 * np.cos(4 * OMEGA * time), -1.6 * OMEGA**2 * np.cos(2 * OMEGA * time + 0.5)], axis=1
    )


def torque(time):
    return acceleration(time) * [3.0, 1.0] + 2.0 * velocity(time)


def recording(cycles=7, noise=0.0, seed=0, rate=None):
    """Seven cycles at 51.5 ± 0.5 ms, of which the first starts from rest elsewhere; nominal period 5 s."""
    rng = np.random.default_rng(seed)
    steps = rng.normal(0.0515, 0.0005, int(cycles * PERIOD / 0.0515)) if rate is None else np.full(int(cycles * PERIOD * rate), 1 / rate)
    time = 1000 + np.cumsum(steps) - steps[0]
    after = time - 1000
    start_up = np.exp(-4 * after[:, None])
    q = position(after) * (1 - start_up)
    tau = torque(after) * (1 - start_up) + noise * rng.normal(size=(len(time), 2)) * [1.0, 0.5]
    return Trial(time=time, q=q, tau=tau, period=5.0, name="seven cycles")


def test_g21_period_mean_cycle_and_derivatives():
    trial = recording()
    average = average_cycles(trial, PeriodicOptions(position_cutoff=2.4, torque_cutoff=4.8), Preprocessing(rate=100.0))
    assert average.period * 100 == pytest.approx(504, abs=0.02)
    assert average.n_cycles == 5
    assert average.q.shape == (504, 2)
    after = average.time + average.period  # the first cycle was dropped
    for found, true in ((average.q, position), (average.dq, velocity), (average.ddq, acceleration), (average.tau, torque)):
        assert np.abs(found - true(after)).max() < 2e-3 * np.ptp(true(after))


def test_dropped_cycles_are_counted_and_keep_the_start_up_out():
    trial = recording()
    average = average_cycles(trial, PeriodicOptions(), Preprocessing(rate=100.0))
    counts = average.samples().counts
    assert counts["averaged"] == 5 * 504
    assert counts["averaged"] + counts["in dropped cycles"] == counts["on the grid"]
    assert average.q_variance.max() < 1e-6
    with pytest.raises(DataError, match="from its end to its start, expected whole periods"):  # with the start-up in it the mean cycle does not close
        average_cycles(trial, PeriodicOptions(drop_first=0, drop_last=0), Preprocessing(rate=100.0))


def test_variance_over_cycles_is_pooled_with_the_right_divisor():
    rng = np.random.default_rng(1)
    repeated = np.mean([pooled_variance(rng.normal(scale=[1.0, 3.0], size=(3, 50, 2))) for _ in range(400)], axis=0)
    assert repeated == pytest.approx([1.0, 9.0], rel=0.03)  # unbiased; the divisor N_s N_c - 1 would give 2/3 of it
    cycles = rng.normal(size=(4, 10, 1))
    assert pooled_variance(cycles) == pytest.approx(cycles.var(axis=0, ddof=1).mean(axis=0))
    with pytest.raises(DataError, match="two cycles or more"):
        pooled_variance(cycles[:1])


def test_noise_floor_and_band_are_those_of_the_noise():
    trial = recording(cycles=30, noise=0.1, rate=100.0)
    samples = Preprocessing(periodic=PeriodicOptions(position_cutoff=2.4)).apply(trial)
    assert samples.noise_floor == pytest.approx([0.1, 0.05], rel=0.03)
    outside = np.abs(trial.tau[504:1008] - samples.tau_raw) > samples.tau_band
    assert outside.mean() == pytest.approx(0.05, abs=0.02)


def test_samples_carry_what_identification_needs():
    average = average_cycles(recording(noise=0.05), PeriodicOptions(position_cutoff=2.4, torque_cutoff=4.8), Preprocessing(rate=100.0))
    samples = average.samples()
    assert samples.rate == pytest.approx(100, rel=1e-3)
    assert samples.independent_share == pytest.approx(49 / 504)  # mean and 24 harmonics below 4.8 Hz
    assert np.array_equal(samples.tau_raw, average.tau_cycles.mean(axis=0))
    assert samples.tau.std() < samples.tau_raw.std()
    assert 0 < (~samples.use).sum() < 60
    assert samples.counts["slow"] == (~samples.use).sum()
    assert average.samples(min_speed=0).use.all()


def test_default_cutoffs_keep_the_motion_and_drop_the_noise():
    average = average_cycles(recording(noise=0.2, seed=3), PeriodicOptions(), Preprocessing(rate=100.0))
    assert 4 / PERIOD <= average.position_cutoff <= 20
    assert np.abs(average.ddq - acceleration(average.time + average.period)).max() < 0.02 * np.ptp(average.ddq)


def test_exact_period_is_not_searched_when_told():
    average = average_cycles(recording(rate=100.0), PeriodicOptions(period=5.04, search=0), Preprocessing())
    assert average.period == 5.04


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (PeriodicOptions(drop_first=4, drop_last=2), "cycles of trial 'seven cycles': .* expected two or more left"),
        (PeriodicOptions(period=4.0), "period of the motion within 10% of 4 s"),
    ],
)
def test_cycles_that_cannot_be_had(options, message):
    with pytest.raises(DataError, match=message):
        average_cycles(recording(), options, Preprocessing(rate=100.0))


def test_a_period_must_be_known():
    trial = Trial(time=np.arange(100) / 10, q=np.zeros((100, 1)), tau=np.zeros((100, 1)))
    with pytest.raises(DataError, match="no nominal period"):
        Preprocessing(periodic=PeriodicOptions()).apply(trial)
    with pytest.raises(DataError, match="drop_first"):
        PeriodicOptions(drop_first=-1)
    with pytest.raises(DataError, match="position_cutoff"):
        PeriodicOptions(position_cutoff=0.0)
