"""Samples of a motion and the way back: gradients with respect to the samples become gradients with respect to the variables."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from .motion import Motion

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Sampling:
    """One motion at fixed phases.

    Parameters
    ----------
    motion : Motion
    phase : (N,)
        In [0, 1].
    """

    motion: Motion
    phase: Array

    @cached_property
    def bases(self) -> tuple[Array, Array, Array]:
        """Position, velocity, acceleration in unit time per coefficient, (n, N, m) each."""
        family = self.motion.family
        return family.basis(self.phase, 0), family.basis(self.phase, 1), family.basis(self.phase, 2)

    def states(self, x: Array) -> tuple[Array, Array, Array]:
        """q, dq, ddq (N, n) of the variables."""
        C, T = self.motion.coefficients(x)
        q, dq, ddq = (np.matmul(basis, C[:, :, None])[:, :, 0].T / T**order for order, basis in enumerate(self.bases))
        return q, dq, ddq

    def adjoint(self, x: Array, slopes: Array) -> Array:
        """Gradient with respect to x of a number whose derivatives with respect to q, dq, ddq are ``slopes`` (3, N, n)."""
        C, T = self.motion.coefficients(x)
        total, timing = np.zeros_like(C), 0.0
        for order, basis in enumerate(self.bases):
            part = np.matmul(basis.transpose(0, 2, 1), slopes[order].T[:, :, None])[:, :, 0] / T**order
            total += part
            timing -= order / T * float((part * C).sum())
        return self.motion.adjoint(total, timing)

    def jacobian(self, x: Array, slopes: Array) -> Array:
        """Jacobian (N, k, size) of k numbers a sample whose derivatives with respect to q, dq, ddq are ``slopes`` (3, N, k, n)."""
        C, T = self.motion.coefficients(x)
        motion = self.motion
        result = np.zeros((len(self.phase), slopes.shape[2], motion.size))
        for j, block in enumerate(motion.blocks):
            for order, basis in enumerate(self.bases):
                part = slopes[order][:, :, j, None] * (basis[j] / T**order)[:, None, :]
                result[:, :, block] += part @ motion.free[j]
                if motion.timed and order:
                    result[:, :, -1] -= order / T * (part @ C[j])
        return result
