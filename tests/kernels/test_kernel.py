"""Batch evaluation against CasADi itself, sample by sample."""

import pickle
from concurrent.futures import ThreadPoolExecutor

import casadi as ca
import numpy as np
import pytest

from optid.errors import ShapeError, UnknownNameError
from optid.kernels import Kernel

BACKENDS = ["auto", "interpreter", "compiled", "simd"]


def pendulum():
    """Two inputs per sample, shared parameters first, a structural zero, a constant and a repeated expression in the output."""
    pi, q, dq = ca.SX.sym("pi", 2), ca.SX.sym("q", 2), ca.SX.sym("dq", 2)
    y = ca.SX(2, 3)
    y[0, 0] = pi[0] * ca.sin(q[0]) + ca.tanh(dq[1] / 0.1)
    y[0, 2] = ca.sin(q[0]) * ca.sin(q[0]) - ca.if_else(dq[0] > 0, pi[1], ca.sqrt(-dq[0]))
    y[1, 1] = 3.5
    y[1, 2] = q[0] + 2 * q[1]
    return ca.Function("pendulum", [pi, q, dq], [y], ["pi", "q", "dq"], ["y"])


def reference(function, *inputs):
    """(N, m, k) of one call a sample."""
    n = max(len(x) for x in inputs if x.ndim == 2)
    return np.array([function(*[x if x.ndim == 1 else x[i] for x in inputs]).full() for i in range(n)]).reshape(n, *function.size_out(0))


