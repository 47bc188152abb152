"""Control in continuous time: arm and law as one differential equation."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from optid.errors import DataError, SolveError, UnsuitableSolverError, sentence
from optid.model.arguments import positive
from optid.simulation.integrate import SMALLEST_RTOL
from optid.simulation.plant import Plant, State

from .laws import Law, VoltageLaw
from .reference import Reference, Target
from .simulate import Simulation

Array = NDArray[np.float64]

MOST_EVALUATIONS = 2_000_000
"""Evaluations after which an integration is given up: friction with an exact sign that the law does not cancel makes steps vanish."""


def run_continuous(
    plant: Plant,
    controller: Any,
    reference: Reference,
    state: State,
    duration: float,
    push: Callable[[float], Array] | None,
    record: float,
    rtol: float,
) -> Simulation:
    """Integrate the closed loop by an adaptive Runge-Kutta method of order 8 (Hairer, Nørsett & Wanner's DOP853), from jump to jump of the reference."""
    from scipy.integrate import solve_ivp

    if not isinstance(controller, (Law, VoltageLaw)):
        raise UnsuitableSolverError(sentence(f"controller {type(controller).__name__}", "no continuous-time law", "a law, or a sampled run", "Give a period."))
    if positive(record, "time between records") > duration:
        raise DataError(sentence("time between records", record, f"at most the duration, {duration:g} s"))
    rtol = max(positive(rtol, "rtol of continuous control", "a positive number"), SMALLEST_RTOL)
    n, evaluations = plant.n, 0
    still = np.zeros(n)
    held: Target | None = None

    def rates(t: float, y: Array) -> Array:
        nonlocal evaluations
        evaluations += 1
        if evaluations > MOST_EVALUATIONS:
            raise SolveError(
                sentence("continuous control", f"{evaluations} evaluations at t = {t:g} s", "fewer", "Smooth the friction (sign_width), or give a period.")
            )
        target = held if held is not None else Target(*(x[0] for x in reference.target([t])))
        now, z = State(*y[: 3 * n].reshape(3, n)), y[3 * n :]
        u = controller.command(now.q, now.dq, target, z)
        slope = plant.rates(now, u, still if push is None else push(t))
        return np.concatenate([*slope, controller.outer.rates(z, target.q - now.q)])

    y = np.concatenate([*state, np.zeros(controller.outer.n_states)])
    time: Array = np.arange(np.floor(duration / record + 1e-9) + 1, dtype=float) * record
    found = np.zeros((len(time), len(y)))
    found[0] = y
    edges = np.concatenate([[0.0], reference.edges(0.0, duration), [max(duration, time[-1])]])
    step = None
    for start, stop in pairwise(edges):
        if reference.hold is not None:
            held = Target(*(x[0] for x in reference.target([start])))
        inside = np.flatnonzero((time > start) & (time <= stop))
        points = np.append(time[inside], stop)
        scale = rtol * np.maximum(1e-3, np.abs(y).max())
        answer = solve_ivp(rates, (start, stop), y, "DOP853", t_eval=np.unique(points), rtol=rtol, atol=scale, first_step=step)
        if not answer.success or not np.isfinite(answer.y).all():
            raise SolveError(sentence("continuous control", answer.message, "a motion that stays finite", "Lower the gains, or smooth the friction."))
        found[inside] = answer.y.T[: len(inside)]
        y = answer.y[:, -1]
        step = (stop - start) / 4 if len(edges) > 2 else None
    shape = found[:, : 3 * n].reshape(len(time), 3, n)
    wanted, target = reference.wanted(time), reference.target(time)
    u, tau, current = np.zeros((3, len(time), n))
    for k, (values, z) in enumerate(zip(shape, found[:, 3 * n :], strict=True)):
        now = State(*values)
        u[k] = controller.command(now.q, now.dq, Target(*(x[k] for x in target)), z)
        tau[k], current[k] = plant.drive(now, u[k])
    return Simulation(time, shape[:, 0], shape[:, 1], wanted, target, u, tau, current, plant.model.robot)
