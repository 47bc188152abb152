"""The published excitation of the IRB140's axes 1 to 3 against ours: same robot, same limits, same 100 samples.

Prints the condition numbers and what the proof says of either motion. Gonzalez (elektron 5(2), 2021) prints cond 36.37.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np

import optid
from optid import BaseParameters
from optid.excitation import assess
from optid.problems import Excitation
from optid.simulation.irb140 import KNOWN, irb140_model
from optid.trajectory import irb140_g21

# 18 base parameters; position to 80 %, speed to 70 % of the limits, accelerations as in the published motion.
model = irb140_model()
base = BaseParameters.of(model, known=KNOWN)
limits = model.robot.limits.scaled(position=0.8, velocity=0.7)

published = irb140_g21()
print(f"published: {assess(base, published, samples=100)}")
print(f"published: {published.check(limits)}")

# Four harmonics of 5 s; the solver gets exact derivatives, the limits hold at every instant and not only at the samples.
problem = Excitation(base, harmonics=4, period=5.0, limits=limits, samples=100)
ours = optid.solve(problem, solver="ipopt", starts=1 if "--quick" in sys.argv else 4, seed=0)
print(f"ours: {ours.quality}")
print(f"ours: {ours.checks[0]}")

t = np.linspace(0, 5, 500)
panels = plt.figure(figsize=(8, 5)).subplots(3, 2, sharex=True, sharey="row")
for side, (name, motion) in enumerate({"published": published, "ours": ours.trajectory}.items()):
    panels[0, side].set_title(name)
    for j, panel in enumerate(panels[:, side]):
        panel.plot(t, np.degrees(motion.derivative(t)[:, j]))
        panel.set_ylabel("" if side else f"joint {j + 1} [°]")
plt.savefig("excitation_irb140.png")
print(f"condition number: published {assess(base, published, samples=100).condition_number:.2f}, ours {ours.condition_number:.2f}")
