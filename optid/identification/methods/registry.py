"""Names of estimation methods: a method is a frozen dataclass whose fields are its options."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import is_dataclass
from importlib import import_module
from typing import Any, ClassVar, Protocol

from optid.choice import chosen
from optid.errors import UnsuitableSolverError, unknown_name
from optid.problems.identification_result import IdentificationResult

from .job import Job


class Method(Protocol):
    """Options as fields; ``fit`` does the work.

    Attributes
    ----------
    name : str
        Registered name, and ``result.method``.
    """

    name: ClassVar[str]

    def fit(self, job: Job) -> IdentificationResult:
        """Estimate from what ``job`` holds."""


_BUILT_IN = {
    "ols": ("weighted", "Ols"),
    "wls": ("weighted", "Wls"),
    "gls": ("generalised", "Gls"),
    "huber": ("robust", "Huber"),
    "essential": ("essential", "Essential"),
    "damped": ("damped", "Damped"),
    "constrained": ("constrained", "Constrained"),
    "physical": ("physical", "Physical"),
    "iv": ("closed_loop", "Iv"),
    "didim": ("closed_loop", "Didim"),
    "output_error": ("closed_loop", "ClosedLoopOutputError"),
    "tls": ("total_least_squares", "Tls"),
}
"""Name → module in this package, class."""


class _Methods(Mapping[str, Any]):
    """Name → class of every method; classes are imported when they are asked for."""

    def __init__(self) -> None:
        self.added: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name in self.added:
            return self.added[name]
        module, kind = _BUILT_IN[name]
        return getattr(import_module(f"{__package__}.{module}"), kind)

    def __iter__(self) -> Iterator[str]:
        return iter((*_BUILT_IN, *(name for name in self.added if name not in _BUILT_IN)))

    def __len__(self) -> int:
        return sum(1 for _ in self)


METHODS: Mapping[str, Any] = _Methods()
"""Name → class of every estimation method."""


def register(kind: Any) -> Any:
    """Add a method class under its ``name``; usable as a decorator."""
    missing = [what for what in ("name", "fit") if not hasattr(kind, what)]
    if missing or not isinstance(kind, type) or not is_dataclass(kind):
        raise UnsuitableSolverError(f"{kind!r} is not an estimation method: it must be a dataclass with name and fit; missing: {missing}.")
    METHODS.added[kind.name] = kind  # type: ignore[attr-defined]
    return kind


def make_method(method: Any, options: Mapping[str, Any]) -> Any:
    """A method object of a name, a class or an object, with ``options`` as its fields.

    Raises
    ------
    UnknownNameError
        For an unknown method or option.
    UnsuitableSolverError
        For what is no method at all.
    """
    return chosen("method", method, options, _by_name, "fit", "optid.identification.METHODS")


def _by_name(name: str) -> Any:
    if name not in METHODS:
        raise unknown_name("method", name, METHODS)
    return METHODS[name]
