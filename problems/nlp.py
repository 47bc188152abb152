"""Nonlinear programs as CasADi expressions."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from optid.brief import brief
from optid.errors import ShapeError, sentence

from .checks import bounds, excess, named
from .form import Form, Start
from .measured import BlackBox


@dataclass(frozen=True)
class Advice:
    """What the poser of a program knows about solving it; options that the user sets come first.

    Attributes
    ----------
    curvature : bool
        Whether exact second derivatives exist and are worth their cost.
    tolerance : float or None
        Optimality error below which nothing is gained.
    warm : bool
        ``x0`` is nearly optimal.

    Examples
    --------
    >>> from optid.problems import Advice
    >>> Advice(warm=True).curvature
    True
    """

    curvature: bool = True
    tolerance: float | None = None
    warm: bool = False


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
    advice : Advice
        What suits this program, for solvers whose options leave it open.

    Notes
    -----
    An ``Nlp`` pickles (as a CasADi ``Function``), so it can be solved in other processes.

    Examples
    --------
    >>> import casadi as ca
    >>> import optid
    >>> from optid.problems import Nlp
    >>> x = ca.SX.sym("x", 2)
    >>> optid.solve(Nlp(x, x[0] + x[1], g=ca.sumsqr(x), lbg=2, ubg=2, x0=[1.0, -2.0])).x.round(6)  # the point of the circle furthest down
    array([-1., -1.])
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
    advice: Advice = Advice()
    lower: Any = field(default=None, init=False, repr=False)
    upper: Any = field(default=None, init=False, repr=False)

    __repr__ = brief

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

    def hessian(self, x: np.ndarray, weight: float, multipliers: np.ndarray) -> np.ndarray:
        """Second derivatives (n, n) of ``weight · f + multipliers · g`` at ``x``."""
        return np.asarray(self._curvature(x, weight, multipliers).full())

    @cached_property
    def _curvature(self) -> Any:
        import casadi as ca

        weight, multipliers = type(self.x).sym("w"), type(self.x).sym("m", self.g.shape[0])
        curvature = ca.hessian(weight * self.f + ca.dot(multipliers, self.g), self.x)[0]
        return ca.Function("curvature", [self.x, weight, multipliers], [curvature])

    def black_box(self) -> BlackBox:
        """The program without its expressions: one number, and the rows of g behind one implicit violation."""
        function = self.function

        def violation(x: np.ndarray) -> float:
            return excess(np.asarray(function(x)[1]).ravel(), self.lbg, self.ubg)

        return BlackBox(
            fun=lambda x: float(function(x)[0]),
            lower=self.lower,
            upper=self.upper,
            violation=violation if self.g.shape[0] > 0 else None,
            x0=self.x0,
            names=self.names,
            scales=self.scales,
            start=self.start,
        )

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
        state = {key: value for key, value in self.__dict__.items() if key not in ("x", "f", "g", "_curvature")}
        return {**state, "function": self.function, "symbol": type(self.x).__name__}

    def __setstate__(self, state: dict[str, Any]) -> None:
        import casadi as ca

        kind = getattr(ca, state.pop("symbol"))
        x = kind.sym("x", len(state["names"]))
        f, g = state["function"](x)
        self.__dict__.update(state, x=x, f=f, g=g)
