"""``optid compare``: estimators on recordings, and saved results side by side, on a pendulum whose parameters are known."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from typer.testing import CliRunner

from optid import Experiment, Robot, load_result, write_experiment
from optid.cli.app import app

from .conftest import trial_of

OPTIONS = ("--friction", "viscous+coulomb", "--cutoff", "none", "--torque-cutoff", "none")


def run(*arguments: object, code: int = 0) -> Any:
    result = CliRunner().invoke(app, [str(a) for a in arguments])
    assert result.exit_code == code, (result.output, result.exception)
    return result


def fitted(robot: Robot, folder: Path, name: str, phase: float) -> Path:
    """A fit to 20 s of noisy torque of the robot."""
    write_experiment(Experiment(name, [trial_of(robot, name, "identification", phase, noise=0.05)]), folder / f"{name}.h5", overwrite=True)  # type: ignore[arg-type]
    target = folder / f"{name}-model.h5"
    run("identify", folder / "robot.toml", folder / f"{name}.h5", "-o", target, *OPTIONS)
    return target


def test_estimators_agree_on_clean_data(files: Path) -> None:
    """Noise-free torque, derivatives by central differences (error 3e-4): ols and wls predict left-out pieces and another motion to a few 1e-4."""
    command = ("compare", files / "robot.toml", files / "train.h5", "--methods", "ols, wls", "--validation", files / "test.h5", *OPTIONS)
    said = json.loads(run(*command, "--json").stdout)
    rows = said["comparison"]["rows"]
    assert [row["label"] for row in rows] == ["ols", "wls"] and said["judge"] == "validation"
    assert said["comparison"]["folds"] == 5 and said["comparison"]["folds_are"] == "pieces"
    for row in rows:
        for judge in ("training", "cross", "validation", "validation_raw"):
            assert 0 < row[judge]["stacked"] < 2e-3 and len(row[judge]["per_joint"]) == 1
        assert row["unphysical"] == [] and row["n_effective"] == pytest.approx(5)
    assert said["statements"][0]["topic"] == "As good"
    assert set(said["provenance"]["inputs"]) == {"train.h5", "test.h5"}
    text = run(*command).stdout
    assert "Least error on other motion: " in text and "As good: " in text


def test_options_of_the_preparation(files: Path) -> None:
    """A window of 10 s on a grid of 50 Hz, its ends with it: 501 equations."""
    command = (
        "compare",
        files / "robot.toml",
        files / "train.h5",
        "--methods",
        "ols",
        *OPTIONS,
        "--start",
        "5",
        "--stop",
        "15",
        "--rate",
        "50",
        "--min-speed",
        "0",
    )
    run(*command, "--report", files / "report")
    assert load_result(files / "report" / "results.h5", "ols").n_rows == 501
    assert "--period: given without --cycles" in run(*command, "--period", "2", code=2).stderr


def test_a_failed_estimator_gets_its_reason(files: Path) -> None:
    """An absent method is a wrong call; the report holds every fit that there is."""
    assert "Did you mean 'wls'" in run("compare", files / "robot.toml", files / "train.h5", "--methods", "wsl", *OPTIONS, code=2).stderr
    run("compare", files / "robot.toml", files / "train.h5", "--methods", "ols,physical", "--report", files / "report", *OPTIONS)
    said = json.loads((files / "report" / "results.json").read_text())
    assert said["judge"] == "cross" and (files / "report" / "errors.png").exists()
    assert load_result(files / "report" / "results.h5", "ols").value("Izz1") == pytest.approx(0.3, rel=2e-3)
    with h5py.File(files / "report" / "results.h5") as file:
        assert file["results/report/comparison/rows/1/cross"].attrs["stacked"] == said["comparison"]["rows"][0]["cross"]["stacked"]


def test_results_side_by_side(files: Path, pendulum: Robot) -> None:
    """Viscous friction 0.4 and then 0.6, the rest as it was: of all parameters it alone is far off, by its difference over the root of both variances."""
    before, after = fitted(pendulum, files, "before", 0.0), fitted(pendulum.with_friction(viscous=0.6, coulomb=0.7), files, "after", 2.0)
    said = json.loads(run("compare", before, after, "--json").stdout)
    rows = {row["formula"]: row for row in said["parameters"]}
    assert set(rows) == {"mx1", "my1", "Izz1", "fv1", "fc1"}
    one, two = load_result(before), load_result(after)
    for k, name in enumerate(one.formulas):
        spread = np.sqrt(one.covariance(one.reliable_kind)[k, k] + two.covariance(two.reliable_kind)[k, k])
        assert rows[name]["differences"] == [0.0, pytest.approx((two.beta[k] - one.beta[k]) / spread)]
        assert (abs(rows[name]["differences"][1]) > 3) == (name == "fv1")
    assert said["headline"] == "1 of 5 parameters differ by more than 3 standard deviations from before-model."
    assert [r["errors"]["stacked"] for r in said["results"]] == [one.errors().stacked, two.errors().stacked]


def test_results_on_the_same_validation(files: Path, pendulum: Robot) -> None:
    """On a motion of the robot with friction 0.4 the fit to that robot is the better one, and the page says so."""
    before, after = fitted(pendulum, files, "before", 0.0), fitted(pendulum.with_friction(viscous=0.6, coulomb=0.7), files, "after", 2.0)
    text = run("compare", before, after, "--validation", files / "test.h5", "--report", files / "report").stdout
    said = json.loads((files / "report" / "results.json").read_text())
    errors = [r["errors"]["stacked"] for r in said["results"]]
    assert errors[0] < 0.2 * errors[1] and said["errors_on"] == "'other'"
    assert "Least error: before-model" in text and f"report: {files / 'report' / 'report.html'}" in text


def test_wrong_calls(files: Path, pendulum: Robot) -> None:
    one = fitted(pendulum, files, "one", 0.0)
    assert "results to compare: 1, expected two or more" in run("compare", one, code=2).stderr
    assert "recordings to compare estimators on: none" in run("compare", files / "robot.toml", code=2).stderr
    assert "optid identify" in run("compare", one, files / "train.h5", code=2).stderr
