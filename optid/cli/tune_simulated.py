"""``optid tune simulate``: a tuning from beginning to end, without a robot."""

from __future__ import annotations

from typing import Annotated

import typer

from .arguments import Json, Report, Seed
from .console import progress, say
from .guard import kept
from .simulated_arm import CUTOFFS, Cutoff, Direction, Length, Optimum, Posture, Robot, simulated_move
from .tune_arguments import Budget, File, MaxRatio, MaxStep, MaxTorque, MaxUnsafe, Overwrite, Plot, Solver, limits_of
from .tune_shown import draw, show_report, telling_the_best, write_page

NOISE = {"a": 0.05, "b": 0.0003}
"""White noise on the motor torque of each robot [N m]."""


def simulate(
    ctx: typer.Context,
    file: File,
    robot: Robot = "a",
    posture: Posture = "zero",
    direction: Direction = "++",
    length: Length = "short",
    optimum: Optimum = (94.0, 107.0),
    scale_noise: Annotated[float, typer.Option(min=0.0, help="Relative noise from run to run.")] = 0.05,
    torque_noise: Annotated[
        float | None,
        typer.Option(
            min=0.0, help="White noise on the motor torque [N m]; 0.05 for robot a, 0.0003 for b, whose vibration is as much smaller, when not given."
        ),
    ] = None,
    solver: Solver = "",
    budget: Budget = 15,
    max_step: MaxStep = 10.0,
    max_torque: MaxTorque = None,
    max_ratio: MaxRatio = 5.0,
    max_unsafe: MaxUnsafe = 3,
    cutoff: Cutoff = None,
    seed: Seed = 0,
    plot: Plot = None,
    page: Report = None,
    overwrite: Overwrite = False,
    json: Json = False,
) -> None:
    """Tune a simulated robot from beginning to end; FILE.h5 then holds every run, as on a real one."""
    from optid.flexibility.comparison import individual
    from optid.flexibility.objectives import TailRule, settled
    from optid.flexibility.session import TuningSession
    from optid.flexibility.settings import TuningSettings
    from optid.flexibility.simulated_robot import SimulatedRobot

    loop, motion = simulated_move(robot, posture, direction, length)
    start = settled(loop.simulate(motion, [[80.0, 80.0], [100.0, 100.0], [120.0, 120.0]], reference_tool=False))
    rule = TailRule(start, CUTOFFS[robot] if cutoff is None else cutoff)
    limits = limits_of(max_step, max_torque, max_ratio, max_unsafe)
    session = TuningSession.create(file, TuningSettings(rule, gears=loop.gears, solver=solver, seed=seed, budget=budget, limits=limits), overwrite)
    kept(ctx, file)
    noise = NOISE[robot] if torque_noise is None else torque_noise
    machine = SimulatedRobot(loop, motion, individual(loop, optimum), scale_noise, noise, seed)
    with telling_the_best(session, "A simulation is begun anew with --overwrite."), progress("runs of the robot", quiet=json) as update:
        while (request := session.ask()) is not None:
            session.tell(request.number, machine.run(request.upsilon, request.number))
            update(request.number, budget)
    found = session.report()
    show_report(session, found, json)
    if not json:
        say(f"true optimum: axis2 {optimum[0]:g} %, axis3 {optimum[1]:g} %")
    draw(session, found, plot, json, optimum)
    write_page(ctx, session, page, json)
