"""``optid base``: base parameters as formulas."""

from __future__ import annotations

from typing import Annotated

import typer

from .arguments import Friction, Json, Known, RobotArgument, RotorInertia, Seed, SignWidth, Tip, known_of, model_of, robot_of
from .console import say, show_json


def base(
    robot: RobotArgument,
    friction: Friction = "viscous+coulomb+offset",
    rotor_inertia: RotorInertia = False,
    sign_width: SignWidth = 0.0,
    known: Known = None,
    preferred: Annotated[list[str] | None, typer.Option(help="A parameter wanted as an independent one. Repeatable, first come first served.")] = None,
    tip: Tip = None,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Print the base parameters of ROBOT: the combinations of parameters that motion can reveal."""
    from optid.regressor import BaseParameters

    model = model_of(robot_of(robot, tip), friction, rotor_inertia, sign_width)
    found = BaseParameters.of(model, seed=seed, known=tuple(known_of(model, known)), preferred=tuple(preferred or ()))
    if json:
        show_json(
            {
                "robot": model.robot.name,
                "standard_parameters": model.p,
                "known": list(found.known),
                "rank": found.rank,
                "svd_rank": found.svd_rank,
                "formulas": list(found.formulas),
                "unidentifiable": list(found.unidentifiable),
            }
        )
        return
    for formula in found.formulas:
        say(formula)
    unknown = model.p - len(found.known)
    say(f"\n{model.robot.name}: {found.rank} base parameters of {unknown} unknown ({model.p} standard parameters, {len(found.known)} known).")
    if found.svd_rank != found.rank:
        say(f"The widest gap of the singular values suggests {found.svd_rank}: look at the robot's dimensions.")
    if found.unidentifiable:
        say(f"No motion reveals {', '.join(found.unidentifiable)}.")
