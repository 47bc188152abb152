"""Bounds and linear constraints: what holds, what was cut off, and at what price."""

from __future__ import annotations

import numpy as np
import pytest

from optid import BaseParameters, DHRow, DynamicModel, Link, Robot, identify, solve
from optid.errors import LimitsError, ShapeError, UnknownNameError
from optid.problems import Regression
from optid.signals import Samples


def test_bounded_fit_that_leaves_a_split_open() -> None:
    """C59: any x ≥ 0 with x1 + x2 = 2.0214286 at cost 0.00178571; the split is reported as undetermined, and the solver is capped."""
    A, b = [[1, 1], [2, 2], [3, 3]], [2, 4, 6.1]
    result = solve(Regression(A, b, bounds={"x1": (0, None), "x2": (0, None)}), budget=50)
    assert result.solution.x.sum() == pytest.approx(2.0214286, abs=1e-7)
    assert (result.solution.x >= 0).all()
    assert result.solution.fun == pytest.approx(0.00178571, abs=1e-8)
    assert result.at_bound == () and result.residual_increase == pytest.approx(0, abs=1e-9)
    assert np.isnan(result.values).all() and result.undetermined == ("x2 - x1",)
    both = solve(Regression(A, b))
    assert np.isnan(both.values).all() and both.undetermined == ("x2 - x1",)


def test_bound_that_excludes_the_truth() -> None:
    """C61: true (4, 1), bound x1 <= 2: x1 is listed, the unbounded optimum is told, the residual increase is visible."""
    rng = np.random.default_rng(0)
    W = rng.standard_normal((50, 2))
    y = W @ [4.0, 1.0] + 0.1 * rng.standard_normal(50)
    result = solve(Regression(W, y, bounds={"x1": (None, 2.0)}))
    assert result.at_bound == ("x1 = 2",)
    assert result.unbounded == pytest.approx([4, 1], abs=0.1)
    assert result.residual_increase > 5
    assert result["x1"] == 2.0 and result.sigma[0] == 0
    alone = np.linalg.lstsq(W[:, 1:], y - 2 * W[:, 0], rcond=None)[0]
    assert result["x2"] == pytest.approx(alone[0], rel=1e-9)
    free = solve(Regression(W, y, bounds={"x1": (None, 5.0)}))
    plain = solve(Regression(W, y))
    assert free.at_bound == () and free.values == pytest.approx(plain.values, rel=1e-8)
    assert free.sigma == pytest.approx(plain.sigma) and free.residual_increase == pytest.approx(0, abs=1e-9)


@pytest.fixture(scope="module")
def base() -> BaseParameters:
    links = [Link.from_com(2, (0.2, 0.01, 0), (0, 0, 0.03)), Link.from_com(1.5, (0.15, -0.02, 0), (0, 0, 0.02))]
    return BaseParameters.of(DynamicModel(Robot.from_dh([DHRow(), DHRow(a=0.5)], "modified", (0, -9.81, 0), links=links), friction="viscous"))


def samples(base: BaseParameters, noise: float = 0.2) -> Samples:
    rng = np.random.default_rng(0)
    model = base.model
    q, dq, ddq = (rng.standard_normal((80, 2)) for _ in range(3))
    tau = model.inverse_dynamics(model.parameters({"fv1": 0.5, "fv2": -0.2}, model.nominal_parameters()), q, dq, ddq)
    return Samples.from_arrays(q, dq, ddq, tau + noise * rng.standard_normal(tau.shape), rate=50)


def test_bounds_of_a_robot(base: BaseParameters) -> None:
    """C61 at the fit: friction that would be negative is held at zero, named, and costs residual; the others are those of the reduced problem (1e-9)."""
    fit = identify(base, samples(base), method="constrained", bounds={"fv1": (0, None), "fv2": (0, None)}, weighting="none")
    assert fit.details.at_bound == ("fv2 = 0",)
    k = base.names.index("fv2")
    assert fit.beta[k] == 0 and fit.sigma[k] == 0
    assert fit.details.unbounded[k] == pytest.approx(-0.2, abs=0.1)
    assert fit.details.residual_increase > 0.005
    assert any(f"fv2 = 0 (without constraints {fit.details.unbounded[k]:.4g})" in note and "residual is" in note for note in fit.notes)
    known = identify(BaseParameters.of(base.model, known=["fv2"]), samples(base), method="ols", known={"fv2": 0.0})
    for name, value, sigma in zip(known.base.names, known.beta, known.sigma, strict=True):
        assert fit.value(name) == pytest.approx(value, rel=1e-9, abs=1e-12)
        assert fit.sigma[base.names.index(name)] == pytest.approx(sigma, rel=1e-6)


def test_equality_and_inequality(base: BaseParameters) -> None:
    """Both dampers alike, and mx2 + my2 at most 0.1: against the solution by substitution (1e-7)."""
    data = samples(base)
    options = {"method": "constrained", "weighting": "none"}
    fit = identify(base, data, equalities=[({"fv1": 1, "fv2": -1}, 0.0)], **options)
    plain = identify(base, data, method="ols")
    A, b = plain.factors.stacked()
    i, j = base.names.index("fv1"), base.names.index("fv2")
    keep = [k for k in range(base.rank) if k != j]
    reduced = A[:, keep].copy()
    reduced[:, keep.index(i)] += A[:, j]
    expected = np.linalg.lstsq(reduced, b, rcond=None)[0]
    assert fit.beta[keep] == pytest.approx(expected, rel=1e-7, abs=1e-9)
    assert fit.beta[j] == pytest.approx(fit.beta[i], rel=1e-9)
    inverse = np.linalg.inv(reduced.T @ reduced) * fit.noise_variance
    assert fit.sigma[keep] == pytest.approx(np.sqrt(np.diag(inverse)), rel=1e-6)
    assert fit.sigma[j] == pytest.approx(fit.sigma[i], rel=1e-9)
    held = identify(base, data, inequalities=[({"mx2": 1, "my2": 1}, 0.1)], **options)
    assert held.value("mx2") + held.value("my2") == pytest.approx(0.1, abs=1e-7)
    assert held.details.at_bound == ("1*mx2 + 1*my2 = 0.1",)
    loose = identify(base, data, inequalities=[({"mx2": 1, "my2": 1}, 1.0)], **options)
    assert loose.details.at_bound == () and loose.beta == pytest.approx(plain.beta, rel=1e-6, abs=1e-8)


def test_constraints_that_cannot_be(base: BaseParameters) -> None:
    data = samples(base)
    with pytest.raises(UnknownNameError, match=r"parameter to constrain 'fv9': unknown name.*Did you mean 'fv"):
        identify(base, data, method="constrained", bounds={"fv9": (0, 1)})
    with pytest.raises(LimitsError, match=r"bounds of fv1: \[2, 1\], expected lower <= upper"):
        identify(base, data, method="constrained", bounds={"fv1": (2, 1)})
    with pytest.raises(ShapeError, match=r"bounds of fv1: 3.0, expected \(lower, upper\)"):
        identify(base, data, method="constrained", bounds={"fv1": 3.0})


def test_bound_where_everything_is_zero(base: BaseParameters) -> None:
    """No torque at all: zero lies on the bound, which holds nothing."""
    rng = np.random.default_rng(0)
    dead = Samples.from_arrays(*(rng.standard_normal((40, 2)) for _ in range(3)), np.zeros((40, 2)), rate=50)
    fit = identify(base, dead, method="constrained", bounds={"fv1": (0, 1)})
    assert fit.beta == pytest.approx(np.zeros(base.rank), abs=1e-12) and fit.details.at_bound == ()
