"""MJCF against the same arm as URDF, against Pinocchio's own reader, and against closed forms; and what is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from optid import DynamicModel, Robot
from optid.errors import DataWarning, FileError, MissingFileError, PhysicalWarning, RobotError, UnknownNameError
from optid.kinematics import forward_kinematics
from optid.robot import load_robot

BODY = '<inertial pos="0.1 0.02 -0.03" mass="2" diaginertia="0.02 0.03 0.025"/>'
"""A body that can exist."""


def mjcf(inner: str, head: str = "") -> str:
    return f'<mujoco model="arm"><compiler angle="radian"/>{head}<worldbody>{inner}</worldbody></mujoco>'


def link(joint: str = '<joint name="j" axis="0 1 0"/>', inner: str = "", body: str = BODY, attributes: str = "") -> str:
    return f'<body name="arm" {attributes}>{body}{joint}{inner}</body>'


THREE = mjcf(
    """
    <geom type="plane" size="1 1 1"/><body name="pedestal">
    <body name="base" pos="0 0 0.3" euler="0.1 0.2 0.3"><geom type="box" size="1 1 1"/>
      <body name="upper" pos="0 0.1 0.2" quat="0.9 0.1 -0.2 0.3">
        <inertial pos="0.1 0.02 0.3" mass="4" quat="0.8 0.2 0.1 0.5" diaginertia="0.1 0.2 0.15"/>
        <joint name="shoulder" axis="0 1 0.5" range="-2 2"/>
        <body name="slider" pos="0.5 0 0.1" axisangle="0 0.6 0.8 0.7">
          <inertial pos="0 0.1 0.1" mass="2" fullinertia="0.05 0.06 0.07 0.001 -0.002 0.003"/>
          <joint name="lift" type="slide" axis="1 0 0" range="-0.5 0.5" damping="1.5" frictionloss="0.4"/>
          <body name="hand" pos="0.3 0 0" xyaxes="0 1 0 0 0 1">
            <inertial pos="0.05 0 0.1" mass="1" diaginertia="0.01 0.02 0.015"/>
            <joint name="wrist" axis="1 0 0"/>
            <body name="gripper" pos="0 0 0.1" zaxis="1 1 0"><inertial pos="0 0 0.05" mass="0.5" diaginertia="0.001 0.001 0.001"/></body>
          </body>
        </body>
      </body>
    </body></body>
    """
)
"""Pinocchio takes the first body for the base and drops its pose, hence the pedestal; and it wants unit axes where MuJoCo normalises."""


def torque(robot: Robot, q: np.ndarray, dq: np.ndarray, ddq: np.ndarray, friction: str = "none") -> np.ndarray:
    model = DynamicModel(robot, friction, rotor_inertia=True)
    return np.asarray(model.inverse_dynamics(model.nominal_parameters(), q, dq, ddq))


def test_every_form_of_orientation_and_inertia_against_pinocchio(tmp_path: Path) -> None:
    pin = pytest.importorskip("pinocchio", reason="Pinocchio is not installed")
    (tmp_path / "arm.xml").write_text(THREE)
    robot = Robot.from_mjcf(tmp_path / "arm.xml")
    other = pin.buildModelFromMJCF(str(tmp_path / "arm.xml"))
    data = other.createData()
    assert robot.joint_names == ("shoulder", "lift", "wrist") and robot.name == "arm"
    states = np.random.default_rng(1).uniform(-1, 1, (20, 3, 3))
    for q, dq, ddq in states:
        assert torque(robot, q, dq, ddq) == pytest.approx(pin.rnea(other, data, q, dq, ddq), abs=1e-12)
    assert robot.limits.lower == (-2.0, -0.5, -np.inf) and robot.limits.upper == (2.0, 0.5, np.inf)


def test_a_base_that_stands_askew_turns_gravity() -> None:
    turned = Robot.from_mjcf(mjcf(f'<body name="wall" pos="1 2 3" axisangle="3 0 0 {np.pi / 2!r}">{link()}</body>'))
    upright = Robot.from_mjcf(mjcf(link()), gravity=(0.0, -9.81, 0.0))
    states = np.random.default_rng(3).uniform(-1, 1, (3, 10, 1))
    assert torque(turned, *states) == pytest.approx(torque(upright, *states), abs=1e-12)
    assert forward_kinematics(turned, [0.0])[:3, 3] == pytest.approx([1, 2, 3])


def test_armature_against_pinocchio(tmp_path: Path) -> None:
    pin = pytest.importorskip("pinocchio", reason="Pinocchio is not installed")
    (tmp_path / "arm.xml").write_text(mjcf(link('<joint name="j" axis="0 1 0" pos="0.05 0 0.1" armature="0.3"/>', attributes='pos="0 0 1"')))
    robot, other = Robot.from_mjcf(tmp_path / "arm.xml"), pin.buildModelFromMJCF(str(tmp_path / "arm.xml"))
    data = other.createData()
    for q, dq, ddq in np.random.default_rng(1).uniform(-1, 1, (5, 3, 1)):
        assert torque(robot, q, dq, ddq) == pytest.approx(pin.rnea(other, data, q, dq, ddq), abs=1e-12)
    assert other.armature == pytest.approx([0.3])
    assert robot.drives[0].reflected_inertia == pytest.approx(0.3)


def test_the_same_arm_as_urdf() -> None:
    """Angles in degrees and an extrinsic roll, pitch, yaw sequence; places of joints off the body's frame."""
    urdf = """<robot name="arm"><link name="base"/><link name="upper"><inertial><mass value="4"/><origin xyz="0.1 0.02 0.3" rpy="0.3 -0.2 0.5"/>
      <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.2" iyz="0" izz="0.15"/></inertial></link>
      <link name="hand"><inertial><mass value="1"/><origin xyz="0.05 0 0.1"/>
      <inertia ixx="0.01" ixy="0.001" ixz="0" iyy="0.02" iyz="0" izz="0.015"/></inertial></link>
      <joint name="a" type="revolute"><parent link="base"/><child link="upper"/><origin xyz="0 0.1 0.2" rpy="0.4 0.5 -0.6"/><axis xyz="0 1 0"/>
        <limit lower="-1.5" upper="2" velocity="1" effort="80"/><dynamics damping="1.5" friction="0.4"/></joint>
      <joint name="b" type="prismatic"><parent link="upper"/><child link="hand"/><origin xyz="0.5 0 0.1"/><axis xyz="0 0 2"/>
        <limit lower="-0.1" upper="0.4" velocity="1" effort="100"/></joint></robot>"""
    r = np.degrees
    text = f"""<mujoco><compiler eulerseq="XYZ"/><option gravity="0 0 -9.81"/><worldbody>
      <body name="upper" pos="0 0.1 0.2" euler="{r(0.4)} {r(0.5)} {r(-0.6)}">
        <inertial pos="0.1 0.02 0.3" mass="4" euler="{r(0.3)} {r(-0.2)} {r(0.5)}" diaginertia="0.1 0.2 0.15"/>
        <joint name="a" axis="0 1 0" range="{r(-1.5)} {r(2.0)}" damping="1.5" frictionloss="0.4" actuatorfrcrange="-80 60"/>
        <body name="hand" pos="0.5 0 0.1"><inertial pos="0.05 0 0.1" mass="1" fullinertia="0.01 0.02 0.015 0.001 0 0"/>
          <joint name="b" type="slide" axis="0 0 2" pos="9 9 9" range="-0.1 0.4"/></body></body></worldbody></mujoco>"""
    one, other = Robot.from_mjcf(text), Robot.from_urdf(urdf)
    states = np.random.default_rng(2).uniform(-1, 1, (3, 10, 2))
    assert torque(one, *states, friction="viscous+coulomb") == pytest.approx(torque(other, *states, friction="viscous+coulomb"), abs=1e-12)
    assert one.limits.position == pytest.approx(other.limits.position, rel=1e-15) and one.limits.torque == (80.0, np.inf)
    assert one.joints[0].viscous == 1.5 and one.joints[0].coulomb == 0.4


