"""Closed-loop output error: the parameters whose simulated loop shows what was recorded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.brief import brief
from optid.errors import DataError, sentence, unknown_name
from optid.kernels import JointFactors
from optid.regressor import BaseParameters
from optid.signals import Samples
from optid.statistics import Determinacy, ResidualStatistics, TrialResiduals
from optid.statistics.residuals import Block

from .closed_loop import LoopMotion
from .fit_details import FitDetails
from .forms import Residuals
from .identification_result import IdentificationResult

if TYPE_CHECKING:
    from optid.solvers import Solution

Array = NDArray[np.float64]

OUTPUTS = ("position", "torque")


@dataclass(frozen=True, eq=False)
class OutputError:
    """min Σ ‖(measured − simulated(β)) / size‖² over all trials, joints and used samples.

    Parameters
    ----------
    base : BaseParameters
    loop : ClosedLoop
    samples : tuple of Samples
    factors : JointFactors
        Of the measured data; errors of the result are against them.
    start : (r,)
        Where the search begins, usually least squares.
    scales : (r,), optional
        Typical changes of the parameters, such as their sigmas at the start.
    output : "position" or "torque"
    known, method, context
        As for :class:`optid.problems.Identification`.

    Notes
    -----
    The sizes are each joint's root mean square at the start, so that joints count alike.

    Examples
    --------
    >>> from optid.problems import OutputError
    >>> OutputError.output, OutputError.method
    ('position', 'output_error')
    """

    base: BaseParameters
    loop: Any
    samples: tuple[Samples, ...]
    factors: JointFactors
    start: ArrayLike
    scales: ArrayLike | None = None
    output: str = "position"
    known: Mapping[str, float] = field(default_factory=dict)
    method: str = "output_error"
    context: Mapping[str, Any] = field(default_factory=dict)

    __repr__ = brief

    def __post_init__(self) -> None:
        if self.output not in OUTPUTS:
            raise unknown_name("output", self.output, OUTPUTS)
        start = np.asarray(self.start, dtype=float)
        if start.shape != (self.base.rank,) or not np.isfinite(start).all():
            raise DataError(sentence("start of the output error", f"shape {start.shape}", f"{self.base.rank} finite numbers"))
        object.__setattr__(self, "start", start)
        object.__setattr__(self, "samples", tuple(self.samples))

    @property
    def _known_vector(self) -> Array | None:
        return self.base.known_vector(self.known)

    @cached_property
    def _memory(self) -> dict[bytes, list[LoopMotion]]:
        return {}

    def simulated(self, beta: Array) -> list[LoopMotion]:
        """Simulations at beta, with sensitivities; the last ones are kept, because a solver asks for residual and Jacobian in turn."""
        key = beta.tobytes()
        if key not in self._memory:
            found = [self.loop.motion(self.base, beta, s, self._known_vector, self.output) for s in self.samples]
            self._memory.clear()
            self._memory[key] = found
        return self._memory[key]

    def _errors(self, beta: Array) -> list[Array]:
        pairs = zip(self.samples, self.simulated(beta), strict=True)
        if self.output == "position":
            return [s.q - motion.q for s, motion in pairs]
        return [s.tau - motion.tau for s, motion in pairs]

    @cached_property
    def sizes(self) -> Array:
        """(n,) root mean square of each joint's error at the start."""
        errors = self._errors(np.asarray(self.start))
        total = np.sum([(e**2 * s.use).sum(axis=0) for e, s in zip(errors, self.samples, strict=True)], axis=0)
        rms = np.sqrt(total / np.maximum(np.sum([s.used for s in self.samples], axis=0), 1))
        return np.where(rms > 0, rms, 1.0)

    def form(self) -> Residuals:
        """The errors and their exact Jacobian."""
        masks = [s.use.ravel() for s in self.samples]

        def residual(beta: Array) -> Array:
            return np.concatenate([(e / self.sizes).ravel()[m] for e, m in zip(self._errors(beta), masks, strict=True)])

        def jacobian(beta: Array) -> Array:
            rows = []
            for motion, mask in zip(self.simulated(beta), masks, strict=True):
                assert motion.sensitivity is not None
                rows.append((-motion.sensitivity / self.sizes[:, None]).reshape(-1, self.base.rank)[mask])
            return np.concatenate(rows)

        start = np.asarray(self.start)
        scales = np.ones(len(start)) if self.scales is None else np.asarray(self.scales, dtype=float)
        return Residuals(residual, start, jacobian, names=self.base.names, scales=np.where(np.isfinite(scales) & (scales > 0), scales, 1.0))

    def interpret(self, solution: Solution) -> IdentificationResult:
        """Estimates with the uncertainty that the sensitivities give."""
        n, r = self.base.model.n, self.base.rank
        x = np.asarray(solution.x)
        weights = 1.0 / self.sizes**2
        equations = JointFactors.empty(n, r)
        trials = []
        for samples, motion, error in zip(self.samples, self.simulated(x), self._errors(x), strict=True):
            assert motion.sensitivity is not None
            S, use = motion.sensitivity, samples.use
            equations = equations.update(S, S @ x + error, use)

            def blocks(block: Block = (S, error, use)) -> Iterator[Block]:
                return iter((block,))

            trials.append(TrialResiduals(blocks, samples.parts(), 1.0 / samples.rate, n, samples.independent_share))
        determinacy = Determinacy.of(equations.stacked(weights)[0], self.base.names)
        details = FitDetails(equations=equations, residuals=ResidualStatistics.of(trials, weights))
        return IdentificationResult(
            self.base,
            np.where(determinacy.determined, x, np.nan),
            weights,
            self.factors,
            determinacy,
            dict(self.known),
            self.method,
            solution,
            x,
            details=details,
            **self.context,
        )
