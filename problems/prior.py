"""What is believed before the data: standard parameters and how well they are known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.brief import brief
from optid.errors import DataError, ShapeError, sentence
from optid.model import DynamicModel
from optid.model.arguments import real
from optid.model.arrays import numbers
from optid.regressor import BaseParameters
from optid.robot import Robot

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Prior:
    """Standard parameters with standard deviations.

    Attributes
    ----------
    model : DynamicModel
    values : (p,)
    sigmas : (p,), optional
        Standard deviations in the parameters' units: infinite for no belief, NaN (the default) where it is not said how sure the value is.

    Examples
    --------
    >>> from optid import DynamicModel, library
    >>> from optid.problems import Prior
    >>> model = DynamicModel(library.planar_2r(), friction="none")
    >>> prior = Prior.of(model, model.nominal_parameters(), relative=0.1)
    >>> prior.values.shape
    (20,)
    """

    model: DynamicModel
    values: Array
    sigmas: Array = field(default=None)  # type: ignore[arg-type]

    __repr__ = brief

    def __post_init__(self) -> None:
        p = self.model.p
        values = np.array(self.values, dtype=float)
        sigmas = np.full(p, np.nan) if self.sigmas is None else np.array(self.sigmas, dtype=float)
        for what, array in (("values", values), ("sigmas", sigmas)):
            if array.shape != (p,):
                raise ShapeError(sentence(f"{what} of the prior", f"shape {array.shape}", f"({p},), the standard parameters of the model"))
        names = self.model.parameter_names
        if not np.isfinite(values).all():
            k = int(np.flatnonzero(~np.isfinite(values))[0])
            raise DataError(sentence(f"prior of {names[k]}", values[k], "a finite number"))
        if (sigmas <= 0).any():
            k = int(np.flatnonzero(sigmas <= 0)[0])
            raise DataError(sentence(f"sigma of the prior of {names[k]}", f"{sigmas[k]:g}", "a number above 0", "Fix a parameter with known= instead."))
        object.__setattr__(self, "values", values)
        object.__setattr__(self, "sigmas", sigmas)

    @classmethod
    def of(cls, model: DynamicModel, source: Any = None, relative: float | None = None) -> Prior:
        """Read a prior.

        Parameters
        ----------
        model : DynamicModel
        source : optional
            None: the model's own robot (URDF, DH file, library). A :class:`Robot` or DynamicModel of the same joints: its bodies, friction and rotors. A
            mapping name → value or (value, sigma): these parameters, the rest from the model's robot. An array (p,): all values. A Prior: itself. A fitted
            model with standard parameters: those.
        relative : float, optional
            Sigma of every parameter that the source states, as a part of its size: of the value for friction and rotors, of the body's mass, size and second
            moment for links (:func:`link_scales`). Parameters that are not stated get an infinite sigma.

        Raises
        ------
        DataError, ShapeError, UnknownNameError
        """
        sigmas = None
        if isinstance(source, Prior):
            prior = cls(model, source.values, source.sigmas)
        else:
            if source is None:
                values = model.nominal_parameters()
            elif isinstance(source, Robot):
                values = model.with_robot(source).nominal_parameters()
            elif isinstance(source, DynamicModel):
                values = source.nominal_parameters()
            elif isinstance(source, Mapping):
                values, sigmas = _named(model, source)
            elif getattr(getattr(source, "details", None), "standard", None) is not None:
                values = source.details.standard
            elif hasattr(source, "beta"):
                raise DataError(sentence("prior", "a fitted model without standard parameters", "one of a physical fit", "Fit it with method='physical'."))
            else:
                values = numbers(source, "prior")
            prior = cls(model, values, sigmas)  # type: ignore[arg-type]
        return prior if relative is None else prior.with_relative_sigmas(relative)

    @property
    def stated(self) -> NDArray[np.bool_]:
        """(p,) whether the prior says anything: a link with mass states its ten parameters, any other parameter a value or a sigma."""
        said = (self.values != 0) | np.isfinite(self.sigmas)
        links = 10 * self.model.robot.n_links
        has_body = self.values[:links:10] > 0
        said[:links] |= np.repeat(has_body, 10)
        return said & ~np.isinf(self.sigmas)

    def with_relative_sigmas(self, relative: float) -> Prior:
        """Sigmas where none are given: ``relative`` times the parameter's size, infinite where the prior says nothing."""
        if not (np.isfinite(relative) and relative > 0):
            raise DataError(sentence("relative sigma of the prior", relative, "a positive number such as 0.3"))
        links = 10 * self.model.robot.n_links
        size = np.abs(self.values)
        size[:links] = np.concatenate([link_scales(self.values[k : k + 10]) for k in range(0, links, 10)])
        sigmas = np.where(self.stated & (size > 0), relative * size, np.inf)
        return Prior(self.model, self.values, np.where(np.isnan(self.sigmas), sigmas, self.sigmas))

    # -- as equations in base parameters ------------------------------------------------------------------------------------------------------------

    def base_rows(self, base: BaseParameters) -> tuple[Array, Array]:
        """The prior as equations ``rows β = target`` of unit variance; exact for independent normal priors of the standard parameters.

        With ``β = B π`` and π ~ N(values, diag(sigmas²)), β has the covariance ``B diag(sigmas²) Bᵀ``; directions that a parameter without belief can move
        give no equation.

        Raises
        ------
        DataError
            When a sigma is missing.
        """
        B, names = base.matrix, self.model.parameter_names
        used = (np.abs(B) > 0).any(axis=0)
        missing = [names[k] for k in np.flatnonzero(used & np.isnan(self.sigmas))]
        if missing:
            raise DataError(
                sentence(
                    "sigmas of the prior",
                    f"none for {', '.join(missing[:4])}",
                    "one for every parameter",
                    "Give (value, sigma), or Prior.of(..., relative=0.3).",
                )
            )
        free = used & np.isinf(self.sigmas)
        P = np.eye(base.rank) if not free.any() else _orthogonal_complement(B[:, free])
        believed = used & ~free
        root = P.T @ B[:, believed] * self.sigmas[believed]
        U, s, _ = np.linalg.svd(root, full_matrices=False)
        keep = s > 1e-12 * s.max(initial=0.0)
        rows = (U[:, keep] / s[keep]).T @ P.T
        return rows, rows @ (B @ self.values)

    def base_scales(self, base: BaseParameters, floor: float = 0.01) -> tuple[Array, Array, NDArray[np.bool_]]:
        """Base values β₀ = B π₀, their sizes |β₀| + ``floor`` times the largest, and whether the prior says anything about them: three (r,)."""
        stated = self.stated
        touches = np.abs(base.matrix) > base.thresholds
        said = (touches & stated).any(axis=1)
        beta = base.beta(self.values)
        size = np.abs(beta) + floor * float(np.abs(beta[said]).max(initial=0.0))
        return beta, size, said & (size > 0)


