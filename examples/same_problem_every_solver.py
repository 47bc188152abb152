"""One design problem, every solver that takes it: criterion reached and evaluations used from the same start with the same budget.

Solvers with derivatives count iterations or evaluations of a sequence of smooth stand-ins, the others evaluations of the criterion itself.
"""

import sys
from dataclasses import replace

import matplotlib.pyplot as plt
import numpy as np

import optid
from optid import BaseParameters, DynamicModel, Limits
from optid.library import planar_2r
from optid.problems import Excitation

model = DynamicModel(planar_2r(), friction="none")
limits = Limits.of(2, position=1.0, velocity=3.0, acceleration=20.0)
problem = Excitation(BaseParameters.of(model), harmonics=2, period=2.0, limits=limits, samples=40)
start = problem.motion.coefficients(problem.random_start(np.random.default_rng(0)))[0]
problem = replace(problem, initial=start)
print(f"condition number of the start: {np.exp(problem.form().evaluate(problem.form().x0)[0]):.1f}")

best = {}
for name in optid.available_solvers(problem):
    if name == "grid":  # ten coordinates: too many points
        continue
    result = optid.solve(problem, solver=name, seed=0, budget=50 if "--quick" in sys.argv else 100, on_failure="return")
    best[name] = result.condition_number
    values = [point.fun if point.violation < 1e-6 else np.inf for point in result.solution.history]
    plt.loglog(np.arange(1, len(values) + 1), np.exp(np.minimum.accumulate(values)), label=name)
    print(f"{name:14} cond {result.condition_number:7.3f}  {result.solution.n_evaluations:4} evaluations  {'proven' if result.proven else 'not proven'}")
print(f"best: {min(best, key=lambda name: best[name])}, worst: {max(best.values()):.2f}")
plt.gca().set(xlabel="evaluations or iterations", ylabel="best condition number within the limits so far")
plt.legend(fontsize=8)
plt.savefig("same_problem_every_solver.png")
