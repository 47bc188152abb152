"""Time stamps: cases C73 and C74."""

import numpy as np
import pytest

from optid.errors import DataError, ShapeError
from optid.signals import TimingReport, interpolate, segments
from optid.signals.timing import increasing, tidy_rate, uniform_grid


def test_report_of_exact_stamps():
    report = TimingReport.of(1.7e9 + 0.004 * np.arange(1000))
    assert report.n == 1000
    assert report.median_step == pytest.approx(0.004, abs=1e-6)
    assert report.mean_rate == pytest.approx(250, rel=1e-6)
    assert (report.duplicates, report.backward, report.gaps) == (0, 0, 0)
    assert report.uniform


def test_report_counts_every_fault():
    report = TimingReport.of([0, 0.01, 0.01, 0.02, 0.03, 0.025, 0.035, 0.535, 0.545])
    assert (report.duplicates, report.backward, report.gaps) == (1, 1, 1)
    assert report.longest == pytest.approx(0.5)
    assert "1 duplicates, 1 backward, 1 gaps" in str(report)


def test_spread_is_that_of_the_jitter():
    time = np.arange(5000) * 0.008 + np.random.default_rng(0).normal(0, 0.0002, 5000)
    report = TimingReport.of(time)
    assert report.spread == pytest.approx(np.sqrt(2) * 0.0002 / 0.008, rel=0.05)  # a step is the difference of two stamps
    assert not report.uniform


def test_gap_does_not_count_as_jitter():
    assert TimingReport.of(np.r_[np.arange(100), 500 + np.arange(100)] * 0.01).spread < 1e-9


@pytest.mark.parametrize(
    ("time", "message"),
    [
        ([], "0 of them, expected at least two"),
        ([1.0], "1 of them, expected at least two"),
        ([0.0, np.nan, 0.02], "time stamp at row 1: nan"),
        ([3.0, 3.0, 3.0], "none is later than the one before"),
    ],
)
def test_stamps_that_say_nothing(time, message):
    with pytest.raises(DataError, match=message):
        TimingReport.of(time)


def test_stamps_of_two_axes():
    with pytest.raises(ShapeError, match="time stamps"):
        TimingReport.of(np.zeros((3, 2)))


def test_c74_backward_stamps_name_the_row():
    with pytest.raises(DataError, match=r"time stamps at row 3: 0\.015 s after 0\.02 s"):
        increasing([0, 0.01, 0.02, 0.015, 0.03])


def test_c74_the_first_of_equal_stamps_is_kept():
    assert increasing([0, 0.01, 0.01, 0.02, 0.03]).tolist() == [True, True, False, True, True]
    assert increasing([]).shape == (0,)


def test_segments_split_at_gaps():
    time = np.r_[np.arange(5), 100 + np.arange(3), 200.0] * 0.01
    assert segments(time, 0.1) == [slice(0, 5), slice(5, 8), slice(8, 9)]
    assert segments([], 0.1) == []


@pytest.mark.parametrize(("method", "bound"), [("cubic", 2e-6), ("pchip", 1.5e-3), ("linear", 1.5e-3)])
def test_interpolation_from_irregular_stamps(method, bound):
    """51.5 ± 0.5 ms onto 10 ms: the error of a 0.3 Hz sine is (ωh)⁴ of a spline, (ωh)²/8 of straight lines; PCHIP is as bad at the crests."""
    rng = np.random.default_rng(5)
    time = np.cumsum(rng.normal(0.0515, 0.0005, 400))
    at = np.arange(np.ceil(time[4] * 100), np.floor(time[-4] * 100)) / 100
    error = interpolate(time, np.sin(2 * np.pi * 0.3 * time), at, method) - np.sin(2 * np.pi * 0.3 * at)
    assert np.abs(error).max() < bound


def test_interpolation_returns_the_samples_at_their_stamps():
    rng = np.random.default_rng(6)
    time, x = np.cumsum(rng.uniform(0.5, 1.5, 30)), rng.normal(size=(30, 2))
    assert np.allclose(interpolate(time, x, time), x, rtol=0, atol=1e-12)
    assert interpolate(time[:2], x[:2], time[:2]).shape == (2, 2)


def test_interpolation_refuses_what_it_cannot_do():
    with pytest.raises(DataError, match="outside the recording"):
        interpolate([0, 1, 2, 3], np.zeros(4), [3.5])
    with pytest.raises(DataError, match="equal ones"):
        interpolate([0, 1, 1, 3], np.zeros(4), [0.5])
    with pytest.raises(DataError, match="'cubic' or 'pchip' or 'linear'"):
        interpolate([0, 1, 2, 3], np.zeros(4), [0.5], "quintic")


def test_rates_are_rounded_only_when_close():
    assert tidy_rate(0.0099931) == 100.0
    assert tidy_rate(1 / 93.6) == pytest.approx(93.6)
    assert tidy_rate(1 / 104.7) == pytest.approx(105, rel=0.005)


def test_grid_stays_inside_the_stamps():
    grid = uniform_grid([5.0, 5.3, 6.0], 10.0)
    assert len(grid) == 11
    assert grid[0] == 5.0
    assert grid[-1] <= 6.0
