"""Numbers of the report equal those of the result; the page needs no network and no trust."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from optid import DynamicModel, Preprocessing, identify, validate
from optid.errors import DataError, FileError, ShapeError
from optid.report import (
    html_report,
    plot_comparison,
    plot_parameters,
    plot_residual_spectrum,
    plot_singular_values,
    plot_torque,
    residual_spectrum,
    text_report,
    to_dict,
    to_json,
    verdict,
    write_report,
)
from optid.report.chart import thinned

from .conftest import Case, Page, recording


def test_json_equals_the_result(case: Case) -> None:
    said = json.loads(to_json(case.fit, [case.validation]))
    assert [p["value"] for p in said["parameters"]] == case.fit.beta.tolist()
    assert [p["sigma"] for p in said["parameters"]] == case.fit.sigma.tolist()
    assert [[p["lower"], p["upper"]] for p in said["parameters"]] == case.fit.interval().tolist()
    assert said["fit"]["condition_number"] == case.fit.condition_number
    assert said["fit"]["error_raw"]["per_joint"] == case.fit.errors("raw").per_joint.tolist()
    assert said["validations"][0]["filtered"]["stacked"] == case.validation.errors.stacked
    assert [j["rms"] for j in said["validations"][0]["joints"]] == [j.rms for j in case.validation.joints]
    assert said["provenance"]["solver"] == "lstsq"


def test_what_is_not_finite_becomes_null(arm: DynamicModel) -> None:
    """Only one joint moves (C29): undetermined parameters are null in JSON, never NaN, and the verdict says how many."""
    trial = recording(arm, "one joint", "identification", 0)
    still = replace(trial, q=trial.q * [0, 1], dq=trial.dq * [0, 1], ddq=trial.ddq * [0, 1])  # type: ignore[operator]
    fit = identify(arm, still, preprocessing=Preprocessing(cutoff=None, min_speed=0))
    said = json.loads(to_json(fit))
    open_ = [p["formula"] for p in said["parameters"] if not p["determined"]]
    assert open_ and all(p["value"] is None for p in said["parameters"] if not p["determined"])
    good = len(said["parameters"]) - len(open_)
    assert f"{good} of {len(said['parameters'])} base parameters are determined; undetermined: {open_[0]}" in said["verdict"]
    assert "undetermined by these data" in html_report(fit)


def test_verdict_states_its_scope(case: Case) -> None:
    text = verdict(case.fit, [case.validation])
    assert text.startswith("On 'task <1>' (2 joints, 10 s, not used for the fit)")
    assert f"{case.validation.errors.stacked:.2%}" in text
    worst = max(case.validation.joints, key=lambda j: j.rms / j.constant)
    assert f"worst {worst.name}: {worst.rms:.3g} N m rms, a constant {worst.constant:.3g} N m, noise floor not known (no cycles)." in text
    assert text.endswith(f"All {case.fit.base.rank} base parameters are determined.")
    assert verdict(case.fit).startswith("Not validated: on its own data (training)")
    assert "the fit used a trial of that name" in verdict(replace(case.fit, trials=("task <1>",)), [case.validation])
    assert text_report(case.fit, [case.validation]).startswith(f"{text}\n\nUsable for torque feedforward and for simulation")


def test_pure_noise_is_seen_through(arm: DynamicModel) -> None:
    """C64: torque that is nothing but noise: training error below 1, validation error at least 1, and the verdict says that a constant is as good."""
    options = Preprocessing(cutoff=None, min_speed=0)
    fit = identify(arm, recording(arm, "noise", "identification", 0, noise=1.0, seconds=0.3, torque=False), preprocessing=options)
    validation = validate(fit, recording(arm, "more noise", "validation", 1, noise=1.0, seconds=5.0, torque=False))
    assert fit.errors().stacked < 1 <= validation.errors.stacked
    said = to_dict(fit, [validation])
    assert said["validations"][0]["filtered"]["stacked"] >= 1
    assert "No better than a constant there: shoulder, elbow." in verdict(fit, [validation])


def test_spectrum_of_a_sine() -> None:
    """2 sin(2π 5 t): amplitude 2 at 5 Hz (a whole number of periods in the window), nothing at 20 Hz; the mean does not show."""
    t = np.arange(1000) / 100
    frequency, amplitude = residual_spectrum(t, np.column_stack([2 * np.sin(2 * np.pi * 5 * t) + 7, 0 * t]), 100.0)
    at = int(np.argmin(np.abs(frequency - 5)))
    assert amplitude[at, 0] == pytest.approx(2.0, rel=1e-9)
    assert amplitude[np.abs(frequency - 5) > 0.25, 0].max() < 1e-9
    assert not amplitude[:, 1].any()


def test_spectrum_does_not_cross_a_gap() -> None:
    """Two pieces: the longer one counts."""
    t = np.concatenate([np.arange(100) / 100, 5 + np.arange(300) / 100])
    x = np.where(t < 5, 100.0, np.sin(2 * np.pi * 10 * t))[:, None]
    frequency, amplitude = residual_spectrum(t, x, 100.0)
    assert len(frequency) == 150 and amplitude.max() == pytest.approx(1.0, rel=1e-6)
    with pytest.raises(DataError, match="3 samples"):
        residual_spectrum(t[:3], x[:3], 100.0)


def test_thinned_curves_keep_their_extremes() -> None:
    """A million points with one spike: few are drawn, the spike is among them, and a gap breaks the line."""
    t = np.arange(1_000_000) / 1000.0
    t[600_000:] += 5.0
    x = np.sin(t)
    x[123_456] = 50.0
    time, (curve,) = thinned(t, x, gap=0.0015)
    assert len(time) < 5000 and np.nanmax(curve) == 50.0
    assert np.isnan(time).sum() == 1
    at = int(np.flatnonzero(np.isnan(time))[0])
    assert time[at - 1] < t[600_000] <= time[at + 1]


def test_torque_plot_shows_the_data(case: Case) -> None:
    figure = plot_torque(case.validation, case.fit.base.model.robot)
    lines = {line.get_label(): line for line in figure.axes[0].get_lines()}
    assert np.array_equal(lines["predicted"].get_ydata(), case.validation.predicted[:, 0])
    assert figure.axes[1].get_title("left") == "elbow" and figure.axes[1].get_ylabel() == "[N m]"
    banded = replace(case.validation, tau_band=np.full_like(case.validation.tau, 3.0))
    band = plot_torque(banded).axes[0].collections[0].get_paths()[0].vertices
    assert band[:, 1].max() == pytest.approx(case.validation.tau_raw[:, 0].max() + 3.0)


def test_parameter_plot_shows_intervals_and_errors(case: Case) -> None:
    figure = plot_parameters(case.fit, case.truth)
    errors = figure.axes[2].get_lines()[-1].get_xdata()
    assert errors == pytest.approx((case.fit.beta - case.truth) / case.fit.sigma)
    assert [bar.get_width() for bar in figure.axes[0].patches] == pytest.approx(case.fit.beta)
    with pytest.raises(ShapeError, match="truth"):
        plot_parameters(case.fit, case.truth[:-1])
    assert plot_singular_values(case.fit).axes[0].get_lines()[0].get_ydata() == pytest.approx(case.fit.determinacy.singular_values)


def test_plots_of_a_perfect_prediction(case: Case) -> None:
    """Residual zero everywhere: a logarithmic axis has nothing to show, and no warning comes of it."""
    v = case.validation
    figure = plot_residual_spectrum(replace(v, predicted=v.tau, tau_raw=v.tau))
    figure.savefig("/dev/null", format="png")
    curves = [line.get_ydata() for ax in figure.axes for line in ax.get_lines()]
    assert len(curves) == 2 and all((curve == 1e-300).all() for curve in curves)
    assert [ax.get_yscale() for ax in figure.axes] == ["log", "log"]


def test_names_are_no_formulas(case: Case) -> None:
    """Names with dollar signs and backslashes come from files; matplotlib must not typeset them."""
    v = case.validation
    joints = tuple(replace(j, name=r"$\frac{1$") for j in v.joints)
    odd = replace(v, joints=joints, trial=r"$\nothing{$")
    for figure in (plot_torque(odd), plot_residual_spectrum(odd), plot_comparison([odd], [r"$\x$"])):
        figure.savefig("/dev/null", format="png")
    assert plot_torque(odd).axes[0].get_title("left") == r"$\frac{1$"


def test_report_of_a_few_samples(case: Case) -> None:
    """Five samples without torque: no spectrum, no percent of nothing, but a report."""
    v = case.validation
    short = {what: np.zeros((5, 2)) for what in ("tau", "tau_raw", "predicted")}
    joints = tuple(replace(j, relative=np.nan, relative_raw=np.nan, r_squared=np.nan, constant=0.0) for j in v.joints)
    none = replace(v.errors, stacked=np.nan, per_joint=np.full(2, np.nan), mean_per_joint=np.nan)
    few = replace(v, time=v.time[:5], moving=v.moving[:5], joints=joints, errors=none, errors_raw=none, **short)  # type: ignore[arg-type]
    page = Page(html_report(case.fit, [few]))
    assert len(page.loads) == 4 and "Spectrum of the residual" not in page.text and "Whiteness" not in page.text
    assert "torque off by – of its size" in page.text


def test_comparison_needs_equal_joints(case: Case) -> None:
    assert len(plot_comparison([case.validation, case.validation], ["a", "b"]).axes) == 4
    with pytest.raises(ShapeError, match="1 labels"):
        plot_comparison([case.validation, case.validation], ["a"])


@pytest.fixture(scope="module")
def folder(case: Case, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report that was written, in folders that were not there."""
    page = write_report(tmp_path_factory.mktemp("reports") / "new" / "report", case.fit, [case.validation])
    assert page.name == "report.html"
    return page.parent


def test_report_folder(case: Case, folder: Path, tmp_path: Path) -> None:
    assert {p.stem for p in folder.glob("*.png")} == {"parameters", "singular_values", "torque-1", "residuals-1", "spectrum-1", "whiteness-1"}
    assert all(p.read_bytes().startswith(b"\x89PNG") for p in folder.glob("*.png"))
    assert json.loads((folder / "results.json").read_text()) == to_dict(case.fit, [case.validation])
    (tmp_path / "file").write_text("")
    with pytest.raises(FileError, match="a folder that can be written"):
        write_report(tmp_path / "file", case.fit)


def test_same_fit_same_report(case: Case, folder: Path, tmp_path: Path) -> None:
    write_report(tmp_path, case.fit, [case.validation])
    for file in folder.iterdir():
        assert file.read_bytes() == (tmp_path / file.name).read_bytes()
