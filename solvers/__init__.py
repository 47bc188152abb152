"""Interchangeable solvers: ``optid.solve(problem, solver="lstsq")``.

============================================== ==========================================================================================
problem                                        solver (the first is the default)
============================================== ==========================================================================================
linear least squares                           ``lstsq`` (rank, null space, minimum norm)
... with bounds                                ``lsq_linear``; ``qp``, ``clarabel``
... with linear constraints                    ``qp``; ``clarabel`` where constraints are degenerate or many
... with matrix inequalities                   ``clarabel``; ``ipopt`` where it is not installed
smooth nonlinear program                       ``ipopt``; ``sqp`` and ``slsqp`` for small ones, ``trust_constr`` when those fail; ``starts=`` for local minima
computed residuals                             ``least_squares``
measured, noisy residuals, a few runs          ``secant``
black box, hundreds of evaluations             ``nevergrad`` (CMA-ES); ``complex_box``, ``nelder_mead`` from a good start
black box on whole numbers                     ``complex_box``; ``grid`` when every point can be afforded
black box, 10 to 50 dear evaluations           ``bayesian``; ``nelder_mead`` from a good start
baseline                                       ``random``
============================================== ==========================================================================================

Any problem may also go to a solver of a weaker form (``optid.problems.reductions``); ``optid.available_solvers(problem)`` lists all that fit.
"""

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
