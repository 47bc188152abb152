"""``optid design`` from the command line: the plan, its exports, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from optid.cli.design import design
from optid.cli.guard import Commands
from optid.experiment import read_experiment
from optid.library import irb140_lower_arm
from optid.trajectory import from_mapping

IRB140 = ["library:irb140_lower_arm", "--harmonics", "4", "--period", "5", "--friction", "viscous+coulomb", "--rotor-inertia", "--sign-width", "1"]
KNOWN = ["--known", "m", "--known", "Ia", "--known", "fv"]


def run(*arguments: str) -> tuple[int, str]:
    app = typer.Typer(cls=Commands)
    app.callback()(lambda: None)
    app.command("design")(design)
    done = CliRunner().invoke(app, ["design", *arguments])
    return done.exit_code, done.output


def test_plan_and_exports(tmp_path: Path) -> None:
    """The IRB140 of G21 (published optimum 36.4): the plan file gives the proven motion again, the CSV holds its samples."""
    plan, csv = tmp_path / "plan.h5", tmp_path / "motion.csv"
    options = ["-o", str(plan), "--csv", str(csv), "--rate", "100", "--plots", str(tmp_path / "plots"), "--no-rest", "--acceleration", "1", "--json"]
    code, said = run(*IRB140, *KNOWN, *options)
    assert code == 0, said
    summary = json.loads(said)
    assert summary["proven"] and summary["converged"] and summary["condition_number"] < 15
    kept = read_experiment(plan).design
    assert (kept["criterion"], kept["period"], kept["harmonics"]) == ("condition", 5.0, 4)
    assert kept["condition_number"] == summary["condition_number"]
    motion = from_mapping(kept["trajectory_1"])
    assert motion.check(irb140_lower_arm().limits.scaled(0.8, 0.7, 1.0)).proven
    rows = np.loadtxt(csv, delimiter=",", skiprows=sum(not line[:1].isdigit() for line in csv.read_text().splitlines()))
    np.testing.assert_allclose(rows[:, 1:4], motion.derivative(rows[:, 0]), atol=1e-9)
    assert {path.stem for path in (tmp_path / "plots").iterdir()} == {"motion", "convergence", "singular_values", "swept_volume"}


def test_processes_that_share_the_starts_change_no_bit(tmp_path: Path) -> None:
    options = [*IRB140, *KNOWN, "--no-rest", "--starts", "2", "--json"]
    said = [run(*options, "-o", str(tmp_path / f"{k}.h5"), "--workers", str(k)) for k in (1, 2)]
    assert said[0][0] == 0, said[0][1]
    one, two = (json.loads(text) for _, text in said)
    assert one["condition_number"] == two["condition_number"]
    t = np.linspace(0.0, 5.0, 50)
    here, there = (from_mapping(read_experiment(tmp_path / f"{k}.h5").design["trajectory_1"]).derivative(t) for k in (1, 2))
    assert np.array_equal(here, there)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--criterion", "conditon"], "Did you mean 'condition'"),
        (["--velocity", "0"], "velocity fraction: 0"),
        (["--solver", "ipop"], "Did you mean 'ipopt'"),
    ],
)
def test_wrong_options_are_one_sentence(tmp_path: Path, options: list[str], message: str) -> None:
    code, said = run(*IRB140, *KNOWN, "-o", str(tmp_path / "plan.h5"), *options)
    assert code != 0
    assert message in said
    assert not (tmp_path / "plan.h5").exists()
