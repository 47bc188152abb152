"""Evaluate what the user gave, here or in workers; a failed experiment is a failed evaluation, whatever it raised."""

from __future__ import annotations

import math
import pickle
from collections.abc import Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from optid.errors import UnsuitableSolverError
from optid.problems.forms import BlackBox, Form, Residuals
from optid.problems.reductions import reduce


class Measured(NamedTuple):
    """Value (NaN where it failed or was not asked), largest implicit violation, and what was raised."""

    value: float
    violation: float
    error: str = ""


def measure(form: BlackBox, x: np.ndarray) -> Measured:
    """Evaluate a black box at ``x`` (n,); a point that violates an implicit constraint is not evaluated."""
    violation = form.implicit(x)
    if violation > 0:
        return Measured(math.nan, violation)
    try:
        return Measured(form.value(x), 0.0)
    except UnsuitableSolverError:
        raise
    except Exception as error:
        return Measured(math.nan, 0.0, f"{type(error).__name__}: {error}")


def residual(form: Residuals, x: np.ndarray) -> tuple[np.ndarray | None, str]:
    """Residual vector at ``x`` (n,), ``None`` where it failed, and what was raised."""
    try:
        vector = form.residual(x)
    except Exception as error:
        return None, f"{type(error).__name__}: {error}"
    if not vector.size:
        return None, "ShapeError: an empty vector"
    return (vector if np.all(np.isfinite(vector)) else None), ""


@dataclass(frozen=True, eq=False)
class Workers:
    """Evaluates batches of points in an executor.

    Threads get the form itself; other workers get the pickled problem with every point and pose it once a process.
    """

    executor: Executor
    problem: Any

    def measure(self, form: BlackBox, points: Sequence[np.ndarray]) -> list[Measured]:
        """Values and violations in the order of ``points``."""
        if isinstance(self.executor, ThreadPoolExecutor):
            return list(self.executor.map(measure, [form] * len(points), points))
        payload = pickled(self.problem)
        return list(self.executor.map(_measure_posed, [payload] * len(points), points))


def pickled(problem: Any) -> bytes:
    """The problem as bytes.

    Raises
    ------
    UnsuitableSolverError
        When it holds something that does not travel, such as a lambda.
    """
    try:
        return pickle.dumps(problem)
    except Exception as error:
        raise UnsuitableSolverError(
            f"this {type(problem).__name__} cannot be sent to worker processes ({type(error).__name__}: {str(error).splitlines()[0]}): its functions must be "
            "defined at the top level of a module, not as lambdas; or use a ThreadPoolExecutor, or no executor."
        ) from error


@lru_cache(maxsize=8)
def posed(payload: bytes) -> Form:
    """The form of a pickled problem, posed once a process."""
    form: Form = pickle.loads(payload).form()
    return form


@lru_cache(maxsize=8)
def _posed_black_box(payload: bytes) -> BlackBox:
    form = reduce(posed(payload), BlackBox).form
    assert isinstance(form, BlackBox)
    return form


def _measure_posed(payload: bytes, x: np.ndarray) -> Measured:
    return measure(_posed_black_box(payload), x)