def test_place_reference_and_several_joints_of_a_body() -> None:
    """A pendulum of 2 kg, 0.4 m from a hinge that stands off the body's frame; ref shifts its zero. Two hinges in one body are those of two bodies."""
    point = '<inertial pos="0.5 0 0" mass="2" diaginertia="0 0 0"/>'
    arm = Robot.from_mjcf(mjcf(link('<joint name="j" axis="0 -1 0" pos="0.1 0 0" ref="0.3"/>', body=point)))
    q = np.array([0.3, 0.8, 1.9])[:, None]
    zero = np.zeros_like(q)
    assert torque(arm, q, zero, zero)[:, 0] == pytest.approx(2 * 9.81 * 0.4 * np.cos(q[:, 0] - 0.3), rel=1e-12)
    assert torque(arm, q, zero, zero + 1) - torque(arm, q, zero, zero) == pytest.approx(2 * 0.4**2 + zero, rel=1e-12)
    joints = '<joint name="a" axis="0 0 1" pos="0 0.1 0"/><joint name="b" axis="0 1 0" pos="0.2 0 0"/>'
    two = Robot.from_mjcf(mjcf(link(joints)))
    nested = Robot.from_mjcf(mjcf(f'<body name="c"><joint name="a" axis="0 0 1" pos="0 0.1 0"/>{link(joints.partition("/>")[2])}</body>'))
    states = np.random.default_rng(3).uniform(-1, 1, (3, 10, 2))
    assert torque(two, *states) == pytest.approx(torque(nested, *states), abs=1e-12) and two.joint_names == ("a", "b")
    assert two.links[1].name == "arm" and two.links[0].name != "arm"


