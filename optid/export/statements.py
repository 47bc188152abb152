"""Expressions as straight-line statements: what is used again gets a name, the rest is written where it is used."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass
from typing import Any

import casadi as ca

from optid.errors import RobotError, sentence
from optid.kernels.tape import Step, Tape

ADD, MUL, NEG, POWER, ATOM = range(1, 6)
"""Precedences, weakest first."""

WIDEST = 100
"""A subexpression longer than this gets a name of its own."""


@dataclass(frozen=True)
class Language:
    """How operations are written: op → (template, precedence, least precedences of the arguments)."""

    operations: Mapping[str, tuple[str, int, tuple[int, ...]]]


def call(name: str, arity: int = 1) -> tuple[str, int, tuple[int, ...]]:
    """A function call."""
    return f"{name}({', '.join(f'{{{k}}}' for k in range(arity))})", ATOM, (0,) * arity


_CALLS = ("sin", "cos", "tan", "asin", "acos", "atan", "exp", "log", "sqrt", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "floor", "ceil", "erf")
_COMMON: dict[str, tuple[str, int, tuple[int, ...]]] = {
    "add": ("{0} + {1}", ADD, (ADD, ADD)),
    "sub": ("{0} - {1}", ADD, (ADD, MUL)),
    "mul": ("{0}*{1}", MUL, (MUL, NEG)),
    "div": ("{0}/{1}", MUL, (MUL, NEG + 1)),
    "neg": ("-{0}", NEG, (POWER,)),
    **{name: call(name) for name in _CALLS},
    "atan2": call("atan2", 2),
    "fmod": call("fmod", 2),
}
TEXT = Language(
    {
        **_COMMON,
        "sq": ("{0}**2", POWER, (ATOM,)),
        "twice": ("2*{0}", MUL, (NEG,)),
        "inv": ("1/{0}", MUL, (POWER,)),
        "pow": ("{0}**{1}", POWER, (ATOM, ATOM)),
        "constpow": ("{0}**{1}", POWER, (ATOM, ATOM)),
        "fabs": call("abs"),
        "sign": call("sign"),
        "fmin": call("min", 2),
        "fmax": call("max", 2),
        "lt": ("({0} < {1})", ATOM, (0, 0)),
        "le": ("({0} <= {1})", ATOM, (0, 0)),
        "if_else_zero": call("if", 2),
    }
)
"""Plain text that Python and most algebra systems read."""

C = Language(
    {
        **_COMMON,
        "mul": ("{0} * {1}", MUL, (MUL, NEG)),
        "div": ("{0} / {1}", MUL, (MUL, POWER)),
        "sq": ("{0} * {0}", MUL, (ATOM,)),
        "twice": ("2.0 * {0}", MUL, (NEG,)),
        "inv": ("1.0 / {0}", MUL, (POWER,)),
        "pow": call("pow", 2),
        "constpow": call("pow", 2),
        "fabs": call("fabs"),
        "sign": ("(double)(({0} > 0.0) - ({0} < 0.0))", ATOM, (ATOM,)),
        "fmin": call("fmin", 2),
        "fmax": call("fmax", 2),
        "lt": ("(double)({0} < {1})", ATOM, (0, 0)),
        "le": ("(double)({0} <= {1})", ATOM, (0, 0)),
        "if_else_zero": ("({0} != 0.0 ? {1} : 0.0)", ATOM, (ATOM, 0)),
    }
)
"""C99 with <math.h>."""

REPEATS = ("sq", "sign", "if_else_zero")
"""Operations whose C text repeats an argument, or reads better with a short one: the argument gets a name."""


@dataclass(frozen=True)
class Split:
    """Named intermediate values, then the elements of the result that are not structurally zero, by (row, column)."""

    steps: tuple[tuple[str, Any], ...]
    outputs: Mapping[tuple[int, int], Any]


@dataclass(frozen=True)
class Statements:
    """Texts of named intermediate values, then of the elements of the result that are not structurally zero, by (row, column)."""

    steps: tuple[tuple[str, str], ...]
    outputs: Mapping[tuple[int, int], str]


def tape_of(function: ca.Function) -> Tape:
    """The scalar operations of a function.

    Raises
    ------
    RobotError
        When it holds something else (user-supplied torque columns of external code).
    """
    tape = Tape.of(function)
    if tape is None:
        raise RobotError(sentence(f"function {function.name()!r} to export", "code that is not scalar operations", "an expression"))
    return tape


def split(tape: Tape, write: Callable[[Step, list[Any]], Any], named: Callable[[str], Any], wide: Callable[[Any], bool], repeats: Container[str] = ()) -> Split:
    """Work through a tape, giving a name to what is used more than once or has grown wide.

    Parameters
    ----------
    write : (step, its arguments) → value
    named : name of an intermediate value → value
    wide : value → whether it should get a name
    repeats : operations that use their argument twice
    """
    uses = [0] * len(tape.steps)
    for step in tape.steps:
        if step.op != "input":
            for arg in step.args:
                uses[arg] += 1 + (step.op in repeats)
    for _, value in tape.outputs:
        uses[value] += 1
    values: list[Any] = []
    steps: list[tuple[str, Any]] = []
    for step, count in zip(tape.steps, uses, strict=True):
        value = write(step, [] if step.op == "input" else [values[a] for a in step.args])
        leaf = step.op in ("input", "const") or (step.op == "neg" and tape.steps[step.args[0]].op in ("input", "const"))
        if not leaf and (count > 1 or (count and wide(value))):
            name = f"t{len(steps) + 1}"
            steps.append((name, value))
            value = named(name)
        values.append(value)
    columns = tape.shape[1]
    return Split(tuple(steps), {(element // columns, element % columns): values[value] for element, value in tape.outputs})


def statements(function: ca.Function, language: Language, inputs: Mapping[str, str]) -> Statements:
    """Write a function of scalar inputs in a language; ``inputs`` maps their names to their texts."""
    labels = [inputs[name] for name in function.name_in()]
    parts = split(
        tape_of(function),
        lambda step, arguments: _written(step, arguments, language, labels),
        lambda name: (name, ATOM),
        lambda value: len(value[0]) > WIDEST,
        REPEATS if language is C else (),
    )
    return Statements(tuple((name, text) for name, (text, _) in parts.steps), {place: text for place, (text, _) in parts.outputs.items()})


def _written(step: Step, arguments: list[tuple[str, int]], language: Language, labels: list[str]) -> tuple[str, int]:
    if step.op == "input":
        return labels[step.args[0]], ATOM
    if step.op == "const":
        number = repr(step.constant) if language is C or step.constant != int(step.constant) else str(int(step.constant))
        return (number, ATOM) if step.constant >= 0 else (f"({number})", ATOM)
    if step.op not in language.operations:
        raise RobotError(sentence("expression to export", f"the operation {step.op!r}", "arithmetic and elementary functions"))
    template, precedence, least = language.operations[step.op]
    return template.format(*(f"({text})" if own < wanted else text for (text, own), wanted in zip(arguments, least, strict=True))), precedence
