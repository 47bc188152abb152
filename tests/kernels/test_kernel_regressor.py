"""Kernels and triangles on the regressors they are made for."""

import casadi as ca
import numpy as np
import pytest

from optid.kernels import JointFactors, Kernel
from optid.library import panda, scara_v08, ur10e
from optid.model import DynamicModel
from optid.regressor import BaseParameters


def states(n, size, seed=0):
    rng = np.random.default_rng(seed)
    q, dq, ddq = (rng.uniform(-3, 3, (size, n)) for _ in range(3))
    dq[::10] = 0.0  # the sign of a standing joint
    return q, dq, ddq


@pytest.mark.parametrize("robot", [ur10e, panda, scara_v08])
@pytest.mark.parametrize("width", [0.0, 0.05])
def test_backends_agree_to_1e12_of_a_rows_largest_entry(robot, width):
    model = DynamicModel(robot(), rotor_inertia=True, sign_width=width)
    f = model.functions["regressor"]
    x = states(model.n, 1001)
    expected = np.array([f(*row).full() for row in zip(*x, strict=True)])
    scale = np.abs(expected).max(axis=2, keepdims=True)
    for backend in ("interpreter", "compiled", "simd"):
        assert np.max(np.abs(Kernel(f, backend)(*x) - expected) / scale) <= 1e-12, backend


def test_torque_kernel_takes_shared_parameters():
    model = DynamicModel(ur10e())
    f = model.functions["torque"]
    x = states(6, 500)
    pi = np.random.default_rng(1).standard_normal(model.p)
    expected = np.einsum("snp,p->sn", Kernel(model.functions["regressor"], "simd")(*x), pi)
    np.testing.assert_allclose(Kernel(f, "simd")(*x, pi=pi)[:, :, 0], expected, rtol=1e-9, atol=1e-9)


def test_streamed_base_parameters_equal_dense_least_squares_to_1e9():
    base = BaseParameters.of(DynamicModel(ur10e()))
    x = states(6, 5000)
    kernel = Kernel(base.function, "simd")
    rng = np.random.default_rng(2)
    W = kernel(*x)
    tau = W @ rng.standard_normal(base.rank) + 0.1 * rng.standard_normal((5000, 6))
    factors = JointFactors.empty(6, base.rank)
    for part, Y in kernel.blocks(*x):
        factors = factors.update(Y, tau[part])
    A, b = factors.stacked()
    dense = np.linalg.lstsq(W.reshape(-1, base.rank), tau.reshape(-1))[0]
    np.testing.assert_allclose(np.linalg.lstsq(A, b)[0], dense, rtol=1e-9)


def test_derivatives_of_the_torque_are_functions_like_others():
    model = DynamicModel(panda(), friction="viscous")
    pi, q, dq, ddq = (ca.SX.sym(s, k) for s, k in (("pi", model.p), ("q", 7), ("dq", 7), ("ddq", 7)))
    gradient = ca.Function(
        "gradient", [pi, q, dq, ddq], [ca.jacobian(model.torque_expression(pi, q, dq, ddq), ca.vertcat(q, dq))], ["pi", "q", "dq", "ddq"], ["J"]
    )
    x = states(7, 300)
    values = np.random.default_rng(1).standard_normal(model.p)
    simd = Kernel(gradient, "simd")(*x, pi=values)
    np.testing.assert_allclose(simd, Kernel(gradient, "interpreter")(*x, pi=values), rtol=0, atol=1e-12 * np.abs(simd).max())


def test_threads_change_no_bit_of_the_triangles(monkeypatch):
    rng = np.random.default_rng(0)
    Y, tau = rng.standard_normal((3000, 4, 30)), rng.standard_normal((3000, 4))
    monkeypatch.setattr("optid.kernels.factors.available_threads", lambda: 1)
    serial = JointFactors.empty(4, 30).update(Y, tau)
    monkeypatch.setattr("optid.kernels.factors.available_threads", lambda: 2)
    assert JointFactors.empty(4, 30).update(Y, tau).triangles.tobytes() == serial.triangles.tobytes()
