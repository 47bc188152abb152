"""``optid run`` on the command line: plan, progress, interruption, JSON; and completion for the shell."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import optid
from optid.cli.app import app

TEXT = """
[robot]
source = "robot.toml"
[model]
friction = "viscous+coulomb"
[[recordings]]
files = ["train.h5", "test.h5"]
[preprocessing]
cutoff = "none"
"""


def run(*arguments: object, code: int = 0, **options: Any) -> Any:
    result = CliRunner().invoke(app, [str(a) for a in arguments], **options)
    assert result.exit_code == code, (result.output, result.exception)
    return result


@pytest.fixture
def campaign(files: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(files)
    (files / "c.toml").write_text(TEXT)
    return Path("c.toml")


def test_a_plan_is_printed_and_nothing_written(campaign: Path) -> None:
    said = run("run", campaign, "--dry-run").stdout
    assert "robot 'pendulum', 1 joint; results go to results" in said
    assert [line.split()[0] for line in said.splitlines() if "to do" in line] == ["identify:wls", "validate:wls", "report"]
    plan = json.loads(run("run", campaign, "--dry-run", "--json").stdout)
    assert plan["tasks"][0] == {"task": "identify:wls", "state": "to do", "inputs": ["train.h5"], "outputs": ["fits/wls.h5"]}
    assert not Path("results").exists()
    (files := Path("train.h5")).rename("gone.h5")
    missing = json.loads(run("run", campaign, "--dry-run", "--json", code=2).stdout)
    assert missing["tasks"] == [] and "'train.h5', not found" in missing["missing"][0]
    assert not files.exists() and not Path("results").exists()


def test_a_run_says_what_it_does_and_how_good_the_model_is(campaign: Path) -> None:
    """Noise-free pendulum: the fit's parameters are the truth, as by ``optid identify`` with the same options."""
    result = run("run", campaign)
    assert result.stderr.splitlines()[:3] == ["identify:wls: done", "validate:wls: done", "report: done"]
    lines = result.stdout.strip().splitlines()
    assert lines[0].startswith("verdict: wls: ") and lines[-1] == "report: results/report/report.html"
    again = run("run", campaign)
    assert again.stderr.splitlines()[:3] == ["identify:wls: up to date", "validate:wls: up to date", "report: up to date"]
    said = json.loads(run("run", campaign, "--json").stdout)
    assert said["done"] == [] and said["kept"] == ["identify:wls", "validate:wls", "report"] and said["verdict"] == lines[0].removeprefix("verdict: ")
    plan = json.loads(run("run", campaign, "--dry-run", "--json").stdout)
    assert {task["state"] for task in plan["tasks"]} == {"up to date"}
    run("identify", "robot.toml", "train.h5", "-o", "by_hand.h5", "--friction", "viscous+coulomb", "--cutoff", "none")
    by_hand, fit = optid.load_result("by_hand.h5"), optid.load_result("results/fits/wls.h5")
    assert by_hand.beta.tolist() == fit.beta.tolist() and fit.value("mx1") == pytest.approx(0.5, rel=2e-3)
    assert fit.provenance["command"] == "optid run c.toml" and list(fit.provenance["inputs"]) == ["train.h5"]


def test_only_takes_steps_with_commas(campaign: Path) -> None:
    said = json.loads(run("run", campaign, "--only", "identify,validate", "--json").stdout)
    assert said["done"] == ["identify:wls", "validate:wls"] and said["report"] is None
    wrong = run("run", campaign, "--only", "identifi", code=2).stderr.strip()
    assert wrong.splitlines() == [
        "optid: step 'identifi': unknown name, expected one of design, import, identify, validate, payload, compare, report. Did you mean 'identify'?"
    ]


