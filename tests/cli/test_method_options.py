"""Options of estimation methods on the command line, on the pendulum of known parameters."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from optid import Experiment, Robot, Trial, load_result, write_experiment
from optid.cli.app import app
from optid.cli.method import COVARIANCES, METHOD_NAMES
from optid.errors import OptidWarning
from optid.identification import METHODS
from optid.problems.uncertainty import KINDS
from optid.robot import load_robot
from optid.statistics import sign_width

PLAIN = ("--friction", "viscous+coulomb", "--cutoff", "none", "--torque-cutoff", "none")


def identify(folder: Path, *more: object, code: int = 0) -> Any:
    arguments = ("identify", folder / "robot.toml", folder / "train.h5", "-o", folder / "model.h5", "--overwrite", *PLAIN, *more)
    result = CliRunner().invoke(app, [str(a) for a in arguments], env={"COLUMNS": "200"})
    assert result.exit_code == code, (result.output, result.exception)
    return result


def test_names_are_those_of_the_library() -> None:
    assert tuple(METHODS) == METHOD_NAMES and COVARIANCES == KINDS


def test_help_lists_the_methods() -> None:
    text = " ".join(CliRunner().invoke(app, ["identify", "--help"], env={"COLUMNS": "200"}).output.replace("│", " ").split())
    assert all(name in text for name in METHOD_NAMES)


@pytest.mark.parametrize(
    "options, message",
    [
        (("--method", "physcal"), "method 'physcal': unknown name, expected one of ols, wls, gls"),
        (("--method", "physcal"), "Did you mean 'physical'?"),
        (("--method", "damped", "--option", "dampng=1"), "Did you mean 'damping'?"),
        (("--option", "damping"), "--option: 'damping', expected NAME=VALUE"),
        (("--method", "damped", "--option", "damping=-1"), "damping: -1, expected a finite number >= 0"),
        (("--method", "constrained", "--bound", "fc1=1"), "--bound fc1: '1', expected a range LOW:HIGH"),
        (("--method", "constrained", "--bound", "fc1=a:"), "--bound fc1: 'a', expected a number"),
        (("--method", "constrained", "--bound", "fc1=2:1"), "fc1"),
        (("--method", "wls", "--bound", "fc1=0:"), "option of method 'wls' 'bounds': unknown name"),
        (("--method", "physical", "--com-box", "arm=0:1"), "--com-box arm: '0:1', expected three ranges"),
        (("--method", "physical", "--mass", "arm=3:2"), "mass range of link 'arm': [3, 2] kg, expected 0 <= least <= largest"),
        (("--method", "physical", "--mass", "leg=1:2"), "leg"),
        (("--method", "damped", "--prior", "fc9=1"), "parameter 'fc9': unknown name"),
        (("--method", "damped", "--prior", "fc1=1:0"), "sigma of the prior of fc1: 0, expected a number above 0"),
        (("--method", "damped", "--prior", "nowhere.toml"), "robot file 'nowhere.toml': not found"),
        (("--method", "iv"), "method 'iv': loop=None, expected the closed loop that the recording came from"),
        (("--method", "iv", "--loop", "nothing.py"), "--loop nothing.py: no file nothing.py, expected a Python file"),
        (("--covariance", "hacc"), "kind of covariance 'hacc': unknown name, expected one of white, hac, bootstrap. Did you mean 'hac'?"),
        (("--sign-width", "narrow"), "--sign-width: 'narrow', expected a speed such as 0.01, or auto"),
        (("--sign-width", "auto"), "--sign-width auto: no recording with a standstill"),
        (("--write-robot", "out.txt"), "the ending '.txt', expected .toml or .urdf"),
        (("--write-robot", "out.toml"), "--write-robot with --method wls: base parameters alone, expected bodies of all links. Use --method physical."),
    ],
)
def test_wrong_options_are_one_sentence(files: Path, options: tuple[str, ...], message: str) -> None:
    result = identify(files, *options, code=2)
    assert message in " ".join(result.output.split())
    assert "Traceback" not in result.output and not (files / "model.h5").exists()


def test_robot_files_are_not_written_over(files: Path) -> None:
    before = (files / "robot.toml").read_bytes()
    result = identify(files, "--method", "physical", "--write-robot", files / "robot.toml", code=2)
    assert "Robot files are never written over" in " ".join(result.output.split())
    assert (files / "robot.toml").read_bytes() == before


def test_damped_reaches_its_prior(files: Path) -> None:
    """λ = 1e6 in own units, no weights: the prior's numbers (C56), those named before those of the robot."""
    identify(files, "--method", "damped", "--option", "damping=1e6", "--option", "scale=unit", "--option", "weighting=none", "--prior", "fc1=3")
    fit = load_result(files / "model.h5")
    assert fit.value("fc1") == pytest.approx(3.0, abs=1e-6)
    assert fit.value("mx1") == pytest.approx(0.5, abs=1e-6)


