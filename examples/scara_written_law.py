"""Computed torque as Valencia 2008 writes it down is not what was simulated there: three ways to carry the law out, beside the published numbers.

With the wanted acceleration and exact derivatives the arm follows far better than published; holding the reference for 1 ms, in continuous time, ruins it.
Started with the right speed, the law leaves nothing but the integrator's error. Prints that largest error in the end.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np

from optid.control.valencia import PUBLISHED, SIGNALS, VARIANTS, reproduced, valencia_reference, valencia_run

laws = [name for name in VARIANTS if "--quick" not in sys.argv or name != "written, held"]  # the slow one
runs = {name: valencia_run(name) for name in laws}
found = {name: reproduced(run) for name, run in runs.items()}
print("Trajectory 1, IAE [rad s, m s] over 3 s\n   " + f"{'':<8}{'published':>12}" + "".join(f"{name:>21}" for name in found))
for signal in SIGNALS:
    name = f"IAE {signal}"
    print(f"   {name:<8}{PUBLISHED[1][name]:>12.4e}" + "".join(f"{column[name]:>21.4e}" for column in found.values()))
for law, why in (
    ("as simulated", "no wanted acceleration, wanted speeds by backward differences, all held for 1 ms: the published numbers"),
    ("written, held", "in continuous time, with a reference held for 1 ms, which delays it by half of that"),
    ("written, sampled", "law and torque held for 1 ms, exact derivatives of the reference"),
    ("written, continuous", "nothing held; only the initial speed, zero where the reference has some, is left"),
):
    if law in found:
        print(f"   {law}: {why}; q1 has {found[law]['IAE q1'] / PUBLISHED[1]['IAE q1']:.2f} of the published IAE")

start = valencia_reference(1, hold=False).wanted([0.0]).dq[0]
exact = valencia_run("written, continuous", duration=0.5, dq0=start, rtol=1e-10)

figure, axes = plt.subplots(1, 2, figsize=(10, 4), sharey=True, layout="constrained")
for axis, joint in zip(axes, (0, 3), strict=True):
    for name, run in runs.items():
        axis.semilogy(run.time, np.abs(run.error[:, joint]) + 1e-18, linewidth=0.8, label=name)
    axis.semilogy(exact.time, np.abs(exact.error[:, joint]) + 1e-18, linewidth=0.8, label="written, continuous, right start")
    axis.set(xlabel="time [s]", ylabel=f"error of axis {joint + 1} [{'m' if joint == 3 else 'rad'}]", xlim=(0, 0.5), ylim=(1e-16, 1e-2))
figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=5, fontsize=8)
figure.savefig("scara_written_law.png")
print(f"\nlargest error in continuous time, started with the right speed: {np.abs(exact.error).max():.1e} rad (m along z)")
