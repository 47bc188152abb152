"""The four forms a problem can take, strongest first: ``LeastSquares``, ``Nlp``, ``Residuals``, ``BlackBox``.

Each form is also a problem of its own: ``optid.solve(LeastSquares(A, b))`` returns the :class:`~optid.solvers.Solution`.
"""

from __future__ import annotations

from .form import Form, Start
from .least_squares import Cone, LeastSquares
from .measured import BlackBox, Residuals
from .nlp import Advice, Nlp

__all__ = ["Advice", "BlackBox", "Cone", "Form", "LeastSquares", "Nlp", "Residuals", "Start"]
