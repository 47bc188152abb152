"""The criterion of an excitation design as a CasADi function with exact derivatives."""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np

from optid.excitation.criteria import Criterion
from optid.excitation.information import Information


def objective(information: Information, criterion: Criterion, power: float) -> Any:
    """CasADi function x → number; its gradient is exact, second derivatives are not offered."""
    return _Objective(information, criterion, power)


class _Objective(ca.Callback):
    def __init__(self, information: Information, criterion: Criterion, power: float) -> None:
        ca.Callback.__init__(self)
        self.information, self.criterion, self.power = information, criterion, power
        self.size = information.parts[-1].stop
        self.slopes: list[Any] = []
        self.construct("criterion", {})

    def get_n_in(self) -> int:
        return 1

    def get_n_out(self) -> int:
        return 1

    def get_sparsity_in(self, i: int) -> Any:
        return ca.Sparsity.dense(self.size, 1)

    def eval(self, arguments: Any) -> list[Any]:
        return [self.information.value(np.asarray(arguments[0]).ravel(), self.criterion, self.power)]

    def has_jacobian(self) -> bool:
        return True

    def get_jacobian(self, name: str, inames: Any, onames: Any, options: Any) -> Any:
        self.slopes.append(_Slope(self, name, options))
        return self.slopes[-1]


class _Slope(ca.Callback):
    def __init__(self, of: _Objective, name: str, options: Any) -> None:
        ca.Callback.__init__(self)
        self.of = of
        self.construct(name, options)

    def get_n_in(self) -> int:
        return 2

    def get_n_out(self) -> int:
        return 1

    def get_sparsity_in(self, i: int) -> Any:
        return ca.Sparsity.dense(self.of.size, 1) if i == 0 else ca.Sparsity(1, 1)

    def get_sparsity_out(self, i: int) -> Any:
        return ca.Sparsity.dense(1, self.of.size)

    def eval(self, arguments: Any) -> list[Any]:
        of = self.of
        return [ca.DM(of.information.gradient(np.asarray(arguments[0]).ravel(), of.criterion, of.power)).T]
