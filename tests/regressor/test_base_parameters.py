"""Counts and groupings of base parameters against published ones."""

from __future__ import annotations

from math import pi

import numpy as np
import pytest

from optid import BaseParameters, DHRow, DynamicModel, Link, Robot, identify, library
from optid.errors import DataError, ShapeError, UnknownNameError
from optid.regressor import accumulate, eliminate
from optid.regressor.scale import NaturalUnits
from optid.signals import Samples

H = pi / 2
SOURCES: dict[str, tuple[str, list[tuple], tuple[float, float, float], int]] = {
    # name: convention, rows (alpha, a, d[, "P"]), gravity, count
    "1R vertical plane": ("modified", [(0, 0, 0)], (0, -9.81, 0), 3),
    "1R about gravity": ("modified", [(0, 0, 0)], (0, 0, -9.81), 1),
    "2R vertical": ("modified", [(0, 0, 0), (0, 0.5, 0)], (0, -9.81, 0), 6),
    "2R horizontal": ("modified", [(0, 0, 0), (0, 0.5, 0)], (0, 0, -9.81), 4),
    "PUMA 560": ("standard", [(H, 0, 0.6718), (0, 0.4318, 0), (-H, 0.0203, 0.15005), (H, 0, 0.4318), (-H, 0, 0), (0, 0, 0)], (0, 0, -9.81), 36),
    "UR5": ("standard", [(H, 0, 0.089159), (0, -0.425, 0), (0, -0.39225, 0), (H, 0, 0.10915), (-H, 0, 0.09465), (0, 0, 0.0823)], (0, 0, -9.81), 36),
    "RX90": ("modified", [(0, 0, 0), (H, 0, 0), (0, 0.45, 0), (-H, 0, 0.45), (H, 0, 0), (-H, 0, 0)], (0, 0, -9.81), 36),
    "Stanford": ("standard", [(-H, 0, 0.4), (H, 0, 0.15), (0, 0, 0, "P"), (-H, 0, 0), (H, 0, 0), (0, 0, 0.2)], (0, 0, -9.81), 33),
    "SCARA": ("standard", [(0, 0.4, 0), (pi, 0.3, 0), (0, 0, 0, "P"), (0, 0, 0.1)], (0, 0, -9.81), 8),
    "iiwa": ("standard", [(-H, 0, 0.34), (H, 0, 0), (H, 0, 0.4), (-H, 0, 0), (-H, 0, 0.4), (H, 0, 0), (0, 0, 0.126)], (0, 0, -9.81), 43),
    "Panda": ("modified", [(0, 0, 0.333), (-H, 0, 0), (H, 0, 0.316), (H, 0.0825, 0), (-H, -0.0825, 0.384), (H, 0, 0), (H, 0.088, 0)], (0, 0, -9.81), 43),
}


def robot_of(name: str, scale: float = 1.0) -> Robot:
    convention, rows, gravity, _ = SOURCES[name]
    table = [DHRow(a=scale * row[1], alpha=row[0], d=scale * row[2], joint=row[3] if len(row) > 3 else "R") for row in rows]
    return Robot.from_dh(table, convention, gravity)


@pytest.mark.parametrize("scale", [1.0, 1e-3])
@pytest.mark.parametrize("name", SOURCES)
def test_count(name: str, scale: float) -> None:
    """C24: Khalil & Dombre's and others' counts, five seeds, metres and millimetres, two rank tests."""
    model = DynamicModel(robot_of(name, scale), friction="none")
    bases = [BaseParameters.of(model, seed=seed) for seed in range(5)]
    assert [b.rank for b in bases] == [SOURCES[name][3]] * 5
    assert [b.svd_rank for b in bases] == [SOURCES[name][3]] * 5
    assert len({b.formulas for b in bases}) == 1


def test_half_millimetre_arm() -> None:
    """C24."""
    links = [(0, 0, 0), (0, 0.5e-3, 0)]
    robot = Robot.from_dh([DHRow(a=a, alpha=al, d=d) for al, a, d in links], "modified", (0, -9.81, 0))
    assert BaseParameters.of(DynamicModel(robot, friction="none")).rank == 6


