"""Least squares without the long matrix: one small triangle per joint, updated block by block (TSQR).

For joint j let W_j (N_j, r) hold its rows of the regressor and t_j (N_j, k) its torque (k = 1 mostly). All that least squares, its weights, residual
norms and covariance need is the triangle R_j of the QR factorisation of [W_j, t_j], of r + k columns whatever N_j is. A new block is stacked under the
triangle and factored again, so that the data are read once and the memory stays O(n (r + k)²).

Source: J. Demmel, L. Grigori, M. Hoemmen, J. Langou, "Communication-optimal parallel and sequential QR and LU factorizations",
SIAM J. Sci. Comput. 34 (2012): flat tree inside a stream, binary tree between streams. Backward stable like Householder QR of the whole matrix.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.brief import brief
from optid.errors import DataError, ShapeError, sentence

from .lapack import add_rows
from .threads import available_threads

Array = NDArray[np.float64]

SEGMENT_SAMPLES = 1024
"""Samples copied at a time: they stay in cache, and a long block costs no memory."""

WORTH_THREADS = 200_000
"""Numbers in a block above which the joints are shared among threads."""


@dataclass(frozen=True, eq=False)
class JointFactors:
    """Triangular factors of [W_j, t_j], one per joint, with the counts and sums that scores need.

    Immutable: :meth:`update` and :meth:`merge` return new factors. The same blocks in the same order give the same bits, for any number of workers or
    BLAS threads; another division into blocks gives the same factors up to rounding (and the signs of their rows).

    Attributes
    ----------
    triangles : (n, r + k, r + k) array
        Upper triangles; columns: r regressor columns, then k targets.
    counts : (n,) int array
        Rows (used samples) of each joint.
    sums : (n, r + k) array
        Sum of each column over the used samples.
    n_columns : int
        r, the number of regressor columns.

    Examples
    --------
    >>> import numpy as np
    >>> from optid.kernels import JointFactors
    >>> from optid import BaseParameters, DynamicModel, identify, library
    >>> from optid.signals import Samples
    >>> model = DynamicModel(library.planar_2r(), friction="none")
    >>> state = np.random.default_rng(0).standard_normal((3, 60, 2))
    >>> tau = model.inverse_dynamics(model.nominal_parameters(), *state)
    >>> halves = [identify(model, Samples.from_arrays(*state[:, part], tau[part], rate=100)).factors for part in (slice(0, 30), slice(30, 60))]
    >>> JointFactors.merge(halves).counts.tolist()
    [60, 60]
    """

    triangles: Array
    counts: NDArray[np.int64]
    sums: Array
    n_columns: int

    __repr__ = brief

    @classmethod
    def empty(cls, n: int, r: int, n_targets: int = 1) -> JointFactors:
        """Factors of no data for n joints, r regressor columns and ``n_targets`` torque columns."""
        size = r + n_targets
        return cls(np.zeros((n, size, size)), np.zeros(n, dtype=np.int64), np.zeros((n, size)), r)

    @property
    def n_joints(self) -> int:
        """Number of joints n."""
        return len(self.counts)

    @property
    def n_targets(self) -> int:
        """Number of target columns k."""
        return self.sums.shape[1] - self.n_columns

    @property
    def squares(self) -> Array:
        """Sum of squares of each joint's targets, (n, k)."""
        return np.sum(self.triangles[:, :, self.n_columns :] ** 2, axis=1)

    @property
    def squares_about_mean(self) -> Array:
        """Sum of squares of each joint's targets about their mean, (n, k): the denominator of R²."""
        return np.maximum(self.squares - self.sums[:, self.n_columns :] ** 2 / np.maximum(self.counts, 1)[:, None], 0.0)

    def R(self, j: int) -> Array:
        """Upper triangle of [W_j, t_j], (r + k, r + k)."""
        return self.triangles[j]

    def rows(self, j: int) -> int:
        """Used samples of joint j."""
        return int(self.counts[j])

    def update(self, Y: ArrayLike, tau: ArrayLike, use: ArrayLike | None = None, scale: ArrayLike | None = None, threads: int | None = None) -> JointFactors:
        """Factors with one more block of samples.

        Parameters
        ----------
        Y : (B, n, r) array
            Regressor of each sample, in any memory layout (samples innermost is fastest).
        tau : (B, n) or (B, n, k) array
            Torque [Nm or N], or k target columns.
        use : (B, n) bool array, optional
            Joint-samples to take; values elsewhere may be anything, NaN too.
        scale : (n,) or (B, n) array, optional
            Factor on each joint-sample's row and targets (the square root of its weight).
        threads : int, optional
            Among which the joints are shared; default as many as may be used, for long blocks.

        Raises
        ------
        ShapeError
            A shape does not fit.
        DataError
            A used row is not finite.
        """
        Y, targets, mask, factor = self._checked(Y, tau, use, scale)
        if not len(Y):
            return self

        def joint(j: int) -> tuple[Array, int, Array]:
            triangle, count, total = self.triangles[j], int(self.counts[j]), self.sums[j]
            for start in range(0, len(Y), SEGMENT_SAMPLES):
                part: Any = slice(start, start + SEGMENT_SAMPLES)
                unused = None if mask is None else np.flatnonzero(~mask[part, j])
                rows = len(Y[part]) - (0 if unused is None else len(unused))
                if unused is not None and len(unused) > rows:
                    part, unused = start + np.flatnonzero(mask[part, j]), None  # type: ignore[index]
                pieces = Y[part, j].T, targets[part, j].T
                triangle, added = _absorb(triangle, pieces, None if factor is None else factor[part, j], unused)
                if not np.isfinite(triangle).all():
                    finite = np.isfinite(np.concatenate(pieces)).all(axis=0)
                    bad = int(np.count_nonzero(~(finite if unused is None else np.delete(finite, unused))))
                    found = f"{bad} of {rows} used rows are not finite"
                    raise DataError(sentence(f"joint {j + 1} of the block", found, "finite numbers whose squares can be added", "Mask them in use."))
                count, total = count + rows, total + added
            return triangle, count, total

        usable = available_threads() if threads is None else threads
        workers = min(usable, self.n_joints) if Y.size > WORTH_THREADS else 1
        if workers < 2:
            results = [joint(j) for j in range(self.n_joints)]
        else:
            with ThreadPoolExecutor(workers) as pool:
                results = list(pool.map(joint, range(self.n_joints)))
        triangles, counts, sums = zip(*results, strict=True)
        return JointFactors(np.stack(triangles), np.array(counts, dtype=np.int64), np.stack(sums), self.n_columns)

    @staticmethod
    def merge(parts: Sequence[JointFactors]) -> JointFactors:
        """Factors of all the data of several factors, along a binary tree fixed by their order in ``parts``."""
        level = list(parts)
        if not level:
            raise ShapeError(sentence("factors to merge", "an empty list", "at least one JointFactors"))
        shapes = {(f.triangles.shape, f.n_columns) for f in level}
        if len(shapes) > 1:
            raise ShapeError(sentence("factors to merge", f"different sizes {sorted(shapes)}", "one size", "Merge factors of one model only."))
        while len(level) > 1:
            level = [_pair(*level[i : i + 2]) if i + 1 < len(level) else level[i] for i in range(0, len(level), 2)]
        return level[0]

    def stacked(self, weights: ArrayLike | None = None, target: int = 0) -> tuple[Array, Array]:
        """The least squares problem of all joints as a small one with the same solutions, residual norm and normal matrix.

        ``‖A β − b‖² = Σ_j weights_j ‖W_j β − t_j‖²`` for every β.

        Parameters
        ----------
        weights : (n,) array, optional
            Weight of each joint's squared residuals, 1 / variance [1/Nm²]; default 1.
        target : int
            Target column.

        Returns
        -------
        A : (n (r + k), r) array
        b : (n (r + k),) array
        """
        root = np.sqrt(self._per_joint("weights", weights))[:, None, None]
        triangles = root * self.triangles
        A = triangles[:, :, : self.n_columns].reshape(-1, self.n_columns)
        b = triangles[:, :, self.n_columns + target].reshape(-1)
        return A, b

    def normal_matrices(self) -> Array:
        """W_jᵀ W_j of each joint, (n, r, r)."""
        W = self.triangles[:, :, : self.n_columns]
        return np.swapaxes(W, 1, 2) @ W

    def residual_sum_of_squares(self, beta: ArrayLike, target: int = 0) -> Array:
        """‖W_j β − t_j‖² of each joint, (n,), for parameters beta (r,)."""
        b = np.asarray(beta, dtype=float)
        if b.shape != (self.n_columns,):
            raise ShapeError(sentence("beta", f"shape {b.shape}", f"({self.n_columns},)"))
        residual = self.triangles[:, :, : self.n_columns] @ b - self.triangles[:, :, self.n_columns + target]
        return np.sum(residual**2, axis=1)

    def rss(self, j: int, beta: ArrayLike, target: int = 0) -> float:
        """‖W_j β − t_j‖² of joint j."""
        return float(self.residual_sum_of_squares(beta, target)[j])

    def split(self, known: ArrayLike, values: ArrayLike) -> JointFactors:
        """Factors with known parameters moved to the torque side: W_u β_u = t − W_k β_k, every target alike.

        Parameters
        ----------
        known : (m,) int or (r,) bool array
            Columns whose parameter is known.
        values : (m,) array
            Their values, in the order of ``known`` (of rising columns when bool).
        """
        index = np.asarray(known)
        columns = np.arange(self.n_columns)[index if index.size else slice(0)]
        fixed = np.asarray(values, dtype=float)
        if fixed.shape != columns.shape:
            raise ShapeError(sentence("known values", f"shape {fixed.shape}", f"{columns.shape}, one for each known column"))
        free = np.setdiff1d(np.arange(self.n_columns), columns)
        size = len(free) + self.n_targets
        triangles = np.stack([_absorb(np.zeros((size, size)), [part.T])[0] for part in self._moved(self.triangles, columns, fixed, free)])
        return JointFactors(triangles, self.counts, self._moved(self.sums, columns, fixed, free), len(free))

    def _moved(self, table: Array, columns: NDArray[np.int64], fixed: Array, free: NDArray[np.int64]) -> Array:
        targets = table[..., self.n_columns :] - (table[..., columns] @ fixed)[..., None]
        return np.concatenate([table[..., free], targets], axis=-1)

    def _checked(
        self, Y: ArrayLike, tau: ArrayLike, use: ArrayLike | None, scale: ArrayLike | None
    ) -> tuple[Array, Array, NDArray[np.bool_] | None, Array | None]:
        n, r, k = self.n_joints, self.n_columns, self.n_targets
        regressor, targets = np.asarray(Y, dtype=float), np.asarray(tau, dtype=float)
        if regressor.ndim != 3 or regressor.shape[1:] != (n, r):
            raise ShapeError(sentence("regressor block", f"shape {regressor.shape}", f"(B, {n}, {r})"))
        rows = len(regressor)
        if targets.shape == (rows, n) and k == 1:
            targets = targets[:, :, None]
        if targets.shape != (rows, n, k):
            raise ShapeError(sentence("torque block", f"shape {targets.shape}", f"({rows}, {n})" if k == 1 else f"({rows}, {n}, {k})"))
        mask = None if use is None else np.asarray(use)
        if mask is not None and (mask.shape != (rows, n) or mask.dtype != bool):
            raise ShapeError(sentence("use", f"shape {mask.shape} of {mask.dtype}", f"({rows}, {n}) of bool"))
        if scale is None:
            return regressor, targets, mask, None
        factor = np.asarray(scale, dtype=float)
        if factor.shape not in {(n,), (rows, n)}:
            raise ShapeError(sentence("scale", f"shape {factor.shape}", f"({n},) or ({rows}, {n})"))
        return regressor, targets, mask, np.broadcast_to(factor, (rows, n))

    def _per_joint(self, name: str, values: ArrayLike | None) -> Array:
        if values is None:
            return np.ones(self.n_joints)
        array = np.asarray(values, dtype=float)
        if array.shape != (self.n_joints,):
            raise ShapeError(sentence(name, f"shape {array.shape}", f"({self.n_joints},)"))
        if not np.isfinite(array).all() or (array < 0).any():
            raise DataError(sentence(name, f"{array}", "finite values >= 0"))
        return array


