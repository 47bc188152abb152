"""Whatever is wrong with a campaign is one sentence with file, table and key, said before anything is written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from optid import Experiment, Robot, library, write_experiment
from optid.campaign import plan_campaign, run_campaign
from optid.errors import DataError, FileError, LimitsError, MissingFileError, OptidError, RobotError, ShapeError, UnknownNameError, UnsuitableSolverError
from optid.experiment import RobotInfo
from optid.robot import Limits

from .conftest import contents, simulated

Write = Callable[..., Path]
BAD = "of bad.toml"


@pytest.mark.parametrize(
    ("old", "new", "error", "said"),
    [
        ("[robot]", "[robbot]", UnknownNameError, "key of bad.toml: 'robbot': unknown name|Did you mean 'robot'?"),
        ("[[recordings]]\nfiles = [", "[[recording]]\nfiles = [", UnknownNameError, "'recording': unknown name|Did you mean 'recordings'?"),
        ("friction =", "frictoin =", UnknownNameError, f"key of [model] {BAD}: 'frictoin'|Did you mean 'friction'?"),
        ("viscous+coulomb", "viscous+stiction", UnknownNameError, f"[model] {BAD}: friction term 'stiction'"),
        ('"viscous+coulomb"', "3", DataError, f"friction of [model] {BAD}: 3, expected text or none."),
        ("[model]", "[model]\nsign_width = -1", RobotError, f"[model] {BAD}: sign_width: -1.0, expected a speed >= 0"),
        ("[model]", '[model]\nknown = ["m7"]', UnknownNameError, f"[model] {BAD}: parameter 'm7'"),
        ("[model]", "[model]\nknown_values = {m1 = inf}", RobotError, "known value of 'm1': inf, expected a finite number."),
        ("[model]", 'methods = ["wls"]\n[model]', UnknownNameError, f"key of [robot] {BAD}: 'methods'"),
        ('"robot.toml"', '"robo.toml"', MissingFileError, f"source of [robot] {BAD}: 'robo.toml', not found|Did you mean 'robot.toml'?"),
        ('"robot.toml"', '"a.h5"', FileError, "robot file 'a.h5': suffix '.h5'"),
        ('"robot.toml"', '"library:pand"', UnknownNameError, "robot of the library 'pand'|Did you mean 'panda'?"),
        ('"b.h5"', '"bb.h5"', MissingFileError, f"files of [[recordings]] 1 {BAD}: 'bb.h5', not found|Did you mean 'b.h5'?"),
        ('"*.csv"', '"*.log"', MissingFileError, f"files of [[recordings]] 2 {BAD}: '*.log', no file fits|Paths start from"),
        ('"*.csv"', '""', DataError, f"[[recordings]] 2 {BAD}: files: none"),
        ('"b.h5"', '"./a.h5"', DataError, f"trial 'run0': named twice, by [[recordings]] 1 {BAD}, expected one use of it."),
        ('"validation"', '"validate"', UnknownNameError, f"role of [[recordings]] 2 {BAD}: 'validate'|Did you mean 'validation'?"),
        ('role = "identification"', 'role = "validation"', DataError, "recordings of bad.toml: none for identification"),
        ('role = "identification"', 'trials = ["run9"]', UnknownNameError, f"trials of [[recordings]] 1 {BAD}: trial of "),
        ('role = "validation"', 'trials = ["c"]', DataError, f"trials of [[recordings]] 2 {BAD}: given for the log c.csv"),
        ('role = "identification"', 'mapping = {q = "q"}', DataError, f"mapping of [[recordings]] 1 {BAD}: given for the experiment file a.h5"),
        ('q = "q_*", ', "", DataError, f"[mapping] of [[recordings]] 2 {BAD}: no q"),
        ('time = "t"', 'tme = "t"', UnknownNameError, f"key of [mapping] of [[recordings]] 2 {BAD}: 'tme'|Did you mean 'time'?"),
        ('time = "t"', 'time = "s"', UnknownNameError, f"[[recordings]] 2 {BAD}: column"),
        ('tau = "N m"', 'tau = "rad"', DataError, f"[[recordings]] 2 {BAD}: "),
        ('tau = "tau_*", ', "", DataError, f"[[recordings]] 2 {BAD}): trial 'c': neither torque nor current"),
        ('title = "Arm"', "title = 7", DataError, "title of bad.toml: 7, expected text."),
        ('title = "Arm"', 'seed = "1"', DataError, "seed of bad.toml: '1', expected a whole number. Write seed = 1, without quotes."),
        ('title = "Arm"', "seed = -1", DataError, "bad.toml: seed: -1, expected a whole number, 0 or more."),
        ('title = "Arm"', "workers = 0", DataError, "bad.toml: workers: 0, expected a whole number, 1 or more."),
        ('title = "Arm"', "seed = ", FileError, "campaign '|not TOML (|line "),
        ('title = "Arm"', 'methods = ["wsl"]', UnknownNameError, f"method of [[methods]] 1 {BAD}: 'wsl'|Did you mean"),
        ('title = "Arm"', 'methods = ["wls", "wls"]', DataError, "bad.toml: methods: 'wls' twice|Give one of them a label."),
        ('title = "Arm"', "methods = []", DataError, "bad.toml: methods: none"),
        ('title = "Arm"', 'methods = [{method = "wls", label = "a/b"}]', DataError, "label 'a/b': a name that is no file name"),
        ('title = "Arm"', 'methods = [{method = "wls", solver = "lstq"}]', UnknownNameError, f"solver of [[methods]] 1 {BAD}: solver 'lstq'"),
        (
            'title = "Arm"',
            'methods = [{method = "wls", options = {reweighting = 3}}]',
            UnknownNameError,
            f"key of [options] of [[methods]] 1 {BAD}: 'reweighting'|Did you mean 'reweightings'?",
        ),
        (
            'title = "Arm"',
            'methods = [{method = "wls", options = {reweightings = 2.5}}]',
            DataError,
            f"reweightings of [options] of [[methods]] 1 {BAD}: 2.5, expected a whole number.",
        ),
        ('title = "Arm"', 'methods = [["wls"]]', DataError, f"[[methods]] 1 {BAD}: ['wls'], expected a table or a text."),
    ],
)
def test_a_wrong_campaign_is_one_sentence(campaign: Write, folder: Path, old: str, new: str, error: type[OptidError], said: str) -> None:
    path = campaign("", "", (old, new), name="bad.toml")
    before = contents(folder)
    with pytest.raises(error) as caught:
        run_campaign(path)
    message = str(caught.value)
    assert all(part in message for part in said.split("|")), message
    assert "\n" not in message
    assert contents(folder) == before


@pytest.mark.parametrize(
    ("tables", "error", "said"),
    [
        ("[limits]\nposition = 80", LimitsError, f"[limits] {BAD}: position: 80, expected a share of the limits|For 80 % write 0.8."),
        ("[limits]\nvelocity = 0", LimitsError, f"[limits] {BAD}: velocity: 0, "),
        ("[limits.joint.elbw]\nlower = 0", UnknownNameError, "'elbw': unknown name|Did you mean 'elbow'?"),
        ("[limits.joint.elbow]\nlower = 90", LimitsError, f"[limits.joint.elbow] {BAD}: lower: 90|For degrees write lower_deg = 90."),
        ("[limits.joint.elbow]\nlower = 1\nlower_deg = 57", DataError, f"[limits.joint.elbow] {BAD}: both lower and lower_deg"),
        ('[limits.joint.elbow]\nlower_deg = "57"', DataError, f"lower_deg of [limits.joint.elbow] {BAD}: '57', expected a number [deg] or none."),
        ("[limits.joint.elbow]\nlower = 1\nupper = 0", LimitsError, f"[limits.joint] {BAD}: position limits of 'elbow': lower 1 > upper 0"),
        ("[limits.joint.elbow]\nvelocity = -1", LimitsError, "velocity limit of 'elbow': -1, expected a magnitude >= 0"),
        ("[design]\n", LimitsError, f"[design] {BAD}: limits of 'shoulder': no range, velocity or acceleration limit"),
        ("[design]\nperiod = '10 s'", DataError, f"period of [design] {BAD}: '10 s', expected a number [s]. Write period = 10, without quotes, in s."),
        ("[design]\nperiod = nan", DataError, f"period of [design] {BAD}: nan, expected a number [s]."),
        ("[design]\nharmonics = 5.0", DataError, f"harmonics of [design] {BAD}: 5.0, expected a whole number."),
        ("[design]\ncriterion = 'cond'", UnknownNameError, f"criterion of [design] {BAD}: 'cond'"),
        ("[design]\nsolver = 'ipop'", UnknownNameError, f"[design] {BAD}: solver 'ipop'|Did you mean 'ipopt'?"),
        ("[design]\noptions = {maxiter = 3}", UnknownNameError, f"[design] {BAD}: option of solver 'ipopt' 'maxiter'"),
        ("[design]\nexport = {csv = '../x.csv'}", DataError, f"[design.export] {BAD}: file '../x.csv': a name that is no file name"),
        ("[preprocessing]\ncut_off = 3", UnknownNameError, f"key of [preprocessing] {BAD}: 'cut_off'|Did you mean 'cutoff'?"),
        ("[preprocessing]\nclock = 'atomic'", DataError, f"[preprocessing] {BAD}: clock of the preprocessing: 'atomic'"),
        ("[preprocessing.periodic]\nperiod = -1", DataError, f"[preprocessing.periodic] {BAD}: period of the periodic options: -1"),
        ("[preprocessing]\ncutoff = {fraction = 3}", DataError, f"[preprocessing.cutoff] {BAD}: cut-off as a fraction of Nyquist: 3"),
        ("[report]\nmethod = 'ols'", UnknownNameError, f"method of [report] {BAD}: 'ols'"),
        ("[payloads.disc]\n", DataError, f'[payloads.disc] {BAD}: no recording carries it, expected [[recordings]] with payload = "disc".'),
        ("[robot.payload]\nmass = 0", DataError, f"[robot.payload] {BAD}: mass: 0.0, expected a number above 0."),
    ],
)
def test_a_wrong_table_is_one_sentence(campaign: Write, folder: Path, tables: str, error: type[OptidError], said: str) -> None:
    if "[design]" in tables and "Limits" not in error.__name__:
        tables += "\n[limits.joint.shoulder]\nlower = -1\nupper = 1\nvelocity = 2\n[limits.joint.elbow]\nlower = -1\nupper = 1\nvelocity = 2\n"
    path = campaign("", tables, name="bad.toml")
    before = contents(folder)
    with pytest.raises(error) as caught:
        run_campaign(path)
    assert all(part in str(caught.value) for part in said.split("|")), str(caught.value)
    assert contents(folder) == before


def test_a_solver_that_cannot_design_is_refused_before_any_work(campaign: Write, folder: Path) -> None:
    limits = "".join(f"[limits.joint.{name}]\nlower = -1\nupper = 1\nvelocity = 2\nacceleration = 9\n" for name in ("shoulder", "elbow"))
    path = campaign("", f'{limits}[design]\nsolver = "lstsq"\n', name="bad.toml")
    with pytest.raises(UnsuitableSolverError, match=r"\[design\] of bad.toml: solver 'lstsq' cannot take"):
        run_campaign(path)
    assert not (folder / "results").exists()


def _recorded(folder: Path, robot: Robot, **info: object) -> None:
    trial = simulated(robot, 1)
    described = replace(RobotInfo.of(robot), **info)  # type: ignore[arg-type]
    write_experiment(Experiment("b", [trial], robot=described), folder / "b.h5", overwrite=True)  # type: ignore[arg-type]


def test_a_recording_of_another_robot_is_refused(campaign: Write, folder: Path, arm: Robot) -> None:
    """By number, names and order of the joints, and by what the file says about the robot."""
    path = campaign(name="bad.toml")
    where = r"recording .*b.h5 \(\[\[recordings\]\] 1 of bad.toml\)"

    _recorded(folder, library.scara())
    with pytest.raises(RobotError, match=where + r": of another robot: joints .*, expected robot 'arm'"):
        run_campaign(path)
    write_experiment(Experiment("b", [simulated(library.scara(), 1)]), folder / "b.h5", overwrite=True)  # type: ignore[arg-type]
    with pytest.raises(ShapeError, match=where + r": trial 'run1': \d joints, expected 2, those of robot 'arm'"):
        run_campaign(path)
    write_experiment(Experiment("b", [replace(simulated(arm, 1), joint_names=("a", "b"))]), folder / "b.h5", overwrite=True)  # type: ignore[arg-type]
    with pytest.raises(UnknownNameError, match=where + r": joint names of trial 'run1': a, b"):
        run_campaign(path)
    longer = replace(arm, joints=(arm.joints[0], replace(arm.joints[1], before=replace(arm.joints[1].before, translation=(0.1, 0.0, 0.0)))), dh=None)
    _recorded(folder, longer)
    with pytest.raises(RobotError, match=where + r": of another robot: the axis of joint 'elbow' elsewhere \(by 0.1\).* write other_robot = true"):
        run_campaign(path)
    _recorded(folder, arm.with_gravity((0.0, 0.0, -9.81)))
    with pytest.raises(RobotError, match=where + r": of another robot: gravity \(0, 0, -9.81\)"):
        run_campaign(path)
    _recorded(folder, arm, description="a drawing")
    with pytest.raises(RobotError, match=where + r": of another robot: a description that cannot be read"):
        run_campaign(path)
    assert not (folder / "results").exists()
    path = campaign("", "", ('role = "identification"', "other_robot = true"), name="bad.toml")
    assert plan_campaign(path).tasks


def test_the_same_robot_described_otherwise_is_taken(campaign: Write, folder: Path, arm: Robot) -> None:
    """Other masses, limits and frames (DH rows or transforms), and another order of the columns, are the same robot."""
    names = ("elbow", "shoulder")
    other = arm.with_limits(Limits.of(2, 1.0, 2.0, names=arm.joint_names)).with_links([replace(link, mass=9.0) for link in arm.links])
    trial = simulated(arm, 1).reordered(names)
    write_experiment(Experiment("b", [trial], robot=RobotInfo.of(replace(other, dh=None))), folder / "b.h5", overwrite=True)  # type: ignore[arg-type]
    run_campaign(campaign(), ["identify"])
    _recorded(folder, arm)
    from optid import load_result

    mixed = load_result(folder / "results/fits/wls.h5").beta
    run_campaign(campaign(), ["identify"])
    assert np.array_equal(load_result(folder / "results/fits/wls.h5").beta, mixed)


def test_a_truncated_recording_stops_before_work(campaign: Write, folder: Path) -> None:
    whole = (folder / "b.h5").read_bytes()
    (folder / "b.h5").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(FileError, match=r"b.h5: cut short"):
        run_campaign(campaign())
    text = (folder / "c.csv").read_text()
    (folder / "b.h5").write_bytes(whole)
    (folder / "c.csv").write_text(text[:-40] + "nan")
    with pytest.raises(OptidError, match=r"\[\[recordings\]\] 2 of campaign.toml: .*c.csv"):
        run_campaign(campaign())
    assert not (folder / "results").exists()


def test_a_campaign_that_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match=r"nowhere.toml': not found, .* Write one with  optid new ROBOT"):
        run_campaign(tmp_path / "nowhere.toml")
    with pytest.raises(FileError, match="directory"):
        run_campaign(tmp_path)
    (tmp_path / "x.toml").write_bytes(b'title = "\xff"')
    with pytest.raises(FileError, match="not UTF-8"):
        run_campaign(tmp_path / "x.toml")
    (tmp_path / "x.toml").write_text("")
    with pytest.raises(DataError, match=r"x.toml: no robot, expected robot = a table"):
        run_campaign(tmp_path / "x.toml")
