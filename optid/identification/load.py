"""Payloads and drive gains from recordings with and without a load."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from optid.errors import DataError, sentence, unknown_name
from optid.experiment import Trial
from optid.kernels import JointFactors
from optid.kernels.blas import one_thread
from optid.model import DynamicModel
from optid.model.arguments import instance
from optid.problems.drive_gains import DriveGains, DriveGainsResult
from optid.problems.linear_estimate import LinearEstimate
from optid.problems.payload import Payload, PayloadResult, padded
from optid.regressor import BaseParameters, accumulate
from optid.regressor.accumulate import blocks
from optid.regressor.arguments import checked_values
from optid.regressor.scale import NaturalUnits
from optid.signals import Preprocessing, Samples
from optid.solvers import solve
from optid.statistics.residuals import Block, ResidualStatistics, TrialResiduals

from .examine import equation_parts
from .gain_error import relative_covariance, sensitivity
from .pipeline import base_of
from .prepare import checked_options, collect, prepare

Array = NDArray[np.float64]

METHODS = ("joint", "difference")
SETTLED = 1e-3
REWEIGHTINGS = 20


@dataclass(frozen=True, eq=False)
class _Runs:
    """Samples with and without load, and the regressor with ten more columns for the load."""

    base: BaseParameters
    known: Array | None
    without: tuple[Samples, ...]
    loaded: tuple[Samples, ...]
    from_currents: bool = False

    @classmethod
    def of(
        cls, model: DynamicModel | BaseParameters, without: Any, loaded: Any, known: Mapping[str, float] | Sequence[str], prepared: Callable[[Any], Samples]
    ) -> _Runs:
        base, values = base_of(model, known)
        runs: list[tuple[Samples, ...]] = []
        currents = False
        for what, trials in (("without load", without), ("with load", loaded)):
            items = collect(trials)
            if not items:
                raise DataError(sentence(f"trials {what}", "none", "at least one"))
            currents |= any(isinstance(item, Trial) and item.current is not None for item in items)
            runs.append(tuple(prepared(item) for item in items))
        return cls(base, base.known_vector(values), runs[0], runs[1], currents)

    @cached_property
    def extended(self) -> BaseParameters:
        """The base regressor, then the last link's ten columns."""
        last = range(10 * (self.base.model.robot.n_links - 1), 10 * self.base.model.robot.n_links)
        zeros = np.zeros((10, self.base.model.p))
        matrix, thresholds = (np.vstack([table, zeros]) for table in (self.base.matrix, self.base.thresholds))
        return replace(self.base, independent=(*self.base.independent, *last), matrix=matrix, thresholds=thresholds)

    @cached_property
    def factors(self) -> tuple[JointFactors, JointFactors]:
        """Without load (r columns) and with it (r + 10), the torque of known parameters taken off."""
        return self._reduced(self.known)

    @cached_property
    def measured(self) -> tuple[JointFactors, JointFactors]:
        """The same with the torque as it was measured."""
        return self.factors if self.known is None else self._reduced(np.zeros_like(self.known))

    def _reduced(self, known: Array | None) -> tuple[JointFactors, JointFactors]:
        bare = JointFactors.merge([accumulate(self.base, s, known) for s in self.without])
        full = JointFactors.merge([accumulate(self.extended, s, known) for s in self.loaded])
        return bare, full

    def trials(self, residual: Callable[[Array, Array], tuple[Array, Array]], both: bool = True) -> Iterator[TrialResiduals]:
        """Residual statistics of every trial; ``residual`` maps regressor (B, n, r + 10) and target (B, n) to the design of the unknowns and the residual."""
        for loaded, group in ((False, self.without), (True, self.loaded)):
            for samples in group if loaded or both else ():
                yield self._trial(samples, loaded, residual)

    def _trial(self, samples: Samples, loaded: bool, residual: Callable[[Array, Array], tuple[Array, Array]]) -> TrialResiduals:
        rows, step = equation_parts(samples)

        def fresh() -> Iterator[Block]:
            for Y, targets, use in blocks(self.extended if loaded else self.base, samples, self.known):
                full = Y if loaded else np.concatenate([Y, np.zeros((*Y.shape[:2], 10))], axis=2)
                design, e = residual(full, targets[:, :, 0])
                yield design, e, use

        share = 1.0 if samples.band_limited else samples.independent_share
        return TrialResiduals(fresh, rows, step, self.base.model.n, share)


