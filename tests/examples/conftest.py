"""Examples are run as a reader runs them: as scripts, in an empty folder, with warnings as errors."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., str]:
    """``run(name, *arguments)`` runs an example in quick mode and returns what it prints; its picture must be there afterwards."""
    pytest.importorskip("matplotlib")

    def output(name: str, *arguments: object) -> str:
        command = [sys.executable, "-W", "error", str(EXAMPLES / f"{name}.py"), *map(str, arguments), "--quick"]
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "MPLBACKEND": "Agg"}
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert done.stderr == ""
        assert not any(line.lstrip().lower().startswith("warning") for line in done.stdout.splitlines()), done.stdout
        assert (tmp_path / f"{name}.png").read_bytes().startswith(b"\x89PNG")
        return done.stdout

    return output
