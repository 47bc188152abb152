"""The pipeline from a trial to samples: cases C35, C65, C72, C73, C74, C76."""

import warnings
from dataclasses import replace

import numpy as np
import pytest

from optid.errors import DataError, DataWarning
from optid.experiment.trial import Trial
from optid.signals import Nyquist, Preprocessing, lowpass

UNTOUCHED = Preprocessing(cutoff=None, torque_cutoff=None, use_measured_velocity=True, use_measured_acceleration=True, min_speed=0)


def motion(time):
    """Positions, velocities, accelerations and torques of two joints."""
    w = 2 * np.pi * np.array([0.4, 0.9])
    angle = np.outer(time, w)
    q, dq, ddq = np.sin(angle), w * np.cos(angle), -(w**2) * np.sin(angle)
    return q, dq, ddq, 2.0 * ddq + 0.5 * dq + 0.8 * np.sign(dq)


def trial(time=None, **changed):
    time = np.arange(2000) / 100 if time is None else np.asarray(time, dtype=float)
    q, dq, ddq, tau = motion(time)
    return replace(Trial(time=time, q=q, dq=dq, ddq=ddq, tau=tau, name="run"), **changed)


def fit(samples, joint=0):
    use = samples.use[:, joint]
    columns = np.stack([samples.ddq[use, joint], samples.dq[use, joint], np.sign(samples.dq[use, joint])], axis=1)
    return np.linalg.lstsq(columns, samples.tau[use, joint], rcond=None)[0]


def test_defaults_on_a_clean_log_return_motion_and_parameters():
    samples = Preprocessing().apply(trial())
    q, dq, ddq, _ = motion(samples.time)
    assert np.abs(samples.q - q).max() < 1e-4
    assert np.abs(samples.dq - dq).max() < 5e-3 * np.abs(dq).max()
    assert np.abs(samples.ddq - ddq).max() < 1e-2 * np.abs(ddq).max()
    assert fit(samples) == pytest.approx([2.0, 0.5, 0.8], rel=2e-3)
    assert fit(Preprocessing(torque_cutoff="auto").apply(trial())) == pytest.approx([2.0, 0.5, 0.8], rel=0.05)  # steps rounded by the filter


def test_counts_balance():
    log = trial(valid=np.arange(2000) % 100 != 50)
    samples = Preprocessing(start=2.0, stop=15.0, every=3).apply(log)
    c = samples.counts
    assert c["recorded"] == 2000
    assert c["marked invalid"] == 20 == c["holes filled"]
    assert c["on the grid"] == 2000
    assert c["on the grid"] - c["trimmed"] - c["outside the window"] - c["thinned out"] == c["kept"] == samples.n_samples
    assert (samples.time[0], samples.time[-1]) == (pytest.approx(2.0), pytest.approx(14.99, abs=0.03))
    assert samples.rate == pytest.approx(100 / 3)


def test_c35_standstill_is_left_out_per_joint_and_counted():
    time = np.arange(3000) / 100
    q, dq, ddq, tau = motion(time)
    rng = np.random.default_rng(1)
    rest = time > 20
    dq[rest, 0] = rng.normal(0, 1e-4, rest.sum())
    ddq[rest, 0] = 0
    tau[rest, 0] = 0
    log = Trial(time=time, q=q, dq=dq, ddq=ddq, tau=tau)
    options = replace(UNTOUCHED, min_speed=None)
    samples = options.apply(log)
    assert not samples.use[time > 20, 0].any()
    assert samples.use[time > 20, 1].mean() > 0.98
    assert fit(samples) == pytest.approx([2.0, 0.5, 0.8], rel=1e-9)
    assert fit(UNTOUCHED.apply(log))[2] < 0.7
    assert samples.counts["slow"] == (~samples.use).sum()
    assert any("moves no faster than" in note for note in samples.notes)


