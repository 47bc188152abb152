"""Samples: shapes, segments, decimation."""

from dataclasses import replace

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


@pytest.mark.parametrize("what", ["q", "dq", "ddq", "tau", "time"])
def test_complex_numbers_and_text_are_refused(what):
    arrays = {name: np.zeros((5, 2)) for name in ("q", "dq", "ddq", "tau")} | {"time": np.arange(5.0)}
    for bad, kind in ((arrays[what] + 1j, "complex128"), (arrays[what].astype(str), "<U32")):
        with pytest.raises(ShapeError, match=f"^{what} of samples 'run': entries of type {kind}, expected real numbers.$"):
            Samples.from_arrays(**{**arrays, what: bad}, name="run")


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


def test_harmonics_of_a_cycle_are_kept_alike_in_every_column():
    """A square wave of amplitude 1: its harmonics are 4/(πh), odd ones only."""
    phase = 2 * np.pi * (np.arange(500) + 0.5) / 500
    square = np.sign(np.sin(phase))[:, None]
    cycle = Samples(np.arange(500.0), square, square, square, square, square, np.ones((500, 1), dtype=bool), 1.0, harmonics=4)
    expected = 4 / np.pi * (np.sin(phase) + np.sin(3 * phase) / 3)
    assert cycle.band_limited
    assert cycle.in_band(square)[:, 0] == pytest.approx(expected, abs=1e-4)
    fewer = cycle.in_band(np.stack([square, 2 * square], axis=2), count=9)
    assert fewer.shape == (9, 1, 2)
    assert np.sum(fewer[:, 0, 0] ** 2) / 9 == pytest.approx(np.mean(expected**2), rel=1e-3)  # the nine steps hold all of the power
    assert not replace(cycle, use=np.arange(500)[:, None] > 0).band_limited
    assert replace(cycle, harmonics=None).in_band(square) is square
