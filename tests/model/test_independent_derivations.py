"""Newton-Euler against Lagrange, Pinocchio and its own regressor, on random arms; structure of the equations of motion."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

from optid import DHRow, DynamicModel, Joint, Link, Robot, Transform
from optid.model.lagrange import lagrange_torque


def random_robot(n: int, seed: int) -> Robot:
    """Random placements, skew axes, prismatic joints now and then, any gravity, physical bodies."""
    rng = np.random.default_rng(seed)
    joints, links = [], []
    for i in range(n):
        axis = rng.standard_normal(3) if rng.random() < 0.5 else np.eye(3)[rng.integers(3)]
        before, after = (Transform.from_xyz_rpy(rng.uniform(-0.5, 0.5, 3), rng.uniform(-3, 3, 3)) for _ in range(2))
        joints.append(Joint(f"j{i}", "P" if rng.random() < 0.3 else "R", before, tuple(axis), after if rng.random() < 0.5 else Transform()))
        A = rng.standard_normal((3, 3))
        links.append(Link.from_com(rng.uniform(0.5, 5), rng.uniform(-0.3, 0.3, 3), A @ A.T * 0.05, f"l{i}"))
    return Robot(tuple(joints), tuple(links), tuple(rng.uniform(-10, 10, 3)), base=Transform.from_xyz_rpy((0.1, 0.2, 0.3), rng.uniform(-3, 3, 3)))


def states(n: int, N: int = 20, seed: int = 0) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    return [rng.uniform(-2, 2, (N, n)) for _ in range(3)]


def pinocchio_model(robot: Robot):
    pin = pytest.importorskip("pinocchio")
    model = pin.Model()
    model.gravity.linear = np.array(robot.gravity)
    parent, offset = 0, pin.SE3(robot.base.R, robot.base.p)
    for joint, link in zip(robot.joints, robot.links, strict=True):
        axis = np.array(joint.axis)
        kind = pin.JointModelRevoluteUnaligned(axis) if joint.revolute else pin.JointModelPrismaticUnaligned(axis)
        parent = model.addJoint(parent, kind, offset * pin.SE3(joint.before.R, joint.before.p), joint.name)
        offset = pin.SE3(joint.after.R, joint.after.p)
        model.appendBodyToJoint(parent, pin.Inertia(link.mass, link.com, link.inertia_about_com), offset)
    return pin, model


@pytest.mark.parametrize("n", range(1, 8))
def test_recursion_regressor_lagrange_and_pinocchio_agree(n: int) -> None:
    """1e-10 relative, arms with 1 to 7 joints, prismatic ones among them, gravity in any direction."""
    robot = random_robot(n, seed=n)
    model = DynamicModel(robot, friction="none")
    pi = model.nominal_parameters()
    q, dq, ddq = states(n)
    tau = model.inverse_dynamics(pi, q, dq, ddq)
    size = np.abs(tau).max()
    assert (model.regressor(q, dq, ddq) @ pi).reshape(-1, n) == pytest.approx(tau, rel=1e-10, abs=1e-10 * size)
    symbols = [ca.SX.sym(x, n) for x in ("q", "dq", "ddq")]
    lagrange = ca.Function("L", symbols, [lagrange_torque(robot, *symbols, ca.SX(pi))])
    for k in range(5):
        assert lagrange(q[k], dq[k], ddq[k]).full().ravel() == pytest.approx(tau[k], rel=1e-10, abs=1e-10 * size)
    pin, pmodel = pinocchio_model(robot)
    data = pmodel.createData()
    for k in range(len(q)):
        assert pin.rnea(pmodel, data, q[k], dq[k], ddq[k]) == pytest.approx(tau[k], rel=1e-10, abs=1e-10 * size)


@pytest.mark.parametrize("n", [1, 3, 6])
def test_structure_of_the_equations_of_motion(n: int) -> None:
    """M symmetric and positive definite; M ddq + C dq + g is the torque; M' - 2C is skew; the energy rate is the power."""
    robot = random_robot(n, seed=10 + n)
    model = DynamicModel(robot, friction="none")
    pi = model.nominal_parameters()
    q, dq, ddq = states(n, 5, seed=n)
    M, C, g = model.mass_matrix(pi, q), model.coriolis_matrix(pi, q, dq), model.gravity_torque(pi, q)
    tau = model.inverse_dynamics(pi, q, dq, ddq)
    assert np.einsum("kij,kj->ki", M, ddq) + np.einsum("kij,kj->ki", C, dq) + g == pytest.approx(tau, rel=1e-9, abs=1e-9)
    assert pytest.approx(np.swapaxes(M, 1, 2), abs=1e-12) == M
    assert (np.linalg.eigvalsh(M) > 0).all()
    h = 1e-6
    rate = (model.mass_matrix(pi, q + h * dq) - model.mass_matrix(pi, q - h * dq)) / (2 * h)
    skew = rate - 2 * C
    assert skew + np.swapaxes(skew, 1, 2) == pytest.approx(np.zeros_like(skew), abs=1e-6 * np.abs(M).max())


