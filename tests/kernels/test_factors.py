"""Streaming triangles against numpy's dense least squares on the whole matrix."""

import os
import subprocess
import sys

import numpy as np
import pytest

from optid.errors import DataError, ShapeError
from optid.kernels import JointFactors

N, JOINTS, R = 3001, 3, 7


def data(seed=0, n_samples=N):
    """A regressor whose joint j does not feel the columns of the links before it, and torques that do not fit exactly."""
    rng = np.random.default_rng(seed)
    Y = rng.standard_normal((n_samples, JOINTS, R)) * np.array([1e-4, 1.0, 1e3, 1.0, 1.0, 10.0, 1.0])
    for j in range(JOINTS):
        Y[:, j, : 2 * j] = 0.0
    tau = Y @ np.arange(1.0, R + 1) + rng.standard_normal((n_samples, JOINTS)) + 5.0
    return Y, tau


def streamed(Y, tau, use=None, size=700):
    factors = JointFactors.empty(JOINTS, R)
    for i in range(0, len(Y), size):
        factors = factors.update(Y[i : i + size], tau[i : i + size], None if use is None else use[i : i + size])
    return factors


def dense(Y, tau, weights):
    root = np.sqrt(weights)
    return (Y * root[:, None]).reshape(-1, R), (tau * root).reshape(-1)


def test_weighted_solution_equals_dense_lstsq():
    Y, tau = data()
    weights = np.array([1.0, 4.0, 0.01])
    A, b = streamed(Y, tau).stacked(weights)
    assert A.shape == (JOINTS * (R + 1), R)
    W, t = dense(Y, tau, weights)
    beta = np.linalg.lstsq(A, b)[0]
    np.testing.assert_allclose(beta, np.linalg.lstsq(W, t)[0], rtol=1e-11)
    np.testing.assert_allclose(np.sum((A @ beta - b) ** 2), np.sum((W @ beta - t) ** 2), rtol=1e-12)


def test_residuals_norms_counts_and_sums_at_any_parameters():
    Y, tau = data()
    factors = streamed(Y, tau)
    beta = np.linspace(-1, 1, R)
    np.testing.assert_allclose(factors.residual_sum_of_squares(beta), np.sum((Y @ beta - tau) ** 2, axis=0), rtol=1e-12)
    np.testing.assert_allclose(factors.rss(1, beta), np.sum((Y[:, 1] @ beta - tau[:, 1]) ** 2), rtol=1e-12)
    np.testing.assert_allclose(factors.squares[:, 0], np.sum(tau**2, axis=0), rtol=1e-12)
    np.testing.assert_allclose(factors.squares_about_mean[:, 0], np.var(tau, axis=0) * N, rtol=1e-11)
    np.testing.assert_allclose(factors.normal_matrices()[0], Y[:, 0].T @ Y[:, 0], rtol=1e-10, atol=1e-8)
    assert factors.counts.tolist() == [N] * JOINTS
    assert factors.rows(2) == N
    assert np.array_equal(factors.R(2), np.triu(factors.R(2)))


def test_mask_takes_rows_of_single_joints_and_hides_nan():
    Y, tau = data()
    use = np.random.default_rng(1).random((N, JOINTS)) > 0.3
    use[:, 2] = False
    holed, torque = Y.copy(), tau.copy()
    holed[~use], torque[~use] = np.nan, np.inf
    factors = streamed(holed, torque, use)
    assert factors.counts.tolist() == use.sum(axis=0).tolist()
    beta = np.ones(R)
    np.testing.assert_allclose(factors.residual_sum_of_squares(beta), np.sum(use * (Y @ beta - tau) ** 2, axis=0), rtol=1e-12)
    with pytest.raises(DataError, match=r"joint 1 of the block: \d+ of 700 used rows are not finite, expected finite numbers"):
        streamed(holed, torque)


def test_scale_multiplies_rows_and_targets():
    Y, tau = data()
    scale = np.random.default_rng(2).random((N, JOINTS))
    factors = JointFactors.empty(JOINTS, R).update(Y, tau, scale=scale)
    beta = np.ones(R)
    np.testing.assert_allclose(factors.residual_sum_of_squares(beta), np.sum((scale * (Y @ beta - tau)) ** 2, axis=0), rtol=1e-12)


def test_merge_equals_one_stream_and_is_fixed_by_the_order():
    Y, tau = data()
    parts = [JointFactors.empty(JOINTS, R).update(Y[i::5], tau[i::5]) for i in range(5)]
    merged = JointFactors.merge(parts)
    beta = np.ones(R)
    assert merged.counts.tolist() == [N] * JOINTS
    np.testing.assert_allclose(merged.residual_sum_of_squares(beta), streamed(Y, tau).residual_sum_of_squares(beta), rtol=1e-12)
    np.testing.assert_allclose(merged.sums, streamed(Y, tau).sums, rtol=1e-9, atol=1e-7)
    assert JointFactors.merge(parts).triangles.tobytes() == merged.triangles.tobytes()


