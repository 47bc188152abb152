"""What a notebook shows: every number in a table is the object's own, names are escaped, and importing costs nothing."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest

import optid
from optid import BaseParameters, DynamicModel, Limits, identify, library, validate
from optid.identification import compare
from optid.notebook import MOST_ROWS, table
from optid.problems import Excitation
from optid.problems.flexibility import FlexibilityResult, TuningRun
from optid.signals import Samples
from optid.trajectory import Fourier

NASTY = "<b>&\"joint'"


class Tables(HTMLParser):
    """Cells of the tables, the caption and the notes; every tag must be closed in its turn."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.rows: list[list[str]] = []
        self.text: dict[str, list[str]] = {"caption": [], "p": []}

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        assert tag in ("table", "caption", "thead", "tbody", "tr", "th", "td", "p"), tag
        self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("th", "td"):
            self.rows[-1].append("")
        if tag in self.text:
            self.text[tag].append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open[-1] in ("th", "td"):
            self.rows[-1][-1] += data
        else:
            self.text[self.open[-1]][-1] += data


def parsed(thing: Any) -> Tables:
    page = Tables()
    page.feed(thing if isinstance(thing, str) else thing._repr_html_())
    page.close()
    assert page.open == []
    assert len({len(row) for row in page.rows}) == 1
    return page


@pytest.fixture(scope="module")
def base() -> BaseParameters:
    robot = library.planar_2r().with_friction(viscous=1.0, coulomb=0.5)
    joints = (replace(robot.joints[0], name=NASTY), robot.joints[1])
    return BaseParameters.of(DynamicModel(replace(robot, joints=joints, name=NASTY), "viscous+coulomb"))


@pytest.fixture(scope="module")
def samples(base: BaseParameters) -> Samples:
    rng = np.random.default_rng(0)
    state = rng.standard_normal((3, 300, 2))
    tau = base.model.inverse_dynamics(base.model.nominal_parameters(), *state)
    return Samples.from_arrays(*state, tau + 0.1 * rng.standard_normal(tau.shape), rate=100, name=NASTY)


def test_table_escapes_and_cuts() -> None:
    page = parsed(table(NASTY, [NASTY, "x"], [[NASTY, k] for k in range(MOST_ROWS + 3)], [NASTY]))
    assert page.text["caption"] == [NASTY]
    assert page.text["p"] == ["3 more rows are not shown", NASTY]
    assert page.rows[0] == [NASTY, "x"] and page.rows[-1] == [NASTY, str(MOST_ROWS - 1)] and len(page.rows) == MOST_ROWS + 1


def test_robot(base: BaseParameters) -> None:
    robot = base.model.robot
    page = parsed(robot)
    assert [row[0] for row in page.rows[1:]] == [NASTY, "joint2"]
    assert [float(row[-1]) for row in page.rows[1:]] == [2.0, 1.5]
    assert page.text["caption"][0].startswith(f"{NASTY}: 2 joints, 3.5 kg")


def test_every_library_robot_shows() -> None:
    for name in library.__all__:
        robot = getattr(library, name)()
        page = parsed(robot)
        assert len(page.rows) == robot.n_links + 1
        for row, link in zip(page.rows[1:], robot.links, strict=True):
            assert float(row[-1]) == pytest.approx(link.mass, rel=1e-5)


def test_base_parameters(base: BaseParameters) -> None:
    """By hand (docstring of ``planar_2r``): mx1 + 0.5 m2 = 1.15, my1 = 0.02, Izz1 + 0.25 m2 = 0.4852, mx2 = 0.225, my2 = −0.03, Izz2 = 0.05435."""
    page = parsed(base)
    values = {row[0]: float(row[1]) for row in page.rows[1:]}
    assert values["mx1 + 0.5*m2"] == 1.15 and values["Izz1 + 0.25*m2"] == 0.4852 and values["fc2"] == 0.5
    assert "10 base parameters of 24 standard parameters" in page.text["caption"][0]
    assert page.text["p"][0].startswith("never seen in any torque: m1, mz1, ")


def test_fit(base: BaseParameters, samples: Samples) -> None:
    fit = identify(base, samples)
    page = parsed(fit)
    assert [row[0] for row in page.rows[1:]] == list(fit.formulas)
    np.testing.assert_allclose([float(row[1]) for row in page.rows[1:]], fit.beta, rtol=1e-5)
    np.testing.assert_allclose([float(row[2]) for row in page.rows[1:]], fit.sigma, rtol=1e-5)
    np.testing.assert_allclose([[float(end) for end in row[4].split(" … ")] for row in page.rows[1:]], fit.interval(), rtol=1e-5)
    assert f"error {100 * fit.errors().stacked:.2f} %" in page.text["caption"][0]