def link_scales(pi: ArrayLike) -> Array:
    """Typical sizes (10,) of one body's parameters: mass m, m·ℓ, m·ℓ², with ℓ² = tr(I)/(2m) the mean square distance of its mass from the frame's origin.

    Zeros for a link without mass.
    """
    values = np.asarray(pi, dtype=float)
    mass, trace = float(values[0]), float(values[4] + values[7] + values[9])
    if mass <= 0:
        return np.zeros(10)
    size = np.sqrt(trace / (2 * mass)) if trace > 0 else float(np.linalg.norm(values[1:4])) / mass
    return mass * np.array([1.0, *[size] * 3, *[size**2] * 6])


def _named(model: DynamicModel, source: Mapping[str, Any]) -> tuple[Array, Array]:
    values, sigmas = model.nominal_parameters(), np.full(model.p, np.nan)
    for name, entry in source.items():
        k = model.index(name)
        if np.ndim(entry) == 0:
            values[k] = real(entry, f"prior of {name}", "a number, or (value, sigma)")
            continue
        if np.shape(entry) != (2,):
            raise ShapeError(sentence(f"prior of {name}", repr(entry), "a value, or (value, sigma)"))
        values[k], sigmas[k] = (real(x, f"prior of {name}", "numbers (value, sigma)") for x in entry)
    return values, sigmas


def _orthogonal_complement(columns: Array) -> Array:
    """Orthonormal basis (r, r − rank) of the directions orthogonal to ``columns`` (r, k)."""
    norms = np.linalg.norm(columns, axis=0)
    U, s, _ = np.linalg.svd(columns[:, norms > 0] / norms[norms > 0], full_matrices=True)
    return np.asarray(U[:, int((s > 1e-10 * s.max(initial=1.0)).sum()) :])
