"""Names of solvers: the built-in ones, those registered by hand, and those of other packages (entry points ``optid.solvers``)."""

from __future__ import annotations

from dataclasses import dataclass, is_dataclass
from importlib import import_module
from importlib.metadata import entry_points
from importlib.util import find_spec
from typing import Any

import numpy as np

from optid.choice import chosen
from optid.errors import MissingExtraError, UnsuitableSolverError, sentence, unknown_name
from optid.problems.forms import BlackBox, Form, LeastSquares, Nlp, Residuals
from optid.problems.reductions import Reduction, kind_of, reduce, reducible

from .base import FEATURES, Solver


@dataclass(frozen=True)
class _BuiltIn:
    module: str
    kind: str
    needs: str = ""
    install: str = ""


_BUILT_IN = {
    "bayesian": _BuiltIn("bayesian", "Bayesian", "sklearn", "scikit-learn"),
    "clarabel": _BuiltIn("clarabel_", "Clarabel", "clarabel", "'optid[app]'"),
    "complex_box": _BuiltIn("complex_box", "ComplexBox"),
    "grid": _BuiltIn("grid", "Grid"),
    "ipopt": _BuiltIn("ipopt", "Ipopt"),
    "least_squares": _BuiltIn("scipy_least_squares", "ScipyLeastSquares"),
    "lsq_linear": _BuiltIn("lsq_linear_", "LsqLinear"),
    "lstsq": _BuiltIn("lstsq", "Lstsq"),
    "nelder_mead": _BuiltIn("scipy_nelder_mead", "NelderMead"),
    "nevergrad": _BuiltIn("nevergrad_", "Nevergrad", "nevergrad", "nevergrad"),
    "qp": _BuiltIn("qp", "Qp"),
    "random": _BuiltIn("random_search", "RandomSearch"),
    "secant": _BuiltIn("secant", "Secant"),
    "slsqp": _BuiltIn("scipy_nlp", "Slsqp"),
    "sqp": _BuiltIn("sqp", "Sqp"),
    "trust_constr": _BuiltIn("scipy_nlp", "TrustConstr"),
}
_REGISTERED: dict[str, type[Solver]] = {}


def register(kind: Any) -> Any:
    """Add a solver class under its ``name``; usable as a decorator.

    Other packages name their class in the entry-point group ``optid.solvers`` instead.

    Examples
    --------
    >>> from optid.solvers import register
    >>> register(dict)  # see examples/custom_solver.py for one that is a solver
    Traceback (most recent call last):
        ...
    optid.errors.UnsuitableSolverError: <class 'dict'> is not a solver: it must be a dataclass with name, ...
    """
    missing = [what for what in ("name", "accepts", "features", "search", "run") if not hasattr(kind, what)]
    if missing or not isinstance(kind, type) or not is_dataclass(kind):
        raise UnsuitableSolverError(f"{kind!r} is not a solver: it must be a dataclass with name, accepts, features, search and run; missing: {missing}.")
    solver: Any = kind
    _REGISTERED[solver.name] = solver
    return kind


def installed() -> tuple[str, ...]:
    """Names of all solvers whose backend is installed, sorted."""
    built_in = {name for name, entry in _BUILT_IN.items() if not entry.needs or find_spec(entry.needs)}
    return tuple(sorted({*built_in, *_REGISTERED, *(point.name for point in entry_points(group="optid.solvers"))}))


def solver_class(name: str) -> Any:
    """The class registered as ``name``.

    Raises
    ------
    UnknownNameError
        With a suggestion when a name is close.
    MissingExtraError
        When the backend is not installed.
    """
    if name in _REGISTERED:
        return _REGISTERED[name]
    if name in _BUILT_IN:
        entry = _BUILT_IN[name]
        if entry.needs and not find_spec(entry.needs):
            raise MissingExtraError(f"{entry.needs} is not installed: install it with  pip install {entry.install}.")
        return getattr(import_module(f"optid.solvers.{entry.module}"), entry.kind)
    for point in entry_points(group="optid.solvers"):
        if point.name == name:
            return register(point.load())
    raise unknown_name("solver", name, installed())


