"""Physically consistent fits of three robots: every link can exist, and they predict motions that least squares cannot."""

from __future__ import annotations

import logging
from dataclasses import replace
from pathlib import Path

import casadi as ca
import numpy as np
import pytest

from optid import BaseParameters, DynamicModel, IdentificationResult, Preprocessing, Robot, Trial, identify, library, validate
from optid.problems.physical_bodies import eigenvalues
from optid.signals import Nyquist

# -- UR10e ------------------------------------------------------------------------------------------------------------------------------------------------

PROTOCOL = Preprocessing(
    clock="recorded",
    cutoff=None,
    use_measured_velocity=True,
    velocity_cutoff=Nyquist(0.15),
    acceleration_cutoff=Nyquist(0.15),
    torque_cutoff=Nyquist(0.20),
    order=5,
    trim=0,
    min_speed=0.0,
)
AT_REST = 2e-4
"""Speed that the recording shows at standstill (its first 300 rows: up to 2.5e-4 rad/s): below it the sign of a velocity is noise."""


def ur10e_table(folder: Path, name: str) -> np.ndarray:
    return np.loadtxt(folder / "ur10e" / f"ur-{name}.csv", delimiter=",")


def ur10e_trial(folder: Path, name: str, first: int, last: int) -> Trial:
    table = ur10e_table(folder, name)[first - 1 : last]
    gains = [drive.gain for drive in library.ur10e().drives]
    return Trial(table[:, 0], table[:, 1:7], dq=table[:, 7:13], current=table[:, 13:19], name=name).with_torque_from_current(gains)


@pytest.fixture(scope="module")
def ur10e_tests(recordings: Path) -> dict[str, Trial]:
    return {"ptp": ur10e_trial(recordings, "20_01_17-ptp_10_points", 700, 4200), "40s": ur10e_trial(recordings, "20_02_12-40sec_12harm", 500, 4460)}


@pytest.fixture(scope="module")
def ur10e_train(recordings: Path) -> Trial:
    return ur10e_trial(recordings, "20_02_10-30sec_12harm", 635, 3510)


@pytest.fixture(scope="module")
def smooth_sign() -> BaseParameters:
    return BaseParameters.of(DynamicModel(library.ur10e(), rotor_inertia=True, sign_width=AT_REST))


@pytest.fixture(scope="module")
def ur10e(ur10e_train: Trial, smooth_sign: BaseParameters) -> IdentificationResult:
    return identify(smooth_sign, ur10e_train, method="physical", preprocessing=PROTOCOL)


def raw(fit: IdentificationResult, trial: Trial) -> np.ndarray:
    return 100 * validate(fit, trial).errors_raw.per_joint


def test_ur10e_links_can_exist_at_little_cost(ur10e: IdentificationResult) -> None:
    """The cone test on every link, a residual within 5 % of least squares, a mass matrix that is positive definite in 10 000 random postures."""
    assert ur10e.physical_report().ok
    assert eigenvalues(ur10e.standard_parameters[:60]).min() > 0
    assert 0 <= ur10e.details.residual_increase <= 0.05
    q = np.random.default_rng(0).uniform(-np.pi, np.pi, (10_000, 6))
    assert np.linalg.eigvalsh(ur10e.base.model.mass_matrix(ur10e.standard_parameters, q)).min() > 0


def test_speed_at_rest(recordings: Path) -> None:
    """The number above."""
    rest = np.abs(ur10e_table(recordings, "20_02_10-30sec_12harm")[:300, 7:13]).max()
    assert AT_REST < rest < 3e-4


def test_ur10e_predicts_better_than_plain_weighting(ur10e: IdentificationResult, ur10e_tests: dict[str, Trial]) -> None:
    """Per joint, raw torque, all samples: below the row of plain per-joint weighting on both files."""
    assert (raw(ur10e, ur10e_tests["ptp"]) < [12.8, 5.3, 5.6, 9.7, 15.7, 55]).all()
    assert (raw(ur10e, ur10e_tests["40s"]) < [10.5, 5.0, 5.8, 11.0, 17.0, 13.6]).all()


def test_ur10e_same_model_validates_no_worse(ur10e_train: Trial, ur10e_tests: dict[str, Trial]) -> None:
    """With the sign as it is, the physical fit's mean error is at most that of the plain one on either file."""
    base = BaseParameters.of(DynamicModel(library.ur10e(), rotor_inertia=True))
    plain, physical = (identify(base, ur10e_train, method=method, preprocessing=PROTOCOL) for method in ("wls", "physical"))
    for trial in ur10e_tests.values():
        assert raw(physical, trial).mean() <= raw(plain, trial).mean()


# -- LWR 4+ -----------------------------------------------------------------------------------------------------------------------------------------------

