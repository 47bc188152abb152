"""Estimates from different training motions side by side: what intervals of one motion cannot see."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from optid.errors import DataError, sentence
from optid.model import DynamicModel
from optid.regressor import BaseParameters

from .pipeline import base_of, identify
from .prepare import collect

if TYPE_CHECKING:
    from optid.problems.identification_result import IdentificationResult

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Spread:
    """Fits of single trials.

    Attributes
    ----------
    fits : tuple of IdentificationResult
        One a trial.

    Examples
    --------
    >>> from optid.identification import spread
    >>> from optid.testing import example_model, example_samples
    >>> two = [example_samples(n=30, seed=seed, name=name) for seed, name in enumerate("ab")]
    >>> len(spread(example_model(), two).fits)
    2
    """

    fits: tuple[IdentificationResult, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Base parameters as formulas."""
        return self.fits[0].formulas

    @property
    def betas(self) -> Array:
        """(T, r) estimates; NaN where a trial does not determine a parameter."""
        return np.stack([fit.beta for fit in self.fits])

    @property
    def observed(self) -> Array:
        """(r,) standard deviation over the trials."""
        return np.asarray(np.std(self.betas, axis=0, ddof=1))

    @property
    def expected(self) -> Array:
        """(r,) root mean square of the standard deviations that the single fits claim, each of its reliable kind."""
        variances = np.stack([np.diag(fit.covariance(fit.reliable_kind)) for fit in self.fits])
        return np.sqrt(variances.mean(axis=0))

    @property
    def ratio(self) -> Array:
        """(r,) observed over expected. About 1 when intervals tell the truth; more where what is missing in the model acts differently in other motions."""
        return np.divide(self.observed, self.expected, out=np.full(len(self.names), np.nan), where=np.isfinite(self.expected) & (self.expected > 0))

    def summary(self) -> str:
        """A readable table."""
        width = max(len(name) for name in self.names)
        lines = [f"{'parameter':<{width}}  {'mean':>12}  {'observed':>10}  {'expected':>10}  {'ratio':>7}"]
        for name, mean, seen, claimed, ratio in zip(self.names, self.betas.mean(axis=0), self.observed, self.expected, self.ratio, strict=True):
            lines.append(f"{name:<{width}}  {mean:>12.6g}  {seen:>10.3g}  {claimed:>10.3g}  {ratio:>7.2f}")
        worst = np.where(np.isnan(self.ratio), 0.0, self.ratio)
        lines.append(f"{len(self.fits)} trials; ratio: median {np.median(worst):.2f}, largest {worst.max():.2f} ({self.names[int(np.argmax(worst))]})")
        return "\n".join(lines)


def spread(model: DynamicModel | BaseParameters, trials: Any, **options: Any) -> Spread:
    """Fit every trial alone.

    Parameters
    ----------
    model, trials
        As for :func:`optid.identify`; at least two trials, best of different motions.
    **options
        Those of :func:`optid.identify`.

    Raises
    ------
    DataError
        Fewer than two trials.

    Examples
    --------
    >>> from optid.identification import spread
    >>> from optid.testing import example_model, example_samples
    >>> two = [example_samples(n=30, seed=seed, name=name) for seed, name in enumerate("ab")]
    >>> spread(example_model(), two).fits[0].trials
    ('a',)
    """
    items = collect(trials, "identification")
    if len(items) < 2:
        raise DataError(sentence("spread over training motions", f"{len(items)} trials", "two or more"))
    base, known = base_of(model, options.pop("known", ()), options.get("seed", 0))
    return Spread(tuple(identify(base, item, known=known if base.known else (), **options) for item in items))
