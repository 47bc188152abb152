"""Arguments that the commands of ``optid tune`` share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from optid.flexibility.settings import SafetyLimits

File = Annotated[Path, typer.Argument(metavar="FILE.h5", help="File of the tuning; it holds everything.")]
Budget = Annotated[int, typer.Option(min=1, help="Runs of the robot in all.")]
Solver = Annotated[str, typer.Option(help="Search; secant when not given: it sees the vibration itself. bayesian, complex_box and others see its size only.")]
MaxStep = Annotated[float, typer.Option(help="Largest step [%] of any axis from values that were run and safe; farther ones are approached by runs between.")]
MaxTorque = Annotated[
    list[float] | None,
    typer.Option(help="Largest motor torque [N m] in any sample of a run, the move included; once for all axes, or once an axis. No limit when not given."),
]
MaxRatio = Annotated[float, typer.Option(help="Largest objective, in parts of the first run's.")]
MaxUnsafe = Annotated[int, typer.Option(min=1, help="The tuning is over after so many runs that failed or left the limits.")]
Plot = Annotated[Path | None, typer.Option(metavar="PLOT.png", help="Draw the runs.")]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace a file that exists.")]


def limits_of(max_step: float, max_torque: list[float] | None, max_ratio: float, max_unsafe: int) -> SafetyLimits:
    """What no run may exceed."""
    from optid.flexibility.settings import SafetyLimits

    return SafetyLimits(max_step, tuple(max_torque) if max_torque else None, max_ratio, max_unsafe)
