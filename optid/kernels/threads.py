"""How many threads numeric work may use."""

from __future__ import annotations

import os


def available_threads() -> int:
    """Processors this process may use, at most ``OMP_NUM_THREADS``."""
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    limit = os.environ.get("OMP_NUM_THREADS", "")
    return max(1, min(processors, int(limit))) if limit.isdigit() else processors
