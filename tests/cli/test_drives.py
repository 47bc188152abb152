"""``optid drives`` end to end, on the simulated SCARA whose motor-side numbers are known."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from optid import Experiment, write_experiment
from optid.cli.drives import drives
from optid.cli.guard import Commands
from optid.simulation.scara_drives import COULOMB, MAXIMUM, RATED, ROTORS, VISCOUS, record_currents, scara_cad, scara_motion


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """robot.toml with CAD inertias, and run.h5 with one trial to identify from and one held out."""
    path: Path = tmp_path_factory.mktemp("drives")
    scara_cad().save(path / "robot.toml")
    trials = [record_currents(scara_motion(1), seed=3), record_currents(scara_motion(11), seed=11, name="other motion", role="validation")]
    write_experiment(Experiment("scara", trials), path / "run.h5")  # type: ignore[arg-type]
    return path


def run(*arguments: object, code: int = 0) -> Any:
    app = typer.Typer(cls=Commands, add_completion=False, pretty_exceptions_enable=False)
    app.command("drives")(drives)
    app.command("other")(lambda: None)
    result = CliRunner().invoke(app, ["drives", *(str(a) for a in arguments)])
    assert result.exit_code == code, (result.output, result.exception)
    return result


def test_numbers_of_all_axes(folder: Path) -> None:
    said = json.loads(run(folder / "robot.toml", folder / "run.h5", "--decimate", "10", "--json").stdout)
    for what, truth in (("B", VISCOUS), ("friction", COULOMB), ("J", ROTORS)):
        for axis, value in zip(said["axes"], truth, strict=True):
            low, high = axis[what]["interval"]
            assert low < axis[what]["value"] < high
            assert axis[what]["value"] == pytest.approx(value, rel=0.1), (axis["name"], what)
    assert [s["parameters"] for s in said["sets"]] == [12, 19]
    assert np.max(said["sets"][0]["held_out"]) < 0.03
    assert not any(check["suspicious"] for check in said["inertias"])


def test_text_budget_and_plots(folder: Path) -> None:
    limits = ["--maximum", ",".join(map(str, MAXIMUM)), "--rated", ",".join(map(str, RATED)), "--allowed", "0.05"]
    out = run(folder / "robot.toml", folder / "run.h5", "--decimate", "10", *limits, "--report", folder / "plots").stdout
    assert "motor torques of 'other motion'" in out
    assert "joint2: above rated for" in out
    assert "The residuals do not contradict the known inertias." in out
    for name in ("spectra_1.png", "torque_1.png"):
        assert (folder / "plots" / name).read_bytes().startswith(b"\x89PNG")


def test_wrong_limits_are_one_sentence(folder: Path) -> None:
    result = run(folder / "robot.toml", folder / "run.h5", "--rated", "1,2,x", code=2)
    assert "optid: --rated: '1,2,x', expected 4 positive numbers joined by commas" in result.output
