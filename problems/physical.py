"""Identification of a full set of standard parameters whose bodies can exist, pulled towards a prior."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.brief import brief
from optid.errors import DataError, SolveError, sentence, unknown_name
from optid.kernels import JointFactors
from optid.regressor import BaseParameters
from optid.regressor.scale import NaturalUnits

from .equations import Equations
from .fit_details import FitDetails
from .forms import Cone, LeastSquares, Nlp
from .identification_result import IdentificationResult
from .log_cholesky import log_cholesky_program, scaled_parameters
from .physical_bodies import BodyLimits, Ellipsoid, ScaledBody, body_cones, check_limits, eigenvalues, link_names, place_patterns, place_rows
from .prior import Prior, link_scales

if TYPE_CHECKING:
    from optid.solvers import Solution

Array = NDArray[np.float64]

MEASURES = ("euclidean", "entropic")
COORDINATES = ("cone", "log-cholesky")
TOUCHING = 1e-3
"""A scaled body whose smallest eigenvalue is below this is named as one at the boundary of what can exist."""

ROUNDING = 1e-10
"""A residual below this part of the torque is rounding, and not compared."""


@dataclass(frozen=True, eq=False)
class PhysicalIdentification:
    """min over standard parameters π of Σ_j w_j ‖W_j B π − τ_j‖² + λ² d(π, π₀), every link a body that can exist, friction and rotor inertia not negative.

    The prior makes the answer unique where the torque does not depend on π. Distances are free of units: "euclidean" is Σ ((π_k − π₀_k)/s_k)²; "entropic"
    replaces the links' part by the Bregman divergence of −log det of the pseudo-inertias, −log det J + log det J₀ + tr(J₀⁻¹J) − 4 (Lee, Wensing & Park,
    *Geometric robot dynamic identification: a convex programming approach*, IEEE T-RO 36, 2020), which does not depend on the choice of frames either.

    Parameters
    ----------
    base : BaseParameters
    factors : JointFactors
        The torque of known parameters already subtracted.
    weights : (n,), optional
        1/variance of each joint's torque noise.
    prior : Prior
        Its values, and its sigmas as s; where a sigma is not stated, s is the size of the link (:func:`optid.problems.prior.link_scales`), the value of a
        rotor inertia, and for everything else what alone would make the whole torque.
    damping : float
        λ > 0.
    measure : "euclidean" or "entropic"
    limits : BodyLimits
    positive : bool
        Ask viscous and Coulomb friction and rotor inertia not to be negative.
    coordinates : "cone" or "log-cholesky"
        Convex, as least squares on cones (euclidean only); or smooth and without constraints on the bodies (C. Rucker, P. M. Wensing, *Smooth parameterization
        of rigid-body inertia*, IEEE RA-L 7, 2022). Both have the same optimum.
    known : mapping name → value
    start : (p,), optional
        Standard parameters to start a smooth program from; the prior's without it.

    Examples
    --------
    >>> import optid
    >>> from optid.problems import PhysicalIdentification
    >>> from optid.testing import example_fit
    >>> fit = example_fit(0.01, 200)
    >>> optid.solve(PhysicalIdentification(fit.base, fit.factors, weights=fit.weights)).physical_report().ok
    True
    """

    base: BaseParameters
    factors: JointFactors
    weights: ArrayLike | None = None
    prior: Prior = field(default=None)  # type: ignore[assignment]
    damping: float = 1e-3
    measure: str = "euclidean"
    limits: BodyLimits = field(default_factory=BodyLimits)
    positive: bool = True
    coordinates: str = "cone"
    known: Mapping[str, float] = field(default_factory=dict)
    method: str = "physical"
    context: Mapping[str, Any] = field(default_factory=dict)
    start: Array | None = None

    __repr__ = brief

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "weights", np.ones(self.base.model.n) if self.weights is None else np.asarray(self.weights, dtype=float))
        put(self, "prior", self.prior if self.prior is not None else Prior.of(self.base.model))
        for what, known in (("measure", MEASURES), ("coordinates", COORDINATES)):
            if getattr(self, what) not in known:
                raise unknown_name(what, getattr(self, what), known)
        if not (np.isfinite(self.damping) and self.damping > 0):
            raise DataError(sentence("damping of a physical fit", self.damping, "a number above 0", "A small one, such as 1e-3, only breaks ties."))
        if self.measure == "entropic":
            if self.coordinates == "cone":
                raise DataError(sentence("coordinates of an entropic fit", "'cone'", "'log-cholesky'", "A log det is no least-squares term."))
            for k, name in enumerate(link_names(self.base.model.robot)):
                if eigenvalues(self.prior.values[10 * k : 10 * k + 10])[0, 0] <= 0:
                    raise DataError(
                        sentence(f"prior of link {name!r}", "no body of positive pseudo-inertia", "one, whose log det exists", "Use measure='euclidean'.")
                    )

    # -- variables ----------------------------------------------------------------------------------------------------------------------------------

    @cached_property
    def variables(self) -> NDArray[np.int64]:
        """Standard parameters that are not known, in order: the variables, each in units of its :attr:`scales`."""
        fixed = {self.base.model.index(name) for name in self.base.known}
        return np.array([k for k in range(self.base.model.p) if k not in fixed], dtype=np.int64)

    @cached_property
    def data(self) -> tuple[Array, Array]:
        """Triangle (r', r) and right side of the weighted data in base parameters."""
        A, b = self.factors.stacked(np.asarray(self.weights))
        factor = np.asarray(np.linalg.qr(np.column_stack([A, b]), mode="r"))
        return factor[:, :-1], factor[:, -1]

    @cached_property
    def scales(self) -> Array:
        """Unit (p,) of every standard parameter: a body's mass and length for links, what would make the whole torque for the rest."""
        model, links = self.base.model, 10 * self.base.model.robot.n_links
        A, b = self.data
        heights = np.linalg.norm(A @ self.base.matrix, axis=0)
        whole = np.divide(float(np.linalg.norm(b)) or 1.0, heights, out=np.full(model.p, np.nan), where=heights > 0)
        bodies = np.array([link_scales(self.prior.values[k : k + 10]) for k in range(0, links, 10)])
        length = NaturalUnits.of(model).length
        unit = np.array([1.0, *[length] * 3, *[length**2] * 6])
        made_up = np.nanmin(whole[:links].reshape(-1, 10) / unit, axis=1, initial=np.inf)
        usual = np.median(made_up[np.isfinite(made_up)]) if np.isfinite(made_up).any() else 1.0
        for k in np.flatnonzero((bodies[:, 0] <= 0) | (bodies[:, 4] <= 0)):
            bodies[k] = unit * (bodies[k, 0] if bodies[k, 0] > 0 else made_up[k] if np.isfinite(made_up[k]) else usual)
        rest = np.where(np.isfinite(whole[links:]), whole[links:], 1.0)
        rotor = np.array([name.startswith("Ia") for name in model.parameter_names[links:]], dtype=bool)
        value = np.abs(self.prior.values[links:])
        return np.concatenate([bodies.ravel(), np.where(rotor & (value > 0), value, rest)])

    @cached_property
    def sigmas(self) -> Array:
        """s (p,): the prior's where it states them, :attr:`scales` elsewhere."""
        return np.where(np.isnan(self.prior.sigmas), self.scales, self.prior.sigmas)

    @cached_property
    def known_vector(self) -> Array:
        """Known parameters (p,), zero elsewhere."""
        return self.base.known_parameters(self.known) if self.base.known else np.zeros(self.base.model.p)

    @cached_property
    def bodies(self) -> tuple[list[ScaledBody], list[list[int | None]], list[Array], list[str]]:
        """Links with at least one unknown parameter: body, variable numbers, known parameters in its units, name."""
        place = {int(k): i for i, k in enumerate(self.variables)}
        found: tuple[list[ScaledBody], list[list[int | None]], list[Array], list[str]] = ([], [], [], [])
        for k, name in enumerate(link_names(self.base.model.robot)):
            part = range(10 * k, 10 * k + 10)
            where = [place.get(i) for i in part]
            if any(variable is not None for variable in where):
                body = ScaledBody(self.scales[10 * k : 10 * k + 10], self.limits.margin)
                for target, value in zip(found, (body, where, self.known_vector[list(part)] / body.scale, name), strict=True):
                    target.append(value)  # type: ignore[attr-defined]
        return found

    def bounds(self) -> tuple[Array, Array]:
        """Lower and upper bounds of the variables, in their scales."""
        model = self.base.model
        low, high = np.full(model.p, -np.inf), np.full(model.p, np.inf)
        if self.positive:
            for k, name in enumerate(model.parameter_names[10 * model.robot.n_links :], 10 * model.robot.n_links):
                if name.startswith(("Ia", "fv", "fc")) and name not in self._extra_names:
                    low[k], high[k] = (-np.inf, 0.0) if name.startswith("fcn") else (0.0, np.inf)
        for k, (least, largest) in check_limits(self.limits, model.robot).items():
            low[10 * k], high[10 * k] = least, largest
        return low[self.variables] / self.scales[self.variables], high[self.variables] / self.scales[self.variables]

    @property
    def _extra_names(self) -> set[str]:
        return {name for b in self.base.model.basis for name in b.names}

    @cached_property
    def least_squares_rows(self) -> tuple[Array, Array]:
        """Rows and right side of the data in the variables."""
        A, b = self.data
        return A @ self.base.matrix[:, self.variables] * self.scales[self.variables], b

    @cached_property
    def prior_rows(self) -> tuple[Array, Array]:
        """Rows and right side of λ(z − z₀)·scale/s for the variables; links left out where the measure is entropic."""
        u = self.variables
        weight = self.damping * self.scales[u] / self.sigmas[u]
        if self.measure == "entropic":
            weight = np.where(u < 10 * self.base.model.robot.n_links, 0.0, weight)
        keep = weight > 0
        return np.diag(weight)[keep], (weight * self.prior.values[u] / self.scales[u])[keep]

    # -- forms --------------------------------------------------------------------------------------------------------------------------------------

    def form(self) -> LeastSquares | Nlp:
        """Least squares on cones, or a smooth program in log-Cholesky coordinates."""
        (A, b), (D, d) = self.least_squares_rows, self.prior_rows
        low, high = self.bounds()
        names = [self.base.model.parameter_names[k] for k in self.variables]
        places = self._places()
        bodies, where, known, labels = self.bodies
        if self.coordinates == "log-cholesky":
            return log_cholesky_program(self, np.vstack([A, D]), np.concatenate([b, d]), low, high, places)
        size = len(self.variables)
        cones = body_cones(bodies, where, known, size, labels)
        rows, right = np.zeros((0, size)), np.zeros(0)
        for i, place in places.items():
            constant, slopes = self._affine(i, place_patterns(place)) if isinstance(place, Ellipsoid) else self._affine(i, place_rows(place).T)
            if isinstance(place, Ellipsoid):
                cones.append(Cone(constant, slopes, f"centre of mass of {labels[i]}"))
            else:
                rows, right = np.vstack([rows, slopes.T]), np.concatenate([right, -constant])
        return LeastSquares(np.vstack([A, D]), np.concatenate([b, d]), lower=low, upper=high, A_in=rows, b_in=right, cones=tuple(cones), names=names)

    def _places(self) -> dict[int, Any]:
        """Box or ellipsoid by position in :attr:`bodies`."""
        labels = self.bodies[3]
        return {labels.index(name): place for name, place in self.limits.centres.items() if name in labels}

    def _affine(self, i: int, patterns: Array) -> tuple[Array, Array]:
        """Constant and slopes over the variables of Σ_k π_k patterns[k] for body i, divided by the body's mass scale."""
        bodies, where, known, _ = self.bodies
        scaled = patterns * (bodies[i].scale / bodies[i].scale[0]).reshape(-1, *[1] * (patterns.ndim - 1))
        slopes = np.zeros((len(self.variables), *patterns.shape[1:]))
        for k, variable in enumerate(where[i]):
            if variable is not None:
                slopes[variable] = scaled[k]
        return np.tensordot(known[i], scaled, 1), slopes

    # -- result -------------------------------------------------------------------------------------------------------------------------------------

    def standard(self, x: Array) -> Array:
        """Standard parameters (p,), known ones included, of the variables of :meth:`form`."""
        pi = self.known_vector.copy()
        z = scaled_parameters(self, x) if self.coordinates == "log-cholesky" else np.asarray(x)
        pi[self.variables] = z * self.scales[self.variables]
        return pi

    def residual(self, x: Array) -> float:
        """Norm of the weighted residual at the variables of :meth:`form`."""
        A, b = self.data
        return float(np.linalg.norm(A @ self.base.beta(self.standard(x)) - b))

    def interpret(self, solution: Solution) -> IdentificationResult:
        """Estimates, with the full set as ``details.standard``.

        Raises
        ------
        SolveError
            When a body came out that cannot exist: the solver stopped too early.
        """
        pi = self.standard(solution.x)
        links = 10 * self.base.model.robot.n_links
        labels = link_names(self.base.model.robot)
        unknown = set(self.bodies[3])
        smallest = eigenvalues(pi[:links])[:, 0]
        for name, value in zip(labels, smallest, strict=True):
            if name in unknown and not value >= self.limits.margin:
                raise SolveError(
                    sentence(
                        f"pseudo-inertia of link {name!r}", f"eigenvalue {value:.3g}", f"at least {self.limits.margin:g}", "The solver stopped too early."
                    ),
                    solution,
                )
        beta = self.base.beta(pi)
        finite = Prior(self.base.model, self.prior.values, self.sigmas / self.damping)
        rows, target = finite.base_rows(self.base)
        A, b = self.data
        alone = float(np.linalg.norm(A @ Equations(A, b, self.base.names).minimum_norm - b))
        rounding = ROUNDING * float(np.linalg.norm(b))
        increase = float(np.linalg.norm(A @ beta - b)) / alone - 1 if alone > rounding else None
        details = FitDetails(rows=rows, target=target, standard=pi, damping=self.damping, residual_increase=increase, at_bound=tuple(self._touching(pi)))
        determinacy = Equations.of(self.base.names, self.factors, np.asarray(self.weights), details).determinacy
        return IdentificationResult(
            self.base, beta, np.asarray(self.weights), self.factors, determinacy, dict(self.known), self.method, solution, beta, details=details, **self.context
        )

    def _touching(self, pi: Array) -> list[str]:
        bodies, _, _, labels = self.bodies
        found = []
        all_labels = link_names(self.base.model.robot)
        for body, name in zip(bodies, labels, strict=True):
            k = 10 * all_labels.index(name)
            scaled = eigenvalues(pi[k : k + 10] / body.scale)[0, 0]
            if scaled < TOUCHING:
                found.append(f"pseudo-inertia of {name}")
        low, high = self.bounds()
        z = pi[self.variables] / self.scales[self.variables]
        for k, name in enumerate(self.base.model.parameter_names[int(i)] for i in self.variables):
            for bound in (low[k], high[k]):
                if np.isfinite(bound) and abs(z[k] - bound) <= 1e-6 * max(1.0, abs(bound)):
                    found.append(f"{name} = {bound * self.scales[self.variables[k]]:g}")
        return found
