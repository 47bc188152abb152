"""Payloads and drive gains from runs with and without a load."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from optid import BaseParameters, DHRow, DynamicModel, Link, Robot, Transform, library
from optid.errors import DataError, RankError, RobotError, ShapeError, UnknownNameError
from optid.identification.load import identify_drive_gains, identify_payload
from optid.problems import PayloadResult
from optid.signals import Samples

LOAD = Link.from_com(1.5, (0.02, -0.01, 0.08), (0.004, 0.005, 0.003), "load")
STATE = tuple(np.array(x) for x in ((0.3, -1.2, 1.5, -0.7, 0.9, 0.4), (0.5, -0.4, 0.8, 1.2, -0.6, 1.0), (1.0, -2.0, 1.5, 2.0, -1.0, 3.0)))


@pytest.fixture(scope="module")
def ur5() -> BaseParameters:
    return BaseParameters.of(DynamicModel(library.ur5().with_friction(2.0, 1.0), friction="viscous+coulomb"))


def carrying(model: DynamicModel, load: Link = LOAD) -> DynamicModel:
    links = model.robot.links
    return model.with_robot(model.robot.with_links([*links[:-1], links[-1].lumped(load)]))


def run(model: DynamicModel, seed: int, count: int = 200, moving: tuple[float, float, float] = (1, 1, 1), noise: float = 0.0) -> Samples:
    """Random states, positions, velocities and accelerations scaled by ``moving``."""
    rng = np.random.default_rng(seed)
    q, dq, ddq = (scale * rng.standard_normal((count, model.n)) for scale in moving)
    tau = model.inverse_dynamics(model.nominal_parameters(), q, dq, ddq)
    return Samples.from_arrays(q, dq, ddq, tau + noise * rng.standard_normal(tau.shape), rate=100)


def test_torque_of_the_payload_alone(ur5: BaseParameters) -> None:
    """C63: m 1.5 kg, c (0.02, −0.01, 0.08) m, at one state: extra torque at rest and in motion."""
    parameters = LOAD.parameters
    assert parameters == pytest.approx([1.5, 0.03, -0.015, 0.12, 0.01375, 0.0003, -0.0024, 0.0152, 0.0012, 0.00375])
    bare, full = ur5.model, carrying(ur5.model)
    zero = np.zeros(6)
    at_rest, moving = (
        full.inverse_dynamics(full.nominal_parameters(), *s) - bare.inverse_dynamics(bare.nominal_parameters(), *s) for s in ((STATE[0], zero, zero), STATE)
    )
    assert at_rest == pytest.approx([0, -9.8659179, -7.5997778, -2.085615, 0.6782805, 0.2973838], abs=1e-6)
    assert moving == pytest.approx([0.9781764, -11.1262951, -7.5932621, -2.0744498, 0.3479505, 0.3568798], abs=1e-6)


@pytest.mark.parametrize("method", ["joint", "difference"])
def test_all_ten_parameters(ur5: BaseParameters, method: str) -> None:
    """C63: 200 random states, other motions in the two runs: all ten to 1e-6, whatever the friction."""
    found = identify_payload(ur5, run(ur5.model, 0), run(carrying(ur5.model), 1), method=method)
    assert found.parameters == pytest.approx(LOAD.parameters, abs=1e-6)
    assert found.physical and found.undetermined == ()
    assert found.link().com == pytest.approx([0.02, -0.01, 0.08], abs=1e-6)
    assert found["m"] == pytest.approx(1.5)


def test_difference_of_runs_of_one_motion_needs_no_friction_model(ur5: BaseParameters) -> None:
    """C63, last clause: friction that the model does not have cancels when the two runs share the motion; with other motions it does not."""
    plain = BaseParameters.of(replace(ur5.model, friction=()))
    same = identify_payload(plain, run(ur5.model, 0), run(carrying(ur5.model), 0), method="difference")
    assert same.parameters == pytest.approx(LOAD.parameters, abs=1e-6)
    other = identify_payload(plain, run(ur5.model, 0), run(carrying(ur5.model), 1), method="difference")
    assert np.abs(other.parameters - LOAD.parameters).max() > 0.01


@pytest.mark.parametrize("poses, moving, rank", [(40, (1, 0, 0), 4), (1, (1, 0, 0), 3), (40, (1, 1, 1), 10)])
def test_what_poses_can_tell(ur5: BaseParameters, poses: int, moving: tuple[float, float, float], rank: int) -> None:
    """C62: many static poses show m and the first moments exactly and no inertia, one pose three directions, motion all ten."""
    found = identify_payload(ur5, run(ur5.model, 0), run(carrying(ur5.model), 1, poses, moving), method="difference")
    assert found.estimate.equations.determinacy.rank == rank
    if poses > 1:
        assert found.parameters[:4] == pytest.approx(LOAD.parameters[:4], abs=1e-6)
    if rank == 4:
        assert np.isnan(found.parameters[4:]).all() and np.isinf(found.sigma[4:]).all()
        assert len(found.undetermined) == 6 and all("I" in text for text in found.undetermined)
        assert "undetermined" in found.summary()
        with pytest.raises(RankError, match=r"payload: undetermined Ixx, Ixy, Ixz, Iyy, Iyz, Izz, expected all ten parameters"):
            found.link()


@pytest.mark.parametrize("moving, rank", [((1, 0, 0), 3), ((1, 1, 1), 4)])
def test_planar_arm(moving: tuple[float, float, float], rank: int) -> None:
    """C62: a 2R arm in a vertical plane shows 3 parameters at rest and 4 in motion."""
    links = [Link.from_com(2, (0.2, 0, 0), (0, 0, 0.03)), Link.from_com(1.5, (0.15, -0.02, 0), (0, 0, 0.02))]
    model = DynamicModel(Robot.from_dh([DHRow(), DHRow(a=0.5)], "modified", (0, -9.81, 0), links=links), friction="none")
    found = identify_payload(model, run(model, 0), run(carrying(model), 1, 40, moving), method="difference")
    assert found.estimate.equations.determinacy.rank == rank


def test_intervals_cover_the_truth(ur5: BaseParameters) -> None:
    """White noise, 20 pairs of runs: 95 % intervals of the ten parameters cover 95 ± 5 % of the time, by either method."""
    clean = run(ur5.model, 0, 80), run(carrying(ur5.model), 1, 80)
    for method in ("joint", "difference"):
        hits = 0
        for seed in range(20):
            rng = np.random.default_rng(seed)
            without, loaded = (replace(s, tau=s.tau + 0.3 * rng.standard_normal(s.tau.shape)) for s in clean)
            ends = identify_payload(ur5, without, loaded, method=method).interval(kind="white")
            hits += int(((ends[:, 0] <= LOAD.parameters) & (LOAD.parameters <= ends[:, 1])).sum())
        assert hits / 200 == pytest.approx(0.95, abs=0.05)


@pytest.mark.parametrize("method, pairs", [("joint", 12), ("difference", 8)])
def test_intervals_that_know_of_wrong_gains(ur5: BaseParameters, method: str, pairs: int) -> None:
    """Gains of single runs off by 5 %: intervals hold the parameters as often as they say; without the gains' share they hold the mass one time in ten."""
    clean = run(ur5.model, 0, 80), run(carrying(ur5.model), 1, 80)
    hits, told = np.zeros(10), 0
    for seed in range(pairs):
        rng = np.random.default_rng(seed)
        off = 1 + 0.05 * rng.standard_normal(6)
        without, loaded = (replace(s, tau=(s.tau + 0.1 * rng.standard_normal(s.tau.shape)) * off) for s in clean)
        found = identify_payload(ur5, without, loaded, method=method, gain_error=0.05)
        ends = found.interval(kind="white")
        hits += (ends[:, 0] <= LOAD.parameters) & (LOAD.parameters <= ends[:, 1])
        low, high = replace(found.estimate, extra=None).interval(kind="white")[found.columns[0]]
        told += low <= 1.5 <= high
    assert told <= 0.3 * pairs
    assert hits[0] >= 0.8 * pairs and hits.mean() / pairs == pytest.approx(0.96, abs=0.04)


