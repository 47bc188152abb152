"""A tape evaluated in numpy, one call an operation for a whole column of samples: several times CasADi's scalar interpreter, and no compiler."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .tape import Tape

Array = NDArray[np.float64]


def _if_else_zero(condition: Array, value: Array, out: Array) -> None:
    # a product would let NaN or infinity of the branch not taken through
    np.copyto(out, np.where(condition != 0.0, value, 0.0))


def _erf(x: Array, out: Array) -> None:
    from scipy.special import erf

    erf(x, out)


UFUNCS: dict[str, Callable[..., Any]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "pow": np.power,
    "constpow": np.power,
    "fmod": np.fmod,
    "copysign": np.copysign,
    "if_else_zero": _if_else_zero,
    "fmin": np.fmin,
    "fmax": np.fmax,
    "atan2": np.arctan2,
    "hypot": np.hypot,
    "lt": np.less,
    "le": np.less_equal,
    "eq": np.equal,
    "ne": np.not_equal,
    "and": np.logical_and,
    "or": np.logical_or,
    "neg": np.negative,
    "exp": np.exp,
    "log": np.log,
    "sqrt": np.sqrt,
    "sq": np.square,
    "twice": lambda x, out: np.add(x, x, out),
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "not": np.logical_not,
    "floor": np.floor,
    "ceil": np.ceil,
    "fabs": np.fabs,
    "sign": np.sign,
    "erf": _erf,
    "inv": lambda x, out: np.divide(1.0, x, out),
    "sinh": np.sinh,
    "cosh": np.cosh,
    "tanh": np.tanh,
    "asinh": np.arcsinh,
    "acosh": np.arccosh,
    "atanh": np.arctanh,
    "log1p": np.log1p,
    "expm1": np.expm1,
}
"""Numpy form of each operation; "remainder" (IEEE) has none."""


@dataclass(frozen=True)
class Program:
    """A tape with its values put into as few rows of a work array as stay alive together.

    Attributes
    ----------
    rows : int
        Rows of the work array.
    inputs : tuple of (input, element, row)
    calls : tuple of (operation, arguments, row)
        An argument is a row, or a constant as float.
    outputs : tuple of (element, row)
    constants : tuple of (element, value)
        Output elements that are the same for all samples.
    """

    rows: int
    inputs: tuple[tuple[int, int, int], ...]
    calls: tuple[tuple[str, tuple[int | float, ...], int], ...]
    outputs: tuple[tuple[int, int], ...]
    constants: tuple[tuple[int, float], ...]

    @classmethod
    def of(cls, tape: Tape) -> Program | None:
        """The program of a tape, or None when numpy lacks one of its operations."""
        if any(step.op not in UFUNCS for step in tape.steps if step.op not in ("input", "const")):
            return None
        last = {a: i for i, step in enumerate(tape.steps) if step.op != "input" for a in step.args}
        last |= {value: len(tape.steps) for _, value in tape.outputs}
        inputs = [(i, step) for i, step in enumerate(tape.steps) if step.op == "input"]
        place: dict[int, int | float] = {value: row for row, (value, _) in enumerate(inputs)}
        place |= {i: step.constant for i, step in enumerate(tape.steps) if step.op == "const"}
        rows = len(inputs)
        free: list[int] = []
        calls: list[tuple[str, tuple[int | float, ...], int]] = []
        for i, step in enumerate(tape.steps):
            if step.op in ("input", "const"):
                continue
            args = tuple(place[a] for a in step.args)
            free += {r for a in step.args if last[a] == i and isinstance(r := place[a], int)}
            if not free:
                free.append(rows)
                rows += 1
            row = place[i] = free.pop()
            calls.append((step.op, args, row))
        outputs = tuple((e, r) for e, v in tape.outputs if isinstance(r := place[v], int))
        constants = tuple((e, r) for e, v in tape.outputs if isinstance(r := place[v], float))
        return cls(rows, tuple((step.args[0], step.args[1], row) for row, (_, step) in enumerate(inputs)), tuple(calls), outputs, constants)


class Columns:
    """A program bound to work rows of ``size`` samples; one thread at a time."""

    def __init__(self, program: Program, size: int) -> None:
        self.program = program
        self.work = np.zeros((program.rows, size))
        self.calls = [(UFUNCS[op], [self.work[a] if isinstance(a, int) else np.array(a) for a in args], self.work[row]) for op, args, row in program.calls]
        self.elements = [element for element, _ in program.outputs]
        self.rows = [row for _, row in program.outputs]

    def evaluate(self, inputs: Sequence[Array], out: Array) -> None:
        """Fill ``out`` (B, m·k), B <= size, from inputs (B, n_i), or (n_i,) where all samples share one."""
        n = len(out)
        for i, element, row in self.program.inputs:
            self.work[row, :n] = inputs[i][..., element]
        with np.errstate(all="ignore"):
            for function, args, target in self.calls:
                function(*args, target)
        out[:, self.elements] = self.work[self.rows, :n].T
        for element, value in self.program.constants:
            out[:, element] = value
