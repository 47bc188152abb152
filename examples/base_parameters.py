"""What motion can reveal of a robot: base parameters as formulas, for several robots and with parameters that are known.

Prints the numbers of base parameters in the end.
"""

import matplotlib.pyplot as plt

from optid import BaseParameters, DynamicModel
from optid.library import irb140_lower_arm, panda, scara_er14, ur5

# A SCARA turns about vertical axes only, so that most of its inertia never shows.
scara = BaseParameters.of(DynamicModel(scara_er14(), friction="none"))
print("SCARA:", "; ".join(scara.formulas))

# Known parameters leave the unknown side; preferred ones come out as independent ones where that is possible.
arm = DynamicModel(irb140_lower_arm(), friction=("viscous", "coulomb"), rotor_inertia=True)
known = [name for name in arm.parameter_names if name.rstrip("123") in ("m", "Ia", "fv")]
irb140 = BaseParameters.of(arm, known=known)
print("IRB140, axes 1 to 3:")
for formula in irb140.formulas:
    print("  ", formula)
print("   never seen:", ", ".join(irb140.unidentifiable))

counts, standard = {"SCARA": scara.rank, "IRB140": irb140.rank}, {"SCARA": scara.model.p, "IRB140": arm.p - len(known)}
for name, robot in (("UR5", ur5()), ("Panda", panda())):
    base = BaseParameters.of(DynamicModel(robot, friction="none"))
    assert base.rank == base.svd_rank  # two ways to count
    counts[name], standard[name] = base.rank, base.model.p
print("base parameters:", ", ".join(f"{name} {count}" for name, count in counts.items()))

plt.bar(list(standard), list(standard.values()), color="lightgrey", label="unknown parameters of the bodies and joints")
plt.bar(list(counts), list(counts.values()), width=0.5, label="combinations that motion can reveal")
plt.legend()
plt.savefig("base_parameters.png")
