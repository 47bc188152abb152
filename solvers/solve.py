"""``optid.solve``: one call for every problem and every solver."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from numbers import Integral
from time import perf_counter
from typing import Any, Literal

import numpy as np

from optid.errors import OptidError, SolveError, UnsuitableSolverError, sentence
from optid.problems.forms import BlackBox, Form, Nlp, Residuals
from optid.problems.protocol import Problem
from optid.problems.reductions import kind_of

from .base import Outcome
from .measure import Workers
from .multistart import multistart
from .registry import default_solver, fit, make_solver
from .run import Callback, Run, StopSearch
from .solution import FEASIBLE, Solution, Status, better


def solve(
    problem: Any,
    solver: Any = None,
    *,
    seed: int = 0,
    starts: int = 1,
    budget: int | None = None,
    callback: Callback | None = None,
    executor: Any = None,
    on_failure: Literal["raise", "return"] = "raise",
    **options: Any,
) -> Any:
    """Solve a posed problem.

    Parameters
    ----------
    problem : Problem
        Any object with ``form()`` and ``interpret(solution)``; the forms of ``optid.problems`` are problems themselves.
    solver : str or solver object, optional
        See ``optid.available_solvers(problem)``. Without it the default of the form is used (:func:`optid.solvers.registry.default_solver`).
    seed : int
        The only source of randomness: same seed, same answer.
    starts : int
        More than 1: run the solver from that many seeded starts and keep the best feasible answer.
    budget : int, optional
        Largest number of evaluations a start (of iterations, for solvers with derivatives).
    callback : callable, optional
        Called with every :class:`~optid.solvers.Iterate`; returning True ends the solve with status ``stopped``. With ``starts`` > 1 and an executor it gets
        the best point of every finished start.
    executor : concurrent.futures.Executor, optional
        Runs the starts in parallel (one start: the evaluations of a batch, for solvers that have batches). The answer does not depend on it.
    on_failure : "raise" or "return"
        A failed solve raises ``SolveError``, which carries the best point as ``.solution``, or returns it.
    **options
        Fields of the solver's dataclass.

    Returns
    -------
    The problem's own result (``problem.interpret(solution)``); it has ``.solution``.

    Raises
    ------
    SolveError
        The solve ended without a feasible answer, or before the solver was done.
    UnsuitableSolverError
        The solver cannot take this problem.
    UnknownNameError
        No such solver or option.

    Examples
    --------
    >>> import optid
    >>> from optid.problems import LeastSquares
    >>> optid.solve(LeastSquares([[1.0], [1.0]], [1.0, 3.0])).x.round(12)  # the mean
    array([2.])
    >>> optid.solve(LeastSquares([[1.0], [1.0]], [1.0, 3.0], upper=1.5), solver="qp").x.round(6)
    array([1.5])
    """
    if on_failure not in ("raise", "return"):
        raise UnsuitableSolverError(sentence("on_failure", repr(on_failure), "'raise' or 'return'"))
    for what, value in (("starts", starts), ("budget", 1 if budget is None else budget)):
        if not isinstance(value, Integral) or value < 1:
            raise UnsuitableSolverError(sentence(what, repr(value), "a whole number ≥ 1"))
    if not isinstance(seed, Integral) or seed < 0:
        raise UnsuitableSolverError(sentence("seed", repr(seed), "a whole number ≥ 0"))
    if not isinstance(problem, Problem):
        raise UnsuitableSolverError(sentence("problem", type(problem).__name__, "an object with form() and interpret(solution)"))
    form = problem.form()
    chosen = make_solver(default_solver(form) if solver is None else solver, options)
    begun = perf_counter()
    seeds = np.random.SeedSequence(seed).spawn(starts)
    if starts == 1:
        solution = solve_form(form, chosen, seeds[0], 0, budget, callback, None if executor is None else Workers(executor, problem))
    else:
        solution = multistart(problem, form, chosen, seeds, budget, callback, executor, solve_form)
    solution = replace(
        solution,
        seed=seed,
        wall_time=perf_counter() - begun,
        options={entry.name: getattr(chosen, entry.name) for entry in fields(chosen)},
        problem=type(problem).__name__,
    )
    if on_failure == "raise" and not (solution.success or solution.status == "stopped"):
        raise SolveError(failure(solution, form), solution)
    return problem.interpret(solution)


def failure(solution: Solution, form: Form) -> str:
    """One sentence on a failed solve, with the constraints that are violated most."""
    text = f"solver {solution.solver!r} on {solution.problem} ended with status {solution.status} ({solution.message})"
    if isinstance(form, Nlp) and not solution.feasible and np.all(np.isfinite(solution.x)):
        worst = form.violated(solution.x, FEASIBLE)
        text += "; violated: " + ", ".join(f"{name} by {amount:.3g}" for name, amount in worst)
    elif not solution.feasible:
        text += f"; largest violation {solution.max_violation:.3g}"
    return text + ". The best point found is in the error's .solution; on_failure='return' returns it."


def solve_form(form: Form, solver: Any, seed: np.random.SeedSequence, index: int, budget: int | None, callback: Any, workers: Workers | None) -> Solution:
    """One run of one solver from one start, through the forms that follow one another."""
    solution = _solve_one(form, solver, seed, index, budget, callback, workers)
    if kind_of(fit(solver, form).form) is not kind_of(form):
        return solution
    while solution.status in ("optimal", "budget") and (budget is None or len(solution.history) < budget):
        following = form.following(solution.x)
        if following is None:
            break
        form = following
        left = None if budget is None else budget - len(solution.history)
        solution = _joined(solution, _solve_one(form, solver, seed, index, left, callback, workers))
    return solution


def _joined(first: Solution, then: Solution) -> Solution:
    """Two runs in a row as one: the better point, the state of the second (of the first when the second failed)."""
    best = then if better(then.fun, then.max_violation, first.fun, first.max_violation) else first
    state = first if then.status in ("failed", "infeasible") and first.success else then
    offset = len(first.history)
    return replace(
        then,
        x=best.x,
        fun=best.fun,
        max_violation=best.max_violation,
        status=state.status,
        message=state.message,
        n_evaluations=first.n_evaluations + then.n_evaluations,
        n_failed=first.n_failed + then.n_failed,
        wall_time=first.wall_time + then.wall_time,
        history=(*first.history, *(point._replace(evaluation=point.evaluation + offset) for point in then.history)),
    )


def _solve_one(form: Form, solver: Any, seed: np.random.SeedSequence, index: int, budget: int | None, callback: Any, workers: Workers | None) -> Solution:
    """One run of one solver on one form."""
    reduction = fit(solver, form)
    rng = np.random.default_rng(seed)
    weaker = reduction.form
    run = Run(weaker, weaker.start_point(rng, index), rng, budget, callback, workers, index, memory=weaker.integer)
    outcome = _guarded(lambda: solver.run(weaker, run), run)
    x, fun, violation = _choose(outcome, run, form, lambda x: form.settle(reduction.restore(x)))
    status: Status = outcome.status
    message = outcome.message
    measured = isinstance(form, BlackBox | Residuals)
    raised = f", the last one raised {run.last_failure}" if run.last_failure else ""
    if (status == "budget" and not violation <= FEASIBLE) or (status == "optimal" and measured and violation > FEASIBLE):
        status, message = "infeasible", f"{message}; no feasible point was seen"
    elif status in ("optimal", "budget") and measured and not np.isfinite(fun):
        status, message = "failed", f"{message}; no evaluation gave a number" + raised
    elif status == "failed" and measured and not np.isfinite(fun):
        message += raised
    elif status in ("optimal", "budget") and not np.isfinite(fun):
        status, message = "failed", f"{message}; the objective is {fun}"
    elif status == "optimal" and not violation <= FEASIBLE:
        status, message = "failed", f"{message}; a constraint is violated by {violation:.3g}"
    return Solution(
        x=x,
        fun=fun,
        max_violation=violation,
        status=status,
        message=message,
        n_evaluations=run.n_evaluations if outcome.n_evaluations is None else outcome.n_evaluations,
        wall_time=perf_counter() - run.started,
        seed=0,
        solver=solver.name,
        n_failed=run.n_failed,
        history=tuple(run.history),
        names=form.names,
        loses=reduction.loses,
        search=solver.search,
        info=outcome.info,
    )


def _guarded(work: Callable[[], Outcome], run: Run) -> Outcome:
    """Run a backend so that no exception of its own leaves (``info`` names it); its best point survives. What the user's callback raised does leave."""
    try:
        outcome = work()
    except StopSearch:
        outcome = _ENDS[run.stop or "budget"]
    except KeyboardInterrupt as error:
        run.error = error
        outcome = Outcome(None, "stopped", "interrupted")
    except OptidError:
        raise
    except Exception as error:
        text = f"{type(error).__name__}: {error}".strip().splitlines()[0]
        outcome = Outcome(None, "failed", text, info={"exception": type(error).__name__})
    if isinstance(run.error, KeyboardInterrupt):
        outcome = replace(outcome, status="stopped", message="interrupted")
    elif run.error is not None:
        raise run.error
    return outcome


