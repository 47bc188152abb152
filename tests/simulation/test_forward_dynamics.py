"""Forward dynamics against inverse dynamics, closed forms and energies."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from optid import DHRow, Drive, DynamicModel, Joint, Link, Robot, library
from optid.errors import ShapeError, SingularError
from optid.simulation import forward_dynamics, mechanical_energy


def model_of(name: str) -> DynamicModel:
    robot = getattr(library, name)()
    return DynamicModel(robot, friction="viscous+coulomb", rotor_inertia=True)


@pytest.mark.parametrize("name", ["planar_2r", "scara_v08", "panda"])
def test_forward_dynamics_inverts_inverse_dynamics(name: str) -> None:
    model = model_of(name)
    rng = np.random.default_rng(1)
    pi = model.nominal_parameters() + np.where([n.startswith(("Ia", "fv", "fc")) for n in model.parameter_names], 0.05, 0.0)
    q, dq, ddq = rng.uniform(-2, 2, (3, 300, model.n))
    tau = model.inverse_dynamics(pi, q, dq, ddq)
    assert np.abs(forward_dynamics(model, pi, q, dq, tau) - ddq).max() < 1e-10
    assert forward_dynamics(model, pi, q[3], dq[3], tau[3]) == pytest.approx(ddq[3], abs=1e-10)


def test_coupled_drives_and_mimic_joints_are_inverted_too() -> None:
    model = DynamicModel(library.planar_2r().with_coupling([[1.0, 0.0], [-1.0, 1.0]]), "viscous+coulomb", rotor_inertia=True)
    pi = model.parameters({"Ia1": 0.3, "Ia2": 0.2, "fc1": 2.0, "fc2": 3.0, "fv2": 0.4}, model.nominal_parameters())
    q, dq, ddq = np.random.default_rng(2).uniform(-2, 2, (3, 50, 2))
    assert np.abs(forward_dynamics(model, pi, q, dq, model.inverse_dynamics(pi, q, dq, ddq)) - ddq).max() < 1e-10


def test_reflected_rotor_inertia_counts_once() -> None:
    """C39: Izz = 0.2 and a reflected 0.5 need 0.7 for 1 rad/s²; C38: 1.2 kg m² behind N = 100 and J = 0.5e-4 make 1.7."""
    for inertia, drive, total in ((0.2, Drive.reflected(0.5), 0.7), (1.2, Drive(gear=100.0, rotor_inertia=0.5e-4), 1.7)):
        robot = Robot.from_dh([DHRow()], "modified", links=[Link("l", 0.0, (0, 0, 0), (0, 0, 0, 0, 0, inertia))], drives=[drive])
        model = DynamicModel(robot, "none", rotor_inertia=True)
        assert forward_dynamics(model, model.nominal_parameters(), [0.3], [0.0], [total])[0] == pytest.approx(1.0, rel=1e-12)


def test_a_coordinate_without_inertia_is_named() -> None:
    robot = Robot.from_dh([DHRow(), DHRow(a=0.4)], "modified", links=[Link("a", 1.0, (0.2, 0, 0), (0, 0, 0, 0.05, 0, 0.05)), Link("massless")])
    model = DynamicModel(robot, "none")
    with pytest.raises(SingularError, match="singular, expected positive definite"):
        forward_dynamics(model, model.nominal_parameters(), [0.0, 0.0], [0.0, 0.0], [1.0, 1.0])


def test_wrong_widths_and_nan_stay_in_their_rows() -> None:
    model = model_of("planar_2r")
    pi = model.nominal_parameters()
    with pytest.raises(ShapeError, match="2 coordinates"):
        forward_dynamics(model, pi, [0.0] * 3, [0.0] * 2, [0.0] * 2)
    q = np.zeros((3, 2))
    q[1, 0] = np.nan
    ddq = forward_dynamics(model, pi, q, np.zeros((3, 2)), np.ones((3, 2)))
    assert np.isnan(ddq[1]).any()
    assert np.isfinite(ddq[[0, 2]]).all()
    assert forward_dynamics(model, pi, np.zeros((0, 2)), np.zeros((0, 2)), np.zeros((0, 2))).shape == (0, 2)


def test_energy_is_that_of_a_pendulum() -> None:
    """½ (Izz + Ia) dq² and m g h of a body 0.3 m from a horizontal axis, by hand."""
    slide = Joint("swing", "R", axis=(0.0, 1.0, 0.0))
    robot = Robot((slide,), (Link.from_com(2.0, (0.3, 0.0, 0.0), (0.0, 0.05, 0.0)),), drives=(Drive.reflected(0.4),))
    model = DynamicModel(robot, "none", rotor_inertia=True)
    kinetic, potential = mechanical_energy(model, model.nominal_parameters(), [0.5], [1.5])
    assert kinetic == pytest.approx(0.5 * (0.05 + 2 * 0.09 + 0.4) * 1.5**2, rel=1e-13)
    assert potential == pytest.approx(-2 * 9.81 * 0.3 * np.sin(0.5), rel=1e-13)


def test_mounting_turns_the_fall() -> None:
    """C16: the torques that hold the arm are −5.421365 on the floor, +5.421365 on the ceiling and 2.2921164 on the wall: without them it falls."""
    joint = Joint("swing", "R", axis=(0.0, 1.0, 0.0))
    arm = Robot((joint,), (Link.from_com(2.0, (0.3, 0.0, 0.0), (0.0, 0.0, 0.0)),))
    for gravity, hold in (((0, 0, -9.81), -5.421365), ((0, 0, 9.81), 5.421365), ((9.81, 0, 0), 2.2921164)):
        model = DynamicModel(replace(arm, gravity=gravity), "none")
        ddq = forward_dynamics(model, model.nominal_parameters(), [0.4], [0.0], [0.0])
        assert ddq[0] == pytest.approx(-hold / 0.18, rel=1e-6)
