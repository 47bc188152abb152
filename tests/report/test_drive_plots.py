"""What the plot of the filters' choice shows: cut-offs where they are, the floor where the noise is."""

from __future__ import annotations

import numpy as np
import pytest

from optid import Preprocessing, Trial
from optid.errors import ShapeError
from optid.report.drive_plots import plot_spectra

COUNT, NOISE, RATE = 1e-4, 0.02, 500.0


def recording(seconds: float = 20.0) -> Trial:
    """A sine of 0.503 Hz in counts, which no two cycles round alike, and its torque with white noise."""
    rng = np.random.default_rng(0)
    t = np.arange(int(seconds * RATE)) / RATE
    q = np.sin(np.sqrt(10.0) * t)
    return Trial(t, np.round(q / COUNT)[:, None] * COUNT, tau=(3 * q + NOISE * rng.standard_normal(len(t)))[:, None], name="sines")


def level(sigma: float, samples: int) -> float:
    """Median amplitude of a line of white noise under a Hann window: a Rayleigh variable of scale 2 sigma √(Σw²/2) / Σw, times √(2 ln 2)."""
    return float(2 * sigma * np.sqrt(0.375 / 2 * samples) / (0.5 * samples) * np.sqrt(2 * np.log(2)))


def test_cutoffs_and_noise_floors_are_drawn() -> None:
    trial = recording()
    figure = plot_spectra(trial, Preprocessing(cutoff=20.0, torque_cutoff=30.0, decimate=5).apply(trial))
    position, torque = figure.axes
    for ax, cutoff in ((position, 20.0), (torque, 30.0)):
        upright = sorted(float(line.get_xdata()[0]) for line in ax.lines if len(set(np.asarray(line.get_xdata()))) == 1)
        assert upright == pytest.approx([cutoff, 40.0])
        assert [text.get_text() for text in ax.texts] == [f"low-pass {cutoff:.3g} Hz", "decimation 40 Hz"]
    # rounding to counts is white noise of a count over √12
    for ax, sigma in ((position, COUNT / np.sqrt(12)), (torque, NOISE)):
        (floor,) = (float(line.get_ydata()[0]) for line in ax.lines if line.get_label() == "noise floor")
        assert floor == pytest.approx(level(sigma, trial.n_samples), rel=0.1)
        assert ax.get_ylim()[0] < floor


def test_what_is_not_filtered_has_no_line() -> None:
    trial = recording(4.0)
    samples = Preprocessing(cutoff=20.0, torque_cutoff=None).apply(trial)
    assert samples.cutoffs["position"] == 20.0
    assert "torque" not in samples.cutoffs
    position, torque = plot_spectra(trial, samples).axes
    assert [text.get_text() for text in position.texts] == ["low-pass 20 Hz"]
    assert not torque.texts


def test_a_recording_of_other_joints_is_named() -> None:
    trial = recording(4.0)
    samples = Preprocessing(cutoff=20.0).apply(trial)
    with pytest.raises(ShapeError, match="2 joints, a signal, expected 1 joints with a current or torque"):
        plot_spectra(Trial(trial.time, np.hstack([trial.q, trial.q]), tau=np.hstack([trial.tau, trial.tau]), name="two"), samples)
