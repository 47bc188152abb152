"""Where the best Υ lies, and how sharply: Λ (motor torque after the move) and Ω (path of the tool) over Υ2 and Υ3 for the source's postures.

Prints which of the 24 shapes of the source's table 4.1 come out the same, and draws four of the surfaces.
"""

import sys

from optid.flexibility import FlexibleLoop, set_a
from optid.flexibility.plots import plot_surfaces
from optid.flexibility.surfaces import GRID, experiment, surfaces, table_of_shapes

loop = FlexibleLoop(set_a())
grid, coarse = ((90, 100, 110),) * 2 if "--quick" in sys.argv else (GRID, (90, 95, 100, 105, 110))

cells = table_of_shapes(loop, percents=coarse)
for cell in cells:
    mark = "" if cell.reproduced else f"   <- source: {cell.printed}"
    print(f"{cell.objective:<7}{cell.posture:<10}{cell.direction:<3} {cell.length:<6} {cell.valley.shape:<5} bottom {cell.valley.angle:6.1f}°{mark}")

drawn = {}
for posture, direction in (("zero", "+-"), ("stretched", "++")):
    torque, path, _ = surfaces(loop, experiment(loop, posture, direction, "short"), percents=grid)
    where = f"{posture} posture, {direction} move"
    drawn |= {f"torque after the move\n{where}": torque, f"error of the tool's path\n{where}": path}
plot_surfaces(drawn).savefig("flexibility_surfaces.png")

print(f"shapes of table 4.1 reproduced: {sum(cell.reproduced for cell in cells)} of {len(cells)}")
