"""Robot files in TOML: exact round trips, readable rows, faults with place and cause."""

import math
import os

import pytest

from optid.errors import FileError, LimitsError, OptidError, RobotError, UnknownNameError
from optid.robot import DHRow, Drive, Limits, Link, Mimic, Robot, Transform, robot_from_toml, robot_to_toml

HALF = math.pi / 2


def dh_robot(convention="standard"):
    return Robot.from_dh(
        [DHRow(0.1, HALF, 0.3, 0.2), DHRow(0.4, 0.3, 0.0, -math.pi, "P"), DHRow(0.1, -0.7, 1 / 3)],
        convention,
        gravity=(0, -9.81, 0),
        links=[Link.from_com(1, (0.1, 0.2, 0.3), (0.1, 0.2, 0.25), "upper"), Link(), Link.from_com(2, (1 / 3, 0.2, 0.3), (0.1, 0.01, 0.02, 0.2, 0.03, 0.25))],
        drives=[Drive(), Drive(100, 1e-4, torque_constant=0.2), Drive(-3, current_gain=7.1)],
        limits=Limits.of(3, position=[[-1, 2], [-math.inf, math.inf], [0.1, 0.2]], velocity=[1, math.inf, 2], torque=5),
        coupling=[[1, 0, 0], [0.1, 2, 0], [0, 0, 3]],
        base=Transform.rot("x", 0.4),
        tool=Transform.from_xyz_rpy((1, 2, 3), (0.1, 0.2, 0.3)),
        joint_names=["shoulder", "slide", "wrist"],
        name='odd "name" \\ \x7f \u00e9 \U0001f916\n',
    ).with_friction(0.1, [0.1, 0.2, 0.3])


@pytest.mark.parametrize("convention", ["standard", "modified"])
def test_dh_round_trip_is_exact_and_readable(tmp_path, convention):
    robot = dh_robot(convention)
    robot.save(tmp_path / "arm.toml")
    again = Robot.load(tmp_path / "arm.toml")
    assert again == robot
    assert robot_to_toml(again) == robot_to_toml(robot)
    text = (tmp_path / "arm.toml").read_text(encoding="utf-8")
    assert f'convention = "{convention}"' in text
    assert "alpha_deg = 90.0\n" in text
    assert "theta_deg = -180.0\n" in text
    assert "alpha = 0.3\n" in text
    assert "rotation" not in text.split("[[joint]]", 1)[1]
    assert again.source == text


def test_general_robot_round_trip_is_exact(tmp_path):
    """Axes that are not coordinate axes, mimic joints, and rows that no longer describe the joints."""
    text = """<robot name="u"><link name="a"/><link name="b"><inertial><origin xyz=".1 .2 .3" rpy=".1 .2 .3"/><mass value="2"/>
    <inertia ixx=".1" iyy=".12" izz=".13"/></inertial></link><link name="c"/>
    <joint name="j" type="revolute"><parent link="a"/><child link="b"/><axis xyz="1 2 3"/><origin xyz="1 2 3" rpy="1 2 3"/></joint>
    <joint name="k" type="prismatic"><parent link="b"/><child link="c"/><axis xyz="0 0 -1"/><mimic joint="j" multiplier=".3" offset=".1"/></joint></robot>"""
    robot = Robot.from_urdf(text)
    assert robot.mimic == (Mimic(1, 0, 0.3, 0.1),)
    robot.save(tmp_path / "u.toml")
    assert Robot.load(tmp_path / "u.toml") == robot
    turned = dh_robot()
    moved = Robot(turned.joints[::-1], turned.links, dh=turned.dh, name="reversed")
    assert robot_from_toml(robot_to_toml(moved)) == moved


def test_cut_file_is_never_a_smaller_robot():
    """Cut anywhere, a saved robot is the same or refused: joints, bodies and the digits of numbers do not vanish."""
    robot = dh_robot()
    data = robot_to_toml(robot).encode()
    assert b"\njoints = 3\n" in data
    lengths = [*range(0, len(data), 7), *(k for k, byte in enumerate(data) if byte == ord("\n"))]
    whole = []
    for length in lengths:
        try:
            again = robot_from_toml(data[:length].decode(errors="ignore"))
        except (RobotError, FileError):
            continue
        assert again == robot
        whole.append(length)
    assert min(whole) >= len(data) - 1


