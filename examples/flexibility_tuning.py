"""Tune Υ2 and Υ3 of one individual by several searches, each with 15 noisy runs of the same simulated robot, and axis by axis in six runs.

Λ is printed without the noise that the searches met, in parts of Λ at 100 %.
"""

import sys

import matplotlib.pyplot as plt

import optid
from optid.flexibility import FlexibleLoop, SimulatedRobot, TailRule, axis_by_axis, set_a, settled
from optid.flexibility.comparison import SEARCHES, individual
from optid.flexibility.protocol import Stage
from optid.flexibility.surfaces import experiment
from optid.problems import FlexibilityTuning

OPTIMUM = (94.0, 107.0)
BUDGET = 15
CHOSEN = ("random", "secant") if "--quick" in sys.argv else SEARCHES

loop = FlexibleLoop(set_a())
plant = individual(loop, OPTIMUM)
motions = {direction: experiment(loop, "zero", direction, "short") for direction in ("++", "+-")}
rule = TailRule(settled(loop.simulate(motions["++"], [[80, 80], [120, 120]])))


def robot(direction):
    """A noisy robot whose runs are numbered as they come."""
    machine = SimulatedRobot(loop, motions[direction], plant, scale_noise=0.05, torque_noise=0.05, seed=1)
    numbers = iter(range(1, 1000))
    return lambda upsilon: machine.run(upsilon, next(numbers))


def true_size(upsilon):
    """Λ without noise."""
    return float(rule.of_record(loop.simulate(motions["++"], upsilon, plants=plant))[0])


start = true_size((100.0, 100.0))
print(f"true optimum {OPTIMUM} %, Λ at 100 %: {start:.4f} N m")
left, runs = {}, {}
for name in CHOSEN:
    search = SEARCHES[name]
    problem = FlexibilityTuning(robot("++"), rule, signal=search["solver"] == "secant")
    result = optid.solve(problem, seed=0, budget=BUDGET, on_failure="return", **search)
    left[name], runs[name] = true_size(result.upsilon) / start, len(result.runs)
    print(f"{name:<26} {len(result.runs):>3} runs  Υ = {result.upsilon[0]:g}, {result.upsilon[1]:g} %   Λ left {left[name]:.1%}")

protocol = axis_by_axis([Stage(0, robot("+-"), rule), Stage(1, robot("++"), rule)])
name = "axis by axis (parabolas)"
left[name], runs[name] = true_size(protocol.upsilon) / start, len(protocol.runs)
print(f"{name:<26} {len(protocol.runs):>3} runs  Υ = {protocol.upsilon[0]:g}, {protocol.upsilon[1]:g} %   Λ left {left[name]:.1%}")

names = list(left)[::-1]
bars = plt.barh([f"{name}, {runs[name]} runs" for name in names], [100 * left[name] for name in names])
plt.bar_label(bars, fmt="%.1f %%", padding=3)
plt.gca().set(title="Vibration left by tuning one individual", xlabel="Λ without noise, in percent of Λ at Υ = 100 %", xlim=(0, 120 * max(left.values())))
plt.tight_layout()
plt.savefig("flexibility_tuning.png")
print(f"Λ left by the recommended search: {left['secant']:.1%}")
