"""Reports in a real browser: from disk, without network, without a word on the console, on a desk and on a phone."""

from __future__ import annotations

import json
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from optid import BaseParameters, DynamicModel, Trial, identify, library, validate
from optid.report import Recording, write_report

from .browser import CHROMIUM, Browser
from .conftest import Case, Page, assert_page_equals

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no chromium on this machine")
DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "ur10e"
WIDTHS = (1280, 390)


def check_page(page: Path, folder: Path, charts: int) -> None:
    """Drawn at both widths: nothing sticks out, nothing is asked for, nothing is complained about, every chart is a chart."""
    with Browser(folder / "profile") as browser:
        for width in WIDTHS:
            browser.open(page, width)
            browser.see_all()
            assert browser.value("innerWidth") == width
            assert browser.value("document.documentElement.scrollWidth") == browser.value("document.documentElement.clientWidth")
            assert browser.value("document.querySelectorAll('figure.live').length") == charts
            # hidden pictures, and a drawing with pixels of its own as wide as its place
            assert browser.value("[...document.querySelectorAll('figure.live .still')].every((e) => getComputedStyle(e).display === 'none')")
            wide = browser.value("[...document.querySelectorAll('.plot > *')].map((e) => e.getBoundingClientRect().width)")
            assert len(wide) == charts and all(0.85 * width - 200 < w <= width for w in wide), wide
        assert browser.console == []
        assert [address for address in browser.requests if not address.startswith("data:")] == 2 * [page.resolve().as_uri()]


def test_report_of_a_simulated_robot(case: Case, tmp_path: Path) -> None:
    page = write_report(tmp_path / "report", case.fit, [case.validation], truth=case.truth)
    check_page(page, tmp_path, charts=4)


def test_keyboard_and_paper(case: Case, tmp_path: Path) -> None:
    """The first tab stop skips to the result; arrow keys move the time axis of all joints, Home brings it back; paper gets the pictures."""
    page = write_report(tmp_path / "report", case.fit, [case.validation])
    with Browser(tmp_path / "profile") as browser:
        browser.open(page, 1280)
        browser.press("Tab")
        assert browser.value("document.activeElement.getAttribute('href')") == "#main"
        browser.see_all()
        ends = "(() => { const d = Bokeh.documents[0].roots()[0]; return d.children.map(([p]) => [p.x_range.start, p.x_range.end]); })()"
        whole = browser.value(ends)
        assert whole == [[0.0, pytest.approx(9.995)]] * 2
        browser.value("document.getElementById('plot-torque-1').focus()")
        for key in ("+", "ArrowRight"):
            browser.press(key)
        low, high = 0.15 * whole[0][1], 0.85 * whole[0][1]
        moved = browser.value(ends)
        np.testing.assert_allclose(moved, [[low + 0.2 * (high - low), high + 0.2 * (high - low)]] * 2)
        browser.press("Home")
        assert browser.value(ends) == whole
        browser.pdf(tmp_path / "page.pdf")
        shown = "getComputedStyle(document.querySelector('figure.live {}')).display"
        assert (browser.value(shown.format(".still")), browser.value(shown.format(".plot"))) == ("block", "none")
        assert (tmp_path / "page.pdf").read_bytes().startswith(b"%PDF")


def test_without_scripts_the_pictures_stay(case: Case, tmp_path: Path) -> None:
    page = write_report(tmp_path / "report", case.fit, [case.validation])
    with Browser(tmp_path / "profile") as browser:
        browser.open(page, 390, scripts=False)
        assert browser.value("[...document.querySelectorAll('.still')].map((e) => [getComputedStyle(e).display, e.naturalWidth > 500])") == 6 * [
            ["block", True]
        ]
        assert browser.value("document.querySelectorAll('figure.live').length") == 0
        assert browser.value("document.documentElement.scrollWidth") == 390


def test_names_with_formulas_and_markup_load_nothing(case: Case, tmp_path: Path) -> None:
    """Bokeh would fetch MathJax for a joint called $$x$$."""
    v = case.validation
    odd = replace(v, trial=r"$$\int$$ <img src=x>", joints=tuple(replace(j, name=rf"$$x_{k}$$ \(y\) </script>") for k, j in enumerate(v.joints)))
    check_page(write_report(tmp_path / "report", case.fit, [odd]), tmp_path, charts=4)


def test_report_of_the_ur10e_recordings(tmp_path: Path) -> None:
    """Public logs of S. Mamedov's dynamic_calibration: fitted to 30 s, tested on point-to-point moves."""
    if not DATA.is_dir():
        pytest.skip("no recordings at ../shared/data/ur10e beside the checkout")
    gains = (10.0, 10.6956, 8.4566, 9.0029, 9.48, 10.1232)

    def trial(name: str, first: int, last: int) -> Trial:
        table = np.loadtxt(DATA / f"ur-{name}.csv", delimiter=",", usecols=range(19))[first - 1 : last]
        return Trial(table[:, 0], table[:, 1:7], dq=table[:, 7:13], current=table[:, 13:19], name=name).with_torque_from_current(gains)

    train, test = trial("20_02_10-30sec_12harm", 635, 3510), trial("20_01_17-ptp_10_points", 700, 4200)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Time stamps spread")
        fit = identify(BaseParameters.of(DynamicModel(library.ur10e(), rotor_inertia=True)), train)
        validation = validate(fit, test)
    page = write_report(tmp_path / "report", fit, [validation], recordings=[Recording.of(train), Recording.of(test)])
    assert page.stat().st_size < 6e6
    assert_page_equals(Page(page.read_text()), json.loads((page.parent / "results.json").read_text()))
    check_page(page, tmp_path, charts=4)
