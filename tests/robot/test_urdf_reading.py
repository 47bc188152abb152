"""URDF reading: conventions (theme 1 of the cases) and refusals with the element's name."""

import math

import numpy as np
import pytest

from optid.errors import DataWarning, FileError, PhysicalWarning, RobotError, UnknownNameError
from optid.robot import Mimic, Robot, Transform

QUARTER = repr(math.pi / 2)


def one_joint(body="", joint_type="revolute", extra="", axis='<axis xyz="0 0 1"/>'):
    return f"""<robot name="one"><link name="base"/><link name="arm">{body}</link>
    <joint name="j1" type="{joint_type}"><parent link="base"/><child link="arm"/>{axis}{extra}</joint></robot>"""


def joint(name, parent, child, kind="revolute", inner=""):
    return f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/><axis xyz="0 0 1"/>{inner}</joint>'


def robot_text(links, *joints):
    return f'<robot name="r">{"".join(f"<link name={name!r}/>" for name in links)}{"".join(joints)}</robot>'


TWO_LINKS_WITH_TOOL = f"""<robot name="c08"><link name="world"/><link name="base"/>
<link name="l1"><inertial><origin xyz=".2 0 0"/><mass value="2"/><inertia ixx=".001" ixy="0" ixz="0" iyy=".02" iyz="0" izz=".02"/></inertial></link>
<link name="l2"><inertial><origin xyz=".15 0 0"/><mass value="1"/><inertia ixx=".0005" ixy="0" ixz="0" iyy=".008" iyz="0" izz=".008"/></inertial></link>
<link name="flange"><inertial><mass value=".5"/><inertia ixx="1e-4" ixy="0" ixz="0" iyy="1e-4" iyz="0" izz="1e-4"/></inertial></link>
<link name="tool"><inertial><mass value=".8"/><inertia ixx=".001" ixy="0" ixz="0" iyy=".002" iyz="0" izz=".003"/></inertial></link>
<joint name="mount" type="fixed"><parent link="world"/><child link="base"/><origin xyz="0 0 .5"/></joint>
<joint name="j1" type="revolute"><parent link="base"/><child link="l1"/><origin xyz="0 0 .1"/><axis xyz="0 1 0"/></joint>
<joint name="j2" type="revolute"><parent link="l1"/><child link="l2"/><origin xyz=".4 0 0"/><axis xyz="0 1 0"/></joint>
<joint name="f1" type="fixed"><parent link="l2"/><child link="flange"/><origin xyz=".3 0 0" rpy="0 0 {QUARTER}"/></joint>
<joint name="f2" type="fixed"><parent link="flange"/><child link="tool"/><origin xyz="0 -.1 0"/></joint></robot>"""


def test_fixed_bodies_are_lumped_and_base_and_tool_are_placed():
    """C08: by hand, the tool sits at (.4, 0, 0) of link 2, turned by 90° about z, so its ixx and iyy swap."""
    robot = Robot.from_urdf(TWO_LINKS_WITH_TOOL)
    assert robot.joint_names == ("j1", "j2")
    assert robot.base.translation == (0.0, 0.0, 0.5)
    last = robot.links[1]
    assert last.name == "l2"
    assert last.mass == pytest.approx(2.3)
    np.testing.assert_allclose(last.first_moment, [0.15 + 0.5 * 0.3 + 0.8 * 0.4, 0, 0], atol=1e-15)
    xx = 0.0005 + 1e-4 + 0.002
    yy = 0.008 + 0.15**2 + 1e-4 + 0.5 * 0.09 + 0.001 + 0.8 * 0.16
    zz = 0.008 + 0.15**2 + 1e-4 + 0.5 * 0.09 + 0.003 + 0.8 * 0.16
    np.testing.assert_allclose(last.inertia, [xx, 0, 0, yy, 0, zz], atol=1e-15)
    np.testing.assert_allclose(robot.tool.p, [0.4, 0, 0], atol=1e-15)
    np.testing.assert_array_equal(robot.tool.R, [[0, -1, 0], [1, 0, 0], [0, 0, 1]])


