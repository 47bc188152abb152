"""What motions tell about the base parameters, and how that changes with their variables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.errors import ShapeError, sentence
from optid.kernels import Kernel
from optid.kernels.blas import one_thread
from optid.regressor import BaseParameters
from optid.trajectory import Trajectory

from .criteria import EXACT, Criterion
from .curvature import RegressorDerivatives, motion_curvature, sample_curvature, spectral_curvature
from .motion import Motion
from .quality import Quality
from .sampling import Sampling
from .spread import spread

Array = NDArray[np.float64]

DOUBTFUL = 1e-11
"""Below this ratio of eigenvalues they are taken from the regressor itself instead of its square."""

FLOOR = 1e-30
"""Smallest eigenvalue, as a share of the largest."""


@dataclass(frozen=True, eq=False)
class Information:
    """The information matrix of the base parameters as a function of the variables of one motion, or of several designed together.

    Parameters
    ----------
    base : BaseParameters
        With a smooth friction sign.
    samplings : sequence of Sampling
    noise : (n,) [N m, N]
        Standard deviation of each joint's torque noise.
    prior : (r, r), optional
        Information from earlier experiments (same units).
    columns : "none", "unit" or (r,)
        Scaling of the columns: none, to unit norm, or by given factors.
    backend : "interpreter" or "simd"
        How the regressor and its derivatives are evaluated; one for the whole design, for the two differ in the last bits.
    """

    base: BaseParameters
    samplings: tuple[Sampling, ...]
    noise: tuple[float, ...]
    prior: Array | None = None
    columns: str | tuple[float, ...] = "none"
    backend: str = "interpreter"
    _last: dict[str, Any] = field(default_factory=dict, init=False, repr=False)

    @cached_property
    def _adjoint(self) -> Kernel:
        """(q, dq, ddq, slope of the regressor) → slopes of q, dq, ddq (n, 3)."""
        n, r = self.base.model.n, self.base.rank
        q, dq, ddq = (ca.SX.sym(name, n) for name in ("q", "dq", "ddq"))
        slope = ca.SX.sym("slope", n * r)
        inner = ca.dot(ca.reshape(slope, n, r), self.base.function(q, dq, ddq))
        columns = [ca.densify(ca.gradient(inner, x)) for x in (q, dq, ddq)]
        function = ca.Function("adjoint", [q, dq, ddq, slope], [ca.horzcat(*columns)], ["q", "dq", "ddq", "slope"], ["slopes"])
        return Kernel(function, self.backend)

    @cached_property
    def _kernel(self) -> Kernel:
        return Kernel(self.base.function, self.backend)

    @cached_property
    def parts(self) -> tuple[slice, ...]:
        """Where each motion's variables are in x."""
        ends = np.cumsum([0, *(s.motion.size for s in self.samplings)])
        return tuple(slice(int(a), int(b)) for a, b in pairwise(ends))

    @property
    def motions(self) -> tuple[Motion, ...]:
        """The motions in the order of their variables."""
        return tuple(s.motion for s in self.samplings)

    def states(self, x: Array) -> tuple[Array, Array, Array]:
        """q, dq, ddq (N, n) of all motions, one after another."""
        each = [sampling.states(x[part]) for sampling, part in zip(self.samplings, self.parts, strict=True)]
        q, dq, ddq = (np.concatenate(column) for column in zip(*each, strict=True))
        return q, dq, ddq

    def stacked(self, x: Array) -> Array:
        """Weighted base regressor (N·n, r), below it a square root of the earlier information."""
        W = self._regressor(self.states(x))
        below = [] if self.prior is None else [root(self.prior)]
        return np.concatenate([W.reshape(-1, self.base.rank), *below])

    @one_thread()
    def quality(self, x: Array, nominal: ArrayLike | None = None) -> Quality:
        """Figures at x."""
        return Quality.of(self.base, self.stacked(x), self.noise, nominal)

    def _regressor(self, states: tuple[Array, Array, Array]) -> Array:
        return np.asarray(self._kernel(*states) / np.array(self.noise)[:, None])

    def _spectrum(self, x: Array) -> dict[str, Any]:
        """Samples, regressor, and the eigenvalues and vectors of the scaled information; the last point is remembered."""
        if self._last and np.array_equal(self._last["x"], x):
            return self._last
        states = self.states(x)
        W = self._regressor(states)
        flat = W.reshape(-1, self.base.rank)
        M = flat.T @ flat
        if self.prior is not None:
            M = M + self.prior
        size = self._column_sizes(M)
        scaled = M / np.outer(size, size)
        finite = bool(np.isfinite(scaled).all())
        values, vectors = np.linalg.eigh(scaled) if finite else (np.full(len(M), np.nan), np.eye(len(M)))
        if finite and values[0] < DOUBTFUL * values[-1]:
            stack = flat if self.prior is None else np.concatenate([flat, root(self.prior)])
            _, s, Vt = np.linalg.svd(stack / size, full_matrices=len(stack) < len(M))
            s = np.concatenate([s, np.zeros(len(M) - len(s))])
            values, vectors = s[::-1] ** 2, Vt[::-1].T
        logs = np.log(np.maximum(values, max(FLOOR * float(values[-1]), np.finfo(float).tiny))) if finite else values
        self._last.clear()
        self._last.update(x=x.copy(), states=states, W=W, size=size, scaled=scaled, logs=logs, vectors=vectors)
        return self._last

    def _column_sizes(self, M: Array) -> Array:
        if self.columns == "none":
            return np.ones(len(M))
        if self.columns == "unit":
            norms = np.sqrt(np.diag(M))
            return np.where(norms > 0, norms, 1.0)
        return 1.0 / np.asarray(self.columns, dtype=float)

    @one_thread()
    def value(self, x: Array, criterion: Criterion, power: float = EXACT) -> float:
        """The (stand-in of the) criterion at x."""
        spectrum = self._spectrum(x)
        total = criterion.value(spectrum["logs"], power)
        if criterion.spread:
            total = float(np.logaddexp(total, spread(spectrum["W"], power)[0]))
        return total

    @one_thread()
    def gradient(self, x: Array, criterion: Criterion, power: float) -> Array:
        """Exact gradient (size,) of :meth:`value`."""
        at = self._spectrum(x)
        logs, V, W, size = at["logs"], at["vectors"], at["W"], at["size"]
        G = (V * (criterion.slope(logs, power) * np.exp(-logs))) @ V.T
        if self.columns == "unit":
            G = G - np.diag((G * at["scaled"]).sum(axis=1))
        G = G / np.outer(size, size)
        slope = 2.0 * (W @ G)
        if criterion.spread:
            cond = criterion.value(logs, power)
            other, its = spread(W, power)
            total = np.logaddexp(cond, other)
            slope = np.exp(cond - total) * slope + np.exp(other - total) * its
        slope = slope / np.array(self.noise)[:, None]
        flat = slope.transpose(0, 2, 1).reshape(len(slope), -1)
        slopes = self._adjoint(*at["states"], flat).transpose(2, 0, 1)
        ends = np.cumsum([0, *(len(s.phase) for s in self.samplings)])
        each = [sampling.adjoint(x[part], slopes[:, a:b]) for sampling, part, (a, b) in zip(self.samplings, self.parts, pairwise(ends), strict=True)]
        return np.concatenate(each)

    def curved(self, criterion: Criterion) -> bool:
        """Whether :meth:`hessian` is offered: not for free durations, columns scaled to unit norm, and extreme elements."""
        return not (self.columns == "unit" or criterion.spread or any(motion.timed for motion in self.motions))

    @cached_property
    def _derivatives(self) -> RegressorDerivatives:
        return RegressorDerivatives(self.base, self.backend)

    @one_thread()
    def hessian(self, x: Array, criterion: Criterion, power: float) -> Array:
        """Exact second derivatives (size, size) of :meth:`value`."""
        at = self._spectrum(x)
        logs, V, size = at["logs"], at["vectors"], at["size"]
        noise = np.array(self.noise)[:, None]
        values, slope = np.exp(logs), criterion.slope(logs, power)
        second = (criterion.curvature(logs, power) - np.diag(slope)) / np.outer(values, values)
        W = at["W"] / size
        shape = (*W.shape, 3 * self.base.model.n)
        slopes = self._derivatives.first(*at["states"]).reshape(shape) / (noise * size)[:, :, None]
        turned = np.matmul(V.T, slopes)
        total = spectral_curvature(W, turned, self.samplings, values, V, slope / values, second)
        weights = 2.0 * (W @ ((V * (slope / values)) @ V.T)) / (noise * size)
        bent = self._derivatives.second(*at["states"], weights.reshape(len(W), -1)) + sample_curvature(turned, slope / values)
        total += motion_curvature(bent, self.samplings)
        return np.asarray(0.5 * (total + total.T))


