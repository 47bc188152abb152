"""What a caller chooses by name, class or object (a solver, an estimation method): a frozen dataclass whose fields are its options."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

from optid.errors import UnsuitableSolverError, sentence, unknown_name


def chosen(kind: str, choice: Any, options: Mapping[str, Any], by_name: Callable[[str], Any], does: str, names: str) -> Any:
    """An object of a name, a class or an object, with ``options`` as its fields.

    Parameters
    ----------
    kind : str
        What is chosen, for messages: "solver".
    choice : str, class or object
    options : mapping
    by_name : callable
        Name → class; raises what fits an unknown one.
    does : str
        The attribute that such an object must have.
    names : str
        Where the names are listed, for messages.

    Raises
    ------
    UnknownNameError
        For an unknown name or option.
    UnsuitableSolverError
        For what is no such thing at all.
    """
    found: Any = by_name(choice) if isinstance(choice, str) else choice
    if isinstance(found, type) and is_dataclass(found):
        found = found()
    if not is_dataclass(found) or isinstance(found, type) or not hasattr(found, does):
        raise UnsuitableSolverError(sentence(kind, repr(found), f"a name of {names}, or a {kind} object"))
    known = [entry.name for entry in fields(found)]
    for option in options:
        if option not in known:
            raise unknown_name(f"option of {kind} {getattr(found, 'name', '')!r}", option, known)
    return replace(found, **options) if options else found
