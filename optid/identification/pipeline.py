"""``optid.identify``: data and a model in, a fitted model out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from optid.errors import DataError, sentence, unknown_name
from optid.kernels import JointFactors
from optid.model import DynamicModel
from optid.problems.identification import Identification, residual_weights
from optid.problems.identification_result import IdentificationResult
from optid.regressor import BaseParameters, accumulate
from optid.signals import Preprocessing, Samples
from optid.solvers import solve

from .prepare import collect, prepare

METHODS = ("ols", "wls")

SETTLED = 1e-3
"""Weights that change by less than this part have converged."""


def base_of(model: DynamicModel | BaseParameters, known: Mapping[str, float] | Sequence[str], seed: int = 0) -> tuple[BaseParameters, dict[str, float]]:
    """Base parameters of a model, and the values of the known parameters (the robot's own where only names are given)."""
    if isinstance(model, BaseParameters):
        base = model
    else:
        base = BaseParameters.of(model, seed=seed, known=tuple(known))
    given = dict(known) if isinstance(known, Mapping) else {}
    vector = base.known_parameters(given)
    return base, {name: float(vector[base.model.index(name)]) for name in base.known}


def fit(
    base: BaseParameters,
    factors: JointFactors,
    known: Mapping[str, float],
    method: str,
    solver: str,
    context: Mapping[str, Any],
    reweightings: int = 20,
) -> IdentificationResult:
    """Fit base parameters to factors by one of :data:`METHODS`."""
    if method not in METHODS:
        raise unknown_name("method", method, METHODS)
    result: IdentificationResult = solve(Identification(base, factors, None, known, "ols", context), solver=solver)
    if method == "wls":
        for _ in range(reweightings):
            weights = residual_weights(result)
            change = np.abs(np.log(weights / result.weights)).max()
            result = solve(Identification(base, factors, weights, known, "wls", context), solver=solver)
            if change < SETTLED:
                break
    return result


def identify(
    model: DynamicModel | BaseParameters,
    trials: Any,
    *,
    method: str = "wls",
    known: Mapping[str, float] | Sequence[str] = (),
    preprocessing: Preprocessing | None = None,
    reweightings: int = 20,
    solver: str = "lstsq",
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> IdentificationResult:
    """Identify a robot's base parameters from recordings.

    Parameters
    ----------
    model : DynamicModel or BaseParameters
    trials : Trial, Samples, Experiment, path of an experiment file, or a list of these
        Of files and experiments the trials with role "identification" are used.
    method : "wls" or "ols"
        Ordinary least squares, or each joint weighted by 1/variance of its residual, repeated until the weights settle (G21's refinement).
    reweightings : int
        Most repetitions of the weighting; 1 gives a single pass.
    known : names or mapping name → value
        Parameters that are not fitted; names alone take the robot's own values.
    preprocessing : Preprocessing, optional
        Default: ``Preprocessing()``, which chooses cut-offs and thresholds from the data and notes them.
    progress : callable, optional
        Called with (trials done, trials in all).

    Returns
    -------
    IdentificationResult

    Raises
    ------
    DataError, RankError, ShapeError, UnknownNameError
    """
    base, values = base_of(model, known, seed)
    options = preprocessing if preprocessing is not None else Preprocessing()
    items = collect(trials, "identification")
    if not items:
        raise DataError(sentence("trials", "none", "at least one"))
    parts: list[JointFactors] = []
    notes: list[str] = []
    names: list[str] = []
    for k, item in enumerate(items):
        samples = prepare(item, base.model.robot, options)
        parts.append(accumulate(base, samples, base.known_parameters(values) if base.known else None))
        notes += [f"{samples.name}: {note}" for note in samples.notes]
        names.append(samples.name)
        if progress is not None:
            progress(k + 1, len(items))
    untouched = all(isinstance(item, Samples) for item in items)
    context = {"preprocessing": None if untouched else options, "trials": tuple(names), "notes": tuple(notes)}
    return fit(base, JointFactors.merge(parts), values, method, solver, context, reweightings)
