"""Control laws on one motion of a SCARA, by the same indices: PD with gravity, feedforward, computed torque and predictive control; and a model that is wrong.

Drives are limited alike; the predictive controller looks 10 ms ahead. Prints how much of the tool's error with PD and gravity the best law leaves.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np

from optid.control import Feedforward, GravityPD, OuterLoop, Predictive, Reference, Simulation, simulate, tracking_indices
from optid.control.valencia import KP, KV, PERIOD, valencia_law, valencia_model, valencia_motion, valencia_reference
from optid.problems import PredictiveModel
from optid.simulation import Plant

SIGNALS = ("q1", "q2", "q3", "q4", "x", "y", "z")
model = valencia_model()
plant = Plant(model)


def table(title: str, runs: dict[str, Simulation], index: str = "iae") -> None:
    print(title)
    print(" ".join(["   signal", *(f"{name:>21}" for name in runs)]))
    parts = [tracking_indices(run) for run in runs.values()]
    for k, values in enumerate(np.array([np.hstack([getattr(part.joint, index), getattr(part.cartesian, index)]) for part in parts]).T):
        print(" ".join([f"   {SIGNALS[k]:<6}", *(f"{value:>21.4e}" for value in values)]))


# 1. All parameters that the controller believes in are 35 % too large.
believed = 1.35 * model.nominal_parameters()
models = {
    "right model": valencia_law(feedforward=False),
    "PD, +35 %": valencia_law(False, error=1.35),
    "PID, +35 %": type(valencia_law())(model, OuterLoop.pid(KP, KV, np.array(KP) * 20), believed, feedforward=False),
}
table("1. Parameters +35 %, trajectory 1, IAE over 3 s", {name: simulate(plant, law, valencia_reference(1)) for name, law in models.items()})
print("   Inertias believed too large act like larger gains: this motion, ruled by its sudden start, is followed better by them, not worse.")

# 2. Other laws on the same motion, sampled at 1 ms, exact derivatives.
limit, seconds = (300.0, 100.0, 20.0, 1000.0), 0.2 if "--quick" in sys.argv else 1.0
motion = Reference(valencia_motion(1), lead=PERIOD)
M = np.diag(model.mass_matrix(model.nominal_parameters(), motion.wanted([0.0]).q[0]))
stiff = OuterLoop.pd(np.array(KP) * M, np.array(KV) * M)
laws = {"PD + gravity": GravityPD(model, stiff), "feedforward + PD": Feedforward(model, stiff), "computed torque": valencia_law()}
laws["predictive"] = Predictive(PredictiveModel(model, torque=limit))
runs = {name: simulate(Plant(model, max_torque=limit), law, motion, duration=seconds) for name, law in laws.items()}
for index in ("iae", "ise", "peak"):
    table(f"\n2. Drives limited to {limit} N m, {index.upper()} over {seconds:g} s", runs, index)
print(f"   samples that the predictive controller left unsolved: {runs['predictive'].unsolved} of {len(runs['predictive'].time)}")

for name, run in runs.items():
    plt.semilogy(run.time, np.abs(run.error[:, 0]) + 1e-9, label=name)
plt.gca().set(xlabel="time [s]", ylabel="error of axis 1 [rad]")
plt.legend()
plt.savefig("scara_control_laws.png")
errors = {name: float(np.max(tracking_indices(run).cartesian.iae)) for name, run in runs.items()}
print(
    f"tool error (IAE) left by the best law, {min(errors, key=lambda name: errors[name])}: {min(errors.values()) / errors['PD + gravity']:.1%} of PD + gravity"
)