def root(information: Array) -> Array:
    """A matrix R (r, r) with RᵀR = information (symmetric, positive semidefinite)."""
    values, vectors = np.linalg.eigh(information)
    return np.asarray(np.sqrt(np.maximum(values, 0.0))[:, None] * vectors.T)


def noise_vector(noise: ArrayLike | None, n: int) -> tuple[float, ...]:
    """Standard deviations of the torque noise, one a joint; ones when nothing is given."""
    sigma = np.broadcast_to(np.asarray(1.0 if noise is None else noise, dtype=float), (n,)) if np.size(1.0 if noise is None else noise) in (1, n) else None
    if sigma is None or not np.isfinite(sigma).all() or not (sigma > 0).all():
        raise ShapeError(sentence("noise", repr(noise), f"one positive standard deviation, or {n}: one per joint"))
    return tuple(float(s) for s in sigma)


def assess(
    base: BaseParameters,
    trajectory: Trajectory | Sequence[Trajectory],
    samples: int = 100,
    noise: ArrayLike | None = None,
    information: Array | None = None,
    nominal: ArrayLike | None = None,
) -> Quality:
    """Figures of any trajectory, or of several together, e.g. a published one against a designed one.

    Parameters
    ----------
    base : BaseParameters
    trajectory : Trajectory or sequence of Trajectory
    samples : int
        Equally spaced samples over each motion (without the end of a periodic one).
    noise : float or (n,), optional [N m, N]
        Standard deviation of the torque noise; 1 when omitted.
    information : (r, r), optional
        Earlier information in the same units.
    nominal : (r,), optional
        Base parameters that the predicted errors are compared with.

    Examples
    --------
    >>> from optid import BaseParameters
    >>> from optid.excitation import assess
    >>> from optid.simulation.irb140 import KNOWN, irb140_model
    >>> from optid.trajectory import irb140_g21
    >>> base = BaseParameters.of(irb140_model(), known=KNOWN)
    >>> round(assess(base, irb140_g21(), samples=100).condition_number, 2)  # printed: 36.37, from rounded coefficients
    36.74
    """
    sigma = noise_vector(noise, base.model.n)
    blocks = []
    for each in [trajectory] if isinstance(trajectory, Trajectory) else trajectory:
        t = np.arange(samples) * (each.duration / samples) if each.periodic else np.linspace(0.0, each.duration, samples)
        W = base.kernel(*each.evaluate(t)) / np.array(sigma)[:, None]
        blocks.append(W.reshape(-1, base.rank))
    if information is not None:
        blocks.append(root(np.asarray(information, dtype=float)))
    return Quality.of(base, np.concatenate(blocks), sigma, nominal)