_ENDS = {
    "stopped": Outcome(None, "stopped", "stopped on request"),
    "budget": Outcome(None, "budget", "budget used up"),
    "known": Outcome(None, "optimal", "the search asks for points that are known already"),
}


def _choose(outcome: Outcome, run: Run, form: Form, restore: Callable[[np.ndarray], np.ndarray]) -> tuple[np.ndarray, float, float]:
    """The backend's answer when it holds, else the best point seen; value and violation are recomputed from the original form."""
    measured = isinstance(form, BlackBox | Residuals)
    if outcome.x is not None and not measured:
        x = restore(outcome.x)
        fun, violation = form.evaluate(x)
        if run.best is None or (outcome.status == "optimal" and violation <= FEASIBLE and np.isfinite(fun)):
            return x, fun, violation
        seen = restore(np.array(run.best.x))
        seen_fun, seen_violation = form.evaluate(seen)
        if better(fun, violation, seen_fun, seen_violation):
            return x, fun, violation
        return seen, seen_fun, seen_violation
    if run.best is None:
        x = restore(run.x0)
        return (x, np.nan, np.nan) if measured else (x, *form.evaluate(x))
    x = restore(np.array(run.best.x))
    if measured:
        return x, run.best.fun, run.best.violation
    return x, *form.evaluate(x)
