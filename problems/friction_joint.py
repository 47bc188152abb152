"""Inertia, gravity and nonlinear friction of all joints fitted together."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.brief import brief
from optid.errors import OptidWarning, RankError, ShapeError, sentence, unknown_name
from optid.model.arrays import state_arrays
from optid.regressor import BaseParameters
from optid.signals import Samples
from optid.statistics import Determinacy, white_covariance

from .fit_errors import FitErrors
from .forms import Residuals
from .friction import FrictionCurve, FrictionResult
from .friction_laws import LAWS, FrictionLaw

if TYPE_CHECKING:
    from optid.solvers import Solution

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class JointFrictionResult:
    """Base parameters of the arm and a friction law for each joint.

    Attributes
    ----------
    base : BaseParameters
        Of the model without friction.
    beta, sigma : (r,)
        Estimates and their standard deviations for white residuals.
    friction : n-tuple of FrictionResult
        ``solution`` of each is that of the whole fit.
    weights : (n,)
    residual_std : (n,) [N m]
    errors : FitErrors
    determinacy : Determinacy
        Of all parameters, at the estimate.
    solution : Solution

    Examples
    --------
    >>> import numpy as np
    >>> import optid
    >>> from optid.problems import JointFriction
    >>> from optid.testing import example_fit, example_samples
    >>> fit = example_fit()
    >>> bool(np.allclose(optid.solve(JointFriction(fit.base, [example_samples(coulomb=2.0)], "coulomb")).beta, fit.beta))
    True
    """

    base: BaseParameters
    beta: Array
    sigma: Array
    friction: tuple[FrictionResult, ...]
    weights: Array
    residual_std: Array
    errors: FitErrors
    determinacy: Determinacy
    solution: Solution

    __repr__ = brief

    def predict(self, q: Any, dq: Any, ddq: Any, load: ArrayLike | None = None) -> Array:
        """Torque (N, n) of a motion; laws that depend on the load take that of the rigid arm unless one (N, n) is given."""
        states, _ = state_arrays((q, dq, ddq), self.base.model.n, ("q", "dq", "ddq"))
        q, dq, ddq = states
        rigid = self.base.torque(np.asarray(self.solution.x)[: self.base.rank], q, dq, ddq)
        loads = rigid if load is None else np.asarray(load, dtype=float)
        return np.asarray(rigid + np.column_stack([f.torque(dq[:, j], loads[:, j]) for j, f in enumerate(self.friction)]))

    def value(self, name: str) -> float:
        """A base parameter by its formula or independent parameter's name, or a friction parameter by name and number, such as "vs2"."""
        for names in (self.base.formulas, self.base.names):
            if name in names:
                return float(self.beta[names.index(name)])
        for j, f in enumerate(self.friction):
            if name.endswith(str(j + 1)) and name[: -len(str(j + 1))] in f.names:
                return f[name[: -len(str(j + 1))]]
        raise unknown_name("parameter", name, [*self.base.names, *(f"{x}{j + 1}" for j, f in enumerate(self.friction) for x in f.names)])


