"""``optid demo`` and what it leaves behind."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from optid import read_experiment
from optid.cli.app import app
from optid.identification.result_file import load_result


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return run_demo(tmp_path_factory.mktemp("demo") / "made")


def run_demo(out: Path) -> Path:
    result = CliRunner().invoke(app, ["demo", "--out", str(out), "--seed", "1"])
    assert result.exit_code == 0, result.output
    lines = result.stdout.strip().splitlines()
    assert lines[-1] == f"report: {out / 'report.html'}"
    assert lines[-2].startswith("verdict: On 'inverted U' (3 joints, 9.67 s, not used for the fit)")
    return out


def test_numbers_agree_with_the_files(folder: Path) -> None:
    """results.json, the model and the experiment's results hold the same estimates; inside means inside."""
    said = json.loads((folder / "results.json").read_text())
    fit = load_result(folder / "model.h5")
    assert [p["value"] for p in said["parameters"]] == fit.beta.tolist() == said["demo"]["cutoffs"][0]["values"]
    truth, ends = np.array(said["demo"]["truth"]), fit.interval()
    assert said["demo"]["cutoffs"][0]["inside"] == ((ends[:, 0] <= truth) & (truth <= ends[:, 1])).tolist()
    assert said["demo"]["period"] == pytest.approx(5.04, abs=0.002)
    stored = read_experiment(folder / "experiment.h5")
    assert list(stored.trials) == ["excitation", "inverted U"]
    assert np.array_equal(stored.results["cut-offs 2.4-4.8 Hz"]["values"], fit.beta)
    assert np.array_equal(stored.results["cut-offs 1.2-2.4 Hz"]["values"], said["demo"]["cutoffs"][1]["values"])
    assert stored.design["period"] == 5.0


def test_every_estimate_is_near_the_truth(folder: Path) -> None:
    """Within five sigma each, both pairs of cut-offs."""
    said = json.loads((folder / "results.json").read_text())["demo"]
    for pair in said["cutoffs"]:
        assert np.abs((np.array(pair["values"]) - said["truth"]) / pair["sigmas"]).max() < 5


def test_its_model_validates_on_its_experiment(folder: Path) -> None:
    """The saved model, with the preprocessing it was fitted with, gives the numbers of the report again."""
    done = CliRunner().invoke(app, ["validate", str(folder / "model.h5"), str(folder / "experiment.h5"), "--json"])
    assert done.exit_code == 0, done.output
    again = json.loads(done.stdout)["validations"][0]
    assert again == json.loads((folder / "results.json").read_text())["validations"][0]


def test_files_are_small_and_complete(folder: Path) -> None:
    names = {p.name for p in folder.iterdir()}
    charts = {f"{name}-{tail}.png" for name in ("torque", "residuals", "spectrum", "whiteness") for tail in ("1", "own-1")}
    plots = charts | {"parameters.png", "singular_values.png", "table-1.png"}
    assert names == plots | {"report.html", "results.json", "results.h5", "experiment.h5", "model.h5"}
    page = (folder / "report.html").read_text()
    assert page.count('src="data:image/png;base64,') == 11 and "optid demo --seed 1" in page
    assert len(page.encode()) < 3e6


def test_interrupted_before_anything_is_written_leaves_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Folders that it made go, one that was there stays."""

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("optid.simulation.irb140_story.irb140_story", stop)
    (tmp_path / "mine").mkdir()
    for out in (tmp_path / "mine", tmp_path / "mine" / "new" / "deep"):
        done = CliRunner().invoke(app, ["demo", "--out", str(out)])
        assert done.exit_code == 130 and "interrupted. Nothing was written." in done.stderr
        assert [file.name for file in tmp_path.rglob("*")] == ["mine"]


@pytest.mark.slow
def test_same_seed_same_bits(folder: Path, tmp_path: Path) -> None:
    again = run_demo(tmp_path / "again")
    for file in folder.iterdir():
        assert file.read_bytes() == (again / file.name).read_bytes(), file.name
