"""What pictures of surfaces show: labels with units, marks where they belong, and one sentence for what cannot be drawn."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import numpy as np
import pytest

from optid.errors import DataError
from optid.flexibility.plots import plot_surfaces
from optid.flexibility.surfaces import Surface

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
