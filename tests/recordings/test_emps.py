"""EMPS, one prismatic axis: Janot, Gautier, Brunot, "Data set and reference models of EMPS", 2019; published least squares."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from recorded import EMPS_PROTOCOL, emps

from optid import DynamicModel, IdentificationResult, identify, library, validate


@pytest.fixture(scope="module")
def fit(recordings: Path) -> IdentificationResult:
    return identify(DynamicModel(library.emps()), emps(recordings, "DATA_EMPS.mat"), method="ols", preprocessing=EMPS_PROTOCOL)


def test_parameters(fit: IdentificationResult) -> None:
    """M 95.1089 kg, Fv 203.5034, Fc 20.3935, offset -3.1648, within 0.5, 1, 1, 2 %."""
    assert fit.formulas == ("m1", "fv1", "fc1", "fo1")
    for found, published, share in zip(fit.beta, (95.1089, 203.5034, 20.3935, -3.1648), (0.005, 0.01, 0.01, 0.02), strict=True):
        assert found == pytest.approx(published, rel=share)


def test_sigmas_condition_and_error(fit: IdentificationResult) -> None:
    """Published sigmas within 10 %, condition 25.99 ± 0.5, relative error 4.1 ± 0.15 %, 2475 equations."""
    assert fit.sigma == pytest.approx([0.1085, 1.146, 0.1012, 0.0444], rel=0.1)
    assert fit.condition_number == pytest.approx(25.99, abs=0.5)
    assert 100 * fit.errors().stacked == pytest.approx(4.1, abs=0.15)
    assert fit.n_rows == 2475


def test_prediction_of_the_pulse_recording(recordings: Path, fit: IdentificationResult) -> None:
    """5.95 %: the pulses are already in the recorded voltage, so inverse dynamics need no extra term."""
    result = validate(fit, emps(recordings, "DATA_EMPS_PULSES.mat"))
    assert 100 * result.errors.stacked == pytest.approx(5.95, abs=0.2)


def test_defaults_agree_with_the_protocol(recordings: Path) -> None:
    """What a user gets without any option: within 0.1 % of the published mass and friction, and 1.5 % of the offset."""
    found = identify(DynamicModel(library.emps()), emps(recordings, "DATA_EMPS.mat"))
    assert found.formulas == ("m1", "fv1", "fc1", "fo1")
    assert found.beta[:3] == pytest.approx([95.1089, 203.5034, 20.3935], rel=1e-3)
    assert found.beta[3] == pytest.approx(-3.1648, rel=0.015)
    assert np.isfinite(found.sigma).all()
