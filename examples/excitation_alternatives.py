"""One optimal motion against the two older ways to excite a robot, for the same number of recordings (IRB140, axes 1 to 3, 18 base parameters).

One after another: simple motions of one joint, each giving a few parameters that are then kept fixed. By effect: one motion each for inertia, coupling,
Coriolis and gravity, fitted together. Prints their errors (square root of the summed variances) as multiples of those of the optimal motion run as often.
"""

import matplotlib.pyplot as plt
import numpy as np

import optid
from optid import BaseParameters
from optid.excitation import OneAfterAnother, assess, by_effect, simple_motions
from optid.problems import Excitation
from optid.simulation.irb140 import KNOWN, irb140_model

SAMPLES, PERIOD = 100, 5.0
model = irb140_model()
base = BaseParameters.of(model, known=KNOWN)
limits = model.robot.limits.scaled(position=0.8, velocity=0.7)
problem = Excitation(base, harmonics=4, period=PERIOD, limits=limits, samples=SAMPLES, criterion="a")


def error(covariance: np.ndarray) -> float:
    """Square root of the summed variances, for torque noise of 1 N m."""
    return float(np.sqrt(np.trace(covariance)))


best = optid.solve(problem, seed=0).quality.covariance

simple = simple_motions(limits, PERIOD, postures=4)
t = np.arange(SAMPLES) * PERIOD / SAMPLES
regressors = [base.regressor(*motion.evaluate(t)) for motion in simple]
chain = OneAfterAnother.of(regressors)
print(f"{len(simple)} simple motions determine {', '.join(map(str, chain.determined))} combinations")

effects = {name: optid.solve(part, seed=0, on_failure="return") for name, part in by_effect(problem).items()}
for name, result in effects.items():
    print(f"{name:10} {result.base.rank:2} parameters, cond {result.condition_number:.3g}")

errors = {
    "one after another": error(chain.covariance) / error(best / len(simple)),
    "the same, fitted together": error(assess(base, simple, SAMPLES).covariance) / error(best / len(simple)),
    "by effect, fitted together": error(assess(base, [r.trajectory for r in effects.values()], SAMPLES).covariance) / error(best / len(effects)),
}
plt.barh(list(errors), list(errors.values()))
plt.axvline(1.0, color="black", linestyle="--")
plt.xscale("log")
plt.xlabel("error, as a multiple of the optimal motion's")
plt.tight_layout()
plt.savefig("excitation_alternatives.png")
print("times the error of the optimal motion: " + ", ".join(f"{name} {value:.2f}" for name, value in errors.items()))
