"""Torque per ampere of every drive, from currents recorded with and without a known load."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.brief import brief
from optid.errors import DataError, RankError, sentence, unknown_name
from optid.kernels import JointFactors
from optid.model.arguments import per_axis
from optid.robot import PARAMETER_STEMS

from .equations import Equations
from .forms import LeastSquares
from .linear_estimate import LinearEstimate

if TYPE_CHECKING:
    from optid.solvers import Solution

Array = NDArray[np.float64]

ILL_DETERMINED = 0.1
"""Gains whose relative standard deviation is larger than this are named."""


@dataclass(frozen=True, eq=False)
class DriveGainsResult:
    """Gains of the drives.

    Attributes
    ----------
    joint_names : n-tuple of str
    gains : (n,) [N m/A]
        NaN where the data do not determine it.
    sigma : (n,)
    reverse : (n,)
        The gain if all the noise were in the joint's current: noise there pulls ``gains`` towards zero, so the true one lies between the two. Far apart
        means that the load hardly shows in this current.
    load : (10,)
        Parameters of the load about the last link's frame origin, the known ones included.
    beta : (r,)
        Base parameters of the robot.
    estimate : LinearEstimate
    solution : Solution

    Examples
    --------
    >>> from optid.identification import identify_drive_gains
    >>> from optid.testing import example_model, example_samples
    >>> runs = example_samples(gain=10.0), example_samples(load=2.0, gain=10.0)
    >>> identify_drive_gains(example_model(), *runs, known={"m": 2.0}).joint_names
    ('joint1', 'joint2')
    """

    joint_names: tuple[str, ...]
    gains: Array
    sigma: Array
    reverse: Array
    load: Array
    beta: Array
    estimate: LinearEstimate
    solution: Solution

    __repr__ = brief

    @property
    def relative_sigma(self) -> Array:
        """sigma / |gain| (n,)."""
        return np.where(np.isnan(self.gains), np.inf, self.sigma / np.abs(self.gains))

    @property
    def relative_covariance(self) -> Array:
        """Covariance (n, n) of the gains' relative errors, for ``gain_error=`` of :func:`optid.identify_payload`; infinite where one is undetermined."""
        n = len(self.gains)
        covariance = self.estimate.covariance()[-n:, -n:]
        size = np.where(np.isnan(self.gains), 1.0, self.gains)
        return np.asarray(covariance / np.outer(size, size))

    @property
    def ill_determined(self) -> tuple[str, ...]:
        """Joints whose gain the data hardly show, such as one that gravity does not reach."""
        return tuple(name for name, ratio in zip(self.joint_names, self.relative_sigma, strict=True) if ratio > ILL_DETERMINED)

    def interval(self, level: float = 0.95, kind: str | None = None) -> Array:
        """Confidence intervals (n, 2) of the gains."""
        n = len(self.gains)
        return self.estimate.interval(level, kind)[-n:]

    def summary(self) -> str:
        """A readable table."""
        lines = [f"{'joint':<16} {'gain [N m/A]':>12} {'sigma':>9} {'reverse':>9}   95 % interval"]
        for name, gain, sigma, other, (low, high) in zip(self.joint_names, self.gains, self.sigma, self.reverse, self.interval(), strict=True):
            weak = "   ill-determined" if name in self.ill_determined else ""
            lines.append(f"{name:<16} {gain:>12.4f} {sigma:>9.3g} {other:>9.4g}   {low:.4f} … {high:.4f}{weak}")
        return "\n".join(lines)


