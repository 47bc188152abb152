"""Constraints on functions of the motion that cannot be linear in its coefficients: torques, points of the arm, distances."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from optid.errors import ShapeError, sentence
from optid.kernels import Kernel
from optid.robot import Robot
from optid.trajectory import Trajectory

if TYPE_CHECKING:
    from .path_proof import PathReport

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Path:
    """``lower <= h(q, dq, ddq) <= upper`` at every instant.

    Parameters
    ----------
    quantity : str
        What is limited, for messages.
    function : casadi.Function
        (q, dq, ddq) → (k, 1), scaled so that the bounds are of order one.
    labels : k-tuple of str
        Whose quantity each entry is.
    lower, upper : (k,)
    units : (k,)
        What one of the scaled entries is in SI units.
    lipschitz : (k, n), optional
        Largest change of each entry per unit of each joint, for a function of positions alone that is not smooth; it then carries the proof between samples.
    """

    quantity: str
    function: ca.Function
    labels: tuple[str, ...]
    lower: Array
    upper: Array
    units: Array
    lipschitz: Array | None = None
    backend: str = "interpreter"

    def __post_init__(self) -> None:
        k = len(self.labels)
        if self.function.size_out(0) != (k, 1):
            raise ShapeError(sentence(f"function of the {self.quantity} limits", f"shape {self.function.size_out(0)}", f"({k}, 1), one entry per label"))

    @property
    def size(self) -> int:
        """Entries k."""
        return len(self.labels)

    @cached_property
    def order(self) -> int:
        """Highest derivative of the motion that matters: 0 for functions of positions alone, 2 for torques."""
        return max((order for order in (1, 2) if self.function.jac_sparsity(0, order).nnz()), default=0)

    def prove(self, trajectory: Trajectory) -> PathReport:
        """Whether the limits hold at every instant of a motion; see :func:`optid.excitation.path_proof.prove_path`."""
        from .path_proof import prove_path

        return prove_path(trajectory, self)

    @cached_property
    def values(self) -> Kernel:
        """(q, dq, ddq) → (k, 1)."""
        return Kernel(self.function, self.backend)

    def _symbols(self, count: int = 3) -> list[ca.SX]:
        return [ca.SX.sym(name, self.function.numel_in(0)) for name in ("q", "dq", "ddq", "dddq")[:count]]

    @cached_property
    def slopes(self) -> Kernel:
        """(q, dq, ddq) → (k, 3n): derivatives with respect to q, dq, ddq."""
        q, dq, ddq = self._symbols()
        slopes = ca.jacobian(self.function(q, dq, ddq), ca.vertcat(q, dq, ddq))
        return Kernel(ca.Function("path_slopes", [q, dq, ddq], [slopes], ["q", "dq", "ddq"], ["slopes"]), self.backend)

    @cached_property
    def second(self) -> Kernel:
        """(q, dq, ddq, weights (k,)) → (3n, 3n): second derivatives of the weighted sum of the entries."""
        q, dq, ddq = self._symbols()
        weights = ca.SX.sym("weights", self.size)
        second = ca.hessian(ca.dot(weights, self.function(q, dq, ddq)), ca.vertcat(q, dq, ddq))[0]
        return Kernel(ca.Function("path_curvature", [q, dq, ddq, weights], [second], ["q", "dq", "ddq", "weights"], ["second"]), self.backend)

    @cached_property
    def rate(self) -> ca.Function:
        """(q, dq, ddq, dddq) → (k, 1): derivative of the entries with respect to time."""
        q, dq, ddq, dddq = self._symbols(4)
        h = self.function(q, dq, ddq)
        rate = ca.jtimes(h, q, dq) + ca.jtimes(h, dq, ddq) + ca.jtimes(h, ddq, dddq)
        return ca.Function("path_rate", [q, dq, ddq, dddq], [ca.densify(rate)])

    def shares(self, states: tuple[Array, Array, Array]) -> tuple[Array, Array]:
        """How close samples (N, k) come to the upper and the lower bounds; 1 is on the bound, -inf where there is none."""
        values = self.values(*states)[:, :, 0]
        return 1.0 + values - self.upper, 1.0 + self.lower - values


def of_position(
    robot: Robot, quantity: str, value: ca.SX, q: ca.SX, labels: tuple[str, ...], lower: Array, upper: Array, units: Array, lipschitz: Array | None = None
) -> Path:
    """A path constraint on a function of the joint positions alone."""
    dq, ddq = ca.SX.sym("dq", robot.n), ca.SX.sym("ddq", robot.n)
    function = ca.Function("region_shares", [q, dq, ddq], [ca.densify(value)], ["q", "dq", "ddq"], ["shares"])
    return Path(quantity, function, labels, lower, upper, units, lipschitz)
