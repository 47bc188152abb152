"""A second experiment that knows what the first one told, against repeating the first and against a second one designed alone (IRB140, A-optimality).

Prints the sum of the variances of the 18 base parameters after both experiments, for torque noise of 1 N m.
"""

from dataclasses import replace

import matplotlib.pyplot as plt
import numpy as np

import optid
from optid import BaseParameters
from optid.problems import Excitation
from optid.simulation.irb140 import KNOWN, irb140_model

model = irb140_model()
base = BaseParameters.of(model, known=KNOWN)
limits = model.robot.limits.scaled(position=0.8, velocity=0.7)
problem = Excitation(base, harmonics=4, period=5.0, limits=limits, criterion="a")

first = optid.solve(problem, seed=0)
alone = optid.solve(problem, seed=1)
knowing = optid.solve(replace(problem, information=first), starts=4, seed=1)


def variance(information: np.ndarray) -> float:
    """Sum of the variances of the estimates."""
    return float(np.trace(np.linalg.inv(information)))


told = first.quality.information
repeated, together, sequential = variance(2 * told), variance(told + alone.quality.information), variance(knowing.quality.information)
print(f"the first experiment:               {variance(told):.5f}")
print(f"run twice:                          {repeated:.5f}")
print(f"and a second one designed alone:    {together:.5f}")
print(f"and a second one that knows it:     {sequential:.5f}")
print(f"ratios to running it twice: alone {together / repeated:.3f}, knowing {sequential / repeated:.3f}")

told_twice, knew = (np.sqrt(np.diag(np.linalg.inv(i))) for i in (2 * told, knowing.quality.information))
plt.bar(np.arange(base.rank) - 0.2, told_twice, 0.4, label="the first experiment run twice")
plt.bar(np.arange(base.rank) + 0.2, knew, 0.4, label="a second one that knows the first")
plt.xticks(range(base.rank), [formula.split()[0] for formula in base.formulas], rotation=60)
plt.ylabel("standard deviation for 1 N m of noise")
plt.legend()
plt.tight_layout()
plt.savefig("sequential_experiments.png")
