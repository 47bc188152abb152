"""Samples: shapes, segments, decimation."""

import numpy as np
import pytest

from optid.errors import DataError, ShapeError
from optid.signals import Samples, decimate


def test_arrays_become_samples():
    q = np.arange(12.0).reshape(6, 2)
    samples = Samples.from_arrays(q, q + 1, q + 2, q + 3, rate=4.0)
    assert (samples.n, samples.n_samples) == (2, 6)
    assert samples.time.tolist() == [0, 0.25, 0.5, 0.75, 1, 1.25]
    assert np.array_equal(samples.tau_raw, samples.tau)
    assert samples.used.tolist() == [6, 6]
    assert Samples.from_arrays([1.0, 2.0], [0, 0], [0, 0], [3, 4]).q.shape == (2, 1)


def test_arrays_that_do_not_fit_or_are_not_finite():
    zero = np.zeros((5, 2))
    with pytest.raises(ShapeError, match=r"tau of samples 'samples': shape \(4, 2\), expected \(5, 2\), as q"):
        Samples.from_arrays(zero, zero, zero, zero[:4])
    bad = zero.copy()
    bad[3, 1] = np.nan
    with pytest.raises(DataError, match="ddq of samples 'run': nan at row 3, column 1"):
        Samples.from_arrays(zero, zero, bad, zero, name="run")


def test_decimation_stays_inside_segments():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(300, 1))
    segment = np.repeat([0, 1], [100, 200])
    samples = Samples(np.arange(300.0), x, x, x, x, x, rng.uniform(size=(300, 1)) > 0.5, 1.0, segment=segment, decimation=5)
    assert np.array_equal(samples.decimated(x), np.concatenate([decimate(x[:100], 5), decimate(x[100:], 5)]))
    assert np.array_equal(samples.decimated_use(), samples.use[::5])
    assert samples.parts() == [slice(0, 100), slice(100, 300)]


def test_without_decimation_nothing_changes():
    zero = np.zeros((5, 1))
    samples = Samples.from_arrays(zero, zero, zero, zero)
    assert samples.decimated(samples.tau) is samples.tau
    assert samples.decimated_use() is samples.use
