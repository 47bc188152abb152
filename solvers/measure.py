"""Evaluate what the user gave, here or in workers; a failed experiment is a failed evaluation, whatever it raised."""

from __future__ import annotations

import math
import pickle
from collections.abc import Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from optid.errors import OptidError, UnsuitableSolverError
from optid.problems.forms import BlackBox, Form, Residuals
from optid.problems.reductions import reduce


def measure(form: Form, x: np.ndarray) -> tuple[float, float]:
    """Value and violation of a black box at ``x`` (n,); NaN where it failed or was not asked because of the violation."""
    if not isinstance(form, BlackBox):
        return form.evaluate(x)
    try:
        violation = form.implicit(x)
        if not violation <= 0:
            return math.nan, violation if math.isfinite(violation) else math.inf
        return form.value(x), 0.0
    except OptidError:
        raise
    except Exception:
        return math.nan, 0.0


def residual(form: Form, x: np.ndarray) -> np.ndarray | None:
    """Residual vector at ``x`` (n,); ``None`` where it failed."""
    assert isinstance(form, Residuals)
    try:
        vector = form.residual(x)
    except OptidError:
        raise
    except Exception:
        return None
    return vector if np.all(np.isfinite(vector)) else None


@dataclass(frozen=True, eq=False)
class Workers:
    """Evaluates batches of points in an executor.

    Threads get the form itself; other workers get the pickled problem once per batch entry and pose it once per process.
    """

    executor: Executor
    problem: Any

    def measure(self, form: Form, points: Sequence[np.ndarray]) -> list[tuple[float, float]]:
        """Values and violations in the order of ``points``."""
        if isinstance(self.executor, ThreadPoolExecutor):
            return list(self.executor.map(measure, [form] * len(points), points))
        payload = pickled(self.problem)
        return list(self.executor.map(_measure_posed, [payload] * len(points), [type(form)] * len(points), points))


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
def _posed(payload: bytes, target: type) -> Form:
    return reduce(pickle.loads(payload).form(), target).form


def _measure_posed(payload: bytes, target: type, x: np.ndarray) -> tuple[float, float]:
    return measure(_posed(payload, target), x)
