"""Equations of motion as C99 for a controller: straight-line functions on doubles, no memory, no library but <math.h>."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import casadi as ca

from optid.errors import RobotError, sentence, unknown_name

from .equations import LETTERS, PARTS, Equations
from .statements import C, statements

_ARGUMENTS = {
    "torque": ("q", "dq", "ddq"),
    "mass_matrix": ("q",),
    "coriolis": ("q", "dq"),
    "gravity": ("q",),
    "friction": ("q", "dq"),
}
_KEYWORDS = frozenset(
    (
        *("auto", "break", "case", "char", "const", "continue", "default", "do", "double", "else", "enum", "extern", "float", "for", "goto", "if", "inline"),
        *("int", "long", "main", "register", "restrict", "return", "short", "signed", "sizeof", "static", "struct", "switch", "typedef", "union", "unsigned"),
        *("void", "volatile", "while"),
    )
)


@dataclass(frozen=True)
class CSource:
    """A C file and its header.

    Attributes
    ----------
    source, header : str
    name : str
        Prefix of all functions; the header is to be stored as ``<name>.h``.
    """

    source: str
    header: str
    name: str


def to_c(equations: Equations, parts: Sequence[str] = ("torque",), name: str = "arm") -> CSource:
    """C functions ``<name>_<part>``.

    Parameters
    ----------
    equations : Equations
        Symbols that are no coordinates become one argument ``const double p[…]``, in the order of the header's ``enum``; with all values given there is none.
    parts : sequence out of "torque", "mass_matrix", "coriolis", "gravity", "friction"
    name : str
        A C identifier.

    Notes
    -----
    Vectors are arrays of n doubles, the mass matrix n·n doubles row by row. Every element is written, zeros too. The code compiles with
    ``-std=c99 -Wall -Wextra -Werror`` and agrees with the model to rounding. No name from a robot file enters it; parameter names are identifiers.
    """
    if not (name.isascii() and name.isidentifier()) or name in _KEYWORDS or name.startswith("_"):
        raise RobotError(sentence("name of exported C code", repr(name), "a C identifier"))
    for part in parts:
        if part not in PARTS:
            raise unknown_name("part of the equations", part, PARTS)
    n = equations.model.n
    coordinates = {f"{stem}{j + 1}": f"{stem}[{j}]" for stem in ("q", "dq", "ddq") for j in range(n)}
    free = [symbol for symbol in equations.symbols if symbol not in coordinates]
    used = {part: equations.used(part) for part in parts}
    free = [symbol for symbol in free if any(symbol in names for names in used.values())]
    labels = {**coordinates, **{symbol: f"p[{k}]" for k, symbol in enumerate(free)}}
    prototypes, bodies = [], []
    for part in parts:
        head = _head(name, part, n, len(free))
        prototypes.append(f"{head};")
        bodies.append(_body(head, part, equations.function(part), labels, n, len(free)))
    guard = f"{name.upper()}_H"
    count = f"{name.upper()}_PARAMETERS"
    enum = ",\n".join([*(f"  {name.upper()}_{symbol}" for symbol in free), f"  {count}"])
    header = "\n".join(
        [
            f"#ifndef {guard}",
            f"#define {guard}",
            "",
            "/* SI units and radians; vectors of the joints in order, the mass matrix row by row. */",
            *([f"/* Places of the parameters in p. */\nenum {{\n{enum}\n}};", ""] if free else [""]),
            *prototypes,
            "",
            "#endif",
            "",
        ]
    )
    source = "\n".join([f'#include "{name}.h"', "", "#include <math.h>", "", "\n\n".join(bodies), ""])
    return CSource(source, header, name)


def _head(name: str, part: str, n: int, parameters: int) -> str:
    size = f"{n * n}" if part == "mass_matrix" else f"{n}"
    arguments = [f"const double {argument}[{n}]" for argument in _ARGUMENTS[part]]
    if parameters:
        arguments.append(f"const double p[{parameters}]")
    return f"void {name}_{part}({', '.join([*arguments, f'double {LETTERS[part]}[{size}]'])})"


def _body(head: str, part: str, function: ca.Function, labels: dict[str, str], n: int, parameters: int) -> str:
    written = statements(function, C, labels)
    columns = n if part == "mass_matrix" else 1
    elements = {row * columns + column: text for (row, column), text in written.outputs.items()}
    lines = [f"  const double {name} = {text};" for name, text in written.steps]
    lines += [f"  {LETTERS[part]}[{k}] = {elements.get(k, '0.0')};" for k in range(n * columns)]
    text = "\n".join(lines)
    arguments = [*_ARGUMENTS[part], *(["p"] if parameters else [])]
    unused = [f"  (void){argument};" for argument in arguments if not re.search(rf"\b{argument}\[", text)]
    return "\n".join([f"{head} {{", *unused, text, "}"])
