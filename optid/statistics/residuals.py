"""What the residuals of a fit say about its uncertainty, from two more passes over the data.

Let ``s = Σ_k Y_kᵀ w e_k`` be the sum whose covariance decides how far the estimate is off (Y regressor, w weights, e residual). With autocorrelated e its terms
hang together over many samples, and a window long enough to see that is noisy. So each joint's residual is first whitened by an autoregressive model (Andrews &
Monahan, Econometrica 60, 1992, here with the model on the residual, because the motion is commanded and not random)::

    ε_k = e_k − Σ_i a_i e_{k+i}        (backwards in time)
    Ỹ_k = Y_k + Σ_i a_i Ỹ_{k−i}        (forwards)
    Σ_k Y_kᵀ w e_k = Σ_k Ỹ_kᵀ w ε_k    exactly, whatever a is

The terms on the right hardly hang together when the model is good, and what it misses is left to the window. They are summed over cells of equal length, at
most :data:`CELLS` in all, so that the memory does not grow with the recording.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

from optid.brief import brief
from optid.errors import ShapeError, sentence

from .autocorrelation import AutoregressiveModel, default_lags, ljung_box
from .passes import autocovariances, whitened

Array = NDArray[np.float64]

CELLS = 4096
"""Most cells of all trials together."""

LAGS = 50
"""Lags of the autocorrelation that are kept."""

Block = tuple[Array, Array, NDArray[np.bool_]]
"""Regressor of the scores (B, n, r), residual (B, n), mask (B, n)."""


@dataclass(frozen=True, eq=False)
class ResidualStatistics:
    """Of all trials of a fit.

    Attributes
    ----------
    scores : (c, r)
        Sums over cells of whitened, weighted score terms; their total is zero at a least-squares fit.
    trial : (c,) int
        Trial of each cell.
    cell_time : (T,) [s]
        Length of a cell of each trial.
    counts : (n,)
        Residuals of each joint.
    independent : (n,)
        Those that count as independent after the torque's filter.
    covariances : (n, LAGS + 1)
        Sums of products of residuals at lags 0 … :data:`LAGS` samples.
    orders : (T, n) int
        Order of the autoregressive model of each trial and joint.

    Examples
    --------
    >>> from optid.testing import example_fit
    >>> fit = example_fit()
    >>> fit.details.residuals.scores.shape[1]
    6
    """

    scores: Array
    trial: NDArray[np.int64]
    cell_time: Array
    counts: NDArray[np.int64]
    independent: Array
    covariances: Array
    orders: NDArray[np.int64]

    __repr__ = brief

    @property
    def autocorrelation(self) -> Array:
        """(n, L + 1) of each joint's residual; NaN for a joint without residual."""
        size = self.covariances[:, :1]
        return np.divide(self.covariances, size, out=np.full_like(self.covariances, np.nan), where=size > 0)

    @property
    def whiteness(self) -> Array:
        """(n,) p-values of the Ljung–Box test; below 0.01 the joint's residual is not white. NaN where nothing can be tested."""
        found = np.full(len(self.counts), np.nan)
        for j, (rho, count) in enumerate(zip(self.autocorrelation, self.counts, strict=True)):
            lags = min(20, int(count) // 5, len(rho) - 1)
            if np.isfinite(rho[0]) and lags >= 1:
                found[j] = ljung_box(rho, float(count), lags)[1]
        return found

    @classmethod
    def of(cls, trials: Iterable[TrialResiduals], weights: Array) -> ResidualStatistics:
        """Go through the trials, twice each.

        Parameters
        ----------
        trials : iterable of TrialResiduals
        weights : (n,)
            Of each joint's squared residuals.
        """
        found = [trial.examine(np.asarray(weights, dtype=float)) for trial in trials]
        if not found:
            raise ShapeError(sentence("residual statistics", "no trial", "at least one"))
        return cls.merge(found)

    @classmethod
    def merge(cls, parts: Sequence[ResidualStatistics]) -> ResidualStatistics:
        """Of all trials of several parts; cells are joined where there are too many."""
        total = sum(len(part.scores) for part in parts)
        joined = ceil(total / CELLS)
        thin = [part if joined == 1 else part.coarser(joined) for part in parts]
        first = np.cumsum([0, *(len(part.cell_time) for part in thin)])
        return cls(
            np.concatenate([part.scores for part in thin]),
            np.concatenate([part.trial + shift for part, shift in zip(thin, first[:-1], strict=True)]),
            np.concatenate([part.cell_time for part in thin]),
            np.sum([part.counts for part in thin], axis=0),
            np.sum([part.independent for part in thin], axis=0),
            np.sum([part.covariances for part in thin], axis=0),
            np.concatenate([part.orders for part in thin]),
        )

    def coarser(self, factor: int) -> ResidualStatistics:
        """With ``factor`` cells joined to one."""
        label = np.concatenate([np.arange((self.trial == t).sum()) // factor for t in range(len(self.cell_time))])
        start = np.flatnonzero(np.r_[True, (np.diff(label) != 0) | (np.diff(self.trial) != 0)])
        scores = np.add.reduceat(self.scores, start, axis=0)
        return replace(self, scores=scores, trial=self.trial[start], cell_time=self.cell_time * factor)

    # -- in files -----------------------------------------------------------------------------------------------------------------------------------

    def to_mapping(self) -> dict[str, Any]:
        """As named arrays."""
        return {f.name: getattr(self, f.name) for f in fields(self)}

    @classmethod
    def from_mapping(cls, stored: Mapping[str, Any]) -> ResidualStatistics:
        """From :meth:`to_mapping`."""
        whole = ("trial", "counts", "orders")
        return cls(**{f.name: np.asarray(stored[f.name], dtype=np.int64 if f.name in whole else float) for f in fields(cls)})

    def shapes(self, r: int, n: int) -> dict[str, tuple[NDArray[Any], tuple[int, ...]]]:
        """Each array and the shape it must have for r parameters of n joints."""
        c, trials = len(self.trial), len(self.cell_time)
        wanted = {
            "scores": (c, r),
            "trial": (c,),
            "cell_time": (trials,),
            "counts": (n,),
            "independent": (n,),
            "covariances": (n, LAGS + 1),
            "orders": (trials, n),
        }
        return {name: (getattr(self, name), shape) for name, shape in wanted.items()}


@dataclass(frozen=True, eq=False)
class TrialResiduals:
    """One trial's residuals, block by block, as often as asked.

    Attributes
    ----------
    blocks : callable
        Gives the blocks anew.
    rows : sequence of slice
        Uninterrupted pieces of the trial's rows.
    step : float [s]
        Time between rows.
    n : int
        Joints.
    independent_share : float
        Independent rows over all of them.

    Examples
    --------
    >>> import numpy as np
    >>> from optid.statistics import TrialResiduals
    >>> rng = np.random.default_rng(0)
    >>> block = (rng.standard_normal((200, 1, 2)), rng.standard_normal((200, 1)), np.ones((200, 1), dtype=bool))
    >>> found = TrialResiduals(lambda: iter([block]), [slice(0, 200)], 0.01, 1).examine(np.ones(1))
    >>> int(found.counts.sum()), found.scores.shape[1]
    (200, 2)
    """

    blocks: Callable[[], Iterator[Block]]
    rows: Sequence[slice]
    step: float
    n: int
    independent_share: float = 1.0

    __repr__ = brief

    def examine(self, weights: Array) -> ResidualStatistics:
        """Whiten the residuals and sum their scores over cells."""
        total = max((part.stop for part in self.rows), default=0)
        sums, counts = autocovariances(self.blocks(), self.rows, self.n, max(LAGS, default_lags(total)))
        lags = [default_lags(count) for count in counts]
        models = [AutoregressiveModel.fit(c[: lag + 1], float(count)) for c, lag, count in zip(sums, lags, counts, strict=True)]
        size = max(1, ceil(total / CELLS))
        scores = self._scores(weights, models, size, total)
        trial = np.zeros(len(scores), dtype=np.int64)
        orders = np.array([[model.order for model in models]], dtype=np.int64)
        independent = np.asarray(self.independent_share * counts, dtype=float)
        return ResidualStatistics(scores, trial, np.array([size * self.step]), counts, independent, sums[:, : LAGS + 1], orders)

    def _scores(self, weights: Array, models: Sequence[AutoregressiveModel], size: int, total: int) -> Array:
        """Sums over cells (c, r) of Σ_j Ỹ_j ε_j w_j."""
        from scipy.signal import lfilter

        memory: dict[int, tuple[NDArray[np.int64], Array]] = {}
        scores = np.zeros((0, 0))
        for at, begins, (Y, innovations, use) in whitened(self.blocks(), self.rows, models):
            if not scores.size:
                scores = np.zeros((ceil(total / size), Y.shape[2]))
            if begins:
                memory.clear()
            cell = (at + np.arange(len(Y))) // size
            begin = np.flatnonzero(np.r_[True, np.diff(cell) != 0])
            for j, model in enumerate(models):
                columns, mask = Y[:, j].T, use[:, j]
                if not mask.all():
                    columns = np.where(mask, columns, 0.0)
                # a joint does not feel the links before it: most of its columns are zero
                alive: NDArray[np.bool_] = np.asarray(columns.any(axis=1))
                known, state = memory.get(j, (np.zeros(0, dtype=np.int64), np.zeros((0, model.order))))
                alive[known] = True
                chosen = np.flatnonzero(alive)
                columns = columns[chosen]
                if model.order:
                    before = np.zeros((len(chosen), model.order))
                    before[np.searchsorted(chosen, known)] = state
                    columns, after = lfilter([1.0], model.polynomial, columns, axis=1, zi=before)
                    memory[j] = chosen, after
                columns *= weights[j] * innovations[:, j]
                scores[np.ix_(cell[begin], chosen)] += np.add.reduceat(columns, begin, axis=1).T
        return scores
