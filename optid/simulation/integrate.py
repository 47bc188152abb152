"""Motion of an arm under given inputs, by an adaptive integrator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.errors import DataError, SolveError, sentence, unknown_name

from .plant import Plant, State

Array = NDArray[np.float64]

METHODS = ("DOP853", "RK45", "Radau", "BDF", "LSODA")


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

    Returns
    -------
    State of (N, n) arrays

    Notes
    -----
    Friction is taken at the exact sign of the speed (or its smooth one). For drives that come to rest and stand, use ``plant.advance``.
    """
    from scipy import integrate as scipy_integrate

    if method not in METHODS:
        raise unknown_name("method of integration", method, METHODS)
    times = np.asarray(time, dtype=float)
    if times.ndim != 1 or len(times) < 2 or not (np.diff(times) > 0).all():
        raise DataError(sentence("times to integrate to", f"shape {times.shape}", "at least two increasing times"))
    n, none = plant.n, np.zeros(plant.n)

    def rates(t: float, y: Array) -> Any:
        now = State(*y.reshape(3, n))
        u = none if inputs is None else np.asarray(inputs(t, now), dtype=float)
        return np.concatenate(plant.rates(now, u, none if outside is None else outside(t, now)))

    solve_ivp: Any = scipy_integrate.solve_ivp
    answer = solve_ivp(rates, (times[0], times[-1]), np.concatenate(state), method, t_eval=times, rtol=rtol, atol=atol)
    if not answer.success or not np.isfinite(answer.y).all():
        raise SolveError(sentence("integration", answer.message, "a motion that stays finite", "A stiff method, or a smooth friction, may help."))
    return State(*np.moveaxis(answer.y.T.reshape(-1, 3, n), 1, 0))