def test_c65_bad_samples_are_dropped_counted_and_do_not_reach_the_fit():
    clean = trial(np.arange(1000) / 100)
    q, tau = clean.q.copy(), clean.tau.copy()
    tau[500, 0], q[600, 1] = np.nan, np.inf
    dirty = replace(clean, q=q, tau=tau)
    good = np.delete(np.arange(1000), [500, 600])
    for clock in ("auto", "recorded"):
        samples = replace(UNTOUCHED, clock=clock).apply(dirty)
        reference = UNTOUCHED.apply(clean)
        assert samples.counts["not finite"] == 2
        assert samples.use.sum() == 2 * 998
        assert np.isfinite([samples.q, samples.dq, samples.ddq, samples.tau, samples.tau_raw]).all()
        kept = samples.use[:, 0]
        for what in ("q", "dq", "ddq", "tau"):
            assert np.array_equal(getattr(samples, what)[kept], getattr(reference, what)[good])
    with pytest.raises(DataError, match=r"q of trial 'run' at row 600, column 1 \(inf\)"):
        replace(UNTOUCHED, on_bad="raise").apply(replace(clean, q=q))


def test_c65_nan_does_not_leak_through_the_filters():
    clean = trial()
    tau = clean.tau.copy()
    tau[700:705, 1] = np.nan
    samples, reference = Preprocessing().apply(replace(clean, tau=tau)), Preprocessing().apply(clean)
    assert samples.n_samples == reference.n_samples
    assert np.abs(samples.q - reference.q).max() < 1e-4
    assert np.array_equal(samples.tau[samples.use], reference.tau[samples.use])
    filtered = Preprocessing(torque_cutoff="auto").apply(replace(clean, tau=tau))
    assert np.abs(filtered.tau - Preprocessing(torque_cutoff="auto").apply(clean).tau).max() < 0.02 * np.ptp(reference.tau)
    assert (~samples.use & reference.use).sum() == 10


def test_all_samples_bad_is_an_error_with_a_place():
    with pytest.raises(DataError, match=r"0 good samples of 2000, expected at least two\. See tau of trial 'run' at row 0, column 0 \(nan\)"):
        Preprocessing().apply(trial(tau=np.full((2000, 2), np.nan)))
    with pytest.raises(DataError, match="marked invalid"):
        Preprocessing().apply(trial(valid=np.zeros(2000)))


def test_c72_short_record_names_the_minimum():
    with pytest.raises(DataError, match=r"trial 'run': 12 samples in its longest uninterrupted piece, expected at least 16"):
        Preprocessing().apply(trial(np.arange(12) / 100))
    with pytest.raises(DataError, match="1 of them, expected at least two"):
        Preprocessing().apply(trial([0.0]))
    with pytest.raises(DataError, match="0 of them, expected at least two"):
        Preprocessing().apply(trial([]))


def test_c72_parabola_and_its_trimmed_ends():
    time = np.arange(1000) / 100
    samples = Preprocessing(cutoff=5.0).apply(Trial(time=time, q=time**2, tau=time))
    assert np.abs(samples.ddq - 2).max() < 1e-6
    assert samples.counts["trimmed"] == 2 * 20  # one period of the cut-off at each end
    assert samples.n_samples == 960
    assert any("20 samples were trimmed at each end" in note for note in samples.notes)


def test_c73_stamps_read_late():
    """q = sin πt at 8 ms with 0.2 ms of jitter: differences on the stamps err by 4.15, on the exact clock by less than 0.1; the default finds out and warns."""
    exact = np.arange(1250) * 0.008
    late = exact + np.random.default_rng(0).normal(0, 0.0002, 1250)
    log = Trial(time=late, q=np.sin(np.pi * exact), tau=np.zeros(1250))

    def error(options):
        samples = options.apply(log)
        index = np.round(samples.time / 0.008)
        return np.sqrt(np.mean((samples.ddq[:, 0] + np.pi**2 * np.sin(np.pi * 0.008 * index)) ** 2))

    plain = Preprocessing(cutoff=None, torque_cutoff=None, min_speed=0)
    assert error(replace(plain, clock="recorded")) == pytest.approx(4.15, rel=0.05)
    assert error(replace(plain, clock="nominal")) < 0.1
    with pytest.warns(DataWarning, match="spread by .* late readings of an exact clock of 125"):
        assert error(plain) < 0.1
    with pytest.warns(DataWarning):
        assert error(Preprocessing()) < 0.1


def test_irregular_sampling_is_resampled_from_its_stamps():
    time = np.cumsum(np.random.default_rng(1).uniform(0.008, 0.012, 2000))
    with pytest.warns(DataWarning, match=r"they were believed"):
        samples = Preprocessing().apply(trial(time))
    assert samples.rate == 100.0
    assert np.allclose(np.diff(samples.time), 0.01, rtol=0, atol=1e-9)
    assert np.abs(samples.dq - motion(samples.time)[1]).max() < 0.02 * np.abs(samples.dq).max()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Preprocessing(clock="stamps").apply(trial(time))