def test_hand_written_file():
    """Degrees, centre of mass and central inertia, 3x3 tensor, rpy of the base."""
    robot = robot_from_toml(
        """
        name = "pendulum"
        convention = "standard"
        gravity = [0, -9.81, 0]
        base = {rpy_deg = [0, 0, 90]}
        [[joint]]
        alpha_deg = 0
        a = 0.8
        lower_deg = -90
        upper = 1
        velocity_deg = 180
        [joint.link]
        mass = 3
        com = [-0.4, 0, 0]
        inertia_about_com = [[0, 0, 0], [0, 0.16, 0], [0, 0, 0.16]]
        [joint.drive]
        gear = 100
        rotor_inertia = 1e-4
        """
    )
    expected = Robot.from_dh(
        [(0.8, 0.0, 0.0, 0.0)],
        "standard",
        (0, -9.81, 0),
        links=[Link.from_com(3, (-0.4, 0, 0), (0, 0.16, 0.16), "link1")],
        drives=[Drive(100, 1e-4)],
        limits=Limits.of(1, lower=-HALF, upper=1, velocity=math.pi),
        base=Transform.rot("z", HALF),
        name="pendulum",
    )
    assert robot == expected


JOINT = 'convention = "standard"\n[[joint]]\nname = "j"\n'
FAULTS = {
    "not toml": ("name = = 3", FileError, "robot TOML: not valid TOML .*line 1, column 8"),
    "deep": ("a = " + "[" * 100_000, FileError, "not valid TOML"),
    "huge integer": ("a = " + "9" * 10_000, FileError, "not valid TOML"),
    "foreign": ('format = "poetry"', FileError, "format of robot TOML: 'poetry', expected 'optid-robot'"),
    "newer": ("version = 2", FileError, "version of robot TOML: 2, expected 1. A newer optid"),
    "cut between joints": ("joints = 2\n" + JOINT, FileError, r"robot TOML: 1 \[\[joint\]\], expected joints = 2. The file is cut off"),
    "cut in the last joint": ("joints = 1\n" + JOINT, FileError, r"expected \[end\] after the last joint. The file is cut off"),
    "count": ('joints = "2"\n' + JOINT, RobotError, r"joints of robot TOML: '2', expected the number of its"),
    "no joint": ('name = "x"', RobotError, r"no \[\[joint\]\]"),
    "joint not a table": ("joint = 3", RobotError, r"no \[\[joint\]\]"),
    "top key": ("gravty = [0, 0, 0]\n" + JOINT, UnknownNameError, "key of robot TOML: 'gravty'.*Did you mean 'gravity'"),
    "joint key": (JOINT + "alpha_degree = 3", UnknownNameError, r"\[\[joint\]\] 1 \(j\) of robot TOML.*'alpha_degree'.*Did you mean 'alpha_deg'"),
    "link key": (JOINT + "[joint.link]\nmas = 3", UnknownNameError, "link of .*'mas'.*Did you mean 'mass'"),
    "no convention": ("[[joint]]\na = 1", RobotError, r"DH rows \(a\) without a convention"),
    "convention": ('convention = "craig"\n[[joint]]\na = 1', RobotError, '\'craig\', expected "standard" or "modified"'),
    "text": (JOINT + 'a = "1"', RobotError, r"a of \[\[joint\]\] 1 \(j\) of robot TOML: '1', expected a number"),
    "bool": (JOINT + "a = true", RobotError, "True, expected a number"),
    "nan": (JOINT + "d = nan", RobotError, "nan, expected a finite number"),
    "overflow": (JOINT + "d = 1" + "0" * 400, RobotError, "expected a number"),
    "degrees for radians": (JOINT + "alpha = 90", RobotError, r"\[\[joint\]\] 1 \(j\) of robot TOML: angle of a DH row"),
    "both angles": (JOINT + "alpha = 1\nalpha_deg = 2", RobotError, "both alpha and alpha_deg"),
    "kind": (JOINT + 'kind = "revolute"', RobotError, r"\[\[joint\]\] 1 \(j\).*'revolute'"),
    "gravity": ("gravity = [0, 9.81]\n" + JOINT, RobotError, r"gravity of robot TOML: \[0, 9.81\], expected 3 numbers"),
    "gravity entry": ('gravity = [0, 0, "x"]\n' + JOINT, RobotError, r"gravity\[2\] of robot TOML: 'x'"),
    "limits": (JOINT + "lower = 2\nupper = 1", LimitsError, "robot TOML: position limits of 'j'"),
    "gear": (JOINT + "[joint.drive]\ngear = 0", RobotError, r"drive of \[\[joint\]\] 1 \(j\) of robot TOML: gear of a drive: 0"),
    "two constants": (JOINT + "[joint.drive]\ntorque_constant = 1\ncurrent_gain = 2", RobotError, "both torque_constant and current_gain"),
    "two bodies": (JOINT + "[joint.link]\nmass = 1\ncom = [0, 0, 0]\ninertia = [1, 1, 1]", RobotError, "com and inertia, expected"),
    "asymmetric": (JOINT + "[joint.link]\ninertia = [[1, 2, 3], [4, 5, 6], [7, 8, 9]]", RobotError, "expected a symmetric matrix"),
    "tensor": (JOINT + "[joint.link]\ninertia = [1, 2]", RobotError, "inertia of link of .*the six elements"),
    "coupling": ("coupling = [[0]]\n" + JOINT, RobotError, "a singular matrix"),
    "coupling shape": ("coupling = [1, 2]\n" + JOINT, RobotError, "1 rows of 1 numbers"),
    "base": ("base = {rotation = [[1, 0, 0], [0, 1, 0], [0, 0, -1]]}\n" + JOINT, RobotError, "base of robot TOML: rotation"),
    "two turns": ("base = {rpy = [0, 0, 0], rpy_deg = [0, 0, 0]}\n" + JOINT, RobotError, "rpy and rpy_deg, expected one of them"),
    "mimic": (JOINT + '[joint.mimic]\njoint = "jj"', UnknownNameError, "'jj'.*Did you mean 'j'"),
    "same names": (JOINT + '[[joint]]\nname = "j"', RobotError, "the joint name 'j' twice"),
}


