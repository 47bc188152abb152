"""The power model against the torque route: same parameters, energies from a derivation of their own."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

from optid import BaseParameters, DHRow, Drive, DynamicModel, Link, Robot, identify
from optid.errors import DataError, RankError, RobotError
from optid.identification.power import identify_power, power_equations
from optid.signals import Samples

ROWS = [DHRow(), DHRow(a=0.5), DHRow(alpha=np.pi / 2, a=0.1, d=0.2)]


@pytest.fixture(scope="module")
def model() -> DynamicModel:
    rng = np.random.default_rng(0)
    links = [Link.from_com(rng.uniform(1, 3), rng.uniform(-0.2, 0.2, 3), np.diag(rng.uniform(0.02, 0.05, 3))) for _ in ROWS]
    drives = [Drive.reflected(0.1 * (k + 1)) for k in range(3)]
    robot = Robot.from_dh(ROWS, "modified", (0.0, -9.81, 1.0), links=links, drives=drives).with_friction([1.0, 0.5, 0.2], [0.8, 0.4, 0.1])
    return DynamicModel(robot, ("viscous", "coulomb", "offset"), rotor_inertia=True, sign_width=0.1)


def states(seconds: float = 20.0, rate: float = 1000.0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    t, w, phase = np.arange(0, seconds, 1 / rate), 2 * np.pi * rng.uniform(0.2, 1.2, (4, 3)), rng.uniform(0, 6, (4, 3))
    angle = t[:, None, None] * w + phase
    return (0.4 * np.sin(angle)).sum(axis=1), (0.4 * w * np.cos(angle)).sum(axis=1), (-0.4 * w**2 * np.sin(angle)).sum(axis=1)


def samples(model: DynamicModel, noise: float, seed: int = 0) -> Samples:
    q, dq, ddq = states()
    tau = model.inverse_dynamics(model.nominal_parameters(), q, dq, ddq)
    return Samples.from_arrays(q, dq, np.zeros_like(q), tau + noise * np.random.default_rng(seed).standard_normal(tau.shape), rate=1000.0)


def test_noise_free_data_return_the_same_parameters(model: DynamicModel) -> None:
    """1e-5, from positions, velocities and torques: accelerations are not even given (they are zero here)."""
    base = BaseParameters.of(model)
    fit = identify_power(base, samples(model, 0.0), interval=0.1)
    assert fit.regression.determinacy.rank == base.rank
    assert fit.beta == pytest.approx(base.beta(model.nominal_parameters()), rel=1e-5, abs=1e-6)
    assert fit.error < 1e-6


def test_work_is_the_gain_of_energy(model: DynamicModel) -> None:
    """Rows times true parameters are the work of the drives; without friction that is the change of mechanical energy by the simulator's own formula."""
    from dataclasses import replace

    from optid.simulation.energy import mechanical_energy

    free = replace(model, friction=())
    base, pi = BaseParameters.of(free), free.nominal_parameters()
    q, dq, ddq = states(2.0)
    data = Samples.from_arrays(q, dq, ddq, free.inverse_dynamics(pi, q, dq, ddq), rate=1000.0)
    W, work = power_equations(base, data, 0.2)
    edges = np.arange(0, 2000, 200)
    total = np.sum(mechanical_energy(free, pi, q[edges], dq[edges]), axis=0)
    assert work == pytest.approx(np.diff(total), rel=1e-6, abs=1e-6)
    assert W @ base.beta(pi) == pytest.approx(np.diff(total), rel=1e-9, abs=1e-9)


def test_intervals_hold_the_truth_and_both_routes_agree(model: DynamicModel) -> None:
    """Noise of 0.2 N m: 27 estimates within four sigma, and within 3.5 of the torque route's."""
    base = BaseParameters.of(model)
    data = samples(model, 0.2, 3)
    fit = identify_power(base, data, interval=0.05)
    truth = base.beta(model.nominal_parameters())
    assert (np.abs(fit.beta - truth) < 4 * fit.sigma).all()
    q, dq, ddq = states()
    torque = identify(base, Samples.from_arrays(q, dq, ddq, data.tau, rate=1000.0))
    apart = fit.disagreement(torque)
    assert np.abs(apart).max() < 3.5 and np.sqrt(np.mean(apart**2)) < 1.5


def test_wrong_accelerations_show(model: DynamicModel) -> None:
    """Accelerations 10 % too large spoil the torque route; the energy balance does not know them and disagrees by tens of sigma."""
    base = BaseParameters.of(model)
    q, dq, ddq = states()
    data = samples(model, 0.2, 3)
    torque = identify(base, Samples.from_arrays(q, dq, 1.1 * ddq, data.tau, rate=1000.0))
    assert np.nanmax(np.abs(identify_power(base, data, interval=0.05).disagreement(torque))) > 10


def test_known_parameters(model: DynamicModel) -> None:
    known = ("fv1", "fc1", "Ia1", "m3")
    base = BaseParameters.of(model, known=known)
    fit = identify_power(model, samples(model, 0.0), interval=0.1, known=known)
    assert fit.base.rank == base.rank
    assert fit.beta == pytest.approx(base.beta(model.nominal_parameters()), rel=1e-5, abs=1e-6)


def test_columns_of_the_user(model: DynamicModel) -> None:
    """A spring of the user's counts as loss (its power integrated); columns of accelerations are refused."""
    sprung = model.with_torque_basis(("k",), lambda q, dq, ddq: ca.vertcat(0, ca.sin(q[1]), 0))
    pi = sprung.parameters({"k": 7.0}, sprung.nominal_parameters())
    q, dq, ddq = states()
    fit = identify_power(sprung, Samples.from_arrays(q, dq, 0 * q, sprung.inverse_dynamics(pi, q, dq, ddq), rate=1000.0), interval=0.1)
    assert fit.beta[fit.base.names.index("k")] == pytest.approx(7.0, rel=1e-4)
    assert fit.beta == pytest.approx(fit.base.beta(pi), rel=1e-4, abs=1e-5)
    heavy = model.with_torque_basis(("a",), lambda q, dq, ddq: ca.vertcat(ddq[0], 0, 0) * ca.sin(q[1]))
    with pytest.raises(RobotError, match="torque columns that depend on accelerations"):
        identify_power(heavy, samples(model, 0.0), interval=0.1)


def test_too_short(model: DynamicModel) -> None:
    with pytest.raises(DataError, match="power model of trial 'samples': no piece longer than 30 s"):
        identify_power(model, samples(model, 0.0), interval=30.0)
    with pytest.raises(RankError, match="rows of rank"):
        identify_power(model, samples(model, 0.0), interval=2.0)
