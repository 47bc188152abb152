"""The simulated two-axis robots of ``optid tune``: which one, where it moves, and what the controller takes it for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from optid.flexibility.loop import FlexibleLoop

Robot = Annotated[str, typer.Option(help="Two-axis robot: a (spot-welding arm) or b (Manutec r3).")]
Posture = Annotated[str, typer.Option(help="folded, zero or stretched.")]
Direction = Annotated[str, typer.Option(help="++ or +-.")]
Length = Annotated[str, typer.Option(help="long (0.1 rad) or short (0.03 rad).")]
Optimum = Annotated[
    tuple[float, float], typer.Option(metavar="Υ2 Υ3", help="Υ at which the controller's model is exact for this individual [%], such as 94 107.")
]
Cutoff = Annotated[float | None, typer.Option(help="Cut-off of the low-pass on the vibration [Hz]; 60 for robot a, 100 for b when not given.")]

CUTOFFS = {"a": 60.0, "b": 100.0}
"""Cut-off for each robot when none is given [Hz]."""


def simulated_move(robot: str, posture: str, direction: str, length: str, law: str = "frequency") -> tuple[FlexibleLoop, Any]:
    """The loop of a robot, and its move.

    Raises
    ------
    UnknownNameError
    """
    from optid.errors import unknown_name
    from optid.flexibility.loop import FlexibleLoop
    from optid.flexibility.surfaces import experiment
    from optid.flexibility.two_axis import DIRECTIONS, LENGTHS, POSTURES, set_a, set_b

    robots = {"a": set_a, "b": set_b}
    for what, value, known in (("robot", robot, robots), ("posture", posture, POSTURES), ("direction", direction, DIRECTIONS), ("length", length, LENGTHS)):
        if value not in known:
            raise unknown_name(what, value, known)
    loop = FlexibleLoop(robots[robot](), law=law)
    return loop, experiment(loop, posture, direction, length)
