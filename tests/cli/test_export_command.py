"""``optid export``: files of other programs from a fitted model, or one sentence."""

from __future__ import annotations

from pathlib import Path

import casadi as ca
import numpy as np
import pytest
from scipy.io import loadmat

from optid import DynamicModel, Robot
from optid.identification.result_file import load_result

from .test_commands import run


@pytest.fixture
def results(files: Path) -> Path:
    """Folder with plain.h5 and physical.h5."""
    for method, name in (("wls", "plain"), ("physical", "physical")):
        run("identify", files / "robot.toml", files / "train.h5", "-o", files / f"{name}.h5", "--friction", "viscous+coulomb", "--method", method)
    return files


def test_every_file_is_written_and_right(results: Path) -> None:
    out = results / "out"
    options = ("--c", out, "--casadi", results / "a.casadi", "--latex", results / "a.tex", "--matlab", results / "a.mat", "--urdf", results / "a.urdf")
    said = run("export", results / "physical.h5", *options, "--name", "swing")
    names = [results / "a.urdf", out / "swing.h", out / "swing.c", results / "a.casadi", results / "a.tex", results / "a.mat"]
    assert said.stdout.splitlines() == [f"written: {name}" for name in names] and all(name.is_file() for name in names)
    assert "optid: note: A URDF does not say where gravity points: read it with gravity=(0.0, -9.81, 0.0)." in said.stderr
    fit = load_result(results / "physical.h5")
    state = (np.array([[0.3]]), np.array([[-0.7]]), np.array([[1.1]]))
    torque = fit.predict(*state)[0]
    assert ca.Function.load(str(results / "a.casadi"))(*(x[0] for x in state))[0].full().ravel() == pytest.approx(torque, rel=1e-12)
    read = DynamicModel(Robot.from_urdf(results / "a.urdf", gravity=(0.0, -9.81, 0.0)), "viscous+coulomb")
    assert read.inverse_dynamics(read.nominal_parameters(), *state)[0] == pytest.approx(torque, rel=1e-10)
    assert np.array_equal(np.atleast_1d(loadmat(results / "a.mat", simplify_cells=True)["fit"]["beta"]), fit.beta)
    assert "void swing_gravity(const double q[1], double g[1]);" in (out / "swing.h").read_text()
    assert r"$I_{zz1}$ & kg\,m$^2$ & $0.3" in (results / "a.tex").read_text()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "optid export: no file to write, expected at least one of --c, --urdf, --casadi, --latex, --matlab."),
        (("--latex", "a.tex", "--name", "x"), "--name: given without what it is for, expected --c."),
        (("--c", "out", "--siunitx"), "--siunitx: given without what it is for, expected --latex."),
        (("--c", "out", "--name", "int"), "name of exported C code: 'int', expected a C identifier."),
        (("--urdf", "a.urdf", "--c", "out"), "base parameters alone, which are no bodies, expected bodies of all links. Fit with --method physical."),
        (("--latex", "robot.toml"), "it exists already, expected a new name. Pass --overwrite to replace it."),
    ],
)
def test_refusals_write_nothing(arguments: tuple[str, ...], said: str, results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(results)
    before = {path: path.stat().st_mtime_ns for path in results.iterdir()}
    stderr = run("export", "plain.h5", *arguments, code=2).stderr
    assert said in stderr and stderr.count("\n") == 1
    assert {path: path.stat().st_mtime_ns for path in results.iterdir()} == before


def test_a_recording_is_no_result(files: Path) -> None:
    assert "expected a fitted model named 'identification'. It is a recording" in run("export", files / "train.h5", "--latex", files / "a.tex", code=2).stderr
