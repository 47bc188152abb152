"""Friction curves with known lines."""

from __future__ import annotations

import numpy as np
import pytest

import optid
from optid.errors import OptidWarning, RankError, UnknownNameError
from optid.problems import FrictionCurve

SPEEDS = np.arange(0.05, 1.16, 0.1)
V = np.concatenate([SPEEDS, -SPEEDS])
TAU = np.where(V > 0, 0.560 + 0.562 * V, -0.584 + 0.482 * V)


def test_symmetric_law_of_asymmetric_data() -> None:
    """C36: sign, speed and offset columns give exactly the means of the two lines."""
    fit = optid.solve(FrictionCurve(V, TAU))
    assert [fit["fc"], fit["fv"], fit["fo"]] == pytest.approx([0.572, 0.522, 0.012], abs=1e-12)


def test_asymmetric_law() -> None:
    """C36."""
    fit = optid.solve(FrictionCurve(V, TAU, "asymmetric"))
    assert [fit["fcp"], fit["fvp"], fit["fcn"], fit["fvn"]] == pytest.approx([0.560, 0.562, -0.584, 0.482], abs=1e-12)
    assert fit.rms < 1e-12


def test_asymmetric_coulomb_is_symmetric_plus_offset() -> None:
    """C36: +0.6 and -0.4 are 0.5 with an offset of 0.1."""
    fit = optid.solve(FrictionCurve(V, np.where(V > 0, 0.6, -0.4)))
    assert [fit["fc"], fit["fv"], fit["fo"]] == pytest.approx([0.5, 0.0, 0.1], abs=1e-12)


def test_slope_that_no_sample_sees_is_bounded_and_named() -> None:
    """C36: no sample below 0.05 rad/s fixes the slope of tanh(k v); it stays bounded and a warning says so."""
    with pytest.warns(OptidWarning, match="slope k is not determined"):
        fit = optid.solve(FrictionCurve(V, TAU, "tanh"))
    assert fit.undetermined == ("k",)
    assert 0 < fit["k"] <= 100 / 0.05
    assert [fit["fc"], fit["fv"], fit["fo"]] == pytest.approx([0.572, 0.522, 0.012], abs=2e-3)


def test_slope_that_the_data_show_is_found() -> None:
    v = np.linspace(-1, 1, 201)
    fit = optid.solve(FrictionCurve(v, 0.8 * np.tanh(12 * v) + 0.5 * v, "tanh"))
    assert fit.undetermined == ()
    assert [fit["fc"], fit["fv"], fit["fo"], fit["k"]] == pytest.approx([0.8, 0.5, 0.0, 12.0], abs=1e-4)


def test_refusals() -> None:
    with pytest.raises(RankError, match="in both directions"):
        FrictionCurve(SPEEDS, SPEEDS)
    with pytest.raises(UnknownNameError, match="Did you mean 'coulomb'"):
        FrictionCurve(V, TAU, "colomb")
