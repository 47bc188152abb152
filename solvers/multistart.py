"""Multistart around any solver: seeded starts, in a row or in workers, best feasible answer kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from dataclasses import replace
from typing import Any

import numpy as np

from optid.problems.forms import Form

from .measure import pickled, posed
from .registry import fit
from .run import Callback
from .solution import Iterate, Solution, Status, better

SolveForm = Callable[..., Solution]


def multistart(
    problem: Any,
    form: Form,
    solver: Any,
    seeds: Sequence[np.random.SeedSequence],
    budget: int | None,
    callback: Callback | None,
    executor: Executor | None,
    solve_form: SolveForm,
) -> Solution:
    """Run ``solver`` once a seed and keep the best feasible answer; all runs are in ``.starts``."""
    fit(solver, form)
    if executor is None:
        done = _in_a_row(form, solver, seeds, budget, callback, solve_form)
    else:
        done = _in_workers(problem, form, solver, seeds, budget, callback, executor, solve_form)
    return merge(done, len(seeds), solver.name, form)


def merge(done: dict[int, Solution], wanted: int, name: str, form: Form) -> Solution:
    """The best feasible answer of the finished runs, with the counts of all.

    When any run came to its regular end, so did the multistart, also where a run that did not (out of iterations, say) holds the better feasible point.
    """
    runs = [done[index] for index in sorted(done)]
    if not runs:
        return Solution(form.start_point(np.random.default_rng(0)), np.nan, np.nan, "stopped", "interrupted before the first start ended", 0, 0.0, 0, name)
    best = runs[0]
    for other in runs[1:]:
        if better(other.fun, other.max_violation, best.fun, best.max_violation):
            best = other
    regular = any(entry.success for entry in runs)
    status: Status = "budget" if regular and not best.success else best.status
    if len(runs) < wanted or any(entry.status == "stopped" for entry in runs):
        status = "stopped"
    counts = ", ".join(f"{sum(entry.status == kind for entry in runs)} {kind}" for kind in dict.fromkeys(entry.status for entry in runs))
    return replace(
        best,
        status=status,
        search=best.search or regular,
        message=f"{best.message}; best of {len(runs)} of {wanted} starts ({counts})",
        n_evaluations=sum(entry.n_evaluations for entry in runs),
        n_failed=sum(entry.n_failed for entry in runs),
        history=tuple(point for entry in runs for point in entry.history),
        starts=tuple(runs),
    )


def _in_a_row(
    form: Form, solver: Any, seeds: Sequence[np.random.SeedSequence], budget: int | None, callback: Callback | None, solve_form: SolveForm
) -> dict[int, Solution]:
    done: dict[int, Solution] = {}
    for index, seed in enumerate(seeds):
        done[index] = solve_form(form, solver, seed, index, budget, callback, None)
        if done[index].status == "stopped":
            break
    return done


def _in_workers(
    problem: Any,
    form: Form,
    solver: Any,
    seeds: Sequence[np.random.SeedSequence],
    budget: int | None,
    callback: Callback | None,
    executor: Executor,
    solve_form: SolveForm,
) -> dict[int, Solution]:
    shipped = problem if isinstance(executor, ThreadPoolExecutor) else pickled(problem)
    jobs = {executor.submit(_one, shipped, solver, seed, index, budget, solve_form): index for index, seed in enumerate(seeds)}
    done: dict[int, Solution] = {}
    pending: set[Future[Solution]] = set(jobs)
    try:
        while pending:
            finished, pending = wait(pending, return_when=FIRST_COMPLETED)
            for future in finished:
                entry = done[jobs[future]] = future.result()
                if callback is not None and callback(Iterate(len(done), tuple(map(float, entry.x)), entry.fun, entry.max_violation, jobs[future])):
                    return done
    except KeyboardInterrupt:
        return done
    finally:
        for future in pending:
            future.cancel()
    return done


def _one(problem: Any, solver: Any, seed: np.random.SeedSequence, index: int, budget: int | None, solve_form: SolveForm) -> Solution:
    """One start, in a worker: the problem poses itself there, for CasADi symbols do not travel."""
    form = posed(problem) if isinstance(problem, bytes) else problem.form()
    return solve_form(form, solver, seed, index, budget, None, None)
