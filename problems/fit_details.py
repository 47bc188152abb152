"""What a method adds to plain least squares, kept with the fitted model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from optid.brief import brief
from optid.kernels import JointFactors
from optid.statistics.residuals import ResidualStatistics

Array = NDArray[np.float64]


class Dropped(NamedTuple):
    """One torque sample that a robust fit leaves out.

    Attributes
    ----------
    trial : str
    time : float [s]
    joint : str
    residual : float
        In standard deviations of the joint's good residuals.
    """

    trial: str
    time: float
    joint: str
    residual: float


@dataclass(frozen=True, eq=False)
class FitDetails:
    """Beyond ``‖W β − τ‖``; empty for ordinary and per-joint weighted least squares.

    Attributes
    ----------
    equations : JointFactors or None
        The equations as the method transformed them (whitened, robustly weighted), when they are not those of the data.
    variance : float or None
        Variance to scale the covariance with, when it is not the weighted residual's.
    rows, target : (k, r) and (k,), or None
        The prior as equations ``rows β = target``, in units of the residual's standard deviation.
    free : (r, f) or None
        Directions that active constraints leave free.
    standard : (p,) or None
        The full set of standard parameters, where the method has one.
    at_bound : tuple of str
        Constraints that hold with equality.
    unbounded : (r,) or None
        What the same fit gives without constraints.
    residual_increase : float or None
        Weighted residual norm over the one without constraints and prior, minus 1.
    removed : tuple of str
        Parameters taken out of the model (zero).
    dropped : tuple of Dropped
    damping : float or None
        λ of the prior, whose square multiplies the squared distance.
    residuals : ResidualStatistics or None
        What intervals need that hold for residuals which are not white.

    Examples
    --------
    >>> from optid.testing import example_fit
    >>> fit = example_fit()
    >>> fit.details.residuals.trial.shape[0] > 0
    True
    """

    equations: JointFactors | None = None
    variance: float | None = None
    rows: Array | None = None
    target: Array | None = None
    free: Array | None = None
    standard: Array | None = None
    at_bound: tuple[str, ...] = ()
    unbounded: Array | None = None
    residual_increase: float | None = None
    removed: tuple[str, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    damping: float | None = None
    residuals: ResidualStatistics | None = None

    __repr__ = brief

    def to_mapping(self) -> dict[str, Any]:
        """As nested mappings of numbers and text, without the empty entries."""
        plain = {name: getattr(self, name) for name in ("variance", "rows", "target", "free", "standard", "unbounded", "residual_increase", "damping")}
        found: dict[str, Any] = {name: value for name, value in plain.items() if value is not None}
        found |= {name: list(getattr(self, name)) for name in ("at_bound", "removed") if getattr(self, name)}
        if self.equations is not None:
            e = self.equations
            found["equations"] = {"triangles": e.triangles, "counts": e.counts, "sums": e.sums, "n_columns": e.n_columns}
        if self.residuals is not None:
            found["residuals"] = self.residuals.to_mapping()
        if self.dropped:
            columns = list(zip(*self.dropped, strict=True))
            found["dropped"] = {"trial": list(columns[0]), "time": np.array(columns[1]), "joint": list(columns[2]), "residual": np.array(columns[3])}
        return found

    def shapes(self, r: int, p: int, n: int) -> dict[str, tuple[NDArray[Any], tuple[int, ...]]]:
        """Each array present and the shape it must have for r base and p standard parameters of n joints."""
        k = 0 if self.rows is None else len(self.rows)
        f = 0 if self.free is None else self.free.shape[-1]
        wanted = {"rows": (k, r), "target": (k,), "free": (r, f), "standard": (p,), "unbounded": (r,)}
        found = {name: (getattr(self, name), shape) for name, shape in wanted.items() if getattr(self, name) is not None}
        if self.equations is not None:
            size = r + self.equations.n_targets
            found["equations"] = (self.equations.triangles, (n, size, size))
        if self.residuals is not None:
            found |= self.residuals.shapes(r, n)
        return found

    @classmethod
    def from_mapping(cls, stored: Mapping[str, Any]) -> FitDetails:
        """From :meth:`to_mapping`."""
        values: dict[str, Any] = {name: float(stored[name]) for name in ("variance", "residual_increase", "damping") if name in stored}
        values |= {name: np.asarray(stored[name], dtype=float) for name in ("rows", "target", "free", "standard", "unbounded") if name in stored}
        values |= {name: tuple(map(str, stored[name])) for name in ("at_bound", "removed") if name in stored}
        if "equations" in stored:
            e = stored["equations"]
            triangles, sums = (np.asarray(e[what], dtype=float) for what in ("triangles", "sums"))
            values["equations"] = JointFactors(triangles, np.asarray(e["counts"], dtype=np.int64), sums, int(e["n_columns"]))
        if "residuals" in stored:
            values["residuals"] = ResidualStatistics.from_mapping(stored["residuals"])
        if "dropped" in stored:
            d = stored["dropped"]
            rows = zip(d["trial"], np.atleast_1d(d["time"]), d["joint"], np.atleast_1d(d["residual"]), strict=True)
            values["dropped"] = tuple(Dropped(str(a), float(b), str(c), float(e)) for a, b, c, e in rows)
        return cls(**values)