def _absorb(triangle: Array, pieces: Sequence[Array], factor: Array | None = None, unused: NDArray[np.intp] | None = None) -> tuple[Array, Array]:
    """Triangle of [triangle; columnsᵀ] and the columns' sums; the (c, m) columns come in pieces, and ``factor`` (m,) multiplies their elements.

    Elements at the ``unused`` places count as zero: that is cheaper than to gather the others.

    Columns that are zero in both stay out of the factorisation (joint j does not feel the links before it): their rows and columns of the triangle stay zero.
    """
    alive = np.asarray(triangle.any(axis=0))
    start = 0
    for piece in pieces:
        # by their bits: that is twice as fast as asking floating-point numbers whether they are zero
        alive[start : start + len(piece)] |= np.bitwise_or.reduce(piece.view(np.int64), axis=1) != 0
        start += len(piece)
    chosen = np.flatnonzero(alive)
    columns = np.empty((len(chosen), pieces[0].shape[1]))
    start = at = 0
    for piece in pieces:
        here = np.flatnonzero(alive[start : start + len(piece)])
        # mode="clip" because "raise" would copy once more
        np.take(piece, here, axis=0, out=columns[at : at + len(here)], mode="clip")
        start, at = start + len(piece), at + len(here)
    if unused is not None and len(unused):
        columns[:, unused] = 0.0
    if factor is not None:
        columns *= factor if unused is None else np.where(np.isin(np.arange(len(factor)), unused), 0.0, factor)
    sums, result = np.zeros(len(alive)), np.zeros_like(triangle)
    sums[chosen] = columns.sum(axis=1)
    corner = np.ix_(chosen, chosen)
    small = np.asfortranarray(triangle[corner])
    add_rows(small, columns.T)
    result[corner] = small
    return result, sums


def _pair(first: JointFactors, second: JointFactors) -> JointFactors:
    triangles = np.stack([_absorb(a, [b.T])[0] for a, b in zip(first.triangles, second.triangles, strict=True)])
    return JointFactors(triangles, first.counts + second.counts, first.sums + second.sums, first.n_columns)
