"""Every solver on one excitation design at equal budget: criterion reached, evaluations used, proof. Run as a script; a budget may follow.

python tests/benchmarks/excitation_solvers.py 100

All begin at the same seeded motion. Solvers with derivatives count iterations, of a sequence of smooth stand-ins; the others count evaluations of the criterion
itself. The evaluations column counts what each really asked for.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from time import process_time

import numpy as np
from excitation_designs import irb140

import optid
from optid import BaseParameters, DynamicModel, Limits
from optid.library import planar_2r
from optid.problems import Excitation

LEFT_OUT = ("grid",)
"""A grid over so many coordinates has more points than it accepts."""


def planar() -> Excitation:
    """Planar 2R, two harmonics of 2 s: ten variables."""
    model = DynamicModel(planar_2r(), friction=())
    limits = Limits.of(2, position=1.0, velocity=3.0, acceleration=20.0)
    return Excitation(BaseParameters.of(model), harmonics=2, period=2.0, limits=limits, samples=40)


DESIGNS = {"planar 2R": planar, "IRB140": irb140}


def main(budget: int) -> None:
    """Print one table a design."""
    for name, make in DESIGNS.items():
        problem = make()
        start = problem.random_start(np.random.default_rng(0))
        problem = replace(problem, initial=problem.motion.coefficients(start)[0])
        print(f"{name}: {problem.motion.size} variables, cond {problem.design.quality(start).condition_number:.1f} at the start, budget {budget}")
        print(f"{'solver':14} {'cond':>8} {'evaluations':>11} {'proven':>6} {'status':>8} {'cpu s':>7}")
        for solver in optid.available_solvers(problem):
            if solver in LEFT_OUT:
                continue
            cpu = process_time()
            result = optid.solve(problem, solver=solver, seed=0, budget=budget, on_failure="return")
            cpu = process_time() - cpu
            told = f"{result.solution.n_evaluations:11} {result.proven!s:>6} {result.solution.status:>8} {cpu:7.1f}"
            print(f"{solver:14} {result.condition_number:8.3f} {told}", flush=True)
        print()


if __name__ == "__main__":
    main(next((int(argument) for argument in sys.argv[1:] if argument.isdigit()), 100))
