"""The parts of a campaign that not every campaign has: design, payloads, a mounted or gripping robot, odd recordings."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import optid
from optid import BaseParameters, DynamicModel, Experiment, Preprocessing, Robot, identify, library, load_result, read_experiment, write_experiment
from optid.campaign import plan_campaign, read_campaign, run_campaign
from optid.campaign.checked import CheckedCampaign
from optid.errors import DataError, LimitsError, OptidError
from optid.experiment import RobotInfo
from optid.problems import Excitation
from optid.robot import Link, robot_to_urdf
from optid.trajectory import from_mapping

from .conftest import simulated

pytestmark = pytest.mark.usefixtures("quick_report")

Write = Callable[..., Path]
MODEL = ("viscous", "coulomb")
LIMITS = "".join(f"[limits.joint.{name}]\nlower_deg = -60\nupper_deg = 60\nvelocity = 2\nacceleration = 9\n" for name in ("shoulder", "elbow"))
DESIGN = "[design]\nperiod = 4\nharmonics = 3\nsamples = 40\nexport = {csv = 'plan.csv', rate = 50, report = false}\n"


def test_the_design_is_that_of_the_library(campaign: Write, folder: Path, arm: Robot) -> None:
    """Coefficients bit for bit, within the shares of the limits; the CSV follows the same motion."""
    (folder / "a.h5").unlink()  # a design needs no recordings
    path = campaign("seed = 3", f"[limits]\nposition = 0.5\n{LIMITS}{DESIGN}")
    assert run_campaign(path, ["design"]).done == ("design",)
    robot = CheckedCampaign.of(read_campaign(path)).robot
    assert robot.limits.upper == (np.radians(60.0),) * 2 and robot.limits.velocity == (2.0, 2.0)
    base = BaseParameters.of(DynamicModel(robot, MODEL), seed=3)
    problem = Excitation(base, 3, 4.0, robot.limits.scaled(0.5, 0.7, 0.7), "condition", 40, rest=True, torque=False)
    by_hand = optid.solve(problem, "ipopt", seed=3)
    stored = read_experiment(folder / "results/design/plan.h5").design
    assert np.array_equal(stored["coefficients"], by_hand.coefficients) and stored["proven"]
    assert json.loads((folder / "results/design/design.json").read_text())["condition_number"] == by_hand.condition_number
    table = np.loadtxt(folder / "results/design/plan.csv", delimiter=",", skiprows=1, comments="#")
    motion = from_mapping(stored["trajectory_1"])
    assert np.abs(motion.derivative(table[:, 0], 0) - table[:, 1:3]).max() < 1e-4
    assert np.abs(table[:, 1:3]).max() <= 0.5 * np.radians(60.0) + 1e-9


def test_limits_that_leave_nothing_to_design_in_stop_before_work(campaign: Write, folder: Path) -> None:
    path = campaign("", f"{LIMITS}{DESIGN}".replace("acceleration = 9", "acceleration = 0", 1))
    with pytest.raises(LimitsError, match=r"\[design\] of campaign.toml: acceleration limit of 'shoulder': 0, expected a number above 0"):
        run_campaign(path)
    assert not (folder / "results").exists()


def test_a_payload_is_found_beside_the_robot(campaign: Write, folder: Path, arm: Robot) -> None:
    """1.5 kg on the forearm: mass, first moments and inertia about the joint's axis lie within 3.3 sigma; the fit without it is untouched."""
    load = Link.from_com(1.5, (0.05, 0.02, 0.0), (0.002, 0.003, 0.004), "load")
    carrying = arm.with_links([arm.links[0], arm.links[1].lumped(load)])
    write_experiment(Experiment("l", [simulated(carrying, 7)], robot=RobotInfo.of(arm)), folder / "loaded.h5")  # type: ignore[arg-type]
    path = campaign("", '[[recordings]]\nfiles = "loaded.h5"\npayload = "disc"\n[payloads.disc]\n')
    assert run_campaign(path, ["import", "identify", "payload"]).done == ("import:c", "identify:wls", "payload:disc")
    alone = identify(DynamicModel(arm, MODEL), [folder / "a.h5", folder / "b.h5"])
    assert np.array_equal(load_result(folder / "results/fits/wls.h5").beta, alone.beta)
    found = {row["name"]: row for row in json.loads((folder / "results/payloads/disc.json").read_text())["parameters"]}
    for name, truth in zip(("m", "mx", "my", "Izz"), load.parameters[[0, 1, 2, 9]], strict=True):
        spread = found[name]["sigma"]
        assert abs(found[name]["value"] - truth) < 3.3 * spread and spread < 0.1, name
    assert found["Ixx"]["value"] is None  # a planar arm never turns about it
    path.write_text(path.read_text() + "known = {m = 1.5}\n")
    assert run_campaign(path, ["payload"]).done == ("payload:disc",)
    found = {row["name"]: row for row in json.loads((folder / "results/payloads/disc.json").read_text())["parameters"]}
    assert found["m"]["value"] == 1.5


