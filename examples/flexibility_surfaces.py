"""Where the best Υ lies, and how sharply: Λ (motor torque after the move) and Ω (path of the tool) over Υ2 and Υ3 for the source's postures.

Prints which of the 24 shapes of the source's table 4.1 come out the same, and what the linearised loop says of the best motion. With a folder as argument it
also draws the surfaces and the frequency responses: ``python examples/flexibility_surfaces.py plots``.
"""

import sys
from pathlib import Path

import numpy as np

from optid.flexibility.inputs import best_input
from optid.flexibility.linear import linearise
from optid.flexibility.loop import FlexibleLoop
from optid.flexibility.surfaces import experiment, surfaces, table_of_shapes
from optid.flexibility.two_axis import DIRECTIONS, LENGTHS, POSTURES, set_a

loop = FlexibleLoop(set_a())

for posture, q in POSTURES.items():
    linear = linearise(loop.plant, q)
    print(f"{posture:<10} resonances {np.round(linear.resonances()[-2:], 2)} Hz, with held motors {np.round(linear.antiresonances(), 2)} Hz")

motions = {f"{d} {s}": experiment(loop, "stretched", d, s) for d in DIRECTIONS for s in LENGTHS}
best, quality = best_input(loop, motions)
for name, found in quality.items():
    print(f"stretched {name:<9} weakest combination of Υ {found.weakest:.5f} N m √s a percent, valley {found.condition:.0f} : 1")
print(f"best motion at the stretched posture: {best}")

cells = table_of_shapes(loop)
for cell in cells:
    mark = "" if cell.reproduced else f"   <- source: {cell.printed}"
    print(f"{cell.objective:<7}{cell.posture:<10}{cell.direction:<3} {cell.length:<6} {cell.valley.shape:<5} bottom {cell.valley.angle:6.1f}°{mark}")

if len(sys.argv) > 1:
    from optid.flexibility.plots import plot_response, plot_surfaces

    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    drawn = {}
    for posture, direction in (("zero", "+-"), ("stretched", "++")):
        torque, path, _ = surfaces(loop, experiment(loop, posture, direction, "short"))
        drawn |= {f"Λ, {posture} {direction}": torque, f"Ω, {posture} {direction}": path}
    plot_surfaces(drawn).savefig(folder / "flexibility_surfaces.png")
    plot_response(linearise(loop.plant, POSTURES["zero"]), np.geomspace(2, 60, 2000), ("axis 2", "axis 3")).savefig(folder / "flexibility_response.png")

print(f"shapes of table 4.1 reproduced: {sum(cell.reproduced for cell in cells)} of {len(cells)}")
