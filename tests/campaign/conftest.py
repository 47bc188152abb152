"""A campaign on a simulated two-axis arm whose parameters are known: small, yet with two joints, four recordings and several methods."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from optid import DHRow, DynamicModel, Experiment, Robot, Trial, write_experiment
from optid.experiment import RobotInfo
from optid.robot import Link

TEXT = """
title = "Arm"
{more}
[robot]
source = "robot.toml"

[model]
friction = "viscous+coulomb"

[[recordings]]
files = ["a.h5", "b.h5"]
role = "identification"

[[recordings]]
files = "*.csv"
role = "validation"
mapping = {{time = "t", q = "q_*", tau = "tau_*", units = {{q = "deg", tau = "N m"}}}}
"""


@pytest.fixture(scope="session")
def arm() -> Robot:
    """Two links in a vertical plane, with friction."""
    links = [
        Link.from_com(4.0, (-0.25, 0.01, 0.0), (0.01, 0.06, 0.06), "upper"),
        Link.from_com(2.0, (-0.2, 0.0, 0.0), (0.005, 0.03, 0.03), "fore"),
    ]
    rows = [DHRow(a=0.5), DHRow(a=0.4)]
    robot = Robot.from_dh(rows, "standard", (0.0, -9.81, 0.0), links=links, joint_names=("shoulder", "elbow"), name="arm")
    return robot.with_friction(viscous=(0.8, 0.4), coulomb=(1.5, 0.7))


def simulated(robot: Robot, seed: int, seconds: float = 10.0, rate: float = 200.0, noise: float = 0.05) -> Trial:
    """Random sines, twice around in ``seconds``, with exact positions and white torque noise."""
    rng = np.random.default_rng(seed)
    t = np.arange(0.0, seconds, 1 / rate)
    w = 2 * np.pi * np.arange(1, 5)[:, None] / seconds * 2
    size, phase = rng.uniform(0.3, 0.7, (4, robot.n)), rng.uniform(0, 2 * np.pi, (4, robot.n))
    angle = w[None] * t[:, None, None] + phase[None]
    q, dq, ddq = ((size * f(angle) * g).sum(axis=1) for f, g in ((np.sin, 1.0), (np.cos, w), (np.sin, -(w**2))))
    model = DynamicModel(robot, ("viscous", "coulomb"))
    tau = model.inverse_dynamics(model.nominal_parameters(), q, dq, ddq)
    return Trial(t, q, tau=tau + noise * rng.normal(size=tau.shape), joint_names=robot.joint_names, name=f"run{seed}")


@pytest.fixture
def folder(arm: Robot, tmp_path: Path) -> Path:
    """robot.toml, a.h5 and b.h5 to identify from, c.csv (degrees, other joint order) to validate on."""
    arm.save(tmp_path / "robot.toml")
    for seed, name in enumerate("ab"):
        write_experiment(Experiment(name, [simulated(arm, seed)], robot=RobotInfo.of(arm), created=""), tmp_path / f"{name}.h5")  # type: ignore[arg-type]
    trial = simulated(arm, 2)
    table = np.column_stack([trial.time, np.degrees(trial.q[:, ::-1]), trial.tau[:, ::-1]])
    np.savetxt(tmp_path / "c.csv", table, delimiter=",", header="t,q_elbow,q_shoulder,tau_elbow,tau_shoulder", comments="")
    return tmp_path


@pytest.fixture
def campaign(folder: Path) -> Callable[..., Path]:
    """Write a campaign file; ``more`` goes to its top level, ``tables`` to its end, and pairs replace text."""

    def write(more: str = "", tables: str = "", *changes: tuple[str, str], name: str = "campaign.toml") -> Path:
        text = TEXT.format(more=more) + tables
        for old, new in changes:
            assert old in text
            text = text.replace(old, new)
        (folder / name).write_text(text, encoding="utf-8")
        return folder / name

    return write


@pytest.fixture
def quick_report(monkeypatch: pytest.MonkeyPatch) -> None:
    """The pages themselves are tested in the room of reports; here only when they are made, and of what."""

    def write_report(path: Path, fit: Any, validations: Any, *, title: str | None, training: Any, recordings: Any, tables: Any) -> Path:
        errors = [v.errors.stacked for v in (*validations, *training)]
        said = f"{title} {fit.method} {fit.beta.tolist()} {errors} {[r.name for r in recordings]} {[t.rows for t in tables]}"
        (path / "report.html").write_text(said)
        return path / "report.html"

    def write_side_by_side(path: Path, fits: Any, validations: Any, *, title: str, provenance: Any) -> Path:
        errors = {label: [v.errors.stacked for v in each] for label, each in validations.items()}
        (path / "report.html").write_text(f"{title} {[fit.beta.tolist() for fit in fits.values()]} {errors} {provenance}")
        return path / "report.html"

    monkeypatch.setattr("optid.report.write_report", write_report)
    monkeypatch.setattr("optid.report.write_side_by_side", write_side_by_side)


def contents(folder: Path) -> dict[str, bytes]:
    """Every file of a folder but the lock, with its bytes."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file() and path.name != ".lock"}
