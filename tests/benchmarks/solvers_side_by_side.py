"""Every solver on every form of problem: value reached and time, as the tables of ``examples/README.md``.

``python tests/benchmarks/solvers_side_by_side.py`` prints Markdown: of every solver the value that it reaches and the seconds it takes, the median over five
seeds where it draws random numbers. Searches get the stated number of evaluations, the others end by themselves.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from harness import machine

import optid
from optid import BaseParameters, DynamicModel, library
from optid.kinematics import forward_kinematics
from optid.problems import Excitation, InverseKinematics, PhysicalIdentification, Regression
from optid.problems.black_box import BlackBoxProblem
from optid.problems.friction_joint import JointFriction
from optid.signals import Samples
from optid.simulation.irb140 import KNOWN, irb140_model
from optid.solvers.registry import solver_class

SEEDS = 5
SAME_EACH_TIME = ("grid", "nelder_mead", "secant")


@dataclass(frozen=True)
class Case:
    """A problem and how to read its value.

    Attributes
    ----------
    title : str
        What the problem is and what its value means.
    build : callable
        Gives the problem.
    read : callable
        Turns ``solution.fun`` into the value.
    budget : int
        Evaluations of a search.
    relative : bool
        Values over the least of all solvers, minus 1.
    skipped : tuple of str
        Solvers that take the problem but not in any sensible time.
    """

    title: str
    build: Callable[[], Any]
    read: Callable[[float], float] = float
    budget: int = 100
    relative: bool = False
    skipped: tuple[str, ...] = ("grid",)


def _ur10e(seed: int, count: int = 500) -> tuple[BaseParameters, Samples]:
    """A UR10e with friction, and noisy random states."""
    rng = np.random.default_rng(seed)
    model = DynamicModel(library.ur10e().with_friction(viscous=10.0, coulomb=6.0), friction="viscous+coulomb")
    state = rng.standard_normal((3, count, 6))
    tau = model.inverse_dynamics(model.nominal_parameters(), *state)
    return BaseParameters.of(model), Samples.from_arrays(*state, tau + 0.05 * np.ptp(tau, axis=0) * rng.standard_normal(tau.shape), rate=100)


def linear(bounds: bool) -> Any:
    """58 base parameters from the triangle of the data; with bounds, viscous friction of at most 9 (the truth is 10, so that they act)."""
    base, samples = _ur10e(0)
    fit = optid.identify(base, samples)
    A, b = fit.factors.stacked(fit.weights)
    return Regression(A, b, fit.formulas, {f"fv{j}": (0.0, 9.0) for j in range(1, 7)} if bounds else {})


def physical() -> Any:
    base, samples = _ur10e(1, 200)
    return PhysicalIdentification(base, optid.identify(base, samples).factors)


def excitation() -> Any:
    model = irb140_model()
    limits = model.robot.limits.scaled(position=0.8, velocity=0.7)
    return Excitation(BaseParameters.of(model, known=KNOWN), harmonics=4, period=5.0, limits=limits, samples=100)


def posture() -> Any:
    robot = library.ur5()
    return InverseKinematics(robot, forward_kinematics(robot, [0.3, -1.2, 1.5, -0.7, 0.9, 0.4]), near=[0, -1, 1, -1, 1, 0])


def friction() -> Any:
    """Stribeck friction of two joints, fitted together with the inertia: 16 numbers."""
    from optid.problems.friction_laws import LAWS

    rng, rigid = np.random.default_rng(0), DynamicModel(library.planar_2r(), friction="none")
    t = np.arange(2000) * 0.01
    hertz, size = np.array([[0.7, 0.31, 0.11], [0.5, 0.9, 0.17]]), np.array([[0.3, 0.5, 0.8], [0.4, 0.2, 0.9]])
    w, angle = 2 * np.pi * hertz, 2 * np.pi * t[:, None, None] * hertz
    q, dq, ddq = (size * np.sin(angle)).sum(axis=2), (size * w * np.cos(angle)).sum(axis=2), -(size * w**2 * np.sin(angle)).sum(axis=2)
    law = np.array([1.0, 2.0, 0.3, 0.1, 0.2])
    tau = rigid.inverse_dynamics(rigid.nominal_parameters(), q, dq, ddq)
    tau += np.column_stack([LAWS["stribeck"].torque(dq[:, j], np.zeros(len(t)), law) for j in range(2)]) + 0.05 * rng.standard_normal(tau.shape)
    return JointFriction(BaseParameters.of(rigid), Samples.from_arrays(q, dq, ddq, tau, rate=100), ["stribeck", "stribeck"])


def smooth() -> Any:
    """Rosenbrock's valley in four dimensions, as a black box: minimum 0."""
    return BlackBoxProblem(lambda x: float(np.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)), lower=[-2] * 4, upper=[2] * 4, x0=[-1.2, 1, -1.2, 1])


