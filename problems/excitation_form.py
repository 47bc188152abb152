"""The nonlinear program of an excitation design, solved as a sequence: smooth stand-ins first, limits between the instants as they come up."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .checks import excess
from .excitation_stage import Stage
from .measured import BlackBox
from .nlp import Advice, Nlp

TOLERANCE = 1e-4
"""Optimality error of the stand-ins; below it they tell no more about the criterion."""


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

        from .excitation_callback import objective, row_values

        information = stage.information
        motions = information.motions
        x = ca.MX.sym("x", sum(motion.size for motion in motions))
        functions = [objective(information, stage.criterion, stage.power)]
        expressions = []
        for k, rows in stage.groups:
            if not len(rows):
                continue
            part = information.parts[k]
            values, function = row_values(rows, x[part.start : part.stop])
            expressions.append(values)
            functions.append(function)
        bounds = [rows.bounds for _, rows in stage.groups]
        lbx, ubx = (np.concatenate(side) for side in zip(*(motion.bounds for motion in motions), strict=True))
        several = len(motions) > 1
        names = [f"{name} ({k + 1})" if several else name for k, motion in enumerate(motions) for name in motion.names]
        return cls(
            x=x,
            f=functions[0](x),
            g=ca.vertcat(*expressions),
            lbx=lbx,
            ubx=ubx,
            lbg=np.concatenate([low for low, _ in bounds]),
            ubg=np.concatenate([high for _, high in bounds]),
            x0=x0,
            names=names,
            scales=np.concatenate([motion.scales for motion in motions]),
            start=start,
            constraint_names=[name for _, rows in stage.groups for name in rows.names],
            advice=Advice(curvature=stage.curved, tolerance=TOLERANCE, warm=stage.index > 0),
            stage=stage,
            kept=functions,
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
        """Second derivatives of the criterion and of the curved limits."""
        return self._stage.hessian(np.asarray(x, dtype=float), weight, np.asarray(multipliers, dtype=float))

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
            x0=None if self.x0 is None else np.clip(stage.nearly_inside(self.x0), self.lower, self.upper),
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
