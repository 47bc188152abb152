"""Regressors of 100 000 samples against Pinocchio called from Python and against CasADi's interpreter (targets: 4 and 15 times as fast)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import casadi as ca
import numpy as np
from harness import Row, compare
from numpy.typing import NDArray

from optid.kernels import Kernel
from optid.library import panda, ur10e
from optid.model import DynamicModel
from optid.robot import Robot

N = 100_000
BLOCK = 10_000
"""Samples written to one reused result: fresh memory costs more than the arithmetic, and differently from run to run."""

Array = NDArray[np.float64]
Run = Callable[[], object]


def states(n: int) -> list[Array]:
    rng = np.random.default_rng(0)
    return [rng.uniform(-2.0, 2.0, (N, n)) for _ in range(3)]


def in_blocks(evaluate: Callable[[list[Array]], object], x: list[Array]) -> Run:
    """Run ``evaluate`` on all blocks; the run returns what it says of the last one."""

    def run() -> object:
        found: object = None
        for start in range(0, N, BLOCK):
            found = evaluate([a[start : start + BLOCK] for a in x])
        return found

    return run


def streamed_run(f: ca.Function, backend: str, x: list[Array]) -> Run:
    """All samples block by block, as the identification takes them."""
    kernel = Kernel(f, backend)

    def run() -> object:
        last: object = None
        for _, block in kernel.blocks(*x):
            last = block
        return last

    return run


def whole_run(f: ca.Function, backend: str, x: list[Array]) -> Run:
    """Matrices in C order, in memory."""
    kernel = Kernel(f, backend)
    out = kernel(*(a[:BLOCK] for a in x))
    return in_blocks(lambda part: kernel(*part, out=out), x)


def pinocchio_run(robot: Robot, x: list[Array]) -> Run:
    """One call a sample, as Pinocchio's Python users write it."""
    import pinocchio as pin

    from optid.robot.urdf_write import robot_to_urdf

    model = pin.buildModelFromXML(robot_to_urdf(robot))
    data = model.createData()
    out = np.zeros((BLOCK, model.nv, 10 * model.nv))

    def evaluate(part: list[Array]) -> Array:
        for k, (q, dq, ddq) in enumerate(zip(*part, strict=True)):
            out[k] = pin.computeJointTorqueRegressor(model, data, q, dq, ddq)
        return out

    return in_blocks(evaluate, x)


def pinocchio_parameters(robot: Robot) -> Array:
    """Of all bodies, as Pinocchio's regressor takes them."""
    import pinocchio as pin

    from optid.robot.urdf_write import robot_to_urdf

    return np.concatenate([body.toDynamicParameters() for body in list(pin.buildModelFromXML(robot_to_urdf(robot)).inertias)[1:]])


def casadi_run(f: ca.Function, x: list[Array]) -> Run:
    """CasADi's own map on buffers: its interpreter without the conversions of its Python interface."""
    mapped = f.map(BLOCK)
    inputs = [np.zeros((BLOCK, a.shape[1])) for a in x]
    out = np.zeros((BLOCK, f.nnz_out(0)))
    buffer: Any
    buffer, call = mapped.buffer()
    for i, array in enumerate(inputs):
        buffer.set_arg(i, array.data)
    buffer.set_res(0, out.data)

    def evaluate(part: list[Array]) -> tuple[Array, int]:
        for target, values in zip(inputs, part, strict=True):
            target[:] = values
        call()
        return out, buffer.ret()  # CasADi holds bare pointers: both must stay alive

    return in_blocks(evaluate, x)


def casadi_call(f: ca.Function, x: list[Array]) -> Run:
    """CasADi's own map, called as its Python users do."""
    mapped = f.map(BLOCK)
    return in_blocks(lambda part: mapped(*(a.T for a in part)), x)


def rows() -> Iterator[Row]:
    for robot in (ur10e(), panda()):
        f = DynamicModel(robot, friction="none").functions["regressor"]
        x = states(robot.n)
        name = f"{robot.n}-joint regressor, {N} samples"
        simd, casadi, pinocchio = streamed_run(f, "simd", x), casadi_run(f, x), pinocchio_run(robot, x)
        yield compare(f"{name}, SIMD", simd, "Pinocchio from Python", pinocchio, 4.0)
        yield compare(f"{name}, SIMD, C order", whole_run(f, "simd", x), "Pinocchio from Python", pinocchio, 4.0)
        yield compare(f"{name}, SIMD", simd, "CasADi's map, on buffers", casadi, 15.0)
        yield compare(f"{name}, SIMD", simd, "CasADi's map, called with arrays", casadi_call(f, x), 15.0)
        yield compare(f"{name}, no compiler", streamed_run(f, "interpreter", x), "CasADi's map, on buffers", casadi, 1.0)
        yield compare(f"{name}, no compiler, C order", whole_run(f, "interpreter", x), "CasADi's map, on buffers", casadi, 1.0)
