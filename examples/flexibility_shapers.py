"""Input shapers instead of tuning: less vibration at once, bought with a longer move.

The controller takes the joints for rigid; ZV and ZVD shapers are tuned to the two modes of the closed loop. Beside them a controller that knows the joints and
whose Υ are tuned, which costs no time. Prints what the longer shaper leaves of Λ.
"""

from dataclasses import replace

import matplotlib.pyplot as plt

from optid.flexibility import FlexibleLoop, Gains, ShapedMotion, Shaper, TailRule, set_a, settled
from optid.flexibility.comparison import individual
from optid.flexibility.surfaces import experiment
from optid.flexibility.two_axis import POSTURES
from optid.model.flexible_joint import Spring

OPTIMUM = (94.0, 107.0)
loop = FlexibleLoop(set_a())
plant, move = individual(loop, OPTIMUM), experiment(loop, "zero", "++", "short")

rigid = replace(loop.nominal, joints=tuple(replace(joint, spring=Spring(1e9), damping=0.0) for joint in loop.nominal.joints))
plain = FlexibleLoop(loop.plant, rigid, Gains.of(loop.nominal))
shaped = {kind: ShapedMotion(move, Shaper.of_loop(plain, POSTURES["zero"], kind)) for kind in ("ZV", "ZVD")}
runs = {
    "shaper none": plain.simulate(move, plants=plant),
    **{f"shaper {kind}": plain.simulate(motion, plants=plant) for kind, motion in shaped.items()},
    "tuned Υ": loop.simulate(move, OPTIMUM, plants=plant),
}

sizes = {name: float(TailRule(settled(record)).of_record(record)[0]) for name, record in runs.items()}
for (name, record), style in zip(runs.items(), ("-", "--", "-.", ":"), strict=True):
    share = sizes[name] / sizes["shaper none"]
    (line,) = plt.plot(record.time, record.torque[0, :, 0], style, label=f"{name}: {1e3 * record.duration:.0f} ms, Λ left {share:.1%}")
    plt.axvline(record.duration, color=line.get_color(), linestyle=style, linewidth=0.8)
    print(f"{name:<12} move of {record.duration:.3f} s, Λ {sizes[name]:.4f} N m, {share:.1%} of the unshaped one's")
plt.gca().set(title="A short move, and when it ends (upright lines)", xlabel="time [s]", ylabel="motor torque of axis 2 [N m]", xlim=(0, 0.8))
plt.legend(loc="lower right")
plt.savefig("flexibility_shapers.png")
print(f"Λ left by ZVD: {sizes['shaper ZVD'] / sizes['shaper none']:.1%}")