def test_role_and_payload_exclude_each_other(campaign: Write) -> None:
    with pytest.raises(DataError, match=r"\[\[recordings\]\] 3 of campaign.toml: role: 'validation' beside payload"):
        plan_campaign(campaign("", '[[recordings]]\nfiles = "b.h5"\nrole = "validation"\npayload = "disc"\n'))
    with pytest.raises(OptidError, match=r"payload of \[\[recordings\]\] 3 of campaign.toml: 'disk': unknown name, .* Did you mean 'disc'\?"):
        plan_campaign(campaign("", '[[recordings]]\nfiles = "b.h5"\npayload = "disk"\n[payloads.disc]\n'))


def test_the_robot_of_the_file(campaign: Write, folder: Path, arm: Robot) -> None:
    """A payload is lumped into the last link; gravity is replaced; a URDF's tip and locked joints are used."""
    path = campaign("", "", ('source = "robot.toml"', 'source = "robot.toml"\ngravity = [0, 0, -9.81]\npayload = {mass = 2, com = [0.1, 0, 0]}'))
    robot = CheckedCampaign.of(read_campaign(path)).robot
    assert robot.gravity == (0.0, 0.0, -9.81)
    assert np.allclose(robot.links[1].parameters - arm.links[1].parameters, [2, 0.2, 0, 0, 0, 0, 0, 0.02, 0, 0.02], atol=1e-15)
    (folder / "robot.urdf").write_text(robot_to_urdf(library.ur10e()), encoding="utf-8")
    names = library.ur10e().joint_names
    path = campaign("", "", ('source = "robot.toml"', f'source = "robot.urdf"\nlocked = {{"{names[-1]}" = 0.5}}'))
    assert CheckedCampaign.of(read_campaign(path)).robot.joint_names == names[:-1]
    path = campaign("", "", ('source = "robot.toml"', 'source = "robot.toml"\ntip = "tool0"'))
    with pytest.raises(DataError, match=r"tip of \[robot\] of campaign.toml: given for robot.toml, expected a URDF"):
        plan_campaign(path)
    path = campaign("", "", ('source = "robot.toml"', 'source = "robot.toml"\ngravity = [0, -9.81]'))
    with pytest.raises(DataError, match=r"\[robot\] of campaign.toml: gravity: \[0.0, -9.81\], expected three numbers"):
        plan_campaign(path)


def test_known_parameters_are_not_fitted(campaign: Write, folder: Path, arm: Robot) -> None:
    run_campaign(campaign("", "", ("[model]", '[model]\nknown = ["m", "fv1"]\nknown_values = {fc1 = 1.5}')), ["identify"])
    fit = load_result(folder / "results/fits/wls.h5")
    assert dict(fit.known) == {"m1": 4.0, "m2": 2.0, "fv1": 0.8, "fc1": 1.5}
    by_hand = identify(DynamicModel(arm, MODEL), [folder / "a.h5", folder / "b.h5"], known={"m1": 4.0, "m2": 2.0, "fv1": 0.8, "fc1": 1.5})
    assert np.array_equal(fit.beta, by_hand.beta)


