"""The commands end to end, on a pendulum whose parameters are known."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from typer.testing import CliRunner

from optid.cli.app import app
from optid.identification.result_file import load_result

TRUTH = {"mx1": 0.5, "Izz1": 0.3, "fv1": 0.4, "fc1": 0.7}
IDENTIFY = ("--friction", "viscous+coulomb", "--cutoff", "none", "--torque-cutoff", "none")


def run(*arguments: object, code: int = 0, **options: Any) -> Any:
    """Run a command and check its exit code."""
    result = CliRunner().invoke(app, [str(a) for a in arguments], **options)
    assert result.exit_code == code, (result.output, result.exception)
    return result


def identify(folder: Path, *more: object, **options: Any) -> Any:
    """Fit the pendulum."""
    return run("identify", folder / "robot.toml", folder / "train.h5", "-o", folder / "model.h5", "--overwrite", *IDENTIFY, *more, **options)


def test_identify_finds_the_pendulum_and_validate_loads_it(files: Path) -> None:
    """Closed form: noise-free torque, derivatives by central differences at 100 Hz (error ω²h²/6 = 3e-4 at 0.7 Hz)."""
    identify(files)
    fit = load_result(files / "model.h5")
    for name, value in TRUTH.items():
        assert fit.value(name) == pytest.approx(value, rel=2e-3)
    said = json.loads(run("validate", files / "model.h5", files / "test.h5", "--json").stdout)
    assert [p["value"] for p in said["parameters"]] == fit.beta.tolist()
    assert said["validations"][0]["trial"] == "other"
    assert 0 < said["validations"][0]["filtered"]["stacked"] < 2e-3
    assert said["provenance"]["inputs"]["train.h5"] == json.loads(identify(files, "--json").stdout)["provenance"]["inputs"]["train.h5"]


def test_json_on_stdout_equals_the_result_file(files: Path) -> None:
    said = json.loads(identify(files, "--json").stdout)
    fit = load_result(files / "model.h5")
    assert [p["formula"] for p in said["parameters"]] == list(fit.formulas)
    assert [p["sigma"] for p in said["parameters"]] == fit.sigma.tolist()
    assert said["fit"]["condition_number"] == fit.condition_number
    assert said["provenance"]["command"].startswith("optid identify ")


def test_known_parameter_is_subtracted_not_fitted(files: Path) -> None:
    """m1 does not act on a pendulum; Izz1 = 0.3 given leaves three numbers, and a wrong value shows in the torque."""
    said = json.loads(identify(files, "--known", "Izz1=0.3", "--json").stdout)
    assert [p["formula"] for p in said["parameters"]] == ["mx1", "my1", "fv1", "fc1"]
    assert said["known"] == {"Izz1": 0.3}
    wrong = json.loads(identify(files, "--known", "Izz1=0.9", "--json").stdout)
    assert wrong["fit"]["error_filtered"]["stacked"] > 20 * said["fit"]["error_filtered"]["stacked"]


def test_report_folder_holds_the_same_numbers(files: Path) -> None:
    run("validate", files / "model.h5", files / "test.h5", code=2)
    identify(files)
    run("validate", files / "model.h5", files / "test.h5", "--report", files / "report")
    stored = json.loads((files / "report" / "results.json").read_text())
    said = json.loads(run("validate", files / "model.h5", files / "test.h5", "--json").stdout)
    commands = [each["provenance"]["validation"].pop("command") for each in (stored, said)]
    assert stored == said and commands[0].endswith(f"--report {files / 'report'}") and commands[1].endswith("--json")
    assert [r["file"] for r in said["recordings"]] == ["test.h5"] and said["recordings"][0]["rate"] == pytest.approx(100.0)


def test_a_report_without_other_motion_shows_the_fits_own(files: Path) -> None:
    """Only the trial of the fit is there: it is drawn, under its name, and the verdict says that it is no test."""
    identify(files, "--report", files / "report")
    said = json.loads((files / "report" / "results.json").read_text())
    assert [v["trial"] for v in said["training"]] == ["swing"] and said["validations"] == []
    assert said["assessment"]["level"] == "untested"
    assert (files / "report" / "torque-own-1.png").exists()
    assert load_result(files / "report" / "results.h5").beta.tolist() == load_result(files / "model.h5").beta.tolist()


def test_of_a_long_recording_the_report_draws_the_beginning(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two thousand samples are long here; where the beginning is outside the time window, the report goes without."""
    monkeypatch.setattr("optid.cli.judged.DRAWN", 500)
    identify(files, "--report", files / "report")
    said = json.loads((files / "report" / "results.json").read_text())
    assert said["training"][0]["trial"] == "swing (its first 500 samples)" and said["training"][0]["samples"] == 500
    late = identify(files, "--start", "10", "--report", files / "late")
    assert "not drawn: trial 'swing (its first 500 samples)': no sample left" in late.stderr
    assert json.loads((files / "late" / "results.json").read_text())["training"] == []


