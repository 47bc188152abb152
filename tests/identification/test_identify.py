"""Identification of small robots with known answers."""

from __future__ import annotations

import numpy as np
import pytest

import optid
from optid import BaseParameters, DHRow, Drive, DynamicModel, Link, Robot, Trial, identify
from optid.errors import DataError, RankError, ShapeError, UnknownNameError
from optid.regressor.scale import NaturalUnits
from optid.robot import Transform
from optid.signals import Samples

GRAVITY = (0.0, -9.81, 0.0)
NO_GRAVITY = (0.0, 0.0, 0.0)


def planar(gravity: tuple[float, float, float] = GRAVITY) -> Robot:
    links = [Link.from_com(2, (0.2, 0.01, 0), (0, 0, 0.03)), Link.from_com(1.5, (0.15, -0.02, 0), (0, 0, 0.02))]
    return Robot.from_dh([DHRow(), DHRow(a=0.5)], "modified", gravity, links=links)


def motion(N: int = 200) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """q = (sin pi t, 0.8 cos 1.5 pi t), exact derivatives."""
    t = np.arange(N) * 0.02
    w1, w2 = np.pi, 1.5 * np.pi
    q = np.column_stack([np.sin(w1 * t), 0.8 * np.cos(w2 * t)])
    dq = np.column_stack([w1 * np.cos(w1 * t), -0.8 * w2 * np.sin(w2 * t)])
    return q, dq, np.column_stack([-(w1**2) * np.sin(w1 * t), -0.8 * w2**2 * np.cos(w2 * t)])


def simulated(model: DynamicModel, state: tuple[np.ndarray, ...], pi: np.ndarray | None = None, noise: float = 0.0, seed: int = 0) -> Samples:
    tau = model.inverse_dynamics(model.nominal_parameters() if pi is None else pi, *state)
    return Samples.from_arrays(*state, tau + noise * np.random.default_rng(seed).standard_normal(tau.shape), rate=50)


TRUE = [1.15, 0.02, 0.4852, 0.225, -0.03, 0.05435]


def test_noise_free_data_return_the_textbook_values() -> None:
    """C32: mx1 + 0.5 m2, my1, Izz1 + 0.25 m2, mx2, my2, Izz2."""
    model = DynamicModel(planar(), friction="none")
    for method in ("ols", "wls"):
        fit = identify(model, simulated(model, motion()), method=method)
        assert fit.beta == pytest.approx(TRUE, rel=1e-8)
        assert fit.determinacy.rank == 6 and fit.undetermined == ()


@pytest.mark.parametrize("length", [1.0, 1e-3, 1e-6])
@pytest.mark.parametrize("seed", range(3))
def test_noise_free_data_return_beta_of_any_robot(seed: int, length: float) -> None:
    """1e-8, for random arms with prismatic joints from metres to micrometres."""
    rng = np.random.default_rng(seed)
    rows = [DHRow(*rng.uniform(-0.5, 0.5, 4) * (length, 1, length, 1), joint="P" if i == seed else "R") for i in range(4)]
    links = [Link.from_com(rng.uniform(1, 3), rng.uniform(-0.2, 0.2, 3) * length, np.diag(rng.uniform(0.05, 0.1, 3)) * length**2) for _ in rows]
    model = DynamicModel(Robot.from_dh(rows, "standard", rng.uniform(-9, 9, 3), links=links))
    base = BaseParameters.of(model)
    pi = model.nominal_parameters()
    speed = np.sqrt(9.81 / length)
    reach = np.where([i == seed for i in range(4)], length, 1.0)
    q, dq, ddq = (rng.standard_normal((300, 4)) * reach * speed**k for k in range(3))
    fit = identify(base, simulated(model, (q, dq, ddq), pi))
    unit = NaturalUnits.of(model).columns(model)[list(base.independent)]
    assert fit.beta / unit == pytest.approx(base.beta(pi) / unit, rel=1e-8, abs=1e-8)


def test_gravity_left_in_the_model_of_compensated_torque() -> None:
    """C41: torque without gravity, regressed with a gravity model, leaves a residual of 0.194; with gravity off the four parameters come back."""
    true = DynamicModel(planar(), friction="none")
    state = motion()
    tau = true.inverse_dynamics(true.nominal_parameters(), *state) - true.gravity_torque(true.nominal_parameters(), state[0])
    samples = Samples.from_arrays(*state, tau, rate=50)
    wrong = identify(true, samples, method="ols")
    assert wrong.errors().stacked == pytest.approx(0.194, abs=5e-4)
    assert [wrong.value("mx2"), wrong.value("Izz2")] == pytest.approx([0.083, 0.089], abs=5e-4)
    right = identify(DynamicModel(planar(NO_GRAVITY), friction="none"), samples)
    named = dict(zip(right.base.names, right.beta, strict=True))
    assert [named["mx2"], named["my2"], named["Izz1"], named["Izz2"]] == pytest.approx([0.225, -0.03, 0.4852, 0.05435], rel=1e-8)


