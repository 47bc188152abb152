"""The Complex method (Box 1965; Guin 1968; Krus & Andersson 2003) on two problems it is known by.

Prints hit rates over seeds, with the entropy rate of Krus & Ölvander (bits an evaluation) and the hit rate that 100 evaluations would reach by restarting
(Persson & Ölvander). The picture shows how single runs of the randomised method end.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np

import optid
from optid.problems import BlackBoxProblem

SEEDS = 20 if "--quick" in sys.argv else 60


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
        if title == "Rosenbrock" and not options:
            for run in runs:
                plt.semilogy(np.minimum.accumulate([point.fun for point in run.history]), color="tab:blue", alpha=0.25)
        print(f"{title:<11} {name:<27} hits {np.mean(hits):.2f}, {np.mean(evaluations):.0f} evaluations, {bits:.4f} bits each, {hundred:.2f} in 100")

print(f"hit rate of Complex-RF on Rosenbrock: {found['Rosenbrock', 'Complex-RF, α = 1.3']:.2f}")
plt.gca().set(title="Rosenbrock's function, Complex-RF: one line a seed", xlabel="evaluations", ylabel="smallest value so far")
plt.axhline(1e-2, color="tab:red", linestyle="--", label="below this line: a hit")
plt.legend()
plt.savefig("complex_method.png")
