"""Equations of motion as plain text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .equations import LETTERS, PARTS, Equations, parts_of
from .statements import TEXT, statements

TITLES = {
    "torque": "joint torques",
    "mass_matrix": "mass matrix",
    "coriolis": "Coriolis and centrifugal torques",
    "gravity": "gravity torques",
    "friction": "friction torques",
}


def to_text(equations: Equations, parts: Sequence[str] | str = PARTS[1:], *, expand: bool = False) -> str:
    """Readable equations.

    Parameters
    ----------
    equations : Equations
    parts : sequence out of "torque", "mass_matrix", "coriolis", "gravity", "friction"
    expand : bool
        Expanded sums of products, with sums of angles of parallel axes drawn together (``c23 = cos(q2 + q3)``), through sympy (extra ``symbolic``). Otherwise
        straight-line statements: what is used more than once has a name ``t1, t2, …``.

    Examples
    --------
    >>> from optid import DynamicModel
    >>> from optid.library import planar_2r
    >>> model = DynamicModel(planar_2r(vertical=False), "none")
    >>> print(to_text(Equations(model, {"my1": 0, "my2": 0}), ["mass_matrix"]))
    # mass matrix
    t1 = cos(q2)
    t2 = 0.5*t1
    t3 = Izz2 + mx2*t2
    t4 = sin(q2)
    M11 = t3 + 0.5*(t4*(m2*(0.5*t4)) + t1*(mx2 + t2*m2)) + Izz1
    M12 = Izz2 + 0.5*(mx2*t1)
    M22 = Izz2
    """
    asked = parts_of(equations, parts)
    return "\n\n".join(_expanded(equations, part) if expand else _statements(equations, part) for part in asked)


def _place(part: str, row: int, column: int) -> str:
    return f"M{row + 1}{column + 1}" if part == "mass_matrix" else f"{LETTERS[part]}{row + 1}"


def _statements(equations: Equations, part: str) -> str:
    function = equations.function(part)
    written = statements(function, TEXT, {name: name for name in function.name_in()})
    lines = [f"# {TITLES[part]}", *(f"{name} = {text}" for name, text in written.steps)]
    return "\n".join(lines + _elements(part, equations.model.n, written.outputs))


def _expanded(equations: Equations, part: str) -> str:
    from .expanded import decimal, expanded

    matrix = expanded(equations, part).applyfunc(decimal)
    rows, columns = matrix.shape
    texts = {(row, column): str(matrix[row, column]) for row in range(rows) for column in range(columns) if matrix[row, column] != 0}
    return "\n".join([f"# {TITLES[part]}", *_elements(part, equations.model.n, texts)])


def _elements(part: str, n: int, texts: Mapping[tuple[int, int], str]) -> list[str]:
    """One line an element; of the mass matrix, which is symmetric, the upper triangle."""
    places = [(row, column) for row in range(n) for column in range(row, n)] if part == "mass_matrix" else [(row, 0) for row in range(n)]
    return [f"{_place(part, *place)} = {texts.get(place, '0')}" for place in places]
