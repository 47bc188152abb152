"""Wrong units, signs and orders are suspected aloud, right recordings are not, and nothing is ever changed."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from optid import DynamicModel, Limits, Robot, library
from optid.errors import DataWarning
from optid.experiment import Mapping, Preview, Trial, import_csv, import_npz, suspect

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
UR = library.ur10e()
SORTED = [int(k) for k in np.argsort(UR.joint_names)]  # elbow, shoulder_lift, shoulder_pan, wrists (C42)
MOTION = ("q", "dq", "tau", "current")


def recorded(robot: Robot, rate: float = 200.0, seconds: float = 10.0, seed: int = 0) -> Trial:
    """Sums of sines, the torque of a robot 20 % off its own parameters, friction and noise of 2 %."""
    rng = np.random.default_rng(seed)
    t = np.arange(0, seconds, 1 / rate)
    model = DynamicModel(robot, "viscous+coulomb", rotor_inertia=True)
    q, dq, ddq = np.zeros((3, len(t), robot.n))
    for frequency in (0.1, 0.3, 0.5):
        phase, size = rng.uniform(0, 2 * np.pi, robot.n), 0.1 / frequency * rng.uniform(0.5, 1, robot.n)
        w = 2 * np.pi * frequency
        angle = w * t[:, None] + phase
        q, dq, ddq = q + size * np.sin(angle), dq + size * w * np.cos(angle), ddq - size * w**2 * np.sin(angle)
    pi = model.nominal_parameters() * rng.uniform(0.8, 1.2, model.p)
    for k, name in enumerate(model.parameter_names):
        pi[k] += {"fv": 2.0, "fc": 3.0}.get(name.rstrip("0123456789"), 0.0)
    tau = model.inverse_dynamics(pi, q, dq, ddq)
    tau = tau + 0.02 * np.ptp(tau, axis=0) * rng.standard_normal(tau.shape)
    return Trial(t, q, dq + 1e-3 * rng.standard_normal(dq.shape), None, tau, name="run")


def ordered(trial: Trial, order: list[int], signals: tuple[str, ...] = MOTION) -> Trial:
    return replace(trial, **{what: getattr(trial, what)[:, order] for what in signals if getattr(trial, what) is not None})


def scaled(trial: Trial, **factors: object) -> Trial:
    return replace(trial, **{what: getattr(trial, what) * np.asarray(factor) for what, factor in factors.items()})


def turned(joint: int) -> np.ndarray:
    return np.where(np.arange(6) == joint, -1.0, 1.0)


def pull(q: np.ndarray) -> np.ndarray:
    """Gravity torque of the UR10e."""
    model = DynamicModel(UR, "none")
    return np.asarray(model.gravity_torque(model.nominal_parameters(), q))


GOOD = recorded(UR)


def test_a_right_recording_is_not_suspected() -> None:
    assert suspect(GOOD) == () and suspect(GOOD, UR) == ()
    current = replace(GOOD, tau=None, current=GOOD.tau / np.array([10, 10.7, 8.5, 9, 9.5, 10.1]))  # type: ignore[operator]
    assert suspect(current, UR) == ()
    assert suspect(replace(GOOD, tau=None, dq=None), UR) == ()
    named = replace(ordered(GOOD, SORTED), joint_names=tuple(UR.joint_names[k] for k in SORTED))
    assert suspect(named, UR) == ()


CASES = {
    "C42: columns sorted by name": (ordered(GOOD, SORTED), "order", "The torque goes with the motion better with its columns taken as sorted by joint name"),
    "torque alone sorted by name": (ordered(GOOD, SORTED, ("tau",)), "order", "with the torque alone taken as sorted by joint name"),
    "two columns exchanged": (ordered(GOOD, [0, 2, 1, 3, 4, 5]), "order", "with the columns of 'shoulder_lift' and 'elbow' exchanged"),
    "two velocities exchanged": (ordered(GOOD, [0, 2, 1, 3, 4, 5], ("dq",)), "order", "The velocity of joint 3 is that of the position of joint 2"),
    "one torque turned over": (scaled(GOOD, tau=turned(2)), "sign", "with the torque of 'elbow' turned against its position"),
    "a wrist's torque turned over": (scaled(GOOD, tau=turned(5)), "sign", "with the torque of 'wrist_3' turned against its position"),
    "one joint counts backward": (scaled(GOOD, q=turned(1), dq=turned(1)), "sign", "with the torque of 'shoulder_lift' turned against its position"),
    "all torque turned over": (scaled(GOOD, tau=-1.0), "sign", "with all torque turned over"),
    "one velocity turned over": (scaled(GOOD, dq=turned(3)), "sign", "The velocity of joint 4 runs against its position."),
    "C15: degrees": (scaled(GOOD, q=180 / np.pi, dq=180 / np.pi), "degrees", "; as degrees all are inside."),
    "degrees beside rad/s": (scaled(GOOD, q=180 / np.pi), "degrees", "The position looks like degrees beside rad/s"),
    "deg/s beside radians": (scaled(GOOD, dq=180 / np.pi), "degrees", "velocity over slope of position of joint 1 57.29, joint 2 57.3"),
    "radians read as degrees": (scaled(GOOD, q=np.pi / 180, dq=np.pi / 180), "degrees", "with its angles times 57.3 (radians taken for degrees)"),
    "rpm": (scaled(GOOD, dq=30 / np.pi), "rpm", "The velocity looks like revolutions per minute"),
    "C41: gravity taken out by the driver": (replace(GOOD, tau=GOOD.tau - pull(GOOD.q)), "gravity", "The torque goes with the motion better without gravity"),
    "C16: on the ceiling": (replace(GOOD, tau=GOOD.tau - 2 * pull(GOOD.q)), "gravity", "better with gravity along +z of the base"),
    "C16: on the wall": (recorded(UR.with_gravity((0.0, 9.81, 0.0))), "gravity", "better with gravity along +y of the base"),
    "milliseconds": (scaled(GOOD, time=1e3), "time", "5 s between samples: the stamps look like milliseconds."),
    "microseconds": (scaled(GOOD, time=1e6), "time", "5000 s between samples: the stamps look like microseconds."),
    "nanoseconds": (scaled(GOOD, time=1e9), "time", "5e+06 s between samples: the stamps look like nanoseconds."),
    "mN m": (scaled(GOOD, tau=1e3), "torque", "Torque far above the robot's limits: 'shoulder_pan'"),
    "kN m": (scaled(GOOD, tau=1e-3), "torque", "times what the robot's own parameters need"),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_what_is_wrong_is_suspected(case: str) -> None:
    trial, kind, said = CASES[case]
    before = {what: getattr(trial, what).copy() for what in ("time", "q", "dq", "tau")}
    found = suspect(trial, UR)
    assert any(said in str(suspicion) and suspicion.kind == kind for suspicion in found), [str(x) for x in found]
    assert all(np.array_equal(getattr(trial, what), value) for what, value in before.items())


@pytest.mark.parametrize("name", ["irb140_lower_arm", "kr300", "panda", "ur5", "emps", "planar_2r", "scara_v08"])
def test_right_recordings_of_other_arms(name: str) -> None:
    """Slides included; torque against the motion is suspected in each."""
    robot = getattr(library, name)()
    robot = robot.with_limits(Limits.of(robot.n))
    trial = recorded(robot, seed=4)
    assert suspect(trial, robot) == ()
    assert [x.kind for x in suspect(scaled(trial, tau=-1.0), robot)] == ["sign"]


def test_a_robot_without_masses_tells_nothing_of_torque() -> None:
    robot = library.scara_er14()
    assert not any(link.mass for link in robot.links)
    trial = recorded(robot)
    assert suspect(scaled(trial, tau=-1.0), robot.with_limits(Limits.of(robot.n))) == ()


def test_degrees_of_c15_without_a_unit(tmp_path: Path) -> None:
    """The published posture: 76.8487, 197.207, 316.553 …; with the unit said it is silent and exact."""
    row = [76.8487, 197.207, 316.553, 47.3131, 265.127, 257.408, 286.716]
    table = np.column_stack([np.arange(20) * 0.01, np.tile(row, (20, 1))])
    np.savetxt(tmp_path / "log.csv", table, delimiter=",")
    names = [f"j{k}" for k in range(7)]
    with pytest.warns(DataWarning, match=r"values up to 316\.553, expected radians, at most one turn .*They may be degrees") as caught:
        trial = import_csv(tmp_path / "log.csv", Mapping(time=0, q="1:8", joint_names=names))
    assert trial.q[0].tolist() == row
    said = [str(w.message) for w in caught]
    assert [str(x) for x in Preview.of(trial, said=said).suspicions] == said
    assert import_csv(tmp_path / "log.csv", Mapping(time=0, q="1:8", units="deg", joint_names=names)).q[0] == pytest.approx(np.radians(row), rel=1e-15)


def test_preview_of_a_trial() -> None:
    trial = replace(GOOD, joint_names=UR.joint_names)
    trial = replace(trial, time=np.concatenate([trial.time[:1000], trial.time[1000:] + 3.0]))
    seen = Preview.of(trial, UR)
    assert seen.errors == () and seen.suspicions == () and seen.joints == UR.joint_names
    assert seen.pace.rate == pytest.approx(200.0) and seen.pace.gaps == 1 and seen.pace.span == pytest.approx(12.995) and seen.pace.equal == 0
    assert seen.pace.jitter == pytest.approx(0.0, abs=1e-12)
    elbow = next(c for c in seen.columns if c.signal == "dq" and c.joint == "elbow")
    assert elbow.unit == "rad/s" and elbow.largest == trial.dq[:, 2].max() and elbow.first == tuple(trial.dq[:3, 2])  # type: ignore[index]
    assert Preview.of(trial).columns[0].unit == "rad/m"
    plain = seen.to_dict()
    assert plain["pace"]["rate"] == seen.pace.rate and plain["columns"][0]["joint"] == "shoulder_pan"
    assert plain["suspicions"] == [] and plain["pace"]["smallest"] == seen.pace.smallest


def test_trials_that_cannot_be_used() -> None:
    robot = library.panda()
    assert Preview.of(GOOD, robot).errors[0].startswith("trial 'run': 6 joints, expected the 7 of robot 'Panda': joint1")
    assert Preview.of(GOOD.window(0, 1)).errors == ("trial 'run': 1 samples, expected at least 2.",)
    assert Preview.of(GOOD.window(0, 0)).errors == ("trial 'run': 0 samples, expected at least 2.",)
    still = replace(GOOD, time=np.ones(len(GOOD.time)))
    assert Preview.of(still).errors == ("time of trial 'run': it stands still, expected increasing stamps.",) and Preview.of(still).pace.equal == 1999
    hole = GOOD.q.copy()
    hole[5] = np.nan
    assert suspect(replace(GOOD, q=hole), UR) == () and Preview.of(replace(GOOD, q=hole * np.nan)).columns[0].smallest is None


@pytest.mark.skipif(not DATA.is_dir(), reason="no recordings beside the checkout (../shared/data)")
def test_real_recordings() -> None:
    """Seven of a UR10e (current), two of an LWR4+, one of a Panda: silent as they are, suspected when sorted by name, exchanged or turned over."""
    trials: list[tuple[Robot, Trial]] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        for file in sorted((DATA / "ur10e").glob("*.csv")):
            trials.append((UR, import_csv(file, Mapping(time=0, q="1:7", dq="7:13", current="13:19", units="rad", joint_names=UR.joint_names), partial=True)))
        lwr = Robot.from_urdf(DATA / "lwr4" / "kuka_lwr4.urdf")
        columns = {"time": "times", "q": "positions", "dq": "velocities", "tau": "torques"}
        trials += [(lwr, import_npz(DATA / "lwr4" / f"measurements_{k}.npz", Mapping(**columns, joint_names=lwr.joint_names))) for k in (1, 3)]  # type: ignore[arg-type]
        files = {"time": "time", "q": "positions", "dq": "velocity", "tau": "torques"}
        panda = library.panda()
        mapping = Mapping(q=0, dq=0, tau=0, time=0, joints=7, files={k: f"exciting_traj_{v}.txt" for k, v in files.items()}, joint_names=panda.joint_names)
        trials.append((panda, import_csv(DATA / "panda", mapping)))
    assert len(trials) == 10
    for robot, trial in trials:
        assert suspect(trial, robot) == (), trial.name
        measured = "tau" if trial.tau is not None else "current"
        wrong = scaled(trial, **{measured: np.where(np.arange(trial.n) == 1, -1.0, 1.0)})
        assert any(x.kind == "sign" and f"of {robot.joint_names[1]!r} turned" in str(x) for x in suspect(wrong, robot)), trial.name
        if robot is UR:
            assert any(x.kind == "order" and "sorted by joint name" in str(x) for x in suspect(ordered(trial, SORTED), robot)), trial.name
