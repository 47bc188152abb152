"""Pages of estimators and of results side by side."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from optid import DynamicModel, Preprocessing, load_result
from optid.errors import DataError
from optid.identification import compare
from optid.identification.compare import Comparison, Contestant
from optid.report import side_by_side, write_comparison, write_side_by_side
from optid.report.comparison import comparison_facts, plot_errors

from .conftest import Case, Page, assert_page_equals, recording

OPTIONS = Preprocessing(cutoff=None, min_speed=0)


@pytest.fixture(scope="module")
def comparison(arm: DynamicModel) -> Comparison:
    trials = [recording(arm, name, "identification", k) for k, name in enumerate(("a", "b"))]
    found = compare(arm, trials, methods=("ols", "wls"), validation=recording(arm, "c", "validation", 5), preprocessing=OPTIONS)
    return replace(found, rows=(*found.rows, Contestant("hopeless", None, error="<b>no</b> convergence after 3 steps")))


def test_estimators_page(comparison: Comparison, tmp_path: Path) -> None:
    """Numbers are the comparison's own; a failed estimator has its reason; every fit loads again by its name."""
    page = Page(write_comparison(tmp_path, comparison, provenance={"command": "optid compare x", "seed": 3}).read_text())
    facts = json.loads((tmp_path / "results.json").read_text())
    assert_page_equals(page, facts)
    assert facts["comparison"]["rows"][1]["validation"]["stacked"] == comparison["wls"].validation.stacked  # type: ignore[union-attr]
    assert {"/comparison/rows/0/validation/per_joint/1", "/comparison/rows/1/n_effective", "/provenance/seed"} <= {p for p, *_ in page.facts}
    assert "<b>no</b> convergence after 3 steps" in page.text and "b" not in page.tags
    assert load_result(tmp_path / "results.h5", "wls").beta.tolist() == comparison["wls"].result.beta.tolist()  # type: ignore[union-attr]


def test_what_decides(comparison: Comparison) -> None:
    """Validation trials, else folds, else the data of the fit, which the page warns of."""
    assert comparison_facts(comparison)["judge"] == "validation"
    folds = replace(comparison, rows=tuple(replace(row, validation=None) for row in comparison.rows))
    assert comparison_facts(folds)["judge"] == "cross"
    own = comparison_facts(replace(folds, rows=tuple(replace(row, cross=None) for row in folds.rows)))
    assert own["judge"] == "training" and any("the most flexible estimator always wins" in s["text"] for s in own["statements"])
    none = comparison_facts(replace(comparison, rows=comparison.rows[2:]))
    assert none["headline"] == "No estimator gave a result."


def test_marks_are_the_errors() -> None:
    figure = plot_errors({"a": np.array([0.01, 0.02]), "b": np.array([0.03, 0.04])}, ("one", "two"), "errors")
    assert [line.get_ydata().tolist() for line in figure.axes[0].get_lines()] == [[1.0, 2.0], [3.0, 4.0]]
    assert len({line.get_marker() for line in figure.axes[0].get_lines()}) == 2


def test_results_page(case: Case, tmp_path: Path) -> None:
    """A second result that is off by five standard deviations in one parameter and lacks another."""
    beta = case.fit.beta.copy()
    beta[2] += 5 * np.sqrt(2) * case.fit.sigma[2]
    beta[1] = np.nan
    other = replace(case.fit, beta=beta)
    validations = {"first": [case.validation], "other": [replace(case.validation, predicted=0.9 * case.validation.tau)]}
    page = Page(write_side_by_side(tmp_path, {"first": case.fit, "other": other}, validations).read_text())
    facts = json.loads((tmp_path / "results.json").read_text())
    assert_page_equals(page, facts)
    differences = [row["differences"][1] for row in facts["parameters"]]
    assert differences[2] == pytest.approx(5.0) and differences[1] is None and differences[0] == 0.0
    assert facts["results"][1]["errors"]["per_joint"] == pytest.approx([0.1, 0.1]) and facts["results"][1]["errors"]["stacked"] == pytest.approx(0.1)
    assert facts["level"] == "partly" and facts["headline"].startswith("1 of 10 parameters differ")


def test_results_of_other_robots_are_refused(case: Case, arm: DynamicModel) -> None:
    base = case.fit.base
    robot = replace(arm.robot, joints=tuple(replace(j, name=f"{j.name}2") for j in arm.robot.joints))
    other = replace(case.fit, base=replace(base, model=DynamicModel(robot, arm.friction)))
    with pytest.raises(DataError, match="joints shoulder2, elbow2, expected joints shoulder, elbow: one robot"):
        side_by_side({"a": case.fit, "b": other})
