"""How time grows with samples, joints, base columns, threads and workers, with the slope in a log-log plot: ``python growth.py [picture.png]``.

Beside each slope stands what bounds the largest size: the time that moving its results through memory, or reading its file, takes alone, measured in the
same run, and the rest, which is arithmetic.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
import timeit
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import casadi as ca
import h5py
import numpy as np
from harness import machine
from long_recording import PART, STORED, model, write

from optid import BaseParameters, identify, identify_batch
from optid.kernels import JointFactors, Kernel
from optid.library import panda, ur10e
from optid.model import DynamicModel
from optid.robot import Robot

HALF = 0.5


@dataclass(frozen=True)
class Bound:
    """What the largest size cannot be faster than.

    Attributes
    ----------
    what : "memory" or "file"
    seconds : float
        That it takes alone.
    """

    what: str
    seconds: float

    def of(self, total: float) -> str:
        """Its share, in words."""
        share = self.seconds / total
        return f"{self.what} alone takes {share:.0%} of it: bounded by {self.what if share > HALF else 'arithmetic'}"


@dataclass(frozen=True)
class Growth:
    """Median seconds of a call for several sizes."""

    name: str
    what: str
    sizes: list[int]
    seconds: list[float]
    bound: Bound | None = None

    @property
    def slope(self) -> float:
        """Exponent of the last two sizes, where fixed costs count least."""
        a, b = np.diff(np.log(self.sizes[-2:])), np.diff(np.log(self.seconds[-2:]))
        return float(b[0] / a[0])

    def __str__(self) -> str:
        points = ", ".join(f"{n} {self.what} {s:.3g} s" for n, s in zip(self.sizes, self.seconds, strict=True))
        return f"{self.name}: {points}; slope {self.slope:.2f}" + (f"; {self.bound.of(self.seconds[-1])}" if self.bound else "")


def measured(name: str, what: str, sizes: list[int], make: Callable[[int], Callable[[], object]], bound: Bound | None = None, rounds: int = 3) -> Growth:
    seconds = []
    for size in sizes:
        call = make(size)
        call()
        times = []
        for _ in range(rounds):
            start = time.perf_counter()
            call()
            times.append(time.perf_counter() - start)
        seconds.append(statistics.median(times))
    return Growth(name, what, sizes, seconds, bound)


def states(n: int, size: int) -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    return [rng.uniform(-2.0, 2.0, (size, n)) for _ in range(3)]


def streamed(f: ca.Function, size: int, columns: int | None = None) -> Callable[[], object]:
    kernel = Kernel(f, "simd")
    n, r = kernel.shape
    x = states(n, size)

    def run() -> object:
        factors = JointFactors.empty(n, columns or r)
        for part, Y in kernel.blocks(*x):
            factors = factors.update(Y[:, :, r - (columns or r) :], x[0][part])
        return factors

    return run


def whole(f: ca.Function, backend: str, size: int) -> Callable[[], object]:
    kernel = Kernel(f, backend)
    x = states(kernel.shape[0], size)
    out = kernel(*x)
    return lambda: kernel(*x, out=out)


def regressor(robot: Robot) -> ca.Function:
    return DynamicModel(robot, friction="none").functions["regressor"]


def arm(n: int) -> ca.Function:
    """An arm without right angles: no zeros to profit from."""
    return regressor(Robot.from_dh([(0.3, 0.4 + 0.1 * k, 0.1, 0.0) for k in range(n)], "modified"))


def on_threads(count: int) -> Callable[[], object]:
    run = streamed(regressor(ur10e()), 200_000)

    def limited() -> object:
        os.environ["OMP_NUM_THREADS"] = str(count)
        return run()

    return limited


def in_batches(files: list[Path]) -> Callable[[int], Callable[[], object]]:
    base = BaseParameters.of(model())

    def with_workers(count: int) -> Callable[[], object]:
        return lambda: identify_batch(files, base, preprocessing=STORED, workers=count, residuals=False)

    return with_workers


def from_file(base: BaseParameters, files: dict[int, Path]) -> Callable[[int], Callable[[], object]]:
    return lambda size: lambda: identify(base, files[size], preprocessing=STORED, residuals=False)


def stored(numbers: int) -> Bound:
    """Writing so many numbers to memory that is there."""
    out = np.zeros(numbers)
    return Bound("memory", fastest(lambda: out.fill(1.0)))


def reading(file: Path) -> Bound:
    """Every number of a file."""

    def run() -> None:
        with h5py.File(file, "r") as opened:
            for group in opened["trials"].values():
                for signal in ("time", "q", "dq", "ddq", "tau", "valid"):
                    for start in range(0, len(group[signal]), PART):
                        group[signal][start : start + PART]

    return Bound("file", fastest(run))


def fastest(call: Callable[[], object]) -> float:
    return min(timeit.repeat(call, number=1, repeat=3))


def growths(folder: Path) -> list[Growth]:
    six, seven = regressor(ur10e()), regressor(panda())
    sizes = [1_000, 10_000, 100_000]
    lengths = [10_000, 100_000, 1_000_000]
    files = {size: write(folder / f"{size}.h5", {"long": size}) for size in lengths}
    batch = [write(folder / f"batch {k}.h5", {"long": 100_000}, seed=k) for k in range(8)]
    one = stored(six.nnz_out(0) * sizes[-1])
    return [
        measured("6-joint regressor, SIMD", "samples", sizes, lambda size: whole(six, "simd", size), one),
        measured("6-joint regressor, interpreter", "samples", sizes, lambda size: whole(six, "interpreter", size), one),
        measured("6-joint triangles", "samples", [*sizes, 1_000_000], lambda size: streamed(six, size)),
        measured("6 joints, file to sigmas", "samples", lengths, from_file(BaseParameters.of(model()), files), reading(files[lengths[-1]])),
        measured("regressor of 20000 samples, SIMD", "joints", [2, 4, 6, 8], lambda n: whole(arm(n), "simd", 20_000)),
        measured("7-joint triangles of 50000 samples", "columns", [10, 20, 40, 70], lambda columns: streamed(seven, 50_000, columns)),
        measured("6-joint triangles of 200000 samples", "threads", [1, 2], on_threads),
        measured("8 files of 100000 samples to sigmas", "workers", [1, 2], in_batches(batch)),
    ]


def draw(results: list[Growth], path: str) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    whats = list(dict.fromkeys(g.what for g in results))
    figure, axes = plt.subplots(1, len(whats), figsize=(4 * len(whats), 5), constrained_layout=True)
    for ax, what in zip(axes, whats, strict=True):
        shown = [g for g in results if g.what == what]
        for g in shown:
            ax.loglog(g.sizes, g.seconds, "o-", label=f"{g.name},\nslope {g.slope:.2f}")
            ax.set_xticks(g.sizes, [f"{size:g}" for size in g.sizes])
        if len(shown) == 1:
            ax.set_yticks(shown[0].seconds)
        ax.minorticks_off()
        ax.set(xlabel=what, ylabel="time [s]")
        ax.yaxis.set_major_formatter("{x:.3g}")
        ax.legend(fontsize="small", frameon=False, loc="lower center", bbox_to_anchor=(0.5, 1.0))
    figure.savefig(path, dpi=120)


def main(arguments: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        results = growths(Path(folder))
    print(machine())
    print(*results, sep="\n")
    if arguments:
        draw(results, arguments[0])


if __name__ == "__main__":
    main(sys.argv[1:])
