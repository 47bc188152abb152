"""Criteria, their smooth stand-ins, and exact derivatives."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import optid
from optid import BaseParameters, DynamicModel, Limits, Robot
from optid.excitation import CRITERIA, assess
from optid.library import planar_2r
from optid.problems import Excitation
from optid.trajectory import Fourier


def c49() -> BaseParameters:
    """C49: two links of modified DH in a vertical plane, columns mx1, my1, Izz1, mx2, my2, Izz2."""
    robot = Robot.from_dh([(0.0, 0.0, 0.0, 0.0), (0.5, 0.0, 0.0, 0.0)], "modified", (0.0, -9.81, 0.0))
    return BaseParameters.of(DynamicModel(robot, friction="none"), preferred=("mx1", "my1", "Izz1", "mx2", "my2", "Izz2"))


def c49_motion() -> Fourier:
    """q = (sin 2πt, 0.8 cos 4πt)."""
    return Fourier([0.0, 0.0], [[1.0, 0.0], [0.0, 0.0]], [[0.0, 0.0], [0.0, 0.8]], 1.0)


def test_figures_of_the_stacked_base_regressor() -> None:
    """C49."""
    base = c49()
    assert base.names == ("mx1", "my1", "Izz1", "mx2", "my2", "Izz2")
    quality = assess(base, c49_motion(), samples=100)
    assert quality.condition_number == pytest.approx(668.58948, rel=1e-7)
    assert quality.scaled_condition_number == pytest.approx(65.12384, rel=1e-6)
    assert quality.log_det == pytest.approx(59.902308, rel=1e-7)


def test_design_minimises_the_base_condition_number() -> None:
    """C49: the objective is the stacked base one, not that of the full 20 columns, which is infinite."""
    base = c49()
    problem = Excitation(base, harmonics=2, period=1.0, limits=Limits.of(2, position=1.5, velocity=20.0), samples=100, initial=c49_motion())
    form = problem.form()
    assert form.evaluate(form.x0)[0] == pytest.approx(np.log(668.58948), rel=1e-8)


def test_frozen_joint_is_no_crash() -> None:
    """C49: a joint that does not move leaves parameters undetermined; the figures say so, the objective stays a number."""
    base = c49()
    frozen = Fourier([0.1, 0.2], [[0.0, 0.0], [1.0, 0.0]], [[0.0, 0.0], [0.0, 0.0]], 1.0)
    quality = assess(base, frozen)
    assert quality.condition_number == np.inf
    assert quality.log_det == -np.inf
    assert np.all(np.isinf(quality.sigma))
    problem = Excitation(base, harmonics=2, period=1.0, limits=Limits.of(2, position=1.5, velocity=20.0))
    x = problem.motion.vector(frozen.matrix, 1.0)
    for criterion in CRITERIA.values():
        assert np.isfinite(problem.design.value(x, criterion))
        assert np.isfinite(problem.design.gradient(x, criterion, 4.0)).all()


def test_all_zero_coefficients_are_a_start() -> None:
    """C48: no NaN, the solver moves, the objective is finite."""
    base = c49()
    problem = Excitation(base, harmonics=2, period=1.0, limits=Limits.of(2, position=1.5, velocity=20.0), samples=40, initial=np.zeros((2, 5)))
    zero = np.zeros(problem.motion.size)
    assert np.isfinite(problem.design.value(zero, CRITERIA["condition"]))
    assert np.isfinite(problem.design.gradient(zero, CRITERIA["condition"], 1.0)).all()
    result = optid.solve(problem, solver="ipopt", seed=0)
    assert result.converged and result.proven
    assert np.abs(result.coefficients).max() > 0.1
    assert result.condition_number < 100


def test_stand_ins_bound_the_criteria_and_tend_to_them() -> None:
    """The p-norm lies between the largest entry and r^(1/p) times it."""
    logs = np.log(np.array([1e-4, 0.3, 2.0, 2.0, 50.0]))
    assert CRITERIA["condition"].value(logs) == pytest.approx(0.5 * np.log(50.0 / 1e-4))
    assert CRITERIA["e"].value(logs) == pytest.approx(-0.5 * np.log(1e-4))
    assert CRITERIA["d"].value(logs) == pytest.approx(-logs.mean() / 2)
    assert CRITERIA["a"].value(logs, 1.0) == pytest.approx(0.5 * np.log(np.exp(-logs).sum()))
    for power in (1.0, 4.0, 64.0):
        gap = CRITERIA["condition"].value(logs, power) - CRITERIA["condition"].value(logs)
        assert 0.0 <= gap <= np.log(5) / power


@pytest.mark.parametrize("name", ["condition", "e", "d", "a", "combined"])
@pytest.mark.parametrize("options", [{}, {"noise": [0.5, 2.0], "column_scaling": "unit"}, {"rest": True, "column_scaling": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]}])
def test_derivatives_are_exact(name: str, options: dict[str, object]) -> None:
    """Against central differences."""
    problem = Excitation(c49(), harmonics=3, period=2.0, limits=Limits.of(2, position=1.5, velocity=20.0), samples=30, criterion=name, **options)  # type: ignore[arg-type]
    information, criterion = problem.design, CRITERIA[name]
    x = problem.random_start(np.random.default_rng(3))
    for power in (2.0, 16.0):
        step = 3e-6
        moves = step * np.eye(len(x))
        difference = np.array([information.value(x + d, criterion, power) - information.value(x - d, criterion, power) for d in moves]) / (2 * step)
        gradient = information.gradient(x, criterion, power)
        np.testing.assert_allclose(gradient, difference, atol=1e-6 * np.abs(gradient).max() + 1e-8)
        if information.curved(criterion):
            slopes = [information.gradient(x + d, criterion, power) - information.gradient(x - d, criterion, power) for d in moves]
            second = information.hessian(x, criterion, power)
            np.testing.assert_allclose(second, np.array(slopes) / (2 * step), atol=1e-6 * np.abs(second).max())


def test_equal_eigenvalues_have_second_derivatives() -> None:
    """Divided differences at a double eigenvalue: log det of M has the second derivative -tr(M⁻¹ dM M⁻¹ dM), whatever the multiplicity."""
    from optid.excitation.curvature import divided_differences

    values = np.array([2.0, 2.0, 5.0])
    slope, second = 1.0 / values, np.diag(-1.0 / values**2)
    P = np.array([[0.3, -1.2, 0.4], [-1.2, 0.7, 0.1], [0.4, 0.1, -0.2]])
    own = np.diag(P)
    found = own @ second @ own + (divided_differences(values, slope, second) * P**2).sum()
    inverse = np.diag(1.0 / values)
    assert found == pytest.approx(-np.trace(inverse @ P @ inverse @ P))


def test_common_noise_scales_all_singular_values() -> None:
    """It leaves their ratio, the condition number."""
    problem = Excitation(c49(), harmonics=3, period=2.0, limits=Limits.of(2, position=1.5, velocity=20.0), samples=30)
    x = problem.random_start(np.random.default_rng(1))
    loud = replace(problem, noise=10.0).design.quality(x)
    quiet = problem.design.quality(x)
    assert loud.condition_number == pytest.approx(quiet.condition_number, rel=1e-9)
    assert loud.smallest_singular_value == pytest.approx(quiet.smallest_singular_value / 10, rel=1e-9)
    np.testing.assert_allclose(loud.sigma, 10 * quiet.sigma, rtol=1e-9)


def test_predicted_sigma_is_the_spread_of_the_estimates() -> None:
    """Least squares of 4000 simulated recordings with white torque noise: standard deviations agree within 5 (of 1.1) %."""
    model = DynamicModel(planar_2r(), friction="none")
    base = BaseParameters.of(model)
    problem = Excitation(base, harmonics=3, period=2.0, limits=Limits.of(2, position=1.5, velocity=20.0), samples=30, noise=[0.3, 0.1])
    x = problem.random_start(np.random.default_rng(1))
    beta = base.beta(model.nominal_parameters())
    quality = problem.design.quality(x, beta)
    W = problem.design.stacked(x)
    errors = np.linalg.pinv(W) @ np.random.default_rng(0).standard_normal((len(W), 4000))
    np.testing.assert_allclose(errors.std(axis=1), quality.sigma, rtol=0.05)
    np.testing.assert_allclose(quality.relative_sigma, quality.sigma / np.abs(beta))
