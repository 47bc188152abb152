"""A pendulum with known parameters, recorded without noise: small enough for every command."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from optid import DHRow, DynamicModel, Experiment, Robot, Trial, write_experiment
from optid.robot import Link


@pytest.fixture
def pendulum() -> Robot:
    """m = 2 kg, first moment mx = 0.5 kg m, Izz = 0.3 kg m², under gravity across its axis; viscous friction 0.4, Coulomb 0.7."""
    link = Link("arm", 2.0, (0.5, 0.0, 0.0), (0.01, 0.0, 0.0, 0.3, 0.0, 0.3))
    robot = Robot.from_dh([DHRow()], "standard", (0.0, -9.81, 0.0), links=[link], name="pendulum")
    return robot.with_friction(viscous=0.4, coulomb=0.7)


def trial_of(robot: Robot, name: str, role: str, phase: float = 0.0, noise: float = 0.0) -> Trial:
    """20 s of two sines at 100 Hz with the robot's own torque."""
    model = DynamicModel(robot, ("viscous", "coulomb"))
    t = np.arange(0, 20, 0.01)
    w = 2 * np.pi * np.array([0.3, 0.7])
    angle = np.outer(t, w) + phase
    q, dq, ddq = np.sin(angle).sum(1), (w * np.cos(angle)).sum(1), -(w**2 * np.sin(angle)).sum(1)
    tau = model.inverse_dynamics(model.nominal_parameters(), q[:, None], dq[:, None], ddq[:, None])
    tau = tau + noise * np.random.default_rng(1).normal(size=tau.shape)
    return Trial(t, q, dq, ddq, tau, joint_names=robot.joint_names, name=name, role=role, sources=dict.fromkeys(("q", "dq", "ddq", "tau"), "measured"))


@pytest.fixture
def files(pendulum: Robot, tmp_path: Path) -> Path:
    """Folder with robot.toml, train.h5 and test.h5."""
    pendulum.save(tmp_path / "robot.toml")
    write_experiment(Experiment("training", [trial_of(pendulum, "swing", "identification")]), tmp_path / "train.h5")  # type: ignore[arg-type]
    write_experiment(Experiment("test", [trial_of(pendulum, "other", "validation", 1.0)]), tmp_path / "test.h5")  # type: ignore[arg-type]
    return tmp_path
