"""Franka Panda, joint torque sensors: the recording behind Gaz et al. 2019, read on its own time stamps."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from optid import BaseParameters, DynamicModel, Preprocessing, Robot, Trial, identify, library


def read_trial(folder: Path) -> Trial:
    def read(what: str, shape: tuple[int, ...]) -> np.ndarray:
        return np.loadtxt(folder / "panda" / f"exciting_traj_{what}.txt").reshape(shape)

    return Trial(read("time", (-1,)), read("positions", (-1, 7)), dq=read("velocity", (-1, 7)), tau=read("torques", (-1, 7)), name="panda")


@pytest.fixture(scope="module")
def trial(recordings: Path) -> Trial:
    return read_trial(recordings)


@pytest.fixture(scope="module")
def base() -> BaseParameters:
    return BaseParameters.of(DynamicModel(library.panda()))


def protocol(cutoff: float) -> Preprocessing:
    return Preprocessing(rate=1000, cutoff=cutoff, torque_cutoff=cutoff, use_measured_velocity=True, trim=300, min_speed=0.0)


@pytest.mark.parametrize("cutoff, bound", [(5.0, 1.0), (10.0, 1.55)])
def test_error_against_equally_filtered_torque(trial: Trial, base: BaseParameters, cutoff: float, bound: float) -> None:
    """Stacked error at most 1.0 % at 5 Hz and 1.55 % at 10 Hz; rank 64, condition about 110."""
    fit = identify(base, trial, method="ols", preprocessing=protocol(cutoff))
    assert fit.determinacy.rank == 64
    assert fit.condition_number == pytest.approx(110.6, rel=0.03)
    assert 100 * fit.errors().stacked <= bound
    assert 100 * fit.errors("raw").stacked == pytest.approx(2.8, abs=0.15)


def test_large_first_moments_agree_with_the_publication(trial: Trial, base: BaseParameters) -> None:
    """Gaz et al. 2019, table III: first moments whose published sigma is below 0.2 % agree within 8 %."""
    fit = identify(base, trial, method="ols", preprocessing=protocol(5.0))
    published = {"my2": -3.1363, "mx3": 0.6803, "mx4": -0.4726, "my4": 1.7517, "my5": 0.0817, "mx6": 0.1637, "my6": -0.0623}
    for name, value in published.items():
        assert fit.value(name) == pytest.approx(value, rel=0.08), name


def test_urdf_of_the_arm_has_the_same_count(recordings: Path) -> None:
    """Its twists are rounded; 43 rigid and 64 with friction all the same."""
    robot = Robot.from_urdf(recordings / "panda" / "panda_no_gripper.urdf")
    assert BaseParameters.of(DynamicModel(robot, friction="none")).rank == 43
    assert BaseParameters.of(DynamicModel(robot)).rank == 64
