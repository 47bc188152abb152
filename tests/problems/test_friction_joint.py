"""Nonlinear friction of a 2R arm fitted together with its inertia, and on what a linear fit leaves."""

from __future__ import annotations

import numpy as np
import pytest

import optid
from optid import BaseParameters, DHRow, DynamicModel, Link, Robot, identify
from optid.errors import RankError, ShapeError, UnknownNameError
from optid.identification.friction_samples import friction_samples
from optid.problems.friction_comparison import compare_friction
from optid.problems.friction_joint import JointFriction
from optid.problems.friction_laws import LAWS
from optid.signals import Samples

STRIBECK = np.array([1.0, 2.0, 0.3, 0.1, 0.2])
TANH = np.array([0.5, 0.4, 0.05, 25.0])


@pytest.fixture(scope="module")
def model() -> DynamicModel:
    links = [Link.from_com(2, (0.2, 0.01, 0), (0, 0, 0.03)), Link.from_com(1.5, (0.15, -0.02, 0), (0, 0, 0.02))]
    return DynamicModel(Robot.from_dh([DHRow(), DHRow(a=0.5)], "modified", (0.0, -9.81, 0.0), links=links), friction="none")


def sines(amplitude: list[float], hertz: list[float]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    t, w, a = np.arange(2000) * 0.01, 2 * np.pi * np.array(hertz), np.array(amplitude)
    angle = np.outer(t, w)
    return np.sin(angle) @ a, np.cos(angle) @ (a * w), -np.sin(angle) @ (a * w**2)


def samples(model: DynamicModel, noise: float) -> Samples:
    q, dq, ddq = (np.column_stack(x) for x in zip(sines([0.3, 0.5, 0.8], [0.7, 0.31, 0.11]), sines([0.4, 0.2, 0.9], [0.5, 0.9, 0.17]), strict=True))
    zero = np.zeros(len(q))
    friction = np.column_stack([LAWS["stribeck"].torque(dq[:, 0], zero, STRIBECK), LAWS["tanh"].torque(dq[:, 1], zero, TANH)])
    tau = model.inverse_dynamics(model.nominal_parameters(), q, dq, ddq) + friction
    return Samples.from_arrays(q, dq, ddq, tau + noise * np.random.default_rng(0).standard_normal(tau.shape), rate=100)


def test_noise_free_data_return_everything(model: DynamicModel) -> None:
    base = BaseParameters.of(model)
    fit = optid.solve(JointFriction(base, [samples(model, 0.0)], ("stribeck", "tanh")))
    assert fit.beta == pytest.approx(base.beta(model.nominal_parameters()), rel=1e-7)
    assert fit.friction[0].values == pytest.approx(STRIBECK, rel=1e-6)
    assert fit.friction[1].values == pytest.approx(TANH, rel=1e-6)
    assert fit.errors.stacked < 1e-8
    assert fit.value("vs1") == pytest.approx(0.2) and fit.value("k2") == pytest.approx(25.0) and fit.value("Izz2") == pytest.approx(0.05435)
    s = samples(model, 0.0)
    assert fit.predict(s.q, s.dq, s.ddq) == pytest.approx(s.tau, abs=1e-6)


def test_standard_deviations_with_noise(model: DynamicModel) -> None:
    """All 15 estimates within four standard deviations; the linear friction model of the same data is off by far more."""
    base = BaseParameters.of(model)
    fit = optid.solve(JointFriction(base, samples(model, 0.05), ("stribeck", "tanh")))
    truth = base.beta(model.nominal_parameters())
    assert (np.abs(fit.beta - truth) < 4 * fit.sigma).all()
    for found, true in zip(fit.friction, (STRIBECK, TANH), strict=True):
        assert (np.abs(found.values - true) < 4 * found.sigma).all() and found.undetermined == ()
    assert fit.residual_std == pytest.approx([0.05, 0.05], rel=0.05)
    plain = identify(DynamicModel(model.robot), samples(model, 0.05), method="wls")
    assert plain.errors().stacked > 3 * fit.errors.stacked


def test_laws_compared_on_the_residuals(model: DynamicModel) -> None:
    """The friction that a linear fit leaves shows the right law for each joint."""
    data = samples(model, 0.05)
    parts = friction_samples(identify(DynamicModel(model.robot), data), data)
    assert len(parts) == 2 and parts[0].velocity == pytest.approx(data.dq[:, 0])
    rigid = model.inverse_dynamics(model.nominal_parameters(), data.q, data.dq, data.ddq)
    assert parts[0].load == pytest.approx(rigid[:, 0], abs=0.5)
    assert parts[0].torque + parts[0].load == pytest.approx(data.tau[:, 0], abs=1e-9)
    best = [compare_friction(p.velocity, p.torque, laws=("coulomb", "asymmetric", "tanh", "stribeck")).best().law for p in parts]
    assert best == ["stribeck", "tanh"]


def test_known_parameters_are_left_out(model: DynamicModel) -> None:
    base = BaseParameters.of(model, known=("m2", "mx2"))
    fit = optid.solve(JointFriction(base, samples(model, 0.0), ("stribeck", "tanh")))
    assert fit.beta == pytest.approx(base.beta(model.nominal_parameters()), rel=1e-6)
    assert base.rank == 5
    data = samples(model, 0.0)
    assert fit.predict(data.q, data.dq, data.ddq) == pytest.approx(data.tau, abs=1e-6)


def test_refusals(model: DynamicModel) -> None:
    base, data = BaseParameters.of(model), samples(model, 0.0)
    with pytest.raises(ShapeError, match=r"expected friction='none'"):
        JointFriction(BaseParameters.of(DynamicModel(model.robot)), data)
    with pytest.raises(UnknownNameError, match=r"friction law 'stribek'.*Did you mean 'stribeck'"):
        JointFriction(base, data, "stribek")
    with pytest.raises(ShapeError, match="friction laws: 3, expected one for all joints, or 2"):
        JointFriction(base, data, ("tanh",) * 3)
    short = Samples.from_arrays(*(x[:4] for x in (data.q, data.dq, data.ddq, data.tau)))
    with pytest.raises(RankError, match="joint friction fit: 8 equations, expected at least 16"):
        JointFriction(base, short, "stribeck")
    with pytest.raises(UnknownNameError, match="parameter 'vs9'"):
        optid.solve(JointFriction(base, data, ("stribeck", "tanh"))).value("vs9")
