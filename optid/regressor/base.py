"""Base parameters: the combinations of standard parameters that motion can reveal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Real
from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.errors import DataError, ShapeError, sentence, unknown_name
from optid.kernels import Kernel
from optid.model import DynamicModel
from optid.model.arrays import is_symbolic, numbers, state_arrays

from .arguments import checked_model, checked_names, checked_seed
from .formula import formula
from .scale import NaturalUnits
from .selection import independent_columns, preference, rank_by_gap

Array = NDArray[np.float64]

TOLERANCE = 1e-5
"""Combinations of parameters whose torque is below this part of the largest one (in the robot's own units) count as invisible: what angles rounded to
1.5708 show is below, what a calibrated table adds to a nominal one is above."""

PRINTED = 1e-5
"""Coefficients below this (in the robot's own units) are not printed."""


@dataclass(frozen=True, eq=False)
class BaseParameters:
    """``tau = Y_known pi_known + Y_b beta`` with ``beta = matrix @ pi``.

    Attributes
    ----------
    model : DynamicModel
    independent : r-tuple of int
        Columns of the standard regressor that form the base regressor.
    matrix : (r, p) array
        Maps standard parameters to base parameters; zero in the columns of known parameters.
    known : tuple of str
        Parameters taken as known; their torque is subtracted, not fitted.
    singular_values : (p_unknown,) array
        Of the unknown columns for random motion, scaled to unit norm: the cross-check of the rank.
    backend : str
        Of the kernels, see :class:`optid.kernels.Kernel`.

    Examples
    --------
    >>> from optid import BaseParameters, DynamicModel, library
    >>> base = BaseParameters.of(DynamicModel(library.planar_2r(), friction="none"))
    >>> base.formulas
    ('mx1 + 0.5*m2', 'my1', 'Izz1 + 0.25*m2', 'mx2', 'my2', 'Izz2')
    >>> base.beta(base.model.nominal_parameters()).round(6).tolist()
    [1.15, 0.02, 0.4852, 0.225, -0.03, 0.05435]
    """

    model: DynamicModel
    independent: tuple[int, ...]
    matrix: Array
    known: tuple[str, ...]
    singular_values: Array
    thresholds: Array
    backend: str = "auto"

    @classmethod
    def of(cls, model: DynamicModel, seed: int = 0, known: Sequence[str] = (), preferred: Sequence[str] = (), tolerance: float = TOLERANCE) -> BaseParameters:
        """Find the base parameters of a model numerically (Gautier 1991: QR of the regressor of random motion).

        Parameters
        ----------
        seed : int
            Of the random motion.
        known : names of parameters that are known
        preferred : names
            Wanted as independent parameters, first come first served.
        tolerance : float
            See :data:`TOLERANCE`.
        """
        model, seed = checked_model(model), checked_seed(seed)
        known, preferred = checked_names(known, "known"), checked_names(preferred, "preferred")
        if isinstance(tolerance, bool) or not isinstance(tolerance, Real) or not 0 < tolerance < 1:
            raise DataError(sentence("tolerance of the base parameters", repr(tolerance), "a number between 0 and 1, such as 1e-8"))
        names = model.parameter_names
        for name in known:
            if name not in names:
                raise unknown_name("known parameter", name, names)
        units = NaturalUnits.of(model)
        n_samples = max(200, 12 * model.p // model.n)
        states = units.states(n_samples, np.random.default_rng(seed))
        Y = model.regressor(*states) / np.tile(units.rows(), n_samples)[:, None]
        scale = units.columns(model)
        for k in range(model.p - sum(len(b.names) for b in model.basis), model.p):
            scale[k] = np.sqrt(n_samples) / (np.linalg.norm(Y[:, k]) or 1.0)
        Y = Y * scale
        columns = {model.index(name) for name in known}
        Y[:, list(columns)] = 0.0
        order = [k for k in preference(names, 10 * model.robot.n_links, [p for p in preferred if p not in known]) if k not in columns]
        accepted, K = independent_columns(Y, order, tolerance, fixed=len(set(preferred) - set(known)))
        rank = np.argsort(accepted)
        accepted = [accepted[k] for k in rank]
        K = K[rank]
        norms: Array = np.asarray(np.linalg.norm(Y, axis=0))
        visible = [k for k in range(model.p) if norms[k] > 10 * tolerance * norms.max(initial=0.0)]
        s = np.linalg.svd(Y[:, visible] / norms[visible], compute_uv=False) if visible else np.zeros(0)
        unit = scale[accepted][:, None] / scale[None, :]
        return cls(model, tuple(int(k) for k in accepted), K * unit, tuple(known), s, PRINTED * unit)

    # -- looks --------------------------------------------------------------------------------------------------------------------------------------

    def __repr__(self) -> str:
        return f"BaseParameters({self.model.robot.name!r}, {self.rank} of {self.model.p} parameters)"

    def _repr_html_(self) -> str:
        from optid.notebook import base_parameters_html

        return base_parameters_html(self)

    # -- description --------------------------------------------------------------------------------------------------------------------------------

    @property
    def rank(self) -> int:
        """Number of base parameters r."""
        return len(self.independent)

    @property
    def svd_rank(self) -> int:
        """Rank by the widest gap of the singular values: a second opinion on :attr:`rank`."""
        return rank_by_gap(self.singular_values)

    @cached_property
    def formulas(self) -> tuple[str, ...]:
        """Base parameters as formulas, e.g. ``Ixz2 - 0.36*mz2 - 0.36*mz3``; terms below 1e-5 in the robot's own units are not printed."""
        names = self.model.parameter_names
        return tuple(
            formula(np.where(np.abs(row) > small, row, 0.0), names, k) for row, small, k in zip(self.matrix, self.thresholds, self.independent, strict=True)
        )

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the independent standard parameters."""
        return tuple(self.model.parameter_names[k] for k in self.independent)

    @property
    def unidentifiable(self) -> tuple[str, ...]:
        """Standard parameters that no motion reveals, alone or in a combination."""
        size, small = np.abs(self.matrix).T, self.thresholds.T
        return tuple(name for k, name in enumerate(self.model.parameter_names) if name not in self.known and not np.any(size[k] > small[k]))

    # -- vectors ------------------------------------------------------------------------------------------------------------------------------------

    def beta(self, pi: ArrayLike) -> Array:
        """Base parameters (r,) of a standard vector (p,)."""
        vector = np.asarray(pi, dtype=float)
        if vector.shape != (self.model.p,):
            raise ShapeError(sentence("pi", f"{vector.size} values", f"the {self.model.p} standard parameters"))
        return np.asarray(self.matrix @ vector)

    def standard(self, beta: ArrayLike, prior: ArrayLike | None = None, how: str = "nearest") -> Array:
        """One standard vector (p,) out of the class that ``beta`` determines.

        Parameters
        ----------
        beta : (r,)
        prior : (p,), optional
            Its known parameters are kept. When omitted: the robot's nominal values of the known parameters, zeros elsewhere.
        how : "nearest" or "independent"
            Nearest to the prior in the Euclidean norm (minimum norm for a zero prior); or all of the correction in the independent parameters.
        """
        b = self._beta(beta)
        p0 = self.known_parameters() if prior is None else np.array(prior, dtype=float)
        rest = b - self.matrix @ p0
        if how == "nearest":
            return p0 + np.linalg.pinv(self.matrix) @ rest
        if how == "independent":
            p0[list(self.independent)] += rest
            return p0
        raise unknown_name("way to choose a standard vector", how, ("nearest", "independent"))

    def _beta(self, beta: Any) -> Array:
        vector = numbers(beta.full() if isinstance(beta, ca.DM) else beta, "beta").reshape(-1)
        if vector.shape != (self.rank,):
            raise ShapeError(
                sentence(
                    "beta",
                    f"{vector.size} values",
                    f"the {self.rank} base parameters",
                    "A standard vector goes with the model's own regressor, or through .beta(pi).",
                )
            )
        return vector

    # -- regressors ---------------------------------------------------------------------------------------------------------------------------------

    @cached_property
    def function(self) -> ca.Function:
        """CasADi function (q, dq, ddq) → base regressor (n, r)."""
        q, dq, ddq = (ca.SX.sym(name, self.model.n) for name in ("q", "dq", "ddq"))
        Y = self.model.regressor_expression(q, dq, ddq)
        return ca.Function("base_regressor", [q, dq, ddq], [Y[:, list(self.independent)]], ["q", "dq", "ddq"], ["Yb"])

    @cached_property
    def kernel(self) -> Kernel:
        """Batch kernel of :attr:`function`."""
        return Kernel(self.function, self.backend)

    @cached_property
    def split_kernel(self) -> Kernel:
        """Batch kernel (pi (p,), q, dq, ddq) → (n, r + 1): the base regressor, and the torque of the standard parameters pi, for data that it is taken from."""
        q, dq, ddq = (ca.SX.sym(name, self.model.n) for name in ("q", "dq", "ddq"))
        pi = ca.SX.sym("pi", self.model.p)
        Y = self.model.regressor_expression(q, dq, ddq)
        split = ca.horzcat(Y[:, list(self.independent)], ca.mtimes(Y, pi))
        return Kernel(ca.Function("split_regressor", [pi, q, dq, ddq], [split], ["pi", "q", "dq", "ddq"], ["split"]), self.backend)

    def settled(self, n_samples: int) -> BaseParameters:
        """The same with the backend of the kernels chosen, for a job of so many samples in all (:meth:`optid.kernels.Kernel.prepared`)."""
        return self if self.backend != "auto" else self.on(self.kernel.prepared(n_samples).backend)

    def on(self, backend: str) -> BaseParameters:
        """The same with kernels of another backend."""
        if backend not in self._on:
            self._on[backend] = self if backend == self.backend else replace(self, backend=backend)
        return self._on[backend]

    @cached_property
    def _on(self) -> dict[str, BaseParameters]:
        return {}

    def __getstate__(self) -> dict[str, Any]:
        """CasADi expressions do not pickle; they are built again on first use."""
        return {name: self.__dict__[name] for name in self.__dataclass_fields__}

    def regressor(self, q: Any, dq: Any, ddq: Any) -> Any:
        """Stacked base regressor (N·n, r); row k·n + j is joint j at sample k. CasADi columns give an expression (n, r)."""
        if is_symbolic(q, dq, ddq):
            return self.function(q, dq, ddq)
        arrays, _ = state_arrays((q, dq, ddq), self.model.n, ("q", "dq", "ddq"))
        return self.kernel(*arrays).reshape(-1, self.rank)

    def known_parameters(self, values: Mapping[str, float] | None = None) -> Array:
        """Standard vector (p,) that holds only the known parameters: the given values, else the robot's nominal ones."""
        given = dict(values or {})
        for name in given:
            if name not in self.known:
                raise unknown_name("known parameter", name, self.known)
        nominal = self.model.nominal_parameters()
        return self.model.parameters({name: given.get(name, float(nominal[self.model.index(name)])) for name in self.known})

    def known_vector(self, known: Array | Mapping[str, float] | None = None) -> Array | None:
        """What the equations take off the torque: a standard vector (p,) as it is, else :meth:`known_parameters`; None when nothing is known."""
        if isinstance(known, np.ndarray):
            return known
        vector = self.known_parameters(known)
        return vector if self.known else None

    def torque(self, beta: Any, q: Any, dq: Any, ddq: Any, known: Mapping[str, float] | None = None) -> Array:
        """Torque (N, n) predicted by base parameters, plus that of the known ones."""
        arrays, single = state_arrays((q, dq, ddq), self.model.n, ("q", "dq", "ddq"))
        tau = np.asarray(self.kernel(*arrays) @ self._beta(beta))
        if self.known:
            tau = tau + self.model.inverse_dynamics(self.known_parameters(known), *arrays)
        return np.asarray(tau[0] if single else tau)