@one_thread()
def identify_payload(
    model: DynamicModel | BaseParameters,
    without: Any,
    loaded: Any,
    *,
    known: Mapping[str, float] | None = None,
    method: str = "joint",
    physical: bool = False,
    known_robot: Mapping[str, float] | Sequence[str] = (),
    gain_error: Any = None,
    preprocessing: Preprocessing | None = None,
    solver: str | None = None,
    seed: int = 0,
) -> PayloadResult:
    """A payload from runs with and without it; the motions may differ.

    Parameters
    ----------
    model : DynamicModel or BaseParameters
        The robot without payload.
    without, loaded : trials
        As for :func:`optid.identify`.
    known : mapping stem → value
        Parameters of the payload that are known, such as ``{"m": 2.8}``; stems are m, mx, …, Izz, about the last link's frame origin.
    method : "joint" or "difference"
        Robot and payload from all runs at once; or the robot from the runs without, then the payload from what is left in the others.
    physical : bool
        Ask for a body that can exist.
    known_robot : names or mapping name → value
        Parameters of the robot that are not fitted.
    gain_error : float, (n,) or (n, n), optional
        Relative standard deviation of the gains that made torques of currents (0.05 is 5 %), one for all joints or one a joint, or the covariance of these
        relative errors, such as :attr:`DriveGainsResult.relative_covariance`. The intervals hold for gains as far off as that. None: for exact gains.
    preprocessing : Preprocessing, optional
    solver : str, optional
    seed : int

    Returns
    -------
    PayloadResult
        With intervals that hold for correlated residuals.

    Raises
    ------
    DataError, RankError, UnknownNameError

    Examples
    --------
    >>> from optid.identification import identify_payload
    >>> from optid.testing import example_model, example_samples
    >>> round(identify_payload(example_model(), example_samples(), example_samples(load=2.0))["m"], 6)
    2.0
    """
    if method not in METHODS:
        raise unknown_name("method of the payload", method, METHODS)
    options = checked_options(preprocessing)
    wrong = None if gain_error is None else relative_covariance(gain_error, _robot(model).n)
    runs = _Runs.of(model, without, loaded, known_robot, lambda item: prepare(item, _robot(model), options))
    bare, full = runs.factors
    r = runs.base.rank
    given = checked_load(known)
    length = NaturalUnits.of(runs.base.model).length
    notes = tuple(f"{s.name}: {note}" for s in (*runs.without, *runs.loaded) for note in s.notes)
    if runs.from_currents and wrong is None:
        notes = (*notes, "The torque is made of currents: the intervals hold for exact gains. Say gain_error= for gains that may be off.")
    if method == "joint":
        problem = Payload(JointFactors.merge([padded(bare, 10), full]), r, None, given, None, physical, length, notes)
    else:
        from .pipeline import identify

        robot = identify(runs.base, list(runs.without), known=known_robot)
        rest = full.split(np.arange(r), robot.minimum_norm)
        problem = Payload(rest, 0, robot.weights, given, robot.minimum_norm, physical, length, notes)
    found: PayloadResult = solve(problem, solver=solver, seed=seed)
    for _ in range(REWEIGHTINGS if method == "joint" else 0):
        weights = _weights(problem, found)
        before = np.ones(runs.base.model.n) if problem.weights is None else np.asarray(problem.weights)
        problem = replace(problem, weights=weights)
        found = solve(problem, solver=solver, seed=seed)
        if np.abs(np.log(weights / before)).max() < SETTLED:
            break
    unknown = [r + k for k in problem.unknown]
    whole = np.zeros(r + 10)
    whole[:r] = found.estimate.point[:r] if method == "joint" else problem.beta
    whole[r:] = _values(problem, found)
    columns = [*range(r), *unknown] if method == "joint" else unknown

    def residual(Y: Array, target: Array) -> tuple[Array, Array]:
        return Y[:, :, columns], target - Y @ whole

    weights = np.ones(runs.base.model.n) if problem.weights is None else np.asarray(problem.weights)
    statistics = ResidualStatistics.of(runs.trials(residual, method == "joint"), weights)
    extra, slopes = None, None
    if wrong is not None:
        slopes = sensitivity(found.estimate.equations, _measured(runs, method), weights, columns)
    if method == "difference":
        A, W = (np.concatenate([np.sqrt(w) * t for w, t in zip(weights, full.triangles, strict=True)])[:, cols] for cols in (unknown, list(range(r))))
        through = np.linalg.lstsq(A, W, rcond=None)[0]
        covariance = robot.covariance(robot.reliable_kind)
        extra = through @ np.where(np.isfinite(covariance), covariance, 0.0) @ through.T
        if slopes is not None:
            slopes = slopes - through @ sensitivity(robot.equations, runs.measured[0], robot.weights, range(r))
    if wrong is not None and slopes is not None:
        extra = slopes @ wrong @ slopes.T + (0.0 if extra is None else extra)
        together = np.zeros((10, len(wrong)))
        together[problem.unknown] = (slopes @ wrong)[-len(problem.unknown) :]
        problem = replace(problem, gain_covariance=together)
    estimate = replace(found.estimate, residuals=statistics, extra=extra)
    return problem.result(estimate, found.solution)


