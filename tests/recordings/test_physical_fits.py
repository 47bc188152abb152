"""Physically consistent fits of three robots: every link can exist, and they predict motions that least squares cannot."""

from __future__ import annotations

import logging
from dataclasses import replace
from pathlib import Path

import casadi as ca
import numpy as np
import pytest
from recorded import LWR4_AS_RECORDED, UR10E_PROTOCOL, UR10E_TRAIN, lwr4, ur10e, ur10e_tests

from optid import BaseParameters, DynamicModel, IdentificationResult, Robot, Trial, identify, library, validate
from optid.problems.physical_bodies import eigenvalues
from optid.statistics import sign_width

# -- UR10e ------------------------------------------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def other_motions(recordings: Path) -> dict[str, Trial]:
    return ur10e_tests(recordings)


@pytest.fixture(scope="module")
def train(recordings: Path) -> Trial:
    return ur10e(recordings, *UR10E_TRAIN)


@pytest.fixture(scope="module")
def smooth_sign(recordings: Path) -> BaseParameters:
    """The sign of a speed as far as this recording's own standstill shows it: between 1.8e-4 and 2e-4 rad/s on every joint."""
    widths = sign_width(ur10e(recordings, UR10E_TRAIN[0]), UR10E_PROTOCOL)
    assert min(widths) > 1.75e-4 and max(widths) < 2.05e-4
    return BaseParameters.of(DynamicModel(library.ur10e(), rotor_inertia=True, sign_width=widths))


@pytest.fixture(scope="module")
def bodies(train: Trial, smooth_sign: BaseParameters) -> IdentificationResult:
    return identify(smooth_sign, train, method="physical", preprocessing=UR10E_PROTOCOL)


def raw(fit: IdentificationResult, trial: Trial) -> np.ndarray:
    return 100 * validate(fit, trial).errors_raw.per_joint


def test_ur10e_links_can_exist_at_little_cost(bodies: IdentificationResult) -> None:
    """The cone test on every link, a residual within 5 % of least squares, a mass matrix that is positive definite in 10 000 random postures."""
    assert bodies.physical_report().ok
    assert eigenvalues(bodies.standard_parameters[:60]).min() > 0
    assert 0 <= bodies.details.residual_increase <= 0.05
    q = np.random.default_rng(0).uniform(-np.pi, np.pi, (10_000, 6))
    assert np.linalg.eigvalsh(bodies.base.model.mass_matrix(bodies.standard_parameters, q)).min() > 0


@pytest.mark.parametrize("method", ["wls", "essential", "physical"])
def test_ur10e_predicts_better_than_plain_weighting(
    method: str, bodies: IdentificationResult, smooth_sign: BaseParameters, train: Trial, other_motions: dict[str, Trial]
) -> None:
    """Per joint, raw torque, all samples: below the row of plain per-joint weighting on both files, the width of the sign from the training recording alone."""
    fit = bodies if method == "physical" else identify(smooth_sign, train, method=method, preprocessing=UR10E_PROTOCOL)
    assert (raw(fit, other_motions["ptp"]) < [12.8, 5.3, 5.6, 9.7, 15.7, 55]).all()
    assert (raw(fit, other_motions["40s"]) < [10.5, 5.0, 5.8, 11.0, 17.0, 13.6]).all()


def test_ur10e_same_model_validates_no_worse(train: Trial, other_motions: dict[str, Trial]) -> None:
    """With the sign as it is, the physical fit's mean error is at most that of the plain one on either file."""
    base = BaseParameters.of(DynamicModel(library.ur10e(), rotor_inertia=True))
    plain, physical = (identify(base, train, method=method, preprocessing=UR10E_PROTOCOL) for method in ("wls", "physical"))
    for trial in other_motions.values():
        assert raw(physical, trial).mean() <= raw(plain, trial).mean()


# -- LWR 4+ -----------------------------------------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def light_arm(recordings: Path) -> BaseParameters:
    logging.getLogger("optid").setLevel(logging.ERROR)
    return BaseParameters.of(DynamicModel(Robot.from_urdf(recordings / "lwr4" / "kuka_lwr4.urdf")))


@pytest.mark.parametrize("train, test, plain, limit", [((1, 2), 3, 13.6, 6.0), ((3,), 1, 6.2, 3.2)])
def test_lwr4_other_motion(recordings: Path, light_arm: BaseParameters, train: tuple[int, ...], test: int, plain: float, limit: float) -> None:
    """Stacked error on a motion that the fit has not seen and its weight was not chosen on; plain least squares beside it."""
    trials = [lwr4(recordings, run) for run in train]
    other = lwr4(recordings, test)
    fit = identify(light_arm, trials, method="physical", preprocessing=LWR4_AS_RECORDED)
    assert fit.physical_report().ok
    assert 100 * validate(fit, other).errors.stacked <= limit
    ols = identify(light_arm, trials, method="ols", preprocessing=LWR4_AS_RECORDED)
    assert 100 * validate(ols, other).errors.stacked == pytest.approx(plain, abs=0.1)


def test_lwr4_damping_by_the_residual_alone(recordings: Path, light_arm: BaseParameters) -> None:
    """Whole runs, prior scaled by |β₀| + 1 % of the largest, the largest weight within 1.10 of the residual: 5.4 and 3.0 % reproduced to 0.2."""
    options = replace(LWR4_AS_RECORDED, trim=0)
    for train, test, expected in (((1, 2), 3, 5.4), ((3,), 1, 3.0)):
        trials = [lwr4(recordings, run) for run in train]
        fit = identify(light_arm, trials, method="damped", weighting="none", allowance=1.10, preprocessing=options)
        assert fit.details.residual_increase == pytest.approx(0.10, abs=1e-3)
        assert 100 * validate(fit, lwr4(recordings, test)).errors.stacked == pytest.approx(expected, abs=0.2)


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