@pytest.mark.parametrize("method", ["joint", "difference"])
@pytest.mark.parametrize("known_robot", [(), ("m2", "fc3")])
def test_what_a_wrong_gain_does(ur5: BaseParameters, method: str, known_robot: tuple[str, ...]) -> None:
    """Covariance with the gains' errors (of unit size) against the change when one joint's torque is scaled."""
    noisy = run(ur5.model, 0, noise=0.01), run(carrying(ur5.model), 1, noise=0.01)
    base = BaseParameters.of(ur5.model, known=known_robot) if known_robot else ur5
    before = identify_payload(base, *noisy, method=method, known_robot=known_robot, gain_error=np.eye(6))
    assert before.gain_covariance is not None
    for joint in (0, 2):
        factor = np.ones(6)
        factor[joint] += 1e-5
        after = identify_payload(base, *(replace(s, tau=s.tau * factor) for s in noisy), method=method, known_robot=known_robot)
        change = (after.parameters - before.parameters) / 1e-5
        assert change == pytest.approx(before.gain_covariance[:, joint], abs=0.02 * np.abs(before.gain_covariance).max())


def test_gain_errors_that_are_none(ur5: BaseParameters) -> None:
    runs = run(ur5.model, 0, 40), run(carrying(ur5.model), 1, 40)
    for wrong in (-0.1, np.nan, [0.1] * 5 + [-0.1], -np.eye(6), np.triu(np.ones((6, 6)))):
        with pytest.raises(DataError, match=r"gain_error: .*, expected finite standard deviations >= 0, or a covariance"):
            identify_payload(ur5, *runs, gain_error=wrong)
    with pytest.raises(ShapeError, match=r"gain_error: shape \(5,\), expected one relative standard deviation, 6 of them, or a covariance \(6, 6\)"):
        identify_payload(ur5, *runs, gain_error=[0.1] * 5)
    with pytest.raises(ShapeError, match="gain_error: 'large', expected real numbers"):
        identify_payload(ur5, *runs, gain_error="large")