RANKS = {
    "only joint 1": (lambda r: (r.standard_normal((40, 1)) * [1, 0] + [0, 0.5], r.standard_normal((40, 1)) * [1, 0], r.standard_normal((40, 1)) * [1, 0]), 6),
    "only joint 2": (lambda r: (r.standard_normal((40, 1)) * [0, 1] + [0.3, 0], r.standard_normal((40, 1)) * [0, 1], r.standard_normal((40, 1)) * [0, 1]), 4),
    "static poses": (lambda r: (r.standard_normal((40, 2)), np.zeros((40, 2)), np.zeros((40, 2))), 4),
    "one pose": (lambda r: (np.tile([0.3, 0.4], (40, 1)), np.zeros((40, 2)), np.zeros((40, 2))), 2),
}


@pytest.mark.parametrize("name", RANKS)
def test_poor_motion_is_reported_not_returned(name: str) -> None:
    """C29: ranks of a vertical 2R arm; undetermined parameters are NaN with infinite sigma, the torque is still reproduced."""
    make, rank = RANKS[name]
    model = DynamicModel(planar(), friction="none")
    samples = simulated(model, make(np.random.default_rng(0)))
    fit = identify(model, samples, method="ols")
    assert fit.determinacy.rank == rank
    assert len(fit.undetermined) == 6 - rank
    open_ = np.isnan(fit.beta)
    assert open_.any() == (rank < 6)
    assert np.isinf(fit.sigma[open_]).all()
    assert fit.beta[~open_] == pytest.approx(np.array(TRUE)[~open_], rel=1e-6)
    assert fit.predict_samples(samples) == pytest.approx(samples.tau, abs=1e-9)


def test_one_joint_with_its_own_torque_only() -> None:
    """C29: only joint 1 moves and only tau1 is used: rank 3."""
    rng = np.random.default_rng(0)
    model = DynamicModel(planar(), friction="none")
    state = tuple(rng.standard_normal((40, 1)) * [1, 0] + shift for shift in ([0, 0.5], [0, 0], [0, 0]))
    samples = simulated(model, state)
    only = Samples.from_arrays(*state, samples.tau, use=np.tile([True, False], (40, 1)), rate=50)
    assert identify(model, only, method="ols").determinacy.rank == 3


def test_too_few_rows_name_rows_columns_and_rank() -> None:
    """C29, C43: two random samples give four rows of rank 4 for six parameters."""
    rng = np.random.default_rng(0)
    model = DynamicModel(planar(), friction="none")
    with pytest.raises(RankError, match=r"4 rows of rank 4, expected at least as many as the 6 columns"):
        identify(model, simulated(model, tuple(rng.standard_normal((2, 2)) for _ in range(3))))


def test_rotor_inertia_is_split_off_only_when_it_is_known() -> None:
    """C39: Izz 0.2 with reflected rotor inertia 0.5."""
    robot = Robot.from_dh([DHRow()], "standard", links=[Link.from_com(1, (0, 0, 0), (0, 0, 0.2))], drives=[Drive.reflected(0.5)])
    model = DynamicModel(robot, friction="none", rotor_inertia=True)
    rng = np.random.default_rng(0)
    samples = simulated(model, tuple(rng.standard_normal((50, 1)) for _ in range(3)))
    assert identify(model, samples, known={"Ia1": 0.5}).beta == pytest.approx([0.2])
    assert identify(model, samples, known=["Ia1"]).beta == pytest.approx([0.2])
    lumped = identify(model, samples)
    assert lumped.formulas == ("Izz1 + Ia1",) and lumped.beta == pytest.approx([0.7])
    assert identify(DynamicModel(robot, friction="none"), samples).beta == pytest.approx([0.7])


def test_known_parameter_keeps_its_value() -> None:
    """C61 (second half): a fixed Coulomb friction leaves the others as the reduced problem gives them."""
    robot = Robot.from_dh([DHRow()], "standard", links=[Link.from_com(1, (0, 0, 0), (0, 0, 0.2))])
    model = DynamicModel(robot, friction="viscous+coulomb")
    rng = np.random.default_rng(1)
    state = tuple(rng.standard_normal((80, 1)) for _ in range(3))
    samples = simulated(model, state, model.parameters({"Izz1": 0.2, "fv1": 0.5, "fc1": 0.4}), noise=0.01)
    fit = identify(model, samples, known={"fc1": 0.4}, method="ols")
    W = np.column_stack([state[2][:, 0], state[1][:, 0]])
    assert fit.beta == pytest.approx(np.linalg.lstsq(W, samples.tau[:, 0] - 0.4 * np.sign(state[1][:, 0]), rcond=None)[0], rel=1e-9)
    assert fit.known == {"fc1": 0.4}
    held = identify(model, samples, method="constrained", bounds={"fc1": (0.4, 0.4)}, weighting="none")
    assert held.value("fc1") == 0.4 and held.sigma[held.base.names.index("fc1")] == 0
    assert held.beta[:2] == pytest.approx(fit.beta, rel=1e-9)


