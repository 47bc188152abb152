"""One axis' friction curve, from pairs of velocity and friction torque."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.brief import brief
from optid.errors import DataError, OptidWarning, RankError, ShapeError, sentence, unknown_name
from optid.statistics import Criteria, Determinacy, f_test, white_covariance

from .forms import Form, LeastSquares, Residuals
from .friction_laws import LAWS, FrictionLaw

if TYPE_CHECKING:
    from optid.solvers import Solution

Array = NDArray[np.float64]

__all__ = ["LAWS", "FrictionCurve", "FrictionResult"]

STEEPEST = 100.0
"""Upper bound of a slope, in units of 1 / (smallest speed in the data): beyond it every sample is on the plateau."""

DOUBT = 0.05
"""A shape is not determined when the law without it would leave so large a residual by chance with at least this probability."""


@dataclass(frozen=True, eq=False)
class FrictionResult:
    """A fitted friction law.

    Attributes
    ----------
    law : str
    names : tuple of str
    values : (p,)
        Levels [N m], viscous terms [N m s/rad], slopes [s/rad], speeds [rad/s]; NaN for what the data do not determine.
    undetermined : tuple of str
    rms : float [N m]
        Root mean square of the residual.
    solution : Solution
    fitted : (p,)
        What the curve is drawn with: as ``values``, with the bounds or arbitrary numbers that stand for undetermined parameters.
    sigma : (p,)
        Standard deviations for white residuals; infinite for undetermined parameters.
    criteria : Criteria

    Examples
    --------
    >>> import numpy as np
    >>> import optid
    >>> from optid.problems import FrictionCurve
    >>> v = np.linspace(-1, 1, 400)
    >>> optid.solve(FrictionCurve(v, 2 * v + 0.5 * np.sign(v))).rms < 1e-12
    True
    """

    law: str
    names: tuple[str, ...]
    values: Array
    undetermined: tuple[str, ...]
    rms: float
    solution: Solution
    fitted: Array
    sigma: Array
    criteria: Criteria

    __repr__ = brief

    def __getitem__(self, name: str) -> float:
        if name not in self.names:
            raise unknown_name(f"parameter of friction law {self.law!r}", name, self.names)
        return float(self.values[self.names.index(name)])

    def torque(self, velocity: ArrayLike, load: ArrayLike | None = None) -> Array:
        """Friction torque [N m] at velocities [rad/s], and at loads [N m] for a law that depends on them."""
        law, v = LAWS[self.law], np.asarray(velocity, dtype=float)
        if law.loaded and load is None:
            raise DataError(sentence(f"friction law {self.law!r}", "no load", "the torque that the drive passes on, beside the velocity"))
        loads = np.zeros(v.size) if load is None else np.asarray(load, dtype=float).ravel()
        return law.torque(v.ravel(), loads, self.fitted).reshape(v.shape)


@dataclass(frozen=True, eq=False)
class FrictionCurve:
    """Fit a friction law to samples of one axis.

    Parameters
    ----------
    velocity : (N,) [rad/s]
    torque : (N,) [N m]
        Friction torque: what is left after inertia and gravity (:func:`optid.identification.friction_samples`).
    law : str
        One of :data:`LAWS`. Slopes and speeds inside a law are bounded by what the samples could show; a law whose shapes are not told by the data warns, names
        them, and gives NaN for them.
    load : (N,), optional [N m]
        Torque that the drive passes on, for a law that depends on it.
    independent_share : float
        Independent samples over all of them: filtered or otherwise repeated torque counts for less in tests and criteria.

    Examples
    --------
    >>> import numpy as np
    >>> import optid
    >>> from optid.problems import FrictionCurve
    >>> v = np.linspace(-1, 1, 400)
    >>> fit = optid.solve(FrictionCurve(v, 2 * v + 0.5 * np.sign(v)))
    >>> dict(zip(fit.names, (fit.values.round(9) + 0.0).tolist()))
    {'fc': 0.5, 'fv': 2.0, 'fo': 0.0}
    """

    velocity: ArrayLike
    torque: ArrayLike
    law: str = "coulomb"
    load: ArrayLike | None = None
    independent_share: float = 1.0

    __repr__ = brief

    def __post_init__(self) -> None:
        v, tau = np.asarray(self.velocity, dtype=float), np.asarray(self.torque, dtype=float)
        load = np.zeros_like(v) if self.load is None else np.asarray(self.load, dtype=float)
        if v.ndim != 1 or v.shape != tau.shape or v.shape != load.shape:
            raise ShapeError(sentence("friction curve", f"velocity {v.shape}, torque {tau.shape}, load {load.shape}", "vectors of one length"))
        if not (np.isfinite(v).all() and np.isfinite(tau).all() and np.isfinite(load).all()):
            raise DataError(sentence("friction curve", "NaN or infinite samples", "finite numbers"))
        if self.law not in LAWS:
            raise unknown_name("friction law", self.law, LAWS)
        if self.model.loaded and self.load is None:
            raise DataError(sentence(f"friction law {self.law!r}", "no load", "the torque that the drive passes on, beside the velocity"))
        needed = len(self.model.names)
        if len(v) < needed or not (v > 0).any() or not (v < 0).any():
            found = f"{len(v)} samples, {(v > 0).sum()} forward and {(v < 0).sum()} backward"
            raise RankError(sentence(f"friction law {self.law!r}", found, f"at least {needed} samples, in both directions"))
        if not 0 < self.independent_share <= 1:
            raise DataError(sentence("independent share", self.independent_share, "more than 0, at most 1"))
        for name, value in (("velocity", v), ("torque", tau), ("load", load)):
            object.__setattr__(self, name, value)

    @property
    def model(self) -> FrictionLaw:
        """The law."""
        return LAWS[self.law]

    @cached_property
    def _arrays(self) -> tuple[Array, Array, Array]:
        return np.asarray(self.velocity), np.asarray(self.torque), np.asarray(self.load)

    @cached_property
    def _limits(self) -> tuple[Array, Array]:
        """Bounds of the shapes."""
        speeds = np.abs(self._arrays[0])
        slowest, fastest = float(speeds[speeds > 0].min()), float(speeds.max())
        bounds = []
        for name in self.model.shapes:
            if name in self.model.slopes:
                bounds.append((0.1 / fastest, STEEPEST / slowest))
            else:
                bounds.append((-fastest, fastest) if name == "v0" else (0.3 * slowest, 3 * fastest))
        return np.array([b[0] for b in bounds]), np.array([b[1] for b in bounds])

    def _inner(self, shapes: Array) -> tuple[Array, float]:
        """Linear parameters that fit best with given shapes, and the sum of squares they leave."""
        v, tau, load = self._arrays
        W = self.model.matrix(v, load, shapes)
        x = np.asarray(np.linalg.lstsq(W, tau, rcond=None)[0], dtype=float)
        return x, float(np.sum((tau - W @ x) ** 2))

    @cached_property
    def start(self) -> Array:
        """The best point of a coarse grid of shapes: every minimum worth having has a grid point near it."""
        low, high = self._limits
        grids = []
        for a, b in zip(low, high, strict=True):
            grids.append(np.linspace(a, b, 7)[1:-1] if a < 0 else np.geomspace(a, b, 17)[1:-1])
        shapes = min((np.array(point) for point in product(*grids)), key=lambda s: self._inner(s)[1])
        return np.concatenate([self._inner(shapes)[0], shapes])

    def form(self) -> Form:
        """Linear least squares, or bounded nonlinear least squares for a law with shapes."""
        v, tau, load = self._arrays
        law = self.model
        if not law.shapes:
            return LeastSquares(law.matrix(v, load, np.zeros(0)), tau, names=law.names)
        size, speed = float(np.abs(tau).max()) or 1.0, float(np.abs(v).max())
        low, high = self._limits
        free = np.full(len(law.linear), np.inf)
        scales = [size / speed if name.startswith("fv") else size for name in law.linear]
        return Residuals(
            lambda x: (law.torque(v, load, x) - tau) / size,
            self.start,
            lambda x: law.jacobian(v, load, x) / size,
            lower=np.concatenate([-free, low]),
            upper=np.concatenate([free, high]),
            names=law.names,
            scales=np.concatenate([scales, np.abs(self.start[len(law.linear) :]).clip(1e-3 * (high - low))]),
        )

    def interpret(self, solution: Solution) -> FrictionResult:
        """The law's parameters; shapes that the data do not determine are named, not returned."""
        return self.judged(solution, np.asarray(solution.x))

    def judged(self, solution: Solution, x: Array, given: Array | None = None) -> FrictionResult:
        """Result for parameters x (p,), with standard deviations ``given`` by a larger fit or those of this curve alone."""
        v, tau, load = self._arrays
        rest = tau - self.model.torque(v, load, x)
        rss, count = float(rest @ rest), len(v) * self.independent_share
        determinacy, own = self._sigma(x, rss, count)
        sigma = own if given is None else given
        undetermined = self._undetermined(x, rss, count, determinacy, sigma)
        if undetermined:
            warnings.warn(self._told(x, undetermined), OptidWarning, stacklevel=3)
        open_ = np.array([name in undetermined for name in self.model.names])
        enough = count > len(x) + 3
        criteria = Criteria.of(rss, count, len(x) + 1) if enough else Criteria(np.nan, np.nan, np.nan)
        return FrictionResult(
            self.law,
            self.model.names,
            np.where(open_, np.nan, x),
            undetermined,
            float(np.sqrt(rss / len(v))),
            solution,
            x,
            np.where(open_, np.inf, sigma),
            criteria,
        )

    def _sigma(self, x: Array, rss: float, count: float) -> tuple[Determinacy, Array]:
        v, _, load = self._arrays
        J = np.asarray(np.linalg.qr(self.model.jacobian(v, load, x), mode="r"))
        determinacy = Determinacy.of(J, self.model.names)
        variance = rss / max(count - determinacy.rank, 1e-9)
        return determinacy, np.sqrt(np.diag(white_covariance(J, determinacy, variance)))

    def _undetermined(self, x: Array, rss: float, count: float, determinacy: Determinacy, sigma: Array) -> tuple[str, ...]:
        law = self.model
        first = len(law.linear)
        low, high = self._limits if law.shapes else (np.zeros(0), np.zeros(0))
        found = {name for name, ok in zip(law.names, determinacy.determined, strict=True) if not ok}
        for k, name in enumerate(law.shapes):
            value, own = x[first + k], sigma[first + k]
            doubtful = own > 0.5 * abs(value) if name != "v0" else False
            at_end = min(value - low[k], high[k] - value) < 0.01 * min(abs(value), high[k] - low[k])
            if doubtful or (at_end and name != "v0"):
                found.add(name)
        if law.without is not None and self._simpler_will_do(rss, count):
            found |= set(law.shapes) | ({"fs"} if "fs" in law.linear else set()) | ({"fc"} if self.law == "a09" else set())
        return tuple(name for name in law.names if name in found)

    def _simpler_will_do(self, rss: float, count: float) -> bool:
        """Whether the law without shapes fits as well: to one part in a million of the torque, or within what chance explains."""
        v, tau, load = self._arrays
        simple = LAWS[self.model.without or ""]
        W = simple.matrix(v, load, np.zeros(0))
        plain = float(np.sum((tau - W @ np.linalg.lstsq(W, tau, rcond=None)[0]) ** 2))
        extra, freedom = len(self.model.names) - len(simple.names), count - len(self.model.names)
        if plain <= rss + 1e-6 * float(tau @ tau):
            return True
        return freedom > 0 and f_test(plain * count / len(v), rss * count / len(v), extra, freedom) > DOUBT

    def _told(self, x: Array, undetermined: tuple[str, ...]) -> str:
        law, speeds = self.model, np.abs(self._arrays[0])
        named = ", ".join(f"{'slope' if name in law.slopes else 'parameter'} {name}" for name in undetermined)
        shown = ", ".join(f"{x[law.names.index(name)]:.3g}" for name in undetermined)
        verb = "is" if len(undetermined) == 1 else "are"
        span = f"{float(speeds[speeds > 0].min()):.3g} to {float(speeds.max()):.3g} rad/s"
        return f"friction law {self.law!r}: {named} {verb} not determined by speeds of {span}; {shown} in the curve {verb} no estimate."
