"""Many arms at once: the same step for thousands of states through one kernel."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.errors import RobotError, ShapeError, SolveError, sentence
from optid.kernels import Kernel
from optid.model.arguments import instance
from optid.model.arrays import numbers

from .plant import LARGEST, Plant, State

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class BatchPlant:
    """N copies of an arm in N states.

    Parameters
    ----------
    plant : Plant
        Its friction must be smooth (``sign_width`` > 0 of its model) or viscous: exact Coulomb friction switches at other instants in every copy.
    backend : "auto", "interpreter", "compiled" or "simd"
        Of :class:`~optid.kernels.Kernel`. "auto" compiles the step where N × steps of one ``advance`` pay for it; a loop of many short calls, each too small
        to say so, is better off with "simd".

    Examples
    --------
    >>> from optid import DynamicModel, library
    >>> from optid.simulation import BatchPlant, Plant
    >>> arms = BatchPlant(Plant(DynamicModel(library.planar_2r(), friction="none")), backend="interpreter")
    >>> arms
    BatchPlant(plant=Plant(model DynamicModel('planar 2R', 2 joints, 20 parameters), pi (20,)), backend='interpreter')
    """

    plant: Plant
    backend: str = "auto"

    def __post_init__(self) -> None:
        instance(self.plant, Plant, "plant of a batch", "Make one: Plant(model).")
        if self.plant.sticky.any():
            raise RobotError(
                sentence(
                    f"batch of robot {self.plant.model.robot.name!r}",
                    "Coulomb friction with an exact sign",
                    "a smooth sign",
                    "Use model.with_sign_width(0.01), or simulate one arm at a time.",
                )
            )
        object.__setattr__(self, "_kernels", {self.backend: Kernel(self._step, self.backend)})

    @cached_property
    def _step(self) -> ca.Function:
        """One step of the classical Runge-Kutta method."""
        x = ca.SX.sym("x", 3 * self.plant.n)
        u, w = (ca.SX.sym(name, self.plant.n) for name in ("u", "w"))
        h = ca.SX.sym("h")
        k1 = self.plant.rates_expression(x, u, w)
        rates = ca.Function("rates", [x, u, w], [k1])
        k2 = rates(x + h / 2 * k1, u, w)
        k3 = rates(x + h / 2 * k2, u, w)
        k4 = rates(x + h * k3, u, w)
        return ca.Function("step", [h, x, u, w], [x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)], ["h", "x", "u", "w"], ["end"])

    def kernel(self, steps: int) -> Kernel:
        """The step's kernel for a job of so many single steps, copies times steps in time."""
        kernels: dict[str, Kernel] = self.__dict__["_kernels"]
        own = kernels[self.backend]
        backend = own.prepared(steps).backend
        if backend not in kernels:
            kernels[backend] = replace(own, backend=backend)
        return kernels[backend]

    def advance(self, state: State, u: ArrayLike, duration: float, w: ArrayLike | None = None) -> State:
        """States of (N, n) arrays after ``duration`` [s] with constant inputs u and torques w from outside, (N, n) or (n,).

        Raises
        ------
        SolveError
            When a motion leaves the finite numbers; the message names the first copy.
        """
        x, count = self._flat(state), self.plant._steps(duration)
        inputs = self._each("inputs of a batch", u, len(x))
        outside = self._each("torques from outside", 0.0 if w is None else w, len(x))
        step = self.kernel(len(x) * count)
        for _ in range(count):
            x = step(x, inputs, outside, h=[duration / count])[:, :, 0]
        lost = np.flatnonzero(~(np.abs(x) < LARGEST).all(axis=1))
        if len(lost):
            found = f"{len(lost)} of {len(x)} copies not finite, copy {int(lost[0])} the first"
            raise SolveError(sentence("simulation of a batch", found, "motions that stay finite", "Shorten step, or lower the gains."))
        return State(*np.split(x, 3, axis=1))

    def _flat(self, state: State) -> Array:
        """States as one array (N, 3n)."""
        n = self.plant.n
        try:
            x = np.concatenate([np.atleast_2d(numbers(part, "states of a batch")) for part in state], axis=1)
        except (ValueError, TypeError):
            x = np.zeros((0, 0))
        if x.ndim != 2 or x.shape[1] != 3 * n:
            shapes = [np.shape(part) for part in state] if isinstance(state, tuple | list) else type(state).__name__
            raise ShapeError(sentence("states of a batch", shapes, f"three arrays (N, {n}): State(q, dq, current)"))
        return x

    def _each(self, what: str, value: ArrayLike, N: int) -> Array:
        """(N, n) of a scalar, (n,) or (N, n)."""
        array, n = numbers(value, what), self.plant.n
        if array.shape not in ((), (n,), (N, n)):
            raise ShapeError(sentence(what, f"shape {array.shape}", f"({n},) or ({N}, {n})"))
        return np.broadcast_to(array, (N, n))
