"""Which rows of a damaged log belong together (cases C74 and the damaged start of a real log)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from optid.experiment.stamps import forward_rows


def _kept(time):
    return np.flatnonzero(forward_rows(np.array(time, dtype=float))).tolist()


@pytest.mark.parametrize(
    ("time", "kept"),
    [
        ([], []),
        ([5.0], [0]),
        ([0, 1, 2, 3], [0, 1, 2, 3]),
        # one stamp that fell back, and one that ran ahead
        ([0, 1, 2, 0.5, 4, 5, 6, 7], [0, 1, 2, 4, 5, 6, 7]),
        ([0, 1, 2, 3, 1e9, 5, 6, 7, 8], [0, 1, 2, 3, 5, 6, 7, 8]),
        ([0, 1, 2, 3, 50, 5, 6, 7], [0, 1, 2, 3, 5, 6, 7]),
        # equal stamps
        ([0, 1, 1, 2, 3], [0, 2, 3, 4]),
        # a pause is no damage
        ([0, 1, 2, 1e4, 1e4 + 1, 1e4 + 2], [0, 1, 2, 3, 4, 5]),
        # the tail belongs to another, earlier recording
        ([100, 101, 102, 103, 0, 1, 2], [0, 1, 2, 3]),
        # garbage behind the first row, as in a real UR10e log
        ([3047.69, -0.12, -0.03, 0.0, 0.0, *(3048 + 0.01 * np.arange(50))], [0, *range(5, 55)]),
    ],
)
def test_longest_recording_and_what_continues_it(time, kept):
    assert _kept(time) == kept


def test_falling_stamps_leave_one_row():
    assert _kept(np.arange(10.0)[::-1]) == [0]


@settings(derandomize=True, deadline=None)
@given(st.lists(st.integers(-50, 50), max_size=40))
def test_what_is_kept_always_runs_forward(stamps):
    time = np.array(stamps, dtype=float)
    keep = forward_rows(time)
    assert (np.diff(time[keep]) > 0).all() and keep.any() == bool(len(time))


@settings(derandomize=True, deadline=None)
@given(st.lists(st.floats(0.001, 0.05), min_size=1, max_size=40))
def test_a_good_recording_is_kept_whole(steps):
    assert forward_rows(np.cumsum(steps)).all()
