"""Plots of a designed excitation show its numbers."""

from __future__ import annotations

import numpy as np
import pytest

from optid.problems import ExcitationResult
from optid.report.design_plots import convergence, design_figures


def test_curves_are_those_of_the_motion(designed: ExcitationResult) -> None:
    """Position, velocity, acceleration over time, and both limits of each."""
    axes = np.array(design_figures(designed)["motion"].axes).reshape(2, 3)
    for k in range(3):
        for j in range(2):
            curve, *limits = axes[j, k].lines
            np.testing.assert_allclose(curve.get_ydata(), designed.trajectory.derivative(curve.get_xdata(), k)[:, j])
            assert sorted(line.get_ydata()[0] for line in limits) == [-(1.0, 3.0, 20.0)[k], (1.0, 3.0, 20.0)[k]]


def test_convergence_falls_to_the_result(designed: ExcitationResult) -> None:
    """Every start begins above the condition number that is kept; iterates, not yet shrunk into the limits, pass it by a few per cent at most."""
    starts, values = convergence(designed)
    assert set(starts) == {0, 1}
    assert all(values[starts == k][0] > designed.condition_number for k in (0, 1))
    assert values.min() == pytest.approx(designed.condition_number, rel=0.1)


def test_singular_values_and_swept_volume(designed: ExcitationResult) -> None:
    figures = design_figures(designed)
    np.testing.assert_allclose(figures["singular_values"].axes[0].lines[0].get_ydata(), designed.quality.singular_values)
    above = figures["swept_volume"].axes[0].lines
    reach = [float(np.hypot(line.get_xdata(), line.get_ydata()).max()) for line in above]
    np.testing.assert_allclose(reach, [0.0, 0.5, 0.5], atol=1e-12)  # origins of link 1, of link 2 at the end of the 0.5 m link, and of the tool
