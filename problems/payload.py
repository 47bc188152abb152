"""A payload's ten parameters, from runs with and without it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.brief import brief
from optid.errors import RankError, RobotError, ShapeError, sentence, unknown_name
from optid.kernels import JointFactors
from optid.robot import PARAMETER_STEMS, Link, Transform
from optid.robot.physical import check_link

from .equations import Equations
from .forms import LeastSquares
from .linear_estimate import LinearEstimate
from .physical_bodies import ScaledBody, body_cones

if TYPE_CHECKING:
    from optid.solvers import Solution

Array = NDArray[np.float64]

DETERMINED_LENGTH = 0.05
"""Smallest size [part of the arm's length unit] that a payload is scaled by in the physical fit."""


@dataclass(frozen=True, eq=False)
class PayloadResult:
    """A payload rigidly held by the last link.

    Attributes
    ----------
    parameters : (10,)
        m, mx, my, mz, Ixx, Ixy, Ixz, Iyy, Iyz, Izz about the last link's frame origin; NaN for what the motion does not show.
    sigma : (10,)
        Standard deviations (for correlated residuals where they were kept); infinite for undetermined, zero for known parameters.
    undetermined : tuple of str
        Combinations that the data leave open.
    faults : tuple of str
        Why no body has these parameters; empty when one can, or when some are undetermined.
    beta : (r,)
        Base parameters of the robot without it.
    estimate : LinearEstimate
        Of all unknowns.
    solution : Solution
    notes : tuple of str
    gain_covariance : (10, n) or None
        Covariance of the parameters with the relative errors of the gains, where those were given; the intervals hold for them then.

    Examples
    --------
    >>> from optid.identification import identify_payload
    >>> from optid.testing import example_model, example_samples
    >>> round(identify_payload(example_model(), example_samples(), example_samples(load=2.0))["mx"], 6)  # 2 kg · 0.3 m
    0.6
    """

    parameters: Array
    sigma: Array
    undetermined: tuple[str, ...]
    faults: tuple[str, ...]
    beta: Array
    estimate: LinearEstimate
    columns: tuple[int | None, ...]
    solution: Solution
    notes: tuple[str, ...] = ()
    gain_covariance: Array | None = None

    __repr__ = brief

    def __getitem__(self, stem: str) -> float:
        if stem not in PARAMETER_STEMS:
            raise unknown_name("payload parameter", stem, PARAMETER_STEMS)
        return float(self.parameters[PARAMETER_STEMS.index(stem)])

    @property
    def physical(self) -> bool:
        """Whether all ten are determined and a body can have them."""
        return not self.faults and not np.isnan(self.parameters).any()

    def interval(self, level: float = 0.95, kind: str | None = None) -> Array:
        """Confidence intervals (10, 2); NaN for undetermined parameters, a single point for known ones."""
        ends = self.estimate.interval(level, kind)
        return np.array([[value, value] if column is None else ends[column] for value, column in zip(self.parameters, self.columns, strict=True)])

    def link(self, frame: Transform | None = None, name: str = "payload") -> Link:
        """The payload as a body, in the last link's frame or in ``frame`` (its pose in the last link's frame, such as the tool).

        Raises
        ------
        RankError
            Parameters are undetermined.
        RobotError
            No body has these parameters.
        """
        if np.isnan(self.parameters).any():
            open_ = ", ".join(stem for stem, value in zip(PARAMETER_STEMS, self.parameters, strict=True) if np.isnan(value))
            raise RankError(sentence("payload", f"undetermined {open_}", "all ten parameters", "Record a motion with accelerations about all axes."))
        if self.faults:
            raise RobotError(f"{self.faults[0]} Fit it with physical=True.")
        body = Link.from_parameters(self.parameters, name)
        return body if frame is None else body.placed(frame.inverse())

    def summary(self) -> str:
        """A readable table."""
        ends = self.interval()
        lines = [f"{'payload':<8} {'value':>12} {'sigma':>10}   95 % interval"]
        for stem, value, sigma, (low, high) in zip(PARAMETER_STEMS, self.parameters, self.sigma, ends, strict=True):
            told = "undetermined" if np.isnan(value) else f"{value:>12.5g} {sigma:>10.3g}   {low:.5g} … {high:.5g}"
            lines.append(f"{stem:<8} {told}")
        lines += [f"undetermined: {text}" for text in self.undetermined]
        lines += [f"no such body: {text}" for text in self.faults]
        lines += [f"note: {text}" for text in self.notes]
        return "\n".join(lines)


@dataclass(frozen=True, eq=False)
class Payload:
    """min Σ_j w_j ‖W_j β + L_j π − τ_j‖²: base parameters β from all runs, the payload's π from those that carry it.

    Parameters
    ----------
    factors : JointFactors
        Of [W, L, τ]: r base columns (none where β is known already and its torque subtracted), then ten of the last link, zero in runs without payload.
    n_base : int
        r.
    weights : (n,), optional
    known : mapping stem → value
        Parameters of the payload that are known, such as ``{"m": 2.8}``.
    beta : (r',), optional
        Base parameters where they are known already.
    physical : bool
        Ask the payload to be a body that can exist.
    length : float [m]
        Size of the arm, for the scale of the physical fit.
    notes, gain_covariance
        Go into the result.

    Examples
    --------
    >>> from optid.identification import identify_payload
    >>> from optid.testing import example_model, example_samples
    >>> round(identify_payload(example_model(), example_samples(), example_samples(load=2.0))["m"], 6)
    2.0
    """

    factors: JointFactors
    n_base: int
    weights: ArrayLike | None = None
    known: Mapping[str, float] = field(default_factory=dict)
    beta: Array | None = None
    physical: bool = False
    length: float = 1.0
    notes: tuple[str, ...] = ()
    gain_covariance: Array | None = None

    __repr__ = brief

    def __post_init__(self) -> None:
        for stem in self.known:
            if stem not in PARAMETER_STEMS:
                raise unknown_name("payload parameter", stem, PARAMETER_STEMS)
        if self.factors.n_columns != self.n_base + 10:
            raise ShapeError(sentence("factors of a payload", f"{self.factors.n_columns} columns", f"{self.n_base} of the robot and ten of the payload"))
        if len(self.known) == len(PARAMETER_STEMS):
            raise RankError(sentence("known payload parameters", "all ten", "fewer", "There is nothing to fit."))

    @property
    def unknown(self) -> list[int]:
        """Numbers of the payload's parameters to fit."""
        return [k for k, stem in enumerate(PARAMETER_STEMS) if stem not in self.known]

    @cached_property
    def equations(self) -> Equations:
        """In base parameters and the payload's unknown ones."""
        fixed = [self.n_base + PARAMETER_STEMS.index(stem) for stem in sorted(self.known, key=PARAMETER_STEMS.index)]
        values = [self.known[PARAMETER_STEMS[k - self.n_base]] for k in fixed]
        factors = self.factors.split(np.array(fixed, dtype=int), np.array(values)) if fixed else self.factors
        A, b = factors.stacked(self.weights)
        names = [*(f"beta{k + 1}" for k in range(self.n_base)), *(PARAMETER_STEMS[k] for k in self.unknown)]
        triangle = np.asarray(np.linalg.qr(np.column_stack([A, b]), mode="r"))
        return Equations(triangle[:, :-1], triangle[:, -1], names)

    def form(self) -> LeastSquares:
        """Least squares, with one cone for a payload that must exist."""
        e = self.equations
        if not self.physical:
            return LeastSquares(e.A, e.b, names=e.names)
        scale = self._scale()
        size = len(e.names)
        unit = np.concatenate([np.ones(self.n_base), scale[self.unknown]])
        where: list[int | None] = [None] * 10
        constants = np.zeros(10)
        for place, k in enumerate(self.unknown):
            where[k] = self.n_base + place
        for stem, value in self.known.items():
            k = PARAMETER_STEMS.index(stem)
            constants[k] = value / scale[k]
        cones = body_cones([ScaledBody(scale, 0.0)], [where], [constants], size, ["payload"])
        return LeastSquares(e.A * unit, e.b, names=e.names, cones=tuple(cones))

    def _scale(self) -> Array:
        """Units (10,) of the payload's parameters in the physical fit."""
        plain = self.equations.minimum_norm
        values = {PARAMETER_STEMS[k]: plain[self.n_base + place] for place, k in enumerate(self.unknown)} | dict(self.known)
        mass = max(abs(values["m"]), 1e-6)
        reach = max(np.hypot(np.hypot(values["mx"], values["my"]), values["mz"]) / mass, DETERMINED_LENGTH * self.length)
        return mass * np.array([1.0, *[reach] * 3, *[reach**2] * 6])

    def interpret(self, solution: Solution) -> PayloadResult:
        """The payload, with what the data leave open as NaN."""
        e = self.equations
        x = np.array(solution.x)
        if self.physical:
            x[self.n_base :] *= self._scale()[self.unknown]
        elif e.determinacy.rank < len(e.names):
            x = e.minimum_norm
        determined = e.determinacy.determined
        estimate = LinearEstimate(e, np.where(determined, x, np.nan), x, int(self.factors.counts.sum()))
        return self.result(estimate, solution)

    def result(self, estimate: LinearEstimate, solution: Solution) -> PayloadResult:
        """The result of an estimate of all unknowns."""
        e = estimate.equations
        parameters, sigma = np.zeros(10), np.zeros(10)
        deviation = np.sqrt(np.diag(estimate.covariance()))
        columns: list[int | None] = [None] * 10
        for stem, value in self.known.items():
            parameters[PARAMETER_STEMS.index(stem)] = value
        for place, k in enumerate(self.unknown):
            columns[k] = self.n_base + place
            parameters[k], sigma[k] = estimate.x[self.n_base + place], deviation[self.n_base + place]
        faults: list[str] = []
        if not np.isnan(parameters).any():
            faults = check_link(Link.from_parameters(parameters, "payload"))
        notes = self.notes
        if faults:
            notes = (*notes, "No body has these parameters: the fit with physical=True gives the nearest one that can exist.")
        beta = estimate.x[: self.n_base] if self.beta is None else self.beta
        open_ = tuple(text for text in e.determinacy.directions)
        return PayloadResult(parameters, sigma, open_, tuple(faults), beta, estimate, tuple(columns), solution, notes, self.gain_covariance)


def padded(factors: JointFactors, extra: int) -> JointFactors:
    """The same data with ``extra`` zero columns after the regressor's."""
    r, size = factors.n_columns, factors.triangles.shape[1] + extra
    keep = [*range(r), *range(r + extra, size)]
    triangles = np.zeros((factors.n_joints, size, size))
    triangles[np.ix_(range(factors.n_joints), keep, keep)] = factors.triangles
    sums = np.zeros((factors.n_joints, size))
    sums[:, keep] = factors.sums
    return JointFactors(triangles, factors.counts, sums, r + extra)