def test_tip_chooses_the_tool_frame_and_keeps_the_bodies():
    robot = Robot.from_urdf(TWO_LINKS_WITH_TOOL, tip="flange")
    assert robot.tool.translation == (0.3, 0.0, 0.0)
    assert robot.links == Robot.from_urdf(TWO_LINKS_WITH_TOOL).links


def test_dead_branches_are_lumped_too():
    text = robot_text(
        "abcd", joint("j", "a", "b"), joint("f", "b", "c", "fixed", '<origin xyz="1 0 0"/>'), joint("g", "b", "d", "fixed", '<origin xyz="2 0 0"/>')
    )
    text = text.replace("<link name='d'/>", '<link name="d"><inertial><mass value="3"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>')
    robot = Robot.from_urdf(text, tip="c")
    assert robot.links[0].mass == 3
    assert robot.links[0].first_moment == (6.0, 0.0, 0.0)
    assert robot.tool.translation == (1.0, 0.0, 0.0)
    assert Robot.from_urdf(text).tool == Transform()  # two ends: the moving link's own frame


def test_inertial_rpy_turns_the_tensor():
    """C09."""
    inertial = f'<inertial><origin rpy="0 0 {QUARTER}"/><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="2" iyz="0" izz="2.5"/></inertial>'
    assert Robot.from_urdf(one_joint(inertial)).links[0].inertia == (2.0, 0.0, 0.0, 1.0, 0.0, 2.5)


@pytest.mark.parametrize("angle", ["1.57079632679", "1.5707963267948966", "-1.570796327"])
def test_printed_quarter_turns_are_exact(angle):
    robot = Robot.from_urdf(one_joint(extra=f'<origin rpy="{angle} 0 3.14159265359"/>'))
    assert set(np.abs(robot.joints[0].before.R).ravel()) == {0.0, 1.0}


def test_snap_is_the_users_to_set():
    text = one_joint(extra='<origin rpy="1.5708 0 0"/>')
    assert Robot.from_urdf(text).joints[0].before.R[1, 1] == pytest.approx(math.cos(1.5708), rel=1e-12)
    assert Robot.from_urdf(text, snap=1e-5).joints[0].before.R[1, 1] == 0.0


def test_missing_origin_inertial_and_rpy():
    """C11 a, b, d."""
    no_origin = '<inertial><mass value="1"/><inertia ixx=".3" ixy="0" ixz="0" iyy=".3" iyz="0" izz=".3"/></inertial>'
    assert Robot.from_urdf(one_joint(no_origin)).links[0].inertia == (0.3, 0.0, 0.0, 0.3, 0.0, 0.3)
    assert not Robot.from_urdf(one_joint()).links[0].parameters.any()
    no_rpy = '<inertial><origin xyz="1 2 3"/><mass value="2"/><inertia ixx="0" iyy="0" izz="0"/></inertial>'
    assert Robot.from_urdf(one_joint(no_rpy)).links[0].first_moment == (2.0, 4.0, 6.0)


def test_inertia_without_mass_warns_and_is_refused_when_strict():
    """C11 c."""
    text = one_joint('<inertial><mass value="0"/><inertia ixx=".1" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/></inertial>')
    with pytest.warns(PhysicalWarning, match=r"mass of link 'arm': 0 kg with Ixx = 0.1"):
        Robot.from_urdf(text)
    with pytest.raises(RobotError, match="link 'arm'"):
        Robot.from_urdf(text, strict=True)


def test_negative_moment_warns():
    """C54."""
    text = one_joint('<inertial><mass value="1"/><inertia ixx="1e-3" ixy="0" ixz="0" iyy="-1.13e-6" iyz="0" izz="1e-3"/></inertial>')
    with pytest.warns(PhysicalWarning, match=r"link 'arm': not positive definite"):
        Robot.from_urdf(text)


