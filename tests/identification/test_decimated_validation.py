"""A decimated validation knows its own rate."""

from __future__ import annotations

import numpy as np
import pytest

from optid import DHRow, DynamicModel, Preprocessing, Robot, Trial, identify, validate


def test_rate_is_that_of_the_samples() -> None:
    """Decimated by ten: 100 Hz steps of 10 ms, so that plots and spectra see one piece and no gaps."""
    t = np.arange(4000) * 1e-3
    v = np.sin(2 * np.pi * t)
    trial = Trial(t, -np.cos(2 * np.pi * t) / (2 * np.pi), dq=v, tau=0.5 * v + 0.1 * np.sign(v))
    model = DynamicModel(Robot.from_dh([DHRow()], "standard"), friction="viscous+coulomb")
    options = Preprocessing(cutoff=20, decimate=10, min_speed=0.0)
    result = validate(identify(model, trial, preprocessing=options), trial)
    assert result.rate == pytest.approx(1 / np.median(np.diff(result.time)), rel=1e-6)
    assert result.rate == pytest.approx(100.0)
