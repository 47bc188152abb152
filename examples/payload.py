"""What hangs on the arm? A UR5 moves with and without a payload of 1.5 kg.

Prints its ten parameters with intervals from a motion, what static poses alone cannot tell, and the current gains that follow from knowing its mass.
"""

from dataclasses import replace

import matplotlib.pyplot as plt
import numpy as np

from optid import BaseParameters, DynamicModel, Link, library
from optid.identification import identify_drive_gains, identify_payload
from optid.signals import Samples

RNG = np.random.default_rng(0)
LOAD = Link.from_com(1.5, (0.02, -0.01, 0.08), (0.004, 0.005, 0.003), "load")
GAINS = np.array([12.0, 12.0, 11.0, 8.0, 8.0, 7.0])

robot = library.ur5().with_friction(viscous=3.0, coulomb=2.0)
bare = DynamicModel(robot, friction="viscous+coulomb")
carrying = bare.with_robot(robot.with_links([*robot.links[:-1], robot.links[-1].lumped(LOAD)]))
base = BaseParameters.of(bare)


def recording(model: DynamicModel, speed: float, noise: float) -> Samples:
    """Random states; ``speed`` 0 are static poses."""
    q, dq, ddq = (scale * RNG.standard_normal((600, 6)) for scale in (1.0, speed, 2 * speed))
    tau = model.inverse_dynamics(model.nominal_parameters(), q, dq, ddq)
    return Samples.from_arrays(q, dq, ddq, tau + noise * RNG.standard_normal(tau.shape), rate=100)


without, loaded = recording(bare, 1.0, 0.2), recording(carrying, 1.0, 0.2)
found = identify_payload(base, without, loaded, physical=True)
print(found.summary())

poses = identify_payload(base, without, recording(carrying, 0.0, 0.2), method="difference")
print(f"from static poses: {poses['m']:.3f} kg; undetermined: {', '.join(poses.undetermined)}")

# The same recordings as currents, with the mass known: the gains of the drives.
ampere = [replace(s, tau=s.tau / GAINS, tau_raw=s.tau_raw / GAINS) for s in (without, loaded)]
gains = identify_drive_gains(base, *ampere, known={"m": LOAD.mass})
print(gains.summary())

low, high = found.interval()[0]
print(f"mass {found['m']:.3f} kg, 95 % interval {low:.3f} to {high:.3f}, truth {LOAD.mass} kg")

ends, true = found.interval(), np.array(LOAD.parameters)
names = ("m", "mx", "my", "mz", "Ixx", "Ixy", "Ixz", "Iyy", "Iyz", "Izz")
half = (ends[:, 1] - ends[:, 0]) / 2
plt.errorbar(names, (ends.mean(axis=1) - true) / half, yerr=1, fmt="o", capsize=3)
plt.axhline(0, color="tab:red", label="truth")
plt.ylabel("estimate − truth, in half 95 % intervals")
plt.legend()
plt.savefig("payload.png")
