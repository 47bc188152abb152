"""What a solver is: a frozen dataclass whose fields are its options."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

import numpy as np

from .run import Run
from .solution import Status

FEATURES = {
    "bounds": "bounds",
    "linear": "linear constraints",
    "equality": "equality constraints",
    "nonlinear": "nonlinear constraints",
    "cone": "cone constraints",
    "integer": "integer variables",
    "noise": "noisy values",
    "unbounded": "variables without finite bounds",
}
"""Features a problem can need, and how messages call them."""


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a backend says; ``optid.solve`` judges it.

    Attributes
    ----------
    x : (n,) array or None
        The backend's answer; ``None`` leaves the choice to the best point seen.
    status, message
        See :class:`~optid.solvers.Solution`.
    n_evaluations : int or None
        ``None`` for what :class:`Run` has counted.
    info : mapping

    Examples
    --------
    >>> from optid.solvers import Outcome
    >>> Outcome(None, "failed", "the backend gave up").status
    'failed'
    """

    x: np.ndarray | None
    status: Status
    message: str
    n_evaluations: int | None = None
    info: Mapping[str, Any] = field(default_factory=dict)


class Solver(Protocol):
    """Options as fields; what it takes as class attributes.

    Attributes
    ----------
    name : str
        Registered name.
    accepts : tuple of Form types
        In the order of preference; stronger forms are reduced to the first that fits.
    features : frozenset of str
        Of ``FEATURES``.
    search : bool
        Whether it goes on until the budget is used up.

    Examples
    --------
    >>> from optid.solvers.registry import solver_class
    >>> solver_class("lstsq").accepts[0].__name__, solver_class("random").search
    ('LeastSquares', True)
    """

    name: ClassVar[str]
    accepts: ClassVar[tuple[type, ...]]
    features: ClassVar[frozenset[str]]
    search: ClassVar[bool]

    def run(self, form: Any, run: Run) -> Outcome:
        """Solve ``form``."""
