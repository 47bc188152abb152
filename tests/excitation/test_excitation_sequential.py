"""Designs that know what earlier experiments told, and several motions designed together."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import optid
from optid import BaseParameters, DynamicModel, Limits
from optid.errors import DataError, ShapeError
from optid.excitation import assess
from optid.library import planar_2r
from optid.problems import Excitation
from optid.trajectory import Fourier

Array = np.ndarray


def problem() -> Excitation:
    """Planar 2R with viscous and Coulomb friction, two harmonics of 3 s: too few to excite everything alike in one run."""
    model = DynamicModel(planar_2r(), friction="viscous+coulomb", sign_width=0.1)
    limits = Limits.of(2, position=1.0, velocity=2.0, acceleration=8.0)
    return Excitation(BaseParameters.of(model), harmonics=2, period=3.0, limits=limits, samples=40, criterion="a", noise=[1.0, 0.5])


def variance(*information: Array) -> float:
    """Sum of the variances of the joint estimate."""
    return float(np.trace(np.linalg.inv(sum(information, np.zeros_like(information[0])))))


def realised(regressors: list[Array], draws: int = 20000) -> float:
    """Sum of the variances of least-squares estimates from simulated noise."""
    W = np.concatenate(regressors)
    errors = np.linalg.pinv(W) @ np.random.default_rng(0).standard_normal((len(W), draws))
    return float(errors.var(axis=1).sum())


def test_second_experiment_that_knows_the_first() -> None:
    """It beats the second one designed alone, and both beat repeating the first; realised errors follow within 3 %, three standard errors of the simulation."""
    first = optid.solve(problem(), solver="ipopt", seed=0)
    alone = optid.solve(problem(), solver="ipopt", seed=1)
    knowing = optid.solve(replace(problem(), information=first), solver="ipopt", seed=1)
    repeated = variance(first.quality.information, first.quality.information)
    together = variance(first.quality.information, alone.quality.information)
    sequential = variance(knowing.quality.information)
    assert sequential < together < repeated
    W = {name: result.problem.design.stacked(result.x)[:80] for name, result in (("first", first), ("alone", alone), ("knowing", knowing))}
    second = {"repeated": ("first", repeated), "alone": ("alone", together), "knowing": ("knowing", sequential)}
    for name, predicted in second.values():
        assert realised([W["first"], W[name]]) == pytest.approx(predicted, rel=0.03)


def test_information_adds_up() -> None:
    """A motion, its matrix and its result say the same; sequences are summed."""
    motion = Fourier([0.1, 0.2], [[0.3, 0.1], [0.1, 0.4]], [[0.1, 0.2], [0.3, 0.1]], 3.0)
    matrix = assess(problem().base, motion, 40, [1.0, 0.5]).information
    told = replace(problem(), information=motion)
    np.testing.assert_allclose(told.information, matrix, rtol=1e-12)
    both = replace(problem(), information=[motion, matrix])
    np.testing.assert_allclose(both.information, 2 * matrix, rtol=1e-12)
    x = told.random_start(np.random.default_rng(0))
    added = told.design.quality(x).information
    np.testing.assert_allclose(added, problem().design.quality(x).information + matrix, rtol=1e-9, atol=1e-9)
    assert replace(told, samples=1).samples == 1  # nothing new has to be determined


def test_information_of_a_fit() -> None:
    """Its equations over its residual variance, the inverse of its covariance."""
    model = DynamicModel(planar_2r(), friction="viscous+coulomb", sign_width=0.1)
    base = problem().base
    x = problem().random_start(np.random.default_rng(2))
    samples = problem().motion.trajectory(x).sample(50.0)
    tau = model.inverse_dynamics(model.nominal_parameters(), *samples[1:]) + 0.1 * np.random.default_rng(0).standard_normal((len(samples.time), 2))
    fit = optid.identify(base, optid.Trial(samples.time, samples.q, tau=tau, dq=samples.dq, ddq=samples.ddq), preprocessing=None)
    told = replace(problem(), information=fit)
    np.testing.assert_allclose(np.linalg.inv(told.information), fit.covariance(), rtol=1e-6, atol=1e-12)  # type: ignore[arg-type]


def test_wrong_information_is_refused() -> None:
    base = problem().base
    with pytest.raises(ShapeError, match=r"information: shape \(2, 2\), expected a finite matrix"):
        replace(problem(), information=np.eye(2))
    with pytest.raises(DataError, match="not symmetric and positive semidefinite"):
        replace(problem(), information=-np.eye(base.rank))
    with pytest.raises(DataError, match="not symmetric"):
        replace(problem(), information=np.triu(np.ones((base.rank, base.rank))))


def test_motions_designed_together() -> None:
    """Two motions at once: both proven, and better than the better of two single designs run twice."""
    pair = optid.solve(replace(problem(), criterion="d", trajectories=2), solver="ipopt", seed=1)
    single = optid.solve(replace(problem(), criterion="d"), solver="ipopt", starts=2, seed=1)
    assert len(pair.trajectories) == 2 and pair.proven and pair.coefficients.shape == (2, 2, 5)
    assert pair.quality.log_det > np.linalg.slogdet(2 * single.quality.information)[1]
    expected = assess(pair.base, pair.trajectories, 40, [1.0, 0.5]).log_det
    assert pair.quality.log_det == pytest.approx(expected, rel=1e-9)
    with pytest.raises(ShapeError, match=r"Use \.trajectories"):
        _ = pair.trajectory


def test_period_as_a_variable() -> None:
    """The duration stays in its range, the limits hold for the duration found, and more freedom is not worse than either end from the same start."""
    timed = replace(problem(), criterion="d", period_range=(2.0, 5.0))
    result = optid.solve(timed, solver="ipopt", seed=0)
    assert 2.0 <= result.trajectory.duration <= 5.0
    assert result.converged and result.proven
    x = timed.random_start(np.random.default_rng(4))
    gradient = timed.design.gradient(x, timed.criterion, np.inf)  # type: ignore[arg-type]
    moves = 1e-6 * np.eye(len(x))
    slopes = [timed.design.value(x + d, timed.criterion) - timed.design.value(x - d, timed.criterion) for d in moves]  # type: ignore[arg-type]
    np.testing.assert_allclose(gradient, np.array(slopes) / 2e-6, atol=1e-6 * np.abs(gradient).max())
    with pytest.raises(DataError, match="period_range"):
        replace(problem(), period_range=(5.0, 2.0))
