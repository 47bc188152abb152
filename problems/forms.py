"""The four forms a problem can take, strongest first: ``LeastSquares``, ``Nlp``, ``Residuals``, ``BlackBox``.

Each form is also a problem of its own: ``optid.solve(LeastSquares(A, b))`` returns the :class:`~optid.solvers.Solution`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from optid.errors import LimitsError, ShapeError, UnsuitableSolverError, sentence

from .checks import bounds, excess, matrix, named, vector

if TYPE_CHECKING:
    from optid.solvers.solution import Solution

Start = Callable[[np.random.Generator], Any]


class Form:
    """What all forms share: names, scales, bounds, a start, and the value and violation of any point."""

    names: tuple[str, ...]
    lower: np.ndarray
    upper: np.ndarray
    scales: np.ndarray
    x0: np.ndarray | None
    start: Start | None

    @property
    def size(self) -> int:
        """Number of variables."""
        return len(self.names)

    @property
    def needs(self) -> frozenset[str]:
        """Solver features without which the problem cannot be taken."""
        raise NotImplementedError

    def evaluate(self, x: np.ndarray) -> tuple[float, float]:
        """Return the objective and the largest violation of any constraint at ``x`` (n,)."""
        raise NotImplementedError

    def form(self) -> Form:
        """A form is a problem whose form is itself."""
        return self

    def interpret(self, solution: Solution) -> Any:
        """A form's result is the solution."""
        return solution

    def start_point(self, rng: np.random.Generator, index: int = 0) -> np.ndarray:
        """Start of multistart run ``index`` (n,), inside the bounds.

        Run 0 begins at ``x0`` when there is one. Later runs, and run 0 without ``x0``, ask ``start(rng)``; without it they draw uniformly between
        finite bounds and normally, with the scale as standard deviation, around ``x0`` (or zero) in the other coordinates.
        """
        if index == 0 and self.x0 is not None:
            return np.clip(self.x0, self.lower, self.upper)
        if self.start is not None:
            return np.clip(vector(self.start(rng), self.size, "start(rng)"), self.lower, self.upper)
        centre = np.zeros(self.size) if self.x0 is None else self.x0
        finite = np.isfinite(self.lower) & np.isfinite(self.upper)
        low, high = np.where(finite, self.lower, 0.0), np.where(finite, self.upper, 1.0)
        uniform = low + rng.random(self.size) * (high - low)
        spread = self.scales * rng.standard_normal(self.size)
        if index == 0:
            uniform, spread = 0.5 * (low + high), 0.0 * spread
        return np.clip(np.where(finite, uniform, centre + spread), self.lower, self.upper)

    def _settle(self, size: int) -> None:
        """Check and complete the shared fields of a frozen form of ``size`` variables."""
        names = named(self.names, size)
        low, high = bounds(self.lower, self.upper, names)
        scales = vector(self.scales, size, "scales", fill=1.0)
        if not np.all(np.isfinite(scales) & (scales > 0)):
            i = int(np.flatnonzero(~(np.isfinite(scales) & (scales > 0)))[0])
            raise ShapeError(sentence(f"scale of {names[i]!r}", scales[i], "a finite positive number"))
        x0 = None if self.x0 is None else vector(self.x0, size, "x0")
        if x0 is not None and not np.all(np.isfinite(x0)):
            raise ShapeError(sentence("x0", f"{x0[~np.isfinite(x0)][0]} for {names[int(np.flatnonzero(~np.isfinite(x0))[0])]!r}", "finite numbers"))
        for key, value in {"names": names, "lower": low, "upper": high, "scales": scales, "x0": x0}.items():
            object.__setattr__(self, key, value)

    @property
    def bounded(self) -> bool:
        """Whether any bound is finite."""
        return bool(np.any(np.isfinite(self.lower)) or np.any(np.isfinite(self.upper)))


@dataclass(frozen=True, eq=False)
class Cone:
    """The affine matrix inequality F0 + Σ x_k F_k ⪰ 0.

    Parameters
    ----------
    F0 : (s, s) array, symmetric
    F : (p, s, s) array, symmetric in the last two axes
    name : str
        Shown in messages.
    """

    F0: Any
    F: Any
    name: str = ""

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
        from dataclasses import replace

        root = np.sqrt(vector(damping, self.size, "damping"))
        prior = vector(towards, self.size, "towards", fill=0.0)
        a, b = self.weighted
        return replace(self, A=np.vstack([a, np.diag(root)]), b=np.concatenate([b, root * prior]), weights=None)


