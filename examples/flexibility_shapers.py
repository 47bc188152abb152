"""Input shapers instead of tuning: less vibration at once, bought with a longer move.

The controller takes the joints for rigid; ZV and ZVD shapers are tuned to the two modes of the closed loop. Prints what the longer shaper leaves of Λ.
"""

from dataclasses import replace

import matplotlib.pyplot as plt
import numpy as np

from optid.flexibility import FlexibleLoop, Gains, ShapedMotion, Shaper, TailRule, linearise, set_a, settled
from optid.flexibility.comparison import individual
from optid.flexibility.surfaces import experiment
from optid.flexibility.two_axis import POSTURES
from optid.model.flexible_joint import Spring

loop = FlexibleLoop(set_a())
plant, move = individual(loop, (94.0, 107.0)), experiment(loop, "zero", "++", "short")

rigid = replace(loop.nominal, joints=tuple(replace(joint, spring=Spring(1e9), damping=0.0) for joint in loop.nominal.joints))
plain = FlexibleLoop(loop.plant, rigid, Gains.of(loop.nominal))
poles = linearise(loop.plant, POSTURES["zero"]).with_feedback(plain.gains).poles()
modes = [(abs(p) / 2 / np.pi, -p.real / abs(p)) for p in poles if p.imag > 1 and -p.real < 0.6 * abs(p)]
sizes = {}
for kind in (None, "ZV", "ZVD"):
    motion = move
    if kind is not None:
        shaper = Shaper.of(*modes[0], kind)
        for mode in modes[1:]:
            shaper = shaper.then(Shaper.of(*mode, kind))
        motion = ShapedMotion(motion, shaper)
    record = plain.simulate(motion, plants=plant)
    sizes[kind] = float(TailRule(settled(record)).of_record(record)[0])
    plt.plot(record.time, record.torque[0, :, 0], label=f"shaper {kind or 'none'}")
    print(f"shaper {kind or 'none':<5} move of {motion.duration:.3f} s, Λ {sizes[kind]:.4f} N m, {sizes[kind] / sizes[None]:.1%} of the unshaped one's")
plt.gca().set(xlabel="time [s]", ylabel="motor torque of axis 2 [N m]")
plt.legend()
plt.savefig("flexibility_shapers.png")
print(f"Λ left by ZVD: {sizes['ZVD'] / sizes[None]:.1%}")
