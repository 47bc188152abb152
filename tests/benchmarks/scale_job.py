"""One fit from a file in a process of its own: ``python scale_job.py stored|derived FILE [residuals]`` prints its seconds and its peak memory as JSON."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np


@dataclass(frozen=True)
class Job:
    """What a fit took.

    Attributes
    ----------
    wall, cpu : float [s]
        From the first line of the program on, compiling included where the cache is cold; user and system time.
    memory : float [MB]
        Peak resident memory.
    """

    wall: float
    cpu: float
    memory: float


def run(kind: str, file: Path, residuals: bool = False) -> Job:
    """In a fresh process."""
    command = [sys.executable, __file__, kind, str(file), *(["residuals"] if residuals else [])]
    return Job(**json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout))


def main(kind: str, file: str, *more: str) -> None:
    start = time.perf_counter()
    import long_recording

    from optid import BaseParameters, identify

    options = {"stored": long_recording.STORED, "derived": long_recording.DERIVED}[kind]
    fit = identify(BaseParameters.of(long_recording.model()), file, preprocessing=options, residuals="residuals" in more)
    if not np.isfinite(fit.sigma).all():
        raise SystemExit("some base parameters are not determined")
    used = resource.getrusage(resource.RUSAGE_SELF)
    print(json.dumps({"wall": time.perf_counter() - start, "cpu": used.ru_utime + used.ru_stime, "memory": peak()}))


def peak() -> float:
    """Peak resident memory [MB] of this program: Linux counts the process that started it into ``ru_maxrss``, but not into VmHWM."""
    status = Path("/proc/self/status")
    if status.exists():
        return next(float(line.split()[1]) for line in status.read_text().splitlines() if line.startswith("VmHWM")) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main(*sys.argv[1:])
