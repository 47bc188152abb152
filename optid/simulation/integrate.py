"""Motion of an arm under given inputs, by an adaptive integrator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.errors import DataError, SolveError, sentence, unknown_name
from optid.model.arguments import found, instance, per_axis, positive
from optid.model.arrays import numbers

from .plant import Plant, State

Array = NDArray[np.float64]

METHODS = ("DOP853", "RK45", "Radau", "BDF", "LSODA")

MOST_EVALUATIONS = 1_000_000
"""Evaluations of the rates after which an integration is given up, by default: about ten seconds."""

SMALLEST_RTOL = 1e-13


def integrate(
    plant: Plant,
    state: State,
    time: ArrayLike,
    inputs: Callable[[float, State], ArrayLike] | None = None,
    *,
    outside: Callable[[float, State], ArrayLike] | None = None,
    method: str = "DOP853",
    rtol: float = 1e-10,
    atol: float = 1e-12,
    most_evaluations: int = MOST_EVALUATIONS,
) -> State:
    """States at given times, from a state at the first of them.

    Parameters
    ----------
    plant : Plant
    state : State
        At ``time[0]``.
    time : (N,) [s]
        Increasing.
    inputs : callable, optional
        (t, state) → torques [N m] or, with motors, voltages [V] (n,). None: no input.
    outside : callable, optional
        (t, state) → joint torques (n,) from outside [N m].
    method : str
        Of SciPy: "DOP853" and "RK45" (explicit), "Radau" and "BDF" (stiff arms, fast motors), "LSODA".
    rtol, atol : float
    most_evaluations : int
        Evaluations of the rates after which the integration is given up.

    Returns
    -------
    State of (N, n) arrays

    Raises
    ------
    SolveError
        When the motion leaves the finite numbers, or takes more evaluations: a drive that stands by Coulomb friction with an exact sign makes steps vanish.

    Notes
    -----
    Friction is taken at the exact sign of the speed (or its smooth one). For drives that come to rest and stand, use ``plant.advance``.

    Examples
    --------
    >>> import numpy as np
    >>> from optid import DHRow, DynamicModel, Link, Robot
    >>> from optid.simulation import Plant, integrate
    >>> rod = Robot.from_dh([DHRow()], "standard", (0, -9.81, 0), links=[Link.from_com(1.0, (0, -0.5, 0), np.diag([0, 0, 0.08]))])
    >>> plant = Plant(DynamicModel(rod, friction="none"))
    >>> period = 2 * np.pi * np.sqrt((0.08 + 0.25) / (9.81 * 0.5))  # of small swings
    >>> bool(abs(integrate(plant, plant.state([1e-3], [0.0]), [0.0, period]).q[-1, 0] - 1e-3) < 1e-8)
    True
    """
    from scipy import integrate as scipy_integrate

    if method not in METHODS:
        raise unknown_name("method of integration", method, METHODS)
    instance(plant, Plant, "plant to integrate", "Make one: Plant(model).")
    times = numbers(time, "times to integrate to")
    if times.ndim != 1 or len(times) < 2 or not (np.diff(times) > 0).all() or not np.isfinite(times).all():
        raise DataError(sentence("times to integrate to", f"shape {times.shape}", "at least two increasing, finite times"))
    for what, value in (("rtol", rtol), ("atol", atol)):
        positive(value, f"{what} of an integration", "a positive number")
    for what, given in (("inputs", inputs), ("outside", outside)):
        if given is not None and not callable(given):
            raise DataError(sentence(f"{what} of an integration", found(given), "a function of time and state", "Write lambda t, state: ..."))
    n, none, evaluations = plant.n, np.zeros(plant.n), 0

    def rates(t: float, y: Array) -> Any:
        nonlocal evaluations
        evaluations += 1
        if evaluations > most_evaluations:
            hint = "Drives that come to rest under Coulomb friction need plant.advance (fixed steps); a smooth friction or a stiff method may help too."
            raise SolveError(sentence("integration", f"{most_evaluations} evaluations at t = {t:.6g} s", f"fewer up to {times[-1]:g} s", hint))
        now = State(*y.reshape(3, n))
        u = none if inputs is None else per_axis(inputs(t, now), n, "inputs of an integration")
        return np.concatenate(plant.rates(now, u, none if outside is None else per_axis(outside(t, now), n, "torques from outside")))

    solve_ivp: Any = scipy_integrate.solve_ivp
    answer = solve_ivp(rates, (times[0], times[-1]), plant._flat(state), method, t_eval=times, rtol=max(rtol, SMALLEST_RTOL), atol=atol)
    if not answer.success or not np.isfinite(answer.y).all():
        raise SolveError(sentence("integration", answer.message, "a motion that stays finite", "A stiff method, or a smooth friction, may help."))
    return State(*np.moveaxis(answer.y.T.reshape(-1, 3, n), 1, 0))