@dataclass(frozen=True, eq=False)
class DriveGains:
    """min over β, π, K of Σ_j w_j ‖W_j β + L_j π − K_j i_j‖², with at least one parameter of the load known.

    Without a known load every torque could be scaled at will; with it the currents must explain a known change. A gain follows from what the load changes on
    its own joint and, through the shared base parameters, on the others.

    Parameters
    ----------
    factors : JointFactors
        Of [W, L, i]: r base columns, ten of the last link (zero in runs without load), current of the joint as the target [A].
    n_base : int
    known : mapping stem → value
        Of the load, for example ``{"m": 2.805}``.
    joint_names : n-tuple of str
    weights : (n,), optional
        Of each joint's squared residual in N m.

    Examples
    --------
    >>> from optid.identification import identify_drive_gains
    >>> from optid.testing import example_model, example_samples
    >>> runs = example_samples(gain=10.0), example_samples(load=2.0, gain=10.0)
    >>> identify_drive_gains(example_model(), *runs, known={"m": 2.0}).gains.round(6)
    array([10., 10.])
    """

    factors: JointFactors
    n_base: int
    known: Mapping[str, float]
    joint_names: tuple[str, ...]
    weights: ArrayLike | None = None

    __repr__ = brief

    def __post_init__(self) -> None:
        for stem in self.known:
            if stem not in PARAMETER_STEMS:
                raise unknown_name("load parameter", stem, PARAMETER_STEMS)
        if self.weights is not None and not ((w := per_axis(self.weights, self.factors.n_joints, "weights of the joints")) > 0).all():
            raise DataError(sentence("weights of the joints", w.tolist(), "positive numbers"))
        if not any(self.known.values()):
            raise RankError(sentence("known load", "nothing but zeros", "at least its mass", "Without it every torque can be scaled at will."))

    @property
    def unknown(self) -> list[int]:
        """Numbers of the load's parameters to fit."""
        return [k for k, stem in enumerate(PARAMETER_STEMS) if stem not in self.known]

    @cached_property
    def equations(self) -> Equations:
        """In base parameters, the load's unknown parameters and the gains; the known part of the load on the right."""
        r, n = self.n_base, self.factors.n_joints
        root = np.ones(n) if self.weights is None else np.sqrt(np.asarray(self.weights, dtype=float))
        load = np.zeros(10)
        for stem, value in self.known.items():
            load[PARAMETER_STEMS.index(stem)] = value
        blocks, rights = [], []
        for j in range(n):
            R = root[j] * self.factors.triangles[j]
            gains = np.zeros((len(R), n))
            gains[:, j] = -R[:, r + 10]
            blocks.append(np.hstack([R[:, :r], R[:, [r + k for k in self.unknown]], gains]))
            rights.append(-R[:, r : r + 10] @ load)
        names = [*(f"beta{k + 1}" for k in range(r)), *(PARAMETER_STEMS[k] for k in self.unknown), *(f"gain of {name}" for name in self.joint_names)]
        triangle = np.asarray(np.linalg.qr(np.column_stack([np.vstack(blocks), np.concatenate(rights)]), mode="r"))
        return Equations(triangle[:, :-1], triangle[:, -1], names)

    def form(self) -> LeastSquares:
        """The least squares form."""
        e = self.equations
        return LeastSquares(e.A, e.b, names=e.names)

    def interpret(self, solution: Solution) -> DriveGainsResult:
        """The gains, NaN where they are not determined."""
        e = self.equations
        determined = e.determinacy.determined
        x = np.array(solution.x) if determined.all() else e.minimum_norm
        return self.result(LinearEstimate(e, np.where(determined, x, np.nan), x, int(self.factors.counts.sum())), solution)

    def result(self, estimate: LinearEstimate, solution: Solution) -> DriveGainsResult:
        """The result of an estimate of all unknowns."""
        n, r = self.factors.n_joints, self.n_base
        deviation = np.sqrt(np.diag(estimate.covariance()))
        load = np.zeros(10)
        for stem, value in self.known.items():
            load[PARAMETER_STEMS.index(stem)] = value
        load[self.unknown] = estimate.x[r : r + len(self.unknown)]
        gains = estimate.x[-n:]
        reverse = gains + estimate.power * np.diag(estimate.equations.covariance(1.0))[-n:] / gains
        return DriveGainsResult(self.joint_names, gains, deviation[-n:], reverse, load, estimate.x[:r], estimate, solution)
