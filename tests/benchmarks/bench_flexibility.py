"""The flexible loop: 81 Υ at once against CasADi's own integrator loop (targets below); run as a script: searches compared under noise.

``python tests/benchmarks/bench_flexibility.py [individuals]`` prints what is left of Λ after 10, 15 and 30 runs, for three postures, the searches of
:mod:`optid.flexibility.comparison`, settings of the Complex method, input shapers and the six-run protocol. Every run's tail is scaled by
1 + 5 % noise and gets white noise of 0.05 N m.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Mapping
from typing import Any

import casadi as ca
import numpy as np
from harness import Row, compare, limit, machine

from optid.errors import SolveError
from optid.flexibility.comparison import SEARCHES, TailTable, individual, individuals, repeated, shaped, vibration_left
from optid.flexibility.loop import FlexibleLoop
from optid.flexibility.protocol import Stage, axis_by_axis
from optid.flexibility.shapers import KINDS
from optid.flexibility.surfaces import GRID, experiment
from optid.flexibility.two_axis import POSTURES, set_a

BUDGETS = (10, 15, 30)
SUCCESS = 0.1
"""A search has succeeded when this part of Λ is left."""
COMPLEX = {
    "complex k=3": {"points": 3},
    "complex k=6": {"points": 6},
    "complex α=1.5": {"reflection": 1.5},
    "complex r_fac=0 γ=0 (Box, Guin)": {"randomness": 0.0, "forgetting": 0.0},
    "complex r_fac=0.6": {"randomness": 0.6},
    "complex γ=0": {"forgetting": 0.0},
}
STEPS = (5, 2)
WIDTHS = (10.0, 15.0)
FRICTION = 1.3
SECONDS = {"simd": 3.0, "interpreter": 10.0}
"""Most that a surface of 81 points may take, with a compiled kernel and without a compiler."""


def rows() -> Iterator[Row]:
    """Time of the whole grid of Υ for one move of 0.24 s and 0.5 s of tail, steps of 0.1 ms."""
    loop = FlexibleLoop(set_a())
    motion = experiment(loop, "zero", "++", "short")
    grid = np.array([(a, b) for a in GRID for b in GRID], dtype=float)
    yield compare("81 flexible loops", lambda: loop.simulate(motion, grid), "CasADi mapaccum, 81 runs", by_mapaccum(loop, motion, grid), 2.0, rounds=3)
    for backend, seconds in SECONDS.items():
        chosen = FlexibleLoop(set_a(), backend=backend)
        chosen.simulate(motion, grid)
        begin = time.perf_counter()
        chosen.simulate(motion, grid)
        yield limit(f"surface of 81 points, {backend}", [time.perf_counter() - begin], seconds)


def by_mapaccum(loop: FlexibleLoop, motion: Any, grid: np.ndarray) -> Any:
    """The same steps as CasADi's own loop, one Υ after the other."""
    rates, s = loop.equations.rates, loop.equations.symbols
    z, row, h = s["z"], ca.SX.sym("rows", 3 * s["row"].numel()), loop.step
    rest = [s["scale"], s["p"], s["c"], s["gains"]]
    width = s["row"].numel()

    def f(state: ca.SX, at: int) -> ca.SX:
        return rates(state, s["scale"], row[at * width : (at + 1) * width], *rest[1:])

    k1 = f(z, 0)
    k2 = f(z + h / 2 * k1, 1)
    k3 = f(z + h / 2 * k2, 1)
    k4 = f(z + h * k3, 2)
    step = ca.Function("step", [z, row, *rest], [z + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)])
    steps = round((motion.duration + 0.5) / h)
    half = loop.feedforward.reference(motion, h / 2 * np.arange(2 * steps + 1))
    rows_of = np.hstack([half[:-2:2], half[1::2], half[2::2]]).T
    whole = step.mapaccum("whole", steps)
    fixed = [loop.plant.parameters(), loop.nominal.parameters(), loop.gains.vector]
    start = loop.rest(half[0], grid)

    def run() -> None:
        for k, upsilon in enumerate(grid):
            whole(start[k], rows_of, loop.feedforward.scale(upsilon), *fixed)

    return run


