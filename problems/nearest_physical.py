"""From base parameters to bodies that can exist and predict the same torque."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .forms import LeastSquares
from .physical import PhysicalIdentification

if TYPE_CHECKING:
    from optid.solvers import Solution

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class NearestPhysical:
    """min ‖(π − π₀)/s‖² over bodies that can exist, with B π = β.

    Parameters
    ----------
    frame : PhysicalIdentification
        Model, prior, scales s and limits; its data are not used.
    beta : (r,)
        Base parameters whose torque is kept.
    """

    frame: PhysicalIdentification
    beta: Array

    def form(self) -> LeastSquares:
        """Least squares on cones with one equation per base parameter."""
        frame = self.frame
        u = frame.variables
        bodies = frame.form()
        assert isinstance(bodies, LeastSquares)
        weight = frame.scales[u] / frame.sigmas[u]
        rows = frame.base.matrix[:, u] * frame.scales[u]
        heights = np.linalg.norm(rows, axis=1)
        return LeastSquares(
            np.diag(weight),
            weight * frame.prior.values[u] / frame.scales[u],
            lower=bodies.lower,
            upper=bodies.upper,
            A_eq=rows / heights[:, None],
            b_eq=self.beta / heights,
            A_in=bodies.A_in,
            b_in=bodies.b_in,
            cones=bodies.cones,
            names=bodies.names,
        )

    def interpret(self, solution: Solution) -> Array:
        """Standard parameters (p,)."""
        return self.frame.standard(solution.x)
