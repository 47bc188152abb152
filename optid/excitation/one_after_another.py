"""Simple motions identified one after another, what is known already kept fixed: the older way, for comparison.

Each motion tells about a few parameters only, but every later one builds on the errors of those before (Gonzalez, elektron 5(2), 2021, section III-B).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.errors import DataError, RankError, ShapeError, sentence
from optid.robot import Limits
from optid.trajectory import Fourier

Array = NDArray[np.float64]

RATIO = 100.0
"""Combinations whose singular value is below the largest one over this are left to a later motion: the elimination rule of the source."""


@dataclass(frozen=True, eq=False)
class OneAfterAnother:
    """The estimate as a linear map of the measured torques.

    Attributes
    ----------
    gain : (r, rows)
        ``beta = gain @ tau`` for the torques of all motions, one after another.
    determined : tuple of int
        How many combinations each motion has determined.

    Examples
    --------
    The second motion shows the sum of both parameters: the second one inherits the error of the first, which stays fixed.

    >>> from optid.excitation import OneAfterAnother
    >>> chain = OneAfterAnother.of([[[1.0, 0.0]], [[1.0, 1.0]]])
    >>> chain.determined, chain.covariance.diagonal().tolist()
    ((1, 1, 0), [1.0, 2.0])
    """

    gain: Array
    determined: tuple[int, ...]

    @classmethod
    def of(cls, regressors: Sequence[ArrayLike], ratio: float = RATIO) -> OneAfterAnother:
        """From the regressors (rows_k, r) of the motions in their order, rows divided by the noise.

        A motion determines the combinations of the parameters that are left which it shows well; they are fixed from then on. What remains after all motions is
        taken from them once more, however weakly they show it.

        Raises
        ------
        RankError
            When the motions together do not determine all parameters.
        """
        blocks = [np.asarray(W, dtype=float) for W in regressors]
        if not blocks or any(W.ndim != 2 or W.shape[1] != blocks[0].shape[1] or not np.isfinite(W).all() for W in blocks):
            raise ShapeError(sentence("regressors of motions", [W.shape for W in blocks], "finite matrices (rows, r), one a motion"))
        if not ratio > 1:
            raise DataError(sentence("ratio of singular values", ratio, "a number above 1"))
        r = blocks[0].shape[1]
        ends = np.cumsum([0, *(len(W) for W in blocks)])
        gain, left, counts = np.zeros((r, int(ends[-1]))), np.eye(r), []
        rounds = [*zip(blocks, pairwise(ends), strict=True), (np.concatenate(blocks), (0, int(ends[-1])))]
        for number, (W, (start, stop)) in enumerate(rounds):
            U, s, Vt = np.linalg.svd(W @ left, full_matrices=False) if left.shape[1] else (np.zeros((len(W), 0)), np.zeros(0), np.zeros((0, 0)))
            last = number == len(blocks)
            shown = int((s > (1e-10 if last else 1 / ratio) * s.max(initial=0.0)).sum())
            if s.max(initial=0.0) <= 1e-10 * np.linalg.norm(W):
                shown = 0
            residual = -W @ gain
            residual[:, start:stop] += np.eye(stop - start)
            gain = gain + left @ (Vt[:shown].T / s[:shown]) @ (U[:, :shown].T @ residual)
            left = left @ np.linalg.svd(Vt[:shown], full_matrices=True)[2][shown:].T if left.shape[1] else left
            counts.append(shown)
        if left.shape[1]:
            raise RankError(sentence("motions one after another", f"{r - left.shape[1]} of {r} parameters determined", "all", "Add motions or postures."))
        return cls(gain, tuple(counts))

    @property
    def covariance(self) -> Array:
        """Covariance (r, r) of the estimate for noise of unit variance."""
        return np.asarray(self.gain @ self.gain.T)

    def estimate(self, tau: ArrayLike) -> Array:
        """Parameters (r,) from the torques (rows,) of all motions, divided by the noise."""
        return np.asarray(self.gain @ np.asarray(tau, dtype=float))


def simple_motions(limits: Limits, period: float, postures: int = 3, harmonics: int = 2, seed: int = 0) -> tuple[Fourier, ...]:
    """Motions of one joint at a time, the last joint first, each about several seeded postures of the others; as large as the limits allow.

    Parameters
    ----------
    limits : Limits
        Finite position limits of all joints.
    period : float [s]
        Of each motion.
    postures, harmonics, seed : int

    Raises
    ------
    LimitsError
        When a joint has no range, velocity or acceleration limit.

    Examples
    --------
    >>> from optid import Limits
    >>> from optid.excitation import simple_motions
    >>> motions = simple_motions(Limits.of(2, position=2.0, velocity=3.0, acceleration=9.0), period=4.0, postures=1)
    >>> [motion.evaluate([0.3])[1].nonzero()[1].tolist() for motion in motions]
    [[1], [0]]
    """
    from .family import FourierFamily
    from .motion import Motion
    from .starts import SHARE, random_start

    rng = np.random.default_rng(seed)
    motion = Motion(FourierFamily(limits.n, harmonics, joint_names=limits.names), (period, period), limits, (np.inf,) * limits.n)
    result = []
    for joint in reversed(range(limits.n)):
        for _ in range(postures):
            C = motion.coefficients(random_start(motion, rng))[0]
            still = motion.centre + SHARE * motion.half[0] * rng.uniform(-1.0, 1.0, limits.n)
            others = np.arange(limits.n) != joint
            C[others] = np.outer(still, motion.family.still)[others]
            result.append(Fourier.from_coefficients(C, harmonics, period, limits.names))
    return tuple(result)
