"""Computed torque on a SCARA: the control experiment of Valencia 2008, published and simulated numbers side by side.

Draws error, torque and power with zooms at the start and at 1.5 s. Prints, in the end, the largest deviation from the seven published IAEs of trajectory 1.
"""

import sys

import numpy as np

from optid.control import cartesian_error
from optid.control.valencia import PUBLISHED, SIGNALS, VARIANTS, reproduced, valencia_run
from optid.report.drive_plots import plot_tracking

ZOOMS = [(0.0, 0.06), (1.48, 1.56)]


def table(title: str, columns: dict[str, dict[str, float]]) -> None:
    print(f"{title}\n   {'':<13}" + "".join(f"{name:>21}" for name in columns))
    for name in columns["published"]:
        print(f"   {name:<13}" + "".join(f"{column[name]:>21.4e}" for column in columns.values()))


# 1. Trajectory 1. What the source simulated is not the law it writes down: no wanted acceleration, speeds by backward differences, all of it held for 1 ms.
first, published = valencia_run("as simulated"), PUBLISHED[1]
laws = {"published": dict(published), "as simulated": reproduced(first)}
if "--quick" not in sys.argv:  # the law as it is written; scara_written_law.py takes a closer look
    laws |= {name: reproduced(valencia_run(name)) for name in VARIANTS if name not in laws}
table("1. Trajectory 1: IAE [rad s, m s] over 3 s, errors [rad, m] at instants", laws)
print("   held: arm and law run in continuous time, the reference is held for 1 ms, which delays it by half of that.")
print("   continuous: only the initial speed, zero where the reference has some, is left.")
for name in ("q1", "q2", "x"):
    found, theirs = (1 - numbers[f"{name} at 21 ms"] / numbers[f"{name} at 4 ms"] for numbers in (laws["as simulated"], published))
    print(f"   {name} decays in 17 ms by {found:.2%} (published {theirs:.2%})")
print("   q2 after 21 ms is the one number of trajectory 1 that does not come out.")
early = first.tau[first.time <= 0.06]
print(f"   torques of the first 60 ms: {early.min():.0f} to {early.max():.0f} N m; the source's figure is drawn from -1200 to 600\n")

# 2. Trajectory 2: a corner.
second = valencia_run("as simulated", 2)
corner = {"published": dict(PUBLISHED[2]), "as simulated": reproduced(second, 2)}
table("2. Trajectory 2", corner)
print("   The published column cannot be right: the source's own plots show joint errors below 8e-5 rad, which give at most 2.4e-4 rad s in 3 s.")
theirs, found = (1 - abs(numbers["x at 1520 ms"] / numbers["x at 1511 ms"]) for numbers in corner.values())
print(f"   x after the corner: a decay of {found:.1%} in 9 ms, published {theirs:.1%}")
tool = np.abs(cartesian_error(second.robot, second.q, second.wanted.q))
turn = second.tau[(second.time >= 1.44) & (second.time <= 1.58), 0]
print(f"   start: largest error {tool[:100].max():.2e} m along y, as the source draws it (2.5e-5)")
print(f"   corner: {tool[1400:1700, 0].max():.2e} m along x, up to {np.abs(turn).max():.0f} N m; its figures show 7e-6 m and less than 8 N m,")
print("   about a seventh, so its corner was not the one that it describes")

plot_tracking(first, ZOOMS, "Trajectory 1 as the source simulated it").savefig("scara_computed_torque.png")
plot_tracking(second, ZOOMS, "Trajectory 2 by the same law").savefig("scara_computed_torque_2.png")
deviations = [abs(laws["as simulated"][f"IAE {name}"] / published[f"IAE {name}"] - 1) for name in SIGNALS]
print(f"\nlargest deviation from the seven published IAEs: {max(deviations):.2%}")