def test_ill_conditioned_columns_keep_their_digits():
    """Normal equations would lose a column of 1e-9 beside another: the triangle keeps its small singular value."""
    rng = np.random.default_rng(3)
    Y = rng.standard_normal((5000, 1, 3))
    Y[:, 0, 2] = Y[:, 0, 0] + 1e-9 * Y[:, 0, 2]
    A, _ = JointFactors.empty(1, 3).update(Y, Y[:, :, 0]).stacked()
    np.testing.assert_allclose(np.linalg.svd(A)[1], np.linalg.svd(Y[:, 0], full_matrices=False)[1], rtol=1e-6)


def test_known_parameters_move_to_the_torque_side():
    Y, tau = data()
    known, values = np.array([5, 1]), np.array([-2.0, 0.5])
    free = [0, 2, 3, 4, 6]
    left = streamed(Y, tau).split(known, values)
    expected = JointFactors.empty(JOINTS, 5).update(Y[:, :, free], tau - Y[:, :, known] @ values)
    beta = np.ones(5)
    np.testing.assert_allclose(left.residual_sum_of_squares(beta), expected.residual_sum_of_squares(beta), rtol=1e-11)
    np.testing.assert_allclose(left.sums, expected.sums, rtol=1e-9, atol=1e-7)
    nothing = streamed(Y, tau).split([], [])
    np.testing.assert_allclose(nothing.residual_sum_of_squares(np.ones(R)), streamed(Y, tau).residual_sum_of_squares(np.ones(R)), rtol=1e-12)


def test_several_targets_share_one_triangle():
    Y, tau = data()
    both = np.stack([tau, tau**2], axis=2)
    factors = JointFactors.empty(JOINTS, R, n_targets=2).update(Y, both)
    beta = np.ones(R)
    for k in range(2):
        np.testing.assert_allclose(factors.residual_sum_of_squares(beta, k), np.sum((Y @ beta - both[:, :, k]) ** 2, axis=0), rtol=1e-12)
    assert factors.stacked(target=1)[1].shape == (JOINTS * (R + 2),)


@pytest.mark.parametrize("n_samples", [0, 1, 2, 513])
def test_few_samples(n_samples):
    Y, tau = data(n_samples=n_samples)
    factors = streamed(Y, tau)
    beta = np.ones(R)
    np.testing.assert_allclose(factors.residual_sum_of_squares(beta), np.sum((Y @ beta - tau) ** 2, axis=0), rtol=1e-11)


def test_memory_layout_does_not_change_the_bits():
    Y, tau = data()
    inner = np.ascontiguousarray(Y.transpose(1, 2, 0)).transpose(2, 0, 1)
    assert streamed(inner, tau).triangles.tobytes() == streamed(Y, tau).triangles.tobytes()


SCRIPT = """
import hashlib, numpy as np
from optid.kernels import JointFactors
rng = np.random.default_rng(0)
factors = JointFactors.empty(2, 60)
for _ in range(3):
    factors = factors.update(rng.standard_normal((1500, 2, 60)), rng.standard_normal((1500, 2)))
print(hashlib.sha256(factors.triangles.tobytes()).hexdigest())
"""


def test_bits_do_not_depend_on_blas_threads():
    def run(threads):
        env = os.environ | {"OPENBLAS_NUM_THREADS": threads, "OMP_NUM_THREADS": threads, "MKL_NUM_THREADS": threads}
        return subprocess.run([sys.executable, "-c", SCRIPT], env=env, capture_output=True, text=True, check=True).stdout

    assert run("1") == run("2")


def test_messages_of_wrong_shapes():
    Y, tau = data(n_samples=10)
    empty = JointFactors.empty(JOINTS, R)
    with pytest.raises(ShapeError, match=r"regressor block: shape \(10, 3, 6\), expected \(B, 3, 7\)"):
        empty.update(Y[:, :, 1:], tau)
    with pytest.raises(ShapeError, match=r"torque block: shape \(10, 2\), expected \(10, 3\)"):
        empty.update(Y, tau[:, 1:])
    with pytest.raises(ShapeError, match=r"use: shape \(10, 3\) of float64, expected \(10, 3\) of bool"):
        empty.update(Y, tau, np.ones((10, 3)))
    with pytest.raises(ShapeError, match=r"scale: shape \(2,\), expected \(3,\) or \(10, 3\)"):
        empty.update(Y, tau, scale=np.ones(2))
    with pytest.raises(DataError, match=r"weights: .* expected finite values >= 0"):
        empty.stacked([1.0, -1.0, 1.0])
    with pytest.raises(ShapeError, match=r"beta: shape \(3,\), expected \(7,\)"):
        empty.residual_sum_of_squares(np.ones(3))
    with pytest.raises(ShapeError, match="an empty list, expected at least one JointFactors"):
        JointFactors.merge([])
    with pytest.raises(ShapeError, match="Merge factors of one model only"):
        JointFactors.merge([empty, JointFactors.empty(JOINTS, 2)])
    with pytest.raises(ShapeError, match=r"known values: shape \(2,\), expected \(1,\)"):
        empty.split([1], [1.0, 2.0])
