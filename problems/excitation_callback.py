"""The criterion of an excitation design, and its curved limits, as CasADi functions with exact derivatives.

They are computed by numpy and compiled kernels; second derivatives come through :meth:`ExcitationNlp.hessian`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from optid.excitation.criteria import Criterion
from optid.excitation.information import Information
from optid.excitation.path_rows import PathRows
from optid.excitation.rows import Rows

Array = NDArray[np.float64]


def objective(information: Information, criterion: Criterion, power: float) -> Any:
    """CasADi function x → number."""
    size = information.parts[-1].stop
    return _Numeric(
        "criterion",
        size,
        1,
        lambda x: information.value(x, criterion, power),
        lambda x: information.gradient(x, criterion, power)[None, :],
    )


def row_values(rows: Rows | PathRows, x: Any) -> tuple[Any, Any]:
    """Values of limits at x (an expression), and what has to be kept alive for them."""
    if isinstance(rows, Rows):
        return rows.expression(x), None
    function = _Numeric("limits", rows.sampling.motion.size, len(rows), rows.values, rows.jacobian)
    return function(x), function


class _Numeric(ca.Callback):
    """A function of one vector that is computed outside CasADi, with its Jacobian."""

    def __init__(self, name: str, size: int, rows: int, values: Callable[[Array], Any], jacobian: Callable[[Array], Array]) -> None:
        ca.Callback.__init__(self)
        self.size, self.rows, self.values, self.slopes = size, rows, values, jacobian
        self.kept: list[Any] = []
        self.construct(name, {})

    def get_n_in(self) -> int:
        return 1

    def get_n_out(self) -> int:
        return 1

    def get_sparsity_in(self, i: int) -> Any:
        return ca.Sparsity.dense(self.size, 1)

    def get_sparsity_out(self, i: int) -> Any:
        return ca.Sparsity.dense(self.rows, 1)

    def eval(self, arguments: Any) -> list[Any]:
        return [ca.DM(self.values(np.asarray(arguments[0]).ravel()))]

    def has_jacobian(self) -> bool:
        return True

    def get_jacobian(self, name: str, inames: Any, onames: Any, options: Any) -> Any:
        self.kept.append(_Slopes(self, name, options))
        return self.kept[-1]


class _Slopes(ca.Callback):
    def __init__(self, of: _Numeric, name: str, options: Any) -> None:
        ca.Callback.__init__(self)
        self.of = of
        self.construct(name, options)

    def get_n_in(self) -> int:
        return 2

    def get_n_out(self) -> int:
        return 1

    def get_sparsity_in(self, i: int) -> Any:
        return ca.Sparsity.dense(self.of.size, 1) if i == 0 else ca.Sparsity(self.of.rows, 1)

    def get_sparsity_out(self, i: int) -> Any:
        return ca.Sparsity.dense(self.of.rows, self.of.size)

    def eval(self, arguments: Any) -> list[Any]:
        return [ca.DM(self.of.slopes(np.asarray(arguments[0]).ravel()))]
