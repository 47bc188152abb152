"""A short, noisy motion of a UR10e: least squares gives bodies that cannot exist; the physical fit gives a robot that can be simulated and saved.

Prints which links fail, how often each estimate's mass matrix is not positive definite, what both predict on another motion, and the robot read back.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from optid import BaseParameters, DynamicModel, Robot, identify, library, validate
from optid.identification import write_robot
from optid.signals import Samples

RNG = np.random.default_rng(0)
robot = library.ur10e().with_friction(viscous=[15, 15, 8, 3, 2, 2], coulomb=[10, 10, 5, 2, 2, 2])
model = DynamicModel(robot, friction="viscous+coulomb")
base, truth = BaseParameters.of(model), model.nominal_parameters()


def motion(duration: float, amplitude: float, noise: float, name: str) -> Samples:
    """Each joint swings with three random harmonics of 0.2 Hz; torque noise is a share of each joint's torque range."""
    t = np.arange(0, duration, 0.01)
    w = 2 * np.pi * 0.2 * np.arange(1, 4)
    a, phase = amplitude * RNG.standard_normal((3, 6)), RNG.uniform(0, 2 * np.pi, (3, 6))
    angle = w[:, None, None] * t[:, None] + phase[:, None, :]
    q, dq, ddq = (np.einsum("hj,htj->tj", a * (w**k)[:, None], part) for k, part in enumerate((np.sin(angle), np.cos(angle), -np.sin(angle))))
    tau = model.inverse_dynamics(truth, q, dq, ddq)
    return Samples.from_arrays(q, dq, ddq, tau + noise * np.ptp(tau, axis=0) * RNG.standard_normal(tau.shape), time=t, rate=100, name=name)


train, other = motion(6, 0.15, 0.03, "short"), motion(20, 0.8, 0.0, "large")

plain = identify(base, train)
physical = identify(base, train, method="physical", prior=truth * 1.1)  # believed beforehand: a data sheet that is 10 % off everywhere

for name, fit in (("least squares:", plain), ("physical fit: ", physical)):
    print("links that cannot exist,", name, ", ".join(fit.physical_report().unphysical) or "none")
print(f"price in residual: {physical.details.residual_increase:.2%}")

q = RNG.uniform(-np.pi, np.pi, (10_000, 6))
for name, pi in (("least squares", base.standard(plain.beta)), ("physical fit", physical.standard_parameters)):
    smallest = np.linalg.eigvalsh(model.mass_matrix(pi, q))[:, 0]
    plt.plot(np.sort(smallest), np.linspace(0, 100, len(smallest)), label=name)
    print(f"mass matrix not positive definite, {name}: {np.mean(smallest <= 0):.1%} of 10 000 postures")
plt.xscale("symlog", linthresh=1e-5)
plt.gca().set(xlabel="smallest eigenvalue of the mass matrix [kg m²]: no robot has one below 0", ylabel="postures below [%]")
plt.legend()
plt.savefig("physically_consistent.png")

with tempfile.TemporaryDirectory() as folder:
    for suffix in ("toml", "urdf"):
        path = Path(folder) / f"ur10e_identified.{suffix}"
        write_robot(physical, path)
        again = Robot.load(path)
        print(f"read back from {suffix}: link 3 weighs {again.links[2].mass:.3f} kg")

errors = [validate(fit, other).errors.stacked for fit in (plain, physical)]
print(f"error on a larger motion: least squares {errors[0]:.2%}, physical {errors[1]:.2%}")
