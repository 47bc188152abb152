"""What the README shows is true: its Python runs, and its commands lead from a URDF and two logs to a judged model."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from optid import DynamicModel, Experiment, Robot, library, write_experiment
from optid.experiment import RobotInfo
from optid.simulation import Clock, Sensors, simulate_recording
from optid.trajectory import Fourier

README = (Path(__file__).resolve().parents[2] / "README.md").read_text(encoding="utf-8")

URDF = """<robot name="arm">
  <link name="base"/>
  <link name="upper"><inertial><origin xyz="0.2 0 0.01"/><mass value="4"/><inertia ixx="0.02" ixy="0" ixz="0" iyy="0.09" iyz="0" izz="0.08"/></inertial></link>
  <link name="lower"><inertial><origin xyz="0.15 0.02 0"/><mass value="2.5"/>
    <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.04" iyz="0" izz="0.045"/></inertial></link>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><origin xyz="0 0 0.3"/><axis xyz="0 1 0"/>
    <limit lower="-2" upper="2" velocity="3" effort="80"/><dynamics damping="1.2" friction="0.8"/></joint>
  <joint name="elbow" type="revolute"><parent link="upper"/><child link="lower"/><origin xyz="0.4 0 0"/><axis xyz="0 1 0"/>
    <limit lower="-2" upper="2" velocity="4" effort="40"/><dynamics damping="0.6" friction="0.4"/></joint>
</robot>"""


def block(language: str, containing: str) -> str:
    """The code block of this language that holds a text."""
    return next(text for text in re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL) if containing in text)


def motion(n: int, seed: int) -> Fourier:
    rng = np.random.default_rng(seed)
    return Fourier(np.zeros(n), rng.normal(0, 0.35, (n, 4)), rng.normal(0, 0.35, (n, 4)), period=10.0)


def test_twenty_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """The published count of 58 parameters, a validation close to the noise, and the same answer when it is posed by hand."""
    code = block("python", "import optid")
    assert 15 <= len([line for line in code.splitlines() if line]) <= 20
    robot = library.ur10e().with_friction(viscous=12.0, coulomb=8.0)
    model = DynamicModel(robot, ("viscous", "coulomb", "offset"), rotor_inertia=True)
    for seed, (day, role) in enumerate((("monday", "identification"), ("tuesday", "validation"))):
        pi = model.nominal_parameters()
        trial = simulate_recording(model, pi, motion(6, seed), clock=Clock(0.005), sensors=Sensors(torque_noise=0.5), seed=seed, name=day, role=role)
        write_experiment(Experiment(day, [trial], RobotInfo.of(robot)), tmp_path / f"{day}.h5")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    exec(compile(code, "README.md", "exec"), names)
    said = capsys.readouterr().out
    assert said.startswith("58 ('mx2 - 0.6127*m2 - ")
    fit, test = names["fit"], names["test"]
    assert test.errors.stacked < 0.02  # type: ignore[attr-defined]
    by_hand = np.array(re.findall(r"-?\d[\d.e+-]*", said[said.rindex("[") : said.rindex("]")]), dtype=float)
    ols = np.array(names["optid"].solve(names["problem"], solver="lstsq").beta)  # type: ignore[attr-defined]
    np.testing.assert_allclose(by_hand, ols, rtol=1e-5, atol=1e-5)
    assert names["real"].physical_report().ok  # type: ignore[attr-defined]
    assert Path("model.h5").exists()
    assert np.linalg.norm(ols - fit.beta) < 0.05 * np.linalg.norm(ols)  # type: ignore[attr-defined]


def test_from_a_urdf_and_two_logs_to_a_judged_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every command of "Your robot", as it stands there; friction is found to 3 %, and the verdict is printed."""
    pytest.importorskip("typer")
    from typer.testing import CliRunner

    from optid.cli.app import app

    monkeypatch.chdir(tmp_path)
    Path("arm.urdf").write_text(URDF, encoding="utf-8")
    Path("map.toml").write_text(block("toml", "pos_*"), encoding="utf-8")
    model = DynamicModel(Robot.from_urdf(URDF), "viscous+coulomb")
    for seed, day in enumerate(("monday", "tuesday")):
        trial = simulate_recording(
            model, model.nominal_parameters(), motion(2, seed), clock=Clock(0.004), sensors=Sensors(resolution=1e-5, torque_noise=0.1), seed=seed
        )
        table = np.column_stack([trial.time, np.degrees(trial.q), trial.tau])
        np.savetxt(f"{day}.csv", table, delimiter=",", header="t,pos_shoulder,pos_elbow,tau_shoulder,tau_elbow", comments="", fmt="%.9g")
    said = ""
    for line in block("bash", "optid import").splitlines():
        done = CliRunner().invoke(app, line.removeprefix("optid ").split(), input="y\n")
        assert done.exit_code == 0, done.output
        said += done.output
    for name, true in (("fv1", 1.2), ("fv2", 0.6), ("fc1", 0.8), ("fc2", 0.4)):
        found = re.search(rf"^{name}\s+(\S+)", said, re.MULTILINE)
        assert found is not None and abs(float(found[1]) / true - 1) < 0.03
    assert "All 12 base parameters are determined." in " ".join(said.split())


def test_table_of_alternatives_is_whole() -> None:
    """Every row has a cell for every project, and every project a place to look it up."""
    rows = [line for line in README.split("beside the alternatives")[1].split("optid in more words")[0].splitlines() if line.startswith("|")]
    assert len({row.count("|") for row in rows}) == 1
    assert rows[0].count("](https://") == 6


def test_pictures_and_pages_exist() -> None:
    for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", README):
        assert (Path(__file__).resolve().parents[2] / target).exists(), target