def test_prior_with_sigmas(files: Path) -> None:
    """A tight belief in one parameter holds it; λ is 1 then. Others are as the data say."""
    identify(files, "--method", "damped", "--prior", "fv1=0.2:1e-9", "--prior", files / "robot.toml", "--prior-sigma", "1e3")
    fit = load_result(files / "model.h5")
    assert fit.details.damping == 1.0
    assert fit.value("fv1") == pytest.approx(0.2, abs=1e-4)
    assert fit.value("mx1") == pytest.approx(0.5, abs=0.01)


def test_bounds_and_their_note(files: Path) -> None:
    result = identify(files, "--method", "constrained", "--bound", "fc1=:0.5", "--bound", "fv1=0:")
    assert load_result(files / "model.h5").value("fc1") == pytest.approx(0.5, abs=1e-6)
    assert "at their bounds: fc1" in result.output


def test_physical_with_limits_is_written_back(files: Path) -> None:
    """Mass and centre of mass as asked for; the robot file and the URDF hold bodies of the fitted torque."""
    for suffix in (".toml", ".urdf"):
        out = files / f"fitted{suffix}"
        options = ("--method", "physical", "--mass", "arm=1:1.5", "--com-box", "arm=0:0.5,-0.1:0.1,-0.1:0.1", "--write-robot", out)
        assert f"robot: {out}" in identify(files, *options).output
        fit, robot = load_result(files / "model.h5"), load_robot(out)
        link = robot.links[-1]
        assert 1 - 1e-6 <= link.mass <= 1.5 + 1e-6 and 0 <= link.com[0] <= 0.5 + 1e-6
        assert robot.joints[robot.independent[0]].coulomb == pytest.approx(fit.value("fc1"), rel=1e-6)
        assert link.parameters == pytest.approx(fit.standard_parameters[:10], abs=1e-9)


def test_instruments_from_a_python_file(files: Path) -> None:
    """The wanted motion as instruments: noise-free, the pendulum's own parameters."""
    (files / "wanted.py").write_text(
        "import numpy as np\n"
        "from optid.problems import CommandedMotion\n"
        "w = 2 * np.pi * np.array([0.3, 0.7])\n"
        "class Wanted:\n"
        "    def derivative(self, time, order):\n"
        "        angle = np.outer(time, w)\n"
        "        return [np.sin(angle).sum(1), (w * np.cos(angle)).sum(1), -(w**2 * np.sin(angle)).sum(1)][order][:, None]\n"
        "motion = CommandedMotion(Wanted())\n"
    )
    identify(files, "--method", "iv", "--loop", f"{files / 'wanted.py'}:motion")
    fit = load_result(files / "model.h5")
    assert fit.method == "iv" and fit.value("mx1") == pytest.approx(0.5, rel=2e-3)
    result = identify(files, "--method", "iv", "--loop", f"{files / 'wanted.py'}:moton", code=2)
    assert "Did you mean 'motion'?" in result.output
    (files / "broken.py").write_text("raise KeyError('gain')\n")
    result = identify(files, "--method", "iv", "--loop", files / "broken.py", code=2)
    assert "KeyError while it ran: 'gain', expected a file that runs" in " ".join(result.output.split())


@pytest.mark.parametrize("kind", KINDS)
def test_intervals_of_a_kind(files: Path, kind: str) -> None:
    result = identify(files, "--covariance", kind)
    fit = load_result(files / "model.h5")
    assert f"95 % interval ({kind})" in result.output
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OptidWarning)
        lower = fit.rows(kind)[0]["lower"]
    assert f"{lower:.6g}" in result.output


def test_width_of_the_sign_from_standstill(pendulum: Robot, files: Path) -> None:
    """The recording's own noise at rest, as the library says."""
    rng = np.random.default_rng(0)
    t = np.arange(0, 20, 0.01)
    q = np.where(t < 5, 0.0, np.sin(2 * (t - 5)))[:, None] + 1e-4 * rng.standard_normal((len(t), 1))
    trial = Trial(t, q, tau=np.zeros_like(q), joint_names=pendulum.joint_names, name="rest", role="identification")
    write_experiment(Experiment("rest", [trial]), files / "train.h5", overwrite=True)  # type: ignore[arg-type]
    identify(files, "--sign-width", "auto")
    fit = load_result(files / "model.h5")
    assert fit.preprocessing is not None
    assert fit.base.model.widths == pytest.approx(sign_width(trial, fit.preprocessing))