def samples(n, seed=0):
    rng = np.random.default_rng(seed)
    return np.array([2.0, -0.5]), rng.uniform(-3, 3, (n, 2)), rng.uniform(-2, 2, (n, 2))


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("n", [0, 1, 2, 63, 64, 65, 255, 256, 3000])
def test_equals_casadi_for_any_number_of_samples(backend, n):
    f = pendulum()
    pi, q, dq = samples(n)
    Y = Kernel(f, backend)(q, dq, pi=pi)
    assert Y.shape == (n, 2, 3)
    assert Y.flags.c_contiguous
    np.testing.assert_allclose(Y, reference(f, pi, q, dq), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("backend", BACKENDS)
def test_parameters_may_differ_from_sample_to_sample(backend):
    f = pendulum()
    _, q, dq = samples(700)
    pi = np.random.default_rng(5).standard_normal((700, 2))
    expected = reference(f, pi, q, dq)
    np.testing.assert_allclose(Kernel(f, backend)(q, dq, pi=pi), expected, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(Kernel(f, backend)(pi, q, dq), expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("backend", BACKENDS)
def test_out_is_filled_and_returned_and_holds_no_rest(backend):
    kernel = Kernel(pendulum(), backend)
    pi, q, dq = samples(300)
    out = np.full((300, 2, 3), 7.0)
    assert kernel(q, dq, pi=pi, out=out) is out
    assert np.array_equal(out, kernel(q, dq, pi=pi))
    for wrong in (np.zeros((300, 3, 2)), np.zeros((300, 2, 3), np.float32), np.zeros((600, 2, 3))[::2]):
        with pytest.raises(ShapeError, match=r"out: float.* expected a writeable float64 array \(300, 2, 3\) in C order"):
            kernel(q, dq, pi=pi, out=wrong)


@pytest.mark.parametrize("backend", BACKENDS)
def test_blocks_are_the_whole_in_pieces(backend):
    kernel = Kernel(pendulum(), backend)
    pi, q, dq = samples(2500)
    whole = kernel(q, dq, pi=pi)
    seen = []
    for part, block in kernel.blocks(q, dq, pi=pi, size=600):
        np.testing.assert_allclose(block, whole[part], rtol=1e-14, atol=1e-14)
        assert block.strides[0] == block.itemsize
        seen.append((part.start, part.stop))
    assert seen == [(0, 600), (600, 1200), (1200, 1800), (1800, 2400), (2400, 2500)]
    assert list(kernel.blocks(q[:0], dq[:0], pi=pi)) == []


def test_c88_four_threads_of_1000_calls_equal_serial():
    kernel = Kernel(pendulum())
    inputs = [samples(8, seed) for seed in range(1000)]
    serial = [kernel(q, dq, pi=pi) for pi, q, dq in inputs]

    def run(_):
        return [kernel(q, dq, pi=pi) for pi, q, dq in inputs]

    with ThreadPoolExecutor(4) as pool:
        for results in pool.map(run, range(4)):
            assert all(np.array_equal(a, b) for a, b in zip(results, serial, strict=True))


def test_pickled_kernel_gives_the_same_bits():
    kernel = Kernel(pendulum(), "interpreter")
    pi, q, dq = samples(400)
    before = kernel(q, dq, pi=pi)
    copy = pickle.loads(pickle.dumps(kernel))
    assert copy.backend == "interpreter"
    assert np.array_equal(copy(q, dq, pi=pi), before)


def test_functions_of_other_kinds_are_evaluated_by_casadi():
    """An interpolant and a root finder have no scalar operations to read."""
    x = ca.MX.sym("x", 1)
    table = ca.interpolant("table", "linear", [[0.0, 1.0, 2.0]], [0.0, 10.0, 40.0])
    f = ca.Function("f", [x], [ca.vertcat(table(x), x)])
    values = np.linspace(0, 2, 501)[:, None]
    Y = Kernel(f)(values)
    np.testing.assert_allclose(Y[:, 0, 0], np.interp(values[:, 0], [0.0, 1.0, 2.0], [0.0, 10.0, 40.0]), rtol=1e-12)
    np.testing.assert_allclose(Y[:, 1, 0], values[:, 0])


def test_sparse_inputs_and_empty_outputs():
    x = ca.SX.sym("x", ca.Sparsity.triplet(3, 1, [0, 2], [0, 0]))
    f = ca.Function("f", [x], [ca.vertcat(x[0] * x[2], x[1])])
    X = np.random.default_rng(0).standard_normal((500, 3))
    for n in (500, 5):
        Y = Kernel(f)(X[:n])
        np.testing.assert_allclose(Y[:, 0, 0], X[:n, 0] * X[:n, 2])
        assert not Y[:, 1].any()
    nothing = Kernel(ca.Function("g", [x], [ca.SX(0, 2)]))
    assert nothing(X).shape == (500, 0, 2)
    assert [block.shape for _, block in nothing.blocks(X, size=300)] == [(300, 0, 2), (200, 0, 2)]


def test_messages_name_the_function_and_the_input():
    kernel = Kernel(pendulum())
    pi, q, dq = samples(5)
    with pytest.raises(ShapeError, match=r"input 'dq' of function 'pendulum': shape \(4, 2\), expected \(5, 2\)\."):
        kernel(q, dq[:4], pi=pi)
    with pytest.raises(ShapeError, match=r"input 'pi' of function 'pendulum': shape \(3,\), expected \(5, 2\) or \(2,\)\."):
        kernel(q, dq, pi=np.ones(3))
    with pytest.raises(ShapeError, match="samples of function 'pendulum': 1 arrays, expected 2: q, dq"):
        kernel(q, pi=pi)
    with pytest.raises(UnknownNameError, match=r"input of function 'pendulum' 'qd': unknown name, expected one of pi, q, dq"):
        kernel(q, qd=dq, pi=pi)
    with pytest.raises(ShapeError, match="only shared vectors, expected at least one"):
        kernel(pi=pi, q=q[0], dq=dq[0])
    with pytest.raises(UnknownNameError, match="kernel backend 'fast'"):
        Kernel(pendulum(), "fast")
    with pytest.raises(ShapeError, match="size of the blocks: 0, expected at least 1"):
        kernel.blocks(q, dq, pi=pi, size=0)
    x = ca.SX.sym("x", 2, 2)
    with pytest.raises(ShapeError, match="'f': 2 outputs, expected one"):
        Kernel(ca.Function("f", [x], [x, x]))
    with pytest.raises(ShapeError, match=r"input 'x' of function 'f': shape \(2, 2\), expected a column vector"):
        Kernel(ca.Function("f", [x], [x], ["x"], ["y"]))
    with pytest.raises(ShapeError, match=r"kernel: a int, expected a casadi.Function"):
        Kernel(3)
