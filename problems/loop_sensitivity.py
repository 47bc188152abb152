"""How the states of a simulated loop move with its parameters.

The derivatives of a step depend on the state it starts from, and the states are known: they are formed for all samples at once, by the chain rule through the
stages of the Runge–Kutta method, and what is left to do in time is one small product a sample.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from optid.kernels import Kernel

Array = NDArray[np.float64]

CHUNK = 4096
"""Samples whose derivatives are held at a time."""
STAGES = ((0.0, 1 / 6), (0.5, 1 / 3), (0.5, 1 / 3), (1.0, 1 / 6))
"""Instants and weights of the classical Runge–Kutta method of order 4."""


class Steps(NamedTuple):
    """What happens in a sample: ``held`` drive torque or the controller in continuous time, ``lag`` earlier speeds in the state, ``substeps``."""

    held: bool
    lag: int
    substeps: int


@lru_cache(maxsize=16)
def stage_kernel(acceleration: ca.Function, law: ca.Function | None, backend: str) -> Kernel:
    """(q, dq, input, beta, constants) → [ddq, its derivatives by q, dq, the drive torque (without ``law``), beta].

    The input is the drive torque, or the reference signals that ``law`` makes it of.
    """
    n, r, c = (acceleration.size1_in(i) for i in (0, 3, 4))
    q, dq, beta, constants = (ca.SX.sym(name, size) for name, size in (("q", n), ("dq", n), ("beta", r), ("c", c)))
    given = ca.SX.sym("input", n if law is None else law.size1_in(2))
    ddq = acceleration(q, dq, given if law is None else law(q, dq, given), beta, constants)
    moving = ca.vertcat(q, dq, *([given] if law is None else []), beta)
    inputs = {"q": q, "dq": dq, "input": given, "beta": beta, "c": constants}
    return Kernel(ca.Function("stage", [*inputs.values()], [ca.densify(ca.horzcat(ddq, ca.jacobian(ddq, moving)))], [*inputs], ["slopes"]), backend)


def sensitivities(stage: Kernel, steps: Steps, states: Array, inputs: tuple[Array, Array], gains: Array, beta: Array, constants: Array) -> Array:
    """Derivatives (N, size, r) of the states (N, size) by beta (r,), the first state being given.

    Parameters
    ----------
    stage : see :func:`stage_kernel`
    inputs : two (N, ·)
        Drive torques that are held, twice; or the reference signals at the beginning and the end of each sample.
    gains : (N, n, size)
        Derivatives of the held torque by the state.
    constants : (c,)
        The time of a sample first.
    """
    count, size = states.shape
    kernel = stage.prepared(count * len(STAGES) * steps.substeps)
    moved = np.zeros((count, size, len(beta)))
    for start in range(0, count - 1, CHUNK):
        part = slice(start, min(start + CHUNK, count - 1))
        slopes = _step_slopes(kernel, steps, states[part], (inputs[0][part], inputs[1][part]), gains[part], beta, constants)
        own, forced = np.ascontiguousarray(slopes[:, :, :size]), slopes[:, :, size:]
        for k in range(len(own)):
            moved[start + k + 1] = own[k] @ moved[start + k] + forced[k]
    return moved


def _step_slopes(kernel: Kernel, steps: Steps, states: Array, inputs: tuple[Array, Array], gains: Array, beta: Array, constants: Array) -> Array:
    """Derivatives (N, size, size + r) of the next states by states and beta."""
    count, size = states.shape
    n, r, h = kernel.shape[0], len(beta), constants[0] / steps.substeps
    z, dz = states[:, : 2 * n], np.zeros((count, 2 * n, size + r))
    dz[:, range(2 * n), range(2 * n)] = 1.0
    for k in range(steps.substeps):
        rate, drate = np.zeros_like(z), np.zeros_like(dz)
        total, dtotal = np.zeros_like(z), np.zeros_like(dz)
        for at, weight in STAGES:
            x, dx = z + at * h * rate, dz + at * h * drate
            now = inputs[0] + (k + at) / steps.substeps * (inputs[1] - inputs[0])
            found = kernel(x[:, :n], x[:, n:], now, beta=beta, c=constants)
            dddq = found[:, :, 1 : 1 + 2 * n] @ dx
            dddq[:, :, size:] += found[:, :, -r:]
            if steps.held:
                dddq[:, :, :size] += found[:, :, 1 + 2 * n : 1 + 3 * n] @ gains
            rate, drate = np.concatenate([x[:, n:], found[:, :, 0]], axis=1), np.concatenate([dx[:, n:], dddq], axis=1)
            total, dtotal = total + weight * rate, dtotal + weight * drate
        z, dz = z + h * total, dz + h * dtotal
    late = np.zeros((count, size - 2 * n, size + r))
    late[:, range(size - 2 * n), range(n, size - n)] = 1.0
    return np.concatenate([dz, late], axis=1)