@dataclass(frozen=True, eq=False)
class JointFriction:
    """min Σ_j w_j ‖τ_j − W_j β − f_j(dq_j)‖² over base parameters and the parameters of one friction law a joint.

    Parameters
    ----------
    base : BaseParameters
        Of a model with ``friction="none"``.
    samples : sequence of Samples
        Held in memory with their regressor.
    laws : str, or n names
        Of :data:`optid.problems.friction_laws.LAWS`.
    weights : (n,), optional
        1/variance of each joint's torque noise; default from the residuals of the start.

    Notes
    -----
    The start is the fit with Coulomb friction, and each joint's law fitted to what it leaves. A law's load is the torque of that start's arm without friction.

    Examples
    --------
    >>> import optid
    >>> from optid.problems import JointFriction
    >>> from optid.testing import example_fit, example_samples
    >>> result = optid.solve(JointFriction(example_fit().base, [example_samples(coulomb=2.0)], "coulomb"))
    >>> [float(friction.values[friction.names.index("fc")].round(6)) for friction in result.friction]
    [2.0, 2.0]
    """

    base: BaseParameters
    samples: Sequence[Samples]
    laws: str | Sequence[str] = "stribeck"
    weights: ArrayLike | None = None

    __repr__ = brief

    def __post_init__(self) -> None:
        n = self.base.model.n
        if self.base.model.friction:
            raise ShapeError(sentence("model of a joint friction fit", f"friction {self.base.model.friction}", "friction='none'", "The laws stand for it."))
        laws = (self.laws,) * n if isinstance(self.laws, str) else tuple(self.laws)
        for name in laws:
            if name not in LAWS:
                raise unknown_name("friction law", name, LAWS)
        if len(laws) != n:
            raise ShapeError(sentence("friction laws", f"{len(laws)}", f"one for all joints, or {n}"))
        object.__setattr__(self, "laws", laws)
        object.__setattr__(self, "samples", tuple([self.samples] if isinstance(self.samples, Samples) else self.samples))
        if self._data[1].sum() < len(self.names):
            raise RankError(sentence("joint friction fit", f"{int(self._data[1].sum())} equations", f"at least {len(self.names)}", "Record more samples."))

    @property
    def _laws(self) -> tuple[FrictionLaw, ...]:
        return tuple(LAWS[name] for name in self.laws)

    @property
    def names(self) -> tuple[str, ...]:
        """Base parameters, then each joint's friction parameters with its number."""
        return (*self.base.names, *(f"{name}{j + 1}" for j, law in enumerate(self._laws) for name in law.names))

    @cached_property
    def _data(self) -> tuple[Array, NDArray[np.bool_], Array, Array]:
        """Regressor (N, n, r), used equations (N, n), torque less that of known parameters (N, n), speeds (N, n)."""
        q, dq, ddq, tau, use = (np.concatenate([getattr(s, what) for s in self.samples]) for what in ("q", "dq", "ddq", "tau", "use"))
        if self.base.known:
            tau = tau - self.base.model.inverse_dynamics(self.base.known_parameters(), q, dq, ddq)
        return self.base.kernel(q, dq, ddq), use.astype(bool), tau, dq

    @cached_property
    def _begin(self) -> tuple[Array, Array, Array, list[FrictionCurve]]:
        """Start (p,), weights (n,), loads (N, n), and each joint's curve problem."""
        Y, use, tau, dq = self._data
        n, r = self.base.model.n, self.base.rank
        simple = np.stack([np.sign(dq), dq, np.ones_like(dq)], axis=2)
        columns = np.concatenate([Y, *[simple * (np.arange(n) == j)[None, :, None] for j in range(n)]], axis=2)[use]
        weights = np.ones(n)
        joint = np.broadcast_to(np.arange(n), use.shape)[use]
        for _ in range(3):
            root = np.sqrt(weights)[joint]
            norms = np.linalg.norm(columns * root[:, None], axis=0)
            norms = np.where(norms > 0, norms, 1.0)
            x = np.linalg.lstsq(columns * root[:, None] / norms, tau[use] * root, rcond=1e-10)[0] / norms
            rest = (tau[use] - columns @ x) ** 2
            weights = np.array([np.count_nonzero(joint == j) / max(rest[joint == j].sum(), 1e-300) for j in range(n)])
        rigid = Y @ x[:r]
        curves = [FrictionCurve(dq[use[:, j], j], (tau - rigid)[use[:, j], j], name, rigid[use[:, j], j]) for j, name in enumerate(self.laws)]
        from optid.solvers import solve

        with warnings.catch_warnings():
            warnings.simplefilter("ignore", OptidWarning)
            starts = [solve(problem).fitted for problem in curves]
        given = weights if self.weights is None else np.asarray(self.weights, dtype=float)
        return np.concatenate([x[:r], *starts]), given, rigid, curves

    def _parts(self, x: Array) -> list[tuple[int, Array]]:
        """Place and values of each joint's friction parameters."""
        ends = np.cumsum([self.base.rank, *(len(law.names) for law in self._laws)])
        return [(int(a), x[a:b]) for a, b in pairwise(ends)]

    def _errors(self, x: Array) -> Array:
        """Predicted minus measured torque (N, n)."""
        Y, _, tau, dq = self._data
        loads = self._begin[2]
        friction = [law.torque(dq[:, j], loads[:, j], part) for j, (law, (_, part)) in enumerate(zip(self._laws, self._parts(x), strict=True))]
        return np.asarray(Y @ x[: self.base.rank] + np.column_stack(friction) - tau)

    def _jacobian(self, x: Array) -> Array:
        Y, use, _, dq = self._data
        loads = self._begin[2]
        J = np.zeros((*use.shape, len(x)))
        J[:, :, : self.base.rank] = Y
        for j, (law, (at, part)) in enumerate(zip(self._laws, self._parts(x), strict=True)):
            J[:, j, at : at + len(part)] = law.jacobian(dq[:, j], loads[:, j], part)
        return np.asarray((J * np.sqrt(self._begin[1])[None, :, None])[use])

    def form(self) -> Residuals:
        """Weighted residuals with their exact Jacobian, shapes bounded by what the speeds can show."""
        start, weights, _, curves = self._begin
        use, r = self._data[1], self.base.rank
        lower, upper, scales = [np.full(r, -np.inf)], [np.full(r, np.inf)], [np.maximum(np.abs(start[:r]), 1e-3 * np.abs(start[:r]).max(initial=1e-3))]
        for problem in curves:
            shape = problem.form()
            lower.append(shape.lower)
            upper.append(shape.upper)
            scales.append(shape.scales)
        return Residuals(
            lambda x: (self._errors(x) * np.sqrt(weights))[use],
            np.clip(start, np.concatenate(lower), np.concatenate(upper)),
            self._jacobian,
            lower=np.concatenate(lower),
            upper=np.concatenate(upper),
            names=self.names,
            scales=np.concatenate(scales),
        )

    def interpret(self, solution: Solution) -> JointFrictionResult:
        """Estimates; shapes that the data do not determine are named by each joint's friction result."""
        x = np.asarray(solution.x)
        _, weights, loads, _ = self._begin
        Y, use, tau, dq = self._data
        r, n = self.base.rank, self.base.model.n
        J = self._jacobian(x)
        R = np.asarray(np.linalg.qr(J, mode="r"))
        determinacy = Determinacy.of(R, self.names)
        errors = np.where(use, self._errors(x), 0.0)
        freedom = max(int(use.sum()) - determinacy.rank, 1)
        covariance = white_covariance(R, determinacy, float(np.sum(weights * errors**2)) / freedom)
        sigma, rest, laws = np.sqrt(np.diag(covariance)), tau - Y @ x[:r], []
        for j, (name, (at, part)) in enumerate(zip(self.laws, self._parts(x), strict=True)):
            problem = FrictionCurve(dq[use[:, j], j], rest[use[:, j], j], name, loads[use[:, j], j])
            laws.append(problem.judged(solution, part, sigma[at : at + len(part)]))
        squares = np.sum(np.where(use, tau, 0.0) ** 2, axis=0)
        return JointFrictionResult(
            self.base,
            np.where(determinacy.determined[:r], x[:r], np.nan),
            sigma[:r],
            tuple(laws),
            weights,
            np.sqrt(np.sum(errors**2, axis=0) / np.maximum(use.sum(axis=0) - determinacy.rank / n, 1.0)),
            FitErrors.of(np.sum(errors**2, axis=0), squares),
            determinacy,
            solution,
        )
