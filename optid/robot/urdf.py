"""Robots from URDF: the serial chain to a named tip, with everything fixed to a moving link lumped into it."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from os import PathLike
from xml.etree.ElementTree import Element

import numpy as np
from numpy.typing import ArrayLike

from optid.errors import PhysicalWarning, RobotError, sentence, unknown_name

from .joint import Joint
from .limits import Limits
from .link import Link
from .physical import check_link
from .robot import STANDARD_GRAVITY, Mimic, Robot
from .transform import Transform, Vector3, vector3
from .urdf_elements import FIXED, MOVING, UrdfJoint, read_joint, read_link
from .urdf_xml import read_robot_xml


def robot_from_urdf(
    path_or_text: str | PathLike[str],
    tip: str | None = None,
    *,
    gravity: ArrayLike = STANDARD_GRAVITY,
    locked: Mapping[str, float] | Iterable[str] = (),
    strict: bool = False,
    snap: float = 1e-9,
) -> Robot:
    """A robot from a URDF file or text.

    Revolute, continuous (one coordinate without position limits), prismatic, fixed and mimic joints are read, with ``<inertial>``, ``<limit>`` and
    ``<dynamics>`` (nominal viscous and Coulomb friction). Bodies fixed to a moving link, at any depth and on any side branch, are lumped into it; those fixed
    to the root never move and carry no parameters. Link frames are the URDF's. ``<transmission>`` is not read: give drives with :meth:`Robot.with_drives`.

    Parameters
    ----------
    path_or_text : path, or the text of a URDF
    tip : str, optional
        Link at the end of the chain; it becomes the tool frame. Without it the chain is the one that holds all moving joints, and the tool is the one link at
        its end (the last moving link where several are fixed to it).
    gravity : (3,) [m/s²]
        In the frame of the root link.
    locked : mapping of joint name to position [rad, m], or joint names (position 0)
        Moving joints to hold still, such as a gripper's fingers; their bodies are lumped like fixed ones.
    strict : bool
        Refuse bodies that cannot exist instead of warning.
    snap : float [rad]
        ``rpy`` angles this close to a quarter turn are taken as exact, and axis components this small (relative) as zero: 1.57079632679 means 90°, and
        leftovers of 1e-12 cost speed and readable formulas. Files with 1.5708 need 1e-5.

    Raises
    ------
    FileError
        For a file that cannot be read, is not XML, is a xacro, or has a DOCTYPE.
    RobotError
        For a branch of moving joints off the chain, a planar or floating joint, a closed loop, several roots, or a wrong value; the message names the element.

    Warns
    -----
    DataWarning
        For a position limit of a revolute joint beyond two turns: degrees, probably.
    PhysicalWarning
        For every link whose inertial parameters describe a body that cannot exist.

    Examples
    --------
    >>> from optid.robot import robot_from_urdf
    >>> robot_from_urdf('''<robot name="door">
    ...   <link name="wall"/>
    ...   <link name="leaf"><inertial><mass value="20"/><origin xyz="0.4 0 0"/><inertia ixx="1" ixy="0" ixz="0" iyy="2" iyz="0" izz="1"/></inertial></link>
    ...   <joint name="hinge" type="continuous"><parent link="wall"/><child link="leaf"/><axis xyz="0 0 1"/></joint>
    ... </robot>''')
    Robot('door', 1 joints: hinge)
    """
    root, text, where = read_robot_xml(path_or_text)
    return chain_robot(Tree.of(root, where, snap), tip, vector3(gravity, "gravity"), locked, strict, root.get("name") or "robot", text, where)


def chain_robot(
    tree: Tree, tip: str | None, gravity: Vector3, locked: Mapping[str, float] | Iterable[str], strict: bool, name: str, source: str, where: str
) -> Robot:
    """The serial chain of a tree as a robot; parameters and errors as :func:`robot_from_urdf`."""
    held = tree.held_positions(locked)
    moving = [j for j in tree.ordered if j.type in MOVING and j.name not in held]
    if not moving:
        raise RobotError(sentence(where, "no moving joint", f"a joint of type {', '.join(MOVING)}"))
    movers = {j.name for j in moving}
    path = tree.path_to(tip if tip is not None else tree.deepest(movers))
    chain = [j for j in path if j.name in movers]
    on_chain = {j.name for j in chain}
    for joint in moving:
        if joint.name not in on_chain:
            end = f"the chain to {tip!r}" if tip is not None else f"the chain to link {path[-1].child!r}"
            hint = f"Hold it still with locked=({joint.name!r},), or name another tip."
            raise RobotError(sentence(f"joint {joint.name!r} ({joint.type})", f"it moves but is not on {end}", "one serial chain", hint))
    bodies = tree.lumped_bodies(held)
    _check_bodies(tree.links.values(), strict)

    joints: list[Joint] = []
    base, before = Transform(), Transform()
    for joint in path:
        if joint.name not in movers:
            before = before @ tree.pose(joint, held)
            continue
        if not joints:
            base, before = before, Transform()
        kind = MOVING[joint.type]
        joints.append(Joint(joint.name, kind, before @ joint.origin, joint.axis, viscous=joint.viscous, coulomb=joint.coulomb))
        before = Transform()
    tool = before if tip is not None else before @ tree.only_end(chain[-1].child, held)
    mimic = _mimics(chain)
    return Robot(
        tuple(joints),
        tuple(bodies[j.child] for j in chain),
        gravity,
        limits=_limits(chain, mimic),
        mimic=mimic,
        base=base,
        tool=tool,
        name=name,
        source=source,
    )


@dataclass(frozen=True)
class Tree:
    """Links and joints that form one tree; ``ordered`` lists joints from the root outwards."""

    root: str
    links: dict[str, Link]
    ordered: tuple[UrdfJoint, ...]

    @classmethod
    def of(cls, element: Element, where: str, snap: float) -> Tree:
        links: dict[str, Link] = {}
        for item in element.findall("link"):
            link = read_link(item, snap)
            if link.name in links:
                raise RobotError(sentence(f"link {link.name!r} of {where}", "a second link of this name", "unique link names"))
            links[link.name] = link
        parents: dict[str, UrdfJoint] = {}
        names: set[str] = set()
        children: dict[str, list[UrdfJoint]] = {}
        for item in element.findall("joint"):
            joint = read_joint(item, snap)
            if joint.name in names:
                raise RobotError(sentence(f"joint {joint.name!r} of {where}", "a second joint of this name", "unique joint names"))
            names.add(joint.name)
            for end in (joint.parent, joint.child):
                if end not in links:
                    raise RobotError(str(unknown_name(f"joint {joint.name!r}: link", end, links)))
            if joint.child in parents:
                both = f"joints {parents[joint.child].name!r} and {joint.name!r} both lead to link {joint.child!r}"
                raise RobotError(sentence(where, f"a closed loop ({both})", "a tree", "Cut the loop at one of them."))
            parents[joint.child] = joint
            children.setdefault(joint.parent, []).append(joint)
        roots = [name for name in links if name not in parents]
        if len(roots) > 1:
            raise RobotError(sentence(where, f"several roots, links {', '.join(map(repr, roots[:6]))}", "one root link", "Connect them by fixed joints."))
        ordered: list[UrdfJoint] = list(children.get(roots[0], [])) if roots else []
        for joint in ordered:  # the list grows while it is walked: breadth first
            ordered.extend(children.get(joint.child, []))
        if not links:
            raise RobotError(sentence(where, "no link", "at least two links and a joint"))
        if len(ordered) < len(names):
            name = sorted(names - {j.name for j in ordered})[0]
            raise RobotError(sentence(where, f"a closed loop through joint {name!r}", "a tree", "Cut the loop at one joint."))
        return cls(roots[0], links, tuple(ordered))

    def joint(self, name: str) -> UrdfJoint:
        for joint in self.ordered:
            if joint.name == name:
                return joint
        raise unknown_name("joint", name, [j.name for j in self.ordered])

    def held_positions(self, locked: Mapping[str, float] | Iterable[str]) -> dict[str, float]:
        """Positions of the locked joints and of the joints that follow them."""
        given = dict(locked) if isinstance(locked, Mapping) else dict.fromkeys((locked,) if isinstance(locked, str) else locked, 0.0)
        held = {self.joint(name).name: float(position) for name, position in given.items()}
        followers = [j for j in self.ordered if j.mimic is not None]
        for _ in followers:  # a follower of a follower needs another round
            for joint in followers:
                source, multiplier, offset = joint.mimic or ("", 0.0, 0.0)
                if source in held and joint.name not in held:
                    held[joint.name] = multiplier * held[source] + offset
        return held

    def pose(self, joint: UrdfJoint, held: Mapping[str, float]) -> Transform:
        return joint.origin if joint.type == FIXED else joint.held(held[joint.name])

    def path_to(self, link: str) -> list[UrdfJoint]:
        """Joints from the root to a link."""
        if link not in self.links:
            raise unknown_name("tip link", link, self.links)
        above = {j.child: j for j in self.ordered}
        path: list[UrdfJoint] = []
        while link != self.root:
            path.insert(0, above[link])
            link = above[link].parent
        return path

    def deepest(self, movers: set[str]) -> str:
        """Child link of the moving joint with the most moving joints above it."""
        depth = {self.root: 0}
        for joint in self.ordered:
            depth[joint.child] = depth[joint.parent] + (joint.name in movers)
        return max((j.child for j in self.ordered if j.name in movers), key=depth.__getitem__)

    def lumped_bodies(self, held: Mapping[str, float]) -> dict[str, Link]:
        """Bodies of all links with everything fixed to them, in their frames."""
        bodies = dict(self.links)
        for joint in reversed(self.ordered):
            if joint.type == FIXED or joint.name in held:
                bodies[joint.parent] = bodies[joint.parent].lumped(bodies[joint.child].placed(self.pose(joint, held)))
        return bodies

    def only_end(self, link: str, held: Mapping[str, float]) -> Transform:
        """Pose of the one end fixed to a link; the identity when there are several."""
        pose = Transform()
        while True:
            below = [j for j in self.ordered if j.parent == link]
            if len(below) != 1:
                return pose if not below else Transform()
            pose, link = pose @ self.pose(below[0], held), below[0].child


def _mimics(chain: list[UrdfJoint]) -> tuple[Mimic, ...]:
    index = {joint.name: i for i, joint in enumerate(chain)}
    mimics = []
    for i, joint in enumerate(chain):
        if joint.mimic is None:
            continue
        multiplier, offset, source = 1.0, 0.0, joint
        seen = [joint.name]
        while source.mimic is not None:
            name, k, b = source.mimic
            if name not in index:
                raise RobotError(sentence(f"<mimic> of joint {source.name!r}", f"it follows {name!r}", f"a moving joint of the chain ({', '.join(index)})"))
            if name in seen:
                raise RobotError(
                    sentence(f"<mimic> of joint {joint.name!r}", f"it follows itself through {', '.join(map(repr, seen))}", "an independent joint")
                )
            seen.append(name)
            offset += multiplier * b
            multiplier *= k
            source = chain[index[name]]
        mimics.append(Mimic(i, index[source.name], multiplier, offset))
    return tuple(mimics)


def _limits(chain: list[UrdfJoint], mimic: tuple[Mimic, ...]) -> Limits:
    """Limits of the coordinates; a follower's position and speed limits bind the coordinate it follows."""
    lower, upper, velocity, effort = (np.array(column) for column in zip(*(j.limits for j in chain), strict=True))
    for j, low, high in zip(chain, lower, upper, strict=True):
        if low > high:
            raise RobotError(sentence(f"<limit> of joint {j.name!r}", f"lower {low:g} > upper {high:g}", "lower <= upper"))
    for m in mimic:
        if m.multiplier == 0.0:
            continue
        ends = sorted(((lower[m.joint] - m.offset) / m.multiplier, (upper[m.joint] - m.offset) / m.multiplier))
        lower[m.source], upper[m.source] = max(lower[m.source], ends[0]), min(upper[m.source], ends[1])
        velocity[m.source] = min(velocity[m.source], velocity[m.joint] / abs(m.multiplier))
    followers = {m.joint for m in mimic}
    keep = [i for i in range(len(chain)) if i not in followers]
    return Limits.of(len(keep), lower=lower[keep], upper=upper[keep], velocity=velocity[keep], torque=effort[keep], names=tuple(chain[i].name for i in keep))


def _check_bodies(links: Iterable[Link], strict: bool) -> None:
    faults = [fault for link in links for fault in check_link(link)]
    if strict and faults:
        raise RobotError(" ".join(faults))
    for fault in faults:
        warnings.warn(fault, PhysicalWarning, stacklevel=5)
