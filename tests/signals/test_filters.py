"""Zero-phase filters: cases C65, C70, C71, C72 and the property that a sine keeps its phase."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from optid.errors import DataError
from optid.signals import Nyquist, decimate, lowpass, minimum_length, noise_share, settling_samples, shortest_to_decimate


def test_c70_sine_has_no_lag_and_almost_no_loss():
    time = np.arange(1000) / 100
    sine = np.sin(2 * np.pi * time)
    filtered = lowpass(sine, 10.0, 100.0, order=2)
    middle = slice(200, 800)
    lags = np.arange(-20, 21)
    correlation = [np.dot(filtered[middle], np.roll(sine, lag)[middle]) for lag in lags]
    assert lags[int(np.argmax(correlation))] == 0
    assert np.dot(filtered[middle], sine[middle]) / np.dot(sine[middle], sine[middle]) == pytest.approx(0.9999, abs=2e-5)


@settings(max_examples=40, deadline=None)
@given(frequency=st.floats(0.3, 8), phase=st.floats(0, 6.28), cutoff=st.floats(4, 40), order=st.integers(1, 8))
def test_sine_keeps_its_phase_and_gets_the_squared_butterworth_gain(frequency, phase, cutoff, order):
    rate = 1000.0
    time = np.arange(20000) / rate
    filtered = lowpass(np.sin(2 * np.pi * frequency * time + phase), cutoff, rate, order)[5000:15000]
    basis = np.stack([np.sin(2 * np.pi * frequency * time + phase), np.cos(2 * np.pi * frequency * time + phase)], axis=1)[5000:15000]
    in_phase, quadrature = np.linalg.lstsq(basis, filtered, rcond=None)[0]
    warped = np.tan(np.pi * frequency / rate) / np.tan(np.pi * cutoff / rate)  # the bilinear transform's frequency axis
    assert in_phase == pytest.approx(1 / (1 + warped ** (2 * order)), abs=2e-3)
    assert abs(quadrature) < 2e-3


def test_c71_constant_stays_at_high_order_and_low_cutoff():
    assert np.abs(lowpass(np.ones(8000), 5.0, 4000.0, order=8) - 1).max() < 1e-9


@pytest.mark.parametrize("cutoff", [50.0, 60.0, 0.0, -1.0, np.nan])
def test_c71_cutoff_outside_the_band_is_refused(cutoff):
    with pytest.raises(DataError, match=r"cut-off of a low-pass filter: .* Hz, expected between 0 and half the sampling rate, 50 Hz"):
        lowpass(np.zeros(100), cutoff, 100.0)


def test_c72_short_record_names_the_minimum_length():
    with pytest.raises(DataError, match="12 samples, expected at least 16"):
        lowpass(np.zeros(12), 10.0, 100.0, order=4)
    assert np.all(lowpass(np.zeros(minimum_length(4)), 10.0, 100.0, order=4) == 0)


def test_minimum_length_is_one_more_than_scipys_padding():
    from scipy.signal import butter, sosfiltfilt

    for order in range(1, 13):
        sections = butter(order, 0.2, output="sos")
        sosfiltfilt(sections, np.zeros(minimum_length(order)))
        with pytest.raises(ValueError, match="padlen"):
            sosfiltfilt(sections, np.zeros(minimum_length(order) - 1))


@pytest.mark.parametrize("order", [0, -2, 2.5, 40])
def test_orders_that_make_no_filter(order):
    with pytest.raises(DataError, match="order of a Butterworth filter"):
        lowpass(np.zeros(100), 10.0, 100.0, order=order)


def test_c72_parabola_passes_to_the_very_ends():
    """q = t²: the ends are continued with the fitted curvature, so that the acceleration is 2 everywhere, not only away from the ends."""
    time = np.arange(1000) / 100
    filtered = lowpass(time**2, 4.0, 100.0)
    assert np.abs(np.diff(filtered, 2) * 100**2 - 2).max() < 1e-6


def test_ends_beat_the_plain_point_reflection():
    """Second derivative of a sine cut at its crest: one cut-off period inside, within 2 % of its amplitude; scipy's own extension is ten times worse."""
    from scipy.signal import butter, sosfiltfilt

    rate, cutoff = 1000.0, 5.0
    time = np.arange(4000) / rate
    sine = np.cos(2 * np.pi * 0.5 * time)
    inside = slice(settling_samples(cutoff, rate), 2000)
    true = -np.pi * np.pi * sine[inside]
    ours = np.gradient(np.gradient(lowpass(sine, cutoff, rate)))[inside] * rate**2
    plain = np.gradient(np.gradient(sosfiltfilt(butter(4, cutoff / (rate / 2), output="sos"), sine, padlen=600)))[inside] * rate**2
    assert np.abs(ours - true).max() < 0.02 * np.pi**2
    assert np.abs(plain - true).max() > 10 * np.abs(ours - true).max()


