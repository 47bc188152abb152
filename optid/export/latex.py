"""Equations of motion as LaTeX, through sympy."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Sequence
from typing import Any

from optid.errors import RobotError, require, sentence
from optid.kernels.tape import Step

from .equations import PARTS, Equations, parts_of
from .expanded import decimal, expanded
from .statements import split, tape_of

_LEFT = {"torque": r"\tau", "mass_matrix": "M", "coriolis": "v", "gravity": "g", "friction": "f"}
_ARITHMETIC: dict[str, Callable[..., Any]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": operator.truediv,
    "pow": operator.pow,
    "constpow": operator.pow,
    "neg": operator.neg,
    "sq": lambda x: x**2,
    "twice": lambda x: 2 * x,
    "inv": lambda x: 1 / x,
}
WIDEST_OPERATIONS = 12
"""A subexpression with more operations gets a name of its own."""
_RATES = {"q": "q", "dq": r"\dot{q}", "ddq": r"\ddot{q}"}


LONGEST_EXPANDED = 500
"""Parts with more scalar operations are not expanded unless asked: the closed forms of a six-axis arm take a minute and fill hundreds of lines."""


def to_latex(equations: Equations, parts: Sequence[str] | str = PARTS[1:], *, expand: bool | None = None) -> str:
    """LaTeX of the equations, one ``align*`` environment (package amsmath) a part.

    Parameters
    ----------
    equations : Equations
    parts : sequence out of "torque", "mass_matrix", "coriolis", "gravity", "friction"
    expand : bool, optional
        True: expanded closed forms (as :func:`~optid.export.expanded`). False: straight-line statements, where what is used more than once has a name. By
        default parts of up to :data:`LONGEST_EXPANDED` operations are expanded (all of a SCARA's or a three-axis arm's), longer ones are statements.

    Raises
    ------
    MissingExtraError
        Without sympy, the extra ``symbolic``.

    Examples
    --------
    >>> from optid import DynamicModel, library
    >>> from optid.export import Equations, to_latex
    >>> to_latex(Equations(DynamicModel(library.planar_2r(), "none")), ["gravity"]).count("align*")
    2
    """
    sympy = require("sympy", "symbolic")
    blocks = []
    for part in parts_of(equations, parts):
        short = len(tape_of(equations.function(part)).steps) <= LONGEST_EXPANDED if expand is None else expand
        lines = _expanded_lines(sympy, equations, part) if short else _statement_lines(sympy, equations, part)
        blocks.append("\n".join([r"\begin{align*}", " \\\\\n".join(lines), r"\end{align*}"]))
    return "\n\n".join(blocks)


def symbol_latex(name: str) -> str:
    r"""A symbol's name in LaTeX: ``ddq1`` → ``\ddot{q}_{1}``, ``Izz2`` → ``I_{zz2}``, ``s23`` → ``s_{23}``, ``ZZ1R`` → ``ZZ_{1R}``."""
    if name.startswith("sign(") and name.endswith(")"):
        return rf"\operatorname{{sgn}}({symbol_latex(name[5:-1])})"
    for stem in ("ddq", "dq", "q"):
        if re.fullmatch(rf"{stem}\d+", name):
            return f"{_RATES[stem]}_{{{name[len(stem) :]}}}"
    if re.fullmatch(r"\d*\.?\d+(e-?\d+)?", name):
        return name
    found = re.fullmatch(r"(I|m|f)([a-z]+)?(\d+)", name)
    if found:
        return f"{found[1]}_{{{found[2] or ''}{found[3]}}}"
    found = re.fullmatch(r"([A-Za-z]+)(\d\w*)", name)
    if found:
        return f"{found[1]}_{{{found[2]}}}"
    escaped = re.sub(r"([_%&#${}])", r"\\\1", name)
    return rf"\mathrm{{{escaped}}}"


def _written(sympy: Any, expression: Any) -> str:
    names = {symbol: symbol_latex(symbol.name) for symbol in expression.free_symbols}
    return str(sympy.latex(expression, symbol_names=names))


def _left(part: str, row: int, column: int) -> str:
    place = f"{row + 1}{column + 1}" if part == "mass_matrix" else f"{row + 1}"
    return f"{_LEFT[part]}_{{{place}}}"


def _places(part: str, n: int) -> list[tuple[int, int]]:
    return [(row, column) for row in range(n) for column in range(row, n)] if part == "mass_matrix" else [(row, 0) for row in range(n)]


def _expanded_lines(sympy: Any, equations: Equations, part: str) -> list[str]:
    matrix = expanded(equations, part)
    return [f"{_left(part, *place)} &= {_written(sympy, decimal(matrix[place]))}" for place in _places(part, equations.model.n)]


def _statement_lines(sympy: Any, equations: Equations, part: str) -> list[str]:
    function = equations.function(part)
    inputs = [sympy.Symbol(name) for name in function.name_in()]

    def write(step: Step, a: list[Any]) -> Any:
        if step.op == "input":
            return inputs[step.args[0]]
        if step.op == "const":
            return sympy.Symbol(repr(step.constant)) if step.constant > 0 and step.constant != int(step.constant) else sympy.nsimplify(step.constant)
        if step.op == "sign":
            return sympy.Function("sgn")(a[0])
        if step.op == "if_else_zero":
            return sympy.Piecewise((a[1], sympy.Ne(a[0], 0)), (0, True))
        if step.op in ("lt", "le"):
            return sympy.Piecewise((1, a[0] < a[1] if step.op == "lt" else a[0] <= a[1]), (0, True))
        if step.op in _ARITHMETIC:
            return _ARITHMETIC[step.op](*a)
        name = {"fabs": "Abs", "fmin": "Min", "fmax": "Max"}.get(step.op, step.op)
        if not hasattr(sympy, name):
            raise RobotError(sentence("expression to export", f"the operation {step.op!r}", "arithmetic and elementary functions"))
        return getattr(sympy, name)(*a)

    parts = split(tape_of(function), write, sympy.Symbol, lambda value: value.count_ops() > WIDEST_OPERATIONS)
    lines = [f"{symbol_latex(name)} &= {_written(sympy, value)}" for name, value in parts.steps]
    return lines + [f"{_left(part, *place)} &= {_written(sympy, parts.outputs.get(place, sympy.S.Zero))}" for place in _places(part, equations.model.n)]
