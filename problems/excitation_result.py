"""The designed experiment: trajectory, figures, proof."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from optid.excitation.quality import Quality
from optid.robot import Limits
from optid.trajectory import CheckReport, Trajectory

if TYPE_CHECKING:
    from optid.regressor import BaseParameters
    from optid.solvers import Solution

    from .excitation import Excitation

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ExcitationResult:
    """A designed excitation.

    Attributes
    ----------
    problem : Excitation
    x : (size,)
        The variables.
    solution : Solution
    """

    problem: Excitation
    x: Array
    solution: Solution

    @property
    def base(self) -> BaseParameters:
        """The base parameters, with the friction sign of the design."""
        return self.problem.base

    @property
    def limits(self) -> Limits:
        """The limits of the design."""
        return self.problem.limits  # type: ignore[return-value]

    @cached_property
    def trajectory(self) -> Trajectory:
        """The designed motion."""
        return self.problem.motion.trajectory(self.x)

    @property
    def coefficients(self) -> Array:
        """Coefficients (n, m) of the motion; for a Fourier trajectory ``q0, a_1 ... a_H, b_1 ... b_H``."""
        return self.problem.motion.coefficients(self.x)[0]

    @cached_property
    def quality(self) -> Quality:
        """Figures of the samples of the design."""
        return self.problem.information.quality(self.x)

    @property
    def condition_number(self) -> float:
        """Condition number of the (noise-weighted) base regressor; infinite when rank is lost."""
        return self.quality.condition_number

    @cached_property
    def check(self) -> CheckReport:
        """Proof that position, velocity, acceleration (and jerk) limits hold at every instant, or where they do not."""
        jerk = np.array(self.problem.jerk)
        return self.trajectory.check(self.limits, jerk=jerk if np.isfinite(jerk).any() else None, rest=self.problem.rest)

    @property
    def proven(self) -> bool:
        """Whether every limit holds at every instant."""
        return bool(self.check)

    @property
    def converged(self) -> bool:
        """Whether the solver came to its regular end."""
        return self.solution.success

    def __str__(self) -> str:
        return f"{self.quality}; {self.check}; {self.solution}"
