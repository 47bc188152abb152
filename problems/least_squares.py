"""Linear least squares under linear and cone constraints."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from optid.brief import brief
from optid.errors import ShapeError, sentence

from .checks import excess, matrix, vector
from .form import Form, Start


@dataclass(frozen=True, eq=False)
class Cone:
    """The affine matrix inequality F0 + Σ x_k F_k ⪰ 0.

    Parameters
    ----------
    F0 : (s, s) array, symmetric
    F : (p, s, s) array, symmetric in the last two axes
    name : str
        Shown in messages.

    Examples
    --------
    >>> import optid
    >>> from optid.problems import Cone, LeastSquares
    >>> form = LeastSquares([[1.0]], [-1.0], cones=(Cone([[0.0]], [[[1.0]]]),))  # x as a 1 × 1 matrix must not be negative
    >>> abs(optid.solve(form).x.round(4))
    array([0.])
    """

    F0: Any
    F: Any
    name: str = ""

    __repr__ = brief

    def __post_init__(self) -> None:
        constant, slopes = np.array(self.F0, dtype=float), np.array(self.F, dtype=float)
        if constant.ndim != 2 or slopes.ndim != 3 or constant.shape[0] != constant.shape[1] or slopes.shape[1:] != constant.shape:
            raise ShapeError(sentence(f"cone {self.name!r}", f"F0 {constant.shape}, F {slopes.shape}", "shapes (s, s) and (p, s, s)"))
        if not (np.allclose(constant, constant.T) and np.allclose(slopes, slopes.transpose(0, 2, 1))):
            raise ShapeError(sentence(f"cone {self.name!r}", "a matrix that is not symmetric", "symmetric matrices"))
        object.__setattr__(self, "F0", constant)
        object.__setattr__(self, "F", slopes)

    def __call__(self, x: np.ndarray) -> np.ndarray:
        """Return the matrix (s, s) at ``x`` (p,)."""
        return self.F0 + np.tensordot(x, self.F, 1)


@dataclass(frozen=True, eq=False)
class LeastSquares(Form):
    """Minimise ½ Σ w_i (A x − b)_i² under linear and cone constraints.

    Parameters
    ----------
    A : (m, p) array
    b : (m,) array
    weights : (m,) array, optional
        Weights w ≥ 0 of the **squares** (1/σ² for noise of standard deviation σ).
    lower, upper : (p,) arrays or scalars, optional
    A_eq, b_eq : (k, p) and (k,) arrays, optional
        A_eq x = b_eq.
    A_in, b_in : (k, p) and (k,) arrays, optional
        A_in x ≤ b_in.
    cones : sequence of Cone
    x0 : (p,) array, optional
        Start of iterative solvers; where the data leave directions open, ``lstsq`` returns the minimiser nearest to it (nearest to zero without it).
    names, scales : optional
        Names of the variables and their typical sizes.

    Examples
    --------
    >>> import optid
    >>> from optid.problems import LeastSquares
    >>> optid.solve(LeastSquares([[1.0, 0.0], [0.0, 1.0]], [2.0, 1.0], A_in=[[1.0, 1.0]], b_in=[1.0]), solver="qp").x.round(6) + 0.0
    array([1., 0.])
    """

    A: Any
    b: Any
    weights: Any = None
    lower: Any = None
    upper: Any = None
    A_eq: Any = None
    b_eq: Any = None
    A_in: Any = None
    b_in: Any = None
    cones: tuple[Cone, ...] = ()
    x0: Any = None
    names: Any = None
    scales: Any = None
    start: Start | None = None

    __repr__ = brief

    def __post_init__(self) -> None:
        a = np.asarray(self.A, dtype=float)
        if a.ndim != 2 or a.shape[1] == 0:
            raise ShapeError(sentence("A", f"shape {a.shape}", "(rows, variables) with at least one variable"))
        rows, size = a.shape
        self._settle(size)
        b = vector(self.b, rows, "b")
        weights = None if self.weights is None else vector(self.weights, rows, "weights")
        if not (np.all(np.isfinite(a)) and np.all(np.isfinite(b))):
            raise ShapeError(sentence("A and b", "NaN or infinite entries", "finite numbers", "Drop those rows first."))
        if weights is not None and not np.all(np.isfinite(weights) & (weights >= 0)):
            raise ShapeError(sentence("weights", "a negative or non-finite weight", "finite numbers ≥ 0"))
        cones = tuple(self.cones)
        settled: dict[str, Any] = {"A": a, "b": b, "weights": weights, "cones": cones}
        for left, right in (("A_eq", "b_eq"), ("A_in", "b_in")):
            settled[left] = matrix(getattr(self, left), size, left)
            settled[right] = vector(getattr(self, right), len(settled[left]), right, fill=0.0)
        for cone in cones:
            if len(cone.F) != size:
                raise ShapeError(sentence(f"cone {cone.name!r}", f"{len(cone.F)} matrices F", f"{size}, one a variable"))
        for key, value in settled.items():
            object.__setattr__(self, key, value)

    @cached_property
    def weighted(self) -> tuple[np.ndarray, np.ndarray]:
        """√w A (m, p) and √w b (m,)."""
        if self.weights is None:
            return self.A, self.b
        root = np.sqrt(self.weights)
        return self.A * root[:, None], self.b * root

    @property
    def needs(self) -> frozenset[str]:
        parts = {
            "bounds": self.bounded,
            "linear": len(self.A_eq) + len(self.A_in) > 0,
            "equality": len(self.A_eq) > 0,
            "cone": len(self.cones) > 0,
        }
        return frozenset(name for name, present in parts.items() if present)

    def evaluate(self, x: np.ndarray) -> tuple[float, float]:
        a, b = self.weighted
        residual = a @ x - b
        worst = [
            excess(x, self.lower, self.upper),
            excess(self.A_eq @ x, self.b_eq, self.b_eq),
            excess(self.A_in @ x, np.full(len(self.b_in), -np.inf), self.b_in),
            *(max(0.0, -float(np.linalg.eigvalsh(cone(x))[0])) if np.all(np.isfinite(x)) else np.nan for cone in self.cones),
        ]
        return float(0.5 * residual @ residual), float(np.max(worst))

    def damped(self, damping: Any, towards: Any = None) -> LeastSquares:
        """Add the term ½ Σ λ_k (x_k − prior_k)² to the objective.

        Parameters
        ----------
        damping : float or (p,) array
            λ ≥ 0, in the units of the objective: nothing is rescaled, so A = [[1, 1]], b = [2], λ = 1 and prior (3, 0) give (8/3, −1/3).
        towards : (p,) array, optional
            The prior; zero without it.
        """
        root = np.sqrt(vector(damping, self.size, "damping"))
        prior = vector(towards, self.size, "towards", fill=0.0)
        a, b = self.weighted
        return replace(self, A=np.vstack([a, np.diag(root)]), b=np.concatenate([b, root * prior]), weights=None)
