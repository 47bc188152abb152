"""Side-by-side timing: the rivals of a comparison take turns in one process, and a row holds the ratio of their medians."""

from __future__ import annotations

import os
import platform
import statistics
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

PACKAGES = ("numpy", "scipy", "casadi", "pin", "h5py")


@dataclass(frozen=True)
class Row:
    """One line of the table: ``ours`` is to be at least ``wanted`` times as fast as ``theirs``.

    Attributes
    ----------
    name : what is measured
    ours, theirs : float
        Median seconds.
    rival : who they are
    wanted : float
        Least ratio theirs / ours.
    spread : float
        Relative half range of the measured ratios: a miss within it is noise.
    """

    name: str
    ours: float
    theirs: float
    rival: str
    wanted: float
    spread: float

    @property
    def ratio(self) -> float:
        return self.theirs / self.ours

    @property
    def missed(self) -> bool:
        """Slower than wanted by more than the noise."""
        return self.ratio * (1 + self.spread) < self.wanted


def compare(name: str, ours: Callable[[], object], rival: str, theirs: Callable[[], object], wanted: float, rounds: int = 5) -> Row:
    """Time two calls in turn, after one warm-up each."""
    ours()
    theirs()
    times: list[tuple[float, float]] = []
    for _ in range(rounds):
        times.append((_seconds(ours), _seconds(theirs)))
    mine, other = (statistics.median(t) for t in zip(*times, strict=True))
    ratios = [b / a for a, b in times]
    return Row(name, mine, other, rival, wanted, (max(ratios) - min(ratios)) / (2 * statistics.median(ratios)))


def limit(name: str, measured: Sequence[float], most: float, of_time: bool = True, slack: float = 0.0) -> Row:
    """Measurements (seconds, or another unit that the name says) against the most they may be.

    Parameters
    ----------
    of_time : bool
        Wall time: other programs that want the processors make it longer, and the load that they are counts as noise.
    slack : float
        Further relative noise.
    """
    middle = statistics.median(measured)
    spread = (max(measured) - min(measured)) / (2 * middle) + slack
    busy = max(os.getloadavg()[0] / (os.cpu_count() or 1) - 1.0, 0.0) if of_time else 0.0
    return Row(name, middle, most, "limit", 1.0, spread + busy)


def _seconds(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def machine() -> str:
    """Processor, system and versions that the numbers belong to."""
    model = platform.processor() or platform.machine()
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            model = next(line.split(":", 1)[1].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        pass
    versions = []
    for package in PACKAGES:
        try:
            versions.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            versions.append(f"{package} missing")
    return (
        f"{model}, {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}, {platform.system()}, Python {platform.python_version()}, {', '.join(versions)}"
    )


def table(rows: Iterable[Row]) -> str:
    """Rows as aligned text."""
    lines = [("measured", "ours [s]", "rival", "theirs [s]", "ratio", "wanted", "")]
    for row in rows:
        verdict = "MISSED" if row.missed else ("noise" if row.ratio < row.wanted else "ok")
        lines.append((row.name, f"{row.ours:.4g}", row.rival, f"{row.theirs:.4g}", f"{row.ratio:.2f} ±{100 * row.spread:.0f}%", f"{row.wanted:g}", verdict))
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    return "\n".join("  ".join(cell.ljust(w) for cell, w in zip(line, widths, strict=True)).rstrip() for line in lines)