def test_stamps_that_wander_are_believed_though_their_steps_are_even():
    time = np.cumsum(np.random.default_rng(2).normal(0.01, 8e-5, 4000))
    samples = Preprocessing().apply(trial(time))
    assert np.abs(samples.q - motion(samples.time)[0]).max() < 1e-3
    assert any("wander" in note for note in samples.notes)


def test_c74_duplicates_backward_and_gaps():
    log = trial([0, 0.01, 0.01, 0.02, 0.03])
    samples = replace(UNTOUCHED, clock="recorded").apply(log)
    assert samples.counts["duplicate stamps"] == 1
    assert samples.time.tolist() == [0, 0.01, 0.02, 0.03]
    with pytest.raises(DataError, match="time stamps at row 1"):
        Preprocessing().apply(trial(np.arange(100)[::-1] / 100))


def test_c74_nothing_crosses_a_gap():
    """A gap of 0.5 s with a jump of the position: two segments, no derivative across, both ends trimmed."""
    time = np.r_[np.arange(800), 850 + np.arange(800)] / 100
    log = trial(time)
    jumped = replace(log, q=log.q + 5.0 * (time > 8.2)[:, None])
    samples = Preprocessing(cutoff=8.0).apply(jumped)
    assert [samples.time[part][[0, -1]].tolist() for part in samples.parts()] == [
        [pytest.approx(0.12), pytest.approx(7.87)],
        [pytest.approx(8.62), pytest.approx(16.37)],
    ]
    assert np.abs(samples.dq - motion(samples.time)[1]).max() < 0.02 * np.abs(samples.dq).max()
    assert samples.counts["trimmed"] == 4 * 12
    assert any("1 gap(s) longer than 0.1 s" in note for note in samples.notes)


def test_pieces_too_short_to_filter_are_counted():
    time = np.r_[np.arange(800), 900 + np.arange(10)] / 100
    assert Preprocessing().apply(trial(time)).counts["in short pieces"] == 10


def test_pieces_too_short_to_decimate_are_counted():
    time = np.r_[np.arange(800), 900 + np.arange(50)] / 100
    samples = Preprocessing(cutoff=10.0, trim=15, decimate=4).apply(trial(time))
    assert samples.counts["too few to decimate"] == 20
    assert samples.n_samples == 770
    assert samples.decimated(samples.tau).shape == samples.decimated_use().shape == (193, 2)


def test_lost_samples_are_bridged_but_not_used():
    keep = np.delete(np.arange(2000), [400, 401, 402, 900])
    full = trial()
    with pytest.warns(DataWarning, match="believed"):
        samples = Preprocessing().apply(full.select(keep))
    reference = Preprocessing().apply(full)
    assert samples.counts["holes filled"] == 4
    assert np.allclose(samples.time, reference.time, rtol=0, atol=1e-9)
    assert np.abs(samples.dq - reference.dq).max() < 1e-3
    assert (~samples.use & reference.use).sum() == 8


def test_c76_defaults_reach_one_percent_from_an_encoder():
    time = np.arange(4000) / 1000
    count = 2 * np.pi / 4096
    samples = Preprocessing().apply(Trial(time=time, q=np.round(np.sin(2 * np.pi * time) / count) * count, tau=time))
    error = samples.ddq[:, 0] + (2 * np.pi) ** 2 * np.sin(2 * np.pi * samples.time)
    assert np.sqrt(np.mean(error**2)) < 0.01 * 27.9
    quadrature = Preprocessing().apply(Trial(time=time, q=np.round(np.sin(2 * np.pi * time) / (count / 4)) * (count / 4), tau=time))
    error = quadrature.ddq[:, 0] + (2 * np.pi) ** 2 * np.sin(2 * np.pi * quadrature.time)
    assert np.sqrt(np.mean(error**2)) < 0.01 * 27.9


@pytest.mark.parametrize("scale", [1e-3, 1e3])
def test_units_of_position_do_not_change_what_is_used(scale):
    log = trial()
    samples, scaled = Preprocessing().apply(log), Preprocessing().apply(replace(log, q=scale * log.q))
    assert np.allclose(scaled.ddq, scale * samples.ddq, rtol=1e-9, atol=1e-9 * scale)
    assert np.array_equal(scaled.use, samples.use)


