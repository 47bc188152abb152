"""The published IRB140 experiment, simulated: from seven noisy cycles to 18 base parameters, beside the truth.

Prints every base parameter with its interval and, at the end, how many true values lie inside theirs.
"""

import numpy as np

from optid import BaseParameters, Preprocessing, identify, validate
from optid.report import plot_parameters
from optid.signals import PeriodicOptions
from optid.simulation.irb140 import KNOWN, irb140_experiment, irb140_model

SEED = 0

# The robot, and what is known of it: masses, rotor inertias and viscous friction (values in the robot's own description).
model = irb140_model()
base = BaseParameters.of(model, known=KNOWN)
print(f"{model.p} standard parameters, {len(base.known)} known, {base.rank} base parameters")

# Recordings: irregular stamps, encoder counts, noisy torque. On a real robot:  experiment = optid.read_experiment("file.h5")
experiment = irb140_experiment(SEED)

# Cycles are averaged; position and torque keep their harmonics up to 2.4 and 4.8 Hz, the model's torque too.
cycles = PeriodicOptions(position_cutoff=2.4, torque_cutoff=4.8)
fit = identify(base, experiment["excitation"], preprocessing=Preprocessing(clock="stamps", rate=100.0, min_speed=0.0, periodic=cycles))

truth = base.beta(model.nominal_parameters())
ends = fit.interval()
inside = (ends[:, 0] <= truth) & (truth <= ends[:, 1])
for row, true, ok in zip(fit.rows(), truth, inside, strict=True):
    print(f"{row['formula']:<32} {row['value']:>9.4f} ± {row['sigma']:<8.2g} true {true:>9.4f} {'' if ok else 'outside'}")

task = validate(fit, experiment["inverted U"])
print(f"inverted U, not used for the fit: error {task.errors.stacked:.2%} of the torque")
print(f"true values inside their 95 % intervals: {np.count_nonzero(inside)} of {base.rank}")
plot_parameters(fit, truth).savefig("identify_irb140.png")
