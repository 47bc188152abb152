"""Validation from the triangles alone: every trial predicted by a fit of the others, without another pass over the data."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from optid.brief import brief
from optid.errors import DataError, sentence
from optid.kernels import JointFactors
from optid.problems.fit_errors import FitErrors

from .methods import Job, make_method
from .pipeline import job_of

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LeaveOneOut:
    """Fits that each leave one trial out.

    Attributes
    ----------
    trials : tuple of str
        T names.
    beta : (T, r)
        Estimates from the other trials; NaN where these do not determine a parameter.
    errors, errors_raw : tuple of FitErrors
        Of each trial predicted from the others, against filtered and raw torque, less what known parameters explain.

    Examples
    --------
    >>> from optid.identification import leave_one_trial_out
    >>> from optid.testing import example_model, example_samples
    >>> two = [example_samples(n=30, seed=seed, name=name) for seed, name in enumerate("ab")]
    >>> leave_one_trial_out(example_model(), two).trials
    ('a', 'b')
    """

    trials: tuple[str, ...]
    beta: Array
    errors: tuple[FitErrors, ...]
    errors_raw: tuple[FitErrors, ...]

    __repr__ = brief

    @property
    def worst(self) -> str:
        """The trial that the others predict worst."""
        return self.trials[int(np.argmax([e.stacked for e in self.errors]))]

    def summary(self) -> str:
        """A readable table."""
        width = max(len(name) for name in (*self.trials, "left out"))
        rows = zip(self.trials, self.errors, self.errors_raw, strict=True)
        lines = [f"{'left out':<{width}}  {'stacked':>8}  {'mean':>8}  {'raw':>8}"]
        lines += [f"{name:<{width}}  {e.stacked:>8.2%}  {e.mean_per_joint:>8.2%}  {raw.stacked:>8.2%}" for name, e, raw in rows]
        return "\n".join(lines)


def leave_one_trial_out(model: Any, trials: Any, *, method: Any = "wls", **options: Any) -> LeaveOneOut:
    """Predict every trial from a fit of the others.

    Parameters
    ----------
    model, trials, method
        See :func:`optid.identify`; at least two trials.
    **options
        Those of :func:`optid.identify` that prepare the data (``known``, ``prior``, ``preprocessing``, ``solver``, ``seed``), and those of the method.

    Raises
    ------
    DataError
        For fewer than two trials, or a method that goes through the samples again.

    Examples
    --------
    >>> from optid.identification import leave_one_trial_out
    >>> from optid.testing import example_model, example_samples
    >>> two = [example_samples(n=30, seed=seed, name=name) for seed, name in enumerate("ab")]
    >>> [bool(errors.stacked < 1e-9) for errors in leave_one_trial_out(example_model(), two).errors]
    [True, True]
    """
    of_job = {name: options.pop(name) for name in ("known", "prior", "preprocessing", "solver", "seed", "progress") if name in options}
    chosen = make_method(method, options)
    return left_out(job_of(model, trials, **of_job), chosen)


def left_out(job: Job, method: Any) -> LeaveOneOut:
    """Leave out each of the parts of a job."""
    count, names = len(job.parts), tuple(job.context.get("trials", ()))
    if count < 2:
        raise DataError(sentence("trials to leave out in turn", str(count), "at least two"))
    before, after = [job.parts[0]], [job.parts[-1]]
    for part, back in zip(job.parts[1:], job.parts[-2::-1], strict=True):
        before.append(JointFactors.merge([before[-1], part]))
        after.append(JointFactors.merge([back, after[-1]]))
    after.reverse()
    beta: list[Array] = []
    errors: list[FitErrors] = []
    errors_raw: list[FitErrors] = []
    for k, part in enumerate(job.parts):
        rest = JointFactors.merge([*before[k - 1 : k], *after[k + 1 : k + 2]])
        others = replace(job, parts=job.parts[:k] + job.parts[k + 1 :], source=None)
        others.__dict__["factors"] = rest
        fit = method.fit(others)
        beta.append(fit.beta)
        for target, found in enumerate((errors, errors_raw)):
            found.append(FitErrors.of(part.residual_sum_of_squares(fit.minimum_norm, target), part.squares[:, target]))
    labels = names if len(names) == count else tuple(f"part {k + 1}" for k in range(count))
    return LeaveOneOut(labels, np.stack(beta), tuple(errors), tuple(errors_raw))