def test_fit_says_what_is_undetermined(base: BaseParameters) -> None:
    """The second joint never moves, so that its inertia and friction stay open; no cell shows a NaN."""
    rng = np.random.default_rng(1)
    state = rng.standard_normal((3, 100, 2)) * [1.0, 0.0]
    tau = base.model.inverse_dynamics(base.model.nominal_parameters(), *state)
    fit = identify(base, Samples.from_arrays(*state, tau, rate=100))
    page = parsed(fit)
    shown = {row[0] for row in page.rows if row[1] == "undetermined"}
    assert shown == {formula for formula, known in zip(fit.formulas, fit.determinacy.determined, strict=True) if not known} and "fv2" in shown
    assert not any("nan" in cell for row in page.rows for cell in row)
    assert [text for text in page.text["p"] if text.startswith("undetermined: ")] == [f"undetermined: {text}" for text in fit.undetermined]


def test_validation(base: BaseParameters, samples: Samples) -> None:
    score = validate(identify(base, samples), samples)
    page = parsed(score)
    for row, joint in zip(page.rows[1:], score.joints, strict=True):
        assert row[0] == joint.name
        assert float(row[1]) == pytest.approx(joint.rms, rel=1e-5) and float(row[6]) == pytest.approx(joint.constant, rel=1e-5)
        assert row[3] == f"{100 * joint.relative:.2f} %" and row[7] == "–"


def test_comparison(base: BaseParameters, samples: Samples) -> None:
    result = compare(base, [samples], methods={"a<": "wls", "b": "ols"}, folds=0)
    page = parsed(result)
    assert [row[0] for row in page.rows[1:]] == ["a<", "b"]
    training = result["a<"].training
    assert training is not None and page.rows[1][1] == f"{100 * training.stacked:.2f} %" and page.rows[1][2] == "–"
    assert repr(result) == "Comparison(a<, b)"


def test_excitation_and_its_motion() -> None:
    base = BaseParameters.of(DynamicModel(library.planar_2r(), "none"))
    problem = Excitation(base, harmonics=2, period=2.0, limits=Limits.of(2, position=1.0, velocity=3.0, acceleration=20.0), samples=40)
    plan = optid.solve(problem, seed=0)
    page = parsed(plan)
    np.testing.assert_allclose([float(row[2]) for row in page.rows[1:]], plan.quality.sigma, rtol=1e-5)
    assert page.text["caption"][0].endswith(f"condition number {plan.condition_number:.6g}, all limits proven")
    motion = parsed(plan.trajectory)
    highest = [float(row[1].split(" … ")[1]) for row in motion.rows[1:]]
    np.testing.assert_allclose(highest, plan.trajectory.extremes(0).maximum, rtol=1e-5)
    assert max(highest) <= 1.0


def test_trajectory_by_hand() -> None:
    """0.5 sin(2 pi t): speed up to pi, acceleration up to 2 pi²."""
    page = parsed(Fourier([0.0], [[0.5]], [[0.0]], period=1.0, joint_names=(NASTY,)))
    assert page.rows[1][0] == NASTY
    for cell, largest in zip(page.rows[1][1:], (0.5, np.pi, 2 * np.pi**2), strict=True):
        np.testing.assert_allclose([float(end) for end in cell.split(" … ")], [-largest, largest], rtol=1e-5)


def test_tuning() -> None:
    runs = (TuningRun(1, (100.0, 100.0), 2.0), TuningRun(2, (94.0, 107.0), 0.5), TuningRun(3, (90.0, 110.0), float("nan")))
    solution = optid.solve(optid.problems.BlackBox(lambda x: float(x @ x), lower=[0], upper=[1]), budget=2, solver="random")
    result = FlexibilityResult(np.array([94.0, 107.0]), 0.5, 2.0, runs, ("axis <2>", "axis 3"), ("axis <2>", "axis 3"), solution)
    page = parsed(result)
    assert page.rows[0][1] == "axis <2> [%]"
    assert [row[3:] for row in page.rows[1:]] == [["2", ""], ["0.5", "best"], ["–", ""]]
    assert page.text["caption"] == ["0.5 after 3 runs, 25% of the start's 2"]
    assert parsed(replace(result, value=0.0, start_value=0.0)).text["caption"] == ["0 after 3 runs"]


def test_looks_cost_no_import() -> None:
    """The room needs nothing but the standard library and NumPy."""
    code = "import sys, optid.notebook, optid.brief; print([m for m in ('casadi', 'scipy', 'matplotlib', 'jinja2', 'h5py') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
