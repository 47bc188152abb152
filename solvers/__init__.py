"""Interchangeable solvers: ``optid.solve(problem, solver="lstsq")``."""

if __name__ != "optid.solvers":
    raise ImportError(f"this folder was imported as {__name__!r}; write  import optid.solvers  instead.")
