"""Tune Υ2 and Υ3 of one individual by several searches, each with 15 noisy runs of the same simulated robot, and axis by axis in six runs.

Λ is printed without the noise that the searches met, in parts of Λ at 100 %. Input shapers stand beside them: no tuning, but a longer move.
"""

from dataclasses import replace

import numpy as np

import optid
from optid.flexibility.comparison import SEARCHES, individual
from optid.flexibility.linear import linearise
from optid.flexibility.loop import FlexibleLoop, Gains
from optid.flexibility.objectives import TailRule, settled
from optid.flexibility.protocol import Stage, axis_by_axis
from optid.flexibility.shapers import ShapedMotion, Shaper
from optid.flexibility.simulated_robot import SimulatedRobot
from optid.flexibility.surfaces import experiment
from optid.flexibility.two_axis import POSTURES, set_a
from optid.model.flexible_joint import Spring
from optid.problems import FlexibilityTuning

OPTIMUM = (94.0, 107.0)
BUDGET = 15

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
for name, search in SEARCHES.items():
    problem = FlexibilityTuning(robot("++"), rule, signal=search["solver"] == "secant")
    result = optid.solve(problem, seed=0, budget=BUDGET, on_failure="return", **search)
    left[name] = true_size(result.upsilon) / start
    print(f"{name:<26} {len(result.runs):>3} runs  Υ = {result.upsilon[0]:g}, {result.upsilon[1]:g} %   Λ left {left[name]:.1%}")

stages = [Stage(0, robot("+-"), rule), Stage(1, robot("++"), rule)]
protocol = axis_by_axis(stages)
print(f"{'axis by axis (parabolas)':<26} {len(protocol.runs):>3} runs  Υ = {protocol.upsilon[0]:g}, {protocol.upsilon[1]:g} %   ", end="")
print(f"Λ left {true_size(protocol.upsilon) / start:.1%}")

# A controller that takes the joints for rigid, without and with input shapers at the two modes of the closed loop.
rigid = replace(loop.nominal, joints=tuple(replace(joint, spring=Spring(1e9), damping=0.0) for joint in loop.nominal.joints))
plain = FlexibleLoop(loop.plant, rigid, Gains.of(loop.nominal))
poles = linearise(loop.plant, POSTURES["zero"]).with_feedback(plain.gains).poles()
modes = [(abs(p) / 2 / np.pi, -p.real / abs(p)) for p in poles if p.imag > 1 and -p.real < 0.6 * abs(p)]
for kind in (None, "ZV", "ZVD"):
    motion = motions["++"]
    if kind is not None:
        shaper = Shaper.of(*modes[0], kind)
        for mode in modes[1:]:
            shaper = shaper.then(Shaper.of(*mode, kind))
        motion = ShapedMotion(motion, shaper)
    record = plain.simulate(motion, plants=plant)
    size = float(TailRule(settled(record)).of_record(record)[0])
    print(f"rigid feedforward, shaper {kind or 'none':<5} move of {motion.duration:.3f} s, Λ {size / start:.1%} of the flexible one's at 100 %")
print(f"Λ left by the recommended search: {left['secant']:.1%}")
