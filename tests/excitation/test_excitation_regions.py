"""Points of the arm that stay inside a box, or outside a ball, at every instant."""

from __future__ import annotations

import numpy as np
import pytest

import optid
from optid import BaseParameters, DynamicModel, Limits
from optid.errors import LimitsError
from optid.excitation import KeepIn, KeepOut
from optid.library import planar_2r
from optid.problems import Excitation


def problem(*regions: KeepIn | KeepOut) -> Excitation:
    """Planar 2R; the watched point is 0.4 m along the second link."""
    limits = Limits.of(2, position=2.0, velocity=4.0, acceleration=30.0)
    base = BaseParameters.of(DynamicModel(planar_2r(), friction="none"))
    return Excitation(base, harmonics=3, period=3.0, limits=limits, samples=40, criterion="d", regions=regions)


def watched(q: np.ndarray) -> np.ndarray:
    """By hand: 0.5 m along the first link, 0.4 m along the second."""
    first, both = q[:, 0], q.sum(axis=1)
    return np.column_stack([0.5 * np.cos(first) + 0.4 * np.cos(both), 0.5 * np.sin(first) + 0.4 * np.sin(both)])


POINT = (0.4, 0.0, 0.0)


def test_box_and_ball_are_kept_at_every_instant() -> None:
    """The free design breaks both; the constrained one keeps both, proven, and seen on a fine grid by closed-form kinematics."""
    box = KeepIn([-np.inf, -0.5, -np.inf], [np.inf, 0.5, np.inf], point=POINT)
    ball = KeepOut([0.75, 0.3, 0.0], 0.1, point=POINT)
    result = optid.solve(problem(box, ball), solver="ipopt", seed=0)
    assert result.converged and result.proven
    t = np.linspace(0.0, 3.0, 20001)
    p = watched(result.trajectory.derivative(t))
    assert np.abs(p[:, 1]).max() <= 0.5
    assert np.linalg.norm(p - [0.75, 0.3], axis=1).min() >= 0.1
    free = watched(optid.solve(problem(), solver="ipopt", seed=0).trajectory.derivative(t))
    assert np.abs(free[:, 1]).max() > 0.6
    assert [report.quantity for report in result.path_reports] == ["position", "distance"]


def test_impossible_regions_are_refused() -> None:
    with pytest.raises(LimitsError, match="box to stay in"):
        problem(KeepIn([0.0, 0.0, 0.0], [0.0, 1.0, 1.0]))
    with pytest.raises(LimitsError, match="radius of a ball"):
        problem(KeepOut([0.0, 0.0, 0.0], 0.0))
