"""What ``optid.solve`` asks of a problem."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

if TYPE_CHECKING:
    from optid.problems.forms import Form
    from optid.solvers.solution import Solution


@runtime_checkable
class Problem(Protocol):
    """Any object that can pose itself and read its own answer.

    A problem is usually a frozen dataclass. It is sent to worker processes as it is and poses itself there, so it may hold arrays and CasADi
    ``Function`` objects, but no CasADi symbols.

    Examples
    --------
    >>> from optid.problems import LeastSquares, Problem
    >>> isinstance(LeastSquares([[1.0]], [1.0]), Problem)
    True
    """

    def form(self) -> Form:
        """Pose the problem as ``LeastSquares``, ``Nlp``, ``Residuals`` or ``BlackBox``."""

    def interpret(self, solution: Solution) -> Any:
        """Turn the solution of the form into the problem's own result, which keeps it as ``.solution``."""
