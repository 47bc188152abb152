"""A page shows the facts and nothing else, needs no network, trusts no name, and stays small."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import h5py
import numpy as np
import pytest

import optid
from optid import DynamicModel, Preprocessing, load_result
from optid.errors import FileError, MissingExtraError
from optid.report import Recording, Table, html_report, to_dict, write_report
from optid.report.chart import Chart, Panel, per_panel
from optid.report.live import live
from optid.report.page import escaped
from optid.report.torque_charts import torque_chart, whiteness_chart
from optid.report.whiteness import residual_whiteness
from optid.validation import ValidationResult

from .conftest import Case, Page, assert_page_equals, recording


@pytest.fixture(scope="module")
def whole(case: Case, arm: DynamicModel, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a report with everything in it."""
    folder = tmp_path_factory.mktemp("whole")
    recordings = [Recording.of(recording(arm, "training", "identification", 0), "a~b/c.h5")]
    fit = replace(case.fit, provenance={"command": "optid identify x", "seed": 0, "inputs": {"a~b/c.h5": "00ff"}})
    table = Table("A table", ("what", "how much"), [("one", 1.25), ("none", None)], "With a text.")
    own = [replace(case.validation, trial="training")]
    write_report(folder, fit, [case.validation], truth=case.truth, tables=[table], recordings=recordings, training=own, extra={"demo": {"period": 5.04}})
    return folder


def test_every_number_of_the_page_equals_the_json(whole: Path) -> None:
    facts = json.loads((whole / "results.json").read_text())
    page = Page((whole / "report.html").read_text())
    assert_page_equals(page, facts)
    pointers = {pointer for pointer, *_ in page.facts}
    for k in range(len(facts["parameters"])):
        assert {f"/parameters/{k}/{what}" for what in ("formula", "value", "sigma", "relative_sigma", "lower", "upper", "truth")} <= pointers
    for what in ("rms", "largest", "relative", "relative_raw", "r_squared", "constant", "moving", "moving_share"):
        assert f"/validations/0/joints/1/{what}" in pointers and f"/training/0/joints/0/{what}" in pointers
    assert {"/fit/condition_number", "/physical/links/0/smallest_eigenvalue", "/recordings/0/rate", "/recordings/0/jitter", "/tables/0/rows/0/1"} <= pointers
    assert f"/provenance/inputs/{escaped('a~b/c.h5')}" in pointers


def test_two_tests_and_cycles(case: Case) -> None:
    """Several validations, one with the noise of cycles."""
    noisy = replace(case.validation, joints=tuple(replace(j, noise_floor=0.1) for j in case.validation.joints), tau_band=np.full((2000, 2), 0.2))
    page = Page(html_report(case.fit, [case.validation, replace(noisy, trial="cycles 2")]))
    facts = to_dict(case.fit, [case.validation, replace(noisy, trial="cycles 2")])
    assert_page_equals(page, facts)
    assert ("/validations/1/joints/0/noise_floor", "0.1", "short", "0.1") in page.facts


def test_the_sections_come_in_the_order_of_need(whole: Path) -> None:
    """Verdict, parameters, tests, conditioning, bodies, data, provenance; headings never skip a level."""
    text = (whole / "report.html").read_text()
    order = [text.index(f'id="{name}"') for name in ("verdict", "parameters", "validation-1", "conditioning", "bodies", "data", "provenance")]
    assert order == sorted(order)
    levels = [int(tag[1]) for tag in Page(text).tags if re.fullmatch(r"h[1-6]", tag)]
    assert levels[0] == 1 and levels.count(1) == 1 and all(b - a <= 1 for a, b in pairwise(levels))


def test_pictures_have_words(whole: Path) -> None:
    """Every image has a description and every chart a name for a screen reader; the first link skips to the result."""
    text = (whole / "report.html").read_text()
    images = re.findall(r"<img [^>]*>", text)
    assert len(images) == 10 and all(re.search(r'alt="[^"]{20,}"', image) for image in images)
    assert len(re.findall(r'class="plot" id="[^"]+" role="group" aria-label="[^"]{20,}"', text)) == 8
    body = text[text.index("<body>") :]
    assert re.search(r'<a [^>]*href="#main"', body[:200])


def test_page_is_self_contained_and_escaped(case: Case) -> None:
    """Images are inside; the only scripts are those whose hash the page states; names from files are text, not markup."""
    text = html_report(case.fit, [case.validation], truth=case.truth)
    page = Page(text)
    assert "link" not in page.tags and len(page.loads) == 6 and all(x.startswith("data:image/png;base64,") for x in page.loads)
    stated = re.findall(r"'sha256-([^']+)'", text)
    assert stated == [base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in page.scripts] and len(stated) == 2
    assert "default-src 'none'" in text and "script-src 'unsafe" not in text
    assert "Dynamic model of two & <joints>" in page.text and "joints" not in page.tags
    assert "task <1>" in page.text
    assert not re.search(r"https?://", page.text)


