"""What everybody waits for: the import, the first help text, the model of a seven-joint arm."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator

from harness import Row, limit

ROUNDS = 5
IMPORT = "import numpy, time; a = time.perf_counter(); import optid; print(time.perf_counter() - a)"
MODEL = """
import time
import optid
from optid.library import panda
a = time.perf_counter()
assert optid.BaseParameters.of(optid.DynamicModel(panda(), friction="none")).rank == 43
print(time.perf_counter() - a)
"""


def rows() -> Iterator[Row]:
    yield limit("import optid, on top of numpy", [printed(IMPORT) for _ in range(ROUNDS)], 0.35)
    yield limit("optid --help, whole process", [help_text() for _ in range(ROUNDS)], 0.5)
    yield limit("model and base parameters of the Panda", [printed(MODEL) for _ in range(ROUNDS)], 2.0)


def printed(program: str) -> float:
    """The number that a program prints, in a fresh process."""
    return float(subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout)


def help_text() -> float:
    begin = time.perf_counter()
    subprocess.run([sys.executable, "-c", "import sys; from optid.cli import main; sys.argv = ['optid', '--help']; main()"], check=True, capture_output=True)
    return time.perf_counter() - begin