IRB140 = [DHRow(0.07, -H, 0.352), DHRow(0.36, 0, 0, -H), DHRow(0.38, 0, 0, pi)]
IRB140_KNOWN = [f"{stem}{i}" for stem in ("m", "Ia", "fv") for i in (1, 2, 3)]
IRB140_FORMULAS = {
    "Iyy1 + Iyy2 + Iyy3 + 0.14*mx1", "fc1", "Ixx2 - Iyy2", "Izz2", "Ixy2", "Ixz2 - 0.36*mz2 - 0.36*mz3", "Iyz2", "mx2", "my2", "fc2",
    "Ixx3 - Iyy3", "Izz3", "Ixy3", "Ixz3 - 0.38*mz3", "Iyz3", "mx3", "my3", "fc3",
}  # fmt: skip


def test_irb140_groupings_as_published() -> None:
    """G21, table 2: 39 parameters, 32 visible, 9 known, 18 base parameters of 23 unknown ones."""
    model = DynamicModel(Robot.from_dh(IRB140, "standard"), friction="viscous+coulomb", rotor_inertia=True)
    base = BaseParameters.of(model, known=IRB140_KNOWN)
    assert (model.p, model.p - len(base.unidentifiable), len(base.known), base.rank) == (39, 32, 9, 18)
    assert set(base.formulas) == IRB140_FORMULAS


@pytest.mark.parametrize("quarter", [H, 1.570796327, 1.5708])
def test_panda_groupings_survive_rounded_angles(quarter: float) -> None:
    """C26."""
    rows = [DHRow(a=a, alpha=np.sign(al) * quarter, d=d) for al, a, d in SOURCES["Panda"][1]]
    base = BaseParameters.of(DynamicModel(Robot.from_dh(rows, "modified"), friction="none"))
    assert base.rank == 43
    assert np.abs(base.matrix).max() <= 10
    expected = {
        "Izz1": {"Izz1": 1, "Iyy2": 1},
        "my2": {"my2": 1, "mz3": -1} | {f"m{i}": -0.316 for i in range(3, 8)},
        "Ixx2": {"Ixx2": 1, "Iyy2": -1, "Iyy3": 1, "mz3": 0.632, "m3": 0.099856} | {f"m{i}": 0.10666225 for i in range(4, 8)},
        "Izz2": {"Izz2": 1, "Iyy3": 1, "mz3": 0.632, "m3": 0.099856} | {f"m{i}": 0.10666225 for i in range(4, 8)},
    }
    for lead, terms in expected.items():
        row = base.matrix[base.names.index(lead)]
        for k, name in enumerate(base.model.parameter_names):
            assert row[k] == pytest.approx(terms.get(name, 0.0), abs=1e-4), (lead, name)


def test_panda_with_friction_has_64() -> None:
    """Gaz et al. 2019, table III: 43 + 21."""
    assert BaseParameters.of(DynamicModel(robot_of("Panda"))).rank == 64


def test_ur10e_with_rotor_inertia_and_friction_has_58() -> None:
    """40 of 66 inertial columns with rotor inertias, plus 18 friction columns."""
    assert BaseParameters.of(DynamicModel(robot_of("UR5"), friction="none", rotor_inertia=True)).rank == 40
    assert BaseParameters.of(DynamicModel(robot_of("UR5"), rotor_inertia=True)).rank == 58


def test_planar_arm_values() -> None:
    """C32: the textbook's closed form."""
    links = [Link.from_com(2, (0.2, 0.01, 0), (0, 0, 0.03)), Link.from_com(1.5, (0.15, -0.02, 0), (0, 0, 0.02))]
    robot = Robot.from_dh([DHRow(), DHRow(a=0.5)], "modified", (0, -9.81, 0), links=links)
    model = DynamicModel(robot, friction="none")
    base = BaseParameters.of(model)
    assert base.formulas == ("mx1 + 0.5*m2", "my1", "Izz1 + 0.25*m2", "mx2", "my2", "Izz2")
    # Izz2 about the link origin: the case states it with the central inertia's steiner term in
    assert base.beta(model.nominal_parameters())[:5] == pytest.approx([1.15, 0.02, 0.4852, 0.225, -0.03], rel=1e-12)
    assert base.beta(model.nominal_parameters())[5] == pytest.approx(0.05435, rel=1e-12)


def test_preferred_parameters_become_independent() -> None:
    model = DynamicModel(robot_of("2R vertical"), friction="none")
    base = BaseParameters.of(model, preferred=["m2"])
    assert "m2" in base.names and base.rank == 6
    with pytest.raises(UnknownNameError, match="preferred parameter 'm9'"):
        BaseParameters.of(model, preferred=["m9"])
    with pytest.raises(UnknownNameError, match="known parameter"):
        BaseParameters.of(model, known=["M1"])


