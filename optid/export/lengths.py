"""Lengths of an arm as symbols: each becomes a slide that never moves, so that the ordinary recursion carries its symbol along."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from optid.robot import Joint, Link, Robot, Transform
from optid.robot.joint import PRISMATIC


@dataclass(frozen=True)
class LengthJoints:
    """A robot whose constant translations are slides.

    Attributes
    ----------
    robot : Robot
        With as many more joints as there are lengths.
    names : tuple of str
        ``a2``: a length across the axis of joint 2, ``d2``: one along it (as in DH tables); ``b2``, ``h2`` where a joint has two of a kind.
    values : tuple of float [m]
    slides : tuple of int
        Indices of their joints.
    joints, bodies : tuples of int
        Indices of the robot's own joints, and of the joints its links hang on.
    """

    robot: Robot
    names: tuple[str, ...]
    values: tuple[float, ...]
    slides: tuple[int, ...]
    joints: tuple[int, ...]
    bodies: tuple[int, ...]

    @classmethod
    def of(cls, robot: Robot) -> LengthJoints:
        """The lengths of a robot's joints; base and tool keep theirs."""
        joints: list[Joint] = []
        links: list[Link] = []
        names: list[str] = []
        values: list[float] = []
        slides: list[int] = []
        own: list[int] = []
        bodies: list[int] = []

        def slide(stem: str, spare: str, number: int, direction: np.ndarray, value: float) -> None:
            name = f"{stem}{number}"
            name = f"{spare}{number}" if name in names else name
            slides.append(len(joints))
            names.append(name)
            values.append(value)
            joints.append(Joint(f"length {name}", PRISMATIC, axis=tuple(direction)))
            links.append(Link(f"length {name}"))

        for i, (joint, link) in enumerate(zip(robot.joints, robot.links, strict=True), start=1):
            axis = np.array(joint.axis)
            for where in ("before", "after"):
                frame: Transform = getattr(joint, where)
                normal = frame.R @ axis if where == "before" else axis
                along = float(frame.p @ normal)
                across = frame.p - along * normal
                size = float(np.linalg.norm(across))
                if where == "after":
                    own.append(len(joints))
                    joints.append(replace(joint, before=Transform(joint.before.rotation), after=Transform()))
                    links.append(Link(f"hub {i}"))  # a place for the link, or nothing
                if size > 1e-12:
                    sign = _sign(robot, i - 1, across, size)
                    slide("a", "b", i, sign * across / size, sign * size)
                if abs(along) > 1e-12:
                    slide("d", "h", i, normal, along)
            joints[-1] = replace(joints[-1], after=Transform(joint.after.rotation))
            links[-1] = link
            bodies.append(len(links) - 1)
        wide = Robot(tuple(joints), tuple(links), robot.gravity, base=robot.base, name=robot.name)
        return cls(wide, tuple(names), tuple(values), tuple(slides), tuple(own), tuple(bodies))


def _sign(robot: Robot, joint: int, across: np.ndarray, size: float) -> float:
    """Sign of a length across an axis: that of the DH row where it comes from one, else positive along x of the frame."""
    row = robot.dh.rows[joint] if robot.dh is not None else None
    if row is not None and abs(abs(row.a) - size) <= 1e-9 * size:
        return float(np.sign(row.a))
    return -1.0 if across[0] < -1e-9 * size else 1.0
