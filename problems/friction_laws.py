"""Friction laws of one axis: torque as a function of speed (and load), linear in most parameters and shaped by the rest."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

Columns = Callable[[Any, Any, Any], list[Any]]


@dataclass(frozen=True)
class FrictionLaw:
    """``f = Σ_i linear_i · column_i(v, load; shapes)``.

    Attributes
    ----------
    linear : names of the parameters that multiply columns
    shapes : names of the parameters inside the columns
    columns : callable
        (speed, load, shapes) → one column for each linear parameter, with CasADi or NumPy values alike.
    slopes : names
        Shapes that are steepnesses [s/rad]; the others are speeds [rad/s].
    without : str or None
        The law that this one becomes when its shapes tell nothing.
    loaded : bool
        Whether the load enters.
    text : str
        The formula.
    """

    linear: tuple[str, ...]
    columns: Columns
    text: str
    shapes: tuple[str, ...] = ()
    slopes: tuple[str, ...] = ()
    without: str | None = None
    loaded: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """All parameters, linear ones first."""
        return (*self.linear, *self.shapes)

    def matrix(self, v: Array, load: Array, shapes: Array) -> Array:
        """Columns (N, number of linear parameters) at speeds v (N,)."""
        return np.column_stack([np.broadcast_to(np.asarray(column, dtype=float), v.shape) for column in self.columns(v, load, shapes)])

    def torque(self, v: Array, load: Array, x: Array) -> Array:
        """Torque (N,) at speeds v (N,) and loads (N,) for all parameters x (p,)."""
        count = len(self.linear)
        return np.asarray(self.matrix(v, load, x[count:]) @ x[:count])

    def jacobian(self, v: Array, load: Array, x: Array) -> Array:
        """Derivatives (N, p) of :meth:`torque` to the parameters."""
        count, size = len(self.linear), len(x)
        found = np.zeros((len(v), size))
        found[:, :count] = self.matrix(v, load, x[count:])
        if self.shapes:
            slopes = _slopes(self).map(len(v))(v[None, :], load[None, :], np.tile(x[:, None], (1, len(v))))
            found[:, count:] = np.asarray(slopes).reshape(len(v), -1)
        return found


@lru_cache(maxsize=16)
def _slopes(law: FrictionLaw) -> ca.Function:
    """(v, load, x) → derivatives (1, number of shapes) of the torque to the shapes."""
    count = len(law.linear)
    v, load, x = ca.SX.sym("v"), ca.SX.sym("load"), ca.SX.sym("x", len(law.names))
    shapes = [x[count + k] for k in range(len(law.shapes))]
    torque = sum((x[i] * column for i, column in enumerate(law.columns(v, load, shapes))), ca.SX(0))
    return ca.Function("slopes", [v, load, x], [ca.densify(ca.jacobian(torque, x)[:, count:])])


def _one(v: Any) -> Any:
    return 1.0 + 0.0 * v


def _sigmoid(z: Any) -> Any:
    return 0.5 * (1.0 + np.tanh(0.5 * z)) if isinstance(z, (float, np.ndarray)) else 0.5 * (1.0 + ca.tanh(0.5 * z))


def _tanh(z: Any) -> Any:
    return np.tanh(z) if isinstance(z, (float, np.ndarray)) else ca.tanh(z)


def _exp(z: Any) -> Any:
    return np.exp(z) if isinstance(z, (float, np.ndarray)) else ca.exp(z)


def _cosh_inverse(z: Any) -> Any:
    """1 / cosh(z), without overflow."""
    e = _exp(-_absolute(z))
    return 2 * e / (1 + e * e)


def _absolute(z: Any) -> Any:
    return np.abs(z) if isinstance(z, (float, np.ndarray)) else ca.fabs(z)


def _sign(z: Any) -> Any:
    return np.sign(z) if isinstance(z, (float, np.ndarray)) else ca.sign(z)


def _positive(v: Any) -> Any:
    return (_sign(v) + _absolute(_sign(v))) / 2


def _stribeck(v: Any, load: Any, s: Any) -> list[Any]:
    rest = _exp(-((v / s[0]) ** 2))
    return [_sign(v) * (1 - rest), _sign(v) * rest, v, _one(v)]


def _a09(v: Any, load: Any, s: Any) -> list[Any]:
    rest = _cosh_inverse(s[1] * v)
    return [_tanh(s[0] * v) * rest, _tanh(s[0] * v) * (1 - rest), v, _one(v)]


LAWS: Mapping[str, FrictionLaw] = {
    "coulomb": FrictionLaw(("fc", "fv", "fo"), lambda v, load, s: [_sign(v), v, _one(v)], "fc sign(v) + fv v + fo"),
    "asymmetric": FrictionLaw(
        ("fcp", "fvp", "fcn", "fvn"),
        lambda v, load, s: [_positive(v), _positive(v) * v, _positive(-v), _positive(-v) * v],
        "fcp + fvp v forward, fcn + fvn v backward (fcn < 0 resists)",
    ),
    "tanh": FrictionLaw(
        ("fc", "fv", "fo"), lambda v, load, s: [_tanh(s[0] * v), v, _one(v)], "fc tanh(k v) + fv v + fo", shapes=("k",), slopes=("k",), without="coulomb"
    ),
    "stribeck": FrictionLaw(("fc", "fs", "fv", "fo"), _stribeck, "(fc + (fs − fc) exp(−(v/vs)²)) sign(v) + fv v + fo", shapes=("vs",), without="coulomb"),
    "sigmoid": FrictionLaw(
        ("f1",),
        lambda v, load, s: [_sigmoid(s[0] * (v + s[1])) - _sigmoid(_one(v) * s[0] * s[1])],
        "f1 / (1 + exp(−k (v + v0))) − f1 / (1 + exp(−k v0)): steep at −v0, level far from it, 0 at rest (Gaz et al. 2019, Panda)",
        shapes=("k", "v0"),
        slopes=("k",),
        without=None,
    ),
    "a09": FrictionLaw(
        ("fc", "fk", "fv", "fo"),
        _a09,
        "fc (μ + (1 − μ) / cosh(β v)) tanh(α v) + fv v + fo with fk = μ fc: static level fc, kinetic level fk (Axelsson 2009)",
        shapes=("alpha", "beta"),
        slopes=("alpha", "beta"),
        without="coulomb",
    ),
    "load": FrictionLaw(
        ("fc", "fl", "fv", "fo"),
        lambda v, load, s: [_sign(v), _absolute(load) * _sign(v), v, _one(v)],
        "(fc + fl |load|) sign(v) + fv v + fo, the load being the torque that the drive passes on",
        loaded=True,
    ),
}
"""Name → law."""