def test_c65_nan_is_named_not_spread():
    x = np.zeros((100, 3))
    x[40, 2] = np.nan
    with pytest.raises(DataError, match="nan at row 40, column 2"):
        lowpass(x, 10.0, 100.0)
    with pytest.raises(DataError, match="inf at row 7"):
        decimate(np.r_[np.zeros(7), np.inf, np.zeros(50)], 2)


def test_columns_are_independent_and_input_is_untouched():
    rng = np.random.default_rng(1)
    x = rng.normal(size=(300, 3))
    before = x.copy()
    together = lowpass(x, 8.0, 100.0)
    assert np.array_equal(x, before)
    assert np.array_equal(together[:, 1], lowpass(x[:, 1], 8.0, 100.0))
    assert lowpass(np.zeros((50, 0)), 8.0, 100.0).shape == (50, 0)


def test_units_do_not_matter():
    x = np.random.default_rng(2).normal(size=200)
    assert np.allclose(lowpass(1e12 * x, 5.0, 100.0), 1e12 * lowpass(x, 5.0, 100.0), rtol=1e-12, atol=1e-3)
    assert np.allclose(lowpass(x, 5e3, 100e3), lowpass(x, 5.0, 100.0), rtol=0, atol=1e-12)


def test_nyquist_fraction_is_the_same_filter_as_hertz():
    x = np.random.default_rng(3).normal(size=200)
    assert np.array_equal(lowpass(x, Nyquist(0.15)), lowpass(x, 7.5, 100.0))
    with pytest.raises(DataError, match="more than 0 and less than 1"):
        Nyquist(1.0)


def test_noise_share_is_the_variance_that_white_noise_keeps():
    noise = np.random.default_rng(4).normal(size=400_000)
    for order in (1, 2, 4):
        assert lowpass(noise, 5.0, 100.0, order).var() == pytest.approx(noise_share(5.0, 100.0, order), rel=0.03)
    assert noise_share(Nyquist(0.999)) <= 1.0


def test_decimate_is_scipys_and_keeps_a_slow_sine():
    from scipy.signal import decimate as reference

    x = np.sin(2 * np.pi * 0.5 * np.arange(2000) / 100)
    assert np.array_equal(decimate(x, 10), reference(x, 10))
    assert np.abs(decimate(np.stack([x, -x], axis=1), 4) - np.stack([x, -x], axis=1)[::4]).max() < 0.06  # ripple of the Chebyshev filter
    assert decimate(x, 1) is not x
    assert np.array_equal(decimate(x, 50), reference(reference(x, 10), 5))
    for factor in (0, -2, 13, 2.5):
        with pytest.raises(DataError, match="decimation factor"):
            decimate(x, factor)


def test_shortest_record_to_decimate_is_just_enough():
    for factor, shortest in ((1, 1), (2, 28), (12, 28), (50, 271)):
        assert shortest_to_decimate(factor) == shortest
        assert len(decimate(np.zeros(shortest), factor)) == -(-shortest // factor)
    with pytest.raises(DataError, match="signal to decimate by 50: 270 samples, expected at least 271"):
        decimate(np.zeros(270), 50)
