"""Ten times the samples: ten times the time, the same memory."""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Iterator
from pathlib import Path

from harness import Row, limit
from long_recording import write
from scale_job import Job, run

N = 1_000_000
ROUNDS = 3


def rows() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder:
        one = write(Path(folder) / "one.h5", {"long": N})
        ten = write(Path(folder) / "ten.h5", {"long": 10 * N})
        for kind in ("stored", "derived"):
            run(kind, one)  # the first one may compile
            pairs: list[tuple[Job, Job]] = [(run(kind, one), run(kind, ten)) for _ in range(ROUNDS)]
            cpu = [[job.cpu for job in jobs] for jobs in zip(*pairs, strict=True)]
            name = f"{10 * N} samples, {kind} motion, against ten times {N}"
            yield limit(f"{name}: processor time", cpu[1], 10 * statistics.median(cpu[0]), of_time=False, slack=0.1)
            yield limit(f"{name}: wall time", [b.wall for _, b in pairs], 10 * statistics.median(a.wall for a, _ in pairs), slack=0.1)
            memory = statistics.median(a.memory for a, _ in pairs)
            yield limit(f"{10 * N} samples, {kind} motion, against {N}: peak memory [MB]", [b.memory for _, b in pairs], memory, of_time=False, slack=0.1)
