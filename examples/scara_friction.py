"""Friction and rotor inertia of a SCARA whose links are known from CAD (Peng & Zeng), and whether that beats fitting everything.

The arm and its recordings are simulated (encoders and motor currents at 1 kHz, gears, noise of 2 % of the rated current), so that the truth is known. With a
real arm, put its file with CAD inertias and drives and its own recordings here, or call ``optid drives robot.toml recordings.h5``.
Prints, in the end, how many of the twelve true values lie in their intervals.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

from optid import DynamicModel, Preprocessing, Robot
from optid.identification.known_inertia import compare_parameter_sets, drive_budget, identify_drives
from optid.identification.prepare import fitted_to
from optid.report.drive_plots import plot_spectra
from optid.simulation.scara_drives import COULOMB, MAXIMUM, RATED, ROTORS, VISCOUS, record_currents, scara_cad, scara_motion, scara_truth

# The CAD inertias, gears and torque constants come from a file.
with TemporaryDirectory() as folder:
    scara_cad().save(Path(folder) / "scara.toml")
    robot = Robot.load(Path(folder) / "scara.toml")
model = DynamicModel(robot, ("viscous", "coulomb"), rotor_inertia=True)

# One recording to identify from, three others to predict. The spectrum of the current shows the motion below 10 Hz and noise from 40 Hz on: torque and model
# are both filtered and thinned to 100 Hz. (A filter on the torque alone would round the steps of Coulomb friction and bias it.)
recording = record_currents(scara_motion(1), seed=3)
others = [record_currents(scara_motion(seed), seed=seed, name=f"motion {seed}", role="validation") for seed in (11, 12, 13)]
filters = Preprocessing(decimate=10)
sets = compare_parameter_sets(model, recording, others, preprocessing=filters)
print("1. Twelve numbers, four axes\n")
print(sets.drives.summary())

print("\n2. The same data, two parameter sets: the source's argument\n")
print(sets.table())

print("\n3. Are the motors strong enough? Predicted torque against rated and largest, at most 10 % of the time above rated\n")
for validation in sets.known.validations:
    print(f"{validation.trial}:\n{drive_budget(validation, robot, maximum=MAXIMUM, rated=RATED, allowed=0.1).table()}")

print("\n4. A drawing with one inertia 20 % too small: the residuals say which\n")
heavier = record_currents(scara_motion(1), seed=3, pi=scara_truth({"mx4": 1.2}))
print(identify_drives(model, heavier).summary().splitlines()[-1])

print("\n5. Only fast samples: what friction does near standstill was not shown\n")
fast = Preprocessing(min_speed=(1.5, 1.5, 0.1, 3.0))
print(identify_drives(model, recording, preprocessing=fast).notes[0])

plot_spectra(recording, filters.apply(fitted_to(recording, robot)), robot).savefig("scara_friction.png")

truth = {"B": VISCOUS, "friction": COULOMB, "J": ROTORS}
inside = sum(low <= value <= high for what, values in truth.items() for (low, high), value in zip(sets.drives.interval(what), values, strict=True))
print(f"\ntrue values inside their 95 % intervals: {inside} of 12")
