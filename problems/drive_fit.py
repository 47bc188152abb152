"""Drives fitted with known inertias: values on the motor side, and what the residuals say about the inertias."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from optid.errors import DataError, sentence, unknown_name
from optid.kernels import JointFactors
from optid.regressor import BaseParameters, accumulate

from .identification_result import IdentificationResult

if TYPE_CHECKING:
    from optid.signals import Samples

Array = NDArray[np.float64]

STEMS = {"B": "fv", "friction": "fc", "offset": "fo", "J": "Ia"}
"""Motor-side names and the stems of the joint-side parameters they come from."""

SUSPICIOUS = 4.0
"""Standard deviations from which a correction of an inertia is worth a remark."""


@dataclass(frozen=True)
class InertiaCheck:
    """How one inertial base parameter would have to change to explain the residuals, everything of the drives fitted anew beside it.

    Attributes
    ----------
    formula : str
    value : float
        By the known inertias.
    correction, sigma : float
        Least-squares change and its standard deviation.
    explained : float
        Share of the residuals' weighted sum of squares that it removes.
    """

    formula: str
    value: float
    correction: float
    sigma: float
    explained: float

    @property
    def score(self) -> float:
        """Correction in standard deviations."""
        return self.correction / self.sigma if self.sigma > 0 else 0.0

    @property
    def suspicious(self) -> bool:
        """Whether the data contradict the known value."""
        return abs(self.score) > SUSPICIOUS

    @property
    def relative(self) -> float:
        """Correction in units of the value (NaN for a value of zero)."""
        return self.correction / abs(self.value) if self.value else float("nan")


@dataclass(frozen=True, eq=False)
class DriveFit:
    """Friction and rotor inertia of all axes.

    Attributes
    ----------
    fit : IdentificationResult
        The same on the joint side: for prediction, validation and files.
    scale : (r,)
        Joint-side value per motor-side value.
    notes : tuple of str
        What the motion did not show.
    job : optid.identification.methods.Job or None
        The data.

    Examples
    --------
    >>> from optid import DynamicModel, Preprocessing
    >>> from optid.identification.known_inertia import identify_drives
    >>> from optid.simulation.scara_drives import record_currents, scara_cad, scara_motion
    >>> model = DynamicModel(scara_cad(), ("viscous", "coulomb"), rotor_inertia=True)
    >>> drives = identify_drives(model, record_currents(scara_motion(1), seed=3), preprocessing=Preprocessing(decimate=10))
    >>> drives.B.shape
    (4,)
    """

    fit: IdentificationResult
    scale: Array
    notes: tuple[str, ...]
    job: Any = None

    @property
    def solution(self) -> Any:
        """The solver's solution."""
        return self.fit.solution

    # -- values -------------------------------------------------------------------------------------------------------------------------------------

    def _places(self, what: str) -> list[int | None]:
        if what not in STEMS:
            raise unknown_name("parameter of a drive", what, STEMS)
        names = self.fit.base.names
        wanted = [f"{STEMS[what]}{j + 1}" for j in range(self.fit.base.model.n)]
        return [names.index(name) if name in names else None for name in wanted]

    def values(self, what: str) -> Array:
        """(n,) of "B" [N m s/rad], "friction" (Coulomb, τ_f) [N m], "offset" [N m] or "J" [kg m²], motor side; NaN where undetermined or not modelled."""
        return np.array([np.nan if k is None else self.fit.beta[k] / self.scale[k] for k in self._places(what)])

    @property
    def B(self) -> Array:
        """(n,) viscous friction of the motors [N m s/rad]."""
        return self.values("B")

    @property
    def friction(self) -> Array:
        """(n,) Coulomb friction τ_f of the motors [N m]."""
        return self.values("friction")

    @property
    def J(self) -> Array:
        """(n,) inertia of the motors' rotors [kg m²]."""
        return self.values("J")

    def interval(self, what: str, level: float = 0.95) -> Array:
        """(n, 2) confidence intervals of :meth:`values`; they hold for residuals that are correlated in time as well."""
        ends = self.fit.interval(level)
        empty = np.full(2, np.nan)
        return np.array([empty if k is None else ends[k] / self.scale[k] for k in self._places(what)])

    def motor_torque(self, samples: Samples) -> Array:
        """Predicted motor torques (N, n) [N m], motor side of the gears, at the samples of a motion."""
        robot = self.fit.base.model.robot
        return np.asarray(robot.motor_torque(self.fit.predict_samples(samples)) / np.array([drive.gear for drive in robot.drives]))

    # -- the inertias -------------------------------------------------------------------------------------------------------------------------------

    @cached_property
    def _full(self) -> tuple[BaseParameters, JointFactors]:
        if self.job is None:
            raise DataError(sentence("check of the inertias", "a fit without its data", "one made by KnownInertia.of"))
        model = self.fit.base.model
        base = BaseParameters.of(model, preferred=self.fit.base.names)
        pi = self.fit.base.known_parameters(dict(self.fit.known))
        parts = [accumulate(base, samples, pi) for samples in self.job.samples()]
        return base, JointFactors.merge(parts)

    @cached_property
    def inertia_checks(self) -> tuple[InertiaCheck, ...]:
        """Every inertial base parameter with the change that the residuals ask for, the most telling first.

        One parameter is freed at a time, so that an error in one inertia shows in those that act alike as well; it is the first. What a rotor inertia has taken
        up (an inertia about its own axis alone) cannot show.
        """
        base, factors = self._full
        A, b = factors.stacked(self.fit.weights)
        drives = [k for k, name in enumerate(base.names) if name in self.fit.base.names]
        others = [k for k in range(base.rank) if k not in drives]
        values = base.beta(self.fit.base.known_parameters(dict(self.fit.known)))
        Q, _ = np.linalg.qr(A[:, drives])
        left = b - Q @ (Q.T @ b)
        total = float(left @ left)
        kept = self.fit.details.residuals
        rows = float(kept.independent.sum()) if kept is not None else float(factors.counts.sum())
        found = []
        for k in others:
            column = A[:, k] - Q @ (Q.T @ A[:, k])
            size = float(column @ column)
            if size <= 1e-12 * float(A[:, k] @ A[:, k]):
                continue
            correction = float(column @ left) / size
            removed = correction**2 * size
            variance = max(total - removed, 0.0) / float(factors.counts.sum())
            sigma = np.sqrt(variance / size * float(factors.counts.sum()) / max(rows - len(drives) - 1, 1.0)) * self._spread
            found.append(InertiaCheck(base.formulas[k], float(values[k]), correction, float(sigma), removed / total if total > 0 else 0.0))
        return tuple(sorted(found, key=lambda check: -check.explained))

    @property
    def _spread(self) -> float:
        """How much wider than for white residuals the intervals of the drives are: the checks are widened alike."""
        if self.fit.details.residuals is None or self.fit.reliable_kind == "white":
            return 1.0
        wide = self.fit.inflation
        return float(max(1.0, np.nanmax(wide))) if np.isfinite(wide).any() else 1.0

    # -- in words -----------------------------------------------------------------------------------------------------------------------------------

    def summary(self) -> str:
        """Table of the drives, check of the inertias, notes."""
        names = self.fit.base.model.robot.joint_names
        width = max(len(name) for name in names)
        lines = [f"{'axis':<{width}} {'B [N m s/rad]':>26} {'tau_f [N m]':>26} {'J [kg m2]':>26}   (motor side, 95 % interval)"]
        for j, name in enumerate(names):
            cells = []
            for what in ("B", "friction", "J"):
                low, high = self.interval(what)[j]
                cells.append(f"{self.values(what)[j]:.4g} [{low:.4g}, {high:.4g}]".rjust(26))
            lines.append(f"{name:<{width}} {' '.join(cells)}")
        lines.append(f"error of the fit, joint by joint: {', '.join(f'{e:.2%}' for e in self.fit.errors().per_joint)} of the torque less that of the links")
        lines += [f"note: {note}" for note in self.notes]
        if self.job is not None:
            told = [check for check in self.inertia_checks if check.suspicious]
            if not told:
                lines.append("The residuals do not contradict the known inertias.")
            for check in told[:5]:
                share = f"{check.relative:+.1%}" if check.value else f"{check.correction:+.3g}"
                lines.append(
                    f"known inertia in doubt: {check.formula} = {check.value:.4g}, by the residuals {share} "
                    f"({abs(check.score):.0f} standard deviations; explains {check.explained:.1%} of them)"
                )
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"DriveFit({self.fit.base.model.robot.name!r}, {self.fit.base.rank} parameters)"
