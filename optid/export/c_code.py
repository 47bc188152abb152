"""Equations of motion as C99 for a controller: straight-line functions on doubles, no memory, no library but <math.h>."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import casadi as ca

from optid.errors import RobotError, sentence

from .equations import LETTERS, Equations, parts_of
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

    Examples
    --------
    >>> from optid import DynamicModel, library
    >>> from optid.export import Equations, to_c
    >>> "arm_torque" in to_c(Equations(DynamicModel(library.planar_2r(), "none"))).header
    True
    """

    source: str
    header: str
    name: str


def to_c(equations: Equations, parts: Sequence[str] | str = ("torque",), name: str = "arm") -> CSource:
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

    Examples
    --------
    >>> from optid import DynamicModel, library
    >>> from optid.export import Equations, to_c
    >>> "sin" in to_c(Equations(DynamicModel(library.planar_2r(), "none")), "torque").source
    True
    """
    if not (name.isascii() and name.isidentifier()) or name in _KEYWORDS or name.startswith("_"):
        raise RobotError(sentence("name of exported C code", repr(name), "a C identifier"))
    parts = parts_of(equations, parts)
    n = equations.model.n
    coordinates = {f"{stem}{j + 1}": f"{stem}[{j}]" for stem in ("q", "dq", "ddq") for j in range(n)}
    free = [symbol for symbol in equations.symbols if symbol not in coordinates]
    used = {part: equations.used(part) for part in parts}
    free = [symbol for symbol in free if any(symbol in names for names in used.values())]
    labels = {**coordinates, **{symbol: f"p[{k}]" for k, symbol in enumerate(free)}}
    prototypes, bodies = [], []
    for part in parts:
        columns = n if part == "mass_matrix" else 1
        arguments = {**dict.fromkeys(_ARGUMENTS[part], n), **({"p": len(free)} if free else {})}
        head = signature(f"{name}_{part}", arguments, LETTERS[part], n * columns)
        prototypes.append(f"{head};")
        bodies.append(definition(head, arguments, LETTERS[part], (n, columns), equations.function(part), labels))
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


def check_name(name: str) -> None:
    """Raise RobotError for a prefix that is no C identifier of one's own."""
    if not (name.isascii() and name.isidentifier()) or name in _KEYWORDS or name.startswith("_"):
        raise RobotError(sentence("name of exported C code", repr(name), "a C identifier"))


def c_name(text: str) -> str:
    """A C identifier out of any text: ``UR10e (left)`` → ``UR10e_left``."""
    name = re.sub(r"[^A-Za-z0-9]+", "_", text).strip("_") or "arm"
    return f"arm_{name}" if name[0].isdigit() or name in _KEYWORDS else name


def signature(function: str, arguments: Mapping[str, int], result: str, size: int) -> str:
    """The head of a C function: constant vectors in, one array out."""
    given = [f"const double {argument}[{length}]" for argument, length in arguments.items()]
    return f"void {function}({', '.join([*given, f'double {result}[{size}]'])})"


def definition(head: str, arguments: Iterable[str], result: str, shape: tuple[int, int], function: ca.Function, labels: Mapping[str, str]) -> str:
    """A C function that writes every element of a CasADi function of scalars, zeros too, row by row."""
    rows, columns = shape
    written = statements(function, C, labels)
    elements = {row * columns + column: text for (row, column), text in written.outputs.items()}
    lines = [f"  const double {name} = {text};" for name, text in written.steps]
    lines += [f"  {result}[{k}] = {elements.get(k, '0.0')};" for k in range(rows * columns)]
    text = "\n".join(lines)
    unused = [f"  (void){argument};" for argument in arguments if not re.search(rf"\b{argument}\[", text)]
    return "\n".join([f"{head} {{", *unused, text, "}"])
