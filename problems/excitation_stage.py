"""One nonlinear program of the sequence that an excitation design is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from optid.excitation.criteria import Criterion
from optid.excitation.information import Information
from optid.excitation.path_rows import MARGIN, PathRows
from optid.excitation.rows import Rows

Array = NDArray[np.float64]

ROUNDS = 4
"""Times the last stage is solved again with the instants at which its answer came closer to a limit than at the rows."""

BETWEEN = 2e-4
"""What may be missed between the rows, as a share of the limit; shrinking the motion takes care of it."""

HALVINGS = 24


@dataclass(frozen=True, eq=False)
class Stage:
    """One nonlinear program of the sequence.

    Attributes
    ----------
    information : Information
    criterion : Criterion
    groups : tuple of (motion, rows)
        Limits of the motion of that number.
    index : int
        Of the criterion's powers.
    rounds : int
        Times the last power has been solved again.
    """

    information: Information
    criterion: Criterion
    groups: tuple[tuple[int, Rows | PathRows], ...]
    index: int = 0
    rounds: int = 0

    @property
    def power(self) -> float:
        """Power of the stand-in."""
        return self.criterion.powers[self.index]

    @property
    def curved(self) -> bool:
        """Whether exact second derivatives are there."""
        return self.information.curved(self.criterion)

    def part(self, k: int, x: Array) -> Array:
        """Variables of motion k."""
        return x[self.information.parts[k]]

    def excess(self, x: Array) -> float:
        """Largest excess of any motion over any limit, at any instant, as a share of the limit."""
        return max((rows.excess(self.part(k, x)) for k, rows in self.groups), default=0.0)

    def hessian(self, x: Array, weight: float, multipliers: Array) -> Array:
        """Second derivatives of ``weight · criterion + multipliers · rows``."""
        total = weight * self.information.hessian(x, self.criterion, self.power) if weight else np.zeros((len(x), len(x)))
        at = 0
        for k, rows in self.groups:
            own, at = multipliers[at : at + len(rows)], at + len(rows)
            if isinstance(rows, PathRows) and np.any(own):
                here = self.information.parts[k]
                total[here, here] += rows.hessian(x[here], own)
        return total

    def following(self, x: Array) -> Stage | None:
        """The stage after this one was solved by x; None after the last."""
        groups = tuple((k, rows.with_extremes(self.part(k, x))) for k, rows in self.groups)
        if self.index + 1 < len(self.criterion.powers):
            return Stage(self.information, self.criterion, groups, self.index + 1)
        if self.rounds + 1 < ROUNDS and max((rows.blind(self.part(k, x)) for k, rows in self.groups), default=0.0) > BETWEEN:
            return Stage(self.information, self.criterion, groups, self.index, self.rounds + 1)
        return None

    # -- moving points inside the limits ------------------------------------------------------------------------------------------------------------

    def inside(self, x: Array) -> Array:
        """The point with every motion shrunk into its limits, at every instant."""
        return self._moved(x, lambda k, part: self.information.motions[k].inside(part))

    def nearly_inside(self, x: Array) -> Array:
        """As :meth:`inside`, by samples."""
        return self._moved(x, lambda k, part: self.information.motions[k].nearly_inside(part))

    def _moved(self, x: Array, shrink: Callable[[int, Array], Array]) -> Array:
        parts = [shrink(k, self.part(k, x)) for k in range(len(self.information.motions))]
        for k, motion in enumerate(self.information.motions):
            paths = [rows for j, rows in self.groups if j == k and isinstance(rows, PathRows)]
            if any(rows.excess(parts[k], MARGIN / 2) > 0.0 for rows in paths):
                middle = motion.vector(np.outer(motion.centre, motion.family.still), motion.coefficients(parts[k])[1])
                parts[k] = _largest_share(middle, parts[k], paths)
        return np.concatenate(parts)


def _largest_share(middle: Array, x: Array, paths: list[PathRows]) -> Array:
    """The point furthest from the motionless ``middle`` towards ``x`` at which all path constraints hold with room for a proof.

    ``x`` itself when they do not even hold at rest.
    """
    if any(rows.excess(middle, MARGIN / 2) > 0.0 for rows in paths):
        return x
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        share = (low + high) / 2
        if any(rows.excess(middle + share * (x - middle), MARGIN / 2) > 0.0 for rows in paths):
            high = share
        else:
            low = share
    return np.asarray(middle + low * (x - middle))