def test_base_prints_formulas(files: Path) -> None:
    """Vertical-plane pendulum: three base parameters (C24), one a friction term."""
    said = run("base", files / "robot.toml", "--friction", "none").stdout.splitlines()
    assert said[:3] == ["mx1", "my1", "Izz1"]
    assert "3 base parameters of 10 unknown" in said[4]


def test_base_of_a_library_robot() -> None:
    """G21: 18 base parameters when masses, rotor inertias and viscous friction are known."""
    names = ("--known", "m", "--known", "Ia", "--known", "fv")
    said = json.loads(run("base", "library:irb140_lower_arm", "--friction", "viscous+coulomb", "--rotor-inertia", *names, "--json").stdout)
    assert said["rank"] == 18 and said["standard_parameters"] == 39 and len(said["known"]) == 9
    assert "Ixz2 - 0.36*mz2 - 0.36*mz3" in said["formulas"]


def test_info_says_what_a_file_is(files: Path) -> None:
    assert "recording 'training'" in run("info", files / "train.h5").stdout
    assert json.loads(run("info", files / "train.h5", "--json").stdout)["trials"]["swing"]["samples"] == 2000
    identify(files)
    found = json.loads(run("info", files / "model.h5", "--json").stdout)
    assert found["file"] == "fitted model"
    assert {p["formula"] for p in found["results"]["identification"]["parameters"]} == {"mx1", "my1", "Izz1", "fv1", "fc1"}
    assert json.loads(run("info", files / "robot.toml", "--json").stdout)["name"] == "pendulum"


def test_info_lists_every_fault_and_shows_what_is_good(files: Path) -> None:
    """Two trials with faults: both are named, the exit code is 2, the rest is shown."""
    with h5py.File(files / "train.h5", "r+") as file:
        file["trials/swing/tau"][7, 0] = np.nan
        file["trials/swing/time"][9] = 0.0
    result = run("info", files / "train.h5", code=2)
    assert "recording 'training'" in result.stdout
    errors = [line for line in result.stdout.splitlines() if line.startswith("error: ")]
    assert len(errors) >= 2 and any("tau" in e for e in errors) and any("time" in e for e in errors)
    assert [f["severity"] for f in json.loads(run("info", files / "train.h5", "--json", code=2).stdout)["faults"]].count("error") == len(errors)


def test_import_shows_and_asks_before_it_writes(tmp_path: Path) -> None:
    t = np.arange(50) * 0.01
    table = np.column_stack([t, np.degrees(np.sin(t)), 3 * t])
    np.savetxt(tmp_path / "log.csv", table, delimiter=",", header="t,q_a,tau_a", comments="")
    (tmp_path / "map.toml").write_text('time = "t"\nq = "q_*"\ntau = "tau_*"\nunits = {q = "deg", tau = "N m"}\n')
    command = ("import", tmp_path / "log.csv", "-o", tmp_path / "log.h5", "--mapping", tmp_path / "map.toml")
    refused = run(*command, code=1, input="n\n")
    assert "what was understood" in refused.output and not (tmp_path / "log.h5").exists()
    run(*command, "--yes")
    with h5py.File(tmp_path / "log.h5") as file:
        assert file["trials/log/q"][-1, 0] == pytest.approx(np.sin(0.49), rel=1e-12)
    assert "it exists already" in run(*command, "--yes", code=2).stderr
    run(*command, "--yes", "--add", "--name", "second", "--role", "validation")
    assert list(json.loads(run("info", tmp_path / "log.h5", "--json").stdout)["trials"]) == ["log", "second"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("base", "nowhere.toml"), "not found"),
        (("base", "library:pandra"), "Did you mean 'panda'?"),
        (("base", "panda"), "Did you mean library:panda?"),
        (("info", "nowhere.h5"), "not found"),
        (("validate", "{text}", "{text}"), "text file"),
        (("info", "{text}"), "text file"),
        (("identify", "{folder}/robot.toml", "{folder}/train.h5", "-o", "x.h5", "--friction", "sticky"), "sticky"),
        (("identify", "{folder}/robot.toml", "{folder}/train.h5", "-o", "x.h5", "--known", "m7"), "'m7'"),
        (("identify", "{folder}/robot.toml", "{folder}/train.h5", "-o", "x.h5", "--known", "m1=heavy"), "'heavy'"),
        (("identify", "{folder}/robot.toml", "{folder}/train.h5", "-o", "x.h5", "--cutoff", "low"), "--cutoff"),
        (("identify", "{folder}/robot.toml", "{folder}/train.h5", "-o", "x.h5", "--period", "2"), "--cycles"),
        (("identify", "{folder}/robot.toml", "{folder}/test.h5", "-o", "x.h5"), "no trial with role 'identification'"),
        (("validate", "{folder}/train.h5", "{folder}/test.h5"), "optid identify"),
    ],
)
def test_a_wrong_call_is_one_sentence(files: Path, arguments: tuple[str, ...], said: str) -> None:
    """Exit code 2, one line on stderr, nothing on stdout, no traceback."""
    (files / "text").write_text("not what you want\n")
    result = run(*(a.format(text=files / "text", folder=files) for a in arguments), code=2)
    lines = result.stderr.strip().splitlines()
    assert len(lines) == 1 and lines[0].startswith("optid: ") and said in lines[0]
    assert "Traceback" not in result.output


