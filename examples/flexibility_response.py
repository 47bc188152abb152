"""Before a tuning: resonances of an arm with elastic joints, its stiffness from a recording, the motion that tells most about Υ, and a plan for many axes.

Prints the stiffness of axis 3 as an encoder on the link shows it, and the motion to tune with; draws the frequency responses.
"""

import numpy as np

from optid import Drive, DynamicModel, Trial, library
from optid.flexibility import FlexibleLoop, FlexibleModel, best_input, linearise, recorded_stiffness, set_a
from optid.flexibility.open_loop import swing
from optid.flexibility.plots import plot_response
from optid.flexibility.surfaces import experiment
from optid.flexibility.two_axis import DIRECTIONS, LENGTHS, POSTURES
from optid.problems import decoupling_plan

loop = FlexibleLoop(set_a())

for posture, q in POSTURES.items():
    linear = linearise(loop.plant, q)
    print(f"{posture:<10} resonances {np.round(linear.resonances()[-2:], 2)} Hz, with held motors {np.round(linear.antiresonances(), 2)} Hz")

motions = {f"{d} {s}": experiment(loop, "stretched", d, s) for d in DIRECTIONS for s in LENGTHS}
best, quality = best_input(loop, motions)
for name, found in quality.items():
    print(f"stretched {name:<9} weakest combination of Υ {found.weakest:.5f} N m √s a percent, valley {found.condition:.0f} : 1")

plot_response(linearise(loop.plant, POSTURES["zero"]), np.geomspace(2, 60, 2000), ("axis 2", "axis 3")).savefig("flexibility_response.png")

# the arm lying on its side, shaken by its motors for 10 s; encoders on motors and links, 500 Hz
robot = set_a().robot.with_gravity((0, 0, 0)).with_drives([Drive(150, 0.015), Drive(130, 0.015)])
lying = FlexibleModel.of(robot, 7e5, damping=700.0)
omega, phases = 2 * np.pi * np.arange(0.5, 16.0, 0.5), np.random.default_rng(0).uniform(0, 2 * np.pi, (2, 31))

behind_rod = FlexibleModel.of(robot.with_coupling([[1, 0], [-1, 1]]), 7e5)
pair = [linearise(model, (0, 0)).resonances() for model in (lying, behind_rod)]
print(f"lying: resonances {np.round(pair[0], 2)} Hz, with motor 3 behind a parallel rod {np.round(pair[1], 2)} Hz")


def shake(t: float) -> np.ndarray:
    """Motor torques [N m]."""
    return 2.0 * np.sin(omega * t + phases).sum(axis=1)


time, states = (x[::5] for x in swing(lying, np.zeros(8), 10.0, shake, step=4e-4))
trial = Trial(time, states[:, 2:4], tau=[shake(t) * lying.gears for t in time], joint_names=robot.joint_names, attributes={"link": states[:, :2]})
for name, found in recorded_stiffness(robot, trial, cutoffs=[8.0, 12.0, 20.0]).items():
    print(f"{name}: stiffness {found.stiffness:.4g} N m/rad, 95 % interval {found.interval[0]:.4g} to {found.interval[1]:.4g}, true 7e+05")

print("lower arm of an IRB140:")
print(decoupling_plan(DynamicModel(library.irb140_lower_arm(), friction="none")))
print(f"best motion at the stretched posture: {best}, valley {quality[best].condition:.0f} : 1")
