"""Identification while the robot moves: causal filters, the batch fit's regressor kernels, recursive least squares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.errors import DataError, ShapeError, sentence
from optid.kernels import Kernel
from optid.model.arguments import found, instance, positive, real
from optid.regressor import BaseParameters
from optid.robot import PARAMETER_STEMS

from .causal import CausalFilter
from .recursive import RecursiveEstimate, RecursiveLeastSquares

if TYPE_CHECKING:
    from optid.problems.identification_result import IdentificationResult

Array = NDArray[np.float64]


@dataclass(frozen=True)
class OnlineOptions:
    """How samples are taken in.

    Attributes
    ----------
    rate : float [Hz]
        Of the samples, which must come regularly.
    elastic_frequency : float or None [Hz]
        Lowest elastic frequency of the arm; the cut-off is five times that, at most 40 % of the rate (also without it).
    cutoff : float or None [Hz]
        The cut-off itself.
    order : int
        Of the causal filter.
    forgetting : float
        How much a sample counts after the next.
    torque_sigma : float or n floats [N m or N]
        Standard deviation of the noise of filtered torque; an estimate's sigmas are in its units.
    min_speed : float [rad/s or m/s]
        The equation of a joint is used only while it moves faster, for models with Coulomb friction.

    Examples
    --------
    >>> from optid.identification import OnlineOptions
    >>> OnlineOptions(rate=500.0, elastic_frequency=6.0).rate
    500.0
    """

    rate: float
    elastic_frequency: float | None = None
    cutoff: float | None = None
    order: int = 4
    forgetting: float = 1.0
    torque_sigma: float | tuple[float, ...] = 1.0
    min_speed: float = 0.0

    def __post_init__(self) -> None:
        positive(self.rate, "rate of on-line samples", "a positive number of Hz")
        for what in ("elastic_frequency", "cutoff"):
            if getattr(self, what) is not None:
                positive(getattr(self, what), f"{what} of on-line identification", "a positive number of Hz, or None")
        slowest = real(self.min_speed, "min_speed of on-line identification", "a speed >= 0")
        if not 0 <= slowest < np.inf:
            raise DataError(sentence("min_speed of on-line identification", slowest, "a speed >= 0"))

    def filter(self, n: int) -> CausalFilter:
        """The filter for n signals."""
        if self.cutoff is not None:
            return CausalFilter(n, self.rate, self.cutoff, self.order)
        if self.elastic_frequency is not None:
            return CausalFilter.of(n, self.rate, self.elastic_frequency, self.order)
        return CausalFilter(n, self.rate, 0.4 * self.rate, self.order)


class _Online:
    """Filters and recursion shared by what can be identified on-line."""

    def __init__(self, n: int, names: Sequence[str], options: OnlineOptions, prior: ArrayLike | None, sigmas: ArrayLike | None) -> None:
        self.n, self.options = n, options
        self._filter = options.filter(2 * n)
        self._recursion = RecursiveLeastSquares(names, options.forgetting, prior, sigmas)
        self._waiting = self._filter.settling
        self.samples = 0

    @property
    def delay(self) -> float:
        """[s] that an estimate is behind: the filter's delay of slow signals."""
        return self._filter.delay

    @property
    def cutoff(self) -> float:
        """[Hz] of the causal filter."""
        return self._filter.cutoff

    @property
    def estimate(self) -> RecursiveEstimate:
        """What is known now."""
        return self._recursion.estimate

    @property
    def residual_variance(self) -> float:
        """Of the remembered equations, in units of ``torque_sigma`` squared."""
        return self._recursion.residual_variance

    def update(self, q: ArrayLike, tau: ArrayLike) -> None:
        """Take in measured positions and torques of one sample (n,), or of several (B, n) in turn.

        Nothing is estimated from the first samples, until the filter has settled.
        """
        position, torque = np.atleast_2d(np.asarray(q, dtype=float)), np.atleast_2d(np.asarray(tau, dtype=float))
        if position.shape != torque.shape or position.ndim != 2 or position.shape[1] != self.n:
            raise ShapeError(sentence("samples to take in", f"q {np.shape(q)}, tau {np.shape(tau)}", f"({self.n},) or (B, {self.n}) both"))
        smooth = self._filter.step(np.hstack([position, torque]))
        self.samples += len(position)
        skipped = min(self._waiting, len(position))
        self._waiting -= skipped
        if skipped == len(position):
            return
        n = self.n
        motion = [part[skipped:, :n] for part in smooth]
        target = smooth.value[skipped:, n:] - self._known_torque(*motion)
        rows = self._rows(*motion)
        if self.options.min_speed > 0:
            target = np.where(np.abs(motion[1]) > self.options.min_speed, target, np.nan)
        self._recursion.update(rows, target, np.broadcast_to(np.asarray(self.options.torque_sigma, dtype=float), (n,)))

    def _rows(self, q: Array, dq: Array, ddq: Array) -> Array:
        raise NotImplementedError

    def _known_torque(self, q: Array, dq: Array, ddq: Array) -> Array:
        raise NotImplementedError


