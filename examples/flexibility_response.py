"""Resonances of an arm with elastic joints, posture by posture, and the motion whose vibration tells most about Υ, from the linearised closed loop.

Prints the motion to tune with at the stretched posture, and draws the frequency responses.
"""

import numpy as np

from optid.flexibility import FlexibleLoop, best_input, linearise, set_a
from optid.flexibility.plots import plot_response
from optid.flexibility.surfaces import experiment
from optid.flexibility.two_axis import DIRECTIONS, LENGTHS, POSTURES

loop = FlexibleLoop(set_a())

for posture, q in POSTURES.items():
    linear = linearise(loop.plant, q)
    print(f"{posture:<10} resonances {np.round(linear.resonances()[-2:], 2)} Hz, with held motors {np.round(linear.antiresonances(), 2)} Hz")

motions = {f"{d} {s}": experiment(loop, "stretched", d, s) for d in DIRECTIONS for s in LENGTHS}
best, quality = best_input(loop, motions)
for name, found in quality.items():
    print(f"stretched {name:<9} weakest combination of Υ {found.weakest:.5f} N m √s a percent, valley {found.condition:.0f} : 1")

plot_response(linearise(loop.plant, POSTURES["zero"]), np.geomspace(2, 60, 2000), ("axis 2", "axis 3")).savefig("flexibility_response.png")
print(f"best motion at the stretched posture: {best}, valley {quality[best].condition:.0f} : 1")