def line(name: str, tables: list[TailTable], search: Mapping[str, Any], step: int = 1) -> str:
    """Median (90th percentile) of what is left, and the success rate, for each budget."""
    left = np.array([vibration_left(t, search, BUDGETS, seed=k, step=step) for k, t in enumerate(tables)])
    return f"  {name:34s}" + "   ".join(cell(column) for column in left.T)


def cell(left: Any) -> str:
    """Median (90th percentile) and success rate."""
    return f"{np.median(left):6.3f} ({np.quantile(left, 0.9):.2f}) {np.mean(np.asarray(left) <= SUCCESS):5.0%}"


def shapers(loop: FlexibleLoop, posture: str, motion: Any, count: int) -> None:
    """Print what shapers leave without any tuning, and the time that they cost in every move."""
    for kind in KINDS:
        found = [shaped(loop, motion, POSTURES[posture], individual(loop, optimum), kind) for optimum in individuals(count)]
        name = f"{kind} shaper at 100 %, no run"
        print(f"  {name:34s}{cell([left for left, _ in found])}   every move {1e3 * found[0][1]:.0f} ms longer than {1e3 * motion.duration:.0f}")


def axis_after_axis(loop: FlexibleLoop, tables: list[TailTable], optima: np.ndarray) -> None:
    """Print what the protocol of six runs leaves at the zero posture; all, where a move does not show its axis."""
    alone = experiment(loop, "zero", "+-", "short")
    firsts = [TailTable.simulated(loop, alone, individual(loop, optimum)) for optimum in optima]
    for width in WIDTHS:
        left = []
        for k, pair in enumerate(zip(firsts, tables, strict=True)):
            stages = [Stage(j, table.robot(0.05, 0.05, (2000, j, k)), table.rule) for j, table in enumerate(pair)]
            try:
                left.append(tables[k].size(axis_by_axis(stages, width=width).upsilon) / tables[k].size((100, 100)))
            except SolveError:
                left.append(1.0)
        print(f"  {f'axis by axis, six runs, ±{width:g} %':34s}{cell(left)}")


def with_wrong_friction(loop: FlexibleLoop, count: int) -> None:
    """Print what searches leave when no Υ is right: the Coulomb friction of the robots is not the controller's."""
    stems = {f"fc{j + 1}" for j in loop.plant.driven}
    factors = np.array([FRICTION if name in stems else 1.0 for name in loop.plant.parameter_names])
    print(f"Coulomb friction {FRICTION:g} times the controller's")
    for posture in POSTURES:
        motion = experiment(loop, posture, "++", "short")
        tables = [TailTable.simulated(loop, motion, factors * individual(loop, optimum)) for optimum in individuals(count)]
        print(posture)
        for name in ("complex_box (Complex-RF)", "nelder_mead", "bayesian", "secant"):
            print(line(name, tables, SEARCHES[name]), flush=True)


def study(count: int) -> None:
    """Print the comparison."""
    loop = FlexibleLoop(set_a())
    print(machine())
    print(f"{count} individuals; Λ left after {', '.join(map(str, BUDGETS))} runs: median (90th percentile) share at most {SUCCESS:.0%}")
    for posture in POSTURES:
        motion, optima = experiment(loop, posture, "++", "short"), individuals(count)
        tables = [TailTable.simulated(loop, motion, individual(loop, optimum)) for optimum in optima]
        print(posture)
        shapers(loop, posture, motion, count)
        if posture == "zero":
            axis_after_axis(loop, tables, optima)
        for name, search in SEARCHES.items():
            print(line(name, tables, search), flush=True)
        for name, options in COMPLEX.items():
            print(line(name, tables, {"solver": "complex_box", **options}), flush=True)
        one = TailTable.simulated(loop, motion, individual(loop, (94.0, 107.0)))
        for name in ("complex_box (Complex-RF)", "secant"):
            again = repeated(one, SEARCHES[name])
            mean, (along, across) = again.upsilon.mean(axis=0), again.spread
            print(f"  {name}: 20 tunings of one individual, mean {mean[0]:.1f}, {mean[1]:.1f} %, {along:.1f} % at {again.angle:.0f}°, {across:.1f} % across")
        for step in STEPS:
            for name in ("complex_box (Complex-RF)", "secant"):
                print(line(f"{name}, grid {step} %", tables, SEARCHES[name], step), flush=True)
    with_wrong_friction(loop, count)


if __name__ == "__main__":
    study(int(sys.argv[1]) if len(sys.argv) > 1 else 30)
