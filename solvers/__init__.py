"""Interchangeable solvers: ``optid.solve(problem, solver="lstsq")``."""

if __name__ != "optid.solvers":
    raise ImportError(f"this folder was imported as {__name__!r}; write  import optid.solvers  instead.")

from .base import Outcome as Outcome
from .base import Solver as Solver
from .registry import available_solvers as available_solvers
from .registry import register as register
from .run import Run as Run
from .solution import Iterate as Iterate
from .solution import Solution as Solution
from .solve import solve as solve
