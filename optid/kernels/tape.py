"""A CasADi function as a plain list of scalar operations, each computed once: what every vectorised backend works from."""

from __future__ import annotations

import struct
from dataclasses import dataclass

import casadi as ca

NAMES: dict[int, str] = {value: name[3:].lower() for name, value in vars(ca).items() if name.startswith("OP_") and isinstance(value, int)}
COMMUTATIVE = frozenset({"add", "mul", "eq", "ne", "and", "or", "fmin", "fmax", "hypot"})
UNARY = frozenset(
    [
        "neg",
        "exp",
        "log",
        "sqrt",
        "sq",
        "twice",
        "sin",
        "cos",
        "tan",
        "asin",
        "acos",
        "atan",
        "not",
        "floor",
        "ceil",
        "fabs",
        "sign",
        "erf",
        "inv",
        "sinh",
        "cosh",
        "tanh",
        "asinh",
        "acosh",
        "atanh",
        "log1p",
        "expm1",
    ]
)
BINARY = frozenset(
    [
        "add",
        "sub",
        "mul",
        "div",
        "pow",
        "constpow",
        "lt",
        "le",
        "eq",
        "ne",
        "and",
        "or",
        "fmod",
        "copysign",
        "if_else_zero",
        "fmin",
        "fmax",
        "atan2",
        "hypot",
        "remainder",
    ]
)


@dataclass(frozen=True)
class Step:
    """One operation; its result is the value whose number is the step's position on the tape.

    Attributes
    ----------
    op : str
        "input", "const", or a CasADi operation in lower case.
    args : tuple of int
        Values it takes; for "input" the number of the input and the element in it.
    constant : float
        Value of a "const".
    """

    op: str
    args: tuple[int, ...] = ()
    constant: float = 0.0


@dataclass(frozen=True)
class Tape:
    """The operations of a function and where its results go.

    Attributes
    ----------
    steps : tuple of Step
    outputs : tuple of (element, value)
        Structural nonzeros of the output matrix: element = row · columns + column.
    sizes : tuple of int
        Elements of each input.
    shape : (m, k)
    """

    steps: tuple[Step, ...]
    outputs: tuple[tuple[int, int], ...]
    sizes: tuple[int, ...]
    shape: tuple[int, int]

    @classmethod
    def of(cls, function: ca.Function) -> Tape | None:
        """Tape of a function with one output, equal subexpressions merged; None when it holds something else than scalar operations."""
        try:
            scalar = function if function.is_a("SXFunction") else function.expand()
            if scalar.has_free():
                return None
        except RuntimeError:  # external code, interpolants, solvers, callbacks
            return None
        return _read(scalar)


def _read(f: ca.Function) -> Tape | None:
    columns = f.size2_out(0)
    rows_of, cols_of = f.sparsity_out(0).get_triplet()
    elements = [f.sparsity_in(i).find() for i in range(f.n_in())]
    steps: list[Step] = []
    known: dict[tuple[object, ...], int] = {}
    slots: dict[int, int] = {}
    outputs: list[tuple[int, int]] = []

    def value(step: Step) -> int:
        # constants are told apart by their bits: -0.0 is not 0.0 and NaN is itself
        key = (step.op, step.args, struct.pack("d", step.constant))
        if key not in known:
            known[key] = len(steps)
            steps.append(step)
        return known[key]

    for k in range(f.n_instructions()):
        op = NAMES.get(f.instruction_id(k), "")
        if op == "output":
            source, place = f.instruction_input(k)[0], f.instruction_output(k)[1]
            outputs.append((rows_of[place] * columns + cols_of[place], slots[source]))
            continue
        target = f.instruction_output(k)[0]
        if op == "input":
            i, place = f.instruction_input(k)
            slots[target] = value(Step(op, (i, elements[i][place])))
        elif op == "const":
            slots[target] = value(Step(op, constant=f.instruction_constant(k)))
        elif op == "assign":
            slots[target] = slots[f.instruction_input(k)[0]]
        elif op in UNARY or op in BINARY:
            arity = 1 if op in UNARY else 2
            args = tuple(slots[s] for s in f.instruction_input(k)[:arity])
            slots[target] = value(Step(op, tuple(sorted(args)) if op in COMMUTATIVE else args))
        else:
            return None
    return Tape(tuple(steps), tuple(sorted(outputs)), tuple(f.numel_in(i) for i in range(f.n_in())), (f.size1_out(0), columns))
