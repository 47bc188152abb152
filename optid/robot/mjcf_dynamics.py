"""What in an MJCF changes the dynamics beyond its bodies and joints: gravity is read, everything else that is not modelled is refused by name."""

from __future__ import annotations

from xml.etree.ElementTree import Element

from optid.errors import RobotError, sentence

from .mjcf_elements import COMPILED, Defaults
from .robot import STANDARD_GRAVITY
from .transform import Vector3
from .urdf import Tree
from .urdf_elements import FIXED
from .urdf_xml import number, numbers

_FRICTION_FLAGS = ("damper", "frictionloss", "passive", "spring")


def read_gravity(root: Element, where: str) -> Vector3:
    """Gravity of the ``<option>`` sections, once they ask for nothing that is not modelled."""
    said: dict[str, str] = {}
    flags: dict[str, str] = {}
    for option in root.findall("option"):
        said |= option.attrib
        for flag in option.findall("flag"):
            flags |= flag.attrib
    place = f"<option> of {where}"
    values = Element("option", said)
    for key in ("density", "viscosity"):
        if number(values, key, place, 0.0) != 0:
            raise RobotError(sentence(place, f"{key}={said[key]!r}", "no drag of a fluid", "Remove it."))
    for key in _FRICTION_FLAGS:
        if flags.get(key) == "disable":
            raise RobotError(sentence(f"<flag> of {where}", f"{key}='disable'", "joints as they are written", "Remove what it switches off."))
    if flags.get("gravity") == "disable":
        return (0.0, 0.0, 0.0)
    x, y, z = numbers(values, "gravity", 3, place, STANDARD_GRAVITY)
    return x, y, z


def refuse_constraints(root: Element, defaults: Defaults, where: str, held: set[str]) -> None:
    """Equality constraints and tendons with forces, unless all their joints are held still."""
    for element in (item for section in root.findall("equality") for item in section):
        joints = {element.get(key) for key in ("joint1", "joint2")} - {None}
        if element.get("active") == "false" or (element.tag == "joint" and joints <= held):
            continue
        named = ", ".join(f"{key}={value!r}" for key, value in element.items() if key in ("joint1", "joint2", "body1", "body2", "tendon1", "site1"))
        hint = "Hold the joints of a gripper still with locked=, or remove it."
        raise RobotError(sentence(f"<equality> of {where}", f"<{element.tag} {named}>", "joints that move freely", hint))
    for element in (item for section in root.findall("tendon") for item in section):
        joints = {item.get("joint") for item in element.findall("joint")}
        values = defaults.values(element, "tendon", None, where)
        forces = [key for key in ("stiffness", "damping", "frictionloss", "armature") if values.get(key, "0") not in ("0", "0.0")]
        if forces and not (joints and joints <= held):
            raise RobotError(sentence(f"tendon {element.get('name')!r} of {where}", f"{forces[0]}={values.get(forces[0])!r}", "none", "Remove it."))


def refuse_unweighed(tree: Tree, unweighed: set[str], held: set[str]) -> None:
    """Bodies that move and whose mass only their geometry tells."""
    above = {joint.child: joint for joint in tree.ordered}
    for name in sorted(unweighed):
        link = name
        while link in above:
            joint = above[link]
            if joint.type != FIXED and joint.name not in held:
                hint = f"MuJoCo takes its mass from its geometry. {COMPILED}"
                raise RobotError(sentence(f"body {name!r}", "no <inertial>", "<inertial> in every body that moves", hint))
            link = joint.parent
