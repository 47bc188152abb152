"""Bounds and linear constraints on the parameters of a linear fit, and what they did to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from optid.errors import DataError, LimitsError, ShapeError, sentence, unknown_name
from optid.model.arguments import instance, real

from .equations import Equations

Array = NDArray[np.float64]

TOUCHING = 1e-6
"""A parameter that near to its bound, relative to the sizes at hand, is at it."""

PUSHING = 1e-9
"""A constraint that the data push against with less than this part of their weight is touched by chance: it holds nothing."""

Combination = tuple[Mapping[str, float], float]
"""Coefficients by parameter name, and the number that their combination equals or must not exceed."""


@dataclass(frozen=True, eq=False)
class Constraints:
    """lower ≤ x ≤ upper, A_eq x = b_eq, A_in x ≤ b_in.

    Attributes
    ----------
    lower, upper : (r,)
    A_eq, b_eq, A_in, b_in : (k, r) and (k,)
    labels : tuple of str
        How to call the rows of A_in.
    """

    lower: Array
    upper: Array
    A_eq: Array
    b_eq: Array
    A_in: Array
    b_in: Array
    labels: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        names: Sequence[str],
        bounds: Mapping[str, tuple[float | None, float | None]] | None = None,
        equalities: Sequence[Combination] = (),
        inequalities: Sequence[Combination] = (),
        aliases: Sequence[str] = (),
    ) -> Constraints:
        """From names.

        Parameters
        ----------
        names, aliases : r names each, either may be used
        bounds : mapping name → (lower, upper), None for an open end
        equalities, inequalities : sequences of (mapping name → coefficient, value)
            ``Σ coefficient · x`` equals, or does not exceed, the value.

        Raises
        ------
        LimitsError, ShapeError, UnknownNameError
        """

        def place(name: str) -> int:
            for known in (names, aliases):
                if name in known:
                    return list(known).index(name)
            raise unknown_name("parameter to constrain", name, names)

        r = len(names)
        lower, upper = np.full(r, -np.inf), np.full(r, np.inf)
        if bounds is not None:
            instance(bounds, Mapping, "bounds", "Write {name: (lower, upper)}.")
        for name, ends in (bounds or {}).items():
            if isinstance(ends, str) or not isinstance(ends, Sequence) or len(ends) != 2:
                raise ShapeError(sentence(f"bounds of {name}", repr(ends), "(lower, upper), None for an open end"))
            low, high = ends
            k = place(name)
            lower[k] = -np.inf if low is None else real(low, f"lower bound of {name}")
            upper[k] = np.inf if high is None else real(high, f"upper bound of {name}")
            if not lower[k] <= upper[k]:
                raise LimitsError(sentence(f"bounds of {name}", f"[{lower[k]:g}, {upper[k]:g}]", "lower <= upper"))

        for what, combinations in (("equalities", equalities), ("inequalities", inequalities)):
            pairs = isinstance(combinations, Sequence) and all(isinstance(pair, Sequence) and len(pair) == 2 for pair in combinations)
            if not pairs or not all(isinstance(coefficients, Mapping) for coefficients, _ in combinations):
                raise ShapeError(sentence(what, repr(combinations), "pairs ({name: coefficient}, value)"))
            for coefficients, value in combinations:
                for name, number in (*coefficients.items(), ("the right-hand side", value)):
                    if not np.isfinite(real(number, f"{what}, {name}")):
                        raise DataError(sentence(f"{what}, {name}", number, "a finite number"))

        def rows(combinations: Sequence[Combination]) -> tuple[Array, Array]:
            table = np.zeros((len(combinations), r))
            for i, (coefficients, _) in enumerate(combinations):
                for name, value in coefficients.items():
                    table[i, place(name)] += value
            return table, np.array([float(value) for _, value in combinations])

        labels = tuple(f"{' + '.join(f'{c:g}*{n}' for n, c in coefficients.items())} = {value:g}" for coefficients, value in inequalities)
        return cls(lower, upper, *rows(equalities), *rows(inequalities), labels)

    def fields(self) -> dict[str, Any]:
        """As arguments of :class:`optid.problems.LeastSquares`."""
        return {"lower": self.lower, "upper": self.upper, "A_eq": self.A_eq, "b_eq": self.b_eq, "A_in": self.A_in, "b_in": self.b_in}

    @property
    def contradictory(self) -> bool:
        """Whether no parameters at all meet the constraints."""
        from scipy.optimize import linprog

        ends = list(zip(self.lower, self.upper, strict=True))
        found = linprog(np.zeros(len(self.lower)), self.A_in, self.b_in, self.A_eq, self.b_eq, ends)
        return bool(found.status == 2)

    def judge(self, x: Array, equations: Equations) -> Judgement:
        """What the constraints did to the solution ``x`` (r,)."""
        alone = equations.minimum_norm
        size = np.maximum(np.abs(x), np.abs(alone))
        size = np.where(size > 0, size, 1.0)

        def at(bound: Array) -> NDArray[np.bool_]:
            finite = np.isfinite(bound)
            return finite & (np.abs(x - np.where(finite, bound, 0.0)) <= TOUCHING * np.maximum(size, np.where(finite, np.abs(bound), 0.0)))

        touched = at(self.lower) | at(self.upper)
        full = np.abs(self.b_in - self.A_in @ x) <= TOUCHING * np.maximum(np.abs(self.A_in) @ size, np.abs(self.b_in))
        rows = np.vstack([np.eye(len(x))[touched], self.A_in[full], self.A_eq])
        labels = [f"{equations.names[k]} = {x[k]:g}" for k in np.flatnonzero(touched).tolist()]
        labels += [label for label, active in zip(self.labels, full, strict=True) if active]
        push = _multipliers(rows, x, size, equations) > PUSHING
        push[len(labels) :] = True
        kept = np.flatnonzero(touched)[push[: touched.sum()]]
        fixed = np.zeros(len(x), dtype=bool)
        fixed[kept] = True
        free = _free(rows[push], fixed, size) if push.any() else None
        norm, best = (float(np.linalg.norm(equations.A @ v - equations.b)) for v in (x, alone))
        increase = norm / best - 1 if best > 1e-9 * float(np.linalg.norm(equations.b)) else None
        return Judgement(tuple(label for label, pushes in zip(labels, push, strict=False) if pushes), free, alone, increase)


def _multipliers(rows: Array, x: Array, size: Array, equations: Equations) -> Array:
    """How hard each constraint is pushed against (k,), relative to what the data push: near zero where it is only touched."""
    target = equations.b if equations.target is None else np.concatenate([equations.b, equations.target])
    gradient = size * (equations.stacked.T @ (equations.stacked @ x - target))
    scaled = rows * size
    heights = np.linalg.norm(scaled, axis=1)
    weight = float(np.max(size * np.linalg.norm(equations.stacked, axis=0), initial=0.0)) * float(np.linalg.norm(target)) or 1.0
    return np.abs(np.linalg.lstsq((scaled / heights[:, None]).T, gradient, rcond=None)[0]) / weight if len(rows) else np.zeros(0)


class Judgement(NamedTuple):
    """What constraints did.

    Attributes
    ----------
    at_bound : tuple of str
        Constraints that hold with equality.
    free : (r, f) or None
        Directions that they leave.
    unbounded : (r,)
        The solution without them.
    residual_increase : float or None
        Residual norm over that of the solution without them, minus 1; None where the latter is zero.
    """

    at_bound: tuple[str, ...]
    free: Array | None
    unbounded: Array
    residual_increase: float | None


def _free(active: Array, fixed: NDArray[np.bool_], size: Array) -> Array:
    """Basis (r, f) of the directions orthogonal to the rows ``active`` in units of ``size``; unit vectors where only single parameters are fixed."""
    if len(active) == fixed.sum():
        return np.eye(len(fixed))[:, ~fixed]
    rows = active * size
    _, s, Vt = np.linalg.svd(rows / np.linalg.norm(rows, axis=1)[:, None], full_matrices=True)
    return np.asarray(size[:, None] * Vt[int((s > 1e-10 * s.max(initial=0.0)).sum()) :].T)