class OnlineIdentification(_Online):
    """Base parameters of a robot, sample by sample.

    Parameters
    ----------
    base : BaseParameters
    options : OnlineOptions
    prior, sigmas : (r,), optional
        What is believed before; it is not forgotten.
    known : mapping name → value, optional
        Values of the base parameters' known parameters, the robot's own by default.

    Examples
    --------
    >>> from optid.identification import OnlineIdentification, OnlineOptions
    >>> from optid.testing import example_fit
    >>> fit = example_fit()
    >>> online = OnlineIdentification(fit.base, OnlineOptions(rate=100.0))
    >>> online.options.rate
    100.0
    """

    def __init__(
        self,
        base: BaseParameters,
        options: OnlineOptions,
        prior: ArrayLike | None = None,
        sigmas: ArrayLike | None = None,
        known: Mapping[str, float] | None = None,
    ) -> None:
        instance(base, BaseParameters, "base of on-line identification", "Make them: BaseParameters.of(model).")
        super().__init__(base.model.n, base.formulas, options, prior, sigmas)
        self.base = base
        self._fixed = base.known_vector(known)

    def _rows(self, q: Array, dq: Array, ddq: Array) -> Array:
        return np.asarray(self.base.kernel(q, dq, ddq))

    def _known_torque(self, q: Array, dq: Array, ddq: Array) -> Array:
        return np.zeros_like(q) if self._fixed is None else np.asarray(self.base.model.inverse_dynamics(self._fixed, q, dq, ddq))


class OnlinePayload(_Online):
    """The ten parameters of a body held by the last link, from the torque that a fitted model of the empty robot does not explain.

    Parameters
    ----------
    fit : IdentificationResult
        Of the robot without the payload, friction included.
    options : OnlineOptions
    prior : (10,), optional
        m, mx, my, mz, Ixx, … of the payload about the last link's frame origin.
    sigmas : (10,), optional

    Notes
    -----
    Where the wrist cannot turn the payload about enough axes, some combinations stay open; they are NaN, and named by ``estimate.determinacy.directions``.

    Examples
    --------
    >>> from optid.identification import OnlineOptions, OnlinePayload
    >>> from optid.testing import example_fit
    >>> OnlinePayload(example_fit(), OnlineOptions(rate=500.0, elastic_frequency=6.0)).cutoff  # five times the elastic frequency
    30.0
    """

    def __init__(self, fit: IdentificationResult, options: OnlineOptions, prior: ArrayLike | None = None, sigmas: ArrayLike | None = None) -> None:
        if not hasattr(fit, "base"):
            raise DataError(sentence("fit of an on-line payload", found(fit), "the result of optid.identify for the robot without load"))
        model = fit.base.model
        super().__init__(model.n, PARAMETER_STEMS, options, prior, sigmas)
        self.fit = fit
        rigid = replace(model, friction=(), rotor_inertia=False, basis=())
        if rigid.robot.n_links < 1:
            raise DataError(sentence("on-line payload", "a robot without links", "a last link to hold it"))
        q, dq, ddq = (ca.SX.sym(name, model.n) for name in ("q", "dq", "ddq"))
        columns = rigid.regressor_expression(q, dq, ddq)[:, 10 * (rigid.robot.n_links - 1) : 10 * rigid.robot.n_links]
        self._kernel = Kernel(ca.Function("payload_columns", [q, dq, ddq], [columns], ["q", "dq", "ddq"], ["Y"]))

    def _rows(self, q: Array, dq: Array, ddq: Array) -> Array:
        return np.asarray(self._kernel(q, dq, ddq))

    def _known_torque(self, q: Array, dq: Array, ddq: Array) -> Array:
        return self.fit.predict(q, dq, ddq)
