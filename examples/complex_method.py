"""The Complex method (Box 1965; Guin 1968; Krus & Andersson 2003) on the problems it is known by.

Prints hit rates over seeds, with the entropy rate of Krus & Ölvander (bits an evaluation) and the hit rate that 100 evaluations would reach by restarting
(Persson & Ölvander), and solves two problems with implicit constraints: there the noise of Complex-RF is switched off by itself.
"""

import numpy as np

import optid
from optid.problems import BlackBoxProblem

SEEDS = 60


def rosenbrock(x):
    return 100 * (x[1] - x[0] ** 2) ** 2 + (1 - x[0]) ** 2


def peaks(x):
    a, b = x
    return -(3 * (1 - a) ** 2 * np.exp(-(a**2) - (b + 1) ** 2) - 10 * (a / 5 - a**3 - b**5) * np.exp(-(a**2) - b**2) - np.exp(-((a + 1) ** 2) - b**2) / 3)


def rates(hits, evaluations, size, tolerance=1e-2):
    """Entropy rate [bits an evaluation] and hit rate at 100 evaluations."""
    chance, p = tolerance**size, min(max(np.mean(hits), 1e-12), 1 - 1e-12)
    bits = p * np.log2(p / chance) + (1 - p) * np.log2((1 - p) / (1 - chance))
    return bits / np.mean(evaluations), 1 - (1 - p) ** (100 / np.mean(evaluations))


settings = {
    "Complex-RF, α = 1.3": {},
    "Complex-RF, α = 1.5": {"reflection": 1.5},
    "Box with Guin's safeguards": {"randomness": 0.0, "forgetting": 0.0},
}
found = {}
for title, f, bound, best in (("Rosenbrock", rosenbrock, 2.048, 0.0), ("peaks", peaks, 3.0, -8.106214)):
    problem = BlackBoxProblem(f, lower=[-bound] * 2, upper=[bound] * 2)
    for name, options in settings.items():
        runs = [optid.solve(problem, solver="complex_box", budget=500, seed=k, on_failure="return", **options) for k in range(SEEDS)]
        hits, evaluations = [run.fun - best < 1e-2 for run in runs], [run.n_evaluations for run in runs]
        bits, hundred = rates(hits, evaluations, 2)
        found[title, name] = np.mean(hits)
        print(f"{title:<11} {name:<27} hits {np.mean(hits):.2f}, {np.mean(evaluations):.0f} evaluations, {bits:.4f} bits each, {hundred:.2f} in 100")

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
for title, problem, best in (("Box's problem B", box_b, 1.0), ("Post Office", post_office, 3456.0)):
    solution = optid.solve(problem, solver="complex_box", seed=0)
    print(f"{title}: {-solution.fun:.6g} at {np.round(solution.x, 4)} (known: {best:g}), {solution.n_evaluations} evaluations")
print(f"hit rate of Complex-RF on Rosenbrock: {found['Rosenbrock', 'Complex-RF, α = 1.3']:.2f}")
