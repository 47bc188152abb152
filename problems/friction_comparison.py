"""Several friction laws on the same samples: information criteria and the error on samples left out."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.brief import brief
from optid.errors import OptidError, OptidWarning, RankError, sentence, unknown_name

from .friction import FrictionCurve, FrictionResult
from .friction_laws import LAWS

Array = NDArray[np.float64]

BY = ("bic", "aic", "held_out")


@dataclass(frozen=True, eq=False)
class FrictionComparison:
    """Fitted laws side by side.

    Attributes
    ----------
    fits : tuple of FrictionResult
    held_out : (L,) [N m]
        Root mean square error on samples that the law was not fitted to: every block of the record in turn. NaN where a law could not be fitted without one.

    Examples
    --------
    >>> import numpy as np
    >>> from optid.problems import compare_friction
    >>> v = np.linspace(-1, 1, 400)
    >>> tau = 2 * v + 0.5 * np.sign(v) + 0.01 * np.random.default_rng(0).standard_normal(400)
    >>> compare_friction(v, tau, laws=["coulomb", "stribeck"]).best().law
    'coulomb'
    """

    fits: tuple[FrictionResult, ...]
    held_out: Array

    __repr__ = brief

    def best(self, by: str = "bic") -> FrictionResult:
        """The law with the least "bic", "aic" or "held_out" error."""
        if by not in BY:
            raise unknown_name("criterion", by, BY)
        scores = self.held_out if by == "held_out" else np.array([getattr(fit.criteria, by) for fit in self.fits])
        return self.fits[int(np.nanargmin(scores))]

    def summary(self) -> str:
        """A readable table, criteria relative to their best."""
        aic, bic = (np.array([getattr(fit.criteria, name) for fit in self.fits]) for name in ("aic", "bic"))
        lines = [f"{'law':<12} {'numbers':>7} {'RMS':>10} {'held out':>10} {'ΔAIC':>9} {'ΔBIC':>9}  undetermined"]
        for k, fit in enumerate(self.fits):
            numbers = f"{len(fit.names):>7} {fit.rms:>10.4g} {self.held_out[k]:>10.4g} {aic[k] - np.nanmin(aic):>9.1f} {bic[k] - np.nanmin(bic):>9.1f}"
            lines.append(f"{fit.law:<12} {numbers}  {', '.join(fit.undetermined) or '-'}")
        return "\n".join(lines)


def compare_friction(
    velocity: ArrayLike,
    torque: ArrayLike,
    load: ArrayLike | None = None,
    laws: Sequence[str] | None = None,
    *,
    independent_share: float = 1.0,
    blocks: int = 5,
) -> FrictionComparison:
    """Fit several laws to the same samples.

    Parameters
    ----------
    velocity, torque, load : (N,)
        In the order of time: blocks of neighbours are left out together, because neighbours resemble each other.
    laws : sequence of str, optional
        Default: all of :data:`optid.problems.friction_laws.LAWS` (those that depend on the load only with one).
    independent_share : float
        See :class:`FrictionCurve`.
    blocks : int
        Blocks left out in turn.

    Examples
    --------
    >>> import numpy as np
    >>> from optid.problems import compare_friction
    >>> v = np.linspace(-1, 1, 400)
    >>> noise = 0.01 * np.random.default_rng(0).standard_normal(400)
    >>> compare_friction(v, 2 * v + 0.5 * np.sign(v) + noise, laws=["coulomb", "stribeck"]).best().law
    'coulomb'
    """
    from optid.solvers import solve

    if blocks < 2:
        raise RankError(sentence("blocks to leave out", blocks, "two or more"))
    names = [name for name, law in LAWS.items() if load is not None or not law.loaded] if laws is None else list(laws)
    v, tau = np.asarray(velocity, dtype=float), np.asarray(torque, dtype=float)
    fits, errors = [], []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OptidWarning)
        for name in names:
            fits.append(solve(FrictionCurve(v, tau, name, load, independent_share)))
            errors.append(_held_out(name, v, tau, None if load is None else np.asarray(load, dtype=float), blocks))
    return FrictionComparison(tuple(fits), np.array(errors))


def _held_out(name: str, v: Array, tau: Array, load: Array | None, blocks: int) -> float:
    from optid.solvers import solve

    total = 0.0
    for out in np.array_split(np.arange(len(v)), blocks):
        kept = np.setdiff1d(np.arange(len(v)), out)

        def part(index: Any) -> Array | None:
            return None if load is None else load[index]

        try:
            fit = solve(FrictionCurve(v[kept], tau[kept], name, part(kept)))
        except OptidError:
            return float("nan")
        total += float(np.sum((tau[out] - fit.torque(v[out], part(out))) ** 2))
    return float(np.sqrt(total / len(v)))