def test_default_classes() -> None:
    """The element's own, its class, the class of the bodies around it, the main one; classes inherit."""
    huge = '<default class="huge"><joint frictionloss="5"/></default>'
    default = f'<default><joint damping="1" armature="0.1"/><default class="big"><joint damping="2"/>{huge}</default></default>'
    chain = (
        '<joint name="a"/>'
        + f'<body name="2" childclass="big">{BODY}<joint name="b"/><body name="3">{BODY}<joint name="c" class="huge" damping="3"/></body></body>'
    )
    robot = Robot.from_mjcf(mjcf(link(chain), default))
    assert [(j.viscous, j.coulomb) for j in robot.joints] == [(1.0, 0.0), (2.0, 0.0), (3.0, 5.0)]
    assert [d.reflected_inertia for d in robot.drives] == pytest.approx([0.1] * 3)
    with pytest.raises(UnknownNameError, match=r"default class in MJCF text 'bigg': unknown name.*Did you mean 'big'"):
        Robot.from_mjcf(mjcf(link('<joint class="bigg"/>'), default))


def test_torque_limits_of_joints_and_actuators() -> None:
    """Ranges times gears, classes of actuators shared by their kinds, several of a joint added up; the joint's own limit holds too."""
    chain = '<joint name="a"/>' + "".join(f'<body name="{n}">{BODY}<joint name="{n}1" actuatorfrcrange="-50 40"/>' for n in "bcd") + "</body>" * 3
    default = '<default><default class="big"><position forcerange="-87 80"/></default></default>'
    drives = '<general class="big" joint="a" gear="2"/><motor joint="b1" forcerange="-30 30"/><motor joint="b1" forcerange="-5 5"/><motor joint="c1"/>'
    robot = Robot.from_mjcf(mjcf(link(chain), f"{default}<actuator>{drives}</actuator>"))
    assert robot.limits.torque == (174.0, 35.0, 50.0, 50.0)


def test_gravity() -> None:
    assert Robot.from_mjcf(mjcf(link())).gravity == (0.0, 0.0, -9.81)
    assert Robot.from_mjcf(mjcf(link(), '<option gravity="0 -9 1"/>')).gravity == (0.0, -9.0, 1.0)
    assert Robot.from_mjcf(mjcf(link(), '<option><flag gravity="disable"/></option>')).gravity == (0.0, 0.0, 0.0)
    assert Robot.from_mjcf(mjcf(link(), '<option gravity="0 -9 1"/>'), gravity=(1, 2, 3)).gravity == (1.0, 2.0, 3.0)


def test_tip_frames_sites_and_fingers_held_still() -> None:
    fingers = "".join(f'<body name="f{k}">{BODY}<joint name="finger{k}" type="slide" axis="0 {k} 0"/></body>' for k in (-1, 1))
    inner = f'<frame pos="0 0 0.2"><site name="flange" pos="0 0 0.1"/><body name="hand" pos="0 0 0.3">{BODY}{fingers}</body></frame>'
    equal = '<equality><joint joint1="finger-1" joint2="finger1"/></equality>'
    text = mjcf(link(inner=inner)).replace("</mujoco>", f"{equal}</mujoco>")
    with pytest.raises(RobotError, match=r"<equality> of MJCF text: <joint joint1='finger-1', joint2='finger1'>, expected joints that move freely. Hold"):
        Robot.from_mjcf(text)
    with pytest.raises(RobotError, match=r"joint 'finger1' \(continuous\|prismatic\)|joint 'finger-?1' \(prismatic\): it moves but is not on the chain"):
        Robot.from_mjcf(text.replace(equal, ""))
    held = ("finger-1", "finger1")
    robot = Robot.from_mjcf(text, "flange", locked=held)
    assert robot.n == 1 and robot.links[0].mass == 8.0
    assert forward_kinematics(robot, [0.0])[:3, 3] == pytest.approx([0, 0, 0.3])
    assert forward_kinematics(Robot.from_mjcf(text, "hand", locked=held), [0.0])[:3, 3] == pytest.approx([0, 0, 0.5])
    with pytest.raises(UnknownNameError, match=r"tip body or site 'flansch': unknown name, expected one of arm, hand, f-1, f1, flange. Did you mean"):
        Robot.from_mjcf(text, "flansch", locked=held)