@pytest.mark.parametrize("name", ["PUMA 560", "Stanford", "Panda"])
def test_base_regressor_gives_the_full_torque(name: str) -> None:
    """C27: Y_b beta = Y pi on fresh states."""
    model = DynamicModel(robot_of(name))
    base = BaseParameters.of(model)
    rng = np.random.default_rng(7)
    pi_ = rng.standard_normal(model.p)
    q, dq, ddq = (rng.standard_normal((20, model.n)) for _ in range(3))
    tau = model.inverse_dynamics(pi_, q, dq, ddq)
    assert base.torque(base.beta(pi_), q, dq, ddq) == pytest.approx(tau, rel=1e-9, abs=1e-9 * np.abs(tau).max())


def test_known_part_is_subtracted_not_fitted() -> None:
    model = DynamicModel(Robot.from_dh(IRB140, "standard"), friction="viscous+coulomb", rotor_inertia=True)
    base = BaseParameters.of(model, known=IRB140_KNOWN)
    rng = np.random.default_rng(1)
    pi_ = rng.standard_normal(model.p)
    q, dq, ddq = (rng.standard_normal((9, 3)) for _ in range(3))
    known = {name: pi_[model.index(name)] for name in IRB140_KNOWN}
    assert base.torque(base.beta(pi_), q, dq, ddq, known) == pytest.approx(model.inverse_dynamics(pi_, q, dq, ddq), rel=1e-9, abs=1e-9)


def test_known_parameters_are_nominal_unless_said() -> None:
    """Torques, least squares, energy and full vectors agree on it: each of them gives the robot's own torque."""
    model = DynamicModel(library.planar_2r(), friction="none")
    base = BaseParameters.of(model, known=("m2",))
    rng = np.random.default_rng(5)
    state = [rng.standard_normal((50, 2)) for _ in range(3)]
    pi_ = model.nominal_parameters()
    tau = model.inverse_dynamics(pi_, *state)
    beta = base.beta(pi_)
    assert base.torque(beta, *state) == pytest.approx(tau)
    for how in ("nearest", "independent"):
        assert model.inverse_dynamics(base.standard(beta, how=how), *state) == pytest.approx(tau)
    factors = accumulate(base, Samples.from_arrays(*state, tau, rate=100))
    assert np.linalg.lstsq(*factors.stacked([1, 1]))[0] == pytest.approx(beta)
    assert base.known_vector({"m2": 1.0})[model.index("m2")] == 1.0  # type: ignore[index]
    assert BaseParameters.of(model).known_vector() is None
    with pytest.raises(UnknownNameError, match="known parameter 'm2'"):
        BaseParameters.of(model).known_vector({"m2": 1.0})


@pytest.mark.parametrize("how", ["nearest", "independent"])
def test_full_vectors_of_one_class_give_one_torque(how: str) -> None:
    """C28: minimum norm, nearest to a prior, dependent ones zero."""
    model = DynamicModel(robot_of("PUMA 560"), friction="none")
    base = BaseParameters.of(model)
    rng = np.random.default_rng(3)
    pi_ = rng.standard_normal(model.p)
    state = [rng.standard_normal((10, 6)) for _ in range(3)]
    for prior in (None, rng.standard_normal(model.p)):
        other = base.standard(base.beta(pi_), prior, how)
        assert model.inverse_dynamics(other, *state) == pytest.approx(model.inverse_dynamics(pi_, *state), rel=1e-9, abs=1e-9)


def test_mass_moves_across_a_joint_unseen() -> None:
    """C28 (b): 0.7 kg moved from link 1 to link 2 of a planar arm of 0.5 m."""
    model = DynamicModel(robot_of("2R vertical"), friction="none")
    base = BaseParameters.of(model)
    move = model.parameters({"m1": -0.7, "mx1": -0.35, "Iyy1": -0.175, "Izz1": -0.175, "m2": 0.7})
    assert base.beta(move) == pytest.approx(np.zeros(6), abs=1e-12)
    rng = np.random.default_rng(0)
    assert model.inverse_dynamics(move, *(rng.standard_normal((9, 2)) for _ in range(3))) == pytest.approx(np.zeros((9, 2)), abs=1e-12)