def checked_load(known: Any) -> dict[str, float]:
    """Known parameters of a load: stems with finite numbers."""
    if known is not None:
        instance(known, Mapping, "known parameters of the load", 'Write {"m": 2.8}.')
    return checked_values(known or {}, "load parameter")


def _robot(model: DynamicModel | BaseParameters) -> Any:
    return (model.model if isinstance(model, BaseParameters) else model).robot


def _measured(runs: _Runs, method: str) -> JointFactors:
    """Of regressor and measured torque: all runs together, or those with the load."""
    bare, full = runs.measured
    return JointFactors.merge([padded(bare, 10), full]) if method == "joint" else full


def _values(problem: Payload, found: PayloadResult) -> Array:
    """The payload's parameters (10,) without gaps."""
    values = found.parameters.copy()
    values[problem.unknown] = found.estimate.point[problem.n_base :]
    return values


def _weights(problem: Payload, found: PayloadResult) -> Array:
    """1/variance (n,) of each joint's residual in all runs."""
    factors = problem.factors
    x = np.concatenate([found.estimate.point[: problem.n_base], _values(problem, found)])
    rss = factors.residual_sum_of_squares(x)
    torque = factors.squares[:, 0]
    share = found.estimate.equations.n_effective / factors.n_joints
    variance = np.maximum(rss, 1e-12 * torque) / np.maximum(factors.counts - share, 1.0)
    positive = variance > 0
    typical = float(np.median(variance[positive])) if positive.any() else 1.0
    return np.asarray(1.0 / np.where(positive, variance, typical))


@one_thread()
def identify_drive_gains(
    model: DynamicModel | BaseParameters,
    without: Any,
    loaded: Any,
    *,
    known: Mapping[str, float],
    weights: Sequence[float] | None = None,
    known_robot: Mapping[str, float] | Sequence[str] = (),
    preprocessing: Preprocessing | None = None,
    solver: str | None = None,
    seed: int = 0,
) -> DriveGainsResult:
    """Joint torque per ampere of every drive from currents recorded with and without a load of known mass.

    Parameters
    ----------
    model : DynamicModel or BaseParameters
        The robot without load.
    without, loaded : trials with currents
        Samples given directly hold currents [A] in place of torques.
    known : mapping stem → value
        Of the load, at least ``{"m": mass}``.
    weights : (n,), optional
        Of each joint's squared residual [N m]; ones without it.
    known_robot, preprocessing, solver, seed
        See :func:`identify_payload`.

    Returns
    -------
    DriveGainsResult

    Raises
    ------
    DataError
        A trial has no current.
    RankError, UnknownNameError

    Examples
    --------
    >>> from optid.identification import identify_drive_gains
    >>> from optid.testing import example_model, example_samples
    >>> runs = example_samples(gain=10.0), example_samples(load=2.0, gain=10.0)
    >>> identify_drive_gains(example_model(), *runs, known={"m": 2.0}).gains.round(6)
    array([10., 10.])
    """
    options = checked_options(preprocessing)

    def prepared(item: Trial | Samples) -> Samples:
        if isinstance(item, Samples):
            return item
        if item.current is None:
            raise DataError(sentence(f"trial {item.name!r}", "no current", "a current signal, whose gain is asked for"))
        return prepare(replace(item, tau=item.current), _robot(model), options)

    runs = _Runs.of(model, without, loaded, known_robot, prepared)
    if runs.base.known:
        raise DataError(sentence("known parameters of the robot", ", ".join(runs.base.known), "none", "Their torque cannot be subtracted from a current."))
    bare, full = runs.factors
    r, n = runs.base.rank, runs.base.model.n
    factors = JointFactors.merge([padded(bare, 10), full])
    problem = DriveGains(factors, r, checked_load(known), runs.base.model.robot.joint_names, weights)
    found: DriveGainsResult = solve(problem, solver=solver, seed=seed)
    load = np.zeros(10)
    for k, value in enumerate(found.load):
        load[k] = value if np.isfinite(value) else 0.0
    x, gains = found.estimate.point, found.estimate.point[-n:]
    load[problem.unknown] = x[r : r + len(problem.unknown)]
    whole = np.concatenate([x[:r], load])

    def residual(Y: Array, current: Array) -> tuple[Array, Array]:
        own = np.zeros((*current.shape, n))
        own[:, range(n), range(n)] = -current
        return np.concatenate([Y[:, :, :r], Y[:, :, [r + k for k in problem.unknown]], own], axis=2), gains * current - Y @ whole

    statistics = ResidualStatistics.of(runs.trials(residual), np.ones(n) if weights is None else np.asarray(weights, dtype=float))
    estimate: LinearEstimate = replace(found.estimate, residuals=statistics)
    return problem.result(estimate, found.solution)
