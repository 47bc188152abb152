"""Many arms at once: the same step for thousands of states through one kernel."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.errors import RobotError, ShapeError, sentence
from optid.kernels import Kernel

from .plant import Plant, State

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class BatchPlant:
    """N copies of an arm in N states.

    Parameters
    ----------
    plant : Plant
        Its friction must be smooth (``sign_width`` > 0 of its model) or viscous: exact Coulomb friction switches at other instants in every copy.
    """

    plant: Plant

    def __post_init__(self) -> None:
        if self.plant.sticky.any():
            raise RobotError(
                sentence(
                    f"batch of robot {self.plant.model.robot.name!r}",
                    "Coulomb friction with an exact sign",
                    "a smooth sign",
                    "Use model.with_sign_width(0.01), or simulate one arm at a time.",
                )
            )

    @cached_property
    def _kernel(self) -> Kernel:
        x = ca.SX.sym("x", 3 * self.plant.n)
        u, w = (ca.SX.sym(name, self.plant.n) for name in ("u", "w"))
        h = ca.SX.sym("h")
        k1 = self.plant.rates_expression(x, u, w)
        rates = ca.Function("rates", [x, u, w], [k1])
        k2 = rates(x + h / 2 * k1, u, w)
        k3 = rates(x + h / 2 * k2, u, w)
        k4 = rates(x + h * k3, u, w)
        return Kernel(ca.Function("step", [h, x, u, w], [x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)], ["h", "x", "u", "w"], ["end"]))

    def advance(self, state: State, u: ArrayLike, duration: float, w: ArrayLike | None = None) -> State:
        """States of (N, n) arrays after ``duration`` [s] with constant inputs u and torques w from outside, (N, n) or (n,)."""
        plant = self.plant
        x = np.concatenate([np.atleast_2d(np.asarray(part, dtype=float)) for part in state], axis=1)
        if x.shape[1] != 3 * plant.n:
            raise ShapeError(sentence("states of a batch", f"shape {x.shape}", f"three arrays (N, {plant.n})"))
        inputs, outside = (np.broadcast_to(np.asarray(0.0 if v is None else v, dtype=float), (len(x), plant.n)) for v in (u, w))
        count = max(1, int(np.ceil(duration / plant.largest_step * (1 - 1e-12))))
        for _ in range(count):
            x = self._kernel(x, inputs, outside, h=[duration / count])[:, :, 0]
        return State(*np.split(x, 3, axis=1))
