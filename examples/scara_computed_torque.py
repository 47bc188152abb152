"""Computed torque on a SCARA: the control experiment of Valencia 2008, published and simulated numbers side by side.

Draws error, torque and power with zooms at the start and at 1.5 s. Prints, in the end, the largest deviation from the seven published IAEs of trajectory 1.
"""

import sys

import numpy as np

from optid.control import Simulation, cartesian_error, simulate, tracking_indices
from optid.control.valencia import PUBLISHED, valencia_law, valencia_model, valencia_reference
from optid.report.drive_plots import plot_tracking
from optid.simulation import Plant

SIGNALS = ("q1", "q2", "q3", "q4", "x", "y", "z")
plant = Plant(valencia_model())


def iae(run: Simulation) -> np.ndarray:
    indices = tracking_indices(run)
    return np.concatenate([indices.joint.iae, indices.cartesian.iae])


def error_at(run: Simulation, name: str, milliseconds: int) -> float:
    tool = cartesian_error(run.robot, run.q, run.wanted.q)
    return float(np.hstack([run.error, tool])[milliseconds, SIGNALS.index(name)])


def table(title: str, columns: dict[str, np.ndarray]) -> None:
    print(title)
    print(" ".join(["   signal", *(f"{name:>21}" for name in columns)]))
    for k, signal in enumerate(SIGNALS):
        print(" ".join([f"   {signal:<6}", *(f"{column[k]:>21.4e}" for column in columns.values())]))


# 1. Trajectory 1. What the source simulated is not the law it writes down: no wanted acceleration, speeds by backward differences, all of it held for 1 ms.
first = simulate(plant, valencia_law(feedforward=False), valencia_reference(1))
published = np.array([PUBLISHED[1][f"IAE {name}"] for name in SIGNALS])
laws = {"published": published, "as simulated": iae(first)}
if "--quick" not in sys.argv:  # the law as it is written
    smooth = valencia_reference(1, hold=False)
    laws["written, held"] = iae(simulate(plant, valencia_law(), valencia_reference(1, derivatives="exact"), period=None, record=2.5e-4, rtol=1e-6))
    laws["written, sampled"] = iae(simulate(plant, valencia_law(), smooth))
    laws["written, continuous"] = iae(simulate(plant, valencia_law(), smooth, period=None, rtol=1e-7))
table("1. Trajectory 1, IAE [rad s, m s] over 3 s", laws)
print("   held: arm and law run in continuous time, the reference is held for 1 ms, which delays it by half of that.")
print("   continuous: only the initial speed, zero where the reference has some, is left. Peaks and decay:")
for name in ("q1", "q2", "x"):
    early, late = (f"{name} at {t} ms" for t in (4, 21))
    found = [error_at(first, name, t) for t in (4, 21)]
    ratios = [1 - b / a for a, b in (found, [PUBLISHED[1][early], PUBLISHED[1][late]])]
    print(f"   {early} {found[0]:.4e} (published {PUBLISHED[1][early]:.4e}), 17 ms later {found[1]:.4e} ({PUBLISHED[1][late]:.4e}),")
    print(f"      a decay of {ratios[0]:.2%} ({ratios[1]:.2%})")
print("   q2 after 21 ms is the one number of trajectory 1 that does not come out.")
early = first.tau[first.time <= 0.06]
print(f"   torques of the first 60 ms: {early.min():.0f} to {early.max():.0f} N m; the source's figure is drawn from -1200 to 600\n")

# 2. Trajectory 2: a corner.
second = simulate(plant, valencia_law(feedforward=False), valencia_reference(2))
table("2. Trajectory 2, IAE", {"published": np.array([PUBLISHED[2][f"IAE {name}"] for name in SIGNALS]), "as simulated": iae(second)})
print("   The published column cannot be right: the source's own plots show joint errors below 8e-5 rad, which give at most 2.4e-4 rad s in 3 s.")
for time in (1511, 1520):
    print(f"   x at {time} ms: {error_at(second, 'x', time):.3e} m, published {PUBLISHED[2][f'x at {time} ms']:.3e}")
corner = [1 - abs(late / early) for early, late in ([error_at(second, "x", t) for t in (1511, 1520)], [PUBLISHED[2][f"x at {t} ms"] for t in (1511, 1520)])]
print(f"      a decay of {corner[0]:.1%} in 9 ms, published {corner[1]:.1%}")
tool = cartesian_error(second.robot, second.q, second.wanted.q)
turn = second.tau[(second.time >= 1.44) & (second.time <= 1.58)]
print(f"   start: largest error {np.abs(tool[:100]).max():.2e} m along y, as the source draws it (2.5e-5)")
print(f"   corner: {np.abs(tool[1400:1700, 0]).max():.2e} m along x, up to {np.abs(turn[:, 0]).max():.0f} N m; its figures show 7e-6 m and less than 8 N m,")
print("   about a seventh, so its corner was not the one that it describes\n")

# 3. Without sampling and without the initial error nothing is left.
reference = valencia_reference(1, hold=False)
exact = simulate(plant, valencia_law(), reference, period=None, duration=0.5, dq0=reference.wanted([0.0]).dq[0], rtol=1e-10)
print(f"3. Continuous, started with the right speed: largest error {np.abs(exact.error).max():.1e} rad\n")

plot_tracking(first, [(0.0, 0.06), (1.48, 1.56)], "Trajectory 1 as the source simulated it").savefig("scara_computed_torque.png")
plot_tracking(second, [(0.0, 0.06), (1.48, 1.56)], "Trajectory 2 by the same law").savefig("scara_computed_torque_2.png")
print(f"\nlargest deviation from the seven published IAEs: {np.abs(laws['as simulated'] / published - 1).max():.2%}")
