"""Which friction law? Seven of them on what a linear fit leaves, then the right ones fitted together with the inertia."""

import matplotlib.pyplot as plt
import numpy as np

import optid
from optid import BaseParameters, DHRow, DynamicModel, Link, Robot, identify
from optid.identification.friction_samples import friction_samples
from optid.problems import JointFriction, compare_friction
from optid.problems.friction_laws import LAWS
from optid.signals import Samples

links = [Link.from_com(2, (0.2, 0.01, 0), (0, 0, 0.03)), Link.from_com(1.5, (0.15, -0.02, 0), (0, 0, 0.02))]
robot = Robot.from_dh([DHRow(), DHRow(a=0.5)], "modified", (0.0, -9.81, 0.0), links=links)
rigid = DynamicModel(robot, friction="none")

# twenty seconds of sines that pass through slow speeds; joint 1 has a Stribeck hump, joint 2 a soft start
t = np.arange(2000) * 0.01
hertz, size = np.array([[0.7, 0.31, 0.11], [0.5, 0.9, 0.17]]), np.array([[0.3, 0.5, 0.8], [0.4, 0.2, 0.9]])
w, angle = 2 * np.pi * hertz, 2 * np.pi * t[:, None, None] * hertz
q, dq, ddq = (size * np.sin(angle)).sum(axis=2), (size * w * np.cos(angle)).sum(axis=2), -(size * w**2 * np.sin(angle)).sum(axis=2)
true = {"stribeck": np.array([1.0, 2.0, 0.3, 0.1, 0.2]), "tanh": np.array([0.5, 0.4, 0.05, 25.0])}
friction = np.column_stack([LAWS[law].torque(dq[:, j], np.zeros(len(t)), x) for j, (law, x) in enumerate(true.items())])
tau = rigid.inverse_dynamics(rigid.nominal_parameters(), q, dq, ddq) + friction
samples = Samples.from_arrays(q, dq, ddq, tau + 0.05 * np.random.default_rng(0).standard_normal(tau.shape), rate=100)

linear = identify(DynamicModel(robot), samples)
print(f"viscous, Coulomb and offset friction: {linear.errors().stacked:.2%} of the torque is left")
best = []
for j, part in enumerate(friction_samples(linear, samples)):
    found = compare_friction(part.velocity, part.torque, part.load)
    best.append(found.best().law)
    print(f"\njoint {j + 1}, best by BIC: {best[-1]}")
    print(found.summary())
    order = np.argsort(part.velocity)
    axes = plt.subplot(1, 2, j + 1, title=f"joint {j + 1}: {best[-1]}", xlabel="velocity [rad/s]")
    axes.plot(part.velocity[order], part.torque[order], ".", markersize=2, color="lightgrey", label="left by the rigid model [N m]")
    axes.plot(part.velocity[order], found.best().torque(part.velocity, part.load)[order], label=found.best().law)
    axes.legend(fontsize=7)

joint = optid.solve(JointFriction(BaseParameters.of(rigid), samples, best))
print(f"\nfitted together: {joint.errors.stacked:.2%} is left")
for j, fit in enumerate(joint.friction):
    print(f"joint {j + 1}: " + ", ".join(f"{name} {value:.3g} ± {sigma:.1g}" for name, value, sigma in zip(fit.names, fit.values, fit.sigma, strict=True)))
print(f"laws found: {best[0]}, {best[1]}")
plt.savefig("friction_laws.png")