@pytest.mark.parametrize("shift", [0.0, 1.7e9])
def test_absolute_time_is_kept(shift):
    samples = Preprocessing(start=5.0, stop=10.0).apply(
        trial(time=np.arange(2000) / 100, name="x") if not shift else replace(trial(), time=trial().time + shift)
    )
    assert samples.time[0] == pytest.approx(shift + 5.0, abs=0.011)
    assert samples.time[-1] == pytest.approx(shift + 10.0, abs=0.011)


def test_measured_velocity_is_filtered_like_the_position_and_the_raw_torque_kept():
    log = trial()
    options = Preprocessing(use_measured_velocity=True, cutoff=6.0, trim=0)
    samples = options.apply(log)
    assert np.allclose(samples.dq, lowpass(log.dq, 6.0, 100.0), rtol=0, atol=1e-9)
    assert np.array_equal(samples.tau_raw, log.tau)
    unfiltered = replace(options, velocity_cutoff=None, torque_cutoff=None).apply(log)
    assert np.array_equal(unfiltered.dq, log.dq)
    assert np.array_equal(unfiltered.tau, log.tau)
    fraction = replace(options, velocity_cutoff=Nyquist(0.12)).apply(log)
    assert np.allclose(fraction.dq, samples.dq, rtol=0, atol=1e-9)


def test_independent_share_is_that_of_the_torque_filter():
    from optid.signals import noise_share

    assert Preprocessing().apply(trial()).independent_share == 1.0
    filtered = Preprocessing(torque_cutoff=5.0).apply(trial())
    assert filtered.independent_share == pytest.approx(noise_share(5.0, 100.0))
    assert Preprocessing(torque_cutoff=5.0, every=4).apply(trial()).independent_share == pytest.approx(4 * noise_share(5.0, 100.0))
    assert Preprocessing(rate=400.0).apply(trial()).independent_share == pytest.approx(0.25, rel=1e-2)


def test_savitzky_golay_route():
    samples = Preprocessing(derivative="savgol", cutoff=None).apply(trial())
    inside = slice(20, -20)
    assert np.abs(samples.ddq - motion(samples.time)[2])[inside].max() < 0.02 * np.abs(samples.ddq).max()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"clock": "sundial"}, "clock of the preprocessing: 'sundial', expected 'auto' or"),
        ({"cutoff": "high"}, "cutoff of the preprocessing: 'high'"),
        ({"derivative": "spline"}, "'central' or 'savgol'"),
        ({"on_bad": "ignore"}, "'drop' or 'raise'"),
        ({"every": 0}, "every of the preprocessing: 0, expected a whole number, 1 or more"),
        ({"trim": -1}, "trim of the preprocessing"),
        ({"decimate": 13}, "decimation factor: 13"),
        ({"rate": -5.0}, "rate of the preprocessing"),
        ({"clock": "recorded", "rate": 100.0}, "both need a uniform grid"),
    ],
)
def test_options_that_make_no_sense(changes, message):
    with pytest.raises(DataError, match=message):
        Preprocessing(**changes)


def test_what_a_trial_must_have():
    q = np.zeros((50, 1))
    with pytest.raises(DataError, match="no torque, expected a torque signal"):
        Preprocessing().apply(Trial(time=np.arange(50), q=q))
    with pytest.raises(DataError, match="with_torque_from_current"):
        Preprocessing().apply(Trial(time=np.arange(50), q=q, current=q))
    with pytest.raises(DataError, match="no dq, expected one, as use_measured_velocity says"):
        Preprocessing(use_measured_velocity=True).apply(Trial(time=np.arange(50), q=q, tau=q))
    with pytest.raises(DataError, match=r"no sample left, expected some"):
        Preprocessing(start=100.0).apply(trial())


def test_static_poses_pass_unfiltered():
    rng = np.random.default_rng(0)
    q, tau = rng.normal(size=(5, 6)), rng.normal(size=(5, 6))
    zero = np.zeros((5, 6))
    samples = replace(UNTOUCHED, clock="recorded").apply(Trial(time=[0, 10, 25, 31, 60], q=q, dq=zero, ddq=zero, tau=tau))
    assert np.array_equal(samples.q, q)
    assert samples.use.all()
