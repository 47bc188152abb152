"""The search of a tuning, run again on what is stored, and the safe way to where it wants to go."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.errors import FileError, OptidError, SolveError, sentence
from optid.solvers import solve

from .session_report import DELIVERED, Point, Request, Verdict, percents

if TYPE_CHECKING:
    from optid.experiment import Trial
    from optid.problems.flexibility import Rule

    from .settings import TuningSettings

Array = NDArray[np.float64]


class Stop(BaseException):
    """Ends a replay. An ``Exception`` would be taken for a failed run.

    Attributes
    ----------
    request : Request or None
        The run that is not there.
    error : OptidError or None
    """

    def __init__(self, message: str, request: Request | None = None, error: OptidError | None = None) -> None:
        super().__init__(message)
        self.request = request
        self.error = error


def replay(settings: TuningSettings, rule: Rule, trials: Sequence[Trial], verdicts: Sequence[Verdict], where: str) -> Stop:
    """Run the search on the stored runs until it wants one that is not there, or is over.

    Raises
    ------
    KeyboardInterrupt
        Interrupted: a search takes an interruption for its end, and the tuning would seem to be over.
    """
    problem = settings.problem(_Player(settings, trials, verdicts, where), rule)
    try:
        solution = solve(problem, **settings.search(problem)).solution
    except Stop as stop:
        return stop
    if solution.status == "stopped":
        raise KeyboardInterrupt
    if "exception" in solution.info:
        hint = "Choose another solver for a new tuning."
        error = SolveError(sentence(f"search of {where}", f"{solution.solver}: {solution.message}", "a search that can go on", hint), solution)
        return Stop(str(error), error=error)
    return Stop(f"{solution.solver}: {solution.message}")


def point_of(trial: Trial) -> Point:
    """Υ of a stored run."""
    return tuple(float(u) for u in np.asarray(trial.attributes["upsilon"]))


def best_of(verdicts: Sequence[Verdict]) -> int | None:
    """Number (from 0) of the best safe run."""
    safe = [k for k, verdict in enumerate(verdicts) if not verdict.unsafe]
    return min(safe, key=lambda k: verdicts[k].value) if safe else None


def home(trials: Sequence[Trial], verdicts: Sequence[Verdict], n: int) -> Point:
    """Υ to go back to."""
    best = best_of(verdicts)
    return (DELIVERED,) * n if best is None else point_of(trials[best])


class _Player:
    """Plays the stored runs to the search, in their order, and asks for the first that is missing."""

    def __init__(self, settings: TuningSettings, trials: Sequence[Trial], verdicts: Sequence[Verdict], where: str) -> None:
        self.settings, self.trials, self.verdicts, self.where = settings, trials, verdicts, where
        self.at = 0
        self.safe: list[Point] = []
        self.known: dict[Point, int] = {}
        self.n_unsafe = 0

    def __call__(self, upsilon: Array) -> Trial:
        target: Point = tuple(map(float, upsilon))
        while target not in self.known:
            point = self._towards(target)
            if point not in self.known:
                self._play(point, target)
            if point != target and self.verdicts[self.known[point]].unsafe:
                raise RuntimeError(f"the way to {target} is not safe")
        k = self.known[target]
        if np.isnan(self.verdicts[k].value):
            raise RuntimeError(f"run {k + 1} failed")
        return self.trials[k]

    def _play(self, point: Point, target: Point) -> None:
        """Take the next stored run, which must be at ``point``."""
        limits, at = self.settings.limits, self.at
        if self.n_unsafe >= limits.max_unsafe:
            raise Stop(f"{self.n_unsafe} runs failed or left the limits; the last one: {self._last_reason()}")
        if at >= self.settings.budget:
            raise Stop(f"all {self.settings.budget} runs are used up")
        if at >= len(self.trials):
            request = Request(at + 1, point, home(self.trials, self.verdicts, self.settings.n), target)
            raise Stop(f"next is run {request.number} with {percents(self.settings.names, point)}", request)
        found = point_of(self.trials[at])
        if not np.allclose(found, point, rtol=0, atol=1e-9):
            hint = "The runs in the file were made with other settings, or by another version of the search."
            error = FileError(sentence(f"run {at + 1} in {self.where}", percents(self.settings.names, found), percents(self.settings.names, point), hint))
            raise Stop(str(error), error=error)
        self.known[point] = at
        self.at += 1
        if self.verdicts[at].unsafe:
            self.n_unsafe += 1
        else:
            self.safe.append(point)
        if not self.safe:
            raise Stop(f"the first run failed or left the limits: {self.verdicts[0].unsafe}")

    def _last_reason(self) -> str:
        return [verdict.unsafe for verdict in self.verdicts[: self.at] if verdict.unsafe][-1]

    def _towards(self, target: Point) -> Point:
        """``target``, or the point nearest to it that lies within the largest step of a safe one."""
        if not self.safe:
            return target
        reach, step = self.settings.limits.max_step, self.settings.step
        base = min(self.safe, key=lambda point: _distance(point, target))
        if _distance(base, target) <= reach + 1e-9:
            return target
        longest = (reach + 1e-9) // step * step
        return tuple(float(u) for u in np.add(base, np.clip(np.subtract(target, base), -longest, longest)))


def _distance(a: ArrayLike, b: ArrayLike) -> float:
    return float(np.max(np.abs(np.subtract(a, b))))