def test_a_page_without_charts_has_no_script(case: Case) -> None:
    text = html_report(case.fit)
    assert "<script" not in text and "script-src 'none'" in text
    assert "Not tested on other motion" in text


def test_names_cannot_end_the_data(case: Case) -> None:
    """A joint called </script><script> stays a joint."""
    odd = "</script><script>alert(1)</script>"
    v = replace(case.validation, joints=tuple(replace(j, name=odd) for j in case.validation.joints), trial=odd)
    text = html_report(case.fit, [v])
    assert len(Page(text).scripts) == 2 and "<script>alert" not in text


def test_hdf5_holds_the_facts_by_columns(case: Case, whole: Path) -> None:
    """``/results/report/parameters/value`` is a vector; what is unknown is NaN; the model loads from the same file."""
    facts = json.loads((whole / "results.json").read_text())
    with h5py.File(whole / "results.h5") as file:
        report = file["results/report"]
        assert report["parameters/value"][()].tolist() == case.fit.beta.tolist()
        assert report["parameters/formula"].asstr()[()].tolist() == list(case.fit.formulas)
        assert report["validations/1/joints/rms"][()].tolist() == [j.rms for j in case.validation.joints]
        assert np.isnan(report["validations/1/joints/noise_floor"][()]).all()
        assert report.attrs["verdict"] == facts["verdict"]
        assert report["physical"].attrs["all_can_exist"] == 1 and report["parameters/determined"][()].tolist() == [1] * 10
        assert report["fit"].attrs["condition_number"] == facts["fit"]["condition_number"]
    assert load_result(whole / "results.h5").beta.tolist() == case.fit.beta.tolist()


def test_a_recording_is_not_written_over(case: Case, tmp_path: Path, arm: DynamicModel) -> None:
    from optid import Experiment, write_experiment

    write_experiment(Experiment("mine", [recording(arm, "a", "identification", 0)]), tmp_path / "results.h5")  # type: ignore[arg-type]
    before = (tmp_path / "results.h5").read_bytes()
    with pytest.raises(FileError, match="no results of a report"):
        write_report(tmp_path, case.fit)
    assert (tmp_path / "results.h5").read_bytes() == before


