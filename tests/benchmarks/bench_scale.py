"""A million samples of six joints, from a file to weighted base parameters with their standard deviations: seconds and memory in a fresh process."""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Iterator
from pathlib import Path

from harness import Row, limit
from long_recording import write
from scale_job import run

N = 1_000_000
ROUNDS = 3
MEGABYTES = 600.0
SECONDS = {"stored": 5.0, "derived": 10.0}


def rows() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder:
        file = write(Path(folder) / "million.h5", {"long": N})
        for kind, seconds in SECONDS.items():
            jobs = [run(kind, file) for _ in range(ROUNDS + 1)][1:]  # the first one may compile
            cpu = statistics.median(job.cpu for job in jobs)
            yield limit(f"{N} samples, {kind} motion ({cpu:.1f} s of processor time)", [job.wall for job in jobs], seconds)
            yield limit(f"{N} samples, {kind} motion: peak memory [MB]", [job.memory for job in jobs], MEGABYTES, of_time=False)
