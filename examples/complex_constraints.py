"""Constraints that only show when a point is tried: Box's problem B and the post office parcel by the Complex method.

The noise of Complex-RF is switched off by itself where such constraints are active. Prints the larger relative error of the two optima.
"""

import matplotlib.pyplot as plt
import numpy as np

import optid
from optid.problems import BlackBoxProblem

box_b = BlackBoxProblem(
    lambda x: -(9 - (x[0] - 3) ** 2) * x[1] ** 3 / (27 * np.sqrt(3)),
    lower=[0, 0],
    upper=[100, 57.735],
    violation=lambda x: [x[1] - x[0] / np.sqrt(3), -(x[0] + np.sqrt(3) * x[1]), x[0] + np.sqrt(3) * x[1] - 6],
    x0=[1.0, 0.5],
)
post_office = BlackBoxProblem(
    lambda x: -x[0] * x[1] * x[2],
    lower=[0] * 3,
    upper=[42] * 3,
    violation=lambda x: [-(x[0] + 2 * x[1] + 2 * x[2]), x[0] + 2 * x[1] + 2 * x[2] - 72],
    x0=[1.0, 1.0, 1.0],
)
worst = 0.0
for title, problem, best in (("Box's problem B", box_b, 1.0), ("Post Office", post_office, 3456.0)):
    solution = optid.solve(problem, solver="complex_box", seed=0)
    worst = max(worst, abs(-solution.fun / best - 1))
    if title == "Box's problem B":
        points = np.array([point.x for point in solution.history])
        plt.scatter(*points.T, c=np.arange(len(points)), label="tried, from dark to light")
    print(f"{title}: {-solution.fun:.6g} at {np.round(solution.x, 4)} (known: {best:g}), {solution.n_evaluations} evaluations")
plt.fill([0, 3, 6], [0, np.sqrt(3), 0], color="lightgrey", zorder=0, label="allowed by the implicit constraints")
plt.plot(3, np.sqrt(3), "+", color="tab:red", markersize=16, markeredgewidth=2, label="known optimum")
plt.gca().set(title="Box's problem B: the Complex method climbs into a corner", xlabel="x1", ylabel="x2", ylim=(-0.05, 2.4))
plt.legend(loc="upper left")
plt.savefig("complex_constraints.png")
print(f"largest error of an optimum: {worst:.1e}")
