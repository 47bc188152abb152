"""Estimates of any linear fit with honest intervals: values, covariance for white or for correlated residuals."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from optid.errors import DataError, sentence, unknown_name
from optid.statistics import t_interval
from optid.statistics.residuals import ResidualStatistics

from .equations import Equations
from .uncertainty import LongRun

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LinearEstimate:
    """Solution of weighted equations.

    Attributes
    ----------
    equations : Equations
    x : (p,)
        NaN for parameters that the data do not determine.
    point : (p,)
        The same with some value for these.
    rows : int
        Equations behind the (compressed) ones.
    residuals : ResidualStatistics or None
        What intervals need that hold for correlated residuals.
    extra : (p, p) or None
        Covariance that comes from elsewhere, such as numbers of an earlier fit.
    """

    equations: Equations
    x: Array
    point: Array
    rows: int
    residuals: ResidualStatistics | None = None
    extra: Array | None = None

    @property
    def degrees_of_freedom(self) -> int:
        """Independent rows minus the parameters that they pay for."""
        rows = self.rows if self.residuals is None else float(self.residuals.independent.sum())
        return round(rows) - round(self.equations.n_effective)

    @cached_property
    def power(self) -> float:
        """Weighted sum of squared residuals."""
        return float(np.sum((self.equations.A @ self.point - self.equations.b) ** 2))

    @cached_property
    def _long_run(self) -> LongRun:
        if self.residuals is None:
            raise DataError(sentence("covariance of kind 'hac'", "no residuals kept with this fit", "a fit that went through the samples again"))
        return LongRun.from_scores(self.residuals, self.equations, self.power, self.degrees_of_freedom)

    @property
    def reliable_kind(self) -> str:
        """ "hac" where residuals were kept, which holds for white ones too; else "white"."""
        return "white" if self.residuals is None else "hac"

    def covariance(self, kind: str | None = None) -> Array:
        """Covariance (p, p), "white" or "hac" (default :attr:`reliable_kind`); infinite on the diagonal of undetermined parameters."""
        chosen = kind or self.reliable_kind
        extra = 0.0 if self.extra is None else self.extra
        open_ = ~self.equations.determinacy.determined
        if chosen == "white":
            freedom = self.degrees_of_freedom
            found = self.equations.covariance(self.power / freedom if freedom > 0 else float("nan")) + extra
        elif chosen == "hac":
            found = self._long_run.covariance + extra
        else:
            raise unknown_name("kind of covariance", chosen, ("white", "hac"))
        found[open_, :] = found[:, open_] = 0.0
        found[open_, open_] = np.inf
        return found

    def interval(self, level: float = 0.95, kind: str | None = None) -> Array:
        """Confidence intervals (p, 2), Student's t; NaN for undetermined parameters."""
        chosen = kind or self.reliable_kind
        sigma = np.sqrt(np.diag(self.covariance(chosen)))
        freedom = self._long_run.degrees_of_freedom if chosen == "hac" else self.degrees_of_freedom
        return t_interval(self.x, np.where(np.isnan(self.x), np.nan, sigma), freedom, level)
