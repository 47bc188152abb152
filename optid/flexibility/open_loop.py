"""An arm with elastic joints left to itself, or driven by given torques, without a controller."""

from __future__ import annotations

from collections.abc import Callable

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.arrays import finite, numbers
from optid.errors import DataError, ShapeError, SolveError, sentence
from optid.kernels import Kernel
from optid.model.arguments import found, instance, per_axis, positive
from optid.model.flexible import FlexibleModel

Array = NDArray[np.float64]

LONGEST_STEP = 1e-4
ANGLE = 0.1
"""Largest |eigenvalue|·step [rad]: the energy of that mode then drifts by less than 1e-6 in a hundred periods."""
STEPS = 2_000_000


def swing(
    model: FlexibleModel, x0: ArrayLike, duration: float, torque: Callable[[float], ArrayLike] | None = None, step: float | None = None
) -> tuple[Array, Array]:
    """Times (N,) and states (N, 2n + 2m) of the motion from x0, by the classical Runge–Kutta method.

    Parameters
    ----------
    x0 : (2n + 2m,)
        (q, θ, q̇, θ̇)
    duration : float [s]
    torque : callable, optional
        t → motor torques (m,), motor side.
    step : float, optional [s]
        By default short enough for the fastest mode at the start.

    Raises
    ------
    DataError, ShapeError
        A state, a time or torques that do not fit.
    SolveError
        The motion needs more than two million steps, or leaves the finite numbers: a light rotor or link behind a stiff spring.
    """
    instance(model, FlexibleModel, "model of a flexible arm")
    model.require_inertia()
    x = _state(model, x0)
    positive(duration, "duration of a simulation")
    if torque is not None and not callable(torque):
        raise DataError(sentence("torque of a simulation", found(torque), "a function of time"))
    h = min(LONGEST_STEP, ANGLE / max(fastest(model, x), 1e-12)) if step is None else positive(step, "step of a simulation")
    count = max(1, int(np.ceil(duration / h - 1e-9)))
    if count > STEPS:
        raise SolveError(
            sentence("simulation of a flexible arm", f"{float(count):.3g} steps of {h:.2g} s", f"at most {STEPS}", "Stiffen nothing beyond need, or give step.")
        )
    h = duration / count
    p, u = model.parameters(), np.zeros((3, model.m))
    advance = _advance(model)
    states = np.empty((count + 1, model.size))
    states[0] = x
    for k in range(count):
        if torque is not None:
            for row, part in zip(u, (0.0, 0.5, 1.0), strict=True):
                row[:] = per_axis(torque((k + part) * h), model.m, "motor torques")
        states[k + 1] = advance(states[k : k + 1], u=u.reshape(-1), p=p, h=np.array([h]))[0, :, 0]
        if k % 1000 == 999 and not np.all(np.isfinite(states[k + 1])):
            break
    if not np.all(np.isfinite(states)):
        bad = int(np.argmin(np.isfinite(states).all(axis=1)))
        raise SolveError(sentence("simulation of a flexible arm", f"numbers that are not finite after {bad * h:.4g} s", "finite ones", "Take a shorter step."))
    return np.asarray(h * np.arange(count + 1)), states


def energy(model: FlexibleModel, states: ArrayLike) -> Array:
    """Energy (N,) [J] of links, rotors and springs in states (N, 2n + 2m)."""
    instance(model, FlexibleModel, "model of a flexible arm")
    rows = finite(np.atleast_2d(numbers(states, "states of a flexible arm")), (None, model.size), "states of a flexible arm")
    return Kernel(model.functions["energy"])(rows, p=model.parameters())[:, 0, 0]


def fastest(model: FlexibleModel, x: ArrayLike) -> float:
    """Largest magnitude of an eigenvalue [1/s] of the motion linearised about a state."""
    instance(model, FlexibleModel, "model of a flexible arm")
    state, rates = _state(model, x), model.functions["rates"]
    p, s, u = (ca.SX.sym(name, *rates.size_in(k)) for k, name in enumerate(("p", "x", "u")))
    slopes = ca.Function("slopes", [p, s, u], [ca.jacobian(rates(p, s, u), s)])
    return float(np.max(np.abs(np.linalg.eigvals(slopes(model.parameters(), state, 0).full()))))


def _state(model: FlexibleModel, x: ArrayLike) -> Array:
    state = numbers(x, "state of a flexible arm")
    if state.shape != (model.size,) or not np.all(np.isfinite(state)):
        raise ShapeError(sentence("state of a flexible arm", f"shape {state.shape}, {state}", f"{model.size} finite numbers"))
    return state


def _advance(model: FlexibleModel) -> Kernel:
    rates = model.functions["rates"]
    x, u, p, h = (ca.SX.sym(name, size) for name, size in (("x", model.size), ("u", 3 * model.m), ("p", len(model.parameter_names)), ("h", 1)))
    m = model.m
    k1 = rates(p, x, u[:m])
    k2 = rates(p, x + h / 2 * k1, u[m : 2 * m])
    k3 = rates(p, x + h / 2 * k2, u[m : 2 * m])
    k4 = rates(p, x + h * k3, u[2 * m :])
    return Kernel(ca.Function("advance", [x, u, p, h], [x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)], ["x", "u", "p", "h"], ["next"]))