def test_elimination_rule() -> None:
    """G21: s1/sj > 100 drops the dominant parameter of the weakest direction."""
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((2, 500))
    W = np.column_stack([a, b, a + 1e-6 * b, np.zeros(500)])
    # the null vector a - c + 1e-6 b in unit columns: the longer column, c, has the larger entry
    assert np.linalg.norm(W[:, 2]) > np.linalg.norm(W[:, 0])
    assert eliminate(W, ["a", "b", "c", "zero"]) == (["a", "b"], ["zero", "c"])


def calibrated(e: float) -> Robot:
    """A UR5 whose table carries errors up to e rad and e/10 m, as a calibration finds them."""
    rng = np.random.default_rng(5)
    rows = [DHRow(alpha=al + e * rng.uniform(-1, 1), a=a + 0.1 * e * rng.uniform(-1, 1), d=d + 0.1 * e * rng.uniform(-1, 1)) for al, a, d in SOURCES["UR5"][1]]
    return Robot.from_dh(rows, "standard")


def natural_coefficients(base: BaseParameters) -> np.ndarray:
    unit = NaturalUnits.of(base.model).columns(base.model)
    return np.abs(base.matrix) / unit[list(base.independent)][:, None] * unit[None, :]


@pytest.mark.parametrize("e", [1e-5, 1e-4, 1e-3, 1e-2, 0.1])
def test_calibrated_tables_keep_bounded_groupings(e: float) -> None:
    """C26's bound of 10 on coefficients, the count and the choice of parameters, for axes that are parallel only nearly; two rank tests."""
    bases = [BaseParameters.of(DynamicModel(calibrated(e), friction="none"), seed=seed) for seed in range(5)]
    assert {b.rank for b in bases} == {b.svd_rank for b in bases} == {36}
    assert max(natural_coefficients(b).max() for b in bases) <= 10
    rng = np.random.default_rng(1)
    pi_ = rng.standard_normal(60)
    state = [rng.standard_normal((20, 6)) for _ in range(3)]
    tau = bases[0].model.inverse_dynamics(pi_, *state)
    for base in bases:
        assert base.torque(base.beta(pi_), *state) == pytest.approx(tau, rel=1e-9, abs=1e-9 * np.abs(tau).max())


@pytest.mark.parametrize("seed", range(10))
def test_random_arms_in_standard_dh(seed: int) -> None:
    """Arbitrary twists: bounded coefficients, and noise-free data return beta to 1e-8."""
    rng = np.random.default_rng(seed)
    rows = [DHRow(*rng.uniform(-0.5, 0.5, 1), rng.uniform(-3, 3), rng.uniform(-0.5, 0.5), rng.uniform(-3, 3)) for _ in range(6)]
    links = [Link.from_com(rng.uniform(1, 3), rng.uniform(-0.2, 0.2, 3), np.diag(rng.uniform(0.05, 0.1, 3))) for _ in rows]
    model = DynamicModel(Robot.from_dh(rows, "standard", links=links))
    base = BaseParameters.of(model)
    assert natural_coefficients(base).max() <= 10
    state = [rng.standard_normal((300, 6)) for _ in range(3)]
    samples = Samples.from_arrays(*state, model.inverse_dynamics(model.nominal_parameters(), *state))
    beta = base.beta(model.nominal_parameters())
    assert identify(base, samples).beta == pytest.approx(beta, rel=1e-8, abs=1e-8 * np.abs(beta).max())


def test_preferred_parameters_are_not_exchanged() -> None:
    """A preferred column stays although another choice would have smaller coefficients."""
    model = DynamicModel(calibrated(1e-3), friction="none")
    assert {"m6", "m2"} <= set(BaseParameters.of(model, preferred=["m6", "m2"]).names)


@pytest.mark.parametrize("tolerance", ["a", True, None, 0.0, 1.0, float("nan"), -1e-6])
def test_tolerance_that_is_none(tolerance: object) -> None:
    with pytest.raises(DataError, match=r"tolerance of the base parameters: .*, expected a number between 0 and 1"):
        BaseParameters.of(DynamicModel(library.emps()), tolerance=tolerance)  # type: ignore[arg-type]


def test_masked_parameters_are_refused() -> None:
    base = BaseParameters.of(DynamicModel(library.emps()))
    hidden = np.ma.masked_array(np.ones(base.rank), mask=[True] + [False] * (base.rank - 1))
    with pytest.raises(ShapeError, match="beta: a masked array, expected a plain array"):
        base.torque(hidden, [0.0], [0.0], [0.0])
