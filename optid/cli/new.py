"""``optid new``: a campaign file to begin with."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .arguments import RobotArgument, Tip
from .console import say
from .guard import kept


def new(
    ctx: typer.Context,
    robot: RobotArgument,
    output: Annotated[Path, typer.Option("-o", "--output", metavar="CAMPAIGN.toml", help="File to write; an existing one is never replaced.")] = Path(
        "campaign.toml"
    ),
    tip: Tip = None,
) -> None:
    """Write a commented campaign file for ROBOT: its joints with their limits, and everything else to fill in."""
    from optid.campaign import new_campaign

    path = new_campaign(robot, output, tip)
    kept(ctx, path)
    say(f"written: {path}")
    say(f"Name your recordings in it, then:  optid run {path} --dry-run")
