"""Options of solvers, checked where a solver is made: a wrong one would fail deep in a backend, or keep it from ever ending."""

from __future__ import annotations

from dataclasses import fields
from numbers import Integral, Real
from typing import Any

import numpy as np

from optid.errors import UnsuitableSolverError, sentence


def check_options(solver: Any, *above: str) -> None:
    """Refuse options of a solver's dataclass that are not of their annotated kind, not finite, or negative.

    Parameters
    ----------
    solver : dataclass with ``name``
    *above : names of numbers that must be above 0

    Raises
    ------
    UnsuitableSolverError
        Naming solver and option.

    Examples
    --------
    >>> from optid.solvers.random_search import RandomSearch
    >>> RandomSearch(batch=0)
    Traceback (most recent call last):
        ...
    optid.errors.UnsuitableSolverError: option batch of solver 'random': 0, expected a whole number above 0.
    """
    for field in fields(solver):
        kind, _, none = str(field.type).partition(" | ")
        value = getattr(solver, field.name)
        if kind not in WANTED or (none == "None" and value is None):
            continue
        number = kind in ("int", "float")
        fits = isinstance(value, {"int": Integral, "float": Real, "bool": bool, "str": str}[kind]) and not (number and isinstance(value, bool | np.bool_))
        if fits and number:
            fits = bool(np.isfinite(value)) and (value > 0 if field.name in above else value >= 0)
        if not fits:
            wanted = WANTED[kind] + ((" above 0" if field.name in above else " >= 0") if number else "") + (", or None" if none else "")
            raise UnsuitableSolverError(sentence(f"option {field.name} of solver {solver.name!r}", repr(value), wanted))


WANTED = {"int": "a whole number", "float": "a finite number", "bool": "True or False", "str": "a name"}
