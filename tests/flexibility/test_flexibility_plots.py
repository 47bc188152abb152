"""What pictures of surfaces show: labels with units, marks where they belong, and one sentence for what cannot be drawn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from io import BytesIO
from typing import Any

import numpy as np
import pytest

from optid.errors import DataError, OptidError
from optid.flexibility.linear import linearise
from optid.flexibility.plots import GREY, plot_report, plot_response, plot_surfaces, plot_vibrations
from optid.flexibility.session_report import SessionReport, Verdict
from optid.flexibility.surfaces import Surface
from optid.flexibility.two_axis import set_a
from optid.problems.flexibility import TuningRun

GRID = np.arange(80.0, 121.0, 5.0)


def vee(first: float, second: float, label: str = "Λ [N m]") -> Surface:
    """c |Υ − Υ*| with its tip off the grid."""
    return Surface(GRID, np.hypot(GRID[:, None] - first, 0.3 * (GRID - second)), label)


def drawn(figure: Any) -> list[Any]:
    figure.savefig(BytesIO())
    return [figure.axes[k] for k in range(len(figure.axes))]


def test_labels_and_marks() -> None:
    """Two surfaces give four panels; the plus stands on the smallest grid value, the circle on the truth."""
    figure = plot_surfaces({"torque": vee(94, 107), "path": vee(94, 107, "Ω [m]")}, marks={"true optimum": (94.0, 107.0)})
    side, flat, _, other = drawn(figure)
    assert (side.get_title(), side.get_zlabel()) == ("torque", "Λ [N m]")
    assert side.get_xlabel() == flat.get_xlabel() == "Υ of axis 2 [%]" and flat.get_ylabel() == "Υ of axis 3 [%]"
    assert flat.get_title() == "level curves of Λ [N m]; smallest at 95, 105 %" and "Ω [mm]" in other.get_title()
    marks = [tuple(float(xy[0]) for xy in line.get_data()) for line in flat.lines if len(line.get_xdata()) == 1]
    assert marks == [(95.0, 105.0), (94.0, 107.0)]
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["smallest value", "true optimum"]


def test_level_curves_follow_the_edge_between_grid_points() -> None:
    """Squares of a cone are a paraboloid, which the spline has exactly: every level curve is the ellipse of its level, though the tip lies off the grid."""
    _, flat = drawn(plot_surfaces({"cone": vee(94, 107)}))
    contour = flat.collections[0]
    for level, path in zip(contour.levels[:4], contour.get_paths(), strict=False):
        distance = np.hypot(path.vertices[:, 0] - 94, 0.3 * (path.vertices[:, 1] - 107))
        assert np.allclose(distance, level, rtol=0.05)


@pytest.mark.parametrize("values", [np.ones((9, 9)), np.zeros((9, 9))])
def test_plateau_is_said(values: np.ndarray) -> None:
    _, flat = drawn(plot_surfaces({"flat": Surface(GRID, values)}))
    assert [text.get_text() for text in flat.texts] == ["the same everywhere"]


def test_failed_runs_leave_a_hole() -> None:
    values = vee(94, 107).values.copy()
    values[3, 5] = np.nan
    surface = Surface(GRID, values)
    assert surface.minimum == (95.0, 110.0)
    drawn(plot_surfaces({"one failed": surface}))


@pytest.mark.parametrize(
    ("surfaces", "names", "message"),
    [
        ({}, ("a", "b"), "surfaces to plot: none, expected a mapping of titles and surfaces"),
        ([vee(94, 107)], ("a", "b"), "surfaces to plot: list"),
        ({"x": 3}, ("a", "b"), "surfaces to plot: dict"),
        ({"x": Surface(np.array([100.0]), np.ones((1, 1)))}, ("a", "b"), "surface 'x': one value of Υ, expected two at least"),
        ({"x": vee(94, 107)}, ("a",), "names of the axes of a plot"),
        ({"x": vee(94, 107)}, "ab", "names of the axes of a plot: 'ab', expected 2"),
    ],
)
def test_messages(surfaces: Any, names: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        plot_surfaces(surfaces, names)


VERDICTS = (Verdict(0.2), Verdict(0.1), Verdict(np.nan, "emergency stop"), Verdict(0.05, "motor torque"))
RUNS = tuple(TuningRun(k + 1, upsilon, verdict.value) for k, (upsilon, verdict) in enumerate(zip([(100.0, 100.0), (95.0, 105.0)] * 2, VERDICTS, strict=True)))
REPORT = SessionReport(np.array([95.0, 105.0]), 0.1, 0.2, RUNS, VERDICTS, True, "over", ("axis2", "axis3"))


def test_report_tells_runs_apart() -> None:
    """Safe runs, one outside the limits and one without a value have marks of their own; the step follows the safe ones; the truth stands at the edge."""
    top, bottom = drawn(plot_report(REPORT, label="Λ [N m]", truth=(94.0, 107.0)))
    marks = {line.get_label(): line for line in top.lines}
    assert marks["run"].get_xdata().tolist() == [1, 2] and marks["run"].get_ydata().tolist() == [0.2, 0.1]
    assert marks["outside the limits"].get_xdata().tolist() == [4] and marks["without a value"].get_xdata().tolist() == [3]
    assert marks["best safe run so far"].get_ydata().tolist() == [0.2, 0.1, 0.1, 0.1]
    assert top.get_ylabel() == "Λ [N m]" and bottom.get_ylabel() == "Υ [%]" and bottom.get_xlabel() == "run"
    edge = [line.get_ydata()[0] for line in bottom.lines if line.get_marker() == "<"]
    assert edge == [94.0, 107.0]


def test_report_before_the_first_run() -> None:
    top, _ = drawn(plot_report(replace(REPORT, runs=(), verdicts=(), value=np.nan)))
    assert top.get_title() == "What every run left: no safe run yet"


def test_vibrations() -> None:
    time = np.arange(100) / 1e3
    first, second = drawn(plot_vibrations(time, {"one": np.ones((100, 2)), "other": np.zeros((100, 2))}, ("axis 2", "axis 3")))
    assert first.get_ylabel() == "axis 2 [N m]" and second.get_xlabel() == "time after T [s]" and len(first.lines) == 2


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: plot_report(None), "report of a tuning to plot: NoneType"),  # type: ignore[arg-type]
        (lambda: plot_vibrations([0.0], {}, ("a",)), "vibrations to plot: none"),
        (lambda: plot_vibrations([0.0, 1.0], {"a": np.ones((3, 1))}, ("a",)), r"vibration 'a': shape \(3, 1\)"),
        (lambda: plot_vibrations([0.0, 1.0], {"a": np.full((2, 1), np.nan)}, ("a",)), "vibration 'a': NaN"),
        (lambda: plot_vibrations([0.0, 1.0], {"a": np.ones((2, 2))}, "ab"), "vibrations to plot"),  # type: ignore[arg-type]
    ],
)
def test_messages_of_runs(call: Callable[[], object], message: str) -> None:
    with pytest.raises(OptidError, match=message):
        call()


@pytest.mark.parametrize("frequencies", [[], [5.0], [0.0, 1.0], [-1.0, 1.0], [60.0, 2.0], [np.nan, 1.0], "x", [1j, 2.0]])
def test_frequencies_that_are_none(frequencies: Any) -> None:
    with pytest.raises(OptidError, match="frequencies of a plot"):
        plot_response(linearise(set_a(), [0.0, 0.0]), frequencies, ("axis 2", "axis 3"))


def test_response_marks_resonances() -> None:
    """Set A at zero: resonances at 12.36 and 16.31 Hz; one curve a motor."""
    (ax,) = drawn(plot_response(linearise(set_a(), [0.0, 0.0]), np.geomspace(2, 60, 200), ("axis 2", "axis 3")))
    upright = sorted(float(line.get_xdata()[0]) for line in ax.lines if line.get_color() == GREY and len(line.get_xdata()) == 2)
    assert np.allclose(upright, [12.36, 16.31], atol=0.05)
    assert ax.get_xlabel() == "frequency [Hz]" and ax.get_legend_handles_labels()[1][:2] == ["axis 2", "axis 3"]
    with pytest.raises(DataError, match="names of the axes of a plot"):
        plot_response(linearise(set_a(), [0.0, 0.0]), [1.0, 2.0], ("axis 2",))
