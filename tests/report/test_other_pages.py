"""Pages of a design and of a tuning."""

from __future__ import annotations

import json
from pathlib import Path

import h5py
import numpy as np
import pytest

from optid import Trial
from optid.flexibility.objectives import TailRule
from optid.flexibility.session import TuningSession
from optid.flexibility.settings import SafetyLimits, TuningSettings
from optid.problems import ExcitationResult
from optid.report import write_design_report, write_tuning_report
from optid.report.design_report import motion_charts
from optid.report.tuning_report import tuning_facts, vibration_charts

from .browser import CHROMIUM
from .conftest import Page, assert_page_equals
from .test_browser import check_page

needs_browser = pytest.mark.skipif(CHROMIUM is None, reason="no chromium on this machine")
TIME = np.arange(500) / 1e3


def test_design_page(designed: ExcitationResult, tmp_path: Path) -> None:
    """Criterion, proof, margins and predicted sigmas are the design's own; the extremes lie inside the limits by the margins."""
    page = Page(write_design_report(tmp_path, designed, provenance={"command": "optid design x"}).read_text())
    facts = json.loads((tmp_path / "results.json").read_text())
    assert_page_equals(page, facts)
    assert facts["level"] == "good" and facts["headline"].startswith("Ready for the robot: every limit is proven at every instant")
    assert facts["quality"]["condition_number"] == designed.condition_number
    assert [p["sigma"] for p in facts["parameters"]] == designed.quality.sigma.tolist()
    for joint in facts["motions"][0]["joints"]:
        for quantity, limit in (("position", 1.0), ("velocity", 3.0), ("acceleration", 20.0)):
            found = joint[quantity]
            assert (found["lower"], found["upper"]) == (-limit, limit)
            room = min(found["least"] - found["lower"], found["upper"] - found["largest"])
            assert 0 <= found["margin"] == pytest.approx(room, abs=1e-6)
    assert [s["start"] for s in facts["starts"]] == [1, 2]
    with h5py.File(tmp_path / "results.h5") as file:
        assert file["results/report/quality/singular_values"][()].tolist() == designed.quality.singular_values.tolist()


def test_motion_charts_show_the_motion_and_its_limits(designed: ExcitationResult) -> None:
    for order, (chart, limit) in enumerate(zip(motion_charts(designed, designed.trajectory), (1.0, 3.0, 20.0), strict=True)):
        for j, panel in enumerate(chart.panels):
            np.testing.assert_allclose(panel.curves[0].y, designed.trajectory.derivative(panel.x, order)[:, j])
            assert panel.levels == (-limit, limit)


def recording(upsilon: tuple[float, ...]) -> Trial:
    """A vibration of 8 and 13 Hz that is proportional to the distance from (94, 107) %."""
    away = (np.array(upsilon) - (94, 107)) @ np.array([[1.0, 0.3], [0.2, 0.5]]) / 50
    waves = np.stack([np.sin(2 * np.pi * f * TIME) * np.exp(-5 * TIME) for f in (8.0, 13.0)])
    return Trial(time=TIME, q=np.zeros((500, 2)), tau=np.column_stack([away @ waves, away[::-1] @ waves]), joint_names=("axis2", "axis3"))


@pytest.fixture(scope="module")
def tuned(tmp_path_factory: pytest.TempPathFactory) -> TuningSession:
    settings = TuningSettings(TailRule(0.1, 60.0), ("axis2", "axis3"), budget=6, limits=SafetyLimits(10.0, (40.0, 40.0), 5.0))
    session = TuningSession.create(tmp_path_factory.mktemp("tuning") / "t.h5", settings)
    while (request := session.ask()) is not None:
        if request.number == 2:
            session.fail(2, "emergency <stop>")
        else:
            session.tell(request.number, recording(request.upsilon))
    return session


def test_tuning_page(tuned: TuningSession, tmp_path: Path) -> None:
    """Runs, values and the safe point are the session's own; the failed run has its reason as text."""
    page = Page(write_tuning_report(tmp_path, tuned).read_text())
    facts = json.loads((tmp_path / "results.json").read_text())
    assert_page_equals(page, facts)
    found = tuned.report()
    assert [run["upsilon"] for run in facts["runs"]] == [list(run.upsilon) for run in found.runs]
    assert facts["best"] == {"upsilon": found.upsilon.tolist(), "value": found.value, "start_value": found.start_value}
    assert facts["runs"][0]["share"] == 1.0 and facts["runs"][1]["value"] is None and "emergency <stop>" in page.text
    goal = ", ".join(f"{name} {u:g} %" for name, u in zip(found.names, found.upsilon, strict=True))
    assert {"topic": "Safe to go back to", "text": f"{goal}."} in facts["statements"]
    assert facts["settings"]["limits"]["max_torque"] == [40.0, 40.0]


def test_vibration_before_and_after(tuned: TuningSession) -> None:
    """The signals are those that the rule judges: their norms are the objective; the spectrum of the first run peaks near 8 Hz on axis 2."""
    found = tuned.report()
    vibration, spectrum = vibration_charts(tuned, found)
    for which, value in ((0, found.start_value), (1, found.value)):
        norms = [float(np.sqrt(np.mean(panel.curves[which].y ** 2))) for panel in vibration.panels]
        assert np.mean(norms) == pytest.approx(value)
    assert vibration.panels[0].x[0] == pytest.approx(0.1)
    panel = spectrum.panels[0]
    assert panel.x[np.argmax(panel.curves[0].y)] == pytest.approx(8.0, abs=2.0)


def test_a_tuning_that_has_not_begun(tmp_path: Path) -> None:
    """Wherever it is to begin: until a run was safe, the delivered controller is what the robot goes back to."""
    session = TuningSession.create(tmp_path / "t.h5", TuningSettings(TailRule(0.1, 60.0), ("axis2", "axis3"), start=(90.0, 110.0)))
    assert tuning_facts(session, session.report())["headline"] == "No safe run yet."
    page = Page(write_tuning_report(tmp_path / "report", session).read_text())
    assert page.scripts == [] and "axis2 100 %, axis3 100 %" in page.text


@needs_browser
def test_other_pages_in_a_browser(designed: ExcitationResult, tuned: TuningSession, tmp_path: Path) -> None:
    for name, page, charts in (
        ("design", write_design_report(tmp_path / "design", designed), 3),
        ("tuning", write_tuning_report(tmp_path / "tuning", tuned), 2),
    ):
        (tmp_path / f"browser-{name}").mkdir()
        check_page(page, tmp_path / f"browser-{name}", charts)