def bumpy() -> Any:
    """Rastrigin's function in three dimensions: minimum 0 among 11³ local ones."""
    return BlackBoxProblem(lambda x: float(30 + np.sum(x**2 - 10 * np.cos(2 * np.pi * x))), lower=[-5.12] * 3, upper=[5.12] * 3, x0=[3.3, -2.6, 4.1])


def whole() -> Any:
    """A valley on a grid of whole percents, 41 × 41: minimum 0 at (94, 107)."""
    return BlackBoxProblem(
        lambda x: float((x[0] - 94 + x[1] - 107) ** 2 + 0.02 * (x[0] - 94) ** 2), lower=[80] * 2, upper=[120] * 2, integer=True, x0=[100, 100]
    )


CASES = {
    "linear": Case("linear least squares, 58 unknowns: excess of the sum of squares", lambda: linear(False), relative=True, budget=1000, skipped=("bayesian",)),
    "bounded": Case("the same with 6 bounds that act", lambda: linear(True), relative=True, budget=1000, skipped=("bayesian", "grid")),
    "physical": Case("UR10e, bodies that must exist: excess of the sum of squares", physical, relative=True),
    "excitation": Case("excitation of the IRB140, 24 coefficients: condition number", excitation, np.exp, budget=300, skipped=("bayesian", "grid")),
    "posture": Case("inverse kinematics of a UR5: squared error", posture),
    "friction": Case("Stribeck friction and inertia of two joints: excess of the sum of squares", friction, relative=True, budget=300),
    "valley": Case("black box, Rosenbrock's valley in 4 dimensions: value", smooth),
    "bumps": Case("black box, Rastrigin's function in 3 dimensions: value", bumpy),
    "whole": Case("black box, 41 × 41 whole numbers: value", whole, budget=30, skipped=()),
}


def solved(case: Case) -> list[tuple[str, str, str, str]]:
    """Of every solver that takes the problem: name, value, seconds, evaluations."""
    found = []
    form = case.build().form()
    for name in optid.available_solvers(form):
        if name in case.skipped:
            continue
        search = solver_class(name).search
        seeds = range(SEEDS if search and name not in SAME_EACH_TIME else 1)
        budget = case.budget if search and name != "grid" else None
        runs = [optid.solve(form, solver=name, seed=seed, budget=budget, on_failure="return") for seed in seeds]
        values = [case.read(run.fun) if run.feasible else np.nan for run in runs]
        found.append((name, float(np.median(values)), float(np.median([run.wall_time for run in runs])), int(np.median([run.n_evaluations for run in runs]))))
        print(case.title, *found[-1], runs[0], sep="; ", file=sys.stderr, flush=True)
    least = np.nanmin([row[1] for row in found])
    rows = [(name, value / least - 1 if case.relative else value, seconds, count) for name, value, seconds, count in found]
    return [(name, f"{value:.3g}" if np.isfinite(value) else "none", f"{seconds:.2g} s", str(count)) for name, value, seconds, count in rows]


def main(chosen: list[str]) -> None:
    """Print the tables."""
    print(f"{machine()}\n")
    for key, case in CASES.items():
        if not chosen or key in chosen:
            print(f"**{case.title}**\n\n| solver | value | time | evaluations |\n|---|---|---|---|")
            for row in sorted(solved(case), key=lambda row: (row[1] == "none", float(row[1]) if row[1] != "none" else 0.0)):
                print(f"| `{row[0]}` | " + " | ".join(row[1:]) + " |")
            print(flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
