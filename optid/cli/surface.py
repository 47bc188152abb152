"""``optid tune surface``: how the vibration of a simulated robot depends on two Υ."""

from __future__ import annotations

from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .arguments import Json
from .console import save_figure, say, show_json, show_table
from .simulated_arm import CUTOFFS, Cutoff, Direction, Length, Optimum, Posture, Robot, simulated_move

if TYPE_CHECKING:
    from optid.flexibility.loop import FlexibleLoop
    from optid.flexibility.surfaces import Surface


def surface(
    robot: Robot = "a",
    posture: Posture = "zero",
    direction: Direction = "++",
    length: Length = "short",
    optimum: Optimum = (100.0, 100.0),
    law: Annotated[str, typer.Option(help="What Υ scales: frequency or stiffness.")] = "frequency",
    lower: Annotated[float, typer.Option(help="Smallest Υ [%].")] = 80.0,
    upper: Annotated[float, typer.Option(help="Largest Υ [%].")] = 120.0,
    step: Annotated[float, typer.Option(min=0.5, help="Grid [%].")] = 5.0,
    cutoff: Cutoff = None,
    norm: Annotated[str, typer.Option(help="L1, L2 or Linf.")] = "L2",
    table: Annotated[bool, typer.Option("--table", help="Shapes of all twelve moves beside those of the source's table 4.1, instead.")] = False,
    plot: Annotated[Path | None, typer.Option(metavar="PLOT.png", help="Draw the surfaces and their level curves.")] = None,
    json: Json = False,
) -> None:
    """Simulate every pair of Υ: Λ (torque after the move) and Ω (path of the tool), where they are smallest, and the shape of their valley."""
    from optid.errors import DataError, sentence
    from optid.flexibility.comparison import individual
    from optid.flexibility.plots import plot_surfaces
    from optid.flexibility.surfaces import surfaces

    if not 0 < lower < upper < float("inf"):
        raise DataError(sentence("--lower and --upper", f"{lower:g} and {upper:g} %", "0 < lower < upper"))
    loop, motion = simulated_move(robot, posture, direction, length, law)
    hertz = CUTOFFS[robot] if cutoff is None else cutoff
    if table:
        _show_table(loop, hertz, json)
        return
    grid = [lower + k * step for k in range(int((upper - lower) / step + 1e-9) + 1)]
    torque, path, rule = surfaces(loop, motion, hertz, norm, grid, plants=individual(loop, optimum))
    found = {"torque": torque, "path": path}
    if json:
        show_json({"start": rule.start, "cutoff": hertz, "norm": norm, "grid": grid, **{name: _mapping(one) for name, one in found.items()}})
    else:
        rows = [(one.label, f"{one.values.min():.3g}", *(f"{u:g}" for u in one.minimum), *_shape(one).values()) for one in found.values()]
        columns = ("objective", "smallest", "axis2 [%]", "axis3 [%]", "shape", "bottom [°]", "condition", "coupling")
        show_table(f"robot {robot}, {posture} posture, {direction}, {length} move", columns, rows)
        say(f"T = {rule.start:.3f} s: from here on the torque feedforward is constant for every Υ of the grid")
        say("bottom: angle of the valley against the axis of the second Υ; condition: curvature across over curvature along")
    if plot is not None:
        titles = {"torque": "torque after the move", "path": "error of the tool's path"}
        marks = {"true optimum": optimum} if lower <= min(optimum) and max(optimum) <= upper else {}
        save_figure(plot_surfaces({titles[name]: one for name, one in found.items()}, marks=marks), plot, quiet=json)


def _shape(one: Surface) -> dict[str, Any]:
    """The shape of a valley in numbers that a table shows."""
    valley = one.valley()
    return {"shape": valley.shape, "bottom": f"{valley.angle:.1f}", "condition": f"{valley.condition:.3g}", "coupling": f"{valley.coupling:.2f}"}


def _mapping(one: Surface) -> dict[str, Any]:
    valley = one.valley()
    return {
        "smallest": float(one.values.min()),
        "minimum": list(one.minimum),
        "shape": valley.shape,
        "angle": valley.angle,
        "condition": valley.condition if isfinite(valley.condition) else None,
        "coupling": valley.coupling,
        "values": one.values.tolist(),
    }


def _show_table(loop: FlexibleLoop, cutoff: float, json: bool) -> None:
    """Table 4.1."""
    from optid.flexibility.surfaces import table_of_shapes

    cells = table_of_shapes(loop, cutoff)
    if json:
        names = ("objective", "posture", "direction", "length", "printed")
        show_json([{**{name: getattr(cell, name) for name in names}, "shape": cell.valley.shape, "angle": cell.valley.angle} for cell in cells])
        return
    rows = [
        (c.objective, c.posture, c.direction, c.length, c.printed, c.valley.shape, "" if c.reproduced else "differs", f"{c.valley.angle:.1f}") for c in cells
    ]
    show_table("shapes of the valleys", ("objective", "posture", "direction", "length", "source", "here", "", "bottom [°]"), rows, left=7)
    say(f"{sum(cell.reproduced for cell in cells)} of {len(cells)} as in the source's table 4.1")
    say("its letters are read as: a slanting, b axis3 decides, c axis2 decides")
