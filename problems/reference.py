"""Small problems that carry their answer: closed forms and published optima, for the contract test of solvers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .forms import BlackBox, Cone, Form, LeastSquares, Nlp, Residuals


@dataclass(frozen=True)
class Reference:
    """A problem and its answer.

    Attributes
    ----------
    name : str
    build : callable
        Returns the form.
    fun : float
        Optimal value.
    x : tuple of float or None
        Optimal point, where it is unique.
    tolerance : float
        On ``fun``, for solvers with derivatives.
    search_tolerance : float
        On ``fun``, for searches with a few hundred evaluations.
    source : str
    """

    name: str
    build: Callable[[], Form]
    fun: float
    x: tuple[float, ...] | None
    tolerance: float
    search_tolerance: float
    source: str


def _line() -> LeastSquares:
    return LeastSquares([[1], [2], [3]], [1, 2, 3.5], x0=[0.0], names=("slope",))


def _undetermined() -> LeastSquares:
    return LeastSquares([[1, 1], [2, 2], [3, 3]], [2, 4, 6.1], lower=0, upper=4)


def _simplex() -> LeastSquares:
    return LeastSquares(np.eye(3), [0.8, 0.6, -0.5], lower=0, upper=2, A_eq=[[1, 1, 1]], b_eq=[1])


def _half_plane() -> LeastSquares:
    return LeastSquares(np.eye(2), [2, 1], lower=-4, upper=4, A_in=[[1, 1]], b_in=[1])


def _cone() -> LeastSquares:
    slopes = [[[1, 0], [0, 0]], [[0, 1], [1, 0]], [[0, 0], [0, 1]]]
    return LeastSquares(np.eye(3), [1, 2, -1], weights=[1, 2, 1], cones=(Cone(np.zeros((2, 2)), slopes, "matrix"),))


def _rosenbrock() -> Nlp:
    import casadi as ca

    x = ca.SX.sym("x", 2)
    return Nlp(x, 100 * (x[1] - x[0] ** 2) ** 2 + (1 - x[0]) ** 2, lbx=-2, ubx=2, x0=[-1.2, 1.0])


def _circle() -> Nlp:
    import casadi as ca

    x = ca.MX.sym("x", 2)
    return Nlp(x, x[0] + x[1], g=ca.sumsqr(x), lbg=2, ubg=2, lbx=-3, ubx=3, x0=[1.0, -2.0])


def _four_variables() -> Nlp:
    import casadi as ca

    x = ca.SX.sym("x", 4)
    f = x[0] * x[3] * (x[0] + x[1] + x[2]) + x[2]
    g = ca.vertcat(x[0] * x[1] * x[2] * x[3], ca.sumsqr(x))
    return Nlp(x, f, g=g, lbg=[25, 40], ubg=[np.inf, 40], lbx=1, ubx=5, x0=[1, 5, 5, 1])


def _parcel() -> Nlp:
    import casadi as ca

    x = ca.SX.sym("x", 3)
    return Nlp(x, -x[0] * x[1] * x[2], g=x[0] + 2 * x[1] + 2 * x[2], lbg=0, ubg=72, lbx=0, ubx=42, x0=[1, 1, 1])


def _scaled() -> Nlp:
    import casadi as ca

    x = ca.SX.sym("x", 2)
    f = (x[0] / 1e5 - 0.7) ** 2 + (x[1] / 1e-3 - 0.2) ** 2
    return Nlp(x, f, lbx=[0, 0], ubx=[1e5, 1e-3], x0=[1e4, 9e-4], scales=[1e5, 1e-3])


def _tail() -> Residuals:
    time = np.linspace(0.0, 1.0, 40)

    def residual(x: np.ndarray) -> np.ndarray:
        d, e = x - np.array([0.94, 1.07])
        return np.asarray(np.exp(-2 * time) * ((d + 0.3 * d**2) * np.sin(20 * time) + (0.3 * e + 0.1 * d * e) * np.cos(13 * time)))

    return Residuals(residual, x0=[1.0, 1.0], lower=0.8, upper=1.2)


def _near_zero() -> Residuals:
    return Residuals(lambda x: x - 3.0, x0=[1e-9], lower=-10, upper=10)


def _shifted(x: np.ndarray) -> float:
    return float(np.sum((x - 0.3) ** 2))


def _bowl() -> BlackBox:
    return BlackBox(_shifted, lower=[-1, -1], upper=[1, 1])


def _corner() -> BlackBox:
    return BlackBox(lambda x: float(np.sum((x - 2.0) ** 2)), lower=[-1] * 3, upper=[1] * 3, x0=[-1, -1, -1])


def _whole() -> BlackBox:
    return BlackBox(lambda x: float((x[0] - 3.2) ** 2 + (x[1] + 1.7) ** 2 + 0.5 * x[0] * x[1]), lower=[-5, -5], upper=[5, 5], integer=True, x0=[0, 0])


REFERENCES: tuple[Reference, ...] = (
    Reference("line", _line, 0.0892857142857 / 2, (1.1071428571428572,), 1e-10, 1e-3, "closed form 15.5/14"),
    Reference("undetermined", _undetermined, 0.00178571428571, None, 1e-8, 0.5, "closed form x1 + x2 = 28.3/14"),
    Reference("simplex", _simplex, 0.165, (0.6, 0.4, 0.0), 1e-7, 1e-2, "projection on the simplex: threshold 0.2"),
    Reference("half plane", _half_plane, 1.0, (1.0, 0.0), 1e-7, 0.3, "projection on x1 + x2 = 1"),
    Reference("cone", _cone, 2.5, ((1 + 5**0.5) / 2, 1.0, (5**0.5 - 1) / 2), 1e-6, 0.1, "positive part of [[1, 2], [2, −1]], eigenvalues ±√5"),
    Reference("rosenbrock", _rosenbrock, 0.0, (1.0, 1.0), 1e-8, 5.0, "Rosenbrock 1960"),
    Reference("circle", _circle, -2.0, (-1.0, -1.0), 1e-6, 0.1, "Lagrange multiplier"),
    Reference("four variables", _four_variables, 17.0140173, (1.0, 4.7429994, 3.8211503, 1.3794082), 1e-5, 1.0, "Hock & Schittkowski 1981, problem 71"),
    Reference("parcel", _parcel, -3456.0, (24.0, 12.0, 12.0), 1e-3, 1200.0, "Rosenbrock's post office"),
    Reference("scaled", _scaled, 0.0, (7e4, 2e-4), 1e-8, 2e-2, "by construction"),
    Reference("tail", _tail, 0.0, (0.94, 1.07), 1e-8, 0.05, "by construction"),
    Reference("near zero", _near_zero, 0.0, (3.0,), 1e-10, 0.2, "by construction"),
    Reference("bowl", _bowl, 0.0, (0.3, 0.3), 1e-6, 1e-2, "by construction"),
    Reference("corner", _corner, 3.0, (1.0, 1.0, 1.0), 1e-6, 1.0, "by construction"),
    Reference("whole numbers", _whole, -3.67, (4.0, -3.0), 1e-9, 1e-9, "all 121 points: 0.64 + 1.69 − 6"),
)