def test_axis_is_normalised_and_defaults_to_x():
    """C12 and the URDF's default."""
    axis = Robot.from_urdf(one_joint(axis='<axis xyz="1 1 0"/>')).joints[0].axis
    np.testing.assert_allclose(axis, [math.sqrt(0.5), math.sqrt(0.5), 0], atol=1e-16)
    assert Robot.from_urdf(one_joint(axis="")).joints[0].axis == (1.0, 0.0, 0.0)
    assert Robot.from_urdf(one_joint(axis='<axis xyz="0 4.9e-12 -2"/>')).joints[0].axis == (0.0, 0.0, -1.0)


def test_tensor_elements_keep_their_places():
    """C13: URDF order ixx ixy ixz iyy iyz izz, products as matrix elements."""
    text = one_joint('<inertial><mass value="1"/><inertia izz="3" iyz=".3" ixx="1.5" ixz=".2" iyy="2" ixy=".1"/></inertial>')
    np.testing.assert_array_equal(Robot.from_urdf(text).links[0].inertia_about_com, [[1.5, 0.1, 0.2], [0.1, 2, 0.3], [0.2, 0.3, 3]])


def test_continuous_joint_is_one_coordinate_without_position_limits():
    """C14."""
    robot = Robot.from_urdf(one_joint(joint_type="continuous", extra='<limit lower="-1" upper="1" velocity="2" effort="3"/>'))
    assert robot.n == 1
    assert (robot.limits.lower, robot.limits.upper) == ((-math.inf,), (math.inf,))
    assert (robot.limits.velocity, robot.limits.torque) == ((2.0,), (3.0,))


def test_limits_and_dynamics():
    """C18: damping and friction are kept as nominal friction."""
    robot = Robot.from_urdf(one_joint(extra='<limit lower="-1" upper="2" velocity="3" effort="4"/><dynamics damping="1.5" friction="0.4"/>'))
    assert (robot.joints[0].viscous, robot.joints[0].coulomb) == (1.5, 0.4)
    assert (robot.limits.lower, robot.limits.upper, robot.limits.velocity, robot.limits.torque) == ((-1.0,), (2.0,), (3.0,), (4.0,))
    assert Robot.from_urdf(one_joint(extra='<limit velocity="3" effort="4"/>')).limits.lower == (-math.inf,)


def test_mimic_through_another_follower():
    """c = -b + 0.5 with b = 2 a + 1 gives c = -2 a - 0.5; its range binds a."""
    text = robot_text(
        "wxyz",
        joint("a", "w", "x", inner='<limit lower="-9" upper="9" velocity="9" effort="1"/>'),
        joint("b", "x", "y", inner='<mimic joint="a" multiplier="2" offset="1"/>'),
        joint("c", "y", "z", inner='<limit lower="-1.5" upper="1.5" velocity="4" effort="1"/><mimic joint="b" multiplier="-1" offset="0.5"/>'),
    )
    robot = Robot.from_urdf(text)
    assert robot.n == 1
    assert robot.mimic == (Mimic(1, 0, 2.0, 1.0), Mimic(2, 0, -2.0, -0.5))
    assert (robot.limits.lower, robot.limits.upper, robot.limits.velocity) == ((-1.0,), (0.5,), (2.0,))


def test_locked_joint_is_held_with_its_followers():
    text = robot_text(
        "wxyz",
        joint("a", "w", "x"),
        joint("finger1", "x", "y", "prismatic"),
        joint("finger2", "x", "z", "prismatic", '<mimic joint="finger1" multiplier="-1"/>'),
    ).replace("<link name='z'/>", '<link name="z"><inertial><mass value="2"/><inertia ixx="0" iyy="0" izz="0"/></inertial></link>')
    with pytest.raises(RobotError, match=r"joint 'finger\d' \(prismatic\): it moves but is not on the chain.*locked=\('finger\d',\)"):
        Robot.from_urdf(text, tip="x")
    robot = Robot.from_urdf(text, locked={"finger1": 0.25})
    assert robot.n == 1
    assert robot.links[0].first_moment == (0.0, 0.0, -0.5)
    with pytest.raises(UnknownNameError, match=r"Did you mean 'finger\d'"):
        Robot.from_urdf(text, locked=["finger"])


