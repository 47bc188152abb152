"""Derivatives: cases C69, C76, and closed forms."""

import numpy as np
import pytest

from optid.errors import DataError
from optid.signals import central, fft_derivatives, fft_lowpass, fourier_fit, lowpass, savgol


def rms(x):
    return float(np.sqrt(np.mean(np.square(x))))


def test_c69_savitzky_golay_knows_the_sample_time():
    q = np.sin(2 * np.pi * np.arange(1000) * 0.004)
    velocity = savgol(q, 250.0, window=0.044)
    acceleration = savgol(q, 250.0, window=0.044, derivative=2)
    inside = slice(20, -20)
    assert velocity[inside].max() == pytest.approx(6.2833, abs=2e-4)
    assert 39.42 < np.abs(acceleration[inside]).max() < 39.48


def test_savitzky_golay_is_exact_on_its_polynomial():
    time = np.arange(60) / 50
    assert savgol(time**3, 50.0, window=0.3, polyorder=3) == pytest.approx(3 * time**2, abs=1e-9)
    assert savgol(time**3, 50.0, window=0.3, polyorder=3, derivative=2) == pytest.approx(6 * time, abs=1e-7)


@pytest.mark.parametrize(
    ("window", "derivative", "message"), [(0.04, 1, "more than polyorder"), (5.0, 1, "at most 60 samples"), (0.3, 4, "from 0 to polyorder 3")]
)
def test_savitzky_golay_windows_that_fit_nothing(window, derivative, message):
    with pytest.raises(DataError, match=message):
        savgol(np.zeros(60), 50.0, window=window, derivative=derivative)


def test_central_differences_are_exact_on_parabolas_to_the_ends():
    stamps = np.cumsum(np.random.default_rng(0).uniform(0.5, 1.5, 40))
    assert central(stamps**2, time=stamps) == pytest.approx(2 * stamps, abs=1e-9)
    assert central((np.arange(40) / 10) ** 2, 10.0) == pytest.approx(np.arange(40) / 5, abs=1e-9)


def test_central_differences_refuse_a_broken_time_base():
    with pytest.raises(DataError, match="equal or backward"):
        central(np.zeros(4), time=[0, 0.01, 0.01, 0.02])
    with pytest.raises(DataError, match="at least 3"):
        central(np.zeros(2), 10.0)
    for arguments in ({}, {"rate": 10.0, "time": [0, 1, 2, 3]}):
        with pytest.raises(DataError, match="one of them"):
            central(np.zeros(4), **arguments)


def encoder(time):
    """An encoder of 4096 lines, read in quadrature, on a 1 Hz sine."""
    count = 2 * np.pi / (4 * 4096)
    return np.round(np.sin(2 * np.pi * time) / count) * count


def test_c76_routes_from_an_encoder_to_acceleration():
    time = np.arange(4000) / 1000
    q, true = encoder(time), -((2 * np.pi) ** 2) * np.sin(2 * np.pi * time)
    raw = np.diff(q, 2) * 1e6
    assert rms(raw - true[1:-1]) == pytest.approx(252, rel=0.1)  # useless: the signal is 27.9
    smooth = central(central(lowpass(q, 10.0, 1000.0), 1000.0), 1000.0)
    assert rms((smooth - true)[500:-500]) < 0.003 * rms(true)
    fitted = fourier_fit(time, q, period=1.0, harmonics=3)[2]
    assert rms(fitted - true) < 5e-5 * rms(true)
    assert rms(fourier_fit(time, q, period=1.0, harmonics=1)[2] - true) < 2e-5 * rms(true)


def test_fourier_fit_returns_the_series():
    time = np.sort(np.random.default_rng(1).uniform(0, 6, 500))
    time[0], time[-1] = 0.0, 6.0 - 6.0 / 500
    omega = 2 * np.pi / 3
    x = np.stack([2 + np.sin(omega * time), np.cos(3 * omega * time + 0.4)], axis=1)
    value, first, second = fourier_fit(time, x, period=3.0, harmonics=4)
    assert np.abs(value - x).max() < 1e-11
    assert np.abs(first[:, 0] - omega * np.cos(omega * time)).max() < 1e-10
    assert np.abs(second[:, 1] + 9 * omega**2 * x[:, 1]).max() < 1e-9


def test_c76_fourier_fit_demands_whole_periods_or_a_trend():
    time = np.arange(4600) / 1000
    x = np.sin(2 * np.pi * time) + 0.2 * time
    with pytest.raises(DataError, match=r"4\.6 periods of 1 s, expected a whole number of periods"):
        fourier_fit(time, x, period=1.0, harmonics=3)
    value, first, second = fourier_fit(time, x, period=1.0, harmonics=3, trend=True)
    assert np.abs(value - x).max() < 1e-10
    assert np.abs(first - 2 * np.pi * np.cos(2 * np.pi * time) - 0.2).max() < 1e-9
    assert np.abs(second + (2 * np.pi) ** 2 * np.sin(2 * np.pi * time)).max() < 1e-8


def test_fourier_fit_needs_more_samples_than_unknowns():
    with pytest.raises(DataError, match="more than 21 samples"):
        fourier_fit(np.arange(20) / 20, np.zeros(20), period=1.0, harmonics=10)


@pytest.mark.parametrize("n_samples", [504, 505])
def test_spectrum_differentiates_exactly_and_limits_the_band(n_samples):
    period = 5.04
    time = np.arange(n_samples) * period / n_samples
    omega = 2 * np.pi / period
    slow, fast = np.sin(4 * omega * time + 0.3), 0.1 * np.cos(30 * omega * time)
    value, first, second = fft_derivatives(1.5 + slow + fast, n_samples / period, cutoff=2.4)
    assert np.abs(value - 1.5 - slow).max() < 1e-12
    assert np.abs(first - 4 * omega * np.cos(4 * omega * time + 0.3)).max() < 1e-11
    assert np.abs(second + (4 * omega) ** 2 * slow).max() < 1e-10
    assert np.abs(fft_derivatives(1.5 + slow + fast, n_samples / period)[0] - 1.5 - slow - fast).max() < 1e-12


def test_spectrum_refuses_a_record_that_does_not_close():
    with pytest.raises(DataError, match=r"jump of .* expected whole periods"):
        fft_derivatives(np.sin(2 * np.pi * np.arange(1250) / 1000), 1000.0)


def test_spectral_low_pass_keeps_a_torque_that_jumps_at_the_seam():
    square = np.sign(np.sin(2 * np.pi * (np.arange(400) + 0.5) / 400))
    limited = fft_lowpass(square, 400.0, 1.0)
    assert limited == pytest.approx(4 / np.pi * np.sin(2 * np.pi * (np.arange(400) + 0.5) / 400), abs=1e-4)
