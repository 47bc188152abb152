"""Second derivatives of a criterion of M = WᵀW with respect to the variables of a motion.

With the eigenvectors V and eigenvalues λ of M and a criterion F(log λ),

    d²F = Σ_ij h_ij P_ii P_jj + Σ_{i≠j} (g_i − g_j)/(λ_i − λ_j) P_ij² + ⟨V diag(g) Vᵀ, d²M⟩,   P = Vᵀ dM V,  g = ∂F/∂λ,  h = ∂²F/∂λ²

(the second derivative of a spectral function; Lewis and Sendov, SIAM J. Matrix Anal. Appl. 23, 2001), where d²M = 2 dWᵀdW + Wᵀd²W + d²WᵀW.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from optid.kernels import Kernel
from optid.kernels.ordered import in_order
from optid.regressor import BaseParameters

from .sampling import Sampling

Array = NDArray[np.float64]

SHARED = 1_000_000
"""Numbers that are worth a second thread."""

CLOSE = 1e-6
"""Eigenvalues closer than this share of the larger one count as equal in divided differences."""


class RegressorDerivatives:
    """First and second derivatives of the base regressor with respect to one sample's motion (q, dq, ddq)."""

    def __init__(self, base: BaseParameters, backend: str) -> None:
        self.base, self.backend = base, backend

    @cached_property
    def first(self) -> Kernel:
        """(q, dq, ddq) → (n·r, 3n): row i·r + c is entry (i, c) of the regressor, columns are q1, dq1, ddq1, q2, …"""
        q, dq, ddq, Y = self._symbols()
        slopes = ca.jacobian(ca.vec(Y.T), ca.vec(ca.horzcat(q, dq, ddq).T))
        return Kernel(ca.Function("regressor_slopes", [q, dq, ddq], [slopes], ["q", "dq", "ddq"], ["slopes"]), self.backend)

    @cached_property
    def second(self) -> Kernel:
        """(q, dq, ddq, weights (n·r,)) → (3n, 3n): second derivatives of the weighted sum of the regressor's entries."""
        q, dq, ddq, Y = self._symbols()
        weights = ca.SX.sym("weights", Y.numel())
        second = ca.hessian(ca.dot(weights, ca.vec(Y.T)), ca.vertcat(q, dq, ddq))[0]
        return Kernel(ca.Function("regressor_curvature", [q, dq, ddq, weights], [second], ["q", "dq", "ddq", "weights"], ["second"]), self.backend)

    def _symbols(self) -> tuple[ca.SX, ca.SX, ca.SX, ca.SX]:
        q, dq, ddq = (ca.SX.sym(name, self.base.model.n) for name in ("q", "dq", "ddq"))
        return q, dq, ddq, self.base.function(q, dq, ddq)


def divided_differences(values: Array, slope: Array, second: Array) -> Array:
    """``(g_i − g_j)/(λ_i − λ_j)`` (r, r) with zeros on the diagonal; where two eigenvalues agree, its limit."""
    gap = values[:, None] - values[None, :]
    close = np.abs(gap) <= CLOSE * np.maximum(values[:, None], values[None, :])
    own = np.diag(second)
    limit = 0.5 * (own[:, None] + own[None, :]) - second
    result = np.where(close, limit, (slope[:, None] - slope[None, :]) / np.where(close, 1.0, gap))
    np.fill_diagonal(result, 0.0)
    return result


def spectral_curvature(W: Array, turned: Array, samplings: tuple[Sampling, ...], values: Array, vectors: Array, slope: Array, second: Array) -> Array:
    """The part of the Hessian (size, size) that comes with the change of the whole information matrix.

    Parameters
    ----------
    W : (N, n, r)
    turned : (N, n, r, 3n)
        Derivatives of ``W @ vectors`` with respect to q1, dq1, ddq1, q2, …
    values, vectors : (r,), (r, r)
        Eigenvalues and eigenvectors of the information.
    slope, second : (r,), (r, r)
        Derivatives of the criterion with respect to the eigenvalues.
    """
    N, n, r = W.shape
    size = sum(sampling.motion.size for sampling in samplings)
    each, rows = turned.reshape(N, n * r, n, 3), W @ vectors
    pieces = list(_pieces(samplings))

    def product(k: int) -> Array:
        samples, _, joint, basis = pieces[k]
        X = np.matmul(each[samples, :, joint], basis).reshape(-1, r * basis.shape[2])  # joint by joint: what is at work stays in cache
        return np.asarray((rows[samples].reshape(-1, r).T @ X).reshape(r, r, -1))

    half = np.zeros((r, r, size))  # half[i, j] = (W v_i)ᵀ (dW v_j)
    for (_, variables, _, _), part in zip(pieces, in_order(product, len(pieces), None if turned.size > SHARED else 1), strict=True):
        half[:, :, variables] = part
    P = half + half.transpose(1, 0, 2)
    own = P[np.arange(r), np.arange(r)]
    mixed = P.reshape(r * r, size)
    return np.asarray(own.T @ second @ own + (mixed * divided_differences(values, slope, second).reshape(-1, 1)).T @ mixed)


def sample_curvature(turned: Array, slope: Array) -> Array:
    """Per sample ``2 Σ slope_v (dW v)ᵀ(dW v)`` (N, 3n, 3n), in the order q, dq, ddq, from derivatives (N, n, r, 3n) of ``W @ vectors`` as above."""
    N, n, r, width = turned.shape
    flat = turned.reshape(N, n * r, width)
    total = np.matmul((turned * (2.0 * slope)[:, None]).reshape(N, n * r, width).transpose(0, 2, 1), flat)
    return np.asarray(total.reshape(N, n, 3, n, 3).transpose(0, 2, 1, 4, 3).reshape(N, width, width))


def _per_variable(turned: Array, samplings: tuple[Sampling, ...]) -> Array:
    """Derivatives with respect to the variables (N, n·r, size) from those with respect to q, dq, ddq (N, n·r, 3, n)."""
    result = np.zeros((*turned.shape[:2], sum(sampling.motion.size for sampling in samplings)))
    for samples, variables, joint, basis in _pieces(samplings):
        result[samples, :, variables] = np.matmul(turned[samples, :, :, joint], basis)
    return result


def _pieces(samplings: tuple[Sampling, ...]) -> Iterator[tuple[slice, slice, int, Array]]:
    """For every motion and joint: its samples, its variables, the joint, and how (q, dq, ddq) (N, 3, m) follow from them."""
    row = column = 0
    for sampling in samplings:
        count, T = len(sampling.phase), sampling.motion.duration[1]
        for j, (block, Z) in enumerate(zip(sampling.motion.blocks, sampling.motion.free, strict=True)):
            basis = np.stack([b[j] @ Z / T**order for order, b in enumerate(sampling.bases)], axis=1)
            yield slice(row, row + count), slice(column + block.start, column + block.stop), j, basis
        row, column = row + count, column + sampling.motion.size


def motion_curvature(second: Array, samplings: tuple[Sampling, ...]) -> Array:
    """Hessian (size, size) with respect to the variables from per-sample second derivatives (N, 3n, 3n) with respect to (q, dq, ddq)."""
    size = sum(sampling.motion.size for sampling in samplings)
    N, width = second.shape[:2]
    states = _per_variable(np.broadcast_to(np.eye(width).reshape(width, 3, width // 3), (N, width, 3, width // 3)), samplings)
    bent = np.matmul(second, states)
    return np.asarray(states.reshape(N * width, size).T @ bent.reshape(N * width, size))
