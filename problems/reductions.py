"""Turn a form into a weaker one, and say what is lost.

``LeastSquares`` → ``Nlp`` → ``BlackBox``, ``LeastSquares`` → ``Residuals`` → ``BlackBox``. There is no way from ``Nlp`` to ``Residuals`` (an objective is
not a sum of squares in general) and none upwards (a black box has no derivatives to give).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from optid.errors import UnsuitableSolverError

from .forms import BlackBox, Form, LeastSquares, Nlp, Residuals


@dataclass(frozen=True, eq=False)
class Reduction:
    """A weaker form, the way back, and the losses.

    Attributes
    ----------
    form : Form
        The weaker form. Its first variables are those of the original.
    size : int
        Number of variables of the original form.
    loses : tuple of str
        What each step gave up, in words.
    """

    form: Form
    size: int
    loses: tuple[str, ...] = ()

    def restore(self, x: np.ndarray) -> np.ndarray:
        """The original variables (size,) of a point of the weaker form."""
        return np.array(x[: self.size], dtype=float)


def least_squares_to_nlp(form: LeastSquares) -> tuple[Nlp, str]:
    """Expand the squares; a cone F(x) ⪰ 0 becomes F(x) = L Lᵀ with the lower triangle of L as further variables."""
    import casadi as ca

    a, b = form.weighted
    factor = np.asarray(np.linalg.qr(np.column_stack([a, b]), mode="r")) if len(b) > form.size else np.column_stack([a, b])
    x = ca.SX.sym("x", form.size)
    residual = ca.DM(factor[:, :-1]) @ x - ca.DM(factor[:, -1])
    rows = [ca.DM(form.A_eq) @ x, ca.DM(form.A_in) @ x]
    low = [form.b_eq, np.full(len(form.b_in), -np.inf)]
    high = [form.b_eq, form.b_in]
    start = form.x0 if form.x0 is not None else np.clip(np.zeros(form.size), form.lower, form.upper)
    symbols, starts, names, scales = [x], [start], [*form.names], [form.scales]
    for k, cone in enumerate(form.cones):
        side = len(cone.F0)
        lower = np.tril_indices(side)
        free = ca.SX.sym(f"L{k}", len(lower[0]))
        triangle = ca.SX(side, side)
        for index, (i, j) in enumerate(zip(*lower, strict=True)):
            triangle[int(i), int(j)] = free[index]
        gap = ca.DM(cone.F0) + sum((x[i] * ca.DM(cone.F[i]) for i in range(form.size)), ca.SX(side, side)) - triangle @ triangle.T
        rows.append(ca.vertcat(*(gap[int(i), int(j)] for i, j in zip(*lower, strict=True))))
        low.append(np.zeros(len(lower[0])))
        high.append(np.zeros(len(lower[0])))
        values, vectors = np.linalg.eigh(cone(start))
        near = (vectors * np.maximum(values, 1e-3 * max(1.0, float(np.abs(values).max())))) @ vectors.T
        symbols.append(free)
        starts.append(np.linalg.cholesky(near)[lower])
        names += [f"L{k}[{i},{j}]" for i, j in zip(*lower, strict=True)]
        scales.append(np.ones(len(lower[0])))
    extra = len(names) - form.size
    nlp = Nlp(
        x=ca.vertcat(*symbols),
        f=0.5 * ca.sumsqr(residual),
        g=ca.vertcat(*rows),
        lbx=np.concatenate([form.lower, np.full(extra, -np.inf)]),
        ubx=np.concatenate([form.upper, np.full(extra, np.inf)]),
        lbg=np.concatenate(low),
        ubg=np.concatenate(high),
        x0=np.concatenate(starts) if form.x0 is not None or form.cones else None,
        names=names,
        scales=np.concatenate(scales),
        start=form.start if not form.cones else None,
    )
    return nlp, "the rank decision of a linear problem" + (", convexity of the cones" if form.cones else "")


def least_squares_to_residuals(form: LeastSquares) -> tuple[Residuals, str]:
    """Keep the weighted residual vector and its constant Jacobian."""
    a, b = form.weighted
    start = form.x0 if form.x0 is not None else np.clip(np.zeros(form.size), form.lower, form.upper)
    weaker = Residuals(
        fun=lambda x: a @ x - b, jacobian=lambda x: a, x0=start, lower=form.lower, upper=form.upper, names=form.names, scales=form.scales, start=form.start
    )
    return weaker, "linearity"


def nlp_to_black_box(form: Nlp) -> tuple[BlackBox, str]:
    """Hide the expressions behind one number, the rows of g behind one implicit violation."""
    constrained = form.g.shape[0] > 0
    weaker = form.black_box()
    return weaker, "derivatives" + (", multipliers; constraints become one implicit violation" if constrained else "")


def residuals_to_black_box(form: Residuals) -> tuple[BlackBox, str]:
    """Keep only ½ ‖r‖²."""

    def value(x: np.ndarray) -> float:
        residual = form.residual(x)
        return float(0.5 * residual @ residual)

    weaker = BlackBox(
        fun=value,
        lower=form.lower,
        upper=form.upper,
        integer=form.integer,
        noisy=form.noisy,
        x0=form.x0,
        names=form.names,
        scales=form.scales,
        start=form.start,
    )
    return weaker, "the residual vector and its signs" + (", its Jacobian" if form.jacobian else "")


_STEPS: dict[tuple[type, type], Callable[..., tuple[Form, str]]] = {
    (LeastSquares, Nlp): least_squares_to_nlp,
    (LeastSquares, Residuals): least_squares_to_residuals,
    (Nlp, BlackBox): nlp_to_black_box,
    (Residuals, BlackBox): residuals_to_black_box,
}
_PATHS: dict[tuple[type, type], tuple[type, ...]] = {
    (LeastSquares, BlackBox): (LeastSquares, Nlp, BlackBox),
    **{pair: pair for pair in _STEPS},
}


def kind_of(form: Form) -> type[Form]:
    """The one of the four forms that ``form`` is, or is derived from."""
    return next(kind for kind in (LeastSquares, Nlp, Residuals, BlackBox, type(form)) if isinstance(form, kind))


def reducible(kind: type, target: type) -> bool:
    """Whether a form of type ``kind`` can become ``target``."""
    return kind is target or (kind, target) in _PATHS


def reduce(form: Form, target: type) -> Reduction:
    """Turn ``form`` into ``target``.

    Raises
    ------
    UnsuitableSolverError
        When ``target`` is not weaker than the form.
    """
    kind = kind_of(form)
    if kind is target:
        return Reduction(form, form.size)
    if not reducible(kind, target):
        raise UnsuitableSolverError(f"a {kind.__name__} problem cannot become {target.__name__}: {_WHY.get((kind, target), 'that form is stronger')}.")
    path, loses, current = _PATHS[kind, target], [], form
    for source, sink in pairwise(path):
        current, lost = _STEPS[source, sink](current)
        loses.append(f"{source.__name__} → {sink.__name__} loses {lost}")
    return Reduction(current, form.size, tuple(loses))


_WHY = {
    (BlackBox, Nlp): "a black box has no expressions to differentiate",
    (BlackBox, LeastSquares): "a black box is not linear in its variables",
    (BlackBox, Residuals): "a black box gives one number, not a vector of residuals",
    (Residuals, Nlp): "residuals that are only computed have no expressions to differentiate",
    (Residuals, LeastSquares): "residuals that are only computed are not known to be linear",
    (Nlp, Residuals): "an objective is not a sum of squares in general",
    (Nlp, LeastSquares): "a nonlinear program is not linear least squares",
}
