"""Excitation designs, start by start: condition number, proof, iterations, wall and processor time. Run as a script; names and starts may follow.

python tests/benchmarks/excitation_designs.py irb140 16
"""

from __future__ import annotations

import sys
from dataclasses import replace
from time import perf_counter, process_time

import numpy as np

import optid
from optid import BaseParameters, DynamicModel, Limits
from optid.library import panda, ur10, ur10e
from optid.problems import Excitation
from optid.simulation.irb140 import KNOWN, irb140_model


def irb140() -> Excitation:
    """Limits of the published optimum (condition number 36.4)."""
    model = irb140_model()
    limits = model.robot.limits.scaled(position=0.8, velocity=0.7)
    return Excitation(BaseParameters.of(model, known=KNOWN), harmonics=4, period=5.0, limits=limits, samples=100)


def at_rest(full: bool) -> Excitation:
    """UR10 at rest at both ends within its torque limits."""
    robot = ur10()
    limits = replace(robot.limits, velocity=(2.09, 2.09, 3.14, 3.14, 3.14, 3.14))
    model = DynamicModel(robot, ("viscous", "coulomb", "offset") if full else (), full, sign_width=0.1)
    period, samples = (20.0, 200) if full else (12.0, 120)
    return Excitation(BaseParameters.of(model), harmonics=8, period=period, limits=limits, rest=True, samples=samples)


def with_friction() -> Excitation:
    """UR10e, 36 inertial and 12 friction columns."""
    limits = Limits.of(6, position=0.9 * np.pi, velocity=0.7 * np.array([2.0, 2.0, 3.0, 3.0, 3.0, 3.0]), acceleration=6.0)
    model = DynamicModel(ur10e(), ("viscous", "coulomb"), sign_width=0.1)
    return Excitation(BaseParameters.of(model), harmonics=5, period=10.0, limits=limits, samples=200)


def seven_axes() -> Excitation:
    """Panda, 64 columns."""
    robot = panda()
    limits = replace(robot.limits.scaled(0.8, 0.7, 0.7), torque=(np.inf,) * 7)
    model = DynamicModel(robot, ("viscous", "coulomb", "offset"), sign_width=0.1)
    return Excitation(BaseParameters.of(model), harmonics=5, period=13.33, limits=limits, samples=200)


DESIGNS = {"irb140": irb140, "ur10": lambda: at_rest(False), "ur10_full": lambda: at_rest(True), "ur10e": with_friction, "panda": seven_axes}


def main(names: list[str], starts: int) -> None:
    """Print one line a start."""
    print(f"{'design':10} {'columns':>7} {'seed':>4} {'cond':>8} {'proven':>6} {'iterations':>10} {'wall s':>7} {'cpu s':>7}")
    for name in names:
        problem = DESIGNS[name]()
        for seed in range(starts):
            wall, cpu = perf_counter(), process_time()
            result = optid.solve(problem, solver="ipopt", seed=seed, on_failure="return")
            wall, cpu = perf_counter() - wall, process_time() - cpu
            counts = f"{len(result.solution.history):10} {wall:7.1f} {cpu:7.1f}"
            print(f"{name:10} {problem.base.rank:7} {seed:4} {result.condition_number:8.3f} {result.proven!s:>6} {counts}", flush=True)


if __name__ == "__main__":
    chosen = [argument for argument in sys.argv[1:] if argument in DESIGNS] or list(DESIGNS)
    main(chosen, next((int(argument) for argument in sys.argv[1:] if argument.isdigit()), 1))
