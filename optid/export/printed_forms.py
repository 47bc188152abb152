"""Equations of motion as somebody printed them, compared with the right ones coefficient by coefficient. Needs sympy."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from optid.errors import RobotError, require, sentence
from optid.model.arguments import instance

from .equations import Equations
from .expanded import expanded


def coefficient_errors(equations: Equations, printed: Mapping[tuple[int, str], str]) -> dict[tuple[int, str], Any]:
    """Printed minus right, for every coefficient that is printed or ought to be: zero where the printed one is right.

    Parameters
    ----------
    equations : Equations
        The right ones. Friction is left out.
    printed : mapping of (axis, factor) to str
        Axes count from 1; a factor is an acceleration ``"ddq2"``, a product of speeds ``"dq1*dq2"`` or ``"dq1**2"``, or ``"1"`` for gravity. Bodies are
        written as textbooks do: masses ``m1``, centres of mass ``Sx1``, ``Sy1``, ``Sz1`` in the links' frames, inertias ``Ixx1``, ``Ixy1``, … about the
        **centres of mass**; ``g`` is the size of gravity; ``c2``, ``s2`` are cosine and sine of q2, ``c23`` of q2 + q3. Lengths are as in the equations.

    Returns
    -------
    dict of sympy expressions
        By axis and factor, in this order; squares of sines are replaced by those of cosines.

    Raises
    ------
    MissingExtraError
        Without sympy.
    RobotError
        For an axis or a factor that the arm does not have.

    Examples
    --------
    >>> from optid import DynamicModel, library
    >>> from optid.export import Equations, coefficient_errors
    >>> arm = Equations(DynamicModel(library.planar_2r(), "none"), lengths=True)
    >>> coefficient_errors(arm, {(2, "ddq2"): "Izz2 + m2*Sx2**2"})[2, "ddq2"]
    -Sy2**2*m2
    """
    sympy = require("sympy", "symbolic")
    instance(equations, Equations, "equations to compare with", "Equations(model, lengths=True) makes them.")
    right = _coefficients(sympy, equations)
    unknown = [key for key in printed if key not in right]
    if unknown:
        axis, factor = unknown[0]
        expected = f"an axis of 1 … {equations.model.n} and 'ddq1', 'dq1**2', 'dq1*dq2', …, or '1'"
        raise RobotError(sentence("printed equations", f"the factor {factor!r} of axis {axis}", expected))
    size = sympy.Rational(repr(float(np.linalg.norm(equations.model.robot.gravity))))
    errors = {}
    for key, value in right.items():
        text = sympy.sympify(printed.get(key, "0")).subs(sympy.Symbol("g"), size)
        errors[key] = _without_squared_sines(sympy, text - value)
    return errors


def _coefficients(sympy: Any, equations: Equations) -> dict[tuple[int, str], Any]:
    """Right coefficients in masses, centres of mass and inertias about these."""
    n = equations.model.n
    names = _about_centres(sympy, n)
    inertia, speeds, gravity = (
        expanded(equations, part).subs(names, simultaneous=True).applyfunc(sympy.expand) for part in ("mass_matrix", "coriolis", "gravity")
    )
    rates = [sympy.Symbol(f"dq{j + 1}") for j in range(n)]
    products = [f"dq{j + 1}**2" for j in range(n)] + [f"dq{i + 1}*dq{j + 1}" for i in range(n) for j in range(i + 1, n)]
    found: dict[tuple[int, str], Any] = {}
    for i in range(n):
        found |= {(i + 1, f"ddq{j + 1}"): inertia[i, j] for j in range(n)}
        polynomial = sympy.Poly(speeds[i], *rates)
        found |= {(i + 1, product): polynomial.coeff_monomial(sympy.sympify(product)) for product in products}
        found[i + 1, "1"] = gravity[i]
    return found


def _about_centres(sympy: Any, n: int) -> dict[Any, Any]:
    """What first moments and inertias about the frames' origins are in masses, centres of mass and inertias about these (Steiner)."""
    names = {}
    for k in range(1, n + 1):
        m, *s = sympy.symbols(f"m{k} Sx{k} Sy{k} Sz{k}")
        for a, letter in enumerate("xyz"):
            names[sympy.Symbol(f"m{letter}{k}")] = m * s[a]
            for b in range(a, 3):
                central = sympy.Symbol(f"I{letter}{'xyz'[b]}{k}")
                names[central] = central + m * ((s[0] ** 2 + s[1] ** 2 + s[2] ** 2 if a == b else 0) - s[a] * s[b])
    return names


def _without_squared_sines(sympy: Any, expression: Any) -> Any:
    """Expanded, with s² = 1 − c²."""
    result = sympy.expand(expression)
    for sine in sorted((symbol for symbol in result.free_symbols if re.fullmatch(r"s\d+", symbol.name)), key=str):
        cosine = sympy.Symbol("c" + sine.name[1:])
        result = sympy.expand(result.subs(sine**2, 1 - cosine**2))
    return result
