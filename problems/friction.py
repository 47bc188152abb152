"""One axis' friction curve, from pairs of velocity and friction torque."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.errors import DataError, OptidWarning, RankError, ShapeError, sentence, unknown_name

from .forms import Form, LeastSquares, Nlp

if TYPE_CHECKING:
    from optid.solvers import Solution

Array = NDArray[np.float64]

LAWS: dict[str, tuple[str, ...]] = {
    "coulomb": ("fc", "fv", "fo"),
    "asymmetric": ("fcp", "fvp", "fcn", "fvn"),
    "tanh": ("fc", "fv", "fo", "k"),
}
"""Laws: fc sign(v) + fv v + fo; a line of its own for each direction (fcn < 0 resists); fc tanh(k v) + fv v + fo."""

STEEPEST = 100.0
"""Upper bound of the slope k, in units of 1 / (smallest speed in the data): beyond it tanh(k v) is a sign at every sample."""


@dataclass(frozen=True, eq=False)
class FrictionResult:
    """A fitted friction law.

    Attributes
    ----------
    law : str
    names : tuple of str
    values : (p,)
        Coulomb terms [N m], viscous terms [N m s/rad], slope k [s/rad].
    undetermined : tuple of str
        Parameters whose value the data do not fix: the number given for them is a bound, not an estimate.
    rms : float [N m]
        Root mean square of the residual.
    solution : Solution
    """

    law: str
    names: tuple[str, ...]
    values: Array
    undetermined: tuple[str, ...]
    rms: float
    solution: Solution

    def __getitem__(self, name: str) -> float:
        return float(self.values[self.names.index(name)])

    def torque(self, velocity: ArrayLike) -> Array:
        """Friction torque [N m] at velocities [rad/s]."""
        return _torque(self.law, np.asarray(velocity, dtype=float), self.values)


def _columns(law: str, v: Array) -> Array:
    if law == "asymmetric":
        return np.column_stack([v > 0, np.where(v > 0, v, 0.0), v < 0, np.where(v < 0, v, 0.0)]).astype(float)
    return np.column_stack([np.sign(v), v, np.ones_like(v)])


def _torque(law: str, v: Array, x: Array) -> Array:
    if law == "tanh":
        return np.asarray(x[0] * np.tanh(x[3] * v) + x[1] * v + x[2])
    return np.asarray(_columns(law, v) @ x)


@dataclass(frozen=True, eq=False)
class FrictionCurve:
    """Fit a friction law to samples of one axis.

    Parameters
    ----------
    velocity : (N,) [rad/s]
    torque : (N,) [N m]
        Friction torque: what is left after inertia and gravity.
    law : "coulomb", "asymmetric" or "tanh"
        See :data:`LAWS`. In "tanh" the slope k is bounded by :data:`STEEPEST`; when the data have no samples slow enough to determine it, a warning says so.
    """

    velocity: ArrayLike
    torque: ArrayLike
    law: str = "coulomb"

    def __post_init__(self) -> None:
        v, tau = np.asarray(self.velocity, dtype=float), np.asarray(self.torque, dtype=float)
        if v.ndim != 1 or v.shape != tau.shape:
            raise ShapeError(sentence("friction curve", f"velocity {v.shape}, torque {tau.shape}", "two vectors of one length"))
        if not (np.isfinite(v).all() and np.isfinite(tau).all()):
            raise DataError(sentence("friction curve", "NaN or infinite samples", "finite numbers"))
        if self.law not in LAWS:
            raise unknown_name("friction law", self.law, LAWS)
        if len(v) < len(LAWS[self.law]) or not (v > 0).any() or not (v < 0).any():
            found = f"{len(v)} samples, {(v > 0).sum()} forward and {(v < 0).sum()} backward"
            raise RankError(sentence(f"friction law {self.law!r}", found, f"at least {len(LAWS[self.law])} samples, in both directions"))
        object.__setattr__(self, "velocity", v)
        object.__setattr__(self, "torque", tau)

    @property
    def _steepest(self) -> float:
        speeds = np.abs(np.asarray(self.velocity))
        return STEEPEST / float(speeds[speeds > 0].min())

    def form(self) -> Form:
        """Linear least squares, or a bounded nonlinear program for "tanh"."""
        v, tau = np.asarray(self.velocity), np.asarray(self.torque)
        names = LAWS[self.law]
        if self.law != "tanh":
            return LeastSquares(_columns(self.law, v), tau, names=names)
        import casadi as ca

        x = ca.SX.sym("x", 4)
        fit = x[0] * ca.tanh(x[3] * v) + x[1] * v + x[2]
        linear = np.linalg.lstsq(_columns("coulomb", v), tau, rcond=None)[0]
        start = [*linear, 2.0 / float(np.median(np.abs(v)))]
        size = float(np.abs(tau).max()) or 1.0
        speed = float(np.abs(v).max())
        lower = [-np.inf, -np.inf, -np.inf, 0.1 / speed]
        upper = [np.inf, np.inf, np.inf, self._steepest]
        return Nlp(x, ca.sumsqr((fit - tau) / size) / len(v), lbx=lower, ubx=upper, x0=start, names=names, scales=[size, size / speed, size, 1 / speed])

    def interpret(self, solution: Solution) -> FrictionResult:
        """The law's parameters; a slope that the data do not determine is named."""
        v, tau = np.asarray(self.velocity), np.asarray(self.torque)
        x = np.asarray(solution.x)
        undetermined: tuple[str, ...] = ()
        if self.law == "tanh" and self._slope_is_open(x):
            undetermined = ("k",)
            slowest = float(np.abs(v)[np.abs(v) > 0].min())
            warnings.warn(
                f"friction law 'tanh': the slope k is not determined by data whose slowest sample moves at {slowest:.3g} rad/s; {x[3]:.3g} s/rad is a bound, "
                "not an estimate.",
                OptidWarning,
                stacklevel=2,
            )
        rms = float(np.sqrt(np.mean((tau - _torque(self.law, v, x)) ** 2)))
        return FrictionResult(self.law, LAWS[self.law], x, undetermined, rms, solution)

    def _slope_is_open(self, x: Array) -> bool:
        """Whether the sign law fits as well (to 0.1 % of the torque) as the fitted slope, or the slope sits at its bound."""
        v, tau = np.asarray(self.velocity), np.asarray(self.torque)
        best = np.sum((tau - _torque("tanh", v, x)) ** 2)
        columns = _columns("coulomb", v)
        sign = np.sum((tau - columns @ np.linalg.lstsq(columns, tau, rcond=None)[0]) ** 2)
        return bool(sign <= best + 1e-6 * np.sum(tau**2) or x[3] > 0.99 * self._steepest)
