"""The fitted model: parameters with uncertainty, errors, prediction."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from optid.errors import OptidWarning, unknown_name
from optid.kernels import JointFactors
from optid.model.arguments import positive, whole
from optid.model.arrays import state_arrays
from optid.regressor import BaseParameters
from optid.statistics import Determinacy, t_interval
from optid.statistics.intervals import tail

from .equations import Equations
from .fit_details import FitDetails
from .fit_errors import FitErrors
from .fit_table import summary
from .physical_report import PhysicalReport, physical_report
from .uncertainty import KINDS, REPLICATES, LongRun, bootstrap, correlated_joints, opened, prediction_band

if TYPE_CHECKING:
    from optid.signals import Preprocessing, Samples
    from optid.solvers import Solution

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class IdentificationResult:
    """Base parameters fitted to data.

    Attributes
    ----------
    base : BaseParameters
        Model and parameters: ``base.formulas`` names the entries of ``beta``.
    beta : (r,)
        Estimates; NaN for a parameter that the data do not determine.
    weights : (n,)
        Weight of each joint's squared residuals, 1/variance [1/(N m)²]; ones for ordinary least squares.
    factors : JointFactors
        Of [W_j, τ_j, τ_j raw] per joint: everything the data had to say.
    determinacy : Determinacy
        Condition, rank and open directions of the weighted equations.
    known : mapping name → value
    method : str
    solution : Solution
    preprocessing : Preprocessing or None
        What the data went through; :func:`optid.validate` does the same to new data.
    trials : tuple of str
    notes : tuple of str
    details : FitDetails
        What the method did beyond least squares: prior, constraints, dropped samples, standard parameters.

    Examples
    --------
    >>> from optid.testing import example_fit
    >>> fit = example_fit()
    >>> fit
    IdentificationResult('planar 2R', wls, 6 parameters, error 0.00%)
    >>> fit.formulas[:2], fit.beta[:2].round(6).tolist()
    (('mx1 + 0.5*m2', 'my1'), [1.15, 0.02])
    """

    base: BaseParameters
    beta: Array
    weights: Array
    factors: JointFactors
    determinacy: Determinacy
    known: Mapping[str, float]
    method: str
    solution: Solution
    minimum_norm: Array
    preprocessing: Preprocessing | None = None
    trials: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    provenance: Mapping[str, Any] = field(default_factory=dict)
    details: FitDetails = field(default_factory=FitDetails)

    # -- counts -------------------------------------------------------------------------------------------------------------------------------------

    @property
    def formulas(self) -> tuple[str, ...]:
        """Base parameters as formulas."""
        return self.base.formulas

    @property
    def n_rows(self) -> int:
        """Equations used."""
        return int(self.factors.counts.sum())

    @property
    def degrees_of_freedom(self) -> int:
        """Independent rows minus the parameters that the data pay for: the determined directions, less where a prior holds them.

        Torque that was filtered alone has fewer independent samples than samples (:attr:`optid.signals.Samples.independent_share`).
        """
        kept = self.details.residuals
        rows = self.n_rows if kept is None else float(kept.independent.sum())
        return round(rows) - round(self.equations.n_effective)

    @property
    def undetermined(self) -> tuple[str, ...]:
        """Directions of the parameters that the data leave open."""
        return self.determinacy.directions

    @property
    def condition_number(self) -> float:
        """2-norm condition of the stacked, weighted, unscaled regressor."""
        return self.determinacy.condition_number

    @cached_property
    def equations(self) -> Equations:
        """The weighted equations of the estimate, as small as triangles, with those of a prior."""
        return Equations.of(self.base.names, self.factors, self.weights, self.details, self.determinacy)

    # -- uncertainty --------------------------------------------------------------------------------------------------------------------------------

    @property
    def noise_variance(self) -> float:
        """Weighted residual variance with rows − parameters degrees of freedom (about 1 after weighting)."""
        if self.details.variance is not None:
            return self.details.variance
        residual = self.equations.A @ self.minimum_norm - self.equations.b
        return float(residual @ residual) / self.degrees_of_freedom if self.degrees_of_freedom > 0 else float("nan")

    def covariance(self, kind: str = "white") -> Array:
        """Covariance (r, r) of the estimates; infinite variance for undetermined parameters, zero for those that a constraint or a removal fixes.

        Parameters
        ----------
        kind : str
            "white": σ² (WᵀΣ⁻¹W + P)⁻¹ for residuals that are white, with P the prior's precision (0 without one: then this is the sampling covariance).
            "hac": consistent for residuals that are correlated in time and between joints and that vary in size (:mod:`optid.problems.uncertainty`).
            "bootstrap": of :meth:`bootstrap`.

        Raises
        ------
        DataError
            The fit kept no residuals ("hac", "bootstrap").
        """
        if kind == "white":
            return self._white_covariance
        if kind == "hac":
            return opened(self._long_run.covariance, self)
        if kind == "bootstrap":
            return opened(np.atleast_2d(np.cov(self._replicates.T)), self)
        raise unknown_name("kind of covariance", kind, KINDS)

    @cached_property
    def _long_run(self) -> LongRun:
        return LongRun.of(self)

    @cached_property
    def _replicates(self) -> Array:
        return bootstrap(self, REPLICATES, None, 0)

    def bootstrap(self, replicates: int = REPLICATES, block: float | None = None, seed: int = 0) -> Array:
        """Estimates (replicates, r) from blocks of residuals drawn anew (moving blocks; see :func:`optid.statistics.block_sums`).

        Parameters
        ----------
        block : float, optional [s]
            Length of a block: the period for a bootstrap over cycles. Default: the cube root of the number of cells, enough for whitened residuals.
        """
        whole(replicates, "replicates of a bootstrap", 2, "a whole number, 2 or more")
        if block is not None:
            positive(block, "block of a bootstrap")
        whole(seed, "seed", 0, "a whole number >= 0")
        deviations = self._replicates if (replicates, block, seed) == (REPLICATES, None, 0) else bootstrap(self, replicates, block, seed)
        return np.asarray(self.beta + deviations)

    @property
    def reliable_kind(self) -> str:
        """ "hac" where the residuals of a joint are correlated in time (Ljung–Box, 1 %), else "white"; "white" too where no residuals were kept."""
        return "hac" if correlated_joints(self) else "white"

    @cached_property
    def inflation(self) -> Array:
        """(r,) standard deviations of kind "hac" over those for white residuals; NaN where either says nothing."""
        honest, plain = (np.sqrt(np.diag(self.covariance(kind))) for kind in ("hac", "white"))
        return np.divide(honest, plain, out=np.full(len(plain), np.nan), where=np.isfinite(plain) & (plain > 0))

    @cached_property
    def _white_covariance(self) -> Array:
        return self.equations.covariance(self.noise_variance)

    @property
    def sigma(self) -> Array:
        """Standard deviations (r,), for white residuals; infinite for undetermined parameters."""
        return np.sqrt(np.diag(self.covariance()))

    @property
    def relative_sigma(self) -> Array:
        """sigma / |beta| (r,); infinite where the parameter is undetermined or zero."""
        return self._relative(self.sigma)

    def _relative(self, sigma: Array) -> Array:
        size = np.abs(np.where(np.isnan(self.beta), 0.0, self.beta))
        return np.divide(sigma, size, out=np.full(len(size), np.inf), where=size > 0)

    def interval(self, level: float = 0.95, kind: str | None = None) -> Array:
        """Confidence intervals (r, 2); NaN for undetermined parameters.

        Parameters
        ----------
        level : float
        kind : str, optional
            As for :meth:`covariance`: Student's t for "white" and "hac", quantiles of the replicates for "bootstrap". Default: :attr:`reliable_kind`.

        Warns
        -----
        OptidWarning
            When intervals for white residuals are asked for and the residuals are not white: they would lie.
        """
        chosen = self.reliable_kind if kind is None else kind
        if chosen == "bootstrap":
            tail(level)
            ends = np.quantile(self._replicates, [(1 - level) / 2, (1 + level) / 2], axis=0)
            return np.stack([self.beta - ends[1], self.beta - ends[0]], axis=-1)
        if chosen == "white" and self.reliable_kind != "white":
            warnings.warn(f"{self.not_white()} Use kind='hac'.", OptidWarning, stacklevel=2)
        freedom = self._long_run.degrees_of_freedom if chosen == "hac" else self.degrees_of_freedom
        sigma = np.sqrt(np.diag(self.covariance(chosen)))
        return t_interval(self.beta, np.where(np.isnan(self.beta), np.nan, sigma), freedom, level)

    def not_white(self) -> str:
        """The sentence about residuals that are correlated in time, and how far intervals for white ones are off."""
        joints = self.base.model.robot.joint_names
        named = ", ".join(str(joints[j]) for j in correlated_joints(self))
        low, high = np.nanmin(self.inflation), np.nanmax(self.inflation)
        return f"Residuals of {named} are correlated in time: intervals for white ones are wrong, true ones are {low:.2g} to {high:.2g} times as wide."

    # -- errors -------------------------------------------------------------------------------------------------------------------------------------

    def errors(self, against: str = "filtered") -> FitErrors:
        """Relative errors on the data of the fit, against torque ``"filtered"`` like the model or ``"raw"`` torque, both less what known parameters explain."""
        targets = {"filtered": 0, "raw": 1}
        if against not in targets:
            raise unknown_name("torque to compare with", against, targets)
        k = targets[against]
        return FitErrors.of(self.factors.residual_sum_of_squares(self.minimum_norm, k), self.factors.squares[:, k])

    @property
    def residual_std(self) -> Array:
        """Standard deviation (n,) of each joint's residual [N m or N]."""
        share = self.equations.n_effective / max(self.base.model.n, 1)
        rss = self.factors.residual_sum_of_squares(self.minimum_norm)
        return np.sqrt(rss / np.maximum(self.factors.counts - share, 1.0))

    # -- standard parameters ------------------------------------------------------------------------------------------------------------------------

    @property
    def standard_parameters(self) -> Array:
        """Standard parameters (p,): all of them after a physical fit; else NaN for those that the torque shows only in combination with others."""
        if self.details.standard is not None:
            return self.details.standard
        pi = np.full(self.base.model.p, np.nan)
        seen = np.abs(self.base.matrix) > self.base.thresholds
        for row, column in enumerate(self.base.independent):
            if seen[row].sum() == 1 and seen[:, column].sum() == 1:
                pi[column] = self.beta[row]
        for name, value in self.known.items():
            pi[self.base.model.index(name)] = value
        return pi

    def physical_report(self) -> PhysicalReport:
        """Which links are bodies that can exist; base parameters alone are read out as near to the robot's own bodies as they allow."""
        return physical_report(self)

    def poorly_determined(self, relative: float = 0.5) -> tuple[str, ...]:
        """Formulas of the parameters whose sigma exceeds ``relative`` times their value, or that the data do not determine."""
        return tuple(name for name, ratio in zip(self.formulas, self.relative_sigma, strict=True) if ratio > relative and name not in self.details.removed)

    # -- use ----------------------------------------------------------------------------------------------------------------------------------------

    def predict(self, q: Any, dq: Any, ddq: Any) -> Array:
        """Torque (N, n) of a motion; directions that the data left open contribute their minimum-norm share."""
        return self.base.torque(self.minimum_norm, q, dq, ddq, dict(self.known))

    def prediction_band(self, q: Any, dq: Any, ddq: Any, level: float = 0.95, kind: str | None = None, noise: bool = True) -> Array:
        """Half width (N, n) of the band about the predicted torque.

        Parameters
        ----------
        q, dq, ddq : (N, n)
        level : float
        kind : str, optional
            Covariance of the estimate, default :attr:`reliable_kind`.
        noise : bool
            The band of a further measured torque, the residual's standard deviation in it; False: of the torque the model would have with exact parameters.
        """
        states, _ = state_arrays((q, dq, ddq), self.base.model.n, ("q", "dq", "ddq"))
        return prediction_band(self, states, level, self.reliable_kind if kind is None else kind, noise)

    def predict_samples(self, samples: Samples) -> Array:
        """Torque (N, n) at the samples (before any decimation); where a joint stands, its Coulomb friction is 0 and not the sign of noise."""
        dq = samples.dq if samples.resting is None else np.where(samples.resting, 0.0, samples.dq)
        return self.predict(samples.q, dq, samples.ddq)

    def value(self, name: str) -> float:
        """Estimate of a base parameter, by its formula or by its independent parameter's name."""
        for names in (self.base.formulas, self.base.names):
            if name in names:
                return float(self.beta[names.index(name)])
        raise unknown_name("base parameter", name, self.base.names)

    def rows(self, kind: str | None = None) -> list[dict[str, Any]]:
        """One mapping per parameter: formula, value, sigma, relative_sigma, interval ends, determined.

        Parameters
        ----------
        kind : str, optional
            Covariance of sigmas and intervals. Default: sigmas for white residuals, intervals of :attr:`reliable_kind`.
        """
        ends = self.interval(kind=kind)
        sigma = self.sigma if kind is None else np.sqrt(np.diag(self.covariance(kind)))
        relative = self._relative(sigma)
        return [
            {
                "formula": name,
                "value": float(self.beta[k]),
                "sigma": float(sigma[k]),
                "relative_sigma": float(relative[k]),
                "lower": float(ends[k, 0]),
                "upper": float(ends[k, 1]),
                "determined": bool(self.determinacy.determined[k]),
            }
            for k, name in enumerate(self.formulas)
        ]

    def summary(self, kind: str | None = None) -> str:
        """A readable table of parameters and errors; with a ``kind`` of covariance its sigmas and 95 % intervals."""
        return summary(self, kind)

    def _repr_html_(self) -> str:
        from optid.notebook import fit_html

        return fit_html(self)

    def __repr__(self) -> str:
        return f"IdentificationResult({self.base.model.robot.name!r}, {self.method}, {self.base.rank} parameters, error {self.errors().stacked:.2%})"
