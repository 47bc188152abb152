"""Friction curves with known lines and shapes."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import optid
from optid.errors import DataError, OptidWarning, RankError, ShapeError, UnknownNameError
from optid.problems import FrictionCurve
from optid.problems.friction_comparison import compare_friction
from optid.problems.friction_laws import LAWS

SPEEDS = np.arange(0.05, 1.16, 0.1)
V = np.concatenate([SPEEDS, -SPEEDS])
TAU = np.where(V > 0, 0.560 + 0.562 * V, -0.584 + 0.482 * V)

WIDE = np.concatenate([-np.geomspace(0.01, 2, 150), np.geomspace(0.01, 2, 150)])
LOAD = 20 * np.sin(np.arange(300.0))
TRUE = {
    "coulomb": {"fc": 5.0, "fv": 2.0, "fo": 0.3},
    "asymmetric": {"fcp": 5.0, "fvp": 2.0, "fcn": -4.0, "fvn": 3.0},
    "tanh": {"fc": 5.0, "fv": 2.0, "fo": 0.3, "k": 12.0},
    "stribeck": {"fc": 5.0, "fs": 8.0, "fv": 2.0, "fo": 0.3, "vs": 0.15},
    "sigmoid": {"f1": 10.0, "k": 6.0, "v0": 0.05},
    "a09": {"fc": 8.0, "fk": 5.0, "fv": 2.0, "fo": 0.1, "alpha": 40.0, "beta": 8.0},
    "load": {"fc": 4.0, "fl": 0.2, "fv": 2.0, "fo": 0.3},
}


def printed(name: str, v: np.ndarray, load: np.ndarray) -> np.ndarray:
    """The laws as their sources print them."""
    p = TRUE[name]
    if name == "coulomb":
        return p["fc"] * np.sign(v) + p["fv"] * v + p["fo"]
    if name == "asymmetric":
        return np.where(v > 0, p["fcp"] + p["fvp"] * v, p["fcn"] + p["fvn"] * v)
    if name == "tanh":
        return p["fc"] * np.tanh(p["k"] * v) + p["fv"] * v + p["fo"]
    if name == "stribeck":
        return (p["fc"] + (p["fs"] - p["fc"]) * np.exp(-((v / p["vs"]) ** 2))) * np.sign(v) + p["fv"] * v + p["fo"]
    if name == "sigmoid":
        return p["f1"] / (1 + np.exp(-p["k"] * (v + p["v0"]))) - p["f1"] / (1 + np.exp(-p["k"] * p["v0"]))
    if name == "a09":
        mu = p["fk"] / p["fc"]
        return p["fv"] * v + p["fc"] * (mu + (1 - mu) / np.cosh(p["beta"] * v)) * np.tanh(p["alpha"] * v) + p["fo"]
    return (p["fc"] + p["fl"] * np.abs(load)) * np.sign(v) + p["fv"] * v + p["fo"]


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


def test_slope_that_no_sample_sees_is_reported_and_not_returned() -> None:
    """C36: no sample below 0.05 rad/s fixes the slope of tanh(k v); it is NaN, bounded in the curve that is drawn, and a warning says so."""
    with pytest.warns(OptidWarning, match=r"slope k is not determined by speeds of 0.05 to 1.15 rad/s; .* in the curve is no estimate"):
        fit = optid.solve(FrictionCurve(V, TAU, "tanh"))
    assert fit.undetermined == ("k",)
    assert np.isnan(fit["k"]) and np.isinf(fit.sigma[3])
    assert 0 < fit.fitted[3] <= 100 / 0.05
    assert [fit["fc"], fit["fv"], fit["fo"]] == pytest.approx([0.572, 0.522, 0.012], abs=2e-3)
    assert fit.torque(V) == pytest.approx(optid.solve(FrictionCurve(V, TAU)).torque(V), abs=2e-3)


def test_slope_that_the_data_show_is_found() -> None:
    v = np.linspace(-1, 1, 201)
    fit = optid.solve(FrictionCurve(v, 0.8 * np.tanh(12 * v) + 0.5 * v, "tanh"))
    assert fit.undetermined == ()
    assert [fit["fc"], fit["fv"], fit["fo"], fit["k"]] == pytest.approx([0.8, 0.5, 0.0, 12.0], abs=1e-4)


@pytest.mark.parametrize("name", LAWS)
def test_every_law_is_the_printed_one_and_comes_back(name: str) -> None:
    """From samples without noise to 1e-6, with noise of 0.1 within four of its standard deviations."""
    exact = printed(name, WIDE, LOAD)
    assert LAWS[name].torque(WIDE, LOAD, np.array([TRUE[name][key] for key in LAWS[name].names])) == pytest.approx(exact, rel=1e-12, abs=1e-12)
    fit = optid.solve(FrictionCurve(WIDE, exact, name, LOAD))
    assert {key: fit[key] for key in fit.names} == pytest.approx(TRUE[name], rel=1e-6, abs=1e-6)
    noisy = optid.solve(FrictionCurve(WIDE, exact + 0.1 * np.random.default_rng(0).standard_normal(300), name, LOAD))
    truth = np.array([TRUE[name][key] for key in noisy.names])
    assert noisy.undetermined == () and (np.abs(noisy.values - truth) < 4 * noisy.sigma).all()
    assert noisy.torque(WIDE, LOAD) == pytest.approx(exact, abs=0.2)


@pytest.mark.parametrize("name", [name for name, law in LAWS.items() if law.shapes])
def test_derivatives(name: str) -> None:
    """Against central differences."""
    law, x = LAWS[name], np.array([TRUE[name][key] for key in LAWS[name].names])
    J = law.jacobian(WIDE, LOAD, x)
    for k in range(len(x)):
        h = 1e-6 * max(abs(x[k]), 0.1) * (np.arange(len(x)) == k)
        slope = (law.torque(WIDE, LOAD, x + h) - law.torque(WIDE, LOAD, x - h)) / (2 * h[k])
        assert J[:, k] == pytest.approx(slope, abs=1e-6 * max(1.0, float(np.abs(slope).max())))


@pytest.mark.parametrize("law, named", [("tanh", ("k",)), ("stribeck", ("fs", "vs")), ("a09", ("fc", "alpha", "beta"))])
def test_coulomb_data_determine_no_shape(law: str, named: tuple[str, ...]) -> None:
    """Noise of 0.1 over plain Coulomb friction, no slow samples: what only the shape would tell is named; levels and viscous friction remain."""
    v = np.concatenate([-np.linspace(0.1, 2, 200), np.linspace(0.1, 2, 200)])
    tau = 5 * np.sign(v) + 2 * v + 0.1 * np.random.default_rng(3).standard_normal(400)
    with pytest.warns(OptidWarning, match="not determined"):
        fit = optid.solve(FrictionCurve(v, tau, law))
    assert set(named) <= set(fit.undetermined)
    level = "fk" if law == "a09" else "fc"
    assert fit[level] == pytest.approx(5, abs=0.1) and fit["fv"] == pytest.approx(2, abs=0.1)
    assert np.isnan([fit[name] for name in fit.undetermined]).all()


@pytest.mark.parametrize("true", ["coulomb", "stribeck", "asymmetric", "load"])
def test_the_true_law_wins(true: str) -> None:
    """By BIC among all seven, from noisy samples in the order of time; the held-out error of the winner is the noise."""
    t = 0.003 + np.arange(1500) * 0.01
    v = 1.2 * np.sin(1.7 * t) * np.cos(0.31 * t)
    load = 20 * np.sin(2.9 * t)
    tau = printed(true, v, load) + 0.2 * np.random.default_rng(1).standard_normal(len(t))
    found = compare_friction(v, tau, load)
    assert found.best().law == true
    names = [fit.law for fit in found.fits]
    assert found.held_out[names.index(true)] == pytest.approx(0.2, rel=0.1)
    assert found.held_out[names.index(true)] <= 1.01 * np.nanmin(found.held_out)
    assert "held out" in found.summary() and len(found.summary().splitlines()) == 8


def test_comparison_without_load_and_choices() -> None:
    found = compare_friction(V, TAU, blocks=2)
    assert "load" not in [fit.law for fit in found.fits]
    with pytest.raises(UnknownNameError, match="criterion 'cp'"):
        found.best("cp")
    with pytest.raises(RankError, match="blocks to leave out: 1, expected two or more"):
        compare_friction(V, TAU, blocks=1)


def test_fewer_independent_samples_excuse_the_simple_law() -> None:
    """A faint Stribeck hump is believed from 400 independent samples and not when they count as 20."""
    v = np.concatenate([-np.geomspace(0.02, 2, 200), np.geomspace(0.02, 2, 200)])
    tau = 5 * np.sign(v) + 0.06 * np.exp(-((v / 0.2) ** 2)) * np.sign(v) + 0.1 * np.random.default_rng(0).standard_normal(400)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OptidWarning)
        many, few = (optid.solve(FrictionCurve(v, tau, "stribeck", independent_share=share)) for share in (1.0, 0.05))
    assert "fs" not in many.undetermined and "fs" in few.undetermined


def test_refusals() -> None:
    with pytest.raises(RankError, match="in both directions"):
        FrictionCurve(SPEEDS, SPEEDS)
    with pytest.raises(UnknownNameError, match="Did you mean 'coulomb'"):
        FrictionCurve(V, TAU, "colomb")
    with pytest.raises(DataError, match="friction law 'load': no load"):
        FrictionCurve(V, TAU, "load")
    with pytest.raises(DataError, match="friction law 'load': no load"):
        optid.solve(FrictionCurve(V, TAU, "load", np.sin(V))).torque(V)
    with pytest.raises(ShapeError, match="vectors of one length"):
        FrictionCurve(V, TAU, load=V[:3])
    with pytest.raises(DataError, match="independent share"):
        FrictionCurve(V, TAU, independent_share=0.0)
    with pytest.raises(DataError, match="NaN or infinite samples"):
        FrictionCurve(V, TAU * np.nan)
