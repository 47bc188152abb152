"""The nonlinear program of an excitation design, solved as a sequence: smooth stand-ins first, limits between the instants as they come up."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from optid.excitation.criteria import Criterion
from optid.excitation.information import Information
from optid.excitation.rows import Rows

from .checks import excess
from .measured import BlackBox
from .nlp import Advice, Nlp

ROUNDS = 4
"""Times the last stage is solved again with the instants at which its answer broke a limit in between."""

BETWEEN = 2e-4
"""Excess between the instants, as a share of the limit, that is left to shrinking the motion."""


@dataclass(frozen=True, eq=False)
class Stage:
    """One nonlinear program of the sequence.

    Attributes
    ----------
    information : Information
    criterion : Criterion
    rows : tuple of Rows
        One a motion.
    index : int
        Of the criterion's powers.
    rounds : int
        Times the last power has been solved.
    """

    information: Information
    criterion: Criterion
    rows: tuple[Rows, ...]
    index: int = 0
    rounds: int = 0

    @property
    def power(self) -> float:
        return self.criterion.powers[self.index]

    @property
    def tolerance(self) -> float:
        """Optimality error to be reached: crude while the stand-in is."""
        return 1e-4

    def excess(self, x: np.ndarray) -> float:
        """Largest excess of any motion over any limit, at any instant, as a share of the limit."""
        return max(motion.excess(x[part]) for motion, part in zip(self.information.motions, self.information.parts, strict=True))

    def inside(self, x: np.ndarray) -> np.ndarray:
        """The point with every motion shrunk into its limits, at every instant."""
        return np.concatenate([motion.inside(x[part]) for motion, part in zip(self.information.motions, self.information.parts, strict=True)])

    def nearly_inside(self, x: np.ndarray) -> np.ndarray:
        """As :meth:`inside`, by samples."""
        return np.concatenate([motion.nearly_inside(x[part]) for motion, part in zip(self.information.motions, self.information.parts, strict=True)])

    def following(self, x: np.ndarray) -> Stage | None:
        """The stage after this one was solved by x; None after the last."""
        pairs = list(zip(self.rows, self.information.parts, strict=True))
        rows = tuple(each.with_extremes(x[part]) for each, part in pairs)
        if self.index + 1 < len(self.criterion.powers):
            return Stage(self.information, self.criterion, rows, self.index + 1)
        if self.rounds + 1 < ROUNDS and max(each.blind(x[part]) for each, part in pairs) > BETWEEN:
            return Stage(self.information, self.criterion, rows, self.index, self.rounds + 1)
        return None


@dataclass(frozen=True, eq=False)
class ExcitationNlp(Nlp):
    """An excitation design as expressions.

    Its answers are judged by the criterion itself and by the limits at every instant, after the motion was shrunk into them; not by f and g, which are
    stand-ins.
    """

    stage: Stage | None = None
    kept: Any = field(default=None, repr=False)

    @classmethod
    def of(cls, stage: Stage, x0: Any, start: Any) -> ExcitationNlp:
        """Build the expressions of a stage."""
        import casadi as ca

        from .excitation_callback import objective

        information = stage.information
        motions = information.motions
        x = ca.MX.sym("x", sum(motion.size for motion in motions))
        f = objective(information, stage.criterion, stage.power)
        rows = [each.expression(x[part.start : part.stop]) for each, part in zip(stage.rows, information.parts, strict=True)]
        low, high = (np.concatenate(side) for side in zip(*(each.bounds for each in stage.rows), strict=True))
        lbx, ubx = (np.concatenate(side) for side in zip(*(motion.bounds for motion in motions), strict=True))
        several = len(motions) > 1
        names = [f"{name} ({k + 1})" if several else name for k, motion in enumerate(motions) for name in motion.names]
        return cls(
            x=x,
            f=f(x),
            g=ca.vertcat(*rows),
            lbx=lbx,
            ubx=ubx,
            lbg=low,
            ubg=high,
            x0=x0,
            names=names,
            scales=np.concatenate([motion.scales for motion in motions]),
            start=start,
            constraint_names=[name for each in stage.rows for name in each.names],
            advice=Advice(curvature=information.curved(stage.criterion), tolerance=stage.tolerance, warm=stage.index > 0),
            stage=stage,
            kept=f,
        )

    @property
    def _stage(self) -> Stage:
        assert self.stage is not None
        return self.stage

    def evaluate(self, x: np.ndarray) -> tuple[float, float]:
        """The criterion itself, and the largest excess over a limit at any instant."""
        stage, x = self._stage, np.asarray(x, dtype=float)
        return stage.information.value(x, stage.criterion), max(stage.excess(x), excess(x, self.lower, self.upper))

    def hessian(self, x: np.ndarray, weight: float, multipliers: np.ndarray) -> np.ndarray:
        """Second derivatives of the criterion; those of the limits are zero."""
        stage = self._stage
        return weight * stage.information.hessian(np.asarray(x, dtype=float), stage.criterion, stage.power)

    def settle(self, x: np.ndarray) -> np.ndarray:
        """The motion shrunk into its limits."""
        return self._stage.inside(np.asarray(x, dtype=float)) if np.all(np.isfinite(x)) else x

    def following(self, x: np.ndarray) -> ExcitationNlp | None:
        """The next stand-in, or the same one with the limits at further instants."""
        stage = self._stage.following(np.asarray(x, dtype=float))
        return None if stage is None else ExcitationNlp.of(stage, x, None)

    def black_box(self) -> BlackBox:
        """For solvers without derivatives: the criterion itself, over motions that are shrunk into their limits."""
        stage = self._stage
        return InsideBlackBox(
            fun=lambda x: stage.information.value(x, stage.criterion),
            lower=self.lower,
            upper=self.upper,
            x0=None if self.x0 is None else stage.nearly_inside(self.x0),
            names=self.names,
            scales=self.scales,
            start=self.start,
            stage=stage,
        )


@dataclass(frozen=True, eq=False)
class InsideBlackBox(BlackBox):
    """A black box that moves every point inside the limits before it is evaluated."""

    stage: Stage | None = None

    def snap(self, x: np.ndarray) -> np.ndarray:
        """The motion shrunk into its limits."""
        assert self.stage is not None
        return self.stage.nearly_inside(super().snap(x))