def test_hostile_result_file_is_refused(files: Path) -> None:
    """A truncated or altered model is one sentence, whatever was changed."""
    identify(files)
    whole = (files / "model.h5").read_bytes()
    (files / "short.h5").write_bytes(whole[: len(whole) // 2])
    assert len(run("validate", files / "short.h5", files / "test.h5", code=2).stderr.strip().splitlines()) == 1
    with h5py.File(files / "model.h5", "r+") as file:
        group = file["results/identification"]
        del group["weights"]
    assert "weights" in run("validate", files / "model.h5", files / "test.h5", code=2).stderr


def test_info_on_a_damaged_model_lists_the_fault(files: Path) -> None:
    identify(files)
    with h5py.File(files / "model.h5", "r+") as file:
        del file["results/identification/values"]
        file["results/identification/values"] = "x"
    fault = "error: /results/identification/values: shape (), expected (5,), as there are 5 parameters."
    assert fault in run("info", files / "model.h5", code=2).stdout.splitlines()
    assert json.loads(run("info", files / "model.h5", "--json", code=2).stdout)["results"]["identification"]["parameters"] == []


def test_control_characters_do_not_reach_the_terminal(files: Path, pendulum: Any) -> None:
    """A title or trial name that clears the screen is printed, not obeyed."""
    from optid import Experiment, write_experiment

    from .conftest import trial_of

    write_experiment(Experiment("\x1b[2Jclear", [trial_of(pendulum, "a\x1b[31m", "validation")]), files / "odd.h5")  # type: ignore[arg-type]
    said = run("info", files / "odd.h5").stdout
    assert "\x1b" not in said and "\\x1b[2Jclear" in said and "a\\x1b[31m" in said


def test_every_robot_of_the_library_is_described() -> None:
    from optid.cli.arguments import library_names

    for name in library_names():
        assert json.loads(run("info", f"library:{name}", "--json").stdout)["file"] == "robot"


def test_debug_shows_the_traceback_wherever_it_stands(files: Path) -> None:
    from optid.errors import MissingFileError

    for arguments in (("--debug", "info", "nowhere.h5"), ("info", "nowhere.h5", "--debug")):
        result = CliRunner().invoke(app, list(arguments))
        assert isinstance(result.exception, MissingFileError)


def test_one_bad_file_is_left_out_or_stops_the_fit(files: Path) -> None:
    (files / "bad.h5").write_bytes(b"\x89HDF\r\n\x1a\nbroken")
    command = ("identify", files / "robot.toml", files / "bad.h5", files / "train.h5", "-o", files / "model.h5", *IDENTIFY)
    assert "bad.h5" in run(*command, "--stop-on-error", code=2).stderr
    assert not (files / "model.h5").exists()
    assert "left out" in run(*command).stderr
    assert load_result(files / "model.h5").value("mx1") == pytest.approx(0.5, rel=2e-3)


def test_a_batch_on_the_command_line_goes_on(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two processes; the second call only reads what the first one kept."""
    from optid.identification import batch

    (files / "again.h5").write_bytes((files / "train.h5").read_bytes())
    command = ("identify", files / "robot.toml", files / "again.h5", files / "train.h5", "--resume", files / "batch", *IDENTIFY)
    run(*command, "--workers", "2", "-o", files / "two.h5")
    assert list((files / "batch").glob("*.npz"))
    monkeypatch.setattr(batch, "reduce_file", lambda *_, **__: pytest.fail("reduced again"))
    run(*command, "--workers", "1", "-o", files / "one.h5")
    assert np.array_equal(load_result(files / "one.h5").beta, load_result(files / "two.h5").beta)


def test_an_interrupted_batch_says_what_it_kept(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from optid.identification import batch

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(batch._Batch, "examined", interrupted)
    said = run("identify", files / "robot.toml", files / "train.h5", "--resume", files / "batch", "-o", files / "model.h5", *IDENTIFY, code=130).stderr
    assert f"Complete and kept: {files / 'batch'}" in said


def test_a_scheduler_has_its_own_workers(files: Path) -> None:
    command = ("identify", files / "robot.toml", files / "train.h5", "-o", files / "model.h5", "--scheduler", "tcp://127.0.0.1:1", "--workers", "2")
    assert "--workers: given with --scheduler, expected one of them" in run(*command, code=2).stderr


@pytest.mark.parametrize(
    ("output", "flags", "said"),
    [
        ("train.h5", ("--overwrite",), "train.h5: an input of this fit, expected a file of its own for the fitted model."),
        ("robot.toml", ("--overwrite",), "robot.toml: an input of this fit, expected a file of its own for the fitted model."),
        ("./../{name}/train.h5", (), "train.h5: an input of this fit"),
        ("test.h5", ("--overwrite",), "test.h5: it exists and is no fitted model, expected a new name, or a fitted model to replace."),
        ("notes.txt", ("--overwrite",), "notes.txt: it exists and is no fitted model"),
        ("old.h5", (), "old.h5: it exists already, expected a new name. Pass --overwrite to replace it."),
        ("nowhere/model.h5", (), "nowhere: not found, expected an existing folder for model.h5."),
    ],
)
def test_a_fitted_model_destroys_no_other_file(files: Path, output: str, flags: tuple[str, ...], said: str) -> None:
    """Refused before anything is fitted; every file keeps its bytes."""
    identify(files)
    (files / "model.h5").rename(files / "old.h5")
    (files / "notes.txt").write_text("kept\n")
    before = {file: file.read_bytes() for file in files.iterdir()}
    target = f"{files}/{output.format(name=files.name)}"
    assert said in run("identify", files / "robot.toml", files / "train.h5", "-o", target, *IDENTIFY, *flags, code=2).stderr
    assert {file: file.read_bytes() for file in files.iterdir()} == before


def test_validating_on_the_training_data_is_pointed_out(files: Path) -> None:
    identify(files)
    done = run("validate", files / "model.h5", files / "train.h5", files / "test.h5", "--json")
    assert "this is no validation" in done.stderr
    said = json.loads(done.stdout)
    assert [[v["trial"] for v in said[kind]] for kind in ("training", "validations")] == [["swing"], ["other"]]
    alone = run("validate", files / "model.h5", files / "train.h5").stdout.splitlines()
    assert alone[-2] == "Not tested on other motion: what this model may be used for is open." and alone[0] == "validation on 'swing'"


def test_interruption_names_what_was_kept(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C after the model is written: exit 130 and its name."""

    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("optid.report.write_report", stop)
    result = identify(files, "--report", files / "report", code=130)
    assert str(files / "model.h5") in result.stderr
    assert load_result(files / "model.h5").n_rows > 0


def test_python_m_optid(files: Path) -> None:
    """The same program through ``python -m``, in a process of its own."""
    command = [sys.executable, "-P", "-m", "optid", "base", str(files / "robot.toml"), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=files)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["rank"] == 6


def test_help_imports_nothing_heavy() -> None:
    """numpy, scipy, casadi and matplotlib are left alone until a command needs them."""
    code = "import sys, optid.cli.app; print([m for m in ('numpy', 'scipy', 'casadi', 'h5py', 'matplotlib', 'nevergrad') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_missing_extra_is_one_sentence(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    from optid.cli import main

    monkeypatch.setitem(sys.modules, "typer", None)
    with pytest.raises(SystemExit) as stop:
        main([])
    assert stop.value.code == 2
    assert capsys.readouterr().err.strip().endswith("pip install 'optid[app]'.")
