"""Motions to follow: anything with positions, speeds and accelerations at any instant."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.errors import DataError, ShapeError, sentence
from optid.kernels import Kernel
from optid.model.arguments import found, positive
from optid.simulation.call import Call

Array = NDArray[np.float64]


class Motion(Protocol):
    """What a reference needs; every :class:`optid.trajectory.Trajectory` is one.

    Examples
    --------
    >>> import numpy as np
    >>> from optid.control import Reference
    >>> class Still:
    ...     n, duration = 1, 1.0
    ...     def evaluate(self, t):
    ...         return np.full((np.size(t), 1), 0.3), np.zeros((np.size(t), 1)), np.zeros((np.size(t), 1))
    >>> Reference(Still()).wanted([0.0]).q.tolist()
    [[0.3]]
    """

    @property
    def n(self) -> int:
        """Number of joints."""

    @property
    def duration(self) -> float:
        """Length [s]."""

    def evaluate(self, t: ArrayLike) -> tuple[Array, Array, Array]:
        """Position, velocity, acceleration at the times t (N,) [s], each (N, n)."""


@dataclass(frozen=True, eq=False)
class ExpressionMotion:
    """A motion given as a CasADi expression of time; its derivatives are exact.

    Parameters
    ----------
    expression : callable
        t (SX scalar) → positions (n,).
    duration : float [s]

    Examples
    --------
    >>> import casadi as ca
    >>> motion = ExpressionMotion(lambda t: ca.vertcat(ca.sin(t), t**2), duration=2.0)
    >>> [float(x[0, 1]) for x in motion.evaluate([1.5])]
    [2.25, 3.0, 2.0]
    """

    expression: Callable[[ca.SX], Any]
    duration: float

    def __post_init__(self) -> None:
        if not callable(self.expression):
            raise DataError(sentence("expression of a motion", found(self.expression), "a function of time", "Write lambda t: ..."))
        positive(self.duration, "duration of a motion")

    @cached_property
    def function(self) -> ca.Function:
        """CasADi function t → (n, 3): position, velocity, acceleration."""
        t = ca.SX.sym("t")
        q = ca.SX(self.expression(t))
        if q.shape[1] != 1:
            raise ShapeError(sentence("expression of a motion", f"shape {q.shape}", "a column (n, 1)"))
        dq = ca.jacobian(q, t)
        return ca.Function("motion", [t], [ca.densify(ca.horzcat(q, dq, ca.jacobian(dq, t)))], ["t"], ["motion"])

    @cached_property
    def _kernel(self) -> Kernel:
        return Kernel(self.function)

    @cached_property
    def _call(self) -> Call:
        return Call(self.function)

    @property
    def n(self) -> int:
        """Number of joints."""
        return int(self.function.size1_out(0))

    def evaluate(self, t: ArrayLike) -> tuple[Array, Array, Array]:
        """Position, velocity, acceleration at the times t (N,) [s], each (N, n)."""
        times = np.asarray(t, dtype=float).reshape(-1)
        if len(times) == 1:
            q, dq, ddq = self._call(times[0]).reshape(self.n, 3).T[:, None, :]
            return q, dq, ddq
        values = self._kernel(times[:, None])
        return values[:, :, 0], values[:, :, 1], values[:, :, 2]

    def derivative(self, t: ArrayLike, order: int = 0) -> Array:
        """Position (order 0), velocity (1) or acceleration (2) at the times t (N,), as (N, n)."""
        if order not in (0, 1, 2):
            raise DataError(sentence("order of a derivative", order, "0, 1 or 2"))
        return self.evaluate(t)[order]