def test_standstill_does_not_ruin_friction() -> None:
    """C35: 2000 moving samples, then 1000 of standing noise."""
    rng = np.random.default_rng(1)
    v = np.concatenate([np.sin(2 * np.pi * 5 * np.arange(2000) / 2000), rng.normal(0, 1e-4, 1000)])
    tau = np.where(np.arange(3000) < 2000, 0.8 * np.sign(v) + 0.5 * v, 0.0)
    t = np.arange(3000) * 0.002
    trial = Trial(t, np.cumsum(v) * 0.002, dq=v, tau=tau)
    model = DynamicModel(Robot.from_dh([DHRow()], "standard"), friction="viscous+coulomb")
    options = optid.Preprocessing(cutoff=None, torque_cutoff=None, velocity_cutoff=None, acceleration_cutoff=None, use_measured_velocity=True)
    fit = identify(model, trial, preprocessing=options)
    assert [fit.value("fc1"), fit.value("fv1")] == pytest.approx([0.8, 0.5], rel=0.03)
    assert any("1010 of 3000 samples" in note for note in fit.notes)


def test_current_needs_gains() -> None:
    """C40: a current is not a torque."""
    q, dq, ddq = motion()
    model = DynamicModel(planar(), friction="none")
    tau = model.inverse_dynamics(model.nominal_parameters(), q, dq, ddq)
    trial = Trial(np.arange(200) * 0.02, q, dq=dq, ddq=ddq, current=tau / [10.0, 10.6956])
    with pytest.raises(DataError, match="no gain for joint1, joint2"):
        identify(model, trial)
    geared = model.with_robot(model.robot.with_drives([Drive(current_gain=10.0), Drive(current_gain=10.6956)]))
    options = optid.Preprocessing(cutoff=None, torque_cutoff=None, use_measured_velocity=True, use_measured_acceleration=True, min_speed=0.0,
                                  velocity_cutoff=None, acceleration_cutoff=None)  # fmt: skip
    assert identify(geared, trial, preprocessing=options).beta == pytest.approx(TRUE, rel=1e-6)


def test_torque_from_current() -> None:
    """C40: published gains of a UR10e; and 0.12 N m/A behind a gear of 101."""
    gains = [10.0, 10.6956, 8.4566, 9.0029, 9.48, 10.1232]
    trial = Trial([0.0], np.zeros((1, 6)), current=[[1, -2, 0.5, 0, 1, 1]])
    assert trial.with_torque_from_current(gains).tau[0] == pytest.approx([10, -21.3912, 4.2283, 0, 9.48, 10.1232])
    assert 1.5 * Drive(gear=101, torque_constant=0.12).gain == pytest.approx(18.18)


def test_joint_names_put_columns_in_order() -> None:
    """C42 at the fit: columns sorted by name, the robot's order is another."""
    model = DynamicModel(planar(), friction="none")
    q, dq, ddq = motion()
    tau = model.inverse_dynamics(model.nominal_parameters(), q, dq, ddq)
    swapped = Trial(np.arange(200) * 0.02, q[:, ::-1], dq=dq[:, ::-1], ddq=ddq[:, ::-1], tau=tau[:, ::-1], joint_names=("joint2", "joint1"))
    options = optid.Preprocessing(cutoff=None, torque_cutoff=None, use_measured_velocity=True, use_measured_acceleration=True, min_speed=0.0,
                                  velocity_cutoff=None, acceleration_cutoff=None)  # fmt: skip
    assert identify(model, swapped, preprocessing=options).beta == pytest.approx(TRUE, rel=1e-8)
    stranger = Trial(np.arange(200) * 0.02, q, tau=tau, joint_names=("a", "joint1"))
    with pytest.raises(UnknownNameError, match="missing: joint2; unknown: a"):
        identify(model, stranger)
    with pytest.raises(ShapeError, match="1 joints, expected 2"):
        identify(model, Trial(np.arange(200) * 0.02, q[:, :1], tau=tau[:, :1]))