@dataclass(frozen=True, eq=False)
class Nlp(Form):
    """Minimise f(x) for lbx ≤ x ≤ ubx and lbg ≤ g(x) ≤ ubg, as CasADi expressions.

    Parameters
    ----------
    x : casadi SX or MX symbol, (n, 1)
    f : scalar expression
    g : expression (k, 1), optional
    lbx, ubx : (n,) arrays or scalars, optional
    lbg, ubg : (k,) arrays or scalars, optional
    x0, names, scales : optional
    start : callable, optional
        ``start(rng)`` → x (n,): draws the starts of a multistart.
    constraint_names : sequence of str, optional
        One a row of g; the rows violated most are named in the message of a failed solve.

    Notes
    -----
    An ``Nlp`` pickles (as a CasADi ``Function``), so it can be solved in other processes.
    """

    x: Any
    f: Any
    g: Any = None
    lbx: Any = None
    ubx: Any = None
    lbg: Any = None
    ubg: Any = None
    x0: Any = None
    names: Any = None
    scales: Any = None
    start: Start | None = None
    constraint_names: Any = None
    lower: Any = field(default=None, init=False, repr=False)
    upper: Any = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        import casadi as ca

        if not isinstance(self.x, ca.SX | ca.MX) or not self.x.is_valid_input() or self.x.shape[1] != 1 or self.x.shape[0] == 0:
            raise ShapeError(sentence("x of the Nlp", type(self.x).__name__, "a CasADi SX or MX column of symbols"))
        kind = type(self.x)
        f = kind(self.f)
        g = kind.zeros(0, 1) if self.g is None else ca.vec(kind(self.g))
        if f.shape != (1, 1):
            raise ShapeError(sentence("objective f of the Nlp", f"shape {f.shape}", "a scalar expression"))
        object.__setattr__(self, "lower", self.lbx)
        object.__setattr__(self, "upper", self.ubx)
        self._settle(self.x.shape[0])
        rows = named(self.constraint_names or [f"g{i}" for i in range(g.shape[0])], g.shape[0])
        low, high = bounds(self.lbg, self.ubg, rows)
        settled = {"f": f, "g": ca.densify(g), "lbx": self.lower, "ubx": self.upper, "lbg": low, "ubg": high, "constraint_names": rows}
        for key, value in settled.items():
            object.__setattr__(self, key, value)

    @cached_property
    def function(self) -> Any:
        """CasADi function x → (f, g)."""
        import casadi as ca

        try:
            return ca.Function("nlp", [self.x], [self.f, self.g], ["x"], ["f", "g"])
        except RuntimeError as error:
            raise ShapeError(sentence("expressions of the Nlp", "symbols other than x", "f and g that depend on x alone")) from error

    @property
    def needs(self) -> frozenset[str]:
        parts = {"bounds": self.bounded, "nonlinear": self.g.shape[0] > 0, "equality": bool(np.any(self.lbg == self.ubg))}
        return frozenset(name for name, present in parts.items() if present)

    def evaluate(self, x: np.ndarray) -> tuple[float, float]:
        f, g = self.function(x)
        return float(f), self.violation(np.asarray(x, dtype=float), np.asarray(g).ravel())

    def violation(self, x: np.ndarray, g: np.ndarray) -> float:
        """Largest violation of a bound or of a row of ``g`` (k,)."""
        return float(np.max([excess(x, self.lower, self.upper), excess(g, self.lbg, self.ubg)]))

    def violated(self, x: np.ndarray, tolerance: float, most: int = 3) -> list[tuple[str, float]]:
        """Names and amounts of the constraints violated by more than ``tolerance``, worst first."""
        g = np.asarray(self.function(x)[1]).ravel()
        amounts = np.concatenate([np.maximum(self.lower - x, x - self.upper), np.maximum(self.lbg - g, g - self.ubg)])
        labels = [*self.names, *self.constraint_names]
        return [(labels[i], float(amounts[i])) for i in np.argsort(-amounts)[:most] if amounts[i] > tolerance]

    def __getstate__(self) -> dict[str, Any]:
        state = {key: value for key, value in self.__dict__.items() if key not in ("x", "f", "g")}
        return {**state, "function": self.function, "symbol": type(self.x).__name__}

    def __setstate__(self, state: dict[str, Any]) -> None:
        import casadi as ca

        kind = getattr(ca, state.pop("symbol"))
        x = kind.sym("x", len(state["names"]))
        f, g = state["function"](x)
        self.__dict__.update(state, x=x, f=f, g=g)


