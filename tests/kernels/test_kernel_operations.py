"""Every scalar operation of CasADi in every backend, at ordinary and at hostile numbers, against CasADi's own scalar evaluation."""

import casadi as ca
import numpy as np
import pytest

from optid.kernels import Kernel
from optid.kernels.tape import BINARY, NAMES, UNARY, Tape
from optid.kernels.vector_code import EXPRESSIONS

CODES = {name: code for code, name in NAMES.items()}
SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, np.inf, -np.inf, np.nan, 1e-310, 1e300, -1e300, 709.5, -745.0, 20.5, 2.5, -2.5, 3.0, 1e7, -123456.75]


def grid():
    rng = np.random.default_rng(0)
    a, b = (x.ravel() for x in np.meshgrid(SPECIAL, SPECIAL))
    ordinary = rng.uniform(-3, 3, (613, 2))
    return np.vstack([np.stack([a, b], axis=1), ordinary])


def one_call_each(f, X):
    return np.array([float(f(x)) for x in X])


def expression(op, x):
    return ca.SX.unary(CODES[op], x[0]) if op in UNARY else ca.SX.binary(CODES[op], x[0], x[1])


@pytest.fixture(scope="module")
def all_operations():
    """One function with a row for every operation, so that each backend compiles once."""
    x = ca.SX.sym("x", 2)
    ops = sorted(UNARY | BINARY)
    f = ca.Function("operations", [x], [ca.vertcat(*(expression(op, x) for op in ops))])
    X = grid()
    return ops, f, X, np.array([f(row).full()[:, 0] for row in X])


@pytest.mark.parametrize("backend", ["interpreter", "compiled", "simd"])
def test_every_operation(all_operations, backend):
    ops, f, X, expected = all_operations
    Y = Kernel(f, backend)(X)[:, :, 0]
    for i, op in enumerate(ops):
        np.testing.assert_allclose(Y[:, i], expected[:, i], rtol=2e-14, atol=0, err_msg=op)
        zero = (expected[:, i] == 0) & (op not in ("fmin", "fmax"))  # C leaves the sign of fmax(0, -0) open
        assert np.array_equal(np.signbit(Y[zero, i]), np.signbit(expected[zero, i])), op


def test_every_operation_has_vector_code(all_operations):
    ops, f, *_ = all_operations
    assert set(ops) <= set(EXPRESSIONS)
    assert Tape.of(f) is not None


@pytest.mark.parametrize("name", ["sin", "cos", "exp", "expm1", "tanh"])
def test_vector_functions_are_right_to_the_last_digits(name):
    """numpy in extended precision is the reference; 3 units in the last place everywhere, near multiples of π/2 and at large arguments too."""
    rng = np.random.default_rng(1)
    near = np.outer(np.arange(-400, 401) * (np.pi / 2), 1 + np.array([0.0, 1e-16, -3e-16, 1e-12, 1e-6])).ravel()
    x = np.concatenate([near, rng.uniform(-10, 10, 20000), rng.uniform(-1e6, 1e6, 20000), 10.0 ** rng.uniform(-300, 0, 5000), [1e6, 2e6, 1e15, -1e22]])
    if name not in ("sin", "cos"):
        x = x[np.abs(x) < 700]
    symbol = ca.SX.sym("x")
    y = Kernel(ca.Function("f", [symbol], [getattr(ca, name)(symbol)]), "simd")(x[:, None])[:, 0, 0]
    exact = getattr(np, name)(x.astype(np.longdouble))
    error = np.abs((y - exact) / np.spacing(np.abs(exact.astype(float))))
    assert float(error.max()) <= 3.0


def test_tape_merges_equal_expressions():
    x = ca.SX.sym("x", 2)
    f = ca.Function("f", [x], [ca.vertcat(x[0] * x[1] + ca.sin(x[0]), ca.sin(x[0]) - x[1] * x[0])])
    ops = [step.op for step in Tape.of(f).steps]
    assert sorted(ops) == ["add", "input", "input", "mul", "sin", "sub"]


def test_functions_that_are_not_scalar_operations_have_no_tape():
    x = ca.MX.sym("x")
    assert Tape.of(ca.Function("f", [x], [ca.interpolant("t", "linear", [[0.0, 1.0]], [0.0, 1.0])(x)])) is None