def long_validation(case: Case, n_samples: int = 1_000_000) -> ValidationResult:
    """A validation of many samples with one spike and one gap, made without a recording."""
    rng = np.random.default_rng(0)
    t = np.arange(n_samples) / 1000.0
    t[n_samples // 2 :] += 10.0
    tau = np.column_stack([30 * np.sin(t), 10 * np.cos(2 * t)])
    raw = tau + rng.normal(size=tau.shape)
    raw[123_456, 1] = 77.0
    v = case.validation
    return replace(v, time=t, tau=tau, tau_raw=raw, predicted=0.98 * tau, rate=1000.0, moving=np.ones(tau.shape, bool), states=(tau, tau, tau), tau_band=None)


def test_a_million_samples_stay_below_six_megabytes(case: Case) -> None:
    """Extremes are drawn, the page says so, and it is small; of a fourth trial there are numbers only."""
    v = case.validation
    text = html_report(case.fit, [long_validation(case), *(replace(v, trial=name) for name in ("second", "third", "fourth"))])
    assert len(text.encode()) < 4e6
    page = Page(text)
    assert "drawn by the extremes of short equal pieces" in page.text and "1000000" in page.text
    assert page.text.count("Not drawn, so that the page stays small") == 1


@pytest.mark.slow
def test_the_largest_page(case: Case) -> None:
    """Seven joints of nothing but noise, three trials of a million samples, all bands: still below 6 MB."""
    rng = np.random.default_rng(0)
    tau = rng.normal(size=(1_000_000, 7))
    raw = tau + rng.normal(size=tau.shape)
    robot = DynamicModel(optid.library.panda())
    fit = optid.identify(robot, recording(robot, "a", "identification", 0), preprocessing=Preprocessing(cutoff=None, min_speed=0))
    v = optid.validate(fit, recording(robot, "b", "validation", 1))
    t = np.arange(len(tau)) / 1000.0
    states = tuple(np.sin(t[:, None] * np.arange(1, 8)) for _ in range(3))
    long = replace(v, time=t, tau=tau, tau_raw=raw, predicted=0.5 * raw, moving=np.ones(tau.shape, bool), rate=1000.0, states=states, tau_band=0 * tau + 2)  # type: ignore[arg-type]
    assert len(html_report(fit, [long, replace(long, trial="c"), replace(long, trial="d")]).encode()) < 6e6


def test_points_are_shared_among_panels() -> None:
    """Short panels leave theirs to long ones, and the total holds."""

    def chart(*lengths: int) -> Chart:
        return Chart("c", "", "", tuple(Panel("", "", np.arange(float(n)), ()) for n in lengths))

    assert per_panel([chart(10, 20), chart(30)], 1000, 500) == 500
    assert per_panel([chart(50, 5000), chart(5000)], 1050, 6000) == 500
    assert per_panel([chart(5000, 5000)], 100, 6000) == 200


def test_the_envelope_keeps_peaks_and_gaps(case: Case) -> None:
    """The one spike among a million samples is in what the browser draws, and the line breaks at the gap."""
    chart = torque_chart(long_validation(case), fit=case.fit)
    panel = chart.thinned(2000).panels[1]
    raw = next(curve.y for curve in panel.curves if curve.look == "raw")
    assert len(panel.x) < 2600 and np.nanmax(raw) == 77.0
    assert np.isnan(panel.x).sum() == 1
    assert panel.band is not None and np.nanmin(panel.band.high - panel.band.low) > 0


def test_band_is_that_of_the_fit(case: Case) -> None:
    """At the samples themselves where there are few of them."""
    v = case.validation
    assert v.states is not None
    half = case.fit.prediction_band(*v.states)
    band = torque_chart(v, fit=case.fit).panels[0].band
    assert band is not None
    np.testing.assert_allclose(band.high - v.predicted[:, 0], half[:, 0], rtol=1e-9)
    np.testing.assert_allclose(v.predicted[:, 0] - band.low, half[:, 0], rtol=1e-9)


def test_live_charts_hold_the_samples_and_count_from_one(case: Case) -> None:
    """The document is the same whatever was drawn before in this process; its columns are the samples."""
    chart = torque_chart(case.validation)
    first, second = (json.dumps(live(chart, 4000)) for _ in range(2))
    assert first == second
    found = [gzip.decompress(base64.b64decode(text)) for text in re.findall(r'"data": "([^"]{200,})"', first)]
    assert case.validation.predicted[:, 0].astype(np.float32).tobytes() in found


def test_whiteness_of_white_and_of_coloured_noise(case: Case) -> None:
    """An AR(1) series of coefficient 0.8 has autocorrelation 0.8^k (closed form) and is found out; white noise is not."""
    rng = np.random.default_rng(3)
    n = 20_000
    white, colored = rng.normal(size=n), np.zeros(n)
    for k in range(1, n):
        colored[k] = 0.8 * colored[k - 1] + white[k]
    tau = np.column_stack([white, colored])
    v = replace(case.validation, time=np.arange(n) / 100, tau=tau, tau_raw=tau, predicted=0 * tau, rate=100.0, states=None)
    found = residual_whiteness(v)
    assert found.white.tolist() == [True, False]
    np.testing.assert_allclose(found.autocorrelation[1, :5], 0.8 ** np.arange(5), atol=0.03)
    assert found.bound == pytest.approx(1.96 / np.sqrt(n), rel=1e-4)
    assert whiteness_chart(v).panels[0].levels == (-found.bound, found.bound)


def test_recordings_are_described(arm: DynamicModel) -> None:
    """200 Hz with one double stamp, one gap of 1 s, three invalid samples."""
    trial = recording(arm, "odd", "validation", 0)
    time = trial.time.copy()
    time[100] = time[99]
    time[1000:] += 1.0
    valid = np.ones(len(time), dtype=bool)
    valid[5:8] = False
    said = Recording.of(replace(trial, time=time, valid=valid), "odd.h5").to_dict()
    assert (said["samples"], said["invalid"], said["duplicates"], said["gaps"]) == (2000, 3, 1, 1)
    assert said["median_step"] == pytest.approx(0.005) and said["seconds"] == pytest.approx(10.995)
    empty = Recording.of(trial.window(0, 1), "")
    assert empty.to_dict()["rate"] is None and empty.seconds == 0.0


def test_samples_that_are_no_numbers_are_not_drawn(case: Case) -> None:
    """A validation with NaN in it: its torque is drawn with a hole; there is no spectrum and no word on whiteness."""
    tau = case.validation.tau.copy()
    tau[5:9] = np.nan
    text = html_report(case.fit, [replace(case.validation, tau=tau, tau_raw=tau)])
    assert 'id="figure-torque-1"' in text and 'id="figure-spectrum-1"' not in text and "Whiteness" not in text


def test_a_missing_library_is_one_sentence(case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And nothing is written."""
    monkeypatch.setitem(sys.modules, "bokeh", None)
    with pytest.raises(MissingExtraError, match=r"^bokeh is not installed: install it with  pip install 'optid\[app\]'\.$"):
        write_report(tmp_path / "report", case.fit, [case.validation])
    assert not (tmp_path / "report").exists()


def test_facts_are_json(case: Case) -> None:
    """Written and read again they are the same, and no NaN or infinity is among them, whatever is undetermined."""
    facts = to_dict(case.fit, [case.validation], training=[case.validation], truth=case.truth)
    assert json.loads(json.dumps(facts, allow_nan=False)) == facts