def test_ctrl_c_keeps_what_is_finished_and_says_how_to_go_on(campaign: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("optid.campaign.judging.judge", interrupted)
        result = run("run", campaign, "--only", "identify,validate", code=130)
    assert result.stderr.splitlines()[-1] == (
        "optid: interrupted. Finished and kept: identify:wls. To go on:  optid run c.toml --only identify --only validate"
    )
    assert not (Path("results") / ".work").exists()
    assert json.loads(run("run", campaign, "--only", "identify,validate", "--json").stdout)["done"] == ["validate:wls"]


def test_a_solver_that_was_interrupted_leaves_nothing_half(campaign: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A solver returns its best point when it is interrupted; a campaign must not take it for the answer."""
    from optid import identification

    whole = identification.identify_batch

    def stopped(*given: Any, **named: Any) -> Any:
        batch = whole(*given, **named)
        return replace(batch, result=replace(batch.result, solution=replace(batch.result.solution, status="stopped")))

    monkeypatch.setattr(identification, "identify_batch", stopped)
    assert "No step was finished." in run("run", campaign, code=130).stderr
    assert not Path("results/fits").exists()


def test_notes_are_in_the_words_of_the_file(campaign: Path, files: Path) -> None:
    """Stamps that jitter: the note says which key decides, as TOML."""
    trial = optid.read_experiment("train.h5")["swing"]
    rng = np.random.default_rng(0)
    shaken = replace(trial, time=trial.time + rng.uniform(0, 2e-3, trial.n_samples), dq=None, ddq=None)
    optid.write_experiment(optid.Experiment("shaken", [shaken]), "train.h5", overwrite=True)  # type: ignore[arg-type]
    lines = run("run", campaign, "--only", "identify").stderr.splitlines()
    assert len([line for line in lines if line.startswith("optid: note: ") and 'clock = "' in line and "--clock" not in line]) == 1


def test_one_method_that_fails_does_not_stop_the_others(campaign: Path) -> None:
    """Total least squares needs the encoders' noise; the others are fitted and scored all the same."""
    campaign.write_text(TEXT.replace("[robot]", 'methods = ["tls", "wls"]\n[robot]', 1))
    lines = run("run", campaign, code=2).stderr.splitlines()
    assert lines[:3] == ["identify:tls: failed", "identify:wls: done", "validate:wls: done"]
    assert lines[-1].startswith("optid: identify:tls: method 'tls': no noise of the encoders") and not Path("results/report").exists()


@pytest.mark.skipif(not hasattr(signal, "SIGINT") or os.name == "nt", reason="needs signals")
def test_a_real_interruption(campaign: Path) -> None:
    """SIGINT to a process that is at work: exit code 130, one sentence, no traceback; then it goes on."""
    campaign.write_text(TEXT.replace("[robot]", 'methods = ["wls", "ols", "huber", "gls", "damped"]\n[robot]', 1))
    process = subprocess.Popen([sys.executable, "-m", "optid", "run", "c.toml"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None and process.stderr.readline() == "identify:wls: done\n"
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130, said
    last = said.splitlines()[-1]
    assert "Traceback" not in said and last.startswith("optid: interrupted. Finished and kept: identify:wls")
    assert last.endswith("To go on:  optid run c.toml")
    kept = json.loads(run("run", campaign, "--only", "identify", "--json").stdout)["kept"]
    assert "identify:wls" in kept


def test_version_is_printed() -> None:
    assert run("--version").stdout == f"optid {optid.__version__}\n"


BASH = shutil.which("bash")


@pytest.mark.skipif(BASH is None, reason="no bash on this machine")
@pytest.mark.parametrize(("words", "offered"), [(("optid", "ident"), {"identify"}), (("optid", "ru"), {"run"}), (("optid", "run", "--dr"), {"--dry-run"})])
def test_completion_in_bash(tmp_path: Path, words: tuple[str, ...], offered: set[str]) -> None:
    """The script that ``optid --show-completion`` prints, in a real bash, completes commands and options."""
    (tmp_path / "optid").write_text(f'#!{BASH}\nexec "{sys.executable}" -m optid "$@"\n')
    (tmp_path / "optid").chmod(0o755)
    environment = {**os.environ, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}", "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
    shown = subprocess.run([str(tmp_path / "optid"), "--show-completion", "bash"], capture_output=True, text=True, env=environment, timeout=60)
    assert shown.returncode == 0 and "complete " in shown.stdout, shown.stderr
    (tmp_path / "script").write_text(shown.stdout)
    asked = " ".join(f"'{word}'" for word in words)
    function = shown.stdout.split("()")[0].split()[-1]
    code = f"source {tmp_path / 'script'}; COMP_WORDS=({asked}); COMP_CWORD={len(words) - 1}; {function} optid; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    done = subprocess.run([str(BASH), "--norc", "-c", code], capture_output=True, text=True, env=environment, timeout=60)
    assert set(done.stdout.split()) == offered, done.stderr


@pytest.mark.skipif(BASH is None, reason="no bash on this machine")
def test_completion_installs_itself(tmp_path: Path) -> None:
    (tmp_path / "optid").write_text(f'#!{BASH}\nexec "{sys.executable}" -m optid "$@"\n')
    (tmp_path / "optid").chmod(0o755)
    environment = {**os.environ, "HOME": str(tmp_path), "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
    done = subprocess.run([str(tmp_path / "optid"), "--install-completion", "bash"], capture_output=True, text=True, env=environment, timeout=60)
    assert done.returncode == 0, done.stderr
    assert "optid" in (tmp_path / ".bashrc").read_text() and list(tmp_path.glob(".bash_completions/optid*"))