AS_RECORDED = Preprocessing(
    cutoff=None,
    torque_cutoff=None,
    velocity_cutoff=None,
    acceleration_cutoff=None,
    use_measured_velocity=True,
    use_measured_acceleration=True,
    trim=200,
    min_speed=0.0,
)


def lwr4_trial(folder: Path, run: int) -> Trial:
    with np.load(folder / "lwr4" / f"measurements_{run}.npz", allow_pickle=False) as data:
        return Trial(data["times"], data["positions"], dq=data["velocities"], ddq=data["accelerations"], tau=data["torques"], name=f"run {run}")


@pytest.fixture(scope="module")
def lwr4(recordings: Path) -> BaseParameters:
    logging.getLogger("optid").setLevel(logging.ERROR)
    return BaseParameters.of(DynamicModel(Robot.from_urdf(recordings / "lwr4" / "kuka_lwr4.urdf")))


@pytest.mark.parametrize("train, test, plain, limit", [((1, 2), 3, 13.6, 6.0), ((3,), 1, 6.2, 3.2)])
def test_lwr4_other_motion(recordings: Path, lwr4: BaseParameters, train: tuple[int, ...], test: int, plain: float, limit: float) -> None:
    """Stacked error on a motion that the fit has not seen and its weight was not chosen on; plain least squares beside it."""
    trials = [lwr4_trial(recordings, run) for run in train]
    other = lwr4_trial(recordings, test)
    fit = identify(lwr4, trials, method="physical", preprocessing=AS_RECORDED)
    assert fit.physical_report().ok
    assert 100 * validate(fit, other).errors.stacked <= limit
    ols = identify(lwr4, trials, method="ols", preprocessing=AS_RECORDED)
    assert 100 * validate(ols, other).errors.stacked == pytest.approx(plain, abs=0.1)


def test_lwr4_damping_by_the_residual_alone(recordings: Path, lwr4: BaseParameters) -> None:
    """Whole runs, prior scaled by |β₀| + 1 % of the largest, the largest weight within 1.10 of the residual: 5.4 and 3.0 % reproduced to 0.2."""
    options = replace(AS_RECORDED, trim=0)
    for train, test, expected in (((1, 2), 3, 5.4), ((3,), 1, 3.0)):
        trials = [lwr4_trial(recordings, run) for run in train]
        fit = identify(lwr4, trials, method="damped", weighting="none", allowance=1.10, preprocessing=options)
        assert fit.details.residual_increase == pytest.approx(0.10, abs=1e-3)
        assert 100 * validate(fit, lwr4_trial(recordings, test)).errors.stacked == pytest.approx(expected, abs=0.2)


# -- KR300 ------------------------------------------------------------------------------------------------------------------------------------------------


def counterbalance(q: ca.SX, dq: ca.SX, ddq: ca.SX) -> ca.SX:
    """Torque per newton of a rod of constant force on axis 2, anchors 0.8 and 0.2 m from it.

    It points along the line of the anchors at q2 = −5° here, which is −95° in the controller's own count of the axis (upright at −90°).
    """
    a, b, angle = 0.8, 0.2, q[1] + np.deg2rad(5)
    length = ca.sqrt(a**2 + b**2 - 2 * a * b * ca.cos(angle))
    return ca.vertcat(0, a * b * ca.sin(angle) / length, 0, 0, 0, 0)


def kr300_trial(folder: Path, name: str) -> Trial:
    table = np.genfromtxt(folder / "kr300" / f"kr300_{name}.csv", delimiter=",", names=True)
    q, dq, tau = (np.column_stack([table[f"{what}_{j}"] for j in range(1, 7)]) for what in ("q_motor_deg", "dq_motor_degps", "tau_motor_Nm"))
    gears = np.array([drive.gear for drive in library.kr300().drives])
    return Trial(table["t_s"], np.deg2rad(q), dq=np.deg2rad(dq), tau=tau * gears, name=name)


def test_kr300_one_short_run(recordings: Path) -> None:
    """Trained on A alone, run B: every joint below 1.5 times the error of A and C together, where plain least squares more than doubles it on some axis."""
    model = DynamicModel(library.kr300(), rotor_inertia=True).with_torque_basis(("counterbalance",), counterbalance)
    base = BaseParameters.of(model)
    runs = {name: kr300_trial(recordings, name) for name in "ABC"}
    alone = identify(base, runs["A"], method="physical")
    both = identify(base, [runs["A"], runs["C"]], method="physical")
    assert alone.physical_report().ok and both.physical_report().ok
    assert (raw(alone, runs["B"]) < 1.5 * raw(both, runs["B"])).all()
    moving = [[j.moving for j in validate(fit, runs["B"]).joints] for fit in (alone, both)]
    assert (np.array(moving[0]) < 1.5 * np.array(moving[1])).all()
    plain = identify(base, runs["A"], method="ols")
    assert (raw(plain, runs["B"]) / raw(both, runs["B"])).max() > 2