@pytest.mark.parametrize("case", FAULTS)
def test_faults_name_place_and_cause(case):
    text, error, message = FAULTS[case]
    with pytest.raises(error, match=message) as caught:
        robot_from_toml(text)
    assert isinstance(caught.value, OptidError)


def test_hostile_values_stay_text():
    name = "__import__('os').system('false') ]]] [[joint]] \\u0000"
    robot = Robot.from_dh([(1.0, 0.0, 0.0, 0.0)], "standard", name=name, joint_names=['"""\n[x]'])
    again = robot_from_toml(robot_to_toml(robot))
    assert (again.name, again.joint_names) == (name, ('"""\n[x]',))


def test_files_are_whole_or_absent(tmp_path):
    robot = dh_robot()
    with pytest.raises(FileError, match=r"suffix '.urdf', expected .toml"):
        robot.save(tmp_path / "a.urdf")
    with pytest.raises(FileError, match=r"suffix '.json', expected .toml, .urdf or .xml"):
        Robot.load(tmp_path / "a.json")
    with pytest.raises(FileNotFoundError, match=r"robot file '.*': not found, expected an existing file\."):
        Robot.load(tmp_path / "absent.toml")
    with pytest.raises(FileError, match="expected text in a writable folder"):
        robot.save(tmp_path / "absent" / "a.toml")
    path = tmp_path / "a.toml"
    robot.save(path)
    with pytest.raises(FileError):
        Robot.from_dh([(1.0, 0.0, 0.0, 0.0)], "standard", name="\ud800").save(path)
    assert Robot.load(path) == robot
    assert os.listdir(tmp_path) == ["a.toml"]
    path.write_bytes(b"\xff")
    with pytest.raises(FileError, match=r"a.toml: a byte at 0 that is not UTF-8"):
        Robot.load(path)
