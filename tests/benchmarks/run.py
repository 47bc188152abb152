"""Run every ``bench_*.py`` beside this file and print one table: ``python tests/benchmarks/run.py [name ...]``.

A bench file has a function ``rows()`` that yields rows of :mod:`harness`. The exit code is 1 when a row is slower than wanted by more than its noise.
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

from harness import Row, machine, table


def main(names: list[str]) -> int:
    files = sorted(Path(__file__).parent.glob("bench_*.py"))
    chosen = [f.stem for f in files if not names or f.stem.removeprefix("bench_") in names]
    rows: list[Row] = []
    for name in chosen:
        rows += import_module(name).rows()
    print(machine())
    print(table(rows))
    return int(not rows or any(row.missed for row in rows))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
