"""How time grows with samples, joints, base columns and threads, with the slope in a log-log plot: ``python tests/benchmarks/growth.py [picture.png]``.

Slopes of 1 in samples: arithmetic, or, for whole results beyond the processor's cache, memory. A slope of 2 in columns: the triangles' arithmetic.
"""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

import casadi as ca
import numpy as np
from harness import machine

from optid.kernels import JointFactors, Kernel
from optid.library import panda, ur10e
from optid.model import DynamicModel
from optid.robot import Robot


@dataclass(frozen=True)
class Growth:
    """Median seconds of a call for several sizes."""

    name: str
    what: str
    sizes: list[int]
    seconds: list[float]

    @property
    def slope(self) -> float:
        """Exponent of the last two sizes, where fixed costs count least."""
        a, b = np.diff(np.log(self.sizes[-2:])), np.diff(np.log(self.seconds[-2:]))
        return float(b[0] / a[0])


def measured(name: str, what: str, sizes: list[int], make: Callable[[int], Callable[[], object]], rounds: int = 3) -> Growth:
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
    return Growth(name, what, sizes, seconds)


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


def growths() -> list[Growth]:
    six, seven = regressor(ur10e()), regressor(panda())
    sizes = [1_000, 10_000, 100_000]
    return [
        measured("6-joint regressor, SIMD", "samples", sizes, lambda size: whole(six, "simd", size)),
        measured("6-joint regressor, interpreter", "samples", sizes, lambda size: whole(six, "interpreter", size)),
        measured("6-joint triangles", "samples", [*sizes, 1_000_000], lambda size: streamed(six, size)),
        measured("regressor of 20000 samples, SIMD", "joints", [2, 4, 6, 8], lambda n: whole(arm(n), "simd", 20_000)),
        measured("7-joint triangles of 50000 samples", "columns", [10, 20, 40, 70], lambda columns: streamed(seven, 50_000, columns)),
        measured("6-joint triangles of 200000 samples", "threads", [1, 2], on_threads),
    ]


def draw(results: list[Growth], path: str) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, len({g.what for g in results}), figsize=(16, 4), constrained_layout=True)
    for ax, what in zip(axes, dict.fromkeys(g.what for g in results), strict=True):
        for g in (g for g in results if g.what == what):
            ax.loglog(g.sizes, g.seconds, "o-", label=f"{g.name}, slope {g.slope:.2f}")
        ax.set(xlabel=what, ylabel="time [s]")
        ax.legend(fontsize="small")
    figure.savefig(path, dpi=120)


def main(arguments: list[str]) -> None:
    results = growths()
    print(machine())
    for g in results:
        print(f"{g.name}: {', '.join(f'{n} {g.what} {s:.3g} s' for n, s in zip(g.sizes, g.seconds, strict=True))}; slope {g.slope:.2f}")
    if arguments:
        draw(results, arguments[0])


if __name__ == "__main__":
    main(sys.argv[1:])
