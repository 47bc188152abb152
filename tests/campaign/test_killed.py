"""A real process that runs a campaign is killed (SIGKILL) at chosen instants; run again, it ends with the same files as one that was left alone."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from .conftest import contents

Write = Callable[..., Path]
ONLY = ("import", "identify", "validate", "compare")
LIMITS = "".join(f"[limits.joint.{name}]\nlower = -1\nupper = 1\nvelocity = 2\nacceleration = 9\n" for name in ("shoulder", "elbow"))
METHODS = 'methods = ["wls", "huber"]'

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")

CHILD = """
import os, signal, sys
from optid.cli import main

kind, at, *arguments = sys.argv[1:]
count = 0

def lethal(function):
    def call(*given, **named):
        global count
        count += 1
        if kind == "before" and count == int(at):
            os.kill(os.getpid(), signal.SIGKILL)
        result = function(*given, **named)
        if kind == "after" and count == int(at):
            os.kill(os.getpid(), signal.SIGKILL)
        return result
    return call

os.replace = lethal(os.replace)
main(["run", *arguments])
"""


def child(path: Path, kind: str, at: int, only: Sequence[str] = ()) -> int:
    """Run a campaign in a process of its own that dies before or after its ``at``-th renaming of a file; its exit code."""
    steps = [part for step in only for part in ("--only", step)]
    command = [sys.executable, "-W", "error", "-c", CHILD, kind, str(at), str(path), *steps]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, env={**os.environ, "OMP_NUM_THREADS": "1"})
    assert done.returncode in (0, -signal.SIGKILL), done.stderr
    return done.returncode


def test_a_killed_run_ends_with_the_same_files(campaign: Write, folder: Path) -> None:
    """Killed before the record exists, between a task's file and its record, and in the middle of a fit's own writing: one death after another."""
    path = campaign(METHODS)
    assert child(path, "never", 0, ONLY) == 0
    results = folder / "results"
    wanted = contents(results)
    results.rename(folder / "alone")
    for kind, at in (("before", 1), ("after", 3), ("before", 4)):
        assert child(path, kind, at, ONLY) == -signal.SIGKILL
    assert child(path, "never", 0, ONLY) == 0
    assert contents(results) == wanted


@pytest.mark.slow
def test_killed_at_every_renaming(campaign: Write, folder: Path) -> None:
    """The whole campaign with design and report: killed before and after each renaming of a file, every death followed by a run that gets further."""
    tables = f"{LIMITS}[design]\nperiod = 4\nexport = {{csv = 'plan.csv'}}\n"
    path = campaign(METHODS, tables)
    assert child(path, "never", 0) == 0
    results = folder / "results"
    wanted = contents(results)
    assert "design/plan.h5" in wanted and "report/report.html" in wanted
    results.rename(folder / "alone")
    deaths = 0
    for at in range(1, 100):
        if child(path, "before", at) == 0 or child(path, "after", at) == 0:
            break  # a run got to its end
        deaths += 2
    assert deaths > 20
    assert contents(results) == wanted


@pytest.mark.slow
def test_killed_by_the_clock(campaign: Write, folder: Path) -> None:
    """Killed after growing times, wherever it is then."""
    path = campaign(METHODS)
    assert child(path, "never", 0) == 0
    results = folder / "results"
    wanted = contents(results)
    results.rename(folder / "alone")
    command = [sys.executable, "-m", "optid", "run", str(path)]
    for seconds in (0.8, 1.0, 1.2, 1.4, 1.7, 2.0, 2.4, 2.9, 3.5):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, "OMP_NUM_THREADS": "1"})
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    assert child(path, "never", 0) == 0
    assert contents(results) == wanted