def test_payload_that_cannot_exist(ur5: BaseParameters) -> None:
    """Noise gives the load a negative inertia: flagged, refused as a body, and the constrained fit offered; that one exists, at the same mass (1 %)."""
    without, loaded = run(ur5.model, 0, 60, noise=1.0), run(carrying(ur5.model), 1, 60, noise=1.0)
    free = identify_payload(ur5, without, loaded)
    assert not free.physical and free.faults
    assert any("physical=True" in note for note in free.notes)
    with pytest.raises(RobotError, match=r"of link 'payload'.*Fit it with physical=True"):
        free.link()
    for method in ("joint", "difference"):
        held = identify_payload(ur5, without, loaded, physical=True, method=method)
        assert held.physical and held.link().mass == pytest.approx(1.5, rel=0.1)


def test_known_mass_and_tool_frame(ur5: BaseParameters) -> None:
    """A known parameter keeps its value with sigma 0; in the tool's frame the centre of mass is seen from there."""
    found = identify_payload(ur5, run(ur5.model, 0), run(carrying(ur5.model), 1), known={"m": 1.5})
    assert found["m"] == 1.5 and found.sigma[0] == 0 and found.interval()[0] == pytest.approx([1.5, 1.5])
    assert found.parameters == pytest.approx(LOAD.parameters, abs=1e-6)
    tool = Transform.trans(z=0.05) @ Transform.rot("z", np.pi / 2)
    assert found.link(tool).com == pytest.approx([-0.01, -0.02, 0.03], abs=1e-6)


def currents(samples: Samples, gains: np.ndarray) -> Samples:
    return replace(samples, tau=samples.tau / gains, tau_raw=samples.tau_raw / gains)


def test_gains_from_a_known_mass(ur5: BaseParameters) -> None:
    """C68 without noise: six gains and the load's nine other parameters (1e-6)."""
    gains = np.array([10.0, 10.7, 8.5, 9.0, 9.5, 10.1])
    without, loaded = currents(run(ur5.model, 0), gains), currents(run(carrying(ur5.model), 1), gains)
    found = identify_drive_gains(ur5, without, loaded, known={"m": 1.5})
    assert found.gains == pytest.approx(gains, rel=1e-6)
    assert found.load == pytest.approx(LOAD.parameters, abs=1e-6)
    assert found.ill_determined == ()
    assert np.sqrt(np.diag(found.relative_covariance)) == pytest.approx(found.relative_sigma)


def test_noise_pulls_the_gain_that_gravity_does_not_reach(ur5: BaseParameters) -> None:
    """C68: noisy currents, slow motion: joint 1 turns about the vertical, its gain is named as ill-determined; the truth lies between gain and reverse."""
    gains = np.array([10.0, 10.7, 8.5, 9.0, 9.5, 10.1])
    rng = np.random.default_rng(2)
    runs = [
        currents(run(m, seed, 400, (1, 0.3, 0.3)), gains) for m, seed in ((ur5.model, 0), (carrying(ur5.model, Link.from_com(3, (0, 0, 0.1), (0,) * 3)), 1))
    ]
    noisy = [replace(s, tau=s.tau + 0.1 * rng.standard_normal(s.tau.shape)) for s in runs]
    found = identify_drive_gains(ur5, *noisy, known={"m": 3.0})
    assert "shoulder_pan" in found.ill_determined
    assert found.gains[1:3] == pytest.approx(gains[1:3], rel=0.05)
    seen = np.array([name not in found.ill_determined for name in found.joint_names]) | (np.arange(6) == 0)
    assert (found.gains[seen] < gains[seen]).all() and (gains[seen] < found.reverse[seen]).all()
    assert "ill-determined" in found.summary()


def test_what_cannot_be_asked(ur5: BaseParameters) -> None:
    without, loaded = run(ur5.model, 0, 40), run(carrying(ur5.model), 1, 40)
    with pytest.raises(UnknownNameError, match=r"payload parameter 'mass'"):
        identify_payload(ur5, without, loaded, known={"mass": 1.5})
    with pytest.raises(UnknownNameError, match=r"method of the payload 'both'"):
        identify_payload(ur5, without, loaded, method="both")
    with pytest.raises(DataError, match=r"trials with load: none, expected at least one"):
        identify_payload(ur5, without, [])
    with pytest.raises(RankError, match=r"known load: nothing but zeros, expected at least its mass"):
        identify_drive_gains(ur5, without, loaded, known={})
    found: PayloadResult = identify_payload(ur5, without, loaded)
    with pytest.raises(UnknownNameError, match=r"payload parameter 'M'"):
        found["M"]