@dataclass(frozen=True, eq=False)
class Residuals(Form):
    """Minimise ½ ‖r(x)‖² of a vector of numbers that can only be computed or measured.

    Parameters
    ----------
    fun : callable
        x (n,) → r (m,), m the same at every call.
    x0 : (n,) array
    jacobian : callable, optional
        x (n,) → ∂r/∂x (m, n).
    lower, upper : (n,) arrays or scalars, optional
    noisy : bool
        Two calls at the same x may differ: finite differences over tiny steps are then meaningless.
    names, scales, start : optional
    """

    fun: Callable[[np.ndarray], Any]
    x0: Any
    jacobian: Callable[[np.ndarray], Any] | None = None
    lower: Any = None
    upper: Any = None
    noisy: bool = False
    names: Any = None
    scales: Any = None
    start: Start | None = None

    def __post_init__(self) -> None:
        self._settle(vector(self.x0, None, "x0").size)

    @property
    def needs(self) -> frozenset[str]:
        return frozenset(name for name, present in {"bounds": self.bounded, "noise": self.noisy}.items() if present)

    def residual(self, x: np.ndarray) -> np.ndarray:
        """Return r(x) (m,)."""
        return np.atleast_1d(np.asarray(self.fun(np.array(x, dtype=float)), dtype=float)).ravel()

    def evaluate(self, x: np.ndarray) -> tuple[float, float]:
        residual = self.residual(x)
        return float(0.5 * residual @ residual), excess(np.asarray(x, dtype=float), self.lower, self.upper)


@dataclass(frozen=True, eq=False)
class BlackBox(Form):
    """Minimise one number f(x) that can only be computed or measured.

    Parameters
    ----------
    fun : callable
        x (n,) → number. NaN, infinity, ``None`` and exceptions count as failed evaluations.
    lower, upper : (n,) arrays or scalars, optional
        Explicit constraints: no point outside is ever evaluated.
    integer : bool
        Only whole numbers are evaluated.
    violation : callable, optional
        Implicit constraints: x (n,) → number or vector, positive where violated. Asked before ``fun``; points that violate are not evaluated.
    noisy : bool
    x0, names, scales, start : optional
    """

    fun: Callable[[np.ndarray], Any]
    lower: Any = None
    upper: Any = None
    integer: bool = False
    violation: Callable[[np.ndarray], Any] | None = None
    noisy: bool = False
    x0: Any = None
    names: Any = None
    scales: Any = None
    start: Start | None = None

    def __post_init__(self) -> None:
        given = [value for value in (self.lower, self.upper, self.x0) if value is not None and np.ndim(value) > 0]
        if not given and self.names is None:
            raise ShapeError(sentence("black box", "neither bounds nor x0 as vectors", "one of them, to know the number of variables"))
        size = len(given[0]) if given else len(self.names)
        self._settle(size)
        if self.x0 is not None and np.any((self.x0 < self.lower) | (self.x0 > self.upper)):
            i = int(np.flatnonzero((self.x0 < self.lower) | (self.x0 > self.upper))[0])
            raise LimitsError(sentence(f"start x0 of {self.names[i]!r}", f"{self.x0[i]:g}", f"a value in [{self.lower[i]:g}, {self.upper[i]:g}]"))
        if self.integer and np.any(np.ceil(self.lower) > np.floor(self.upper)):
            i = int(np.flatnonzero(np.ceil(self.lower) > np.floor(self.upper))[0])
            raise ShapeError(sentence(f"integer bounds of {self.names[i]!r}", f"[{self.lower[i]:g}, {self.upper[i]:g}]", "a whole number in between"))

    @property
    def needs(self) -> frozenset[str]:
        parts = {"bounds": self.bounded, "integer": self.integer, "nonlinear": self.violation is not None, "noise": self.noisy}
        return frozenset(name for name, present in parts.items() if present)

    def implicit(self, x: np.ndarray) -> float:
        """Largest violation of an implicit constraint."""
        if self.violation is None:
            return 0.0
        return max(0.0, float(np.max(np.atleast_1d(np.asarray(self.violation(np.array(x, dtype=float)), dtype=float)), initial=0.0)))

    def value(self, x: np.ndarray) -> float:
        """Return f(x); infinite where the callable gives no number.

        Raises
        ------
        UnsuitableSolverError
            When ``fun`` returns more than one number.
        """
        result = self.fun(np.array(x, dtype=float))
        if result is None:
            return np.nan
        if np.size(result) != 1:
            raise UnsuitableSolverError(
                sentence("objective of the black box", f"{np.size(result)} numbers", "one number", "Pose a vector of numbers as Residuals.")
            )
        return float(np.asarray(result, dtype=float).reshape(()))

    def evaluate(self, x: np.ndarray) -> tuple[float, float]:
        x = np.asarray(x, dtype=float)
        worst = max(excess(x, self.lower, self.upper), self.implicit(x))
        return self.value(x), worst