def make_solver(solver: Any, options: dict[str, Any]) -> Any:
    """A solver object of a name or of an object, with ``options`` as its fields.

    Raises
    ------
    UnknownNameError
        For an unknown solver or option.
    UnsuitableSolverError
        For what is no solver at all.
    """
    return chosen("solver", solver, options, solver_class, "accepts", "optid.available_solvers()")


def default_solver(form: Form) -> str:
    """The solver used when none is named.

    Linear least squares: ``lstsq`` when unconstrained, ``lsq_linear`` with bounds only, ``qp`` with linear constraints, ``clarabel`` (``ipopt`` without it)
    with cones. Nonlinear programs: ``ipopt``. Residuals: ``secant`` when noisy, else ``least_squares``. Black boxes: ``complex_box`` on integers,
    else ``nevergrad`` (CMA).
    """
    needs = form.needs
    if isinstance(form, LeastSquares):
        if "cone" in needs:
            return "clarabel" if find_spec("clarabel") else "ipopt"
        if "linear" in needs:
            return "qp"
        return "lsq_linear" if "bounds" in needs else "lstsq"
    if isinstance(form, Residuals):
        return "secant" if form.noisy else "least_squares"
    if isinstance(form, BlackBox):
        return "complex_box" if form.integer else "nevergrad"
    return "ipopt"


def obstacle(solver: Any, form: Form) -> str:
    """Why ``solver`` cannot take ``form``; empty when it can."""
    targets = [target for target in solver.accepts if reducible(kind_of(form), target)]
    if not targets:
        wanted = " or ".join(target.__name__ for target in solver.accepts)
        what = {
            BlackBox: "a black box gives no expressions and no derivatives",
            Residuals: "computed residuals give no expressions to differentiate",
            Nlp: "its objective is not linear least squares",
        }.get(kind_of(form), "its form is too weak")
        return f"it takes {wanted}, and {what}"
    missing = sorted(_needs_in(form, targets[0]) - solver.features)
    if missing:
        return "it cannot handle " + " and ".join(FEATURES.get(name, name) for name in missing)
    return ""


def _needs_in(form: Form, target: type) -> frozenset[str]:
    """Features needed once ``form`` has become ``target``."""
    needs = form.needs
    if isinstance(form, LeastSquares) and target in (Nlp, BlackBox):
        constrained = {"nonlinear"} if needs & {"linear", "cone"} else set()
        needs = (needs - {"linear", "cone"}) | constrained | ({"equality"} if "cone" in needs else set())
    if target is BlackBox and not (np.all(np.isfinite(form.lower)) and np.all(np.isfinite(form.upper))):
        needs |= {"unbounded"}
    return needs


def fit(solver: Any, form: Form) -> Reduction:
    """Bring ``form`` into a form that ``solver`` takes.

    Raises
    ------
    UnsuitableSolverError
        Naming what is missing and the installed solvers that fit.
    """
    reason = obstacle(solver, form)
    if reason:
        suitable = ", ".join(available_solvers(form)) or "none"
        raise UnsuitableSolverError(
            f"solver {solver.name!r} cannot take this {kind_of(form).__name__} problem: {reason}. Installed solvers that can: {suitable}."
        )
    return reduce(form, next(target for target in solver.accepts if reducible(kind_of(form), target)))


def available_solvers(problem: Any = None) -> tuple[str, ...]:
    """Names of the installed solvers, or of those that can take ``problem``.

    Examples
    --------
    >>> import optid
    >>> "ipopt" in optid.available_solvers()
    True
    """
    names = installed()
    if problem is None:
        return names
    if not callable(getattr(problem, "form", None)):
        raise UnsuitableSolverError(sentence("problem", type(problem).__name__, "an object with form() and interpret(solution)"))
    form = problem.form()
    return tuple(name for name in names if not obstacle(solver_class(name), form))
