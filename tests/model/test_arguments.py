"""What inverse dynamics and regressor accept, and how they refuse the rest."""

from __future__ import annotations

import pickle
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

import casadi as ca
import numpy as np
import pytest

from optid import BaseParameters, DHRow, DynamicModel, Robot
from optid.errors import RobotError, ShapeError, UnknownNameError


@pytest.fixture(scope="module")
def model() -> DynamicModel:
    return DynamicModel(Robot.from_dh([DHRow(a=0.3, alpha=0.4), DHRow(a=0.2, d=0.1)], "standard"))


PI = np.linspace(-1, 1, 26)
Q, DQ, DDQ = np.array([0.1, 0.2]), np.array([0.3, -0.4]), np.array([0.5, 0.6])


def test_arrays_lists_tuples_and_dm_give_the_same_numbers(model: DynamicModel) -> None:
    """C86."""
    expected = model.inverse_dynamics(PI, Q, DQ, DDQ)
    assert expected.shape == (2,)
    for kind in (list, tuple, ca.DM):
        assert np.array_equal(model.inverse_dynamics(kind(PI), kind(Q), kind(DQ), kind(DDQ)), expected)
    assert model.inverse_dynamics(PI, [Q] * 5, [DQ] * 5, [DDQ] * 5).shape == (5, 2)
    assert model.inverse_dynamics(PI, np.zeros((0, 2)), np.zeros((0, 2)), np.zeros((0, 2))).shape == (0, 2)


def test_symbols_give_expressions(model: DynamicModel) -> None:
    """C86."""
    q = ca.SX.sym("q", 2)
    tau = model.inverse_dynamics(PI, q, DQ, DDQ)
    assert isinstance(tau, ca.SX)
    assert ca.Function("f", [q], [tau])(Q).full().ravel() == pytest.approx(model.inverse_dynamics(PI, Q, DQ, DDQ))


def test_one_joint_keeps_its_shapes() -> None:
    """C85, C86."""
    one = DynamicModel(Robot.from_dh([DHRow(a=0.3)], "standard"))
    pi = np.ones(one.p)
    assert one.inverse_dynamics(pi, [0.1], [0.2], [0.3]).shape == (1,)
    assert one.inverse_dynamics(pi, np.zeros((4, 1)), np.zeros((4, 1)), np.zeros((4, 1))).shape == (4, 1)
    assert one.mass_matrix(pi, [0.0]).shape == (1, 1)


def test_wrong_width_names_the_count(model: DynamicModel) -> None:
    with pytest.raises(ShapeError, match=r"dq: shape \(3,\), expected \(N, 2\) or \(2,\): 2 coordinates"):
        model.inverse_dynamics(PI, Q, np.zeros(3), DDQ)
    with pytest.raises(ShapeError, match="4 samples, expected 5"):
        model.regressor(np.zeros((5, 2)), np.zeros((4, 2)), np.zeros((5, 2)))


def test_base_and_standard_vectors_do_not_mix(model: DynamicModel) -> None:
    """C27."""
    base = BaseParameters.of(model)
    with pytest.raises(ShapeError, match=r"26 standard parameters.*base"):
        model.inverse_dynamics(np.zeros(base.rank), Q, DQ, DDQ)
    with pytest.raises(ShapeError, match=rf"{base.rank} base parameters.*standard"):
        base.torque(PI, Q, DQ, DDQ)


def test_unknown_names_get_a_suggestion(model: DynamicModel) -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'Izz2'"):
        model.index("Izz22")
    with pytest.raises(UnknownNameError, match="Did you mean 'coulomb'"):
        DynamicModel(model.robot, friction=("coulomb", "columb"))
    with pytest.raises(RobotError, match="alone"):
        DynamicModel(model.robot, friction=("asymmetric", "viscous"))


def torque_of(model: DynamicModel) -> np.ndarray:
    return np.asarray(model.inverse_dynamics(PI, Q, DQ, DDQ))


def test_models_pickle_and_work_in_spawned_processes(model: DynamicModel) -> None:
    """C87."""
    here = torque_of(model)
    assert np.array_equal(torque_of(pickle.loads(pickle.dumps(model))), here)
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        assert np.array_equal(pool.submit(model.inverse_dynamics, PI, Q, DQ, DDQ).result(), here)


def test_four_threads_equal_one(model: DynamicModel) -> None:
    """C88."""
    here = torque_of(model)
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda _: torque_of(model), range(4000)))
    assert all(np.array_equal(r, here) for r in results)
