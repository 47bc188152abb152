"""Interval arithmetic on CasADi functions: enclosures of all values over boxes of the inputs, many boxes at once."""

from __future__ import annotations

from collections.abc import Callable

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from optid.errors import UnknownNameError, sentence
from optid.kernels.tape import Tape

Array = NDArray[np.float64]
Interval = tuple[Array, Array]


def enclose(function: ca.Function, boxes: list[Interval]) -> Interval:
    """Enclosures of a vector function.

    Parameters
    ----------
    function : casadi.Function
        One output (k, 1).
    boxes : one (lower, upper) pair of arrays (n_i, cells) an input

    Returns
    -------
    lower, upper : (k, cells)

    Raises
    ------
    UnknownNameError
        The function holds an operation without an interval version.

    Notes
    -----
    Exact but for rounding. Every occurrence of a variable counts as independent of the others, so the enclosure is wide over large boxes and tends to the
    range as the boxes shrink.
    """
    tape = Tape.of(function)
    if tape is None:
        raise UnknownNameError(sentence(f"function {function.name()!r}", "operations that are not scalar expressions", "plain expressions"))
    cells = boxes[0][0].shape[1]
    values: list[Interval] = []
    for step in tape.steps:
        if step.op == "input":
            which, element = step.args
            values.append((boxes[which][0][element], boxes[which][1][element]))
        elif step.op == "const":
            values.append((np.full(cells, step.constant),) * 2)
        elif step.op in _OPERATIONS:
            values.append(_OPERATIONS[step.op](*(values[k] for k in step.args)))
        else:
            raise UnknownNameError(sentence(f"operation {step.op!r} in {function.name()!r}", "no interval version", f"one of {', '.join(sorted(_OPERATIONS))}"))
    size = function.size1_out(0)
    lower, upper = np.zeros((size, cells)), np.zeros((size, cells))
    for element, value in tape.outputs:
        lower[element], upper[element] = values[value]
    return lower, upper


def _mul(a: Interval, b: Interval) -> Interval:
    products = np.stack([a[0] * b[0], a[0] * b[1], a[1] * b[0], a[1] * b[1]])
    return products.min(axis=0), products.max(axis=0)


def _square(a: Interval) -> Interval:
    low, high = a[0] ** 2, a[1] ** 2
    return np.where((a[0] <= 0) & (a[1] >= 0), 0.0, np.minimum(low, high)), np.maximum(low, high)


def _inverse(a: Interval) -> Interval:
    through = (a[0] <= 0) & (a[1] >= 0)
    with np.errstate(divide="ignore"):
        low, high = 1.0 / a[1], 1.0 / a[0]
    return np.where(through, -np.inf, low), np.where(through, np.inf, high)


def _absolute(a: Interval) -> Interval:
    low, high = np.abs(a[0]), np.abs(a[1])
    return np.where((a[0] <= 0) & (a[1] >= 0), 0.0, np.minimum(low, high)), np.maximum(low, high)


def _sine(a: Interval) -> Interval:
    low, high = np.sin(a[0]), np.sin(a[1])
    turn = 2 * np.pi
    top = np.floor((a[1] - np.pi / 2) / turn) > np.floor((a[0] - np.pi / 2) / turn)
    bottom = np.floor((a[1] + np.pi / 2) / turn) > np.floor((a[0] + np.pi / 2) / turn)
    return np.where(bottom, -1.0, np.minimum(low, high)), np.where(top, 1.0, np.maximum(low, high))


def _cosine(a: Interval) -> Interval:
    return _sine((a[0] + np.pi / 2, a[1] + np.pi / 2))


def _if(condition: Interval, a: Interval) -> Interval:
    never, always = (condition[0] == 0) & (condition[1] == 0), (condition[0] > 0) | (condition[1] < 0)
    low, high = np.minimum(a[0], 0.0), np.maximum(a[1], 0.0)
    return np.where(never, 0.0, np.where(always, a[0], low)), np.where(never, 0.0, np.where(always, a[1], high))


def _below(a: Interval, b: Interval) -> Interval:
    return (a[1] < b[0]).astype(float), (a[0] <= b[1]).astype(float)


def _monotone(f: Callable[[Array], Array]) -> Callable[[Interval], Interval]:
    return lambda a: (np.asarray(f(a[0])), np.asarray(f(a[1])))


_OPERATIONS: dict[str, Callable[..., Interval]] = {
    "add": lambda a, b: (a[0] + b[0], a[1] + b[1]),
    "sub": lambda a, b: (a[0] - b[1], a[1] - b[0]),
    "mul": _mul,
    "div": lambda a, b: _mul(a, _inverse(b)),
    "inv": _inverse,
    "neg": lambda a: (-a[1], -a[0]),
    "twice": lambda a: (2 * a[0], 2 * a[1]),
    "sq": _square,
    "sqrt": _monotone(lambda v: np.sqrt(np.maximum(v, 0.0))),
    "exp": _monotone(np.exp),
    "tanh": _monotone(np.tanh),
    "sign": _monotone(np.sign),
    "fabs": _absolute,
    "sin": _sine,
    "cos": _cosine,
    "fmin": lambda a, b: (np.minimum(a[0], b[0]), np.minimum(a[1], b[1])),
    "fmax": lambda a, b: (np.maximum(a[0], b[0]), np.maximum(a[1], b[1])),
    "lt": _below,
    "le": _below,
    "not": lambda a: (((a[0] == 0) & (a[1] == 0)).astype(float), ((a[0] <= 0) & (a[1] >= 0)).astype(float)),
    "if_else_zero": _if,
}