def test_locked_revolute_joint_turns_what_it_carries():
    text = robot_text("xyz", joint("a", "x", "y"), joint("b", "y", "z", "revolute", '<origin xyz="1 0 0"/>'))
    robot = Robot.from_urdf(text, locked={"b": math.pi / 2})
    np.testing.assert_array_equal(robot.tool.matrix, Transform.from_xyz_rpy((1, 0, 0), (0, 0, math.pi / 2)).matrix)


REFUSED = {
    "branch": (robot_text("abc", joint("j1", "a", "b"), joint("j2", "a", "c")), r"joint 'j2' \(revolute\): it moves but is not on the chain"),
    "planar": (robot_text("ab", joint("j1", "a", "b", "planar")), "joint 'j1': type 'planar'"),
    "floating": (robot_text("abc", joint("j1", "a", "b"), joint("root_joint", "b", "c", "floating")), "joint 'root_joint': type 'floating'"),
    "loop": (robot_text("abc", joint("j1", "a", "b"), joint("j2", "a", "c"), joint("j3", "b", "c")), "closed loop.*'j2' and 'j3'.*link 'c'"),
    "ring": (robot_text("ab", joint("j1", "a", "b"), joint("j2", "b", "a")), "closed loop through joint 'j1'"),
    "roots": (robot_text("abcd", joint("j1", "a", "b"), joint("j2", "c", "d")), "several roots, links 'a', 'c'"),
    "ghost": (robot_text("ab", joint("j1", "a", "bb")), "joint 'j1'.*'bb'.*unknown name"),
    "twice": (robot_text("aab", joint("j1", "a", "b")), "link 'a'.*second link"),
    "joint twice": (robot_text("abc", joint("j", "a", "b"), joint("j", "b", "c")), "joint 'j'.*second joint"),
    "still": (robot_text("ab", joint("j1", "a", "b", "fixed")), "no moving joint"),
    "no parent": ('<robot><link name="a"/><joint name="j" type="fixed"><child link="a"/></joint></robot>', "<parent> of joint 'j': no link"),
    "nameless": ('<robot><link name=""/></robot>', "<link>: no name"),
    "empty": ("<robot/>", "no link"),
    "axis": (one_joint(axis='<axis xyz="0 0 0"/>'), "<axis> of joint 'j1': zero length"),
    "number": (one_joint(extra='<origin xyz="0 0,5 0"/>'), "xyz of <origin> of joint 'j1': '0 0,5 0', expected 3 finite numbers"),
    "nan": (one_joint(extra='<origin rpy="0 nan 0"/>'), "rpy of <origin> of joint 'j1'"),
    "count": (one_joint(axis='<axis xyz="0 1"/>'), "xyz of <axis> of joint 'j1'"),
    "limit": (one_joint(extra='<limit lower="2" upper="1"/>'), "<limit> of joint 'j1': lower 2 > upper 1"),
    "damping": (one_joint(extra='<dynamics damping="-1"/>'), "damping of joint 'j1': -1"),
    "no inertia": (one_joint('<inertial><mass value="1"/></inertial>'), "<inertial> of link 'arm': no <inertia>"),
    "no mass": (one_joint('<inertial><inertia ixx="1" iyy="1" izz="1"/></inertial>'), "<mass> in <inertial> of link 'arm'"),
    "follows nothing": (one_joint(extra='<mimic joint="ghost"/>'), "<mimic> of joint 'j1': it follows 'ghost'"),
    "follows itself": (one_joint(extra='<mimic joint="j1"/>'), "<mimic> of joint 'j1': it follows itself"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused_with_the_elements_name(case):
    text, message = REFUSED[case]
    with pytest.raises(RobotError, match=message):
        Robot.from_urdf(text)


def test_unknown_tip_gets_a_suggestion():
    with pytest.raises(UnknownNameError, match="Did you mean 'flange'"):
        Robot.from_urdf(TWO_LINKS_WITH_TOOL, tip="flangee")


HOSTILE = {
    "entities": ('<!DOCTYPE robot [<!ENTITY a "x">]><robot name="&a;"/>', "DOCTYPE or ENTITY"),
    "outside": ('<!DOCTYPE robot SYSTEM "file:///etc/passwd"><robot/>', "DOCTYPE or ENTITY"),
    "truncated": (TWO_LINKS_WITH_TOOL[:400], r"line \d+, column \d+: not well-formed XML"),
    "sdf": ("<sdf version='1.7'/>", "root element <sdf>"),
    "macro": (
        '<robot xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:include filename="a"/></robot>',
        "the macro <xacro:include>.*xacro robot.xacro > robot.urdf",
    ),
    "unbound macro": ("<robot><xacro:arm/></robot>", "xacro macros.*xacro robot.xacro > robot.urdf"),
    "expression": ('<robot><link name="${prefix}a"/></robot>', "the expression '\\${prefix}a'"),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_text_is_refused(case):
    text, message = HOSTILE[case]
    with pytest.raises(FileError, match=message):
        Robot.from_urdf(text)


def test_files(tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_bytes(b"\xef\xbb\xbf" + TWO_LINKS_WITH_TOOL.encode())
    assert Robot.from_urdf(path) == Robot.from_urdf(str(path)) == Robot.load(path) == Robot.from_urdf(TWO_LINKS_WITH_TOOL)
    assert Robot.from_urdf(path).source.startswith("<robot")
    xacro = tmp_path / "arm.urdf.xacro"
    xacro.write_text("<robot/>")
    with pytest.raises(FileError, match=r"arm.urdf.xacro: a xacro file"):
        Robot.from_urdf(xacro)
    latin = tmp_path / "latin.urdf"
    latin.write_bytes("<robot name='é'/>".encode("latin-1"))
    with pytest.raises(FileError, match="not UTF-8"):
        Robot.from_urdf(latin)
    with pytest.raises(FileNotFoundError, match=r"URDF '.*absent.urdf': not found, expected the path of a URDF file"):
        Robot.from_urdf(tmp_path / "absent.urdf")
    with pytest.raises(FileError, match="expected the path of a URDF file"):
        Robot.from_urdf("nothing\0here" * 1000)


@pytest.mark.parametrize("given", [None, 5, b"arm.urdf"])
def test_what_is_no_path_is_named(given):
    with pytest.raises(FileError, match=r"URDF: (NoneType|int|bytes), expected a path or the text of a URDF\."):
        Robot.from_urdf(given)
    with pytest.raises(FileError, match=rf"robot file: {given!r}, expected a path\."):
        Robot.load(given)


def test_limits_in_degrees_are_seen():
    """A revolute joint does not turn 180 rad; one of two turns, a prismatic and a continuous one are left alone."""
    limit = '<limit lower="{0}" upper="{1}" velocity="1" effort="1"/>'
    with pytest.warns(DataWarning, match=r"upper limit of joint 'j1': 180 rad, expected radians. It looks like degrees") as caught:
        robot = Robot.from_urdf(one_joint(extra=limit.format(-12, 180)))
    assert len(caught) == 1
    assert robot.limits.upper == (180.0,)
    with pytest.warns(DataWarning, match=r"lower limit of joint 'j1': -90 rad"):
        Robot.from_urdf(one_joint(extra=limit.format(-90, 0)))
    for kind in ("prismatic", "continuous"):
        Robot.from_urdf(one_joint(joint_type=kind, extra=limit.format(-180, 180)))
    assert Robot.from_urdf(one_joint(extra=limit.format(-12.5, 1e300))).limits.lower == (-12.5,)


def test_long_chain_of_fixed_links_needs_no_recursion():
    n = 3000
    links = [f"l{i}" for i in range(n + 2)]
    text = robot_text(links, joint("j", "l0", "l1"), *(joint(f"f{i}", f"l{i}", f"l{i + 1}", "fixed", '<origin xyz="0.5 0 0"/>') for i in range(1, n + 1)))
    assert Robot.from_urdf(text).tool.translation == (n / 2, 0.0, 0.0)
