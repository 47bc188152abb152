"""Intervals that hold the truth as often as they say: simulated IRB140, torque noise that hangs together in time."""

import sys

import matplotlib.pyplot as plt
import numpy as np

from optid import identify
from optid.signals import Samples
from optid.simulation.irb140_story import irb140_base
from optid.statistics import error_bounds
from optid.trajectory import irb140_g21

RUNS, COUNT, RATE = 10 if "--quick" in sys.argv else 40, 2500, 100.0
NOISE, CORRELATION = np.array([0.5, 0.5, 0.25]), 0.9

base = irb140_base()
nominal, motion = base.model.nominal_parameters(), irb140_g21()
truth = base.beta(nominal)
state = [motion.derivative(np.arange(COUNT) / RATE % motion.period, order) for order in range(3)]
tau = base.model.inverse_dynamics(nominal, *state)


def noise(seed: int) -> np.ndarray:
    """First-order autoregressive noise (COUNT, 3) of the stated standard deviations."""
    white = np.random.default_rng(seed).standard_normal((COUNT + 200, 3)) * np.sqrt(1 - CORRELATION**2)
    for k in range(1, len(white)):
        white[k] += CORRELATION * white[k - 1]
    return white[200:] * NOISE


inside = {"white": 0.0, "consistent": 0.0, "bootstrap": 0.0}
for seed in range(RUNS):
    fit = identify(base, Samples.from_arrays(*state, tau + noise(seed), rate=RATE))
    half = 1.96 * fit.sigma
    ends = {"white": np.stack([fit.beta - half, fit.beta + half], axis=1), "consistent": fit.interval(), "bootstrap": fit.interval(kind="bootstrap")}
    for kind, interval in ends.items():
        inside[kind] += float(np.mean((interval[:, 0] <= truth) & (truth <= interval[:, 1]))) / RUNS

kept = fit.details.residuals
assert kept is not None
print(f"residuals after one sample, joint by joint: autocorrelation {np.round(kept.autocorrelation[:, 1], 2)}, whiteness p {kept.whiteness.max():.1g}")
print(f"intervals are taken from: {fit.reliable_kind}; they are {fit.inflation.min():.2g} to {fit.inflation.max():.2g} times as wide as for white residuals")
for line in fit.summary().splitlines():
    if line.startswith("warning"):
        print(f"the fit's summary says so: {line.removeprefix('warning: ')}")
A, b = fit.factors.stacked(fit.weights)
bounds = error_bounds(A, b, torque_error=float(np.linalg.norm(A @ fit.beta - b)))
print(f"bounds of ‖error‖/‖parameters‖: square system (the source's) {bounds.square_torque:.2g}, least squares {bounds.least_squares:.2g}")
print(f"found: {np.linalg.norm(fit.beta - truth) / np.linalg.norm(truth):.2g}")
for kind, share in inside.items():
    print(f"95 % intervals, {kind}: hold the truth in {100 * share:.1f} % of {RUNS} runs of 18 parameters")
plt.barh(list(inside), [100 * share for share in inside.values()])
plt.axvline(95, color="tab:red")
plt.xlabel("intervals that hold the truth [%]; they say 95")
plt.savefig("honest_intervals.png")