def test_cycles_are_averaged(campaign: Write, folder: Path, arm: Robot) -> None:
    """The options of the periodic table are those of the library."""
    for name, seed in (("a", 0), ("b", 1)):
        trial = replace(simulated(arm, seed, seconds=10.0), period=None)
        whole = np.concatenate([trial.time + k * 10.0 for k in range(4)])
        repeated = replace(trial, time=whole, q=np.tile(trial.q, (4, 1)), tau=np.tile(trial.tau, (4, 1)), valid=np.ones(len(whole), dtype=bool))
        write_experiment(Experiment(name, [repeated]), folder / f"{name}.h5", overwrite=True)  # type: ignore[arg-type]
    table = "[preprocessing]\nmin_speed = 0.0\n[preprocessing.periodic]\nperiod = 10.0\nsearch = 0.0\nposition_cutoff = 2.0\n"
    run_campaign(campaign("", table), ["identify"])
    options = optid.signals.PeriodicOptions(10.0, search=0.0, position_cutoff=2.0)
    by_hand = identify(DynamicModel(arm, MODEL), [folder / "a.h5", folder / "b.h5"], preprocessing=Preprocessing(periodic=options, min_speed=0.0))
    assert np.array_equal(load_result(folder / "results/fits/wls.h5").beta, by_hand.beta)


@pytest.mark.parametrize("samples", [0, 1, 5])
def test_a_recording_of_nearly_nothing_is_one_sentence(campaign: Write, folder: Path, arm: Robot, samples: int) -> None:
    """Too short to be used: the task fails with the recording's name, and what was finished is kept."""
    trial = simulated(arm, 1).window(0, samples)
    write_experiment(Experiment("b", [trial]), folder / "b.h5", overwrite=True)  # type: ignore[arg-type]
    with pytest.raises(OptidError, match=r"^identify:wls: recording .*b\.h5: .* Repair it, or leave it out\.$") as caught:
        run_campaign(campaign())
    assert "\n" not in str(caught.value)
    assert run_campaign(campaign("", "", ('"a.h5", "b.h5"', '"a.h5"'))).kept == ("import:c",)


def test_names_of_recordings_do_not_collide(campaign: Write, folder: Path) -> None:
    """Logs of the same name in two folders become two files; strange characters stay out of file names."""
    text = (folder / "c.csv").read_text()
    for name in ("day 1/run.csv", "day 2/run.csv"):
        (folder / name).parent.mkdir()
        (folder / name).write_text(text)
    path = campaign("", "", ('files = "*.csv"', 'files = ["day*/*.csv"]'))
    assert [task.name for task in plan_campaign(path).tasks][:2] == ["import:day_1-run", "import:day_2-run"]


def test_scaled_units_are_the_same_campaign(campaign: Write, folder: Path, arm: Robot) -> None:
    """The log in millidegrees' worth of units (turns, kN m, ms) gives the scores of the log in degrees, to rounding."""
    run_campaign(campaign(), ["import", "identify", "validate"])
    wanted = json.loads((folder / "results/validation/wls.json").read_text())["together"]["raw"]["stacked"]
    table = np.loadtxt(folder / "c.csv", delimiter=",", skiprows=1)
    table = np.column_stack([table[:, 0] * 1e3, table[:, 1:3] / 360.0, table[:, 3:] * 1e-3])
    np.savetxt(folder / "c.csv", table, delimiter=",", header="t,q_elbow,q_shoulder,tau_elbow,tau_shoulder", comments="")
    units = 'units = {q = "rev", tau = "kN m", time = "ms"}'
    run_campaign(campaign("", "", ('units = {q = "deg", tau = "N m"}', units)), ["import", "identify", "validate"])
    assert json.loads((folder / "results/validation/wls.json").read_text())["together"]["raw"]["stacked"] == pytest.approx(wanted, rel=1e-9)


def test_a_robot_that_is_no_robot(campaign: Write) -> None:
    with pytest.raises(DataError, match=r"\[robot.payload\] of campaign.toml: .*inertia"):
        plan_campaign(campaign("", "", ('source = "robot.toml"', 'source = "robot.toml"\npayload = {mass = 1, inertia = [inf, 0, 0]}')))