def test_bodies_without_inertial() -> None:
    """Nothing is guessed from shapes; shapes without mass and bodies that stand still do not matter."""
    text = mjcf(link(body='<geom type="box" size="1 1 1"/>'))
    with pytest.raises(
        RobotError, match=r"body 'arm': no <inertial>, expected <inertial> in every body that moves. MuJoCo takes its mass from its geometry. Save"
    ):
        Robot.from_mjcf(text)
    assert Robot.from_mjcf(mjcf(link(body='<geom size="1" mass="0"/>'))).links[0].mass == 0.0
    assert (
        Robot.from_mjcf(mjcf(link(body='<geom class="v" size="1"/>'), '<default><default class="v"><geom density="0"/></default></default>')).links[0].mass == 0
    )
    assert Robot.from_mjcf(mjcf(f'<body name="table"><geom size="1"/>{link()}</body>')).n == 1


REFUSED = {
    "free": (link('<freejoint name="f"/>'), "joint 'f': type 'free', expected hinge or slide"),
    "ball": (link('<joint name="b" type="ball"/>'), "joint 'b': type 'ball', expected hinge or slide"),
    "branch": (link(inner=f'<body name="x">{BODY}<joint name="k"/></body><body name="y">{BODY}<joint name="l"/></body>'), "it moves but is not on the chain"),
    "spring": (link('<joint name="j" stiffness="10"/>'), "joint 'j': stiffness='10', expected no spring"),
    "polynomial": (link('<joint name="j" damping="1 2"/>'), "damping of joint 'j': '1 2', expected a finite number"),
    "negative": (link('<joint name="j" armature="-1"/>'), "armature of joint 'j': -1, expected a value >= 0"),
    "axis": (link('<joint name="j" axis="0 0 0"/>'), "axis of joint 'j': zero length"),
    "word": (link('<joint name="j" axis="0 0 z"/>'), "axis of joint 'j': '0 0 z', expected 3 finite numbers"),
    "range": (link('<joint name="j" range="2 1"/>'), "<limit> of joint 'j': lower 2 > upper 1"),
    "limited": (link('<joint name="j" range="1 2" limited="yes"/>'), "limited of joint 'j': 'yes', expected true, false or auto"),
    "gravcomp": (link(attributes='gravcomp="1"'), "body 'arm': gravcomp='1', expected a body that gravity and torque alone move"),
    "twice": (link(inner=link('<joint name="k"/>')), "body 'arm' of MJCF text: a second body of this name"),
    "joint twice": (link(inner=f'<body name="x">{BODY}<joint name="j"/></body>'), "joint 'j' of MJCF text: a second joint of this name"),
    "orientations": (link(attributes='quat="1 0 0 0" euler="0 0 0"'), "body 'arm': both quat and euler, expected one orientation"),
    "null quat": (link(attributes='quat="0 0 0 0"'), "quat of body 'arm': zero length"),
    "no mass": (link(body='<inertial pos="0 0 0" diaginertia="1 1 1"/>'), "<inertial> of body 'arm': no mass"),
    "no moments": (link(body='<inertial pos="0 0 0" mass="1"/>'), "no moments of inertia, expected one of diaginertia and fullinertia"),
    "both": (link(body='<inertial pos="0 0 0" mass="1" quat="1 0 0 0" fullinertia="1 1 1 0 0 0"/>'), "an orientation beside fullinertia"),
    "replicate": (f'<replicate count="3">{link()}</replicate>', "<replicate>, expected a model that is written out. Save the compiled model"),
    "composite": (link(inner='<composite type="cable"/>'), "<composite>, expected a model that is written out"),
    "unknown": (link(inner="<magnet/>"), "body 'arm': <magnet>, expected hinge and slide joints"),
    "joint in a frame": (link(inner='<frame><joint name="k"/></frame>'), "frame in body 'arm': <joint>, expected bodies and geometry"),
    "nothing": ("", "MJCF text: no moving joint"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_refusals_name_the_element(kind: str) -> None:
    inner, said = REFUSED[kind]
    with pytest.raises(RobotError) as caught:
        Robot.from_mjcf(mjcf(inner))
    assert said in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("head", "said"),
    [
        ('<include file="more.xml"/>', "<include file='more.xml'>, expected a model that is written out. Save the compiled model"),
        ('<compiler inertiafromgeom="true"/>', "inertiafromgeom='true', expected bodies as they are written"),
        ('<compiler settotalmass="5"/>', "settotalmass='5', expected bodies as they are written"),
        ('<compiler angle="grad"/>', "'grad', expected degree or radian"),
        ('<compiler eulerseq="xyq"/>', "'xyq', expected three of x, y, z, X, Y, Z"),
        ('<option viscosity="0.1"/>', "viscosity='0.1', expected no drag of a fluid"),
        ('<option><flag damper="disable"/></option>', "damper='disable', expected joints as they are written"),
        ('<tendon><fixed name="t" stiffness="3"><joint joint="j" coef="1"/></fixed></tendon>', "tendon 't' of MJCF text: stiffness='3', expected none"),
        ('<default><tendon damping="2"/></default><tendon><spatial name="t"/></tendon>', "tendon 't' of MJCF text: damping='2', expected none"),
        ("<deformable/>", "<deformable>, expected sections out of"),
    ],
)
def test_sections_that_change_the_dynamics_are_refused(head: str, said: str) -> None:
    with pytest.raises(RobotError) as caught:
        Robot.from_mjcf(mjcf(link(), head), gravity=(0, 0, -1))
    assert said in str(caught.value)


def test_ranges_that_are_not_said_to_hold() -> None:
    text = mjcf(link('<joint name="j" range="1 2"/>'), '<compiler autolimits="false"/>')
    with pytest.raises(RobotError, match="joint 'j': range without limited, expected limited='true' or 'false' where autolimits is false"):
        Robot.from_mjcf(text)
    assert Robot.from_mjcf(text.replace("range", 'limited="false" range')).limits.upper == (np.inf,)
    with pytest.warns(
        DataWarning, match="range of joint 'j': -180 to 180 rad, expected at most two turns. They look like degrees: <compiler angle=\"degree\"/>"
    ):
        Robot.from_mjcf(mjcf(link('<joint name="j" range="-180 180"/>')))


def test_bodies_that_cannot_exist() -> None:
    text = mjcf(link(body='<inertial pos="0 0 0" mass="1" diaginertia="1 1 3"/>'))
    with pytest.warns(PhysicalWarning, match="inertia of link 'arm': triangle inequality"):
        Robot.from_mjcf(text)
    with pytest.raises(RobotError, match="inertia of link 'arm': triangle inequality"):
        Robot.from_mjcf(text, strict=True)


def test_files(tmp_path: Path) -> None:
    """``.xml`` is read for what it is; declarations, macros and other formats are refused with the way out."""
    (tmp_path / "arm.xml").write_text(mjcf(link()))
    assert load_robot(tmp_path / "arm.xml").n == Robot.load(tmp_path / "arm.xml").n == 1
    (tmp_path / "urdf.xml").write_text(
        '<robot name="u"><link name="a"/><link name="b"/><joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint></robot>'
    )
    assert load_robot(tmp_path / "urdf.xml").name == "u"
    with pytest.raises(FileError, match=r"root element <mujoco>, expected <robot>. Read it with Robot.from_mjcf"):
        Robot.from_urdf(tmp_path / "arm.xml")
    with pytest.raises(FileError, match=r"root element <robot>, expected <mujoco>. Read it with Robot.from_urdf"):
        Robot.from_mjcf(tmp_path / "urdf.xml")
    with pytest.raises(FileError, match=r"a DOCTYPE or ENTITY declaration, expected plain MJCF without declarations"):
        Robot.from_mjcf('<!DOCTYPE x [<!ENTITY a "b">]>' + mjcf(link()))
    with pytest.raises(MissingFileError, match=r"MJCF 'nowhere.xml': not found"):
        Robot.from_mjcf("nowhere.xml")
    with pytest.raises(FileError, match="not well-formed XML"):
        Robot.from_mjcf("<mujoco><worldbody></mujoco>")
    deep = "<body>" * 300 + "</body>" * 300
    with pytest.raises(RobotError, match="bodies nested more than 200 deep"):
        Robot.from_mjcf(mjcf(deep))


@pytest.mark.parametrize("name", ["arm.urdf.xacro", "arm.xacro"])
def test_xacro_is_refused_with_the_command(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text('<robot xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:include filename="a"/></robot>')
    for read in (Robot.load, Robot.from_urdf, Robot.from_mjcf):
        if read is Robot.load and not name.endswith(".xacro"):
            continue
        with pytest.raises(FileError) as caught:
            read(tmp_path / name)
        said = f"{name}: a xacro file, expected plain URDF. Expand it first:  xacro {name} > arm.urdf  (pip install xacro, or ros2 run xacro xacro)."
        assert str(caught.value) == said
