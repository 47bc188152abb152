"""A prior that is half right: how strongly to believe it, by four rules, beside least squares and beside the truth.

A planar arm moves little, its torque is noisy, its CAD masses are 15 % too high. Prints one table; the last line is the largest and the smallest error on a
motion that no fit has seen.
"""

import matplotlib.pyplot as plt
import numpy as np

from optid import DHRow, DynamicModel, Link, Robot
from optid.identification import compare
from optid.problems import Prior
from optid.signals import Samples

RNG = np.random.default_rng(1)
links = [Link.from_com(mass, (-0.2, 0.02, 0.01), (0.01, 0.05, 0.05), f"link{k + 1}") for k, mass in enumerate((6.0, 4.0, 2.0))]
robot = Robot.from_dh([DHRow(a=0.4, alpha=np.pi / 2), DHRow(a=0.4), DHRow(a=0.3)], "standard", links=links).with_friction(viscous=2.0, coulomb=1.0)
model = DynamicModel(robot, friction="viscous+coulomb")
truth = model.nominal_parameters()


def recording(reach: float, noise: float, name: str) -> Samples:
    """Random states within ``reach`` of the middle; noise in N m."""
    q, dq, ddq = (reach * RNG.standard_normal((150, 3)) for _ in range(3))
    tau = model.inverse_dynamics(truth, q, dq, ddq)
    return Samples.from_arrays(q, dq, ddq, tau + noise * RNG.standard_normal(tau.shape), rate=100, name=name)


small = [recording(0.15, 1.0, f"small {k + 1}") for k in range(3)]
large = recording(1.0, 0.0, "large")

cad = truth.copy()
cad[:30] *= 1.15

# Sigmas say it best: bodies to 15 %, friction unknown. They make λ = 1 Bayes' rule.
believed = Prior.of(model, cad, relative=0.15)
believed = Prior(model, cad, np.where(np.arange(model.p) < 30, believed.sigmas, np.inf))

methods = {
    "least squares": "wls",
    "noise allowance": ("damped", {"damping": "allowance", "scale": "size"}),
    "GCV": ("damped", {"damping": "gcv", "scale": "size"}),
    "L-curve": ("damped", {"damping": "l-curve", "scale": "size"}),
    "held-out trials": ("damped", {"damping": "trials", "scale": "size"}),
    "sigmas, λ = 1": "damped",
    "physical, λ = 1": "physical",
}
table = compare(model, small, methods=methods, validation=large, prior=believed)
print(table)
for row in table.rows[1:]:
    print(f"{row.label:<18} {row.result.notes[-2 if 'come mostly' in row.result.notes[-1] else -1][:60]}…")
errors = {row.label: row.validation.stacked for row in table.rows}
print(f"least squares {errors['least squares']:.2%}, best {min(errors.values()):.2%}")
plt.barh(list(errors)[::-1], [100 * error for error in list(errors.values())[::-1]])
plt.xlabel("error on another motion [%]")
plt.tight_layout()
plt.savefig("prior_and_damping.png")
