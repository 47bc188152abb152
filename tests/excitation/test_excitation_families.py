"""Other families than Fourier trajectories."""

from __future__ import annotations

import numpy as np
import pytest

import optid
from optid import BaseParameters, DynamicModel, Limits
from optid.excitation import BSplineFamily
from optid.library import planar_2r
from optid.problems import Excitation


def spline_problem(**options: object) -> Excitation:
    model = DynamicModel(planar_2r(), friction="none")
    limits = Limits.of(2, position=1.0, velocity=3.0, acceleration=20.0)
    family = BSplineFamily(2, 9)
    return Excitation(BaseParameters.of(model), period=3.0, limits=limits, samples=40, family=family, **options)  # type: ignore[arg-type]


def test_basis_gives_the_trajectory() -> None:
    """Position and three derivatives of the basis times the points, against the trajectory's own."""
    family = BSplineFamily(2, 9)
    C = np.random.default_rng(0).standard_normal((2, 9))
    phase = np.linspace(0, 1, 23)
    for order in range(4):
        values = np.einsum("jNm,jm->Nj", family.basis(phase, order), C) / 3.0**order
        np.testing.assert_allclose(values, family.trajectory(C, 3.0).derivative(3.0 * phase, order), atol=1e-9 * 10**order)
    np.testing.assert_array_equal(family.coefficients_of(family.trajectory(C, 3.0)), C)


def test_spline_design_from_rest_to_rest() -> None:
    """Proven at every instant, at rest at both ends, with a jerk limit that it keeps."""
    free = optid.solve(spline_problem(), solver="ipopt", seed=0)
    assert free.converged and free.proven
    _, dq, ddq = free.trajectory.evaluate([0.0, 3.0])
    np.testing.assert_allclose(dq, 0.0, atol=1e-9)
    np.testing.assert_allclose(ddq, 0.0, atol=1e-8)
    assert free.condition_number < 20
    jerk = 0.4 * float(free.trajectory.extremes(3).magnitude.max())
    smooth = optid.solve(spline_problem(jerk=jerk), solver="ipopt", seed=0)
    assert smooth.converged and smooth.proven
    assert smooth.trajectory.extremes(3).magnitude.max() <= jerk * (1 + 1e-9)
    assert smooth.checks[0].margins["jerk"].min() == pytest.approx(0.0, abs=1e-2 * jerk)
