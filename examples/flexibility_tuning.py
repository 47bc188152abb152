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
left = {}
for name in CHOSEN:
    search = SEARCHES[name]
    problem = FlexibilityTuning(robot("++"), rule, signal=search["solver"] == "secant")
    result = optid.solve(problem, seed=0, budget=BUDGET, on_failure="return", **search)
    left[name] = true_size(result.upsilon) / start
    print(f"{name:<26} {len(result.runs):>3} runs  Υ = {result.upsilon[0]:g}, {result.upsilon[1]:g} %   Λ left {left[name]:.1%}")

stages = [Stage(0, robot("+-"), rule), Stage(1, robot("++"), rule)]
protocol = axis_by_axis(stages)
print(f"{'axis by axis (parabolas)':<26} {len(protocol.runs):>3} runs  Υ = {protocol.upsilon[0]:g}, {protocol.upsilon[1]:g} %   ", end="")
left["axis by axis"] = true_size(protocol.upsilon) / start
print(f"Λ left {left['axis by axis']:.1%}")
plt.barh(list(left)[::-1], [100 * part for part in list(left.values())[::-1]])
plt.xlabel(f"Λ left after {BUDGET} runs (axis by axis: 6) [%]")
plt.tight_layout()
plt.savefig("flexibility_tuning.png")
print(f"Λ left by the recommended search: {left['secant']:.1%}")