def test_torque_is_linear_in_every_named_parameter() -> None:
    """C13, C23: the column of a name is the torque of its unit vector, which no body could have."""
    model = DynamicModel(random_robot(3, 5), rotor_inertia=True)
    q, dq, ddq = states(3, 4)
    W = model.regressor(q, dq, ddq)
    for k, name in enumerate(model.parameter_names):
        unit = model.parameters({name: 1.0})
        assert model.inverse_dynamics(unit, q, dq, ddq).ravel() == pytest.approx(W[:, k], rel=1e-9, abs=1e-12)


def test_stacking_is_sample_major() -> None:
    """C22: row k n + j is joint j at sample k."""
    model = DynamicModel(random_robot(2, 3))
    q, dq, ddq = states(2, 3)
    pi = np.linspace(-1, 1, model.p)
    W = model.regressor(q, dq, ddq)
    assert W.shape == (6, model.p)
    rows = np.array([model.inverse_dynamics(pi, q[k], dq[k], ddq[k]) for k in range(3)])
    assert (W @ pi).reshape(3, 2) == pytest.approx(rows, rel=1e-9, abs=1e-12)


def test_standard_and_modified_dh_describe_the_same_arm() -> None:
    """Bodies moved between the two conventions' link frames give the same torque."""
    rows = [DHRow(0.3, 0.4, 0.5, 0.1), DHRow(0.2, -1.1, 0.1, 0.2), DHRow(0.4, 0.7, 0.05, -0.3), DHRow(0.1, 0.2, 0.3, 0.4)]
    rng = np.random.default_rng(2)
    links = [Link.from_com(rng.uniform(1, 3), rng.uniform(-0.2, 0.2, 3), np.diag(rng.uniform(0.1, 0.2, 3))) for _ in rows]
    standard = Robot.from_dh(rows, "standard", (1, 2, -9), links=links)
    # modified row i+1 holds the twist of standard row i; its frame i is the standard one seen from the near end of the link
    shifted = [DHRow(0, 0, rows[0].d, rows[0].theta)] + [DHRow(rows[i - 1].a, rows[i - 1].alpha, rows[i].d, rows[i].theta) for i in range(1, 4)]
    moved = [link.placed(Transform.trans(x=row.a) @ Transform.rot("x", row.alpha)) for link, row in zip(links, rows, strict=True)]
    modified = Robot.from_dh(shifted, "modified", (1, 2, -9), links=moved)
    q, dq, ddq = states(4)
    torque = [
        DynamicModel(r, friction="none").inverse_dynamics(DynamicModel(r, friction="none").nominal_parameters(), q, dq, ddq) for r in (standard, modified)
    ]
    assert torque[0] == pytest.approx(torque[1], rel=1e-10, abs=1e-10)


def test_quarter_turns_leave_no_rubbish() -> None:
    """A 90 degree twist has exact sines and cosines: joint 2 turns about y0 and feels nothing of a moment along z0."""
    model = DynamicModel(Robot.from_dh([DHRow(alpha=np.pi / 2), DHRow()], "standard"), friction="none")
    names = model.parameter_names
    Y = model.functions["regressor"]
    for parameter in ("mx1", "my1", "mz1", "Ixx1", "Iyy1"):
        assert not Y.sparsity_out(0).has_nz(1, names.index(parameter))
    assert Y.sparsity_out(0).has_nz(1, names.index("Iyz2"))
    assert Y.sparsity_out(0).has_nz(0, names.index("Iyy1")) and not Y.sparsity_out(0).has_nz(0, names.index("Ixx1"))
    assert not Y.sparsity_out(0).has_nz(0, names.index("mz1"))
