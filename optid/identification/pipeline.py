"""``optid.identify``: data and a model in, a fitted model out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from optid.errors import DataError, RankError, sentence
from optid.kernels import JointFactors
from optid.kernels.blas import one_thread
from optid.model import DynamicModel
from optid.problems.identification_result import IdentificationResult
from optid.regressor import BaseParameters, accumulate
from optid.regressor.arguments import checked_names, checked_seed, checked_values
from optid.signals import Preprocessing, Samples

from .examine import examined
from .methods import METHODS, Job, make_method
from .prepare import checked_options
from .streaming import prepared, sources

if TYPE_CHECKING:
    from optid.signals.stream import SampleStream

__all__ = ["METHODS", "base_of", "identify", "job_of"]


def base_of(model: DynamicModel | BaseParameters, known: Mapping[str, float] | Sequence[str], seed: int = 0) -> tuple[BaseParameters, dict[str, float]]:
    """Base parameters of a model, and the values of the known parameters (the robot's own where only names are given)."""
    seed, names = checked_seed(seed), checked_names(known, "known")
    given = checked_values(known, "known value of")
    base = model if isinstance(model, BaseParameters) else BaseParameters.of(model, seed=seed, known=names)
    if not base.rank:
        found = "all parameters known" if base.known else "none that a motion shows"
        raise RankError(sentence(f"parameters of robot {base.model.robot.name!r}", found, "one or more to fit"))
    vector = base.known_parameters(given)
    return base, {name: float(vector[base.model.index(name)]) for name in base.known}


def job_of(
    model: DynamicModel | BaseParameters,
    trials: Any,
    *,
    known: Mapping[str, float] | Sequence[str] = (),
    prior: Any = None,
    preprocessing: Preprocessing | None = None,
    solver: str | None = None,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> Job:
    """Prepare trials and reduce each to its factors: what every method of :func:`identify` starts from."""
    base, values = base_of(model, known, seed)
    options = checked_options(preprocessing)
    items = sources(trials, "identification")
    if not items:
        raise DataError(sentence("trials", "none", "at least one"))
    parts: list[JointFactors] = []
    notes: list[str] = []
    names: list[str] = []
    shares: list[float] = []
    for k, item in enumerate(items):
        samples = prepared(item, base.model.robot, options)
        parts.append(accumulate(base, samples, base.known_vector(values)))
        notes += [f"{samples.name}: {note}" for note in samples.notes]
        names.append(samples.name)
        shares.append(samples.independent_share)
        if progress is not None:
            progress(k + 1, len(items))
    untouched = all(isinstance(item, Samples) for item in items)
    context = {"preprocessing": None if untouched else options, "trials": tuple(names), "notes": tuple(notes)}

    def again() -> Iterator[Samples | SampleStream]:
        return (prepared(item, base.model.robot, options) for item in items)

    return Job(base, tuple(parts), values, context, prior, solver, seed, again, float(np.mean(shares)))


@one_thread()
def identify(
    model: DynamicModel | BaseParameters,
    trials: Any,
    *,
    method: Any = "wls",
    known: Mapping[str, float] | Sequence[str] = (),
    prior: Any = None,
    preprocessing: Preprocessing | None = None,
    solver: str | None = None,
    seed: int = 0,
    residuals: bool = True,
    progress: Callable[[int, int], None] | None = None,
    **options: Any,
) -> IdentificationResult:
    """Identify a robot's base parameters from recordings.

    Parameters
    ----------
    model : DynamicModel or BaseParameters
    trials : Trial, Samples, Experiment, path of an experiment file, or a list of these
        Of files and experiments the trials with role "identification" are used. Long trials of files are streamed: they never are in memory as a whole, unless
        ``preprocessing`` averages cycles or the method needs them at once.
    method : str or method object
        One of :data:`METHODS`; "wls" weights each joint by 1/variance of its residual, repeated until the weights settle (G21's refinement).
    known : names or mapping name → value
        Parameters that are not fitted; names alone take the robot's own values.
    prior : optional
        What was believed before, for methods that use it: see :meth:`optid.problems.Prior.of`. Default: the robot's own parameters.
    preprocessing : Preprocessing, optional
        Default: ``Preprocessing()``, which chooses cut-offs and thresholds from the data and notes them.
    solver : str, optional
        Of ``optid.available_solvers()``; default: the one that fits the method's problem.
    residuals : bool
        Go through the samples again and keep what intervals need that hold for correlated residuals (``interval(kind="hac")``).
    progress : callable, optional
        Called with (trials done, trials in all).
    **options
        Options of the method, the fields of its class, such as ``reweightings=1`` of "wls".

    Returns
    -------
    IdentificationResult

    Raises
    ------
    DataError, RankError, ShapeError, SolveError, UnknownNameError

    Examples
    --------
    >>> import numpy as np
    >>> from optid import identify
    >>> from optid.testing import example_model, example_samples
    >>> model = example_model()
    >>> fit = identify(model, example_samples())
    >>> bool(np.allclose(fit.beta, fit.base.beta(model.nominal_parameters())))
    True
    """
    chosen = make_method(method, options)
    job = job_of(model, trials, known=known, prior=prior, preprocessing=preprocessing, solver=solver, seed=seed, progress=progress)
    result: IdentificationResult = chosen.fit(job)
    return examined(result, job) if residuals else result