def test_weights_find_the_quiet_channel() -> None:
    """C58: one parameter, two channels of noise 10 and 0.1, 100 samples each: 0.5 unweighted, 0.01 weighted."""
    axis = Transform.rot("x", np.pi / 2)
    # a body on two parallel sliding joints: both feel the same mass
    joints = tuple(type(planar().joints[0])(f"slide{i}", "P", Transform() if i == 0 else axis @ axis.inverse()) for i in range(2))
    model = DynamicModel(Robot(joints, (Link("a"), Link("b", mass=1.0)), NO_GRAVITY), friction="none")
    base = BaseParameters.of(model, known=["m1"])
    assert base.rank == 1
    ddq = np.tile([1.0, 0.0], (100, 1))
    zero = np.zeros((100, 2))
    found = {"ols": [], "wls": []}
    for seed in range(200):
        noise = np.random.default_rng(seed).standard_normal((100, 2)) * [10.0, 0.1]
        samples = Samples.from_arrays(zero, zero, ddq, ddq[:, :1] + noise, rate=1)
        for method, values in found.items():
            values.append(identify(base, samples, method=method).beta[0])
    assert np.std(found["ols"]) == pytest.approx(0.5, rel=0.15)
    assert np.std(found["wls"]) <= 0.012


def test_sigma_falls_like_one_over_root_n() -> None:
    model = DynamicModel(planar(), friction="none")
    sigma = [identify(model, simulated(model, motion(N), noise=0.1)).sigma for N in (400, 1600)]
    assert sigma[0] / sigma[1] == pytest.approx(np.full(6, 2.0), rel=0.1)


def test_intervals_cover_the_truth() -> None:
    """White noise, 200 experiments: 95 % intervals cover in 95 ± 4 % (three sigmas of a binomial count are 4.6 %)."""
    model = DynamicModel(planar(), friction="none")
    state = motion(100)
    base = BaseParameters.of(model)
    hits = np.zeros(6)
    for seed in range(200):
        ends = identify(base, simulated(model, state, noise=0.3, seed=seed), method="ols").interval()
        hits += (ends[:, 0] <= TRUE) & (ends[:, 1] >= TRUE)
    assert (np.abs(hits / 200 - 0.95) < 0.046).all()


def test_pure_noise_does_not_validate() -> None:
    """C64."""
    model = DynamicModel(planar(), friction="none")
    state = motion(60)
    rng = np.random.default_rng(0)
    train, test = (Samples.from_arrays(*state, rng.standard_normal((60, 2)), rate=50) for _ in range(2))
    fit = identify(model, train)
    assert fit.errors().stacked < 1
    assert optid.validate(fit, test).errors.stacked >= 1


def test_bad_rows_are_dropped_with_a_count() -> None:
    """C65: sample 500 has tau = NaN, sample 600 q = inf: both joints' equations there are left out, and nothing else changes.

    What is interpolated over the two holes is not used, and nothing is filtered, so it spreads to no neighbour.
    """
    model = DynamicModel(planar(), friction="none")
    q, dq, ddq = motion(1000)
    tau = model.inverse_dynamics(model.nominal_parameters(), q, dq, ddq)
    clean = Trial(np.arange(1000) * 0.02, q, dq=dq, ddq=ddq, tau=tau)
    q, tau = q.copy(), tau.copy()
    tau[500, 1], q[600, 0] = np.nan, np.inf
    trial = Trial(np.arange(1000) * 0.02, q, dq=dq, ddq=ddq, tau=tau)
    options = optid.Preprocessing(cutoff=None, torque_cutoff=None, use_measured_velocity=True, use_measured_acceleration=True, min_speed=0.0,
                                  velocity_cutoff=None, acceleration_cutoff=None)  # fmt: skip
    fit = identify(model, trial, preprocessing=options)
    assert fit.beta == pytest.approx(identify(model, clean, preprocessing=options).beta, rel=1e-9)
    assert fit.beta == pytest.approx(TRUE, rel=1e-9)
    assert fit.factors.counts.tolist() == [998, 998]
    assert "trial: Samples dropped: 2 not finite." in fit.notes
    assert "trial: The equations at 2 interpolated samples are not used." in fit.notes


def test_prediction_at_rest_is_not_the_sign_of_noise() -> None:
    """A joint that swings, then stands with velocity noise: no Coulomb friction is predicted while it stands."""
    rng = np.random.default_rng(3)
    v = np.concatenate([np.sin(np.arange(1000) * 0.02), rng.normal(0, 1e-4, 500)])
    tau = np.where(np.arange(1500) < 1000, 0.8 * np.sign(v), 0.0)
    trial = Trial(np.arange(1500) * 0.01, np.cumsum(v) * 0.01, dq=v, tau=tau)
    model = DynamicModel(Robot.from_dh([DHRow()], "standard"), friction="coulomb")
    options = optid.Preprocessing(cutoff=None, velocity_cutoff=None, acceleration_cutoff=None, use_measured_velocity=True, trim=0)
    result = optid.validate(identify(model, trial, preprocessing=options), trial)
    assert np.abs(result.predicted[1001:]).max() < 1e-3
    assert result.errors.stacked < 0.1
